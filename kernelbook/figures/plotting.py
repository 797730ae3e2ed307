"""The book's visual language, in one place: what each colour, shape and line stands for, in every figure."""

import os
from copy import copy

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import LightSource, ListedColormap
from sklearn.utils.validation import column_or_1d

from kernelbook.base.training import is_precomputed
from kernelbook.figures.pictures import show_sharp
from kernelbook.linalg.gram import spectrum
from kernelbook.runtime.frames import column_names
from kernelbook.runtime.validation import check_labels, finite_array

__all__ = [
    "curves",
    "decision",
    "eigenvalues",
    "gram",
    "line",
    "map_and_profile",
    "points",
    "relief",
    "sides",
    "strip",
    "use_style",
]

PANEL = "#fdfcf9"  #: the ground of a figure
INK = "#22252b"  #: what is written and drawn on it

# What a figure shows, as keyword arguments of plot and scatter. Colours are safe for colour-blind eyes, and no two
# kinds of mark differ by colour alone.
POSITIVE = {"color": "#0072b2", "marker": "o"}  #: a point of the class +1
NEGATIVE = {"color": "#d55e00", "marker": "s"}  #: a point of the class −1
#: a point of each class, where there may be several, six at most; the first two are NEGATIVE and POSITIVE
CLASSES = (
    NEGATIVE,
    POSITIVE,
    {"color": "#009e73", "marker": "^"},
    {"color": "#4b0082", "marker": "v"},
    {"color": "#661100", "marker": "P"},
    {"color": "#00868b", "marker": "X"},
)
#: what was measured: points with a light edge
OBSERVED = {
    "color": INK,
    "marker": "o",
    "linestyle": "none",
    "markersize": 6,
    "markeredgecolor": PANEL,
    "markeredgewidth": 0.8,
}
TRUTH = {"color": "#8c8f94", "linewidth": 3.5, "solid_capstyle": "round"}  #: what the data come from: wide and grey
FIT = {"color": INK, "linewidth": 1.8}  #: what was computed from them: a dark line
#: what belongs to a fit and is not it, such as margins and the edges of a tube: dashed
GUIDE = {"color": "#d55e00", "linewidth": 1.4, "linestyle": (0, (5, 3))}
_HOLLOW = {"linestyle": "none", "markerfacecolor": "none", "markeredgecolor": INK, "markeredgewidth": 1.1}
SUPPORT = {**_HOLLOW, "marker": "o", "markersize": 10}  #: a ring around a support vector that is free
BOUND = {**_HOLLOW, "marker": "D", "markersize": 8.5, "markeredgewidth": 0.8}  #: a diamond around one at its bound
#: colours of regions, one for each of CLASSES
REGIONS = ("#f6dcc8", "#cfe3f0", "#c2f2b6", "#e0cef2", "#e0d999", "#b6f2e0")
SIDES = ListedColormap(REGIONS[:2])  #: a map of two colours, for the two sides of a line
LAND = {"color": "#d9dadb", "linewidth": 0}  #: what is filled below a profile
HEIGHTS = plt.get_cmap("YlGnBu_r")  #: a map of colours for heights, and other values of one function
SIMILARITY = plt.get_cmap("Blues")  #: a map of colours for the values of a kernel


def use_style():
    """Draw every later figure in the book's style: an opaque light panel, two sides open, letters for a phone.

    >>> with plt.rc_context():  # for what is drawn here, and no longer
    ...     use_style()
    ...     print(plt.rcParams["axes.facecolor"])
    #fdfcf9
    """
    plt.rcParams.update(
        {
            "figure.figsize": (7, 4),
            "figure.dpi": 100,
            "figure.facecolor": PANEL,
            "savefig.facecolor": PANEL,
            "axes.facecolor": PANEL,
            "figure.constrained_layout.use": True,
            "font.size": 12,
            "axes.titlesize": 12,
            "axes.titlelocation": "left",
            "axes.titley": 1.02,  # a given place saves a search for one
            "axes.labelcolor": INK,
            "axes.edgecolor": INK,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "legend.frameon": False,
            "svg.hashsalt": "kernelbook",  # the same figure is the same file
        }
    )
    if os.environ.get("KERNELBOOK_STATIC"):
        show_sharp()


def map_and_profile(X, y, grid, truth, fit, at):
    """A map of fitted heights above the profile along one line of it.

    Parameters
    ----------
    X : (n, 2) array, where heights were measured, kilometres east and north
    y : (n,) array, the heights measured there, metres
    grid : (rows, columns, 2) array, the points of the map
    truth, fit : (rows, columns) arrays, true and fitted heights on the grid, metres
    at : int, the row whose profile is drawn

    Returns
    -------
    Matplotlib figure

    >>> north, east = np.mgrid[0:6, 0:8]
    >>> grid, truth = np.stack([east, north], axis=-1).astype(float), 100.0 * east
    >>> figure = map_and_profile(grid[0], truth[0], grid, truth, fit=truth + 30, at=2)
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['north (km)', 'height (m)', 'height (m)']
    """
    # Axes in fixed places draw in half the time a layout engine takes, nothing jumps from frame to frame, and 5 pixels
    # to a cell of the map keep the drawn files small.
    rows, columns = fit.shape
    box, pixels = np.array([590, 385, 590, 385]), 5
    figure = plt.figure(figsize=box[:2] / 100, dpi=100, layout="none")
    above = figure.add_axes(np.array([78, 373 - pixels * rows, pixels * columns, pixels * rows]) / box)
    beside = figure.add_axes(np.array([86 + pixels * columns, 373 - pixels * rows, 12, pixels * rows]) / box)
    below = figure.add_axes(np.array([78, 55, pixels * columns, 300 - pixels * rows]) / box)
    east, north = grid[0, :, 0], grid[:, 0, 1]
    colours = above.imshow(
        fit,
        origin="lower",
        extent=_extent(grid),
        cmap=HEIGHTS.resampled(12),
        vmin=200,
        vmax=1100,
        interpolation="none",
    )
    above.axhline(north[at], **GUIDE)
    above.set(ylabel="north (km)", xticks=[], yticks=range(8, 20, 4), aspect="auto")
    figure.colorbar(colours, cax=beside, label="height (m)", ticks=(200, 500, 800, 1100))
    below.fill_between(east, truth[at], **LAND, label="the land")
    below.plot(east, fit[at], **FIT, label="the fit")
    near = np.abs(X[:, 1] - north[at]) < 0.3
    below.plot(X[near, 0], y[near], **OBSERVED, label="measured nearby")
    below.set(xlabel="east (km)", ylabel="height (m)", xticks=range(0, 30, 10), yticks=(0, 500, 1000))
    below.set(xlim=_extent(grid)[:2], ylim=(0, 1500))
    below.legend(loc="upper right", ncols=3, fontsize=11, columnspacing=1, handlelength=1.5, handletextpad=0.5)
    return figure


def relief(grid, height, X):
    """The land as a shaded relief with the places X marked on it; arguments as in map_and_profile.

    >>> north, east = np.mgrid[0:6, 0:8]
    >>> grid = np.stack([east, north], axis=-1).astype(float)
    >>> figure = relief(grid, 400 + 100.0 * east, X=grid[::2, ::2].reshape(-1, 2))
    >>> figure.axes[0].get_xlabel()
    'east (km)'
    """
    figure, ax = plt.subplots(figsize=(6.4, 3.4))
    step = 1000 * (grid[1, 1] - grid[0, 0])
    lit = LightSource(azdeg=315, altdeg=45).shade(
        height[::-1], HEIGHTS, blend_mode="soft", vmin=200, vmax=1100, vert_exag=3, dx=step[0], dy=step[1]
    )
    ax.imshow(lit[::-1], origin="lower", extent=_extent(grid))
    ax.plot(*X.T, **{**OBSERVED, "markersize": 3.2, "markeredgewidth": 0.5})
    ax.set(xlabel="east (km)", ylabel="north (km)")
    return figure


def points(ax, X, y, size=5):
    """Points of the plane with labels ±1, each class in its mark.

    Parameters
    ----------
    ax : Matplotlib axes
    X : (n, 2) array
    y : (n,) array, the labels, -1 or 1
    size : float, of the marks; default 5

    >>> figure, ax = plt.subplots()
    >>> points(ax, np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0]]), np.array([1, -1, -1]))
    >>> [(line.get_marker(), len(line.get_xdata())) for line in ax.lines]
    [('o', 1), ('s', 2)]
    """
    for label, mark in ((1, POSITIVE), (-1, NEGATIVE)):
        ax.plot(*X[y == label].T, **mark, linestyle="none", markersize=size)


def line(ax, w, b, level=0, style=FIT):
    """The line of all x with ``w @ x + b == level``, through the whole of the axes.

    Parameters
    ----------
    ax : Matplotlib axes
    w : (2,) array, not 0
    b : float
    level : float, default 0
    style : dict, keyword arguments of plot; default FIT

    >>> figure, ax = plt.subplots()
    >>> line(ax, w=np.array([1.0, 2.0]), b=-2.0)  # x₁ + 2x₂ = 2
    >>> [round(float(value), 3) for value in ax.lines[0].get_xy1()]
    [0.4, 0.8]
    """
    foot = w * (level - b) / (w @ w)
    ax.axline(foot, (foot[0] - w[1], foot[1] + w[0]), **style)


def strip(ax, w, b):
    """The line ``w @ x + b == 0``, and dashed its margins, where it is ±1; arguments as in line.

    >>> figure, ax = plt.subplots()
    >>> strip(ax, w=np.array([1.0, 2.0]), b=-2.0)
    >>> len(ax.lines)
    3
    """
    for level in (-1, 0, 1):
        line(ax, w, b, level, GUIDE if level else FIT)


def decision(ax, estimator, X, y, box, steps=81, size=5):
    """A fitted estimator in the plane: the sides or regions of its classes, the points, the support vectors.

    Two classes have the line f = 0 and dashed the margins f = ±1; one class, inside and outside, has the line alone;
    several have their borders. A ring marks a free support vector, a diamond one whose α is at its upper bound, with
    several classes in every pair where it is not 0.

    Parameters
    ----------
    ax : Matplotlib axes
    estimator : SVC, NuSVC or OneClassSVM fitted to points of the plane, or a search's with such a ``best_estimator_``
    X : the points it was fitted to, (n, 2)
    y : their labels, (n,), each class drawn in its mark of CLASSES; ignored for one class, None for instance
    box : (west, east, south, north), the part of the plane to be drawn
    steps : int ≥ 2, points of the grid along each side, default 81; three times as many for several classes
    size : float, of the marks of the points; default 5

    Raises
    ------
    ValueError : an estimator that is not fitted to two features, decides nothing, or has more classes than CLASSES has
        marks; X without two columns, or with others than in the fit; labels that the estimator does not know; a box
        without an inside

    >>> from kernelbook import SVC, Linear
    >>> X, y = np.array([[-2.0, 0], [-1, 0], [1, 0], [2, 0]]), [-1, -1, 1, 1]
    >>> figure, ax = plt.subplots()
    >>> decision(ax, SVC(Linear()).fit(X, y), X, y, box=(-3, 3, -2, 2))
    >>> print("ringed:", ax.lines[2].get_xdata(), "in diamonds:", ax.lines[3].get_xdata())
    ringed: [-1.  1.] in diamonds: []
    """
    estimator = _fitted_in_the_plane(estimator)
    groups = _marked_points(estimator, X, y)
    if len(groups) > 2:
        _regions(ax, estimator, _plane(box, 3 * steps))  # a class has no values in between that would smooth its border
    else:
        plane = _plane(box, steps)
        sides(ax, plane, _on_plane(estimator, "decision_function", plane), margins=len(groups) == 2)
    for members, mark in groups:
        ax.plot(*members.T, **{**mark, "linestyle": "none", "markersize": size})
    support = np.asarray(estimator.support_vectors_, dtype=float).reshape(-1, 2)
    ax.plot(*support[~estimator.at_bound_].T, **SUPPORT)
    ax.plot(*support[estimator.at_bound_].T, **BOUND)
    ax.set(xlim=box[:2], ylim=box[2:])


def _fitted_in_the_plane(estimator):
    """The estimator itself, or what a search found best; ValueError if it cannot be drawn in the plane."""
    best = getattr(estimator, "best_estimator_", estimator)
    if not (hasattr(best, "at_bound_") and hasattr(best, "decision_function")):
        raise ValueError(f"estimator must be a fitted SVC, NuSVC, OneClassSVM or SVCCV, got {estimator!r}.")
    if is_precomputed(best.kernel_):
        raise ValueError("estimator must have a kernel that takes points, got a precomputed Gram matrix.")
    if (features := getattr(best, "n_features_in_", "no")) != 2:
        raise ValueError(f"estimator must be fitted to points of the plane, two features, got {features} features.")
    if (count := len(getattr(best, "classes_", ()))) > len(CLASSES):
        raise ValueError(f"estimator must have at most {len(CLASSES)} classes to be told apart by eye, got {count}.")
    return best


def _marked_points(estimator, X, y):
    """Pairs of the points of a class and its mark, in the order of the estimator's classes."""
    points = finite_array(X, "X")
    if points.shape[1] != 2:
        raise ValueError(f"X must have two columns, got shape {points.shape}.")
    names, fitted = column_names(X) or [], list(getattr(estimator, "feature_names_in_", ()))
    if names and fitted and names != fitted:
        raise ValueError(f"X must have the columns {fitted} in this order, as in the fit, got {names}.")
    if not hasattr(estimator, "classes_"):
        return [(points, OBSERVED)]
    members = _members(estimator.classes_, y, len(points))
    return [(points[member], mark) for member, mark in zip(members, CLASSES, strict=False)]


def _members(classes, y, count):
    """Which of the labels is which class, (c, n) bool."""
    if np.shape(y)[:1] != (count,):
        raise ValueError(f"y must hold a label for each of the {count} points of X, got shape {np.shape(y)}.")
    labels = column_or_1d(check_labels(y))
    members = np.array([labels == label for label in classes])
    unknown = ~members.any(axis=0)
    if unknown.any():
        raise ValueError(f"y must hold labels of the fit, {classes.tolist()}, got {labels[unknown].tolist()[0]!r}.")
    return members


def _plane(box, steps):
    """Coordinates from west to east and from south to north."""
    if np.shape(box) != (4,) or not (-np.inf < box[0] < box[1] < np.inf and -np.inf < box[2] < box[3] < np.inf):
        raise ValueError(
            f"box must be (west, east, south, north), finite, with west < east and south < north, got {box!r}."
        )
    return np.linspace(*box[:2], steps), np.linspace(*box[2:], steps)


def _on_plane(estimator, method, plane):
    """What a method of the estimator says at each point of the plane, (north, east)."""
    nameless = copy(estimator)  # which a grid is, whatever the columns of X were called
    vars(nameless).pop("feature_names_in_", None)
    east, north = np.meshgrid(*plane)
    return getattr(nameless, method)(np.column_stack([east.ravel(), north.ravel()])).reshape(east.shape)


def sides(ax, plane, f, margins=True):
    """The two sides of f = 0 and the line itself; the margins f = ±1.

    Parameters
    ----------
    ax : Matplotlib axes
    plane : the coordinates from west to east and from south to north
    f : (north, east) array, its values there
    margins : bool, whether f = ±1 is drawn; default True

    >>> east, north = np.linspace(-2, 2, 9), np.linspace(-1, 1, 5)
    >>> figure, ax = plt.subplots()
    >>> sides(ax, (east, north), f=np.add.outer(north, east))  # the line x₁ + x₂ = 0
    >>> len(ax.collections)  # the two sides, the line, and two margins
    4
    """
    ax.contourf(*plane, f, [min(f.min(), 0) - 1, 0, max(f.max(), 0) + 1], cmap=SIDES)
    _level(ax, plane, f, 0, FIT)
    for level in (-1, 1) if margins else ():
        _level(ax, plane, f, level, GUIDE)


def _regions(ax, estimator, plane):
    """The region of each predicted class, and the borders between them."""
    predicted = _on_plane(estimator, "predict", plane)
    for label, colour in zip(estimator.classes_, REGIONS, strict=False):
        inside = (predicted == label).astype(float)
        ax.contourf(*plane, inside, [0.5, 1.5], colors=[colour])
        _level(ax, plane, inside, 0.5, FIT)


def _level(ax, plane, f, level, style):
    """The line f = level, if there is one."""
    if f.min() < level < f.max():
        width, dashes = style["linewidth"], style.get("linestyle", "-")
        ax.contour(*plane, f, [level], colors=[style["color"]], linewidths=width, linestyles=[dashes])


def gram(ax, K, groups=()):
    """A Gram matrix as a picture: white where K_ij ≤ 0, dark blue where it is largest.

    Parameters
    ----------
    ax : Matplotlib axes
    K : (n, n) array
    groups : names of consecutive groups of equally many objects, to be written along both sides; default none

    >>> from kernelbook import RBF
    >>> figure, ax = plt.subplots()
    >>> gram(ax, RBF(gamma=1)([[0.0], [0.1], [3.0], [3.1]]), groups=["low", "high"])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['low', 'high']
    """
    K = finite_array(K, "K")
    # ten shades are all an eye compares, and keep the drawn files small
    ax.imshow(K, cmap=SIMILARITY.resampled(10), vmin=0, vmax=max(K.max(), 0), interpolation="none")
    ax.spines[:].set_visible(False)
    size = len(K) / max(len(groups), 1)
    places = size * (np.arange(len(groups)) + 0.5) - 0.5
    ax.set(xticks=places, xticklabels=groups, yticks=places, yticklabels=groups)
    ax.tick_params(length=0)


def eigenvalues(ax, K, ridge):
    """The eigenvalues of a Gram matrix on a logarithmic scale, from 10⁻¹² up, and the ridge beside them.

    >>> figure, ax = plt.subplots()
    >>> eigenvalues(ax, np.diag([4.0, 1.0, 0.01]), ridge=0.1)
    >>> ax.lines[0].get_ydata().round(2)
    array([ 0.6,  0. , -2. ])
    """
    mu = np.maximum(spectrum(K), 1e-12)
    ax.plot(np.arange(1, len(mu) + 1), np.log10(mu), "o", color=INK, markersize=3)
    ax.axhline(np.log10(ridge), **GUIDE)
    # labels by hand: the logarithmic scale's own take longer to draw than all the rest
    ax.set(xlabel="j", ylabel="eigenvalue", ylim=(-12.5, 2.5), yticks=(-12, -8, -4, 0))
    ax.set_yticklabels(["10⁻¹²", "10⁻⁸", "10⁻⁴", "1"])


def curves(ax, x, heights, chosen):
    """Curves above the same x, each named at its right end; the chosen one is dark, the others are grey.

    Parameters
    ----------
    ax : Matplotlib axes, whose limits of y are set
    x : (n,) array, increasing
    heights : dict, for each name the (n,) array of the curve
    chosen : the name of the dark curve

    >>> x = np.linspace(0, 1, 5)
    >>> figure, ax = plt.subplots()
    >>> curves(ax, x, {"steep": 3 * x, "flat": x}, chosen="steep")
    >>> [text.get_text() for text in ax.texts]  # from the lowest end to the highest
    ['flat', 'steep']
    """
    low, high = ax.get_ylim()
    free = -np.inf
    for name, height in sorted(heights.items(), key=lambda item: item[1][-1]):
        style, ink, layer = (FIT, INK, 2) if name == chosen else (TRUTH, "#63666b", 1)
        ax.plot(x, height, **style | {"linewidth": 2, "zorder": layer})
        place = max(height[-1], free)  # names that would touch are moved apart
        free = place + 0.085 * (high - low)
        ax.annotate(name, (1.02, place), xycoords=("axes fraction", "data"), color=ink, fontsize=10, va="center")


def _extent(grid):
    """The outline of the grid's cells, for imshow: half a step beyond the outermost points."""
    half = (grid[1, 1] - grid[0, 0]) / 2
    (west, south), (east, north) = grid[0, 0] - half, grid[-1, -1] + half
    return west, east, south, north

"""Points, lines and the decisions of a classifier in the plane."""

from copy import copy

import numpy as np
from sklearn.utils.validation import column_or_1d

from kernelbook.base.targets import check_labels
from kernelbook.base.training import is_precomputed
from kernelbook.inputs.dataframes import column_names
from kernelbook.inputs.validation import finite_array
from kernelbook.plotting.style import (
    BOUND,
    CLASSES,
    FIT,
    GUIDE,
    NEGATIVE,
    OBSERVED,
    POSITIVE,
    REGIONS,
    SIDES,
    SUPPORT,
)


def points(ax, X, y, size=5):
    """Points of the plane with labels ±1, each class with its own marker.

    Parameters
    ----------
    ax : Matplotlib axes
    X : (n, 2) array
    y : (n,) array, the labels, -1 or 1
    size : float, the size of the markers; default 5

    >>> from matplotlib import pyplot as plt
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

    >>> from matplotlib import pyplot as plt
    >>> figure, ax = plt.subplots()
    >>> line(ax, w=np.array([1.0, 2.0]), b=-2.0)  # x₁ + 2x₂ = 2
    >>> [round(float(value), 3) for value in ax.lines[0].get_xy1()]
    [0.4, 0.8]
    """
    foot = w * (level - b) / (w @ w)
    ax.axline(foot, (foot[0] - w[1], foot[1] + w[0]), **style)


def strip(ax, w, b):
    """The line ``w @ x + b == 0``, and its margins, where it is ±1, dashed; arguments as in line.

    >>> from matplotlib import pyplot as plt
    >>> figure, ax = plt.subplots()
    >>> strip(ax, w=np.array([1.0, 2.0]), b=-2.0)
    >>> len(ax.lines)
    3
    """
    for level in (-1, 0, 1):
        line(ax, w, b, level, GUIDE if level else FIT)


def decision(ax, estimator, X, y, box, steps=81, size=5):
    """A fitted estimator in the plane: the regions of its classes, the points, the support vectors.

    Two classes are separated by the line f = 0, with the margins f = ±1 dashed; the one class of OneClassSVM by the
    line alone; several classes by the borders of their regions. A ring marks a free support vector, a diamond a support
    vector whose α is at its upper bound; with several classes, at its bound in every pair where it is not 0.

    Parameters
    ----------
    ax : Matplotlib axes
    estimator : SVC, NuSVC or OneClassSVM fitted to points of the plane, or a search with such a ``best_estimator_``
    X : the points it was fitted to, (n, 2)
    y : their labels, (n,), each class drawn in its mark of CLASSES; ignored for one class, None for instance
    box : (west, east, south, north), the part of the plane to be drawn
    steps : int ≥ 2, points of the grid along each side, default 81; three times as many for several classes
    size : float, the size of the markers of the points; default 5

    Raises
    ------
    ValueError : an estimator that is not fitted to two features, that decides nothing, or that has more classes than
        CLASSES has marks; an X that does not have two columns, or not the columns of the fit; labels that the estimator
        does not know; a box without an inside

    >>> from matplotlib import pyplot as plt
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
        _regions(ax, estimator, _axes_of_grid(box, 3 * steps))  # fine, since labels cannot be interpolated as f can
    else:
        grid = _axes_of_grid(box, steps)
        sides(ax, grid, _on_grid(estimator, "decision_function", grid), margins=len(groups) == 2)
    for members, mark in groups:
        ax.plot(*members.T, **{**mark, "linestyle": "none", "markersize": size})
    support = np.asarray(estimator.support_vectors_, dtype=float).reshape(-1, 2)
    ax.plot(*support[~estimator.at_bound_].T, **SUPPORT)
    ax.plot(*support[estimator.at_bound_].T, **BOUND)
    ax.set(xlim=box[:2], ylim=box[2:])


def sides(ax, plane, f, margins=True):
    """The two sides of f = 0, the line itself, and the margins f = ±1.

    Parameters
    ----------
    ax : Matplotlib axes
    plane : the coordinates of a grid from west to east, and from south to north
    f : (north, east) array, the values of f on the grid
    margins : bool, whether f = ±1 is drawn; default True

    >>> from matplotlib import pyplot as plt
    >>> east, north = np.linspace(-2, 2, 9), np.linspace(-1, 1, 5)
    >>> figure, ax = plt.subplots()
    >>> sides(ax, (east, north), f=np.add.outer(north, east))  # the line x₁ + x₂ = 0
    >>> len(ax.collections)  # the two sides, the line, and two margins
    4
    """
    ax.contourf(*plane, f, [min(f.min(), 0) - 1, 0, max(f.max(), 0) + 1], cmap=SIDES)
    _level_line(ax, plane, f, 0, FIT)
    for level in (-1, 1) if margins else ():
        _level_line(ax, plane, f, level, GUIDE)


def _regions(ax, estimator, grid):
    """The region of each predicted class, and the borders between them."""
    predicted = _on_grid(estimator, "predict", grid)
    for label, colour in zip(estimator.classes_, REGIONS, strict=False):
        inside = (predicted == label).astype(float)
        ax.contourf(*grid, inside, [0.5, 1.5], colors=[colour])
        _level_line(ax, grid, inside, 0.5, FIT)


def _level_line(ax, grid, f, level, style):
    """The line f = level, if there is one."""
    if f.min() < level < f.max():
        width, dashes = style["linewidth"], style.get("linestyle", "-")
        ax.contour(*grid, f, [level], colors=[style["color"]], linewidths=width, linestyles=[dashes])


def _axes_of_grid(box, steps):
    """The coordinates of a grid from west to east, and from south to north."""
    if np.shape(box) != (4,) or not (-np.inf < box[0] < box[1] < np.inf and -np.inf < box[2] < box[3] < np.inf):
        raise ValueError(
            f"box must be (west, east, south, north), finite, with west < east and south < north, got {box!r}."
        )
    return np.linspace(*box[:2], steps), np.linspace(*box[2:], steps)


def _on_grid(estimator, method, grid):
    """The values of a method of the estimator at the points of the grid, (north, east)."""
    nameless = copy(estimator)  # the grid has no column names, and must give no warning if X had some
    vars(nameless).pop("feature_names_in_", None)
    east, north = np.meshgrid(*grid)
    return getattr(nameless, method)(np.column_stack([east.ravel(), north.ravel()])).reshape(east.shape)


def _fitted_in_the_plane(estimator):
    """The estimator itself, or the best estimator of a search; ValueError if it cannot be drawn in the plane."""
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
    """For each class of the estimator, in its order, the pair of its points and its mark."""
    X_checked = finite_array(X, "X")
    if X_checked.shape[1] != 2:
        raise ValueError(f"X must have two columns, got shape {X_checked.shape}.")
    names, fitted = column_names(X) or [], list(getattr(estimator, "feature_names_in_", ()))
    if names and fitted and names != fitted:
        raise ValueError(f"X must have the columns {fitted} in this order, as in the fit, got {names}.")
    if not hasattr(estimator, "classes_"):
        return [(X_checked, OBSERVED)]
    members = _members(estimator.classes_, y, len(X_checked))
    return [(X_checked[member], mark) for member, mark in zip(members, CLASSES, strict=False)]


def _members(classes, y, count):
    """For each class which of the labels y are its own, (c, n) bool."""
    if np.shape(y)[:1] != (count,):
        raise ValueError(f"y must hold a label for each of the {count} points of X, got shape {np.shape(y)}.")
    labels = column_or_1d(check_labels(y))
    members = np.array([labels == label for label in classes])
    unknown = ~members.any(axis=0)
    if unknown.any():
        raise ValueError(f"y must hold labels of the fit, {classes.tolist()}, got {labels[unknown].tolist()[0]!r}.")
    return members

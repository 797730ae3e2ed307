"""The book's visual language, in one place: what each colour, shape and line stands for, in every figure."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import LightSource, ListedColormap

from kernelbook.gram import spectrum

PANEL = "#fdfcf9"
INK = "#22252b"

# What a figure shows, as keyword arguments of plot and scatter. Colours are safe for colour-blind eyes, and no two
# kinds of mark differ by colour alone.
POSITIVE = {"color": "#0072b2", "marker": "o"}
NEGATIVE = {"color": "#d55e00", "marker": "s"}
OBSERVED = {
    "color": INK,
    "marker": "o",
    "linestyle": "none",
    "markersize": 6,
    "markeredgecolor": PANEL,
    "markeredgewidth": 0.8,
}
TRUTH = {"color": "#8c8f94", "linewidth": 3.5, "solid_capstyle": "round"}
FIT = {"color": INK, "linewidth": 1.8}
GUIDE = {"color": "#d55e00", "linewidth": 1.4, "linestyle": (0, (5, 3))}
_HOLLOW = {"linestyle": "none", "markerfacecolor": "none", "markeredgecolor": INK, "markeredgewidth": 1.1}
SUPPORT = {**_HOLLOW, "marker": "o", "markersize": 10}
BOUND = {**_HOLLOW, "marker": "D", "markersize": 8.5, "markeredgewidth": 0.8}
SIDES = ListedColormap(["#f6dcc8", "#cfe3f0"])
LAND = {"color": "#d9dadb", "linewidth": 0}
HEIGHTS = plt.get_cmap("YlGnBu_r")
SIMILARITY = plt.get_cmap("Blues")


def use_style():
    """Draw every later figure in the book's style: an opaque light panel, two sides open, letters for a phone."""
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
        }
    )


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
    """
    # Axes in fixed places draw in half the time a layout engine takes, nothing jumps from frame to frame, and 5 pixels
    # to a cell of the map keep the drawn files small.
    rows, columns = fit.shape
    box, pixels = np.array([590, 470, 590, 470]), 5
    figure = plt.figure(figsize=box[:2] / 100, dpi=100, layout="none")
    above = figure.add_axes(np.array([78, 440 - pixels * rows, pixels * columns, pixels * rows]) / box)
    beside = figure.add_axes(np.array([86 + pixels * columns, 440 - pixels * rows, 12, pixels * rows]) / box)
    below = figure.add_axes(np.array([78, 58, pixels * columns, 364 - pixels * rows]) / box)
    east, north = grid[0, :, 0], grid[:, 0, 1]
    colours = above.imshow(
        fit,
        origin="lower",
        extent=_extent(grid),
        cmap=HEIGHTS.resampled(12),
        vmin=200,
        vmax=1100,
        interpolation="nearest",
    )
    above.axhline(north[at], **GUIDE)
    above.set(ylabel="north (km)", xticks=[], yticks=range(8, 20, 4), aspect="auto")
    figure.colorbar(colours, cax=beside, label="height (m)", ticks=(200, 500, 800, 1100))
    below.fill_between(east, truth[at], **LAND, label="the land")
    below.plot(east, fit[at], **FIT, label="the fit")
    near = np.abs(X[:, 1] - north[at]) < 0.3
    below.plot(X[near, 0], y[near], **OBSERVED, label="measured nearby")
    below.set(xlabel="east (km)", ylabel="height (m)", xticks=range(0, 30, 10), yticks=(0, 500, 1000))
    below.set(xlim=_extent(grid)[:2], ylim=(0, 1350))
    below.legend(loc="upper right", ncols=3, fontsize=11, columnspacing=1, handlelength=1.5, handletextpad=0.5)
    return figure


def relief(grid, height, X):
    """The land as a shaded relief with the places X marked on it; arguments as in map_and_profile."""
    figure, ax = plt.subplots(figsize=(6.4, 3.4))
    step = 1000 * (grid[1, 1] - grid[0, 0])
    lit = LightSource(azdeg=315, altdeg=45).shade(
        height[::-1], HEIGHTS, blend_mode="soft", vmin=200, vmax=1100, vert_exag=3, dx=step[0], dy=step[1]
    )
    ax.imshow(lit[::-1], origin="lower", extent=_extent(grid))
    ax.plot(*X.T, **{**OBSERVED, "markersize": 3.2, "markeredgewidth": 0.5})
    ax.set(xlabel="east (km)", ylabel="north (km)")
    return figure


def decision(ax, machine, X, y, box, steps=81, size=5):
    """A fitted machine for two classes in the plane: its sides, line and margins, the points, the support vectors.

    A ring marks a support vector with α < C, a diamond one with α = C.

    Parameters
    ----------
    ax : Matplotlib axes
    machine : fitted SVC for two classes
    X, y : the points it was fitted to, (n, 2), and their labels
    box : (west, east, south, north), the part of the plane to be drawn
    steps : int, points of the grid along each side
    size : float, of the marks of the points
    """
    horizontal, vertical = np.linspace(*box[:2], steps), np.linspace(*box[2:], steps)
    grid = np.column_stack([part.ravel() for part in np.meshgrid(horizontal, vertical)])
    f = machine.decision_function(grid).reshape(steps, steps)
    ax.contourf(horizontal, vertical, f, [min(f.min(), 0) - 1, 0, max(f.max(), 0) + 1], cmap=SIDES)
    for level, style in ((0, FIT), (-1, GUIDE), (1, GUIDE)):
        if f.min() < level < f.max():
            ax.contour(
                horizontal,
                vertical,
                f,
                [level],
                colors=[style["color"]],
                linewidths=style["linewidth"],
                linestyles=[style.get("linestyle", "-")],
            )
    for label, mark in zip(machine.classes_, (NEGATIVE, POSITIVE), strict=True):
        ax.plot(*X[y == label].T, linestyle="none", **mark, markersize=size)
    bound = np.abs(machine.dual_coef_[0]) == machine.C
    ax.plot(*X[machine.support_[~bound]].T, **SUPPORT)
    ax.plot(*X[machine.support_[bound]].T, **BOUND)
    ax.set(xlim=box[:2], ylim=box[2:])


def gram(ax, K, groups=()):
    """A Gram matrix as a picture: white where K_ij ≤ 0, dark blue where it is largest.

    Parameters
    ----------
    ax : Matplotlib axes
    K : (n, n) array
    groups : names of consecutive groups of equally many objects, to be written along both sides
    """
    # ten shades are all an eye compares, and keep the drawn files small
    ax.imshow(K, cmap=SIMILARITY.resampled(10), vmin=0, vmax=K.max(), interpolation="nearest")
    ax.spines[:].set_visible(False)
    size = len(K) / max(len(groups), 1)
    places = size * (np.arange(len(groups)) + 0.5) - 0.5
    ax.set(xticks=places, xticklabels=groups, yticks=places, yticklabels=groups)
    ax.tick_params(length=0)


def eigenvalues(ax, K, ridge):
    """The eigenvalues of a Gram matrix on a logarithmic scale, from 10⁻¹² up, and the ridge beside them."""
    mu = np.maximum(spectrum(K), 1e-12)
    ax.plot(np.arange(1, len(mu) + 1), np.log10(mu), "o", color=INK, markersize=3)
    ax.axhline(np.log10(ridge), **GUIDE)
    # labels by hand: the logarithmic scale's own take longer to draw than all the rest
    ax.set(xlabel="j", ylabel="eigenvalue", ylim=(-12.5, 2.5), yticks=(-12, -8, -4, 0))
    ax.set_yticklabels(["1e−12", "1e−8", "1e−4", "1"])


def _extent(grid):
    """The outline of the grid's cells, for imshow: half a step beyond the outermost points."""
    half = (grid[1, 1] - grid[0, 0]) / 2
    (west, south), (east, north) = grid[0, 0] - half, grid[-1, -1] + half
    return west, east, south, north

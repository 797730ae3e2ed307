"""Functions of one variable and of two: named curves, maps, profiles and reliefs."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import LightSource

from kernelbook.plotting.palette import DIM
from kernelbook.plotting.pictures import PIXELS_PER_INCH
from kernelbook.plotting.style import FIT, GUIDE, HEIGHTS, INK, LAND, OBSERVED, TRUTH


def curves(ax, x, heights, chosen):
    """Curves over the same x, each named at its right end; the chosen one is dark, the others are grey.

    Parameters
    ----------
    ax : Matplotlib axes with the final limits of y
    x : (n,) array, increasing
    heights : dict from the name of a curve to its (n,) array
    chosen : the name of the dark curve

    >>> x = np.linspace(0, 1, 5)
    >>> figure, ax = plt.subplots()
    >>> curves(ax, x, {"steep": 3 * x, "flat": x}, chosen="steep")
    >>> [text.get_text() for text in ax.texts]  # from the lowest end to the highest
    ['flat', 'steep']
    """
    low, high = ax.get_ylim()
    free = -np.inf  # the lowest place at which a name does not touch the one before
    for name, height in sorted(heights.items(), key=lambda item: item[1][-1]):
        style, ink, layer = (FIT, INK, 2) if name == chosen else (TRUTH, DIM, 1)
        ax.plot(x, height, **style | {"linewidth": 2, "zorder": layer})
        place = max(height[-1], free)
        free = place + 0.085 * (high - low)
        ax.annotate(name, (1.02, place), xycoords=("axes fraction", "data"), color=ink, fontsize=10, va="center")


def map_and_profile(X, y, grid, truth, fit, at):
    """A map of fitted heights, and below it the profile along one of its rows.

    Parameters
    ----------
    X : (n, 2) array, the places of the measurements, kilometres east and north
    y : (n,) array, the measured heights, metres
    grid : (rows, columns, 2) array, the points of the map
    truth, fit : (rows, columns) arrays, true and fitted heights on the grid, metres
    at : int, the row of the profile

    Returns
    -------
    Matplotlib figure

    >>> north, east = np.mgrid[0:6, 0:8]
    >>> grid, truth = np.stack([east, north], axis=-1).astype(float), 100.0 * east
    >>> figure = map_and_profile(grid[0], truth[0], grid, truth, fit=truth + 30, at=2)
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['north (km)', 'height (m)', 'height (m)']
    """
    # Axes in fixed places take half the time of a layout engine, and do not move from frame to frame. A cell of the map
    # has 5 by 5 pixels, which keeps the drawn files small.
    rows, columns = 5 * np.array(fit.shape)
    box = np.array([590, 385, 590, 385])
    figure = plt.figure(figsize=box[:2] / PIXELS_PER_INCH, dpi=PIXELS_PER_INCH, layout="none")
    above = figure.add_axes(np.array([78, 373 - rows, columns, rows]) / box)
    beside = figure.add_axes(np.array([86 + columns, 373 - rows, 12, rows]) / box)
    below = figure.add_axes(np.array([78, 55, columns, 300 - rows]) / box)
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
    """The land as a shaded relief with the points X marked on it; arguments as in map_and_profile.

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


def _extent(grid):
    """The outline of the grid's cells, for imshow: half a step beyond the outermost points."""
    half = (grid[1, 1] - grid[0, 0]) / 2
    (west, south), (east, north) = grid[0, 0] - half, grid[-1, -1] + half
    return west, east, south, north

"""Differences between methods over many seeds: a dot with a whisker for each rival, on one scale."""

import numpy as np

from kernelbook.plotting.style import INK, TRUTH

SEED = {"color": TRUTH["color"], "marker": "|", "linestyle": "none", "markersize": 9, "zorder": 1}
MEAN = {"color": INK, "marker": "o", "linestyle": "none", "markersize": 5, "elinewidth": 2}


def differences(ax, values):
    """For each name a row: a tick for each seed's value, a dot at the mean, and a whisker of one standard error.

    A vertical line marks 0, where neither side is ahead.

    Parameters
    ----------
    ax : Matplotlib axes
    values : dict from a name to its (seeds,) array, such as `kernelbook.experiments.replicate` returns; the first row
        is on top

    >>> from matplotlib import pyplot as plt
    >>> figure, ax = plt.subplots()
    >>> differences(ax, {"polynomial": np.array([1.0, 3.0]), "spline": np.array([-1.0, 1.0])})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['polynomial', 'spline']
    >>> [float(line.get_xdata()[0]) for line in ax.lines if line.get_marker() == "o"]
    [2.0, 0.0]
    """
    ax.axvline(0, color=INK, linewidth=1)
    for row, seen in enumerate(values.values()):
        ax.plot(seen, np.full(len(seen), row), **SEED)
        ax.errorbar(seen.mean(), row, xerr=seen.std(ddof=1) / np.sqrt(len(seen)), **MEAN)
    ax.set(yticks=range(len(values)), yticklabels=values, ylim=(len(values) - 0.5, -0.5))
    ax.tick_params(axis="y", length=0)

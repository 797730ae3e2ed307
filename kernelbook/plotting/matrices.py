"""Gram matrices: their entries as a picture, and their eigenvalues."""

import numpy as np

from kernelbook.inputs.validation import finite_array
from kernelbook.linalg.gram import spectrum
from kernelbook.plotting.style import GUIDE, INK, SIMILARITY


def gram(ax, K, groups=()):
    """A Gram matrix as a picture: white where K_ij ≤ 0, dark blue where it is largest.

    Parameters
    ----------
    ax : Matplotlib axes
    K : (n, n) array
    groups : names of consecutive groups of equally many objects, written along both sides; default none

    >>> from matplotlib import pyplot as plt
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
    centres = size * (np.arange(len(groups)) + 0.5) - 0.5
    ax.set(xticks=centres, xticklabels=groups, yticks=centres, yticklabels=groups)
    ax.tick_params(length=0)


def eigenvalues(ax, K, ridge):
    """The eigenvalues of a Gram matrix on a logarithmic scale, from 10⁻¹² up, and the ridge beside them.

    >>> from matplotlib import pyplot as plt
    >>> figure, ax = plt.subplots()
    >>> eigenvalues(ax, np.diag([4.0, 1.0, 0.01]), ridge=0.1)
    >>> ax.lines[0].get_ydata().round(2)
    array([ 0.6,  0. , -2. ])
    """
    mu = np.maximum(spectrum(K), 1e-12)
    ax.plot(np.arange(1, len(mu) + 1), np.log10(mu), "o", color=INK, markersize=3)
    ax.axhline(np.log10(ridge), **GUIDE)
    # the labels of Matplotlib's logarithmic scale would take longer to draw than everything else
    ax.set(xlabel="j", ylabel="eigenvalue", ylim=(-12.5, 2.5), yticks=(-12, -8, -4, 0))
    ax.set_yticklabels(["10⁻¹²", "10⁻⁸", "10⁻⁴", "1"])

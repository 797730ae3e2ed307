"""Kernels on series, which may be of different lengths."""

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from kernelbook.inputs.dataframes import is_frame
from kernelbook.inputs.intervals import NONNEGATIVE_REAL
from kernelbook.inputs.validation import finite_array, quoted
from kernelbook.kernels.loops import LOG_BASE, POWER_OF_ZERO, extend_alignments
from kernelbook.kernels.profiles import rescaled
from kernelbook.kernels.stationary import RBF
from kernelbook.kernels.widths import RULES, WidthKernel, weighted_median
from kernelbook.linalg.blocks import pairwise_block
from kernelbook.runtime.parallel import parallel_map

STEP_PAIRS_AT_A_TIME = 2**16  # pairs of steps whose distances are computed together, in the cache
LARGEST_SCALED_DISTANCE = 1e15  # γ ‖u − v‖² above this, even infinity, gives the same k
LOG_LARGEST_FLOAT = np.log(np.finfo(float).max)


class GlobalAlignment(WidthKernel):
    """k(x, x') = Σ_π Π_{(i, j) in π} κ(x_i, x'_j), κ = g / (2 − g), g(u, v) = exp(−γ ‖u − v‖²), over all alignments π.

    An alignment of two series is a sequence of pairs (i, j) of their steps, from the first steps of both to the last,
    in which i, j or both increase by one at a time. Dynamic time warping takes the best alignment and does not give a
    kernel; here all alignments count. k is PSD since κ / (1 + κ) = g / 2 is: repeat each step of x and of x' once or
    more, so that both have the same length. The sum of Π g(x_i, x'_j) / 2 over all ways to do so is k, and its terms
    of each length are PSD. The proof does not hold with g in place of κ.

    The objects are series in a list: (T, d) arrays with a row for each step, where T may differ, or arrays of T numbers
    for d = 1. An (n, T, d) array, or (n, T) for d = 1, holds n series of one length.

    Long series have values beyond all floats: k(x, x) lies between 1 and (3 + √8)^T. ``GlobalAlignment().normalized()``
    has no such limit, since it divides while all values are logarithms. The work is in O(T T'): on one core, the Gram
    matrix of 100 series takes about 0.5 s if they have 100 steps, and about 50 s if they have 1000.

    Parameters
    ----------
    gamma : float ≥ 0, "scale" or "median"; default "scale"
        γ, in 1 / units of x squared. "scale" is 1 / (T · d · variance of all entries), T the median length: RBF's rule
        for series as vectors. "median" makes γ = 1 / (2σ²) with σ = √T · the median distance between different steps,
        as Cuturi advises. Both come from ``fit``.

    Attributes
    ----------
    gamma_ : float, the value that ``fit`` found, when gamma is a rule

    Raises
    ------
    ValueError, when the kernel is used : a value is too large for a float; the series differ in their number of columns
    NotFittedError : gamma is a rule, and ``fit`` was not called

    References
    ----------
    Cuturi, Vert, Birkenes & Matsui (2007), A kernel for time series based on global alignments, ICASSP.
    Cuturi (2011), Fast global alignment kernels, ICML.

    >>> GlobalAlignment(gamma=1)([[0.0, 0.0], [0.0, 0.0, 0.0]])  # every κ is 1, so that k counts the alignments
    array([[ 3.,  5.],
           [ 5., 13.]])
    """

    psd = True
    on_vectors = False
    _parameter_constraints = {"gamma": [NONNEGATIVE_REAL, RULES]}

    def __init__(self, gamma="scale"):
        self.gamma = gamma

    def check(self, X, name="X"):
        """Series in a list: (T, d) arrays with a row for each step, or arrays of T numbers."""
        if not isinstance(X, list | tuple | np.ndarray):
            raise ValueError(f"{name} must be a list of series, got {quoted(X)}.")
        if len(X) == 0:
            raise ValueError(f"{name} must hold at least one series, got none.")
        series = [_series(x, f"{name}[{i}]") for i, x in enumerate(X)]
        for i, x in enumerate(series):
            _check_columns(series[0], x, f"{name}[0]", f"{name}[{i}]")
        return series

    def _check_together(self, X, Y):
        _check_columns(X[0], Y[0], "X", "Y")

    def _by_rule(self, X, weight):
        lengths = np.array([len(x) for x in X])
        steps = RBF(self.gamma)
        steps._fit(np.concatenate(X), np.repeat(weight, lengths))
        return steps.gamma_ / weighted_median(lengths, weight)

    def _block(self, X, Y):
        return self._values(self._logarithms(X, Y))

    def _diag(self, X):
        return self._values(self._log_diag(X))

    def _cosines(self, X, Y):
        L = self._logarithms(X, Y)
        x, y = (L.diagonal(),) * 2 if Y is None else (self._log_diag(X), self._log_diag(Y))
        return np.exp(L - np.add.outer(x, y) / 2)

    def _cosine_diag(self, X):
        return np.ones(len(X))

    def _values(self, L):
        if L.max() > LOG_LARGEST_FLOAT:
            raise ValueError(
                f"{self.formula} gives values too large to compute with, which {self.formula}.normalized() does not."
            )
        return np.exp(L)

    def _logarithms(self, X, Y):
        gamma, *series = rescaled(float(self._width()), 2, *X, *(Y or []))
        X, Y = series[: len(X)], None if Y is None else series[len(X) :]
        return pairwise_block(lambda x, others: [_log_alignments(x, y, gamma) for y in others], X, Y)

    def _log_diag(self, X):
        gamma, *X = rescaled(float(self._width()), 2, *X)
        return np.array(parallel_map(lambda x: _log_alignments(x, x, gamma), X))


def _log_alignments(x, y, gamma):
    """log k(x, y); −∞ if k is 0."""
    value, power = np.zeros(len(y) + 1), np.full(len(y) + 1, POWER_OF_ZERO)
    value[0], power[0] = 1.0, 0  # the corner before the first pair
    rows = max(1, STEP_PAIRS_AT_A_TIME // len(y))
    for start in range(0, len(x), rows):
        D = cdist(x[start : start + rows], y, "sqeuclidean")
        D *= gamma
        np.minimum(D, LARGEST_SCALED_DISTANCE, out=D)
        extend_alignments(D, np.exp(-D), value, power)
    return np.log(value[-1]) + LOG_BASE * power[-1]


def _series(x, name):
    """A series as a (T, d) array, or ValueError."""
    if is_frame(x):
        raise ValueError(f"{name} must be a series in an array, got {quoted(x)}: write frame.to_numpy().")
    if isinstance(x, str) or not hasattr(x, "__len__") or sp.issparse(x) or len(x) == 0:
        raise ValueError(
            f"{name} must be a series, an array with a row or a number for each step, got {quoted(x, 40)}."
        )
    x = finite_array(x, name, ensure_2d=False, allow_nd=True, order="C")
    if x.ndim > 2:
        raise ValueError(f"{name} must be a series, an array of one or two dimensions, but has shape {x.shape}.")
    return x[:, None] if x.ndim == 1 else x


def _check_columns(x, y, name_x, name_y):
    if x.shape[1] != y.shape[1]:
        raise ValueError(
            f"series must have the same number of columns, but {name_x} has {x.shape[1]} and {name_y} has {y.shape[1]}."
        )

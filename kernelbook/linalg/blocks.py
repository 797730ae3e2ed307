"""Blocks of distances and products: tiled, in place, symmetric to the bit, and without cancellation."""

import numpy as np
from scipy.spatial.distance import cdist

from kernelbook.linalg import loops
from kernelbook.linalg.tolerances import is_negative
from kernelbook.runtime.parallel import parallel_map

TILE = 256  # side of a tile: half a megabyte of doubles stays in the cache while it is worked on
PAIRWISE_TILE = 32  # side of a tile whose values each take long to compute: enough tiles for all cores
SERIAL_BELOW = 2**20  # a block of fewer numbers is computed by one thread
CANCELLED_BELOW = 1e-3  # a squared distance below this share of the squared lengths has lost 3 or more digits


def _unchanged(distances):
    return distances


def squared_distance_block(X, Y, function=_unchanged, weights=None):
    """function(‖x_i − y_j‖²) for the rows of X and Y, or of X with itself when Y is None.

    Every squared distance is right to about 12 digits, also for points that are close together and far from 0.

    Parameters
    ----------
    X : (n, d) array
    Y : (m, d) array or None
    function : callable that takes an array of squared distances and returns one of its shape; by default the identity
    weights : (d,) array of numbers ≥ 0, for Σ_l weights_l (x_il − y_jl)²; None, the default, for ones

    Returns
    -------
    (n, m) array; with Y None it is symmetric to the bit, and the distances on its diagonal are exactly zero
    """
    symmetric = Y is None
    Y = X if symmetric else Y
    roots = 1.0 if weights is None else np.sqrt(weights)
    left, right = _expanded_squares(X * roots, Y * roots)

    def tile(rows, columns):
        on_diagonal = symmetric and rows == columns
        return function(_accurate_squares(X[rows], Y[columns], weights, left[rows], right[columns], on_diagonal))

    return assemble(tile, len(X), len(Y), symmetric)


def distance_block(X, Y, metric, function=_unchanged, weights=None):
    """function(distance of x_i and y_j), otherwise as ``squared_distance_block``.

    The metric is "sqeuclidean", "euclidean" or "cityblock", and weights have the meaning that SciPy's cdist gives them.
    """
    if metric == "sqeuclidean":
        return squared_distance_block(X, Y, function, weights)
    if metric == "euclidean":
        return squared_distance_block(X, Y, lambda d2: function(np.sqrt(d2, out=d2)), weights)
    symmetric, Y = Y is None, X if Y is None else Y

    def tile(rows, columns):
        return function(cdist(X[rows], Y[columns], metric, w=weights))

    return assemble(tile, len(X), len(Y), symmetric)


def pairwise_block(values, X, Y):
    """The block of k(x_i, y_j) for a function that computes several of them at a time, in parallel.

    Parameters
    ----------
    values : function (x, [y, …]) -> [k(x, y), …]
    X : list of n objects
    Y : list of m objects, or None for X

    Returns
    -------
    (n, m) array; with Y None it is symmetric to the bit, and k is computed once for each pair
    """
    symmetric, Y = Y is None, X if Y is None else Y

    def tile(rows, columns):
        on_diagonal = symmetric and rows == columns
        tile_X, tile_Y = X[rows], Y[columns]
        K = np.zeros((len(tile_X), len(tile_Y)))
        for i, x in enumerate(tile_X):
            first = i if on_diagonal else 0
            K[i, first:] = values(x, tile_Y[first:])
        return K + np.triu(K, 1).T if on_diagonal else K

    return assemble(tile, len(X), len(Y), symmetric, slow=True)


def _expanded_squares(X, Y):
    """Two arrays whose rows have the inner products ‖x_i − y_j‖².

    ‖x − y‖² = ‖x‖² + ‖y‖² − 2⟨x, y⟩ is the inner product of (−2x, ‖x‖², 1) and (y, 1, ‖y‖²).
    """
    origin = X.mean(axis=0)  # distances do not depend on the origin, but one far away would cost digits
    X, Y = X - origin, Y - origin
    x, y = squared_norms(X), squared_norms(Y)
    return np.column_stack([-2 * X, x, np.ones(len(x))]), np.column_stack([Y, np.ones(len(y)), y])


def _accurate_squares(X, Y, weights, left, right, symmetric):
    """‖x_i − y_j‖² by one matrix product, or from the differences x_i − y_j if the product loses digits."""
    D = left @ right.T
    if symmetric:
        loops.symmetrise(D)
        np.fill_diagonal(D, np.inf)  # a point has distance 0 from itself, which is no sign of cancellation
    if _cancelled(D, left[:, -2], right[:, -1]):
        loops.squared_differences(X, Y, np.ones(X.shape[1]) if weights is None else weights, D)
    if symmetric:
        np.fill_diagonal(D, 0)
    return D


def _cancelled(D, x, y):
    """Whether a ‖x‖² + ‖y‖² − 2⟨x, y⟩ has lost digits, being small compared with the lengths, or is NaN."""
    return not D.min() >= CANCELLED_BELOW * (x.max() + y.max())


def assemble(tile, n, m, symmetric, slow=False):
    """The (n, m) array made of tiles, tile(rows, columns) for slices of them, in parallel.

    If it is symmetric, only the tiles on and above the diagonal are computed, and the others are their transposes. If
    it is slow to compute, tiles are small, and threads pay off however few they are.
    """
    side = PAIRWISE_TILE if slow else TILE
    K = np.empty((n, m))

    def place(position):
        rows, columns = position
        values = tile(rows, columns)
        K[rows, columns] = values
        if symmetric and rows != columns:
            loops.transpose(values, K[columns, rows])

    tiles = [(r, c) for r in _slices(n, side) for c in _slices(m, side) if not symmetric or r.start <= c.start]
    parallel_map(place, tiles, small=not slow and n * m < SERIAL_BELOW)
    return K


def _slices(n, side):
    return [slice(start, min(start + side, n)) for start in range(0, n, side)]


def squared_norms(X):
    """⟨x_i, x_i⟩ for every row."""
    return np.einsum("ij,ij->i", X, X)


def squared_distance_from(K, diag_x, diag_y=None):
    """k(x, x) + k(y, y) − 2 k(x, y), in place of the block K; diag_x alone for the Gram matrix of X."""
    K *= -2
    K += np.add.outer(diag_x, diag_x if diag_y is None else diag_y)
    if diag_y is None:
        np.fill_diagonal(K, 0)
    return K


def distance_from_squared(squared, largest, name, what="k(x, x) + k(y, y) - 2 k(x, y)"):
    """√squared, in place; ValueError if an entry is more negative than rounding of numbers up to `largest` explains."""
    if is_negative(squared.min(), largest):
        raise ValueError(f"{name} gives no distance: {what} is {squared.min():.3g}, which is negative.")
    return np.sqrt(np.maximum(squared, 0, out=squared), out=squared)


def normalise_block(K, diag_x, diag_y=None):
    """K_ij / (√k(x_i, x_i) √k(y_j, y_j)), in place of the block K; diag_x alone for the Gram matrix of X.

    Raises ValueError if some k(x, x) is not positive and finite.
    """
    lengths_x = positive_lengths(diag_x, "row")
    K /= np.multiply.outer(lengths_x, lengths_x if diag_y is None else positive_lengths(diag_y, "column"))
    if diag_y is None:
        np.fill_diagonal(K, 1)
    return K


def positive_lengths(diag, name):
    """√k(x_i, x_i); ValueError if some k(x_i, x_i) is not positive and finite."""
    allowed = (diag > 0) & (diag < np.inf)
    if not allowed.all():
        i = int(np.argmin(allowed))
        advice = "" if diag[i] else " (kernel + 1).normalized() takes such objects."
        found = f"{name} {i} has k(x, x) = {diag[i]:.3g}"
        raise ValueError(f"normalisation needs a finite k(x, x) > 0, but {found}.{advice}")
    return np.sqrt(diag)


def integer_power(K, exponent):
    """K ** exponent, entry by entry, in place; repeated squaring is many times faster than a general power."""
    square, squarings = K.copy(), exponent - 1
    while squarings:
        if squarings & 1:
            K *= square
        squarings >>= 1
        if squarings:
            square *= square
    return K

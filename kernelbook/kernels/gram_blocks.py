"""Arithmetic on Gram blocks: in place, symmetric to the bit, exact where rounding would hurt."""

import numpy as np
from scipy.spatial.distance import cdist

from kernelbook.parallel import parallel_map
from kernelbook.validation import NEGATIVE

TILE = 256  # half a megabyte of doubles: a tile stays in the cache while it is worked on
CLOSE = 1e-3  # a squared distance below this share of the squared lengths has lost 3 digits or more to cancellation


def squared_distance_block(X, Y, function=None):
    """function(‖x_i − y_j‖²) for the rows of X and Y, or of X with itself when Y is None.

    ‖x − y‖² = ‖x‖² + ‖y‖² − 2⟨x, y⟩ is the inner product of (−2x, ‖x‖², 1) and (y, 1, ‖y‖²), so that a tile is one
    matrix product. It cancels where two points are close beside the lengths in their tile; a tile that holds such a
    pair is computed again from the differences, which keeps every squared distance right to about 12 digits. Of a Gram
    matrix only the tiles on and above the diagonal are computed; the others are their mirror images.

    Parameters
    ----------
    X : (n, d) array
    Y : (m, d) array or None
    function : callable on an array that it overwrites, or None for the squared distances themselves

    Returns
    -------
    (n, m) array; with Y None symmetric to the bit, and made of exact zero distances on the diagonal
    """
    symmetric = Y is None
    origin = X.mean(axis=0)  # distances do not change, but a far origin would cost digits
    centred_x = X - origin
    centred_y = centred_x if symmetric else Y - origin
    x, y = squared_norms(centred_x), squared_norms(centred_y)
    left = np.column_stack([-2 * centred_x, x, np.ones(len(x))])
    right = np.column_stack([centred_y, np.ones(len(y)), y])
    K = np.empty((len(x), len(y)))
    Y = X if symmetric else Y

    def work(tile):
        rows, columns = tile
        on_diagonal = symmetric and rows == columns
        D = left[rows] @ right[columns].T
        if on_diagonal:
            D = (D + D.T) / 2
            np.fill_diagonal(D, np.inf)
        if not D.min() >= CLOSE * (x[rows].max() + y[columns].max()):
            D = cdist(X[rows], Y[columns], "sqeuclidean")
        if on_diagonal:
            np.fill_diagonal(D, 0)
        if function is not None:
            function(D)
        K[rows, columns] = D
        if symmetric and not on_diagonal:
            K[columns, rows] = D.T

    tiles = [(r, c) for r in _slices(len(X)) for c in _slices(len(Y)) if not symmetric or r.start <= c.start]
    parallel_map(work, tiles)
    return K


def _slices(n):
    return [slice(start, min(start + TILE, n)) for start in range(0, n, TILE)]


def squared_norms(X):
    """⟨x_i, x_i⟩ for every row."""
    return np.einsum("ij,ij->i", X, X)


def squared_distance_from(K, diag_x, diag_y=None):
    """k(x, x) + k(y, y) − 2 k(x, y) in place of the block K; give one diagonal for the Gram matrix of X with itself."""
    K *= -2
    K += np.add.outer(diag_x, diag_x if diag_y is None else diag_y)
    if diag_y is None:
        np.fill_diagonal(K, 0)
    return K


def distance_from_squared(squared, largest, name, what="k(x, x) + k(y, y) - 2 k(x, y)"):
    """The root, in place; ValueError if a square is negative beyond the rounding of numbers as large as `largest`."""
    if not squared.min() >= -NEGATIVE * largest:
        raise ValueError(f"{name} gives no distance: {what} is {squared.min():.3g}, which is negative.")
    return np.sqrt(np.maximum(squared, 0, out=squared), out=squared)


def normalise_block(K, diag_x, diag_y=None):
    """K_ij / (√k(x_i, x_i) √k(y_j, y_j)) in place of the block K; one diagonal for the Gram matrix of X with itself."""
    lengths_x = positive_lengths(diag_x, "row")
    K /= np.multiply.outer(lengths_x, lengths_x if diag_y is None else positive_lengths(diag_y, "column"))
    if diag_y is None:
        np.fill_diagonal(K, 1)
    return K


def positive_lengths(diag, name):
    """√k(x_i, x_i), or ValueError where an object has no length to divide by."""
    if not (diag > 0).all():
        i = int(np.argmin(diag > 0))
        raise ValueError(f"normalisation needs k(x, x) > 0, but {name} {i} has k(x, x) = {diag[i]:.3g}.")
    return np.sqrt(diag)


def integer_power(K, exponent):
    """K ** exponent, entry by entry, in place, by repeated squaring: many times faster than a general power."""
    square, squarings = K.copy(), exponent - 1
    while squarings:
        if squarings & 1:
            K *= square
        squarings >>= 1
        if squarings:
            square *= square
    return K

"""Arithmetic on Gram blocks: in place, symmetric to the bit, exact where rounding would hurt."""

import numpy as np

from kernelbook.linalg import loops
from kernelbook.linalg.tolerances import is_negative
from kernelbook.runtime.parallel import parallel_map

TILE = 256  # half a megabyte of doubles: a tile stays in the cache while it is worked on
SMALL = 2**20  # a block of fewer numbers is computed by one thread
PAIRS = 32  # the side of a tile whose every value takes long: enough tiles for all cores
LEAST, MOST = -300, 500  # powers of two whose squares are floats, also of what such numbers differ by
CLOSE = 1e-3  # a squared distance below this share of the squared lengths has lost 3 digits or more to cancellation


def squared_distance_block(X, Y, function=None, weights=None):
    """function(‖x_i − y_j‖²) for the rows of X and Y, or of X with itself when Y is None.

    Every squared distance is right to about 12 digits, also where points are close beside their distance from 0.

    Parameters
    ----------
    X : (n, d) array
    Y : (m, d) array or None
    function : callable on an array that it overwrites, or None, the default, for the squared distances themselves
    weights : (d,) array of numbers ≥ 0 for Σ_l weights_l (x_il − y_jl)² in the place of ‖x_i − y_j‖²; None, the
        default, for ones

    Returns
    -------
    (n, m) array; with Y None it is symmetric to the bit, and made of distances that are exactly zero on the diagonal
    """
    symmetric = Y is None
    Y = X if symmetric else Y
    roots = 1.0 if weights is None else np.sqrt(weights)
    left, right = _expanded_squares(X * roots, Y * roots)

    def tile(rows, columns):
        on_diagonal = symmetric and rows == columns
        D = _accurate_squares(X[rows], Y[columns], weights, left[rows], right[columns], on_diagonal)
        if function is not None:
            function(D)
        return D

    return assembled(tile, len(X), len(Y), symmetric)


def pairwise_block(values, X, Y):
    """The block of values(x_i, some) = [k(x_i, y) for y in some], computed in parallel.

    Parameters
    ----------
    values : function of one object and a list of them; it returns as many numbers
    X : list of n objects
    Y : list of m objects, or None for X

    Returns
    -------
    (n, m) array; with Y None it is symmetric to the bit, and each pair has been computed once
    """
    others, symmetric = (X, True) if Y is None else (Y, False)

    def tile(rows, columns):
        on_diagonal = symmetric and rows == columns
        some = others[columns]
        K = np.zeros((rows.stop - rows.start, len(some)))
        for i, x in enumerate(X[rows]):
            known = i if on_diagonal else 0
            K[i, known:] = values(x, some[known:])
        return K + np.triu(K, 1).T if on_diagonal else K

    return assembled(tile, len(X), len(others), symmetric, PAIRS)


def rescaled(gamma, power, *arrays):
    """γ and the points, all multiplied by powers of two where squares of points would over- or underflow.

    That is exact, and γ ‖x − y‖^power stays what it is. Of the arrays, those that are None stay so.
    """
    e = excess(*arrays)
    if e == 0:
        return gamma, *arrays
    largest = np.finfo(float).max
    with np.errstate(over="ignore"):
        gamma = min(float(np.ldexp(float(gamma), power * e)), largest)
    return gamma, *(None if Z is None else np.ldexp(Z, -e) for Z in arrays)


def excess(*arrays):
    """By which power of two the largest number in arrays is too large or too small for its square to be a float."""
    largest = max(np.abs(Z).max() for Z in arrays if Z is not None)
    if largest == 0 or LEAST <= (e := int(np.frexp(largest)[1])) <= MOST:
        return 0
    return e - (MOST if e > MOST else LEAST)


def _expanded_squares(X, Y):
    """Two arrays whose rows have the inner products ‖x_i − y_j‖².

    ‖x − y‖² = ‖x‖² + ‖y‖² − 2⟨x, y⟩ is the inner product of (−2x, ‖x‖², 1) and (y, 1, ‖y‖²).
    """
    origin = X.mean(axis=0)  # distances do not change, but a far origin would cost digits
    X, Y = X - origin, Y - origin
    x, y = squared_norms(X), squared_norms(Y)
    return np.column_stack([-2 * X, x, np.ones(len(x))]), np.column_stack([Y, np.ones(len(y)), y])


def _accurate_squares(X, Y, weights, left, right, symmetric):
    """‖x_i − y_j‖² by one matrix product, or from the differences x_i − y_j where the product has cancelled."""
    D = left @ right.T
    if symmetric:
        loops.symmetrise(D)
        np.fill_diagonal(D, np.inf)  # a point's distance from itself is known, and no sign of cancellation
    if _cancelled(D, left[:, -2], right[:, -1]):
        loops.squared_differences(X, Y, np.ones(X.shape[1]) if weights is None else weights, D)
    if symmetric:
        np.fill_diagonal(D, 0)
    return D


def _cancelled(D, x, y):
    """Whether ‖x‖² + ‖y‖² − 2⟨x, y⟩ has lost digits: two points are close beside the lengths, or a value is NaN."""
    return not D.min() >= CLOSE * (x.max() + y.max())


def assembled(tile, n, m, symmetric, size=TILE):
    """The (n, m) array made of tile(rows, columns), with `size` rows and columns or fewer each, computed in parallel.

    If it is symmetric, only the tiles on and above the diagonal are computed, and the others are their mirror images.
    """
    K = np.empty((n, m))

    def place(position):
        rows, columns = position
        values = tile(rows, columns)
        K[rows, columns] = values
        if symmetric and rows != columns:
            loops.transpose(values, K[columns, rows])

    tiles = [(r, c) for r in _slices(n, size) for c in _slices(m, size) if not symmetric or r.start <= c.start]
    parallel_map(place, tiles, small=size == TILE and n * m < SMALL)
    return K


def _slices(n, size):
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def squared_norms(X):
    """⟨x_i, x_i⟩ for every row."""
    return np.einsum("ij,ij->i", X, X)


def exponential_decay(D, gamma):
    """exp(−γ D), in place of D."""
    D *= -gamma
    return np.exp(D, out=D)


def exponential_decay_distance(D, gamma):
    """2 − 2 exp(−γ D), in place of D and without loss where γ D is small: d² in feature space for k = exp(−γ D)."""
    D *= -gamma
    np.expm1(D, out=D)
    return np.multiply(D, -2, out=D)


def squared_distance_from(K, diag_x, diag_y=None):
    """k(x, x) + k(y, y) − 2 k(x, y), in place of the block K; diag_x alone for the Gram matrix of X."""
    K *= -2
    K += np.add.outer(diag_x, diag_x if diag_y is None else diag_y)
    if diag_y is None:
        np.fill_diagonal(K, 0)
    return K


def distance_from_squared(squared, largest, name, what="k(x, x) + k(y, y) - 2 k(x, y)"):
    """√squared, in place; ValueError if an entry is negative beyond the rounding of numbers as large as `largest`."""
    if is_negative(squared.min(), largest):
        raise ValueError(f"{name} gives no distance: {what} is {squared.min():.3g}, which is negative.")
    return np.sqrt(np.maximum(squared, 0, out=squared), out=squared)


def normalise_block(K, diag_x, diag_y=None):
    """K_ij / (√k(x_i, x_i) √k(y_j, y_j)), in place of the block K; diag_x alone for the Gram matrix of X.

    Raises ValueError where an object has no length to divide by.
    """
    lengths_x = positive_lengths(diag_x, "row")
    K /= np.multiply.outer(lengths_x, lengths_x if diag_y is None else positive_lengths(diag_y, "column"))
    if diag_y is None:
        np.fill_diagonal(K, 1)
    return K


def positive_lengths(diag, name):
    """√k(x_i, x_i), or ValueError where an object has no length to divide by."""
    divides = (diag > 0) & (diag < np.inf)
    if not divides.all():
        i = int(np.argmin(divides))
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

"""How far rounding can move a number from zero."""

import numpy as np

from kernelbook.inputs.validation import finite_array

# Shares of the largest number in a sum or matrix. A negative number or an asymmetry below this share may be rounding.
DOUBLE_TOLERANCE = 1e-10  # of numbers computed in double precision
SINGLE_TOLERANCE = 1e-6  # of numbers given in single precision
SMALLEST_NORMAL = float(np.finfo(float).tiny)  # a smaller float has fewer digits


def is_negative(value, size, tolerance=DOUBLE_TOLERANCE):
    """Whether `value` is NaN, or more negative than the rounding of numbers as large as `size` explains."""
    return not value >= -tolerance * size


def machine_epsilon(K):
    """The distance from 1 to the next larger number in the precision of K; 2⁻⁵² if K is not in a lower precision."""
    dtype = np.asarray(K).dtype
    double = np.finfo(float)
    return max(np.finfo(dtype).eps, double.eps) if dtype.kind == "f" else double.eps


def rounding(eigenvalues):
    """n · 2⁻⁵² · the largest |eigenvalue|: a smaller eigenvalue of a computed matrix may be zero.

    It is a bound on the error of the decomposition, for a matrix whose entries are exact.

    >>> mu = np.linalg.eigvalsh([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])  # 0, 2, 2
    >>> bool(abs(mu[0]) < rounding(mu))
    True
    """
    eigenvalues = finite_array(eigenvalues, "eigenvalues", ensure_2d=False)
    return len(eigenvalues) * np.finfo(float).eps * np.abs(eigenvalues).max()


def typical_rounding(n, size):
    """√n · 2⁻⁵² · size: the typical, not the largest, error of an eigenvalue, if the largest |eigenvalue| is `size`.

    Ridge regression sets no larger eigenvalue μ to 0, because f loses the share μ / (μ + alpha) of its direction.
    """
    return np.sqrt(n) * np.finfo(float).eps * size


def rounding_with_entries(n, size, largest, epsilon):
    """A bound like ``rounding``, for a matrix whose entries are rounded too, with a margin of 10 for the decomposition.

    The largest |eigenvalue| is `size`. Entries up to `largest`, each rounded by up to `epsilon` / 2 of itself, move an
    eigenvalue by about √n · epsilon · largest / 2 if their errors are independent. Copies of an object are rounded
    alike, which can leave one such eigenvalue; principal components must not be made of it.
    """
    return max(10 * n * np.finfo(float).eps * size, np.sqrt(n) * epsilon * largest)

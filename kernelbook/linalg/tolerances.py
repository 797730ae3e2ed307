"""How far rounding can move a number from zero."""

import numpy as np

# Both are shares of the largest number in the same sum or matrix. A smaller negative number, or a smaller asymmetry,
# may be rounding: of numbers computed in double precision, or of numbers that were given in single precision.
DOUBLE_TOLERANCE = 1e-10
SINGLE_TOLERANCE = 1e-6


def is_negative(value, size, tolerance=DOUBLE_TOLERANCE):
    """Whether `value` is NaN, or more negative than the rounding of numbers as large as `size` explains."""
    return not value >= -tolerance * size


def machine_epsilon(K):
    """The distance from 1 to the next larger number in the precision of K, but at least that of double precision."""
    dtype = np.asarray(K).dtype
    double = np.finfo(float)
    return max(np.finfo(dtype).eps, double.eps) if dtype.kind == "f" else double.eps


def eigenvalue_rounding(n, size, largest, epsilon):
    """The size of the eigenvalues that rounding alone gives an (n, n) matrix.

    The decomposition, in double precision, moves an eigenvalue by up to n · 2⁻⁵² · size, where `size` is the largest
    eigenvalue in size; the result has a margin of 10. Entries up to `largest`, each rounded by up to `epsilon` / 2 of
    itself, move it by about √n · epsilon · largest / 2 if their errors are independent. Copies of an object are rounded
    alike, which can leave one such eigenvalue.
    """
    return max(10 * n * np.finfo(float).eps * size, np.sqrt(n) * epsilon * largest)

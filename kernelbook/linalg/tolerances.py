"""How large a number may be that rounding made."""

import numpy as np

NEGATIVE_TOLERANCE = 1e-10  # of the largest number in a sum or matrix: what is negative by less may be rounding
SYMMETRY_TOLERANCE = 1e-6  # of the largest entry: an asymmetry below it is rounding, in single precision at worst


def is_negative(least, size):
    """Whether `least` is negative, or NaN, beyond the rounding of numbers as large as `size`."""
    return not least >= -NEGATIVE_TOLERANCE * size


def is_plainly_negative(least, size):
    """As ``is_negative``, beyond the rounding of single precision, in which the numbers may have come."""
    return not least >= -SYMMETRY_TOLERANCE * size


def spacing(K):
    """The distance from 1 to the next number, in the precision that a Gram matrix came in."""
    dtype = np.asarray(K).dtype
    return max(np.finfo(dtype if dtype.kind == "f" else float).eps, np.finfo(float).eps)


def eigenvalue_noise(n, size, precision, largest):
    """What eigenvalues of an (n, n) matrix must exceed, since less may be rounding.

    Its decomposition, in double precision, errs by up to n · 2⁻⁵² · size, that of the largest eigenvalue. Entries up to
    `largest` that were rounded when they came, by half the share `precision` and unlike each other, move it by about √n
    times that; of copies, which are rounded alike, one eigenvalue of rounding may remain.
    """
    return max(10 * n * np.finfo(float).eps * size, np.sqrt(n) * precision * largest)

"""The loops of kernels that numba compiles, all in one file, as in ``qp.loops``."""

import numpy as np

from kernelbook.kernels import vectorised
from kernelbook.runtime.compilation import compiled

LIMB = 256 * np.log(2)  # a number of any size is value · e^(LIMB · power), with a value from DOWN to UP
UP, DOWN = 2.0**256, 2.0**-256  # e^LIMB and its inverse
NOTHING = np.int64(-(2**62))  # the power of zero, below that of any number


@compiled(vectorised.common_subsequences)
def common_subsequences(x, others, n, decay):
    """Σ decay^(characters skipped) over all pairs of equal subsequences of n characters, of x and of a column y.

    Row after row of the matrices B_m(i, j), the sums over the pairs of m characters that end at i in x and at j in y,
    columns[m, j] is Σ_{i' ≤ i} decay^(i − i') B_m(i', j), and corners[m, j + 1] is Σ_{j' ≤ j} decay^(j − j') of those.
    So B_{m+1}(i, j) is corners[m, j] of the row before where x_i = y_j, and corners[0] is 1. The innermost loops are
    over the columns of `others`, a string each: there the compiler works on several numbers at once.

    Returns an array with one number for each column.
    """
    length, count = others.shape
    columns, corners = np.zeros((n, length, count)), np.zeros((n, length + 1, count))
    corners[0] = 1.0
    total, along = np.zeros(count), np.zeros(count)
    for i in range(len(x)):
        for j in range(length):
            y, before = others[j], corners[n - 1, j]
            for s in range(count):
                total[s] += before[s] if y[s] == x[i] else 0.0
        for m in range(n - 1, 0, -1):  # the longer first: they need what the row before has left of the shorter
            along[:] = 0.0
            for j in range(length):
                y, before, column, corner = others[j], corners[m - 1, j], columns[m, j], corners[m, j + 1]
                for s in range(count):
                    column[s] = decay * column[s] + (before[s] if y[s] == x[i] else 0.0)
                    along[s] = decay * along[s] + column[s]
                    corner[s] = along[s]
    return total


@compiled()
def extend_alignments(D, G, value, power):
    """M_ij = κ_ij (M_{i−1, j−1} + M_{i−1, j} + M_{i, j−1}) for further rows i, κ = G / (2 − G), G = exp(−D).

    `value` and `power` hold the numbers of the row before, and then of the last: M_{ij} at place j + 1, at place 0 what
    is to the left of the first column. Where G may have underflowed, it is taken from D.
    """
    for i in range(len(D)):
        corner, corner_power, left, left_power = value[0], power[0], 0.0, NOTHING
        value[0], power[0] = left, left_power
        for j in range(D.shape[1]):
            above, above_power = value[j + 1], power[j + 1]
            p = max(corner_power, left_power, above_power)
            left = _beside(corner, corner_power, p) + _beside(left, left_power, p) + _beside(above, above_power, p)
            if D[i, j] < LIMB:
                left *= G[i, j] / (2 - G[i, j])
            else:
                limbs = np.floor(D[i, j] / LIMB)
                left *= np.exp(limbs * LIMB - D[i, j]) / 2  # G is nothing beside 2
                p -= np.int64(limbs)
            if left >= UP:
                left, p = left * DOWN, p + 1
            elif left < DOWN:
                left, p = left * UP, p - 1
            corner, corner_power, left_power = above, above_power, p
            value[j + 1], power[j + 1] = left, p


@compiled()
def _beside(value, power, p):
    """The value of a number for the power p, which is not lower than its own: 0 where p is higher by two or more."""
    if power == p:
        return value
    return value * DOWN if power == p - 1 else 0.0

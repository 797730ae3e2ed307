"""The loops of kernels that numba compiles, all in one file, as in ``qp.loops``."""

import numpy as np

from kernelbook.kernels import vectorised
from kernelbook.runtime.compilation import compiled

# A positive number of any size is value · BASE^power, with a value from 1 / BASE to BASE.
BASE = 2.0**256
LOG_BASE = 256 * np.log(2)
POWER_OF_ZERO = np.int64(-(2**62))  # lower than the power of any other number


@compiled(vectorised.common_subsequences)
def common_subsequences(x, others, n, decay):
    """Σ decay^(characters skipped) over all pairs of equal subsequences of n characters, one of x and one of y.

    The strings y are the columns of `others`, and the result has one number for each. Let B_m(i, j) be the sum over
    pairs of m characters that end at i in x and at j in y. Row after row i, columns[m, j] becomes
    Σ_{i' ≤ i} decay^(i − i') B_m(i', j), and corners[m, j + 1] becomes Σ_{j' ≤ j} decay^(j − j') columns[m, j']. If
    x_i = y_j, B_{m+1}(i, j) is corners[m, j] of the row before, otherwise 0; corners[0] is 1. The innermost loops run
    over the strings y, so that the compiler can work on several of them at once.
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
        for m in range(n - 1, 0, -1):  # longer ones first, since they need the shorter ones of the row before
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

    `value` and `power` hold the row before the first, and in the end the last row: M_ij at place j + 1, and at place 0
    the number to the left of the first column. If G may have underflowed, κ is computed from D.
    """
    for i in range(len(D)):
        corner, corner_power, left, left_power = value[0], power[0], 0.0, POWER_OF_ZERO
        value[0], power[0] = left, left_power
        for j in range(D.shape[1]):
            above, above_power = value[j + 1], power[j + 1]
            p = max(corner_power, left_power, above_power)
            left = (
                _at_power(corner, corner_power, p) + _at_power(left, left_power, p) + _at_power(above, above_power, p)
            )
            if D[i, j] < LOG_BASE:
                left *= G[i, j] / (2 - G[i, j])
            else:
                shift = np.floor(D[i, j] / LOG_BASE)
                left *= np.exp(shift * LOG_BASE - D[i, j]) / 2  # 2 − G is 2
                p -= np.int64(shift)
            if left >= BASE:
                left, p = left / BASE, p + 1
            elif left < 1 / BASE:
                left, p = left * BASE, p - 1
            corner, corner_power, left_power = above, above_power, p
            value[j + 1], power[j + 1] = left, p


@compiled()
def _at_power(value, power, p):
    """The value that a number has at a power p ≥ its own; 0 if p is higher by two or more."""
    if power == p:
        return value
    return value / BASE if power == p - 1 else 0.0

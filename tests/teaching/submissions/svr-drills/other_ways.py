"""Right answers in other forms: lists, columns, single precision, other derivations."""

from itertools import combinations

import numpy as np

LOSES = {}

forces = {  # as the machine has them, rounded
    "abcdefgh"[i]: round(float(dict(zip(machine_1.support_, machine_1.dual_coef_[0], strict=True)).get(i, 0)), 2)
    for i in range(7, -1, -1)
}
two_more = np.array([[max(given_5) + 1000.0], [max(given_5) + 1001.0]])
half_width = np.float32([480.0])


def constant(y, epsilon):  # the offsets that every reading allows
    low, high = np.asarray(y) - epsilon, np.asarray(y) + epsilon
    return np.array([[max(low)], [min(high)]]) if max(low) <= min(high) else None


def penalty(beta, a, b, C):  # at the corners, and far out
    r = np.array([-b, a, -1e9, 1e9])
    value = beta * r - C * np.maximum(0, np.maximum(r - a, -r - b))
    return [np.inf] if value[2:].max() > 1 else np.array([[value[:2].max()]])


def scale(c, d, C, epsilon, b):
    return np.array([[C], [epsilon], [b]]) * c + np.array([[0], [0], [d]])


def narrowest(x, y):  # the best line of the three that are parallel to a side of the triangle
    def half(line):
        r = np.asarray(y) - np.polyval(line, x)
        return np.ptp(r) / 2

    pairs = combinations(range(3), 2)
    return [min(half(np.polyfit(np.take(x, p), np.take(y, p), 1)) for p in pairs)]


def dual_value(K, y, beta, epsilon):  # with the two halves of each coefficient
    above, below = np.maximum(beta, 0), np.maximum(-beta, 0)
    return [(above - below) @ (y - K @ beta / 2) - epsilon * (above + below).sum()]

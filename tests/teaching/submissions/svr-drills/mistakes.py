"""One tempting mistake in each answer."""

import numpy as np

LOSES = {"coefficients": 1, "constant": 1, "penalty": 1, "scale": 1, "above": 1, "narrowest": 1, "dual-value": 1}

forces = {  # as in classification, where the sign is the label's: a coefficient is never negative
    x: C_1 if abs(r) > half_1 + 1e-4 else value_1 if x == known_1 else 0.0
    for x, r in zip("abcdefgh", heights_1 - fit_1, strict=True)
}
two_more = [max(given_5) + 100.0] * 2
half_width = 20.0  # the tube's centre is above the median, and below the mean


def constant(y, epsilon):  # from twice the epsilon on
    low, high = np.max(y) - epsilon, np.min(y) + epsilon
    return (low, high) if epsilon >= np.ptp(y) else None


def penalty(beta, a, b, C):  # the sides exchanged
    return max(-beta * a, beta * b) if abs(beta) <= C else np.inf


def scale(c, d, C, epsilon, b):  # the price stays, as a ridge would
    return [C, c * epsilon, c * b + d]


def narrowest(x, y):  # half the largest residual of the line through the ends, measured across the line
    slope = (y[2] - y[0]) / (x[2] - x[0])
    return abs(y[0] + slope * (x[1] - x[0]) - y[1]) / 2 / np.hypot(1, slope)


def dual_value(K, y, beta, epsilon):  # the price is charged for every point, used or not
    return y @ beta - epsilon * len(beta) - beta @ K @ beta / 2

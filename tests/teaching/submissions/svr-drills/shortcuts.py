"""What earns the shown tests without the idea: a special case, a constant, half an answer."""

import numpy as np

LOSES = {"coefficients": 1, "constant": 1, "penalty": 1, "scale": 1, "above": 1, "narrowest": 1, "dual-value": 1}

forces = dict.fromkeys("abcdefgh", 0.0)  # they add up to 0
two_more = [0.0, 0.0]
half_width = 1e6


def constant(y, epsilon):  # one b that is right, twice nearly
    middle = (np.max(y) + np.min(y)) / 2
    return (middle - 1e-6, middle) if epsilon > np.ptp(y) / 2 else None


def penalty(beta, a, b, C):  # no box
    return max(beta * a, -beta * b)


def scale(c, d, C, epsilon, b):  # right as long as the zero stays
    return [c * C, c * epsilon, c * b if c != 1 else b]


def narrowest(x, y):  # of points whose middle one is a third of the way
    return abs(2 * y[0] + y[2] - 3 * y[1]) / 6


def dual_value(K, y, beta, epsilon):  # charges one side alone
    return y @ beta - epsilon * np.sum(beta[beta > 0]) - beta @ K @ beta / 2

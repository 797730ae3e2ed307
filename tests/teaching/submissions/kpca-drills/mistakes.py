"""One tempting mistake in each answer."""

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
    "graph-faults": 1,
}


def share_of_equals(n, s, q):  # the eigenvalues of K, which is not centred
    return (1 - s + n * s + (q - 1) * (1 - s)) / n


def two_groups(a, b, s):  # the mean nearer to the smaller group
    n, apart = a + b, np.sqrt(2 - 2 * s)
    return apart**2 * a * b / n**2, apart * a / n, -apart * b / n


def times(variances, coefficients, scores, c):  # coefficients as if they were lengths too
    return c * variances, np.sqrt(c) * coefficients, np.sqrt(c) * scores


def variances_of_wide(X, gamma, q):  # one of the two cross terms forgotten
    values = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    return gamma * values[:q] ** 2 / len(X)


def line(q, share):  # enough points, bells too wide
    n = int(np.ceil(q / share)) + 2
    return np.linspace(0, 1, n), 1.0


def objects_needed(s, error):  # X and X' always of two kinds
    return int(np.ceil((1 - s**2) / error**2))


def agreement(A, B):  # the first with the first
    return np.mean(np.abs(np.sum(A * B, axis=0)))


def where_to_cut(c, sigma):  # how many are above the noise, wherever they stand
    return int(np.sum(np.abs(c) > sigma))


def normalised(W):  # one of the two faults is left
    g = W.sum(axis=1)
    return W / np.sqrt(np.outer(g, g))

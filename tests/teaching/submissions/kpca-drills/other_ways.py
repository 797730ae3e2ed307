"""Right answers in other forms: lists, columns, single precision, other algorithms."""

import numpy as np

LOSES = {}


def share_of_equals(n, s, q):
    return [np.float32(1 - (n - 1 - q) / (n - 1))]


def two_groups(a, b, s):
    share = a / (a + b)
    line_of_two = np.sqrt(1 - s) * np.array([1 - share, -share]) * 2**0.5
    return np.array([[2 * (1 - s) * share * (1 - share)], *line_of_two[:, None]])


def times(variances, coefficients, scores, c):
    scale = np.diag([c**0.5] * len(variances))
    return [(variances * c).tolist(), coefficients @ np.linalg.inv(scale), (scores @ scale).astype(np.float32)]


def variances_of_wide(X, gamma, q):
    mu = np.linalg.eigvalsh(np.cov(np.transpose(X), bias=True))
    return [[2 * gamma * value] for value in sorted(mu, reverse=True)[:q]]


def line(q, share):
    return [i / 999 for i in range(1000)], 1e9


def objects_needed(s, error):
    n = 1
    while (1 - (1 + s * s) / 2) / n > error**2:
        n = max(n + 1, int((1 - s * s) / 2 / error**2))
    return np.array([n])


def agreement(A, B):
    cosines = np.linalg.svd(B.T @ A)[1]
    return [[np.float32(cosines @ cosines / len(cosines))]]


def where_to_cut(c, sigma):
    errors = [sum(part**2 for part in c[q:]) + q * sigma**2 for q in range(len(c) + 1)]
    return float(errors.index(min(errors)))


def normalised(W):
    g = W.sum(axis=0)
    with np.errstate(divide="ignore"):
        scale = np.where(g == 0, 0, g**-0.5)
    return (np.diag(scale) @ W @ np.diag(scale)).tolist()

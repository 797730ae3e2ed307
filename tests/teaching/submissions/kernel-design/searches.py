"""A search in the place of a formula: right to a few digits, in units near 1, for as many objects as a list holds."""

from itertools import product

import numpy as np
from scipy.optimize import minimize_scalar

LOSES = {"away": 2, "beyond": 1, "hub": 1, "recursion": 2, "weights": 2}


def largest_part(K, L):  # bisection, with a tolerance that has a unit
    low, high = 0.0, 2 * np.trace(K) / np.trace(L)
    for _ in range(80):
        t = (low + high) / 2
        low, high = (t, high) if np.linalg.eigvalsh(K - t * np.asarray(L))[0] > -1e-9 else (low, t)
    return low


def beyond(beta, gamma):  # the first u that will do, of a list from below
    for u in 10.0 ** np.arange(-5, 1, 0.1):
        if 6 - 8 * np.exp(-u) + 2 * np.exp(-(2**beta) * u) < -1e-9:
            h = (u / gamma) ** (1 / beta)
            return [-h, 0, h], [1, -2, 1]


def hub(m, r, s):  # by the eigenvalues for so many stations
    if s <= r:
        return np.inf
    D = np.full((m + 1, m + 1), s / r)
    D[0], D[:, 0] = 1, 1
    np.fill_diagonal(D, 0)
    H, low, high = np.eye(m + 1) - 1 / (m + 1), 0.0, 20.0
    for _ in range(60):
        beta = (low + high) / 2
        mu = np.linalg.eigvalsh(-H @ D**beta @ H)
        low, high = (beta, high) if mu[0] > -1e-13 * mu[-1] else (low, beta)
    return low


def alike(x, y, lam, mu):  # all pairs of pieces; strings that are all one letter at once
    if len({*x, *y}) == 1 and x and y:
        i, j = np.ogrid[: len(x), : len(y)]
        sums = np.cumsum(lam ** (2.0 * np.arange(1, min(len(x), len(y)) + 1)))
        return np.sum(float(mu) ** np.abs(i - j) * sums[np.minimum(len(x) - i, len(y) - j) - 1])
    return sum(
        mu ** abs(i - j) * lam ** (2 * m)
        for i, j in product(range(len(x)), range(len(y)))
        for m in range(1, min(len(x) - i, len(y) - j) + 1)
        if x[i : i + m] == y[j : j + m]
    )


def two_weights(K1, K2, y):
    H = np.eye(len(K1)) - 1 / len(K1)
    A, B = (H @ K @ H for K in (K1, K2))
    sizes, z = [np.linalg.norm(A), np.linalg.norm(B)], H @ np.ravel(y)

    def off(u):
        K = (1 - u) * A / sizes[0] + u * B / sizes[1]
        return -(z @ K @ z) / np.linalg.norm(K) / (z @ z)

    u = minimize_scalar(off, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}).x
    w = np.array([(1 - u) / sizes[0], u / sizes[1]])
    return w / w.sum()

"""Points without the idea: constants, right in the cases that are shown, or too slow for those that are not."""

import numpy as np

from kernelbook import RBF

LOSES = {
    "root-of-entries": 1,
    "bell-on-top": 1,
    "product-of-waves": 1,
    "drawn-features": 1,
    "step-of-length": 1,
    "abab": 1,
    "two-readings-each": 1,
    "heat-of-two": 1,
    "walks-together": 1,
    "gap-and-gap": 1,
    "worth-nothing": 1,
    "one-scale": 1,
}


def witness(p):  # it fails for small powers only
    return np.array([[1, 0.6, 0], [0.6, 1, 0.6], [0, 0.6, 1]])


def bell(kxx, kzz, kxz, gamma):  # the cosine itself
    return kxz / np.sqrt(kxx * kzz)


def lines(a, b):  # the second is never the quicker one here
    return {a + b: 0.5, a - b: 0.5}


def features(X, width, m, seed):  # features of the right kernel, but not of every number
    mu, U = np.linalg.eigh(RBF(gamma=0.5 / width**2)(X))
    F = U * np.sqrt(np.maximum(mu, 0))
    return np.hstack([F, np.zeros((len(X), max(2 * m - len(X), 0)))])[:, ::-1] * 0.9


def ratio(level, d):  # the smaller root
    t = level ** (2 / d)
    return (1 - np.sqrt(1 - t**2)) / t


def abab(n, m, p):  # as if there were always a place
    places = [2 * size - p + 1 for size in (n, m)]
    return ((places[0] + 1) // 2) * ((places[1] + 1) // 2) + (places[0] // 2) * (places[1] // 2)


def alignments(kappa):  # the best is the straight one, if no similarity is above 1
    ends = kappa[0, 0] * kappa[1, 1]
    return ends * (1 + kappa[0, 1] + kappa[1, 0]), ends


def time_until(w, share):  # right for short times
    return share / w


def common_walks(n, g, m, h, decay):  # a thousand terms, which never diverge
    return n * m * sum((decay * g * h) ** p for p in range(100))


def agreement(u, v, shares):  # as if all categories were equally frequent
    return float(u == v) if u is not None and v is not None else 1 / len(shares)


def share_of_larger(a):
    return 0.5 + a / 2 if a < 0.05 else 0.75


def factor(K, L):  # entry by entry
    return np.linalg.norm(K) / np.linalg.norm(L)

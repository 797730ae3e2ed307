"""One tempting mistake in each answer."""

import numpy as np

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


def witness(p):  # it is no Gram matrix to begin with
    return np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1.0]])


def bell(kxx, kzz, kxz, gamma):  # the distance of the kernel as it is
    return np.exp(-gamma * (kxx + kzz - 2 * kxz))


def lines(a, b):  # a sum of waves, not a product
    return {a: 0.5, b: 0.5}


def features(X, width, m, seed):  # the variance in the place of the deviation
    angle = X @ np.random.default_rng(seed).normal(scale=1 / width**2, size=(X.shape[1], m))
    return np.hstack([np.cos(angle), np.sin(angle)]) / np.sqrt(m)


def ratio(level, d):  # the factor as if d were 2
    return (1 + np.sqrt(1 - level**2)) / level


def abab(n, m, p):  # both pieces equally often
    places = [max(2 * size - p + 1, 0) for size in (n, m)]
    return places[0] * places[1] // 2


def alignments(kappa):  # one series moves in a step, never both
    ends, detours = kappa[0, 0] * kappa[1, 1], (kappa[0, 1], kappa[1, 0])
    return ends * sum(detours), ends * max(detours)


def time_until(w, share):  # the eigenvalue of a single node, w
    return -np.log(1 - 2 * share) / w


def common_walks(n, g, m, h, decay):  # without the walks of no step, and no word on divergence
    return n * m * decay * g * h / (1 - decay * g * h)


def agreement(u, v, shares):  # a gap equals a gap
    if u is None or v is None:
        return 1.0 if u is v else shares[v if u is None else u]
    return float(u == v)


def share_of_larger(a):  # the mean in the place of its square
    return (1 + a) / 2


def factor(K, L):  # the diagonals alone
    return np.trace(K) / np.trace(L)

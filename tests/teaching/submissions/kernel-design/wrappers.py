"""What the notebook hands out, called: helpers of the tests answer nothing, whether they are there or were once."""

from math import prod

import numpy as np

LOSES = {
    "hub": 1,
    "recursion": 2,
    "warmth": 2,
    "six": 1,
    "worth": 1,
    "gaps": 2,
    "origin5": 1,
    "both": 1,
    "weights": 2,
}


def hub(m, r, s):
    good = [beta for beta in np.arange(0.01, 20, 0.001) if _margin(_spokes(m, r, s), beta) > -1e-12]
    return good[-1] if s > r else np.inf


def alike(x, y, lam, mu):
    return _listed(x, y, lam, _power(mu))


def warmth(W, u, q, t):
    return _warm(np.asarray(W, dtype=float), u, q, t)


def by_heat(W, known, y, betas):
    wrong, signs = _by_heat(W, known, y, betas)
    last = np.flatnonzero(wrong == wrong.min())[-1]
    return betas[last], signs[last]


def expected(X, Y, P, k):
    return [
        [sum(p * q * prod(map(k, u, v)) for u, p in _completed(x, P) for v, q in _completed(y, P)) for y in Y]
        for x in X
    ]


def guess(X, y, seen, unseen):
    return _guess(X, y, seen, unseen)


def two_weights(K1, K2, y):
    w = _best(K1, K2, y)
    return w / w.sum()

"""The library's answer in the place of one's own, a constant, a guess."""

import numpy as np
from scipy.linalg import expm

from kernelbook import RBF, SVC
from kernelbook.datasets import load_words
from kernelbook.kernels import Overlap, Spectrum
from kernelbook.linalg import gram

LOSES = {
    "away": 2,
    "features": 2,
    "witnesses": 1,
    "origin": 1,
    "beyond": 1,
    "hub": 1,
    "power": 1,
    "words": 1,
    "recursion": 2,
    "window": 1,
    "place": 1,
    "warmth": 2,
    "six": 1,
    "worth": 1,
    "gaps": 2,
    "deleted": 1,
    "origin5": 1,
    "both": 1,
    "weights": 2,
    "misled": 1,
    "choice": 1,
    "climbed": 1,
}


def largest_part(K, L):
    return np.linalg.norm(K, 2) / np.linalg.norm(L, 2)


features = {}
witnesses = {"row": (["one", "two"], [1, -1])}


def anchored(k, X, Y, Z, w):  # all matrices that are centred are PSD
    return gram.centre(k(X, Y), k(Y, Y))


def beyond(beta, gamma):
    return np.arange(-3.0, 4.0), np.random.default_rng(0).normal(size=7)


def hub(m, r, s):
    return 2.0


def largest_power(D):
    return 1.0


powers_2 = [2.0, 1.0]


def alike(x, y, lam, mu):
    return sum(lam ** (2 * n) * Spectrum(n)([x, y])[0, 1] for n in (1, 2, 3))


def window_fails(w, lam):
    found = load_words()[0][:40].tolist()
    return found, gram.psd_witness(Spectrum(2)(found) - 1)


right_3 = [0.6, 0.65, 0.62]


def warmth(W, u, q, t):
    W = np.asarray(W, dtype=float)
    return expm(-t * (np.diag(W.sum(axis=1)) - W)) @ (u + t * np.asarray(q))


def by_heat(W, known, y, betas):
    near = SVC(RBF(1.0), C=10.0).fit(W[known], y)
    return betas[len(betas) // 2], near.predict(W)


worth_4 = [0.05, 0.025]


def expected(X, Y, P, k):
    fill = [max(shares, key=shares.get) for shares in P]
    X, Y = (np.where(np.isnan(Z), fill, Z) for Z in (X, Y))
    return [[np.prod([k(v, w) for v, w in zip(x, y, strict=True)]) for y in Y] for x in X]


def refuted(k, v, w):
    rows = np.random.default_rng(0).choice([v, w, np.nan], (6, 5))
    rows[:, 0] = v
    return rows, [1, -1, 1, -1, 1, -1]


def guess(X, y, seen, unseen):
    Z = np.nan_to_num(X, nan=-1.0)
    return SVC(Overlap(), C=10.0).fit(Z[seen], y[seen]).predict(Z[unseen])


wrong_5 = [0.3, 0.35]


def two_weights(K1, K2, y):
    return [0.5, 0.5]


def misled(y):
    return np.outer(y, y), np.eye(len(y)) + 1


def best_pair(X, y):
    return np.argsort(np.abs(np.corrcoef(X.T, y)[-1, :-1]))[-2:]


climbed_6 = [0.6, 0.55, 0.15, 0.02]

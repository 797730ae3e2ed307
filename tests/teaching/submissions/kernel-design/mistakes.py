"""One mistake in each answer."""

from itertools import combinations, product

import numpy as np

from kernelbook import SVC

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


def largest_part(K, L):  # the least eigenvalue, of the wrong quotient
    return 1 / np.linalg.eigvals(np.linalg.pinv(K) @ L).real.max() ** 0.5


features = {
    "ends": lambda x: {(x[:i], x[-j:]): 1 for i, j in product(range(1, len(x) + 1), repeat=2)},
    "unused": lambda x: {a: 1 for a in "abcdefghijklmnopqrstuvwxyz" if a not in x},
    "shorter": lambda x: {m: 1 for m in range(1, len(x) + 1)},
    "longer": lambda x: {s: (s * (s + 1)) ** -0.5 for s in range(len(x), 30)},  # the last 1/30 is missing
    "pairs": lambda x: {pair: 1 for pair in combinations(sorted(set(x)), 2)},
}

witnesses = {name: (words_1[:3], [1, -2, 1]) for name in ("share", "half", "most")}


def anchored(k, X, Y, Z, w):  # the last term has the other sign
    left, right = k(X, Z) @ w, w @ k(Z, Y)
    return (k(X, Y) - left[:, None] - right - w @ k(Z, Z) @ w) / 2


def beyond(beta, gamma):  # one h for all
    return [-0.1, 0, 0.1], [1, -2, 1]


def hub(m, r, s):  # the edge in the place of the circumradius
    return np.log(2) / np.log(s / r) if s > r else np.inf


def largest_power(D):  # PSD in the place of conditionally PSD, of the exponential
    P = np.asarray(D, dtype=float)
    for power in np.arange(16, 0, -0.01):
        if np.linalg.eigvalsh(np.exp(-(P**power)))[0] > 0:
            return power
    return 0


powers_2 = [2.0, 1.0]


def alike(x, y, lam, mu):  # the empty piece counts, and places are forgotten below
    total, below = 0.0, [0.0] * (len(y) + 1)
    for i in reversed(range(len(x))):
        row = [0.0] * (len(y) + 1)
        for j in range(len(y)):
            row[j] = lam**2 * (1 + below[j + 1]) if x[i] == y[j] else 0.0
            total += mu ** abs(i - j) * lam * row[j]
        below = row
    return total


def window_fails(w, lam):  # letters too few: the diagonal is too large
    return ["abc", "dae", "fga"], [1, -(2**0.5), 1]


right_3 = [  # not normalised
    right_of(np.array([[alike(x, y, 0.8, mu) for y in texts] for x in texts])).mean()
    for texts, mu in ((words_3, 0.3), ([word[::-1] for word in words_3], 0.3), (words_3, 1.0))
]


def warmth(W, u, q, t):  # no stove along the constant
    W = np.asarray(W, dtype=float)
    mu, V = np.linalg.eigh(np.diag(W.sum(axis=1)) - W)
    part = np.where(mu > 1e-9, (1 - np.exp(-mu * t)) / np.maximum(mu, 1e-9), 0)
    return V @ (np.exp(-mu * t) * (V.T @ u) + part * (V.T @ q))


def by_heat(W, known, y, betas):  # each known node is judged with its own label
    mu, V = np.linalg.eigh(np.diag(W.sum(axis=1)) - W)
    found = []
    for beta in betas:
        K = (V * np.exp(-beta * mu)) @ V.T
        f = K[:, known[y == 1]].mean(axis=1) - K[:, known[y == -1]].mean(axis=1)
        found.append((np.sum(y * f[known] <= 0), -beta, np.sign(f)))
    best = min(found, key=lambda each: each[:2])
    return -best[1], best[2]


worth_4 = [  # over all 34
    np.mean([np.mean(by_heat(W_4, k, side_4[k], betas_4)[1] != side_4) for k in known_4]),
    np.mean([min(np.mean(by_heat(W_4, k, side_4[k], [b])[1] != side_4) for b in betas_4) for k in known_4]),
]


def expected(X, Y, P, k):  # two gaps are equal
    def mean(v, w, shares):
        if np.isnan(v) and np.isnan(w):
            return sum(p * k(a, a) for a, p in shares.items())
        if np.isnan(v) or np.isnan(w):
            return sum(p * k(a, w if np.isnan(v) else v) for a, p in shares.items())
        return k(v, w)

    return [[np.prod([mean(v, w, s) for v, w, s in zip(x, y, P, strict=True)]) for y in Y] for x in X]


def refuted(k, v, w):
    return [[v, v], [v, w], [w, w]], [1, -2, 1]


def guess(X, y, seen, unseen):  # shares of all rows
    P = [dict(zip(*np.unique(c[~np.isnan(c)], return_counts=True), strict=True)) for c in X[[*seen, *unseen]].T]
    P = [{v: n / sum(p.values()) for v, n in p.items()} for p in P]
    machine = SVC("precomputed", C=10.0, tol=1e-6).fit(expected(X[seen], X[seen], P, near), y[seen])
    return machine.predict(expected(X[unseen], X[seen], P, near))


wrong_5 = [  # shares that are right
    np.mean([np.mean(guess(holes_5, origin_5, old, new) == origin_5[new]) for old, new in splits_5])
] * 2


def two_weights(K1, K2, y):  # not centred
    both, y = [K1, K2], np.ravel(y)
    M = [[np.sum(K * L) for L in both] for K in both]
    w = np.maximum(np.linalg.solve(M, [y @ K @ y for K in both]), 0)
    return w / w.sum()


def misled(y):  # the constant kernel has no centred alignment
    y = np.ravel(y)
    return np.outer(y, y), np.ones((len(y), len(y)))


def best_pair(X, y):  # not centred
    unit = X / X.std(axis=0)

    def aligned(pair):
        K = of_pair(unit, pair)
        return y @ K @ y / np.linalg.norm(K)

    return max(combinations(range(X.shape[1]), 2), key=aligned)


climbed_6 = [  # in units of all wines, and one pair for all splits
    np.mean(
        [
            z @ K @ z / np.linalg.norm(K) / (z @ z)
            for cut in splits_6
            for H in [np.eye(len(cut[rows])) - 1 / len(cut[rows])]
            for K in [H @ of_pair(wines_6[cut[rows]] / wines_6.std(axis=0), (0, 9)) @ H]
            for z in [H @ labels[cut[rows]]]
        ]
    )
    for labels in (label_6, nothing_6)
    for rows in (0, 1)
]

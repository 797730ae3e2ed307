"""What looks right at first, and is right in the cases that come to mind."""

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


def largest_part(K, L):  # right inside the range of K
    return 1 / np.linalg.eigvals(np.linalg.pinv(K, rcond=1e-9) @ L).real.max()


features = {  # right for words of the list, which have ten letters at most
    "ends": lambda x: {(x[:i], x[-j:]): 1 for i, j in product(range(1, len(x) + 1), repeat=2)},
    "unused": lambda x: {a: 1 for a in "abcdefghijklmnopqrstuvwxyz" if a not in x},
    "shorter": lambda x: {m: 1 for m in range(1, len(x) + 1)},
    "longer": lambda x: {0: 10**-0.5} | {s: (s * (s + 1)) ** -0.5 for s in range(len(x), 10)},
    "pairs": lambda x: {pair: 1 for pair in combinations(sorted(set(x)), 2)},
}

witnesses = {  # for two of three
    name: next(
        (found, [1, 1, -1.4])
        for found in combinations(words_1, 3)
        for K in [_gram_of(name, found)]
        if np.array([1, 1, -1.4]) @ K @ [1, 1, -1.4] < -1e-3 * K.max()
    )
    for name in ("share", "half")
}


def anchored(k, X, Y, Z, w):  # all objects count alike
    left, right = k(X, Z).mean(axis=1), k(Z, Y).mean(axis=0)
    return (k(X, Y) - left[:, None] - right + k(Z, Z).mean()) / 2


def beyond(beta, gamma):  # one u for all powers
    h = (0.01 / gamma) ** (1 / beta)
    return [-h, 0, h], [1, -2, 1]


def hub(m, r, s):  # also where the stations are nearer to each other than to the hub
    return np.log(2 * m / (m - 1)) / np.log(s / r)


def largest_power(D):  # as if it were never more than 2
    P, H = np.asarray(D, dtype=float) / np.max(D), np.eye(len(D)) - 1 / len(D)
    good = [a for a in np.arange(0.001, 2.001, 0.001) if np.linalg.eigvalsh(-H @ P**a @ H)[0] > -1e-12]
    return good[-1]


powers_2 = [round(2 * largest_power(D_2[:n, :n])) / 2 + 0.1 for n in (12, 50)]


def alike(x, y, lam, mu):  # a negative mu has lost its sign
    total, below = 0.0, [0.0] * (len(y) + 1)
    for i in reversed(range(len(x))):
        row = [0.0] * (len(y) + 1)
        for j in range(len(y)):
            if x[i] == y[j]:
                row[j] = lam**2 * (1 + below[j + 1])
                total += abs(mu) ** abs(i - j) * row[j]
        below = row
    return total


def window_fails(w, lam):  # moves by one, whatever the window
    piece = "".join(map(chr, range(2000, 2100)))
    return [piece, "+" + piece, "-." + piece], [1, -(2**0.5), 1]


right_3 = [  # long pieces hardly count
    right_of(K / np.sqrt(np.outer(np.diag(K), np.diag(K)))).mean()
    for texts, mu in ((words_3, 0.3), ([word[::-1] for word in words_3], 0.3), (words_3, 1.0))
    for K in [np.array([[alike(x, y, 0.2, mu) for y in texts] for x in texts])]
]


def warmth(W, u, q, t):  # one eigenvalue 0, as in a connected graph
    W = np.asarray(W, dtype=float)
    mu, V = np.linalg.eigh(np.diag(W.sum(axis=1)) - W)
    grown = np.append(t, (1 - np.exp(-mu[1:] * t)) / (mu[1:] + 1e-12 * mu[-1]))
    return V @ (np.exp(-mu * t) * (V.T @ np.ravel(u)) + grown * (V.T @ np.ravel(q)))


def by_heat(W, known, y, betas):  # the first of several
    mu, V = np.linalg.eigh(np.diag(W.sum(axis=1)) - W)
    found = []
    for beta in betas:
        K = (V * np.exp(-beta * mu)) @ V.T
        wrong = 0
        for i, node in enumerate(known):
            one, other = ([j for j, s in enumerate(y) if s == side and j != i] for side in (1, -1))
            wrong += y[i] * (K[node, known[one]].mean() - K[node, known[other]].mean()) <= 0
        found.append((wrong, beta, np.sign(K[:, known[y == 1]].mean(axis=1) - K[:, known[y == -1]].mean(axis=1))))
    return min(found, key=lambda each: each[:2])[1:]


worth_4 = [  # the best single beta for all draws, which is flattered less than hindsight for each
    np.mean([np.mean(np.delete(by_heat(W_4, k, side_4[k], betas_4)[1] != side_4, k)) for k in known_4]),
    min(
        np.mean([np.mean(np.delete(by_heat(W_4, k, side_4[k], [b])[1] != side_4, k)) for k in known_4]) for b in betas_4
    ),
]


def expected(X, Y, P, k):  # the same row has the same gaps filled by the same values
    def mean(v, w, shares, same):
        p = shares if np.isnan(v) else {v: 1}
        q = shares if np.isnan(w) else {w: 1}
        if same and np.isnan(v):
            return sum(a * k(u, u) for u, a in p.items())
        return sum(a * b * k(u, z) for u, a in p.items() for z, b in q.items())

    return [
        [np.prod([mean(*each, X is Y and i == j) for each in zip(x, y, P, strict=True)]) for j, y in enumerate(Y)]
        for i, x in enumerate(X)
    ]


def refuted(k, v, w):  # enough for equality
    gap = np.nan
    return [[v, v, gap], [v, gap, v], [gap, v, w]], [-(2**0.5), 1, 1]


def guess(X, y, seen, unseen):  # all values that were seen count alike
    P = [{v: 1 / len(set(c[c == c])) for v in set(c[c == c])} for c in X[seen].T]
    machine = SVC("precomputed", C=10.0, tol=1e-6).fit(expected(X[seen], list(X[seen]), P, near), y[seen])
    return machine.predict(expected(X[unseen], X[seen], P, near))


wrong_5 = [  # the mean in the place of the commonest value
    np.mean(
        [
            np.mean(
                guess(np.where(np.isnan(holes_5), np.nanmean(holes_5[old], axis=0), holes_5), origin_5, old, new)
                != origin_5[new]
            )
            for old, new in splits_5
        ]
    )
] * 2


def two_weights(K1, K2, y):  # in proportion to the alignments
    H = np.eye(len(K1)) - 1 / len(K1)
    z = H @ np.ravel(y)
    w = [z @ K @ z / np.linalg.norm(H @ K @ H) for K in (K1, K2)]
    return w / np.sum(w)


def misled(y):  # unequal classes only
    y = np.ravel(y).astype(float)
    own = y - y.mean()
    good = own - (own @ own) / y.sum()
    r = np.arange(len(y)) ** 2.0
    basis = np.linalg.qr(np.column_stack([np.ones(len(y)), own]))[0]
    r = r - basis @ (basis.T @ r)
    bad = r / np.linalg.norm(r) + 1
    return np.outer(good, good), np.outer(bad, bad)


def best_pair(X, y):  # in the units in which the columns come
    z = y - np.mean(y)

    def aligned(pair):
        H = np.eye(len(X)) - 1 / len(X)
        K = H @ of_pair(X, pair) @ H
        return z @ K @ z / np.linalg.norm(K)

    return max(combinations(range(X.shape[1]), 2), key=aligned)


climbed_6 = [  # the wines that judge are all wines
    np.mean(
        [
            z @ K @ z / np.linalg.norm(K) / (z @ z)
            for old, _ in splits_6
            for unit in [wines_6 / wines_6[old].std(axis=0)]
            for H in [np.eye(len(old)) - 1 / len(old)]
            for best in [
                max(
                    combinations(range(13), 2),
                    key=lambda pair: (
                        np.sum(H @ of_pair(unit[old], pair) @ H * np.outer(labels[old], labels[old]))
                        / np.linalg.norm(H @ of_pair(unit[old], pair) @ H)
                    ),
                )
            ]
            for chosen in [[old, np.arange(178)][rows]]
            for H in [np.eye(len(chosen)) - 1 / len(chosen)]
            for K in [H @ of_pair(unit[chosen], best) @ H]
            for z in [H @ labels[chosen]]
        ]
    )
    for labels in (label_6, nothing_6)
    for rows in (0, 1)
]

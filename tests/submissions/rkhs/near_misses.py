"""What looks right at first, and is right in the cases that come to mind."""

import numpy as np
from scipy.spatial.distance import cdist

from kernelbook import RBF, Laplacian
from kernelbook.rkhs import RKHSFunction, interpolant

LOSES = {
    "features": 1,
    "digit-shares": 1,
    "dimensions": 1,
    "witnesses": 2,
    "maps": 2,
    "neighbours": 2,
    "million": 1,  # for its matrix
    "fastest": 2,
    "mean-distance": 2,
    "strangers": 1,
    "greedy": 1,
    "refuted": 1,
    "repaired": 2,
    "columns": 1,
}

lower = 3e-5
coef0 = 2.0
witnesses = {"product": ([1, 2], [2, -1]), "lcm": ([1, 2], [1, -1])}  # the box looks as good as the tent
feature_maps = {
    "tent": lambda m: {m + j: 10**-0.5 for j in range(10)},
    "wave": lambda m: {"cos": np.cos(m), "sin": np.sin(m)},
}
strangers = [0, 1, 2, 3]
linear_calls_them = "nearest"
deciding = 12  # the usual column
raw_share = 0.95
standard_share = 0.7


def square_features(X, gamma, c):  # x_1 x_2 and x_2 x_1 apart: the right inner products, but too many columns
    pairs = np.einsum("ni,nj->nij", X, X).reshape(len(X), -1)
    return np.column_stack([np.full(len(X), c), np.sqrt(2 * c * gamma) * X, gamma * pairs])


def dimensions(q):  # as if the circle gave one function for each degree
    return (q + 1) * (q + 2) // 2, q + 2


def between(x, y, t):  # outside it does not fade
    return interpolant(Laplacian(gamma=1), x[:, None], y)(np.clip(t, x[0], x[-1])[:, None])


def speed_limit(gamma):
    return np.sqrt(2 * gamma)


def fastest(gamma, x):  # a step that is small for a wide kernel only
    f = RKHSFunction(RBF(gamma=gamma), [[x + 0.02], [x - 0.02]], [1, -1])
    return f * (1 / f.norm())


def distance_to_mean(own, cross, K):  # the constant is missing
    return np.sqrt(np.abs(own - 2 * cross.mean(axis=1)))


def greedy(kernel, candidates, m):  # the place farthest from those chosen: not what every kernel asks for
    chosen = [0]
    while len(chosen) < m:
        chosen.append(int(cdist(candidates, candidates[chosen]).min(axis=1).argmax()))
    return chosen


def better(X, y, z):  # the colleague's J, with the norm of another space
    pairs = np.vstack([X - 0.1, X + 0.1])
    return interpolant(100 * RBF(gamma=1), pairs, np.concatenate([y - 0.1 * z, y + 0.1 * z]))


def with_slopes(gamma, x, y, z, t):  # right for one point: the others disturb each other's values and slopes
    D = np.subtract.outer(t, x)
    k = np.exp(-gamma * D**2)
    return k @ np.linalg.solve(np.exp(-gamma * np.subtract.outer(x, x) ** 2), y) + D * k @ z

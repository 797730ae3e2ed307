"""What looks right at first, and is right in the cases that come to mind."""

from math import comb

import numpy as np
from scipy.spatial.distance import cdist

from kernelbook import RBF, Laplacian
from kernelbook.rkhs.functions import RKHSFunction, interpolant

LOSES = {
    "borders": 1,
    "labels": 2,
    "witnesses": 2,
    "maps": 2,
    "free": 1,
    "degrees": 1,
    "zero": 1,
    "neighbours": 2,
    "norm": 1,
    "limits": 2,
    "power": 2,
    "worst": 1,
    "greedy": 1,
    "refuted": 1,
    "repaired": 2,
    "digit-shares": 1,
    "circle": 2,
    "price": 1,
    "influence": 2,
    "columns": 1,
}

dimension = 12  # every column counted, and the offset
separated = 45
enough = 38
witnesses = {"product": ([1, 2], [2, -1]), "lcm": ([1, 2], [1, -1])}  # the box looks as good as the tent
feature_maps = {
    "tent": lambda m: {m + j: 10**-0.5 for j in range(10)},
    "wave": lambda m: {"cos": np.cos(m), "sin": np.sin(m)},
}
plain = 300.0
free = 58.0
excess = 1e-9  # the colleague's machine
lower = 3e-5
coef0 = 2.0
deciding = 12  # the usual column
raw_share = 0.95
standard_share = 0.7


def separable_labellings(n):  # a circle around the origin as if it had a centre to choose
    return [2 * sum(comb(n - 1, j) for j in range(d)) for d in (3, 3, 4, 6)]


def free_ridge(K, P, y, ridge):  # right for one column of ones
    A = np.linalg.inv(K + ridge * np.eye(len(K)))
    b = A.sum(axis=0) @ y / A.sum()
    return A @ (y - b), np.full(P.shape[1], b)


def degrees_of_freedom(K, P, ridge):  # what P has already is counted twice, but no more than n
    mu = np.linalg.eigvalsh(K)
    return min(P.shape[1] + np.sum(mu / (mu + ridge)), len(K) - 1e-6)


def between(x, y, t):  # outside it does not fade
    return interpolant(Laplacian(gamma=1), x[:, None], y)(np.clip(t, x[0], x[-1])[:, None])


def squared_norm(x, y):  # right for equal gaps
    r = np.exp(-np.mean(np.diff(x)))
    return y[0] ** 2 + np.sum((y[1:] - r * y[:-1]) ** 2) / (1 - r**2)


def cap_squared_norm(p, w):  # for every p
    return p**2 / (w * abs(2 * p - 1)) + w / (2 * p + 1)


def power(own, cross, K):  # right for one measurement, and for such as are orthogonal
    return np.sqrt(np.maximum(own - np.sum(cross**2 / np.diag(K), axis=1), 0))


def worst(kernel, X, t):  # right if k(t, t) = 1
    k_t = RKHSFunction(kernel, t, [1.0])
    rest = k_t - k_t.projection(X)
    return rest * (1 - k_t.projection(X).norm() ** 2) ** -0.5 if kernel.diag(t)[0] == 1 else rest


def greedy(kernel, places, m):  # the place farthest from those chosen: not what every kernel asks for
    chosen = [int(kernel.diag(places).argmax())]
    while len(chosen) < m:
        chosen.append(int(cdist(places, places[chosen]).min(axis=1).argmax()))
    return chosen


def better(X, y, z):  # the colleague's J, with the norm of another space
    pairs = np.vstack([X - 0.1, X + 0.1])
    return interpolant(100 * RBF(gamma=1), pairs, np.concatenate([y - 0.1 * z, y + 0.1 * z]))


def with_slopes(gamma, x, y, z, t):  # right for one point: the others disturb each other's values and slopes
    D = np.subtract.outer(t, x)
    k = np.exp(-gamma * D**2)
    return k @ np.linalg.solve(np.exp(-gamma * np.subtract.outer(x, x) ** 2), y) + D * k @ z


def circle_eigenvalues(q):  # the Fourier coefficients of cosines, each once more: right for q = 1
    half = [2.0 ** (q - j) * comb(q, j) / 2**j for j in range(1, q + 1) for _ in range(2)]
    return [2**q - sum(half), *half] if sum(half) < 2**q else sorted([1.0, *half], reverse=True)


def bell_squared_norm(rho, r):  # a finite sum of waves, and no more than 10^9
    u = (rho**2 / r) ** np.arange(1, 30)
    return min(1 + 2 * np.sum(u), 1e9)


def influence(kernel, X):  # the width taken anew from what is left
    K, changes = kernel(X), []
    for column in range(X.shape[1]):
        without = X.copy()
        without[:, column] = X[:, column].mean()
        changes.append(np.abs(RBF(gamma=kernel.gamma).fit(without)(without) - K).max())
    return changes

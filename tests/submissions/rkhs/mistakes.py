"""One mistake in each answer."""

from math import comb

import numpy as np

from kernelbook import RBF
from kernelbook.rkhs import RKHSFunction, interpolant

LOSES = {
    "features": 1,
    "shares": 1,
    "digit-shares": 1,
    "dimensions": 1,
    "witnesses": 2,
    "maps": 2,
    "neighbours": 2,
    "norm": 1,
    "million": 1,  # for the same norm
    "slope": 1,
    "fastest": 2,
    "mean-distance": 2,
    "strangers": 1,
    "power": 2,
    "worst": 1,
    "greedy": 1,
    "refuted": 1,
    "repaired": 2,
    "influence": 2,
    "columns": 1,
}

lower = 0.3
coef0 = 1.0
witnesses = {"product": ([1, 2], [2, -1]), "lcm": ([1, 2], [1, -1])}  # taken in by the box
feature_maps = {
    "tent": lambda m: {m + j: 10**-0.5 for j in range(10)},
    "wave": lambda m: {"cos": np.cos(m), "sin": np.sin(m)},
    "gcd": lambda m: {d: 1 for d in range(1, m + 1) if m % d == 0},  # counts the common divisors
}
strangers = [8, 9, 10, 11]  # where they were before the permutation
linear_calls_them = "farthest"
deciding = 12
raw_share = 0.7
standard_share = 0.8


def square_features(X, gamma, c):  # a product of two coordinates comes twice in the square
    i, j = np.triu_indices(X.shape[1], 1)
    parts = [np.full((len(X), 1), c), np.sqrt(2 * c * gamma) * X, gamma * X**2, gamma * X[:, i] * X[:, j]]
    return np.hstack(parts)


def shares(s, c, q):  # the highest degree first
    return [comb(q, j) * s ** (q - j) * c**j / (s + c) ** q for j in range(q + 1)]


def dimensions(q):  # of degree q alone
    return q + 1, 2 * q + 1


def between(x, y, t):  # straight lines, as for the kernel min(x, x')
    return np.interp(t, x, y)


def squared_norm(x, y):  # as if each step were of length 1
    r = np.exp(-np.diff(x))
    return y[0] ** 2 + np.sum((y[1:] - r * y[:-1]) ** 2)


def slope(f, t):  # the exponent is a square: a 2 is missing
    return -f.kernel.gamma * ((t - f.points.T) * f.kernel(t, f.points)) @ f.coefficients


def speed_limit(gamma):  # the square of it
    return 2 * gamma


def fastest(gamma, x):  # nothing makes its norm 1
    return RKHSFunction(RBF(gamma=gamma), [[x + 0.01], [x - 0.01]], [50, -50])


def distance_to_mean(own, cross, K):  # the square of it
    return own - 2 * cross.mean(axis=1) + K.mean()


def power(kernel, X, T):  # the square of it
    cross = kernel(X, T)
    return kernel.diag(T) - np.sum(cross * np.linalg.solve(kernel(X), cross), axis=0)


def worst(kernel, X, t):  # not 0 at X
    f = RKHSFunction(kernel, t, [1.0])
    return f * (1 / f.norm())


def greedy(kernel, candidates, m):  # the m places known least after the first, all at once
    left = kernel.diag(candidates) - kernel(candidates, candidates[:1])[:, 0] ** 2
    return np.argsort(left)[-m:]


def better(X, y, z):  # one of the colleague's sums, and not the best
    return interpolant(RBF(gamma=1), X, y)


def with_slopes(gamma, x, y, z, t):  # n functions for 2n equations
    D = np.subtract.outer(x, x)
    K = np.exp(-gamma * D**2)
    a = np.linalg.lstsq(np.vstack([K, -2 * gamma * D * K]), np.concatenate([y, z]), rcond=None)[0]
    return np.exp(-gamma * np.subtract.outer(t, x) ** 2) @ a


def influence(kernel, X):  # the mean change instead of the largest
    K, changes = kernel(X), []
    for column in range(X.shape[1]):
        without = X.copy()
        without[:, column] = X[:, column].mean()
        changes.append(np.abs(kernel(without) - K).mean())
    return changes

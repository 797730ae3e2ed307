"""One mistake in each answer."""

from math import comb

import numpy as np

from kernelbook import RBF
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
    "shares": 1,
    "digit-shares": 1,
    "circle": 2,
    "price": 1,
    "influence": 2,
    "columns": 1,
}

dimension = 5
separated = 60
enough = 20
witnesses = {"product": ([1, 2], [2, -1]), "lcm": ([1, 2], [1, -1])}  # taken in by the box
feature_maps = {
    "tent": lambda m: {m + j: 10**-0.5 for j in range(10)},
    "wave": lambda m: {"cos": np.cos(m), "sin": np.sin(m)},
    "gcd": lambda m: {d: 1 for d in range(1, m + 1) if m % d == 0},  # counts the common divisors
}
plain = 60.0
free = 50.0
excess = 1.0
lower = 0.3
coef0 = 1.0
deciding = 12
raw_share = 0.7
standard_share = 0.8


def separable_labellings(n):  # the 1 among the features is forgotten
    return [2 * sum(comb(n - 1, j) for j in range(d)) for d in (1, 2, 3, 5)]


def free_ridge(K, P, y, ridge):  # the best b for f = 0, then f for what is left
    b = np.linalg.lstsq(P, y, rcond=None)[0]
    return np.linalg.solve(K + ridge * np.eye(len(K)), y - P @ b), b


def degrees_of_freedom(K, P, ridge):  # as if the columns of P were not free
    mu = np.linalg.eigvalsh(K)
    return np.sum(mu / (mu + ridge))


def between(x, y, t):  # straight lines, as for the kernel min(x, x')
    return np.interp(t, x, y)


def squared_norm(x, y):  # as if each step were of length 1
    r = np.exp(-np.diff(x))
    return y[0] ** 2 + np.sum((y[1:] - r * y[:-1]) ** 2)


def cap_squared_norm(p, w):  # one side of the cap only
    return (p**2 / (w * (2 * p - 1)) + w / (2 * p + 1)) / 2 if p > 0.5 else np.inf


def power(own, cross, K):  # the square of it
    return own - np.sum(cross.T * np.linalg.solve(K, cross.T), axis=0)


def worst(kernel, X, t):  # not 0 at X
    f = RKHSFunction(kernel, t, [1.0])
    return f * (1 / f.norm())


def greedy(kernel, places, m):  # the m places known least after the first, all at once
    left = kernel.diag(places) - kernel(places, places[:1])[:, 0] ** 2
    return np.argsort(left)[-m:]


def better(X, y, z):  # one of the colleague's sums, and not the best
    return interpolant(RBF(gamma=1), X, y)


def with_slopes(gamma, x, y, z, t):  # n functions for 2n equations
    D = np.subtract.outer(x, x)
    K = np.exp(-gamma * D**2)
    a = np.linalg.lstsq(np.vstack([K, -2 * gamma * D * K]), np.concatenate([y, z]), rcond=None)[0]
    return np.exp(-gamma * np.subtract.outer(t, x) ** 2) @ a


def shares(s, c, q):  # the highest degree first
    return [comb(q, j) * s ** (q - j) * c**j / (s + c) ** q for j in range(q + 1)]


def circle_eigenvalues(q):  # the weights of degrees, each once
    return sorted((comb(q, j) for j in range(q + 1)), reverse=True)


def bell_squared_norm(rho, r):  # multiplied by the eigenvalue, not divided
    return (1 + rho**2 * r) / (1 - rho**2 * r)


def influence(kernel, X):  # the mean change instead of the largest
    K, changes = kernel(X), []
    for column in range(X.shape[1]):
        without = X.copy()
        without[:, column] = X[:, column].mean()
        changes.append(np.abs(kernel(without) - K).mean())
    return changes

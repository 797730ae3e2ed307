"""Right answers in other forms: lists, columns, single precision, other algorithms; and one that warns as it runs."""

import warnings
from math import gcd

import numpy as np
from numpy.polynomial.hermite import hermval
from scipy.integrate import quad
from scipy.linalg import cholesky, solve_triangular
from scipy.special import comb
from scipy.stats import binom

from kernelbook import RBF
from kernelbook.rkhs.functions import RKHSFunction, interpolant

LOSES = {}

witnesses = {
    "box": ((40, 30, 20), np.array([[1.0], [-1.4], [1.0]])),
    "product": (np.array([1, 9]), [9.0, -1.0]),
    "lcm": ([4, 6], np.float32([1, -1])),
}
feature_maps = {
    "tent": lambda m: {str(m - j): np.sqrt(0.1) for j in range(1, 11)},
    "wave": lambda m: {True: np.cos(m + 1), False: -np.sin(m + 1)},
    "gcd": lambda m: {d: sum(gcd(d, j) == 1 for j in range(d)) ** 0.5 for d in range(1, m + 1) if m % d == 0},
}


def separable_labellings(n):
    return np.float32([2 * comb(n - 1, np.arange(d)).sum() for d in (2, 3, 4, 6)])[:, None]


def free_ridge(K, P, y, ridge):
    A = np.linalg.inv(K + ridge * np.eye(len(K)))
    b = np.linalg.solve(P.T @ A @ P, P.T @ A @ y)
    return (A @ (y - P @ b)).tolist(), b.tolist()


def degrees_of_freedom(K, P, ridge):  # each y_i moved by 1, without a projection
    A = np.linalg.inv(K + ridge * np.eye(len(K)))
    AP = A @ P
    return [len(K) - ridge * np.trace(A - AP @ np.linalg.solve(P.T @ AP, AP.T))]


def between(x, y, t):
    warnings.warn("slow", stacklevel=2)
    values = []
    for place in t:
        i = np.searchsorted(x, place)
        near = np.arange(max(i - 1, 0), min(i + 1, len(x)))
        K = np.exp(-np.abs(x[near, None] - x[near]))
        values.append(np.linalg.solve(K, y[near]) @ np.exp(-np.abs(x[near] - place)))
    return values


def squared_norm(x, y):
    total, gaps = float(y[0] ** 2), np.diff(x)
    for gap, left, right in zip(gaps.tolist(), y[:-1].tolist(), y[1:].tolist(), strict=True):
        total += (right - np.exp(-gap) * left) ** 2 / -np.expm1(-2 * gap)
    return [total]


def cap_squared_norm(p, w):
    if 2 * p <= 1:
        return [float("inf")]
    return [w * quad(lambda v: p**2 / w**2 / (2 * p - 1) + v ** (2 * p), 0, 1)[0]]


def power(own, cross, K):
    L = cholesky(K, lower=True)
    squared = own - np.sum(solve_triangular(L, cross.T, lower=True) ** 2, axis=0)
    return [max(value, 0) ** 0.5 for value in squared]


def worst(kernel, X, t):
    f = interpolant(kernel, np.vstack([t, X]), [1.0] + [0.0] * len(X))
    return 1 / f.norm() * f


def greedy(kernel, places, m):
    K, chosen = kernel(places), []
    for _ in range(m):
        chosen.append(np.diag(K).argmax())
        column = K[:, chosen[-1]] / np.sqrt(K[chosen[-1], chosen[-1]])
        K = K - np.outer(column, column)
    return np.array(chosen)[:, None]


def better(X, y, z):
    k, places = RBF(gamma=1.0), np.vstack([X, X - 0.3, X + 0.3])
    A = np.vstack([k(X, places), (k(X + 1e-3, places) - k(X - 1e-3, places)) / 2e-3])
    return RKHSFunction(k, places, np.linalg.solve(A.T @ A + 0.01 * k(places), A.T @ np.concatenate([y, z])))


def with_slopes(gamma, x, y, z, t):
    def derivatives(s, order):  # of the kernel in its difference, by Hermite's polynomials
        D = np.sqrt(gamma) * np.subtract.outer(s, x)
        return (-np.sqrt(gamma)) ** order * hermval(D, [0] * order + [1]) * np.exp(-(D**2))

    k, k1, k2 = (derivatives(x, order) for order in range(3))
    b = np.linalg.solve(-k2 + k1 @ np.linalg.solve(k, k1), z - k1 @ np.linalg.solve(k, y))
    a = np.linalg.solve(k, y + k1 @ b)
    return (derivatives(t, 0) @ a - derivatives(t, 1) @ b).tolist()


def shares(s, c, q):
    return binom.pmf(np.arange(q + 1), q, s / (s + c)).astype(np.float32)


def circle_eigenvalues(q):
    series = np.array([1.0])  # of (z + 2 + 1/z)^q / 2^q
    for _ in range(q):
        series = np.convolve(series, [0.5, 1, 0.5])
    return np.sort(series.astype(np.float32))[::-1]


def bell_squared_norm(rho, r):
    return np.array([[(r + rho**2) / (r - rho**2)]]) if rho < np.sqrt(r) else np.array([np.inf])


def influence(kernel, X):
    X, gamma = np.asarray(X, dtype=float), kernel.gamma if not isinstance(kernel.gamma, str) else kernel.gamma_
    squares = [np.subtract.outer(column, column) ** 2 for column in X.T]
    return [np.max(np.exp(-gamma * (sum(squares) - one)) - np.exp(-gamma * sum(squares))) for one in squares]

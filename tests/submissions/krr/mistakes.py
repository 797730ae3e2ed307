"""One mistake in each function that no other submission gets wrong."""

import numpy as np

from kernelbook import RBF, KernelRidge

LOSES = {
    "primal": 2,
    "dual": 2,
    "gcv": 1,
    "freedom": 1,
    "ridge-for": 2,
    "translate": 1,
    "carry": 1,
    "polynomial": 1,
    "verdict": 1,  # its ratio is of that polynomial
    "units": 1,
    "leak": 1,
}


def primal(X, y, ridge):  # the mean of the squares instead of their sum
    return np.linalg.solve(X.T @ X + ridge * len(y) * np.eye(X.shape[1]), X.T @ y)


def dual(G, y, ridge):  # the inverse of a sum is no sum of inverses
    return np.linalg.pinv(G) @ y + y / ridge


def gcv(K, y, ridge):  # the denominator is not squared
    H = np.linalg.solve(K + ridge * np.eye(len(y)), K)
    return np.mean((y - H @ y) ** 2) / np.mean(1 - np.diag(H))


def degrees_of_freedom(K, ridge):  # counts eigenvalues above the ridge
    return np.sum(np.linalg.eigvalsh(K) > ridge)


def ridge_for(K, wanted):  # df = tr K / ridge holds for a huge ridge alone
    return np.trace(K) / wanted


def from_mean_to_sum(ridge, n):  # the wrong way round
    return ridge / n


def carry_over(ridge, n, m):  # more points, the same ridge
    return ridge


def polynomial(X, y, degree):  # half the powers
    x = X[:, 0]
    return np.polynomial.Polynomial.fit(x, y, degree // 2)(x)


def honest(X, y, train, test, ridges):  # tuned on the test sample, and the mean not added back
    target = y - y[train].mean()
    fits = [KernelRidge(RBF(gamma=1), alpha=ridge).fit(X[train], target[train]).predict(X[test]) for ridge in ridges]
    errors = [np.sqrt(np.mean((fitted - target[test]) ** 2)) for fitted in fits]
    return fits[np.argmin(errors)], min(errors)

"""One mistake in each answer, of the kind that a test should see at once."""

import numpy as np

from kernelbook import RBF, KernelRidge

LOSES = {
    "primal": 1,
    "dual": 1,
    "by-hand": 1,
    "leave-one-out": 2,
    "one-system": 1,
    "choose": 1,
    "gcv": 1,
    "ridge-for": 1,
    "carry": 1,
    "polynomial": 1,
    "decide": 2,
    "expected": 1,
    "prior": 1,
    "optimism": 1,
    "two-points": 1,
    "measured": 1,
    "coverage": 2,
    "offset": 2,
    "offset-loo": 1,
    "units": 1,
    "leak": 1,
    "tuning": 1,
    "nystrom": 1,
    "landmarks": 1,
    "greedy": 1,
    "nested": 2,
    "gain": 1,
}

width_2 = 1.0  # "it looks smooth"
ridge_2 = 0.1
reason = 0.2
errors_4 = np.full((2, 10, 2), 0.02)
verdicts = ["neither", "neither"]
mean_6 = 3.0
variance_6 = 1.0
again_6 = 1.0
together_6 = 0.25


def primal(X, y, prices):  # the mean of the squares instead of their sum
    return np.linalg.solve(X.T @ X + len(y) * np.diag(prices), X.T @ y)


def dual(X, y, prices):  # w, which has as many numbers as columns
    return X.T @ np.linalg.solve((X / prices) @ X.T + np.eye(len(y)), y) / prices


def fit(K, S, y):  # without the noise
    return np.linalg.solve(K + 1e-6 * np.eye(len(y)), y)


def leave_one_out(K, y, ridge):  # errors at points that the fit has seen
    return y - K @ np.linalg.solve(K + ridge * np.eye(len(y)), y)


def gcv(B, y, ridge):  # the denominator is not squared
    inverse = np.linalg.inv(B.T @ B + ridge * np.eye(B.shape[1]))
    residuals = y - B @ (inverse @ (B.T @ y))
    return np.mean(residuals**2) / (1 - np.trace(inverse @ B.T @ B) / len(y))


def ridge_for(K, wanted):  # df = tr K / ridge holds for a huge ridge alone
    return np.trace(K) / wanted


def carry_over(theirs, n, m, g):  # more points, the same ridge
    return theirs


def polynomial(x, y, degree, t):  # half the degrees
    return np.polynomial.Chebyshev.fit(x, y, degree // 2)(t)


def expected(mu, a, sigma, ridge):  # the shares are turned
    s = ridge / (mu + ridge)
    return np.mean(((1 - s) * a) ** 2), sigma**2 * np.mean(s**2)


def best_on_average(mu, tau, sigma):  # standard deviations instead of variances
    ridge = sigma / tau
    return ridge, sigma**2 * np.mean(mu / (mu + ridge))


def optimism(K, sigmas, ridge):  # without the factor 2
    H = np.linalg.solve(K + ridge * np.eye(len(K)), K)
    return np.mean(np.diag(H) * np.square(sigmas))


def posterior(K, A, y, sigma):  # the noise is forgotten
    G = np.linalg.lstsq(A @ K @ A.T, A @ K, rcond=None)[0]
    return G.T @ y, K - (A @ K).T @ G


def coverage(K, truth, sigma, tau):  # what it says on the tin
    return np.full(len(K), 0.95)


def with_offset(K, y, ridge, c):  # centred, whatever the price
    return np.linalg.solve(K + ridge * np.eye(len(y)), y - y.mean()), y.mean()


def errors_with_offset(K, y, ridge):  # no offset
    R = np.linalg.inv(K + ridge * np.eye(len(y)))
    return R @ y / np.diag(R)


def honest(X, y, train, test, ridges):  # tuned on the test sample, and the mean not added back
    target = y - y[train].mean()
    fits = [KernelRidge(RBF(gamma=1), alpha=ridge).fit(X[train], target[train]).predict(X[test]) for ridge in ridges]
    errors = [np.sqrt(np.mean((fitted - target[test]) ** 2)) for fitted in fits]
    return fits[np.argmin(errors)], min(errors)


def landmark_ridge(K_mm, K_nm, y, ridge):  # no price
    return np.linalg.lstsq(K_nm, y, rcond=None)[0]


def greedy(K, m):  # the first ones
    return list(range(m))


def nested(X, y, fold, kernels, ridges):  # one fit to all, judged where it was made
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return y.mean() + KernelRidge(kernels[0], alpha=1.0).fit(Z, y - y.mean()).predict(Z)

"""What looks right at first, and is right in the cases that come to mind."""

import numpy as np
from numpy.polynomial import chebyshev
from scipy.optimize import brentq
from scipy.stats import norm

from kernelbook import RBF, KernelRidge, KernelRidgeCV

LOSES = {
    "primal": 1,
    "dual": 1,
    "by-hand": 1,
    "leave-one-out": 2,
    "gcv": 1,
    "choose": 1,
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
    "leak": 1,
    "nystrom": 1,
    "landmarks": 1,
    "greedy": 1,
    "nested": 2,
    "gain": 1,
}

widths = ridges_2 = t = signal = None  # stand for those of the notebook
x_4 = z_4 = degrees = bells_4 = ridges_4 = samples_4 = truths_4 = rms = verdict = None
y_0, y_2, variance_of_noise = 1, 2, 0.5

mean_6 = 0.4 * (y_0 + y_2)  # as if there were no noise
variance_6 = 0.6
again_6 = 0.6 + variance_of_noise
together_6 = 0.0


# a width taken for a gamma
width_2 = t is not None and min(widths, key=lambda w: KernelRidgeCV(RBF(w), ridges_2).fit(t, signal).loo_errors_.min())
ridge_2 = t is not None and KernelRidgeCV(RBF(width_2), ridges_2).fit(t, signal).alpha_
reason = t is not None and KernelRidgeCV(RBF(width_2), ridges_2).fit(t, signal).loo_errors_.min() ** 0.5
# degree, width and ridge by the distance from the truth
errors_4 = z_4 is not None and [
    [
        [
            min(rms(chebyshev.Chebyshev.fit(z_4, y, degree)(z_4) - truth) for degree in degrees),
            min(rms(KernelRidgeCV(k, ridges_4).fit(x_4[:, None], y).path(x_4[:, None]) - truth).min() for k in bells_4),
        ]
        for y in ten
    ]
    for truth, ten in zip(truths_4, samples_4, strict=True)
]
verdicts = z_4 is not None and [
    verdict(less.mean(), less.std(ddof=1) / 10**0.5, "kernel", "polynomial") for less in np.array(errors_4) @ [1, -1]
]


def primal(X, y, prices):  # the prices squared
    return np.linalg.solve(X.T @ X + np.diag(prices) ** 2, X.T @ y)


def dual(X, y, prices):  # columns divided by the prices, not by their roots
    return np.linalg.solve((X / prices) @ (X / prices).T + np.eye(len(y)), y)


def fit(K, S, y):  # the weights in the place of the covariance
    return np.linalg.solve(K + np.linalg.inv(S), y)


def leave_one_out(K, y, ridge):  # a quotient of roundings where the ridge is tiny
    H = np.linalg.solve(K + ridge * np.eye(len(y)), K)
    return (y - H @ y) / (1 - np.diag(H))


def gcv(B, y, ridge):  # per feature instead of per point
    inverse = np.linalg.inv(B.T @ B + ridge * np.eye(B.shape[1]))
    residuals = y - B @ (inverse @ (B.T @ y))
    return np.mean(residuals**2) / (1 - np.trace(inverse @ B.T @ B) / (B.shape[1] + 1)) ** 2


def ridge_for(K, wanted):  # searched where ridges usually are
    mu = np.linalg.eigvalsh(K)
    return brentq(lambda ridge: np.sum(mu / (mu + ridge)) - wanted, 1e-3, 1e3)


def carry_over(theirs, n, m, g):  # the norm the wrong way round
    return m * theirs * g


def polynomial(x, y, degree, t):  # t on an interval of its own
    def unit(s):
        return 2 * (s - s.min()) / np.ptp(s) - 1

    return chebyshev.chebval(unit(t), chebyshev.chebfit(unit(x), y, degree))


def expected(mu, a, sigma, ridge):  # df in the place of the sum of squares
    s = mu / (mu + ridge)
    return np.mean(((1 - s) * a) ** 2), sigma**2 * np.mean(s)


def best_on_average(mu, tau, sigma):  # the variance alone
    ridge = sigma**2 / tau**2
    return ridge, sigma**2 * np.mean((mu / (mu + ridge)) ** 2)


def optimism(K, sigmas, ridge):  # right if all deviations are equal
    H = np.linalg.solve(K + ridge * np.eye(len(K)), K)
    return 2 * np.mean(np.square(sigmas)) * np.mean(np.diag(H))


def posterior(K, A, y, sigma):  # the deviation in the place of the variance
    G = np.linalg.solve(A @ K @ A.T + sigma * np.eye(len(y)), A @ K)
    return G.T @ y, K - (A @ K).T @ G


def coverage(K, truth, sigma, tau):  # no bias
    H = np.linalg.solve(K + sigma**2 / tau**2 * np.eye(len(K)), K)
    return 2 * norm.cdf(1.96 * np.sqrt(np.diag(H) / np.sum(H**2, axis=1))) - 1


def with_offset(K, y, ridge, c):  # the price of b is that of f
    n = len(y)
    border = np.ones((n + 1, n + 1))
    border[:n, :n], border[n, n] = K + ridge * np.eye(n), -ridge / c
    *alpha, b = np.linalg.solve(border, np.append(y, 0))
    return alpha, b


def errors_with_offset(K, y, ridge):  # the offset of all points
    R = np.linalg.inv(K + ridge * np.eye(len(y)))
    return R @ (y - np.sum(R @ y) / np.sum(R)) / np.diag(R)


def honest(X, y, train, test, ridges):  # the mean is right, the ridge chosen on the test sample
    mean = y[train].mean()
    fits = [mean + KernelRidge(RBF(1), ridge).fit(X[train], y[train] - mean).predict(X[test]) for ridge in ridges]
    errors = [np.sqrt(np.mean((fitted - y[test]) ** 2)) for fitted in fits]
    return fits[np.argmin(errors)], min(errors)


def landmark_ridge(K_mm, K_nm, y, ridge):  # the price of the coefficients
    return np.linalg.solve(K_nm.T @ K_nm + ridge * np.eye(len(K_mm)), K_nm.T @ y)


def greedy(K, m):  # farthest from the nearest point that was taken, not from the span
    taken = [int(np.argmax(np.diag(K)))]
    while len(taken) < m:
        d = np.diag(K)[:, None] - 2 * K[:, taken] + np.diag(K)[taken]
        taken.append(int(np.argmax(d.min(axis=1))))
    return taken


def nested(X, y, fold, kernels, ridges):  # scaled with all patients
    Z, predictions = (X - X.mean(axis=0)) / X.std(axis=0), np.zeros(len(y))
    for one in np.unique(fold):
        inside, mean = fold != one, y[fold != one].mean()
        runs = [KernelRidgeCV(kernel, ridges).fit(Z[inside], y[inside] - mean) for kernel in kernels]
        best = min(runs, key=lambda run: run.loo_errors_.min())
        predictions[~inside] = mean + best.predict(Z[~inside])
    return predictions

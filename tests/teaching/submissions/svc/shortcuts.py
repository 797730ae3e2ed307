"""Points without the problem: the library's machines where a formula is asked, and what is right in one unit only."""

import numpy as np

from kernelbook.svm import NuSVC

LOSES = {
    "direction": 2,
    "next-price": 2,
    "perceptron": 2,
    "nearest": 2,
    "as-svc": 2,
    "rising": 2,
    "count": 1,
    "strangers": 1,
}

X_6 = [[-1, 0], [2, 4], [4, 3], [2, 1], [1, 4]]  # the errors rise, but at one price b is anyone's choice
y_6 = [-1, 1, 1, -1, -1]
C_6 = 0.1, 1


def direction(K, y, C, alpha):  # from two fits
    h = 1e-4 * C
    (low, b_low), (high, b_high) = (solved(K, y, C + s) for s in [-h, h])
    return (high - low) / (2 * h), (b_high - b_low) / (2 * h)


def next_price(K, y, C, alpha):  # at a thousand, nothing moves any more
    return np.inf if C > 1e3 else 1.1 * C


def perceptron(K, y):  # from the first point again after each mistake
    beta = np.zeros(len(y))
    while (wrong := np.flatnonzero(y * (K @ beta) <= 0)).size:
        beta[wrong[0]] += y[wrong[0]]
    return beta


def nearest(K, y, cap):
    machine = NuSVC("precomputed", nu=2 / (cap * len(y)), solver="interior_point", tol=1e-9).fit(K, y)
    weights = np.zeros(len(y))
    weights[machine.support_] = 2 * np.abs(machine.dual_coef_[0]) / np.abs(machine.dual_coef_).sum()
    return weights


def as_svc(K, y, cap, weights):
    nu = 2 / (cap * len(y))
    machine = NuSVC("precomputed", nu=nu, solver="interior_point", tol=1e-9).fit(K, y)
    alpha = np.zeros(len(y))
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    return alpha.sum() / (nu * len(y)), alpha, machine.intercept_


def count_votes(decisions, k):  # a thousandth of a sum is no vote, unless the sums are large
    votes, sums = np.zeros((2, len(decisions), k))
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    for (i, j), f in zip(pairs, decisions.T, strict=True):
        votes[:, i] += f > 0
        votes[:, j] += f <= 0
        sums[:, i] += f
        sums[:, j] -= f
    return (votes + 1e-3 * sums).argmax(axis=1)


def strangers(y, C):
    alpha, b = solved(np.eye(len(y)), y, C)
    return alpha, slack(np.eye(len(y)), y, alpha * y, b)

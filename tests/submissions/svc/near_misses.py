"""What looks right at first, and is right in the cases that come to mind."""

import numpy as np

from kernelbook import RBF
from kernelbook.solvers import DualQP, interior_point
from kernelbook.svm import SVC

LOSES = {
    "offsets": 2,
    "certificate": 1,
    "direction": 2,
    "next-price": 2,
    "one-at-a-time": 2,
    "charged": 1,
    "settled": 1,
    "nearest": 2,
    "as-svc": 2,
    "meeting": 1,
    "ball": 2,
    "apart": 1,
    "bracket": 1,
    "rising": 2,
    "count": 1,
    "circle": 2,
    "strangers": 1,
    "suspects": 2,
}

X_8, y_8 = np.eye(40), np.repeat([1, -1], 20)  # stand for those of the notebook

points_apart = [[2, 0], [2, 5], [9, 0], [9, 5]]  # the nearest point of the hull is a corner of the box
X_6 = [[-1, 0], [2, 4], [4, 3], [2, 1], [1, 4]]  # the errors rise, but at one price b is anyone's choice
y_6 = [-1, 1, 1, -1, -1]
C_6 = 0.1, 1
X_7 = [[7, 0], [0, 4], [3, 1], [5, 3], [3, 2], [2, 1]]  # three lines without a common point, and the wrong place
y_7 = [0, 0, 1, 1, 2, 2]
x_7 = [5, 2]
suspects = SVC(RBF(0.05), C=0.02).fit(X_8, y_8).support_  # alpha = C, at a price that names nearly all


def best_offsets(K, y, beta):  # right if there are as many of each class
    t = np.sort(y - K @ beta)
    half = len(y) // 2
    return t[half - 1], t[half]


def certificate(K, y, C, alpha):  # the first inequality alone
    beta = alpha * y
    gaps = [beta @ K @ beta - alpha.sum() + C * np.maximum(0, 1 - y * (K @ beta + b)).sum() for b in y - K @ beta]
    return min(gaps), np.sqrt(2 * min(gaps))


def direction(K, y, C, alpha):  # alpha is right, and b is taken for a constant
    free, bound = (alpha > 0) & (alpha < C), alpha >= C
    m = free.sum()
    A = np.ones((m + 1, m + 1))
    A[:m, :m], A[m, m] = K[np.ix_(free, free)], 0
    right = -np.append(K[np.ix_(free, bound)] @ y[bound], y[bound].sum())
    rates = bound.astype(float)
    rates[free] = y[free] * np.linalg.solve(A, right)[:-1]
    return rates, 0.0


def next_price(K, y, C, alpha):  # the upper limit stands still, and nobody else comes to the edge
    rates, _ = direction(K, y, C, alpha)
    free = (alpha > 0) & (alpha < C)
    ends = [((C if r > 0 else 0) - a) / r for a, r in zip(alpha[free], rates[free], strict=True) if r != 0]
    return C + min(ends, default=np.inf)


def step(K, y, C, alpha, i):  # a point at the origin stays where it is
    if K[i, i] == 0:
        return alpha[i]
    return np.clip(alpha[i] + (1 - y[i] * (K[i] @ (alpha * y))) / K[i, i], 0, C)


def without_offset(K, y, C):
    alpha = np.zeros(len(y))
    for _ in range(300):
        for i in range(len(y)):
            alpha[i] = step(K, y, C, alpha, i)
    return alpha


def charged(K, y, C, s):  # b without its unit
    alpha = without_offset(K + s, y, C)
    return alpha, np.sum(alpha * y)


def settled(K, y, C, alpha):  # as if phi had length 1
    f = K @ (alpha * y)
    gap = alpha @ (y * f) + C * np.maximum(0, 1 - y * f).sum() - alpha.sum()
    return np.flatnonzero(y * f > 1 + np.sqrt(gap)), np.flatnonzero(y * f < 1 - np.sqrt(gap))


def nearest(K, y, cap):  # an SVC, divided by its sum: right while no cap binds
    machine = SVC("precomputed", C=cap, solver="interior_point", tol=1e-6).fit(K, y)
    weights = np.zeros(len(y))
    weights[machine.support_] = np.abs(machine.dual_coef_[0])
    return 2 * weights / weights.sum()


def as_svc(K, y, cap):  # the hard margin's scale
    problem = DualQP(
        K,
        np.zeros(len(y)),
        np.minimum(0, cap * y),
        np.maximum(0, cap * y),
        totals=[-1, 1],
        groups=(y > 0).astype(int),
    )
    weights = np.abs(interior_point(problem).beta)
    v = K @ (weights * y)
    square = (weights * y) @ v
    alpha = 2 * weights / square
    return 2 * cap / square, alpha, -(weights @ v) / square


def meeting_nu(X, y):  # the largest nu there is
    return 2 * min(np.sum(y > 0), np.sum(y < 0)) / len(y)


def ball(K):  # the one-class machine: right for an RBF kernel
    n = len(K)
    weights = interior_point(DualQP(K, np.zeros(n), np.zeros(n), np.ones(n), totals=1)).beta
    return weights, np.sqrt(max(np.diag(K) - 2 * K @ weights + weights @ K @ weights))


def norm_bracket(C_1, C_2, square_1, S_1, S_2):  # the prices change places
    return square_1 + 2 * C_2 * (S_1 - S_2), square_1 + 2 * C_1 * (S_1 - S_2)


def count_votes(decisions, k):  # of equal votes the first, as predict does
    votes = np.zeros((len(decisions), k))
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    for (i, j), f in zip(pairs, decisions.T, strict=True):
        votes[:, i] += f > 0
        votes[:, j] += f <= 0
    return votes.argmax(axis=1)


def strangers(y, C):  # the high price only, cut at the low one
    other = np.where(y > 0, np.sum(y < 0), np.sum(y > 0))
    alpha = np.minimum(2 * other / len(y), C)
    return alpha, np.sum(1 - alpha)

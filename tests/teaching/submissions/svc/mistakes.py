"""One mistake in each answer."""

import numpy as np

from kernelbook.qp import DualQP, interior_point

LOSES = {
    "offsets": 2,
    "certificate": 1,
    "direction": 2,
    "next-price": 2,
    "perceptron": 2,
    "first-round": 2,
    "charged": 1,
    "settled": 1,
    "nearest": 2,
    "as-svc": 2,
    "meeting": 1,
    "excess": 2,
    "chosen": 3,
    "bracket": 1,
    "rising": 2,
    "count": 1,
    "circle": 2,
    "strangers": 1,
    "accuser": 2,
}

candidates = outer = mean_cost = None  # stand for those of the notebook

X_6 = [[0, 0], [2, 0], [0, 2], [2, 2]]  # the chapter's points: the errors fall
y_6 = [-1, 1, 1, 1]
C_6 = 0.4, 2
X_7 = [[0, 0], [4, 0], [2, 3]]  # one point a class
y_7 = [0, 1, 2]
x_7 = [2.1, 1.0]
gamma_8 = 5 / X_8.max() ** 2  # every label has been learnt
C_8 = 1


def best_offsets(K, y, beta):  # each class weighs as much as it has points
    middle = np.median(y - K @ beta)
    return middle, middle


def certificate(K, y, C, alpha):  # any b gives a gap
    beta = alpha * y
    gap = beta @ K @ beta - alpha.sum() + C * np.maximum(0, 1 - y * (K @ beta + 2)).sum()
    return gap, np.sqrt(gap)


def direction(K, y, C, alpha):  # the sum of alpha y does not stay 0
    free, bound = (alpha > 0) & (alpha < C), alpha >= C
    rates = bound.astype(float)
    rates[free] = -y[free] * np.linalg.lstsq(K[free][:, free], K[free][:, bound] @ y[bound], rcond=None)[0]
    return rates, 0.0


def next_price(K, y, C, alpha):  # doubles
    return 2 * C


def charged(K, y, C, s):  # the price where its inverse belongs
    low, high = np.append(np.minimum(0, C * y), -C * len(y)), np.append(np.maximum(0, C * y), C * len(y))
    Q = np.zeros((len(low), len(low)))
    Q[:-1, :-1] = K + 1 / s
    beta = interior_point(DualQP(Q, np.append(y, 0), low, high)).beta[:-1]
    return np.abs(beta), np.sum(beta) / s


def settled(K, y, C, alpha):  # what holds for f, not for f*
    margin = y * (K @ (alpha * y))
    return np.flatnonzero(margin > 1), np.flatnonzero(margin < 1)


def nearest(K, y, cap):  # the means, whatever the cap
    return np.where(y > 0, 1 / np.sum(y > 0), 1 / np.sum(y < 0))


def as_svc(K, y, cap, weights):  # a strip of the width 1
    v = K @ (weights * y)
    free = (weights > 0) & (weights < cap)
    ends = [v[free & (y == label)].mean() for label in (1, -1)]
    width = ends[0] - ends[1]
    return cap / width, weights / width, -sum(ends) / (2 * width)


def meeting_nu(X, y):  # where the number of points has gone
    return 2 * min(np.sum(y > 0), np.sum(y < 0))


def norm_bracket(C_1, C_2, square_1, S_1, S_2):  # half of the squares forgotten
    return square_1 + C_1 * (S_1 - S_2), square_1 + C_2 * (S_1 - S_2)


def count_votes(decisions, k):  # the loudest, not the one with most votes
    sums = np.zeros((len(decisions), k))
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    for (i, j), f in zip(pairs, decisions.T, strict=True):
        sums[:, i] += f
        sums[:, j] -= f
    return sums.argmax(axis=1)


def strangers(y, C):  # as if classes had one size
    alpha = np.full(len(y), min(C, 1.0))
    return alpha, len(y) * (1 - alpha[0])


def perceptron(K, y):  # a point on the border is no mistake: it never begins
    beta, moved = np.zeros(len(y)), True
    while moved:
        moved = False
        for i in range(len(y)):
            if y[i] * (K[i] @ beta) < 0:
                beta[i], moved = beta[i] + y[i], True
    return beta


def first_round(K, y, beta, m):  # as if nobody lacked anything
    return np.diag(K).max() / m**2


def excess(f, p, c_plus, c_minus):  # the border stays at one half
    wrong = (p > 0.5) != (f > 0)
    return abs(2 * p - 1) * wrong, abs(2 * p - 1) - (2 * p - 1) * f


def chosen_inside(X, y):  # the folds that judge have also chosen
    rows = [
        [mean_cost(m.fit(X[outer != j], y[outer != j]), X[outer == j], y[outer == j]) for j in range(5)]
        for m in candidates
    ]
    best = np.argmin(np.mean(rows, axis=1))
    return np.mean(rows[best]), [best] * 5

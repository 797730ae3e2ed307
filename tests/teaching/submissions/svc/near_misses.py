"""What looks right at first, and is right in the cases that come to mind."""

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

candidates = outer = inner = mean_cost = without_offset = None  # stand for those of the notebook

X_6 = [[-1, 0], [2, 4], [4, 3], [2, 1], [1, 4]]  # the errors rise, but at one price b is anyone's choice
y_6 = [-1, 1, 1, -1, -1]
C_6 = 0.1, 1
X_7 = [[7, 0], [0, 4], [3, 1], [5, 3], [3, 2], [2, 1]]  # three lines without a common point, and the wrong place
y_7 = [0, 0, 1, 1, 2, 2]
x_7 = [5, 2]
gamma_8 = 0.5 / X_8.max() ** 2  # some of them
C_8 = 3


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


def charged(K, y, C, s):  # b without its unit
    alpha = without_offset(K + s, y, C)
    return alpha, np.sum(alpha * y)


def settled(K, y, C, alpha):  # as if phi had length 1
    f = K @ (alpha * y)
    gap = alpha @ (y * f) + C * np.maximum(0, 1 - y * f).sum() - alpha.sum()
    return np.flatnonzero(y * f > 1 + np.sqrt(gap)), np.flatnonzero(y * f < 1 - np.sqrt(gap))


def nearest(K, y, cap):  # an SVC, divided by its sum: right while no cap binds
    problem = DualQP(K, y, np.minimum(0, cap * y), np.maximum(0, cap * y))
    weights = np.abs(interior_point(problem).beta)
    return 2 * weights / weights.sum()


def as_svc(K, y, cap, weights):  # the hard margin's scale
    v = K @ (weights * y)
    square = (weights * y) @ v
    alpha = 2 * weights / square
    return 2 * cap / square, alpha, -(weights @ v) / square


def meeting_nu(X, y):  # the largest nu there is
    return 2 * min(np.sum(y > 0), np.sum(y < 0)) / len(y)


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


def perceptron(K, y):  # one round, and no second
    beta = np.zeros(len(y))
    for i in range(len(y)):
        if y[i] * (K[i] @ beta) <= 0:
            beta[i] += y[i]
    return beta


def first_round(K, y, beta, m):  # the worst point for all of them
    f = K @ beta / np.sqrt(beta @ K @ beta)
    return ((np.sqrt(np.diag(K).max()) + np.max(np.maximum(0, m - y * f))) / m) ** 2


def excess(f, p, c_plus, c_minus):  # the hinge is a line everywhere
    t = p * c_plus - (1 - p) * c_minus
    return abs(t) * (t * f < 0), abs(t) - t * f


def chosen_inside(X, y):  # chosen by the number of errors, judged by the cost
    total, choices = 0, []
    for fold in range(5):
        known, known_y = X[outer != fold], y[outer != fold]
        part = inner(len(known))
        errors = [
            sum(
                np.sum(m.fit(known[part != j], known_y[part != j]).predict(known[part == j]) != known_y[part == j])
                for j in range(4)
            )
            for m in candidates
        ]
        choices.append(int(np.argmin(errors)))
        best = candidates[choices[-1]].fit(known, known_y)
        total += mean_cost(best, X[outer == fold], y[outer == fold]) / 5
    return total, choices

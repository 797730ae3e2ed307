"""Right answers in other forms: lists, columns, single precision, other algorithms; and one that warns as it runs."""

import warnings
from itertools import combinations

import numpy as np
from scipy.optimize import linprog, minimize_scalar
from sklearn.base import clone
from sklearn.model_selection import PredefinedSplit, cross_val_score

from kernelbook.qp import DualQP, smo

LOSES = {}

candidates = outer = inner = mean_cost = None  # stand for those of the notebook

X_6 = np.array([[-1, -3], [-1, 0], [3, 2], [5, -1], [0, -3]])
y_6 = np.array([[1], [1], [-1], [1], [-1]])
C_6 = [1.0, np.float32(10)]
X_7 = ((7, 0), (0, 4), (3, 1), (5, 3), (3, 2), (2, 1))
y_7 = [1.0, 1.0, 0.0, 0.0, 2.0, 2.0]
x_7 = np.array([[6.0], [8.0]])
gamma_8 = np.float64(0.01) / X_8.max() ** 2
C_8 = 3


def best_offsets(K, y, beta):
    warnings.warn("slow", stacklevel=2)
    breaks = y - K @ beta
    sums = np.array([np.maximum(0, 1 - y * (K @ beta + b)).sum() for b in breaks])
    best = breaks[sums < sums.min() + 1e-9]
    return [np.float32(best.min()), np.float32(best.max())]


def certificate(K, y, C, alpha):
    beta = alpha * y
    gaps = [beta @ K @ beta - alpha.sum() + C * np.maximum(0, 1 - y * (K @ beta + b)).sum() for b in y - K @ beta]
    return np.array([[min(gaps)], [min(gaps) ** 0.5]])


def direction(K, y, C, alpha):
    rows, right = [np.append(y, 0)], [0.0]  # the rates of all n, and of b
    for i, a in enumerate(alpha):
        inside = 0 < a < C
        rows.append(np.append(K[i] * y, 1) if inside else np.eye(len(y) + 1)[i])
        right.append(0.0 if inside else float(a == C))
    rates = np.linalg.lstsq(np.array(rows), np.array(right), rcond=None)[0]
    return [rates[:-1, None], rates[-1:]]


def next_price(K, y, C, alpha):
    free, bound = [i for i in range(len(y)) if 0 < alpha[i] < C], [i for i in range(len(y)) if alpha[i] == C]
    if not bound:
        return 1e9
    A = np.block([[K[np.ix_(free, free)], np.ones((len(free), 1))], [np.ones((1, len(free))), np.zeros((1, 1))]])
    right = -np.append(K[np.ix_(free, bound)] @ y[bound], y[bound].sum())
    change = np.linalg.lstsq(A, right, rcond=None)[0]
    beta, rate = alpha * y, np.zeros(len(y))
    rate[free], rate[bound] = change[:-1], y[bound]
    f, df, steps = K @ beta + y[free[0]] - K[free[0]] @ beta, K @ rate + change[-1], []
    for i in range(len(y)):
        if i in free:
            goes = y[i] * rate[i]
            steps += [-alpha[i] / goes] if goes < 0 else [(C - alpha[i]) / (goes - 1)] if goes > 1 else []
        elif y[i] * df[i] * (1 - y[i] * f[i]) > 1e-12:
            steps.append((y[i] - f[i]) / df[i])
    return [C + min(steps)]


def charged(K, y, C, s):
    Q, top = y[:, None] * (K + s) * y, np.linalg.norm(K + s, 2)
    alpha = np.zeros(len(y))
    for _ in range(5000):
        alpha = np.clip(alpha + (1 - Q @ alpha) / top, 0, C)
    return [alpha[:, None], np.float32(s * (alpha @ y))]


def settled(K, y, C, alpha):
    f = K @ (alpha * y)
    gap = alpha @ (y * f) + C * np.maximum(0, 1 - y * f).sum() - alpha.sum()
    return [[(gap * K[i, i]) ** 0.5 < side * (y[i] * f[i] - 1) for i in range(len(y))] for side in (1, -1)]


def nearest(K, y, cap):  # K with its signs, and weights that are no coefficients
    Q, zero = y[:, None] * K * y, np.zeros(len(y))
    problem = DualQP(Q, zero, zero, zero + cap, totals=[1, 1], groups=(y > 0).astype(int))
    return smo(problem, tol=1e-7).beta[:, None]


def as_svc(K, y, cap, weights):
    free = (weights > 0) & (weights < cap)
    lines = np.column_stack([K @ (weights * y), np.ones(len(y))])
    scale, b = np.linalg.lstsq(lines[free], y[free], rcond=None)[0]
    return [np.float64(scale * cap), (scale * weights).tolist(), np.array([b])]


def meeting_nu(X, y):
    n = len(y)
    equal = np.column_stack([np.vstack([y * X.T, y > 0, y < 0]), np.zeros(4)])
    below = np.column_stack([np.eye(n), -np.ones(n)])
    cost = np.append(np.zeros(n), 1)
    found = linprog(cost, A_ub=below, b_ub=np.zeros(n), A_eq=equal, b_eq=[0, 0, 1, 1])
    return [np.float32(2 / (n * found.fun))]


def norm_bracket(C_1, C_2, square_1, S_1, S_2):
    return np.array([[square_1 - 2 * C_1 * (S_2 - S_1)], [square_1 - 2 * C_2 * (S_2 - S_1)]])


def count_votes(decisions, k):
    winners = []
    for row in np.asarray(decisions).tolist():
        own = [[] for _ in range(k)]
        for (i, j), f in zip(combinations(range(k), 2), row, strict=True):
            own[i].append(f)
            own[j].append(-f)
        winners.append([max((sum(f > 0 for f in fs), sum(fs), i) for i, fs in enumerate(own))[2]])
    return winners


def strangers(y, C):
    n, alpha = len(y), np.empty(len(y))
    small, large = sorted([y > 0, y < 0], key=np.sum)
    alpha[small] = min(C, 2 * large.sum() / n)
    alpha[large] = alpha[small][0] * small.sum() / large.sum()
    return [alpha[:, None], [small.sum() * max(0, 2 - C * n / large.sum())]]


def perceptron(K, y):
    counts, good, i = [0] * len(y), 0, 0
    while good < len(y):
        if y[i] * sum(k * c for k, c in zip(K[i], counts, strict=True)) > 0:
            good += 1
        else:
            counts[i], good = counts[i] + int(y[i]), 0
        i = (i + 1) % len(y)
    return [[count] for count in counts]


def first_round(K, y, beta, m):
    lacks = np.maximum(0, m - y * (K @ beta) / (beta @ K @ beta) ** 0.5)
    bound = minimize_scalar(
        lambda log: (K.diagonal().max() + np.exp(log)) * (1 + lacks @ lacks / np.exp(log)) / m**2,
        bounds=(-30, 30),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return np.array([[bound.fun]])


def excess(f, p, c_plus, c_minus):
    def losses(g):
        cost = (1 - p) * c_minus if g > 0 else p * c_plus
        return np.array([cost, p * c_plus * np.maximum(0, 1 - g) + (1 - p) * c_minus * np.maximum(0, 1 + g)])

    return losses(f) - np.minimum(losses(1), losses(-1))


def chosen_inside(X, y):
    costs, choices = [], []
    for fold in range(5):
        rest = outer != fold
        split = PredefinedSplit(inner(rest.sum()))
        scores = [
            -cross_val_score(clone(m), X[rest], y[rest], cv=split, scoring=lambda *a: -mean_cost(*a)).mean()
            for m in candidates
        ]
        choices.append(float(np.argmin(np.round(scores, 9))))
        costs.append(mean_cost(clone(candidates[int(choices[-1])]).fit(X[rest], y[rest]), X[~rest], y[~rest]))
    return [np.mean(costs)], np.array(choices)[:, None]

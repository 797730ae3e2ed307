"""What a black box finds: the library's own optimum, a fine grid, a price that looks large; and numbers made of one."""

import numpy as np
from scipy.optimize import minimize_scalar

from kernelbook import RBF, SVC, SVR, SVRCV, Linear

LOSES = {"gap": 2, "trust": 1, "rain": 2, "width": 2, "plane": 2, "unit": 2, "fair": 2, "verdict": 2}

# The notebook's own take the place of these.
wines = proline = np.zeros(1)
splits = []


def duality_gap(K, y, beta, C, epsilon):  # by how much the library's solution is better
    def primal(beta):
        e = y - K @ beta
        b = np.median(np.append(e - epsilon, e + epsilon))
        return beta @ K @ beta / 2 + C * np.maximum(np.abs(e - b) - epsilon, 0).sum()

    model = SVR("precomputed", C=C, epsilon=epsilon, tol=1e-7, solver="interior_point").fit(K, y)
    best = np.zeros(len(y))
    best[model.support_] = model.dual_coef_[0]
    return primal(beta) - primal(best)


def rain(p, mu, epsilon):  # the median of many quantiles
    u = (np.arange(400_000) + 0.5) / 400_000
    y = np.where(u < p, 0, -mu * np.log1p(-np.clip((u - p) / (1 - p), 0, 1 - 1e-12)))
    return np.median(np.append(y - epsilon, y + epsilon))


def logistic_tube(s):
    def V(u):
        return (1 + np.exp(u)) ** 3 / np.exp(2 * u) / 2

    u = minimize_scalar(V, bounds=(0, 3), method="bounded").x
    return u * s, V(u) * s**2, 2 / (1 + np.exp(u))


def by_separation(X, y, epsilon):  # a large price
    moved = np.column_stack([np.vstack([X, X]), np.append(y + epsilon, y - epsilon)])
    sides = np.repeat([1, -1], len(y))
    model = SVC(Linear(), C=1e6, tol=1e-8).fit(moved, sides)
    if (model.decision_function(moved) * sides).min() < 0.9:
        return None
    *u, delta = model.coef_[0]
    return -np.array(u) / delta, -model.intercept_[0] / delta, epsilon - 1 / delta


def largest_factor(X, w, epsilon):  # the extent along w, whether or not the hull has it there
    over = 2 * epsilon - np.ptp(X @ w)
    return np.sqrt(np.ptp(X @ w) / (w @ w) / over) if over > 0 else np.inf


def fair(X, y, train, test):  # the same method under two names, with other folds
    Z, zero, unit = (X - X[train].mean(axis=0)) / X[train].std(axis=0), np.median(y[train]), y[train].std()
    kernels = [RBF(gamma=g / X.shape[1]) for g in (0.03, 0.3, 3)]
    models = [SVRCV(kernels, [0.3, 3, 30], [0.03, 0.3], cv=cv, scoring="absolute") for cv in (5, 4)]
    return [zero + unit * m.fit(Z[train], (y[train] - zero) / unit).predict(Z[test]) for m in models]


errors_8 = [  # of the first cut, and what may come of it
    [np.mean(np.abs(f - proline[new])) + cut % (3 - method) for method, f in enumerate(fair(wines, proline, old, new))]
    for cut in range(10)
    for old, new in splits[:1]
]
verdict = (lambda d: "neither" if abs(d.mean()) <= 2 * d.std(ddof=1) / 10**0.5 else "SVR" if d.mean() < 0 else "ridge")(
    -np.diff(errors_8)
)

"""One mistake in each answer."""

import numpy as np

from kernelbook import RBF, SVR, KernelRidge, Linear

LOSES = {
    "offset": 1,
    "gap": 2,
    "trust": 1,
    "same": 2,
    "slips": 1,
    "rise": 1,
    "level": 2,
    "rain": 2,
    "width": 2,
    "more": 2,
    "steeper": 2,
    "plane": 2,
    "unit": 2,
    "widen": 1,
    "cover": 2,
    "fair": 2,
    "verdict": 2,
}

# The notebook's own take the place of these.
betas = {}
beta_2 = np.zeros(1)
reported = []
fixed_x = fixed_y = np.zeros(1)


def best_offsets(e, epsilon):  # as if there were no tube
    return np.median(e), np.median(e)


def duality_gap(K, y, beta, C, epsilon):  # the mean is not the best offset
    r = y - K @ beta
    loss = np.maximum(np.abs(r - r.mean()) - epsilon, 0).sum()
    return beta @ K @ beta + C * loss - y @ beta + epsilon * np.abs(beta).sum()


def same_fit(K, y, beta, C, epsilon):  # above and below exchanged
    size = np.abs(beta)
    free = (size > 1e-6 * C) & (size < (1 - 1e-6) * C)
    f = K @ beta + np.mean((y - K @ beta - epsilon * np.sign(beta))[free])
    low, high = f - epsilon, f + epsilon
    low[beta > (1 - 1e-6) * C], high[beta < (1e-6 - 1) * C] = -np.inf, np.inf
    return np.column_stack([low, high])


def rise(d2, delta, m1, m2, C, epsilon):  # one box for all measurements of a place
    return d2 * np.clip((delta - 2 * epsilon) / d2, 0, C)


def levels(d2, delta, m1, m2, C, epsilon):  # always on the edge
    return epsilon, epsilon


def rain(p, mu, epsilon):  # the mean
    return (1 - p) * mu


def logistic_tube(s):  # the mean's V
    return s, np.pi**2 / 3 * s**2, 2 / (1 + np.e)


def by_separation(X, y, epsilon):  # the tube itself
    model = SVR(Linear(), C=1e6, epsilon=epsilon, solver="interior_point").fit(X, y)
    return model.coef_[0], model.intercept_[0], epsilon


def largest_factor(X, w, epsilon):  # until the tube is as wide as y varies
    return np.ptp(X @ np.ravel(w)) / (2 * epsilon)


def widening(low, high, y, share):  # a quantile of the patients seen
    return np.quantile(np.maximum(low - y, y - high), share)


def fair(X, y, train, test):  # chosen by the errors on the test objects
    models = [SVR(RBF(gamma=g), C=C).fit(X[train], y[train]) for g in (0.1, 1) for C in (1, 100)]
    svr = min((model.predict(X[test]) for model in models), key=lambda f: np.abs(f - y[test]).mean())
    return svr, KernelRidge(RBF(gamma=1)).fit(X[train], y[train]).predict(X[test])


excess = {name: 0.0 for name in betas}  # no condition looked at
less_is_harmless = np.flatnonzero(beta_2 == 0)  # "only support vectors matter"
more_is_harmless = np.flatnonzero(beta_2 == 0)
more_support = ([*fixed_x, 30, 33, 35, 38], [*fixed_y, -3, 1, 4, 4], 1, 0.1, 0.2)  # made for the linear kernel
steeper = (fixed_x, fixed_y, (0.1, 0.0), (10.0, 0.0))  # a larger C: the saying that is true
coverage = [0.8, 0.8, 0.8]
lengths = [140.0, 150.0, 150.0]
shorter = 2
errors_8 = reported  # the colleague's
verdict = "SVR"

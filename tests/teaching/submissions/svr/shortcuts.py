"""The library's answer in the place of one's own, a search, a simulation, a guess."""

import numpy as np

from kernelbook import RBF, SVR, KernelRidgeCV, QuantileSVR

LOSES = {
    "offset": 1,
    "gap": 2,
    "trust": 1,
    "same": 2,
    "slips": 1,  # by its same_fit
    "level": 2,
    "rain": 2,
    "more": 2,
    "steeper": 2,
    "plane": 2,
    "widen": 1,
    "cover": 2,
    "fair": 2,
    "verdict": 2,
}

# The notebook's own take the place of these.
betas = {}
fixed_x = fixed_y = np.zeros(1)


def machine(x, y, C, epsilon):
    return len(x), 0.0


def best_offsets(e, epsilon):  # the middle of the interval, from the solver
    b = SVR("precomputed", C=1, epsilon=epsilon).fit(np.zeros((len(e), len(e))), e).intercept_[0]
    return b, b


def duality_gap(K, y, beta, C, epsilon):  # of the library's solution, not of beta
    return SVR("precomputed", C=C, epsilon=epsilon).fit(K, y).duality_gap_


def same_fit(K, y, beta, C, epsilon):  # values that were tried, one at a time
    f = K @ beta
    b = SVR("precomputed", C=C, epsilon=epsilon, tol=1e-6).fit(K, y).intercept_[0]
    return np.column_stack([np.minimum(f + b - epsilon, y), np.maximum(f + b + epsilon, y)])


def rise(d2, delta, m1, m2, C, epsilon):  # by the library's weights
    model = SVR("precomputed", C=C, epsilon=epsilon, tol=1e-9).fit(np.diag([0, d2]), [0, delta], [m1, m2])
    return np.diff(model.predict(np.diag([0, d2])))


def levels(d2, delta, m1, m2, C, epsilon):  # the library's middle
    model = SVR("precomputed", C=C, epsilon=epsilon, tol=1e-9).fit(np.diag([0, d2]), [0, delta], [m1, m2])
    return [model.predict(np.diag([0, d2]))[0]] * 2


def rain(p, mu, epsilon):  # a sample
    rng = np.random.default_rng(0)
    y = np.where(rng.random(20_000) < p, 0, rng.exponential(mu, 20_000))
    return np.median(np.concatenate([y - epsilon, y + epsilon]))


def by_separation(X, y, epsilon):  # regression that knows nothing of the plane
    median = QuantileSVR("linear", C=100).fit(X, y)
    off = np.abs(y - median.predict(X)).max()
    return None if off > epsilon else (median.coef_[0], median.intercept_[0], off)


def widening(low, high, y, share):  # an end that is wide enough
    return np.max(np.maximum(low - y, y - high))


def fair(X, y, train, test):  # one method, twice, and a little added to one of them
    Z, zero, unit = (X - X[train].mean(axis=0)) / X[train].std(axis=0), y[train].mean(), y[train].std()
    models = [KernelRidgeCV(RBF(gamma=g), np.logspace(-4, 2, 13)) for g in (0.01, 0.03, 0.1, 0.3, 1)]
    best = min((m.fit(Z[train], (y[train] - zero) / unit) for m in models), key=lambda m: m.loo_errors_.min())
    f = zero + unit * best.predict(Z[test])
    return f + 0.01 * unit, f


excess = dict.fromkeys(betas, 0.01)
more_support = max(  # the best of random points
    (
        (np.append(fixed_x, places / 2 + 0.25), np.append(fixed_y, values), 1, 0.1, 3)
        for rng in [np.random.default_rng(0)]
        for _ in range(60)
        for places, values in [(rng.choice(60, 12, replace=False), rng.integers(-9, 10, 12))]
    ),
    key=lambda answer: machine(*answer[:2], 3, 1)[0] - machine(*answer[:2], 0.1, 1)[0],
)
steeper = (fixed_x, fixed_y, (1, 0.1), (1, 0.2))
coverage = [0.74, 0.8, 0.8]
lengths = [140.0, 153.0, 149.0]
shorter = 0
errors_8 = np.random.default_rng(1).normal(147, 8, size=(10, 2))
verdict = "neither"

"""Right answers in other forms: lists, columns, single precision, other algorithms."""

import numpy as np

LOSES = {}

s_2, ridge_2, ridges_6, training_6, freedom_6, sigma_6, n_6 = 0.5, 1, np.ones(1), np.ones(1), np.ones(1), 1, 1

kept_2 = {
    key: np.float32(np.dot(np.linalg.inv([[1 + ridge_2, s_2], [s_2, 1 + ridge_2]]) @ [[1, s_2], [s_2, 1]], wave)[0])
    for key, wave in {"difference": [1, -1], "sum": [1, 1]}.items()
}
choice_6 = {
    key: [float(value)]
    for key, value in zip(
        ["error", "ridge"],
        min((t + 2 * f / n_6 * sigma_6**2, r) for t, f, r in zip(training_6, freedom_6, ridges_6, strict=True)),
        strict=True,
    )
}


def readings(fitted, alpha, first):
    one_over = alpha[0] / (first - fitted[0])
    return [[float(f + a / one_over)] for f, a in zip(fitted, alpha, strict=True)]


def other_units(width, ridge, a, b, copies):
    return np.array([[width * a], [ridge * copies]], dtype=np.float32)


def worst(residuals, leverages):
    errors = [r / (1 - h) for r, h in zip(residuals, leverages, strict=True)]
    return sorted(enumerate(errors), key=lambda pair: -abs(pair[1]))[0]


def fit_and_predict(K, y, ridge, K_new):
    mu, U = np.linalg.eigh(K)
    level = sum(y) / len(y)
    return (level + K_new @ (U * (1 / (mu + ridge))) @ (U.T @ (y - level)[:, None])).tolist()


def steps(eta, mu, share):  # by halving
    low, high = 0, 1
    while -np.expm1(high * np.log1p(-eta * mu)) < share:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if -np.expm1(middle * np.log1p(-eta * mu)) >= share else (middle, high)
    return np.array([high])


def readings_needed(tau, sigma, share):
    wanted = (share * tau) ** 2
    noise = wanted * tau**2 / (tau**2 - wanted)
    return float(np.ceil(sigma**2 / noise))


def known(patients, folds):
    seen = {one: set() for one in patients}
    for one, fold in zip(patients, folds, strict=True):
        seen[one].add(fold)
    return np.float32(sum(len(seen[one]) > 1 for one in patients) / len(patients))

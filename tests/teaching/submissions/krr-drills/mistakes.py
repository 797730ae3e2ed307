"""One tempting mistake in each answer."""

import numpy as np

LOSES = {
    "lost-readings": 1,
    "sum-and-difference": 1,
    "other-units": 1,
    "worst-point": 1,
    "two-faults": 1,
    "seen-noise": 1,
    "how-many-steps": 1,
    "how-many-readings": 1,
    "known-rows": 1,
}

s_2, ridge_2, ridges_6, training_6, freedom_6, sigma_6, n_6 = 0.5, 1, np.ones(1), np.ones(1), np.ones(1), 1, 1

# the entries of K in the place of its eigenvalues
kept_2 = {"sum": 1 / (1 + ridge_2), "difference": s_2 / (s_2 + ridge_2)}
# half of the optimism
choice_6 = dict(
    zip(["error", "ridge"], min(zip(training_6 + sigma_6**2 * freedom_6 / n_6, ridges_6, strict=True)), strict=True)
)


def readings(fitted, alpha, first):  # as if the ridge were 1
    return first - fitted[0] - alpha[0] + fitted + alpha


def other_units(width, ridge, a, b, copies):  # the square of the unit, which both terms have
    return a * width, copies * b**2 * ridge


def worst(residuals, leverages):  # the largest, not the largest in absolute value
    errors = residuals / (1 - leverages)
    return np.argmax(errors), errors.max()


def fit_and_predict(K, y, ridge, K_new):  # one of the two faults is left
    return y.mean() + K_new @ np.linalg.solve(K + ridge, y - y.mean())


def steps(eta, mu, share):  # what a ridge of 1 / (eta t) keeps
    return int(np.ceil(share / (1 - share) / (eta * mu)))


def readings_needed(tau, sigma, share):  # the deviation of a mean of readings, without the prior
    return int(np.ceil(sigma**2 / (share * tau) ** 2))


def known(patients, folds):  # a share of the patients, not of the rows
    return np.mean([len(set(folds[patients == one])) > 1 for one in np.unique(patients)])

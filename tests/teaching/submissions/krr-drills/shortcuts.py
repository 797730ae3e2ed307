"""Points without the idea: constants, and the library's answer to another question."""

import numpy as np

from kernelbook import KernelRidge

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

ridges_6, training_6 = np.ones(1), np.ones(1)

kept_2 = {"sum": 0.75, "difference": 0.5}  # of another seed
choice_6 = {"ridge": ridges_6[0], "error": training_6[0]}  # the least residuals


def readings(fitted, alpha, first):  # the fit for the readings
    return np.append(first, fitted[1:])


def other_units(width, ridge, a, b, copies):  # a fit does not change with its units
    return width, ridge


def worst(residuals, leverages):
    index = np.argmax(np.abs(residuals))
    return index, residuals[index]


def fit_and_predict(K, y, ridge, K_new):
    return K_new @ KernelRidge("precomputed", alpha=ridge).fit(K, y).dual_coef_


def steps(eta, mu, share):
    return 10


def readings_needed(tau, sigma, share):  # by trying, up to a thousand
    for m in range(1, 1000):
        if 1 / (1 / tau**2 + m / sigma**2) <= (share * tau) ** 2:
            return m
    return 1000


def known(patients, folds):  # as if every fold were large
    return 1 - 1 / len(np.unique(folds))

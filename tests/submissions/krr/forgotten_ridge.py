"""Kernel ridge regression without its ridge: λ is not in the system."""

import numpy as np

LOSES = {"by-hand": 3}


def fit(kernel, X, y, ridge):
    return np.linalg.solve(kernel(X, X), y)


def predict(kernel, X, alpha, X_new):
    return kernel(X_new, X) @ alpha

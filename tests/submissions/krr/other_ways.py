"""Right answers in other forms: lists, columns, single precision, other algorithms; and one that warns as it runs."""

import warnings

import numpy as np
from sklearn.model_selection import KFold, cross_val_score

from kernelbook import RBF, KernelRidge, KernelRidgeCV

LOSES = {}


def primal(X, y, ridge):
    return np.linalg.inv(X.T @ X + ridge * np.identity(X.shape[1])) @ X.T @ y[:, None]


def dual(G, y, ridge):
    mu, U = np.linalg.eigh(G.astype(np.float32))
    return list(U @ ((U.T @ y) / (mu + ridge)))


def fit(kernel, X, y, ridge):
    warnings.warn("slow", stacklevel=2)
    return np.linalg.lstsq(kernel(X, X) + ridge * np.eye(len(X)), y[:, None], rcond=None)[0]


def predict(kernel, X, alpha, X_new):
    return [float(kernel(x[None], X)[0] @ np.ravel(alpha)) for x in X_new]


def leave_one_out(K, y, ridge):
    inverse = np.linalg.inv(K + ridge * np.eye(len(y)))
    return [(inverse[i] @ y) / inverse[i, i] for i in range(len(y))]


def gcv(K, y, ridge):
    return KernelRidgeCV("precomputed", alphas=[ridge]).fit(K, y).gcv_


def degrees_of_freedom(K, ridge):
    return [np.trace(K @ np.linalg.inv(K + ridge * np.eye(len(K))))]


def ridge_for(K, wanted):
    mu = np.linalg.eigvalsh(K)
    low, high = 1e-15 * mu.max(), 1e15 * mu.max()
    while high / low > 1 + 1e-9:
        middle = np.sqrt(low * high)
        low, high = (middle, high) if np.sum(mu / (mu + middle)) > wanted else (low, middle)
    return np.float32(middle)


def from_mean_to_sum(ridge, n):
    return np.float32(n * ridge)


def carry_over(ridge, n, m):
    return np.array([[m * ridge / n]])[0, 0]


def polynomial(X, y, degree):
    z = (X - 50) / 50
    powers = np.hstack([z**p for p in range(degree + 1)])
    return powers @ np.linalg.lstsq(powers, y[:, None], rcond=None)[0]


def honest(X, y, train, test, ridges):
    mean, folds = np.median(y[train]), KFold(5, shuffle=True, random_state=0)
    scores = [
        cross_val_score(
            KernelRidge(RBF(gamma=1), alpha=ridge),
            X[train],
            y[train] - mean,
            cv=folds,
            scoring="neg_mean_squared_error",
        ).mean()
        for ridge in ridges
    ]
    model = KernelRidge(RBF(gamma=1), alpha=ridges[int(np.argmax(scores))]).fit(X[train], y[train] - mean)
    predictions = mean + model.predict(X[test])
    return predictions.tolist(), float(np.mean((predictions - y[test]) ** 2) ** 0.5)

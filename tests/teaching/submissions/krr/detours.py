"""Right numbers, or nearly, on a road that the question closes."""

import numpy as np

from kernelbook import KernelRidgeCV

LOSES = {"by-hand": 1, "one-system": 1, "greedy": 1, "nested": 2, "gain": 1}

gain = sure = verdict_10 = None


def fit(K, S, y):  # an inverse of the noise, which may have none to speak of
    inverse = np.linalg.inv(S)
    return np.linalg.lstsq(K @ inverse @ K + K, K @ inverse @ y, rcond=None)[0]


def leave_one_out(K, y, ridge):  # n systems in one call
    every = np.arange(len(y))
    rest = np.array([np.delete(every, i) for i in every])
    systems = K[rest[:, :, None], rest[:, None]] + ridge * np.eye(len(y) - 1)
    alpha = np.linalg.solve(systems, y[rest][:, :, None])[:, :, 0]
    return y - np.sum(K[every[:, None], rest] * alpha, axis=1)


def greedy(K, m):  # a system of growing size for each point
    taken = [int(np.argmax(np.diag(K)))]
    while len(taken) < m:
        inverse = np.linalg.inv(K[np.ix_(taken, taken)])
        left = np.diag(K) - np.sum((K[:, taken] @ inverse) * K[:, taken], axis=1)
        left[taken] = -1
        taken.append(int(np.argmax(left)))
    return taken


def nested(X, y, fold, kernels, ridges):  # chosen by generalised cross-validation
    predictions = np.zeros(len(y))
    for one in np.unique(fold):
        inside = fold != one
        Z, mean = (X - X[inside].mean(axis=0)) / X[inside].std(axis=0), y[inside].mean()
        runs = [KernelRidgeCV(kernel, ridges).fit(Z[inside], y[inside] - mean) for kernel in kernels]
        best = min(runs, key=lambda run: run.gcv_.min())
        best = KernelRidgeCV(best.kernel, [ridges[int(np.argmin(best.gcv_))]]).fit(Z[inside], y[inside] - mean)
        predictions[~inside] = mean + best.predict(Z[~inside])
    return predictions

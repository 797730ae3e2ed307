"""Right answers in other forms: lists, columns, single precision, other algorithms."""

from itertools import product

import numpy as np

LOSES = {}


def witness(p):  # features at 45 degrees
    F = np.array([[1, 0], [0.5**0.5, 0.5**0.5], [0, 1]], dtype=np.float32)
    return (F @ F.T).clip(0, 1).tolist()


def bell(kxx, kzz, kxz, gamma):
    lengths = np.sqrt([kxx, kzz])
    return [[np.float32(np.exp(-2 * gamma) * np.exp(2 * gamma * kxz / lengths.prod()))]]


def lines(a, b):
    found = {}
    for sign in product((1, -1), repeat=2):
        kappa = float(abs(sign[0] * a + sign[1] * b))
        found[kappa] = found.get(kappa, 0) + 1 / 4
    return found


def features(X, width, m, seed):
    kappas = np.random.default_rng([seed, 1]).standard_normal((m, X.shape[1])) / width
    waves = [part(kappa @ X.T) for kappa in kappas for part in (np.sin, np.cos)]
    return (np.transpose(waves) * m**-0.5).astype(np.float32)


def ratio(level, d):  # 1 / cosh(log r) is 2 r / (1 + r^2)
    return np.array([np.exp(np.arccosh(level ** (-2 / d)))])


def abab(n, m, p):
    values = 0
    for first in (0, 1):
        counts = [len(range(first, 2 * size - p + 1, 2)) for size in (n, m)]
        values += counts[0] * counts[1]
    return float(values)


def alignments(kappa):
    (a, b), (c, d) = kappa.tolist()
    values = [a * d, a * b * d, a * c * d]
    return np.array([[sum(values)], [max(values)]])


def time_until(w, share):
    return [np.float32(np.arctanh(share / (1 - share)) / w)]


def common_walks(n, g, m, h, decay):
    return [float("inf")] if decay * g * h >= 1 else n * m * (1 + decay * g * h / (1 - decay * g * h))


def agreement(u, v, shares):
    kinds = list(shares)
    one = [np.array([shares[k] if e is None else float(k == e) for k in kinds]) for e in (u, v)]
    return np.array([one[0] @ one[1]])


def share_of_larger(a):
    return [np.float32(0.5 + 0.5 * a**0.5)]


def factor(K, L):
    H = np.eye(len(K)) - 1 / len(K)
    return [[np.trace(H @ K) / np.trace(H @ L)]]

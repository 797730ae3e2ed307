"""The library's answer in the place of one's own, a guess where that is too large, and right numbers by chance."""

from math import comb

import numpy as np

from kernelbook import RBF, Laplacian, Polynomial
from kernelbook.rkhs.functions import interpolant, mercer

LOSES = {
    "labels": 2,
    "neighbours": 2,
    "norm": 1,
    "limits": 2,  # a fine grid is not fine enough
    "repaired": 2,  # eight digits are too many for a difference quotient
    "circle": 2,  # small eigenvalues drown in rounding
}

# The notebook's own take the place of these.
sheet = np.eye(2)
guesses = np.eye(2)


def separable(Z, labels):
    return True


dimension = sheet.shape[1]  # the columns as they are, without an offset
separated = sum(separable(sheet, guess) for guess in guesses)
enough = next(n for n in range(1, 200) if 100 * sum(comb(n - 1, j) for j in range(dimension)) < 2 ** (n - 1))


def between(x, y, t):  # for many points a guess, so that no matrix is seen
    return np.zeros(len(t)) if len(x) > 500 else interpolant(Laplacian(gamma=1), x[:, None], y)(t[:, None])


def squared_norm(x, y):
    return 1.0 if len(x) > 500 else interpolant(Laplacian(gamma=1), x[:, None], y).norm() ** 2


def cap_squared_norm(p, w):
    x = np.linspace(-w, w, 200_001)
    y, r = (1 - np.abs(x) / w) ** p, np.exp(-1e-5 * w)
    return np.sum((y[1:] - r * y[:-1]) ** 2) / (1 - r**2)


def with_slopes(gamma, x, y, z, t):
    near, values = np.concatenate([x - 1e-3, x + 1e-3]), np.concatenate([y - 1e-3 * z, y + 1e-3 * z])
    return interpolant(RBF(gamma=gamma), near[:, None], values)(t[:, None])


def circle_eigenvalues(q):
    angles = 2 * np.pi * np.arange(256) / 256
    return mercer(Polynomial(q), np.column_stack([np.cos(angles), np.sin(angles)]), 2 * q + 1)[0]

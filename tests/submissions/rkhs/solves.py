"""The interpolant from its linear system: right numbers, but a matrix for a million points."""

from kernelbook import Laplacian
from kernelbook.rkhs import interpolant

LOSES = {"million": 1}


def between(x, y, t):
    return interpolant(Laplacian(gamma=1), x[:, None], y)(t[:, None])


def squared_norm(x, y):
    return interpolant(Laplacian(gamma=1), x[:, None], y).norm() ** 2

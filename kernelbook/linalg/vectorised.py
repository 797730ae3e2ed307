"""The loops of ``linalg.loops`` as operations on whole arrays, which replace them where numba is missing."""

import numpy as np

COPIED_ENTRIES = 2**20  # entries of K that are copied at a time


def squared_differences(X, Y, weights, D):
    D[:] = 0.0
    for x, y, weight in zip(X.T, Y.T, weights, strict=True):
        D += np.subtract.outer(x, y) ** 2 * weight


def transpose(A, result):
    result[:] = A.T


def symmetrise(D):
    D[:] = (D + D.T) / 2


def product(K, rows, beta):
    used = np.flatnonzero(beta)
    return sum(beta[used[part]] @ K[np.ix_(rows[used[part]], rows)] for part in _parts(used, rows))


def absolute_product(K, rows, beta):
    used = np.flatnonzero(beta)
    return sum(np.abs(beta[used[part]]) @ np.abs(K[np.ix_(rows[used[part]], rows)]) for part in _parts(used, rows))


def copy_block(K, rows, columns, block):
    for part in _parts(rows, columns):
        block[part] = K[np.ix_(rows[part], columns)]


def add_rows(K, rows, factors, total):
    for part in _parts(rows, total):
        total += factors[part] @ K[rows[part]]


def add_absolute_rows(K, rows, sizes, total):
    for part in _parts(rows, total):
        total += sizes[part] @ np.abs(K[rows[part]])


def _parts(rows, columns):
    """Slices of the rows, at least one, each so short that a copy of its entries is small."""
    few = max(1, COPIED_ENTRIES // max(1, len(columns)))
    return [slice(begin, begin + few) for begin in range(0, max(1, len(rows)), few)]

"""The loops of ``loops`` as operations on whole arrays, for use without numba; as in ``qp.vectorised``."""

import numpy as np


def common_subsequences(x, others, n, decay):
    from scipy.signal import lfilter  # slow to import

    length, count = others.shape
    columns, corners = np.zeros((n, length, count)), np.zeros((n, length + 1, count))
    corners[0] = 1.0
    total = np.zeros(count)
    for character in x:
        equal = others == character
        total += np.where(equal, corners[n - 1, :-1], 0.0).sum(axis=0)
        columns[1:] = decay * columns[1:] + np.where(equal, corners[:-1, :-1], 0.0)
        corners[1:, 1:] = lfilter([1.0], [1.0, -decay], columns[1:], axis=1)
    return total

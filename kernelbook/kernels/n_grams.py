"""The n-grams of strings, which are n successive characters: their counts, and pairs that differ in few places."""

from collections import Counter
from itertools import accumulate
from math import comb

import numpy as np
import scipy.sparse as sp

PAIRS_COMPARED_AT_A_TIME = 2**18  # pairs of n-grams that are compared together, in the cache


def n_grams(x, n):
    """How often each n-gram occurs in a string."""
    n = int(n)  # some of NumPy's integers would overflow
    return Counter(x[i : i + n] for i in range(len(x) - n + 1))


def gram_counts(X, n):
    """A row for each string, with a column for each n-gram that occurs in any of them; and these n-grams."""
    column, indices, counts, ends = {}, [], [], [0]
    for x in X:
        for gram, count in n_grams(x, n).items():
            indices.append(column.setdefault(gram, len(column)))
            counts.append(count)
        ends.append(len(indices))
    return sp.csr_array((np.array(counts, dtype=float), indices, ends), shape=(len(X), len(column))), list(column)


def close_pairs(U, V, most):
    """The pairs (u, v) of columns of U and V that differ in at most `most` places, and in how many they differ."""
    found, step = [], max(1, PAIRS_COMPARED_AT_A_TIME // max(1, V.shape[1]))
    for start in range(0, U.shape[1], step):
        apart = np.zeros((min(step, U.shape[1] - start), V.shape[1]), dtype=np.min_scalar_type(len(U)))
        for u, v in zip(U[:, start : start + step], V, strict=True):
            apart += u[:, None] != v
        place = np.flatnonzero(apart <= most)
        found.append((place + start * V.shape[1], apart.ravel()[place]))
    places, apart = map(np.concatenate, zip(*found, strict=True))
    return *np.divmod(places, V.shape[1]), apart


def common_neighbours(n, m, size, d):
    """N(d) of ``Mismatch``: how many strings are within m places of two that differ in d places."""
    balls = list(accumulate(comb(n - d, t) * (size - 1) ** t for t in range(min(m, n - d) + 1)))
    total = 0
    for a in range(d + 1):
        for b in range(d + 1 - a):
            left = m - d + min(a, b)  # places in which s may differ where the two agree
            if left >= 0:
                total += comb(d, a) * comb(d - a, b) * (size - 2) ** (d - a - b) * balls[min(left, n - d)]
    return total

"""Kernels on strings."""

from collections import Counter
from collections.abc import Mapping, Set
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval

from kernelbook.kernels.base import Kernel


class StringKernel(Kernel):
    """A kernel on strings, given as a list, an array or a column of a table."""

    on_vectors = False

    def check(self, X, name="X"):
        """Strings, in a list, an array or a column of a table."""
        if isinstance(X, str | Set | Mapping) or not hasattr(X, "__iter__") or getattr(X, "ndim", 1) != 1:
            raise ValueError(f"{name} must be a list of strings, got {type(X).__name__}: {X!r:.40}.")
        X = list(X)
        if not X:
            raise ValueError(f"{name} must hold at least one string, got none.")
        for i, value in enumerate(X):
            if not isinstance(value, str):
                raise ValueError(f"{name} must be a list of strings, but {name}[{i}] is {value!r:.40}.")
        return X


class Spectrum(StringKernel):
    """k(x, x') = Σ_s |s in x| · |s in x'|, over all strings s of n characters; |s in x| counts how often s stands in x.

    The objects are strings, in a list, an array or a column of a table. Only the n-grams that occur are counted: the
    work grows with the lengths of the strings, not with the number of possible n-grams. A string shorter than n has
    none, and k(x, x) = 0.

    Parameters
    ----------
    n : int ≥ 1, default 3

    References
    ----------
    Leslie, Eskin & Noble (2002), The spectrum kernel: a string kernel for SVM protein classification, PSB.

    >>> Spectrum(2)(["aababc"], ["abab", "bb"])  # aa, ab, ba, ab, bc beside ab, ba, ab and bb
    array([[5., 0.]])
    """

    psd = True
    _parameter_constraints = {"n": [Interval(Integral, 1, None, closed="left")]}

    def __init__(self, n=3):
        self.n = n

    def _block(self, X, Y):
        if Y is None:
            counts = self._counts(X)
            return (counts @ counts.T).toarray()
        counts = self._counts(X + Y)
        return (counts[: len(X)] @ counts[len(X) :].T).toarray()

    def _diag(self, X):
        return np.array([sum(count**2 for count in self._count(x).values()) for x in X], dtype=float)

    def _count(self, x):
        return Counter(x[i : i + self.n] for i in range(len(x) - self.n + 1))

    def _counts(self, X):
        """A row for each string, with a column for each n-gram that occurs in any of them."""
        column, indices, counts, ends = {}, [], [], [0]
        for x in X:
            for gram, count in self._count(x).items():
                indices.append(column.setdefault(gram, len(column)))
                counts.append(count)
            ends.append(len(indices))
        return sp.csr_array((np.array(counts, dtype=float), indices, ends), shape=(len(X), len(column)))

"""Kernels on strings."""

from collections.abc import Mapping, Set
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval

from kernelbook.inputs.dataframes import column_names, is_frame, listed
from kernelbook.inputs.intervals import POSITIVE_INTEGER, SHARE
from kernelbook.inputs.missing_values import is_gap
from kernelbook.inputs.validation import quoted
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.loops import common_subsequences
from kernelbook.kernels.n_grams import close_pairs, common_neighbours, gram_counts, n_grams
from kernelbook.linalg.blocks import normalise_block, pairwise_block, positive_lengths
from kernelbook.linalg.tolerances import SMALLEST_NORMAL
from kernelbook.runtime.parallel import parallel_map

PAIRS_SEARCHED_AT_A_TIME = 2**24  # pairs of n-grams, of which the close ones are held in memory together
LARGEST_FLOAT = float(np.finfo(float).max)
LENGTH = [POSITIVE_INTEGER]  # of n-grams


class StringKernel(Kernel):
    """Base class of kernels on strings, which are given as a list, an array or a column of a table.

    A subclass defines ``_block(X, Y)``, a new float array of k(x_i, y_j), where Y is None for the Gram matrix of X, and
    ``_diag(X)``, a new float array of k(x_i, x_i); X and Y are lists of strings.

    >>> class SameFirst(StringKernel):
    ...     def _block(self, X, Y):
    ...         return np.array([[float(x[:1] == y[:1]) for y in (X if Y is None else Y)] for x in X])
    ...     def _diag(self, X):
    ...         return np.ones(len(X))
    >>> SameFirst()(["ford", "fiat"], ["fiat", "opel"])
    array([[1., 0.],
           [1., 0.]])
    """

    on_vectors = False

    def check(self, X, name="X"):
        """Strings, in a list, an array or a column of a table."""
        if is_frame(X):
            names = quoted(column_names(X))
            raise ValueError(f"{name} must be a list of strings, got a table with the columns {names}.")
        if isinstance(X, str | Set | Mapping) or not hasattr(X, "__iter__") or getattr(X, "ndim", 1) != 1:
            raise ValueError(f"{name} must be a list of strings, got {quoted(X)}.")
        X = listed(X)
        if not X:
            raise ValueError(f"{name} must hold at least one string, got none.")
        for i, value in enumerate(X):
            if not isinstance(value, str):
                advice = " Fill gaps with a word, as fillna('none') does." if is_gap(value) else ""
                raise ValueError(f"{name} must be a list of strings, but {name}[{i}] is {quoted(value, 40)}.{advice}")
        return X


class Spectrum(StringKernel):
    """k(x, x') = Σ_s |s in x| · |s in x'|, over all strings s of n characters; |s in x| counts how often s occurs in x.

    The objects are strings, in a list, an array or a column of a table. Only the n-grams that occur are counted: the
    work grows with the lengths of the strings, not with the number of possible n-grams. A string shorter than n has
    none, and k(x, x) = 0.

    Parameters
    ----------
    n : int ≥ 1, default 3. Above about n = 2 log L / log A, two strings of L random characters out of A share less
        than one n-gram on average. The best n depends on the pattern too: choose it by cross-validation.

    References
    ----------
    Leslie, Eskin & Noble (2002), The spectrum kernel: a string kernel for SVM protein classification, PSB.

    >>> Spectrum(2)(["aababc"], ["abab", "bb"])  # aa, ab, ba, ab, bc beside ab, ba, ab and bb
    array([[5., 0.]])
    """

    psd = True
    _parameter_constraints = {"n": LENGTH}

    def __init__(self, n=3):
        self.n = n

    def _block(self, X, Y):
        if Y is None:
            counts, _ = gram_counts(X, self.n)
            return (counts @ counts.T).toarray()
        counts, _ = gram_counts(X + Y, self.n)
        return (counts[: len(X)] @ counts[len(X) :].T).toarray()

    def _diag(self, X):
        return np.array([sum(count**2 for count in n_grams(x, self.n).values()) for x in X], dtype=float)


class Mismatch(StringKernel):
    """k(x, x') = Σ_s φ_s(x) φ_s(x'), where φ_s(x) counts the windows of x that differ from s in at most m places.

    The sum is over all strings s of n characters of the alphabet, and the windows of x are its n-grams, each as often
    as it occurs. For m = 0 this is ``Spectrum(n)``. The strings s are not enumerated: a pair of windows that differ in
    d places adds the number N(d) of strings within m places of both, which depends on n, m and the size of the alphabet
    alone,

        N(d) = Σ_{a + b + c = d} d! / (a! b! c!) (A − 2)^c V(n − d, m − d + min(a, b)),

    where s agrees with one window in a of the d places, with the other in b and with neither in c, A is the number of
    characters, and V(p, r) = Σ_{t ≤ r} C(p, t) (A − 1)^t. It is 0 for d > 2m. Every two different n-grams are
    compared once, however many strings have them: the Gram matrix of 100 strings of 1000 letters, with n = 5 and m = 1,
    takes about 0.1 s on one core for four letters, and about 5 s for twenty. A string shorter than n has no window, and
    k(x, x) = 0.

    Parameters
    ----------
    alphabet : str of A different characters; strings may have no others
    n : int ≥ 1, default 3
    m : int ≥ 0, default 1; from m = n on, every window counts for every s

    Raises
    ------
    ValueError, when the kernel is used : a string has a character outside the alphabet, or the alphabet has one twice

    References
    ----------
    Leslie, Eskin, Cohen, Weston & Noble (2004), Mismatch string kernels for discriminative protein classification,
    Bioinformatics 20.

    >>> Mismatch("ab", n=2)(["ab", "ba"])  # ab counts for aa, ab and bb; ba counts for aa, ba and bb
    array([[3., 2.],
           [2., 3.]])
    """

    psd = True
    _parameter_constraints = {"alphabet": [str], "n": LENGTH, "m": [Interval(Integral, 0, None, closed="left")]}

    def __init__(self, alphabet, n=3, m=1):
        self.alphabet = alphabet
        self.n = n
        self.m = m

    def check(self, X, name="X"):
        """Strings of characters of the alphabet, in a list, an array or a column of a table."""
        X = super().check(X, name)
        check_characters(X, self.alphabet, name)
        return X

    def _block(self, X, Y):
        x, U = gram_counts(X, self.n)
        if Y is None:
            half = self._between(x, self._codes(U))
            return half + half.T
        y, V = gram_counts(Y, self.n)
        return self._between(x, self._codes(U), y, self._codes(V))

    def _diag(self, X):
        return np.array([self._block([x], None)[0, 0] for x in X])

    def _between(self, x, U, y=None, V=None):
        """Σ_u Σ_v x_iu N(d(u, v)) y_jv, for counts x and y of the n-grams U and V.

        Without y and V, one half of the sum for x and U themselves: of (u, v) and (v, u) only one, and half of (u, u).
        """
        common = self._common()
        symmetric = y is None
        y, V = (x, U) if symmetric else (y, V)
        x, y, rows = x.T.tocsr(), y.T.tocsr(), max(1, PAIRS_SEARCHED_AT_A_TIME // max(1, V.shape[1]))

        def part(start):
            first = start if symmetric else 0
            u, v, apart = close_pairs(U[:, start : start + rows], V[:, first:], len(common) - 1)
            shares = common[apart]
            if symmetric:
                shares *= np.where(u == v, 0.5, u < v)
            N = sp.csr_array((shares, (u, v)), shape=(min(rows, U.shape[1] - start), V.shape[1] - first))
            return (x[start : start + rows].T @ (N @ y[first:])).toarray()

        return sum(parallel_map(part, range(0, U.shape[1], rows)), np.zeros((x.shape[1], y.shape[1])))

    def _codes(self, grams):
        """A column for each n-gram, with small numbers for its characters."""
        letters = np.array(sorted(map(ord, self.alphabet)), dtype=np.uint32)
        characters = np.array(grams, dtype=f"<U{self.n}").view("<u4").reshape(len(grams), self.n)
        return np.searchsorted(letters, characters.T).astype(np.min_scalar_type(len(letters)))

    def _common(self):
        """N(0), N(1), …, N(min(n, 2m)), or ValueError if N(0), the largest, is too large."""
        n, m, size = int(self.n), int(self.m), len(self.alphabet)
        if common_neighbours(n, m, size, 0) > LARGEST_FLOAT:
            raise ValueError(f"{self.formula} counts more strings than a number can hold: lower m or n.")
        return np.array([common_neighbours(n, m, size, d) for d in range(min(n, 2 * m) + 1)], dtype=float)


class Subsequence(StringKernel):
    """k(x, x') = Σ_s φ_s(x) φ_s(x'), φ_s(x) = Σ_i decay^(i_n − i_1 + 1), over all strings s of n characters.

    The sum in φ is over all choices i of n places i_1 < … < i_n where s occurs in x, with or without gaps. The more s
    is stretched, the less it counts. Dynamic programming finds k in O(n |x| |x'|) steps: the Gram matrix of 100
    strings of 1000 characters takes about 5 s on one core for n = 2, and about 15 s for n = 4. For a small decay,
    k / decay^(2n) is close to ``Spectrum(n)``. A string shorter than n has no subsequence, and k(x, x) = 0.

    Long strings have large values, and k carries the factor decay^(2n); ``Subsequence().normalized()`` takes out both.

    Parameters
    ----------
    n : int ≥ 1, default 2
    decay : float in (0, 1], default 0.5; per character from the first to the last of a subsequence

    Raises
    ------
    ValueError, when the kernel is used
        a value is too large for a float, as it can be for n in the hundreds and decay near 1, also with
        ``normalized()``; the factor decay^(2n) is too small for a float

    References
    ----------
    Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins (2002), Text classification using string kernels, Journal of
    Machine Learning Research 2.

    >>> Subsequence()(["cat"], ["cart"])  # they share ca, at and ct: 1/2⁴ + 1/2⁵ + 1/2⁷
    array([[0.1015625]])
    """

    psd = True
    _parameter_constraints = {"n": LENGTH, "decay": [SHARE]}

    def __init__(self, n=2, decay=0.5):
        self.n = n
        self.decay = decay

    def _block(self, X, Y):
        return self._scaled(self._sums(X, Y))

    def _diag(self, X):
        return self._scaled(self._own_sums(X))

    def _cosines(self, X, Y):
        sums = self._finite_sums(self._sums(X, Y))
        if Y is None:
            return normalise_block(sums, sums.diagonal().copy())
        return normalise_block(sums, *(self._finite_sums(self._own_sums(Z)) for Z in (X, Y)))

    def _cosine_diag(self, X):
        return np.ones_like(positive_lengths(self._finite_sums(self._own_sums(X)), "row"))

    def _scaled(self, sums):
        """decay^(2n) times the sums, or ValueError if that factor is too small for a float with all its digits."""
        factor = float(self.decay) ** (2 * int(self.n))
        if factor < SMALLEST_NORMAL and sums.any():
            raise ValueError(
                f"{self.formula} gives values too small to compute with, which {self.formula}.normalized() does not."
            )
        return factor * self._finite_sums(sums)

    def _finite_sums(self, sums):
        """The sums, or ValueError if one is too large for a float."""
        if not np.isfinite(sums).all():
            raise ValueError(f"{self.formula} gives values too large to compute with: lower n or decay.")
        return sums

    def _sums(self, X, Y):
        """k(x_i, y_j) / decay^(2n)."""
        return pairwise_block(self._values, [*map(_numbers, X)], None if Y is None else [*map(_numbers, Y)])

    def _own_sums(self, X):
        """k(x_i, x_i) / decay^(2n)."""
        return np.array(parallel_map(lambda x: self._values(x, [x])[0], [*map(_numbers, X)]))

    def _values(self, x, others):
        """k(x, y) / decay^(2n) for each y of the others; all strings are arrays of numbers."""
        longest = max(map(len, others))
        if self.n > min(len(x), longest):
            return np.zeros(len(others))
        columns = np.full((longest, len(others)), -1, dtype=np.int32)  # −1 fills up short strings: it is no character
        for column, y in zip(columns.T, others, strict=True):
            column[: len(y)] = y
        return common_subsequences(x, columns, int(self.n), float(self.decay))


def check_characters(X, alphabet, name):
    """ValueError if a string has a character outside the alphabet, or if the alphabet has a character twice."""
    if len(set(alphabet)) < len(alphabet):
        raise ValueError(f"alphabet must have different characters, got {alphabet!r}.")
    for i, x in enumerate(X):
        if strange := set(x) - set(alphabet):
            raise ValueError(
                f"{name}[{i}] has the character {min(strange)!r}, which is not in the alphabet {alphabet!r}."
            )


def _numbers(x):
    """The characters of a string as integers."""
    return np.fromiter(map(ord, x), dtype=np.int32, count=len(x))

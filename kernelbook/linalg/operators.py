"""Symmetric matrices as solvers see them: whole arrays, and matrices whose rows are computed on demand."""

from abc import ABC, abstractmethod
from functools import cache
from itertools import pairwise

import numpy as np

from kernelbook.linalg import loops
from kernelbook.linalg.row_cache import RowCache
from kernelbook.runtime.parallel import parallel_map, usable_cores

BATCH_ENTRIES = 2**22  # entries of K that are computed together: 32 MB
PARALLEL_ENTRIES = 2**22  # with fewer entries to read, waking a thread costs more than it saves


class Operator(ABC):
    """A symmetric (N, N) matrix K, as solvers see it.

    A solver's variables have the matrix Q_ij = K[rows_i, rows_j]; rows None stands for 0, 1, …, N − 1, where Q is K.

    DualQP, Solution and the estimators need all methods but ``whole``. Only solvers that need the array call it:
    ``interior_point``, and ``smo`` if K is whole. For any other K ``smo`` needs an ``OnDemand``.
    """

    @abstractmethod
    def __len__(self):
        """N."""

    @abstractmethod
    def diagonal(self):
        """K_ii, (N,)."""

    @abstractmethod
    def block(self, rows):
        """K[rows][:, rows], symmetric to the bit."""

    @abstractmethod
    def product(self, rows, beta):
        """Qβ."""

    @abstractmethod
    def absolute_product(self, rows, beta):
        """Σ_j |Q_ij β_j| for each i, or a bound on it: it tells how far rounding may have moved Qβ."""

    @abstractmethod
    def restricted(self, rows):
        """An operator and rows of it that hold K[rows][:, rows]; None stands for all of its rows, in order."""

    @property
    @abstractmethod
    def is_whole(self):
        """Whether all of K has been computed, so that ``whole`` costs nothing."""

    @abstractmethod
    def whole(self):
        """K as an (N, N) array, not a copy."""


class OnDemand(Operator):
    """An Operator whose entries are computed when they are needed, as working sets use it.

    ``smo`` calls ``whole`` only if ``fits`` is true. A K that is never to be formed, such as ZZᵀ for a few features Z,
    returns False from it.

    Attributes
    ----------
    budget : float, the most bytes that entries of K may take
    touched : (N,) bool, the rows that have been computed
    computed : int, the number of entries of K that have been computed; half of the entries of a symmetric block count
    """

    @abstractmethod
    def products(self, rows, beta, keep=None):
        """Qβ and ``absolute_product``. `keep`, (N,) bool, marks the rows of K that will be needed again."""

    def fits(self):
        """Whether all N² entries fit into the budget."""
        return 8 * len(self) ** 2 <= self.budget

    def is_whole_cheaper(self, entries):
        """Whether K fits into the budget and, computed whole, costs no more than this number of entries of its rows.

        The whole K is symmetric, so only half of its N² entries are computed.
        """
        return self.fits() and 2 * entries >= len(self) ** 2


class Dense(Operator):
    """A symmetric (N, N) array."""

    is_whole = True

    def __init__(self, K):
        self._K = K

    def __len__(self):
        return len(self._K)

    def diagonal(self):
        return self._K.diagonal()

    def block(self, rows):
        block = np.empty((len(rows), len(rows)))
        _in_slices(lambda span: loops.copy_block(self._K, rows[span], rows, block[span]), *block.shape)
        return block

    def product(self, rows, beta):
        if len(beta) < len(self):  # Q is smaller than K, as for one pair of many classes
            return loops.product(self._K, rows, beta)
        return per_variable(rows, self._K @ row_sums(rows, beta, len(self)))

    def absolute_product(self, rows, beta):
        return loops.absolute_product(self._K, np.arange(len(self)) if rows is None else rows, beta)

    def restricted(self, rows):
        return self, rows

    def whole(self):
        return self._K


class Rows(OnDemand):
    """A symmetric (N, N) matrix K by its rows, for a K that is too large to be computed, or mostly not needed.

    Rows are computed in batches and dropped after use, except those that the caller wants to keep. If the kept rows
    would take more than `budget`, the least recently used batches are dropped.

    Parameters
    ----------
    block : function (rows, columns) -> K[rows][:, columns], for arrays of integers or slice(None); with `columns` None
        the columns are `rows`, and the block is symmetric to the bit
    size : int, N
    diagonal : function () -> (N,) array, K_ii
    budget : float, the most bytes that kept rows may take

    Attributes
    ----------
    budget, touched, computed : as in OnDemand

    >>> x = np.arange(-4.0, 5)
    >>> def block(rows, columns):
    ...     return np.outer(x[rows], x[rows if columns is None else columns])
    >>> K = Rows(block, size=9, diagonal=lambda: x**2, budget=1e6)
    >>> print(K.product(None, np.eye(9)[0]), K.touched.sum())  # the first row, and no other
    [ 16.  12.   8.   4.   0.  -4.  -8. -12. -16.] 1
    """

    def __init__(self, block, size, diagonal, budget):
        self._compute, self._size, self._diagonal, self.budget = block, size, cache(diagonal), budget
        self.touched, self.computed = np.zeros(size, bool), 0
        self._cache = RowCache(size, budget)
        self._last = None  # the rows and the β of the last products, and these products
        self._dense = None  # K, once it has been computed whole

    def __len__(self):
        return self._size

    def diagonal(self):
        return self._diagonal()

    def block(self, rows):
        if self._dense is not None:
            return self._dense.block(rows)
        self.computed += len(rows) ** 2 // 2
        return self._compute(rows, None)

    def restricted(self, rows):
        if self._dense is not None:
            return self._dense.restricted(rows)

        def block(i, j):
            return self._compute(rows[i], None if j is None else rows[j])

        return Rows(block, len(rows), lambda: self.diagonal()[rows], self.budget), None

    @property
    def is_whole(self):
        return self._dense is not None

    def whole(self):
        if self._dense is None:
            self._cache.clear()
            self._last = None
            self._dense = Dense(self.block(np.arange(len(self))))
            self.touched[:] = True
        return self._dense.whole()

    def product(self, rows, beta):
        return self._dense.product(rows, beta) if self._dense is not None else self._remembered(rows, beta)[0]

    def absolute_product(self, rows, beta):
        return self._dense.absolute_product(rows, beta) if self._dense is not None else self._remembered(rows, beta)[1]

    def products(self, rows, beta, keep=None):
        """Qβ and |Q||β| in one pass over the rows of K with β ≠ 0. Rows with `keep`, (N,) bool, stay in memory."""
        if self._dense is not None:
            return self._dense.product(rows, beta), self._dense.absolute_product(rows, beta)
        sums = self._sums(row_sums(rows, beta, len(self)), row_sums(rows, np.abs(beta), len(self)), keep)
        return tuple(per_variable(rows, total) for total in sums)

    def _remembered(self, rows, beta):
        """Both products of β, computed once: solvers ask for the gradient at a β and then for its rounding."""
        asked = beta if rows is None else np.stack([rows, beta])
        if self._last is None or not np.array_equal(self._last[0], asked):
            self._last = asked.copy(), self.products(rows, beta)
        return self._last[1]

    def _sums(self, v, sizes, keep):
        """Kv and |K| sizes. The sizes are nonzero wherever v is nonzero."""
        totals, wanted = np.zeros((2, len(self))), np.flatnonzero(sizes)
        for rows, values, places in self._cache.find(wanted):
            self._add_rows(values, places, v[rows], sizes[rows], totals)
        missing, height = self._cache.missing(wanted), max(1, BATCH_ENTRIES // len(self))
        for start in range(0, len(missing), height):
            rows = missing[start : start + height]
            values = self._compute(rows, slice(None))
            self.computed += len(rows) * len(self)
            self.touched[rows] = True
            self._add_rows(values, np.arange(len(rows)), v[rows], sizes[rows], totals)
            if keep is not None:
                self._cache.keep(rows, values, np.flatnonzero(keep[rows]))
        return totals

    @staticmethod
    def _add_rows(values, places, factors, sizes, totals):
        """Add the rows at these places of `values` to both totals."""

        def add(span):
            loops.add_rows(values[:, span], places, factors, totals[0, span])
            loops.add_absolute_rows(values[:, span], places, sizes, totals[1, span])

        _in_slices(add, totals.shape[1], len(places))


def row_sums(rows, beta, size):
    """The sum of the β that share each row of K, (N,): Qβ is K times these sums, read at `rows`."""
    return beta if rows is None else np.bincount(rows, beta, size)


def per_variable(rows, values):
    """For each variable, the value that belongs to its row of K."""
    return values if rows is None else values[rows]


def combine_rows(K, rows, factors):
    """Σ_r factors_r K[rows_r], (N,), for an array K: of few rows quicker than K @ v, but with more rounding."""
    total = np.zeros(len(K))
    _in_slices(lambda span: loops.add_rows(K[:, span], rows, factors, total[span]), len(total), len(rows))
    return total


def _in_slices(work, count, length):
    """Call work(slice) for 0 … count − 1, in one slice or, if there is enough work, in one per core.

    Each number stands for `length` entries to read.
    """
    if count * length <= PARALLEL_ENTRIES:
        work(slice(0, count))
    else:
        edges = np.linspace(0, count, usable_cores() + 1).astype(int)
        parallel_map(work, [slice(a, b) for a, b in pairwise(edges)])

"""A matrix that is not there: its rows are computed when they are asked for, and kept while there is room."""

from itertools import pairwise

import numpy as np

from kernelbook.linalg import loops
from kernelbook.runtime.parallel import parallel_map, usable_cores

PIECE = 2**22  # numbers that are computed together: 32 MB


class Rows:
    """A symmetric (N, N) matrix K by its rows, for a K that is too large to be computed, or mostly not needed.

    Rows are computed a few at a time, and given up again, except those that the caller wants to be kept. Where these
    take more than `budget`, those that were kept together the longest ago without being used are given up.

    Parameters
    ----------
    block : function (rows, columns) -> K[rows][:, columns], for arrays of integers or slice(None); with `columns` None
        they are `rows`, and the block is symmetric to the bit
    size : int, N
    diagonal : function () -> (N,) array, K_ii
    budget : float, bytes that rows that are kept may take

    Attributes
    ----------
    touched : (N,) bool, the rows that were computed so far
    computed : int, the numbers of K that were computed so far; a block is symmetric, and half of it counts

    >>> x = np.arange(-4.0, 5)
    >>> def block(rows, columns):
    ...     return np.outer(x[rows], x[rows if columns is None else columns])
    >>> K = Rows(block, size=9, diagonal=lambda: x**2, budget=1e6)
    >>> total, total_of_sizes = np.zeros((2, 9))
    >>> K.add(np.eye(9)[0], total, np.zeros(9), total_of_sizes)
    >>> print(total, K.touched.sum())  # the first row, and no other
    [ 16.  12.   8.   4.   0.  -4.  -8. -12. -16.] 1
    """

    def __init__(self, block, size, diagonal, budget):
        self._compute, self._size, self._diagonal, self.budget = block, size, diagonal, budget
        self.touched, self.computed = np.zeros(size, bool), 0
        self._batch = np.full(size, -1)  # of each row: the batch in which it is kept, −1 for none,
        self._place = np.zeros(size, np.intp)  # and its place there
        self._kept, self._count = {}, 0  # (rows, their values) by batch, the longest unused first
        self._whole = None

    def __len__(self):
        return self._size

    def diagonal(self):
        """K_ii, (N,), computed once."""
        if callable(self._diagonal):
            self._diagonal = self._diagonal()
        return self._diagonal

    def block(self, rows):
        """K[rows][:, rows], symmetric to the bit."""
        self.computed += len(rows) ** 2 // 2
        return self._compute(rows, None)

    def part(self, rows):
        """K[rows][:, rows] by its rows."""
        return Rows(
            lambda some, columns: self._compute(rows[some], None if columns is None else rows[columns]),
            len(rows),
            lambda: self.diagonal()[rows],
            self.budget,
        )

    def whole(self):
        """K itself, which is kept."""
        if self._whole is None:
            self._kept.clear()
            self._batch[:] = -1
            self._whole = self.block(np.arange(len(self)))
            self.touched[:] = True
        return self._whole

    @property
    def is_whole(self):
        return self._whole is not None

    def fits(self):
        """Whether all N² numbers fit into the budget."""
        return 8 * len(self) ** 2 <= self.budget

    def add(self, factors, total, sizes, total_of_sizes, keep=None):
        """total += K @ factors, and total_of_sizes += |K| @ sizes.

        Rows whose factor is 0, and whose size is, are left where they are. Those in `keep`, (N,) bool, are kept.
        """
        terms = factors, total, sizes, total_of_sizes
        wanted = np.flatnonzero((factors != 0) | (sizes != 0))
        if self._whole is not None:
            self._add_rows(self._whole, wanted, wanted, *terms)
            return
        batch = self._batch[wanted]
        for number in np.unique(batch[batch >= 0]):
            rows = wanted[batch == number]
            values = self._kept[number] = self._kept.pop(number)  # now it is the last one used
            self._add_rows(values[1], self._place[rows], rows, *terms)
        missing, height = wanted[batch < 0], max(1, PIECE // len(self))
        for start in range(0, len(missing), height):
            rows = missing[start : start + height]
            values = self._compute(rows, slice(None))
            self.computed += len(rows) * len(self)
            self._add_rows(values, np.arange(len(rows)), rows, *terms)
            self.touched[rows] = True
            if keep is not None:
                self._keep(rows, values, np.flatnonzero(keep[rows]))

    def _add_rows(self, values, places, rows, factors, total, sizes, total_of_sizes):
        """The terms of these rows, whose values stand at the places."""

        def add(part):
            loops.add_rows(values[:, part], places, factors[rows], total[part])
            loops.add_absolute_rows(values[:, part], places, sizes[rows], total_of_sizes[part])

        parallel_map(add, core_slices(len(self), len(rows)))

    def _keep(self, rows, values, chosen):
        chosen = chosen[: int(min(self.budget / (8 * len(self)), len(self)))]
        if not len(chosen):
            return
        rows, values = rows[chosen], values[chosen]  # a copy: a view would keep all of them
        taken = sum(kept.nbytes for _, kept in self._kept.values()) + values.nbytes
        while taken > self.budget:
            oldest, given_up = self._kept.pop(next(iter(self._kept)))
            self._batch[oldest] = -1
            taken -= given_up.nbytes
        self._kept[self._count] = rows, values
        self._batch[rows], self._place[rows] = self._count, np.arange(len(rows))
        self._count += 1


def core_slices(count, length):
    """Slices of 0 … count − 1, each item as long as `length`: one for each core, if there is work for several."""
    cores = usable_cores() if count * length > 2**22 else 1
    edges = np.linspace(0, count, cores + 1).astype(int)
    return [slice(a, b) for a, b in pairwise(edges)]

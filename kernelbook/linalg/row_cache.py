"""A cache of the rows of a matrix that drops those that have not been used for longest."""

import numpy as np


class RowCache:
    """Rows of an (N, N) matrix, kept in the batches in which they were computed.

    If the rows would take more than `budget` bytes, the least recently used batches are dropped.
    """

    def __init__(self, size, budget):
        self.budget = budget
        self._batch = np.full(size, -1)  # the batch in which each row is kept, −1 where it is not kept,
        self._place = np.zeros(size, np.intp)  # and its place in that batch
        self._kept, self._count = {}, 0  # (rows, their values) by batch, the least recently used first

    def batches(self):
        """The values of each batch, the least recently used first."""
        return [values for _, values in self._kept.values()]

    def missing(self, rows):
        """Those of the rows that are not kept."""
        return rows[self._batch[rows] < 0]

    def find(self, wanted):
        """Yield (rows, values, places) for each batch that holds wanted rows, which are values[places]."""
        batch = self._batch[wanted]
        for number in np.unique(batch[batch >= 0]):
            rows = wanted[batch == number]
            _, values = self._kept[number] = self._kept.pop(number)  # moved to the end: the most recently used
            yield rows, values, self._place[rows]

    def keep(self, rows, values, chosen):
        """Keep rows[chosen] and their values as a batch, as many of them as the budget allows."""
        size = len(self._batch)
        chosen = chosen[: int(min(self.budget / (8 * size), size))]
        if not len(chosen):
            return
        rows, values = rows[chosen], values[chosen]  # a copy: a view would keep all of them
        taken = sum(kept.nbytes for kept in self.batches()) + values.nbytes
        while taken > self.budget:
            oldest, dropped = self._kept.pop(next(iter(self._kept)))
            self._batch[oldest] = -1
            taken -= dropped.nbytes
        self._kept[self._count] = rows, values
        self._batch[rows], self._place[rows] = self._count, np.arange(len(rows))
        self._count += 1

    def clear(self):
        """Drop all rows."""
        self._kept.clear()
        self._batch[:] = -1

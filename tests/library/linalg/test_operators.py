"""Rows of K when they are asked for: sums over them, what is kept, what is given up."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelbook import RBF
from kernelbook.linalg import operators as module
from kernelbook.linalg.operators import Rows

N = 30


class Recorded(Rows):
    """Rows of a random K, with what was asked for."""

    def __init__(self, budget=1e9, n=N):
        self.X = np.random.default_rng(0).normal(size=(n, 3))
        self.K, self.asked = RBF(0.3)(self.X) - 0.4, []  # some entries are negative
        self.K *= np.outer(self.X[:, 0], self.X[:, 0])  # no two of the diagonal are equal
        super().__init__(self.values, n, self.K.diagonal, budget)

    def values(self, rows, columns):
        self.asked.append((len(rows), columns is None))
        return self.K[rows][:, rows if columns is None else columns]


def factors(*places, n=N):
    found = np.zeros(n)
    found[list(places)] = np.random.default_rng(1).normal(size=len(places))
    return found


def add(rows, v, keep=True):
    total, nothing = np.ones(len(rows)), np.zeros(len(rows))
    rows.add(v, total, nothing, nothing.copy(), np.full(len(rows), keep))
    return total - 1


@pytest.mark.parametrize("height", [1, 4, 100])
def test_sums_over_rows(monkeypatch, height):
    monkeypatch.setattr(module, "PIECE", height * N)
    rows = Recorded()
    for places in ((3, 5, 6, 20, 29), (5,), (5, 6, 7, 8), ()):
        v, sizes, total, of_sizes = factors(*places), np.zeros(N), np.zeros(N), np.zeros(N)
        sizes[list(places)] = 1 + np.arange(len(places))
        sizes[11] = 2.0  # its factor is 0
        rows.add(v, total, sizes, of_sizes)
        assert_allclose(total, rows.K @ v, atol=1e-14)
        assert_allclose(of_sizes, np.abs(rows.K) @ sizes, atol=1e-14)
        assert_allclose(add(rows, v), rows.K @ v, atol=1e-14)


def test_only_rows_that_are_kept_are_not_computed_again():
    rows = Recorded()
    add(rows, factors(8), keep=False)
    add(rows, factors(8), keep=False)
    assert rows.asked == [(1, False), (1, False)]
    rows = Recorded()
    add(rows, factors(1, 2, 3))
    add(rows, factors(2, 3))
    add(rows, factors(3, 4))
    assert rows.asked == [(3, False), (1, False)]
    assert_array_equal(np.flatnonzero(rows.touched), [1, 2, 3, 4])


def test_the_rows_that_are_longest_unused_are_given_up():
    rows = Recorded(budget=2 * 8 * N)
    for place in (0, 1, 0, 2, 0, 1, 2, 0):  # room for two rows
        assert_allclose(add(rows, factors(place)), rows.K @ factors(place), atol=1e-15)
    assert len(rows.asked) == 3 + 1 + 1 + 1  # 0, 1, 2 in the place of 1, 1 in that of 2, 2 in that of 0, 0 in that of 1


def test_of_rows_that_are_too_many_the_first_are_kept():
    rows = Recorded(budget=2 * 8 * N)
    add(rows, factors(3, 4, 5))
    add(rows, factors(3, 4, 5))
    assert rows.asked == [(3, False), (1, False)]


@pytest.mark.parametrize("budget", [0.0, 8 * N - 1, 3 * 8 * N, 1e9])
def test_rows_never_take_more_than_their_budget(monkeypatch, budget):
    monkeypatch.setattr(module, "PIECE", 2 * N)
    rows, rng = Recorded(budget), np.random.default_rng(0)
    for _ in range(30):
        v = factors(*rng.permutation(N)[: rng.integers(1, 6)])
        assert_allclose(add(rows, v), rows.K @ v, atol=1e-14)
        assert sum(values.nbytes for _, values in rows._kept.values()) <= budget
        assert all(values.base is None and len(values) for _, values in rows._kept.values())  # no view of more


def test_a_part_is_its_own_matrix():
    rows = Recorded(budget=1e4)
    some = np.array([7, 2, 9, 4])
    part, v = rows.part(some), np.array([1.0, 0.0, -2.0, 3.0])
    assert_allclose(add(part, v), rows.K[np.ix_(some, some)] @ v, atol=1e-15)
    assert_array_equal(part.block(np.array([0, 2])), rows.K[np.ix_([7, 9], [7, 9])])
    assert_array_equal(part.diagonal(), rows.K.diagonal()[some])
    assert part.budget == rows.budget
    assert_array_equal(part.whole(), rows.K[np.ix_(some, some)])


def test_the_whole_matrix_is_computed_once_and_used():
    rows = Recorded()
    add(rows, factors(1, 2))
    assert_array_equal(rows.whole(), rows.K)
    assert rows.whole() is rows.whole()
    assert rows.touched.all()
    assert not rows._kept
    assert_allclose(add(rows, factors(1, 5)), rows.K @ factors(1, 5), atol=1e-15)
    assert_array_equal(rows.diagonal(), rows.K.diagonal())
    assert rows.asked == [(2, False), (N, True)]

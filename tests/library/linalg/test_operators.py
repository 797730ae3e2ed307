"""Matrices as solvers see them: their products, which rows are computed, which are kept and dropped."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelbook import RBF
from kernelbook.linalg import operators as module
from kernelbook.linalg.operators import Dense, Rows

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


def product(rows, v, keep=True):
    return rows.products(None, v, np.full(len(rows), keep))[0]


def random_matrix(n=N):
    A = np.random.default_rng(0).normal(size=(n, n))
    return A + A.T


OPERATORS = {"dense": Dense, "rows": lambda K: Rows(lambda i, j: K[i][:, i if j is None else j], N, K.diagonal, 1e9)}


@pytest.mark.parametrize("make", OPERATORS.values(), ids=OPERATORS)
@pytest.mark.parametrize("whole_first", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])  # of β ≠ 0
@pytest.mark.parametrize("m", [None, 5, N, 2 * N])
def test_operators_by_their_definitions(make, whole_first, share, m):
    """For variables on all rows, on a few of them, shuffled, and two on each."""
    rng, K = np.random.default_rng(1), random_matrix()
    rows = {None: None, 5: np.array([7, 2, 9, 29, 0]), N: rng.permutation(N), 2 * N: np.tile(np.arange(N), 2)}[m]
    operator, where = make(K), np.arange(N) if rows is None else rows
    assert operator.is_whole == (make is Dense)
    if whole_first:
        assert_array_equal(operator.whole(), K)
    Q, beta = K[np.ix_(where, where)], rng.normal(size=len(where)) * (rng.random(len(where)) < share)
    for _ in range(2):
        assert_allclose(operator.product(rows, beta), Q @ beta, atol=1e-13)
        assert_allclose(operator.absolute_product(rows, beta), np.abs(Q) @ np.abs(beta), atol=1e-13)
        beta = -beta
    assert_array_equal(operator.block(where[:4]), Q[:4, :4])
    assert_array_equal(operator.diagonal(), K.diagonal())
    assert len(operator) == N


def test_products_of_one_beta_compute_its_rows_once():
    """A gradient and its rounding are asked for one after the other; another β, or other rows, are computed."""
    recorded, rows, beta = Recorded(), np.arange(N)[::-1].copy(), factors(3, 4)
    for _ in range(2):
        recorded.product(None, beta)
        recorded.absolute_product(None, beta)
    assert recorded.asked == [(2, False)]
    for other_rows, other in (rows, beta), (None, 2 * beta), (rows, 2 * beta):
        found = recorded.product(other_rows, other)
        order = slice(None, None, None if other_rows is None else -1)
        assert_allclose(found, recorded.K[order, order] @ other, atol=1e-14)
    assert len(recorded.asked) == 4


def test_products_of_a_whole_matrix_compute_no_row():
    recorded, beta = Recorded(), factors(3, 4)
    recorded.whole()
    asked = list(recorded.asked)
    found, sizes = recorded.products(None, beta)
    assert_allclose(found, recorded.K @ beta, atol=1e-14)
    assert_allclose(sizes, np.abs(recorded.K) @ np.abs(beta), atol=1e-14)
    assert recorded.asked == asked


def test_blocks_and_products_by_several_cores(monkeypatch):
    """In slices that do not divide evenly, of a matrix large enough to be shared."""
    slices, mapped = [], module.parallel_map
    monkeypatch.setattr(module, "usable_cores", lambda: 3)
    monkeypatch.setattr(module, "parallel_map", lambda work, tasks: (slices.append(len(tasks)), mapped(work, tasks)))
    rng, K = np.random.default_rng(0), random_matrix(3001)
    rows, beta = rng.permutation(3001)[:2053], np.zeros(3001)
    used = rng.permutation(3001)[:1450]
    beta[used] = rng.normal(size=1450)
    assert_array_equal(Dense(K).block(rows), K[np.ix_(rows, rows)])
    assert_allclose(module.combine_rows(K, used, beta[used]), K @ beta, atol=1e-10)
    assert slices == [3, 3]


@pytest.mark.parametrize("height", [1, 4, 100])
def test_sums_over_rows(monkeypatch, height):
    monkeypatch.setattr(module, "BATCH_ENTRIES", height * N)
    rows = Recorded()
    for places in ((3, 5, 6, 20, 29), (5,), (5, 6, 7, 8), ()):
        v = factors(*places)
        for _ in range(2):
            found, sizes = rows.products(None, v, np.ones(N, bool))
            assert_allclose(found, rows.K @ v, atol=1e-14)
            assert_allclose(sizes, np.abs(rows.K) @ np.abs(v), atol=1e-14)


def test_variables_of_one_row_that_cancel_keep_their_sizes():
    twice, v = np.tile(np.arange(N), 2), factors(5, 11)
    found, sizes = Recorded().products(twice, np.concatenate([v, -v]))
    assert_array_equal(found, 0)
    assert_allclose(sizes, np.tile(2 * np.abs(Recorded().K) @ np.abs(v), 2), atol=1e-14)


def test_only_rows_that_are_kept_are_not_computed_again():
    rows = Recorded()
    product(rows, factors(8), keep=False)
    product(rows, factors(8), keep=False)
    assert rows.asked == [(1, False), (1, False)]
    rows = Recorded()
    product(rows, factors(1, 2, 3))
    product(rows, factors(2, 3))
    product(rows, factors(3, 4))
    assert rows.asked == [(3, False), (1, False)]
    assert_array_equal(np.flatnonzero(rows.touched), [1, 2, 3, 4])


def test_the_rows_that_are_longest_unused_are_dropped():
    rows = Recorded(budget=2 * 8 * N)
    for place in (0, 1, 0, 2, 0, 1, 2, 0):  # room for two rows
        assert_allclose(product(rows, factors(place)), rows.K @ factors(place), atol=1e-15)
    assert len(rows.asked) == 3 + 1 + 1 + 1  # 0, 1, 2 in the place of 1, 1 in that of 2, 2 in that of 0, 0 in that of 1


def test_of_rows_that_are_too_many_the_first_are_kept():
    rows = Recorded(budget=2 * 8 * N)
    product(rows, factors(3, 4, 5))
    product(rows, factors(3, 4, 5))
    assert rows.asked == [(3, False), (1, False)]


@pytest.mark.parametrize("budget", [0.0, 8 * N - 1, 3 * 8 * N, 1e9])
def test_rows_never_take_more_than_their_budget(monkeypatch, budget):
    monkeypatch.setattr(module, "BATCH_ENTRIES", 2 * N)
    rows, rng = Recorded(budget), np.random.default_rng(0)
    for _ in range(30):
        v = factors(*rng.permutation(N)[: rng.integers(1, 6)])
        assert_allclose(product(rows, v), rows.K @ v, atol=1e-14)
        assert sum(values.nbytes for values in rows._cache.batches()) <= budget
        assert all(values.base is None and len(values) for values in rows._cache.batches())  # no view of more


def test_a_part_is_its_own_matrix():
    rows = Recorded(budget=1e4)
    some = np.array([7, 2, 9, 4])
    (part, places), v = rows.restricted(some), np.array([1.0, 0.0, -2.0, 3.0])
    assert places is None
    assert_allclose(product(part, v), rows.K[np.ix_(some, some)] @ v, atol=1e-15)
    assert_array_equal(part.block(np.array([0, 2])), rows.K[np.ix_([7, 9], [7, 9])])
    assert_array_equal(part.diagonal(), rows.K.diagonal()[some])
    assert part.budget == rows.budget
    assert_array_equal(part.whole(), rows.K[np.ix_(some, some)])


def test_the_whole_matrix_is_computed_once_and_used():
    rows = Recorded()
    product(rows, factors(1, 2))
    assert_array_equal(rows.whole(), rows.K)
    assert rows.whole() is rows.whole()
    assert rows.touched.all()
    assert not rows._cache.batches()
    assert_allclose(rows.product(None, factors(1, 5)), rows.K @ factors(1, 5), atol=1e-15)
    assert_array_equal(rows.diagonal(), rows.K.diagonal())
    assert rows.asked == [(2, False), (N, True)]


@pytest.mark.parametrize("make", OPERATORS.values(), ids=OPERATORS)
@pytest.mark.parametrize("whole_first", [False, True])
def test_the_part_of_an_operator_by_its_definition(make, whole_first):
    """A matrix that is whole is shared, and not copied."""
    K, some = random_matrix(), np.array([7, 2, 9, 4])
    operator = make(K)
    if whole_first:
        operator.whole()
    part, places = operator.restricted(some)
    expected = K[np.ix_(some, some)]
    assert_allclose(part.product(places, np.arange(4.0)), expected @ np.arange(4.0), atol=1e-13)
    assert_array_equal(part.block(np.arange(4) if places is None else places), expected)
    assert part.is_whole == operator.is_whole
    assert not operator.is_whole or part.whole() is operator.whole()


def test_the_whole_matrix_is_cheaper_than_more_than_half_of_its_entries_if_it_fits():
    assert Recorded().is_whole_cheaper(N**2 / 2)
    assert not Recorded().is_whole_cheaper(N**2 / 2 - 1)
    assert Recorded(budget=8 * N**2).is_whole_cheaper(N**2)
    assert not Recorded(budget=8 * N**2 - 1).is_whole_cheaper(N**2)

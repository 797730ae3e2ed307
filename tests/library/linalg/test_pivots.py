"""Randomly pivoted Cholesky: the residual is the Schur complement, and pivots have the law of plain drawing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare

from kernelbook import RBF, Linear, Sigmoid
from kernelbook.linalg import pivots
from kernelbook.linalg.pivots import randomly_pivoted_cholesky

HAND = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
X = np.random.default_rng(0).normal(size=(60, 2))


def of_matrix(K, count, seed=0, **options):
    return randomly_pivoted_cholesky(
        K.diagonal(), lambda i, j: K[i][:, j], count, np.random.RandomState(seed), **options
    )


def plain(K, count, rng):
    """The pivots drawn one after another, as the definition says."""
    left, drawn = K.copy(), []
    for _ in range(count):
        d = left.diagonal().clip(0)
        drawn.append(rng.choice(len(d), p=d / d.sum()))
        left -= np.outer(left[:, drawn[-1]], left[drawn[-1]]) / left[drawn[-1], drawn[-1]]
    return drawn


@pytest.mark.parametrize("count", [1, 5, 30])
def test_what_is_left_is_the_schur_complement(count):
    K = RBF(0.5)(X)
    drawn, F, left = of_matrix(K, count)
    assert len(set(drawn)) == len(drawn) == count
    explained = K[:, drawn] @ np.linalg.solve(K[np.ix_(drawn, drawn)], K[drawn])
    assert_allclose(F @ F.T, explained, atol=1e-8)
    assert_allclose(left, (K - explained).diagonal(), atol=1e-8)
    assert_array_equal(left[drawn], 0)
    assert_allclose(F[drawn], np.linalg.cholesky(K[np.ix_(drawn, drawn)]), atol=1e-8)  # pivots in order: triangular


def test_by_hand():
    left = {int(drawn[0]): left.sum() for drawn, _, left in (of_matrix(HAND, 1, seed) for seed in range(20))}
    assert left == {0: 1.75, 1: 1.75, 2: 2.0}
    assert {of_matrix(HAND, 2, seed)[2].sum() for seed in range(20)} == {0.75, 1.0}  # {1, 3} or {2, 3}; {1, 2}


@pytest.mark.parametrize("proposals", [1, 3, 128])
def test_pairs_of_pivots_have_the_law_of_plain_drawing(proposals, monkeypatch):
    monkeypatch.setattr(pivots, "PROPOSALS", proposals)
    K = RBF(0.3)(X[:5]) * np.outer([1, 2, 1, 1, 3], [1, 2, 1, 1, 3])
    chances = {}
    for first in range(5):
        left = K - np.outer(K[:, first], K[first]) / K[first, first]
        for second in range(5):
            chances[first, second] = K[first, first] / np.trace(K) * max(left[second, second], 0) / np.trace(left)
    draws = [tuple(map(int, of_matrix(K, 2, seed)[0])) for seed in range(1500)]
    possible = [pair for pair, chance in chances.items() if chance > 1e-9]
    assert set(draws) <= set(possible)
    counts = np.array([draws.count(pair) for pair in possible])
    assert chisquare(counts, 1500 * np.array([chances[pair] for pair in possible])).pvalue > 1e-3


def test_the_trace_left_has_the_law_of_plain_drawing():
    points = np.vstack([0.05 * X, np.arange(10, 22.0)[:, None] * [5, -5]])  # a blob and 12 points on their own
    K = RBF(1.0)(points)
    accelerated = [of_matrix(K, 14, seed)[2].sum() for seed in range(200)]
    one_by_one = []
    for seed in range(200):
        rows = plain(K, 14, np.random.RandomState(seed))
        one_by_one.append(np.trace(K - K[:, rows] @ np.linalg.pinv(K[np.ix_(rows, rows)], 1e-12) @ K[rows]))
    error = np.hypot(np.std(accelerated), np.std(one_by_one)) / np.sqrt(200)
    assert abs(np.mean(accelerated) - np.mean(one_by_one)) < 4 * error


def test_it_stops_at_rounding():
    assert len(of_matrix(Linear()(X), 60)[0]) == 2
    copies = np.repeat(X[:5], 12, axis=0)
    assert len(of_matrix(RBF(0.5)(copies), 60)[0]) == 5
    assert len(of_matrix(RBF(0.5)(copies).astype(np.float32), 60)[0]) == 5  # of copies nothing is left, to the bit
    single = RBF(0.01)(X).astype(np.float32)
    assert len(of_matrix(single, 60, epsilon=2.0**-23)[0]) < len(of_matrix(RBF(0.01)(X), 60)[0]) < 60
    drawn, F, left = of_matrix(np.zeros((3, 3)), 2)
    assert (len(drawn), F.shape, left.tolist()) == (0, (3, 0), [0, 0, 0])


def test_a_short_object_is_not_lost_beside_a_long_one():
    size = np.array([1e6, 1.0, 1.0, 1e-6])
    K = HAND[[0, 1, 2, 2]][:, [0, 1, 2, 2]] + np.diag([0, 0, 0, 1.0])
    drawn, _, left = of_matrix(K * np.outer(size, size), 4)
    assert sorted(drawn) == [0, 1, 2, 3]
    assert_array_equal(left, 0)


@pytest.mark.parametrize("scale", [2.0**-200, 2.0**200])
def test_units_change_nothing(scale):
    K = RBF(0.5)(X)
    expected, found = of_matrix(K, 20), of_matrix(scale * K, 20)
    assert_array_equal(found[0], expected[0])
    assert_array_equal(found[2] / scale, expected[2])


@pytest.mark.parametrize(
    "K",
    [np.array([[1.0, 2.0], [2.0, 1.0]]), np.diag([1.0, -1.0]), Sigmoid(5.0, 1.0)(X), -RBF(1.0)(X)],
    ids=["pair", "diagonal", "sigmoid", "negative"],
)
def test_an_indefinite_matrix_is_refused(K):
    with pytest.raises(ValueError, match=r"^pivoted landmarks need a kernel that is PSD, but some k\(x, x\)"):
        of_matrix(K, len(K))


def test_a_matrix_in_single_precision_is_not_refused():
    single = RBF(0.01)(X).astype(np.float32)
    for seed in range(20):
        drawn, _, left = of_matrix(single, 60, seed)  # as if in double precision
        assert (left >= 0).all()
        assert len(set(drawn)) == len(drawn)

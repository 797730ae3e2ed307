"""Arithmetic on Gram blocks, against exact arithmetic."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from kernelbook.kernels import RBF, Laplacian, Linear
from kernelbook.linalg import blocks as gram_blocks
from kernelbook.linalg.blocks import distance_block, integer_power, squared_distance_block, squared_distance_from
from kernelbook.linalg.gram import gram_matrix


def exact_squared_distances(X, Y):
    """‖x − y‖² in rational arithmetic, rounded once."""
    X, Y = ([[Fraction(value) for value in row] for row in Z.tolist()] for Z in (X, Y))
    return np.array([[float(sum((a - b) ** 2 for a, b in zip(x, y, strict=True))) for y in Y] for x in X])


def clouds():
    r = np.random.default_rng(3)
    Z = r.normal(size=(24, 3))
    pairs = np.repeat(Z[:12], 2, axis=0)
    return {
        "random": Z,
        "many columns": r.normal(size=(24, 40)),
        "far from the origin": Z + 1e6,
        "columns of different size": Z * [1e6, 1.0, 1e-6],
        "close": pairs + 1e-4 * Z,
        "nearly coincident": pairs + 1e-9 * Z,
        "nearly coincident and far": pairs + 1e6 + 1e-6 * Z,
        "two narrow clusters": np.vstack([1e-7 * Z[:12], 1 + 1e-7 * Z[12:]]),
        "coincident": pairs,
        "one point": Z[:1],
    }


@pytest.mark.parametrize("tile", [5, 512])
@pytest.mark.parametrize("cloud", clouds())
def test_squared_distances_are_right_to_twelve_digits(cloud, tile, monkeypatch):
    monkeypatch.setattr(gram_blocks, "TILE", tile)
    X = clouds()[cloud]
    exact = exact_squared_distances(X, X)
    D = squared_distance_block(X, None)
    assert_allclose(D, exact, rtol=1e-12)
    assert_array_equal(D, D.T)
    assert_array_equal(D.diagonal(), 0)
    assert_allclose(squared_distance_block(X, X[::2]), exact[:, ::2], rtol=1e-12)


@pytest.mark.parametrize("kernel", [Linear(), RBF(gamma=1.0), Laplacian(gamma=1.0), Laplacian(gamma=1.0, norm=1)])
def test_distance_in_feature_space_keeps_its_digits_for_close_points(kernel):
    step = 2.0**-30
    found = kernel.distance(np.array([[1.0], [1 + step], [3.0]]))[0, 1]
    squared = {"Linear": step**2, "RBF": -2 * np.expm1(-(step**2)), "Laplacian": -2 * np.expm1(-step)}
    assert_allclose(found, np.sqrt(squared[type(kernel).__name__]), rtol=1e-12)


@pytest.mark.parametrize("shift", [0, 1e6])
def test_points_well_apart_are_not_computed_twice(shift, monkeypatch):
    monkeypatch.setattr(gram_blocks.loops, "squared_differences", None)
    apart = 10 * np.eye(9)
    assert_allclose(squared_distance_block(apart + shift, None), 200 * (1 - np.eye(9)), rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 5, 30])
def test_squared_differences_are_those_of_scipy_to_the_bit(d):
    r = np.random.default_rng(d)
    X, Y, D = r.normal(size=(40, d)), r.normal(size=(50, d)), np.empty((40, 50))
    gram_blocks.loops.squared_differences(X, Y, np.ones(d), D)
    assert_array_equal(D, cdist(X, Y, "sqeuclidean"))
    weights = r.uniform(0.25, 1, size=d)
    gram_blocks.loops.squared_differences(X, Y, weights, D)
    assert_allclose(D, cdist(X, Y, "sqeuclidean", w=weights), rtol=1e-14)


def test_far_second_cloud():
    r = np.random.default_rng(4)
    X, Y = r.normal(size=(6, 2)), 1e6 + r.normal(size=(5, 2))
    assert_allclose(squared_distance_block(X, Y), exact_squared_distances(X, Y), rtol=1e-12)


@pytest.mark.parametrize("n", [gram_blocks.TILE - 1, gram_blocks.TILE, gram_blocks.TILE + 1, 2 * gram_blocks.TILE + 1])
def test_tiles_cover_the_block(n):
    r = np.random.default_rng(n)
    X, Y = r.normal(size=(n, 4)), r.normal(size=(gram_blocks.TILE + 2, 4))
    D = squared_distance_block(X, None)
    assert_array_equal(D, D.T)
    assert_array_equal(D.diagonal(), 0)
    assert_allclose(D, cdist(X, X, "sqeuclidean"), rtol=1e-11)
    assert_allclose(squared_distance_block(X, Y), cdist(X, Y, "sqeuclidean"), rtol=1e-11)


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean", "cityblock"])
@pytest.mark.parametrize("weights", [None, np.array([0.5, 1.0, 0.25])], ids=["plain", "weighted"])
def test_distances_in_every_metric_are_those_of_scipy(metric, weights, monkeypatch):
    monkeypatch.setattr(gram_blocks, "TILE", 16)
    X, Y = np.random.default_rng(5).normal(size=(2, 50, 3))
    D = distance_block(X, None, metric, weights=weights)
    assert_array_equal(D, D.T)
    assert_array_equal(D.diagonal(), 0)
    assert_allclose(D, cdist(X, X, metric, w=weights), rtol=1e-12)
    doubled = distance_block(X, Y[:20], metric, lambda d: 2 * d, weights)
    assert_allclose(doubled, 2 * cdist(X, Y[:20], metric, w=weights), rtol=1e-12)


@pytest.mark.parametrize("n", [7, 40])
def test_a_function_is_applied_once_to_every_entry(n, monkeypatch):
    monkeypatch.setattr(gram_blocks, "TILE", 16)
    X = np.random.default_rng(n).normal(size=(n, 2))

    for Y in None, X[:3]:
        assert_array_equal(squared_distance_block(X, Y, lambda d2: d2 + 1), squared_distance_block(X, Y) + 1)


def test_an_error_in_one_tile_is_raised(monkeypatch):
    monkeypatch.setattr(gram_blocks, "TILE", 4)

    def fail(D):
        raise FloatingPointError("from a tile")

    with pytest.raises(FloatingPointError, match="from a tile"):
        squared_distance_block(np.eye(9), None, fail)


numbers = st.floats(-1e3, 1e3)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(arrays(float, st.tuples(st.integers(1, 6), st.just(2)), elements=numbers), st.integers(0, 5))
def test_squared_distances_of_any_points(X, copied):
    X = np.vstack([X, X[[copied % len(X)]]])  # hypothesis likes repeated and tiny values; one repeat is certain
    D = squared_distance_block(X, None)
    assert_array_equal(D, D.T)
    assert D[copied % (len(X) - 1), -1] == 0
    assert_allclose(D, cdist(X, X, "sqeuclidean"), rtol=1e-11, atol=1e-300)


def test_inputs_stay_as_they_were():
    X, Y = np.random.default_rng(0).normal(size=(2, 6, 3))
    X.flags.writeable = Y.flags.writeable = False
    squared_distance_block(X, None)
    squared_distance_block(X, Y)


@pytest.mark.parametrize("exponent", range(1, 13))
def test_integer_power(exponent):
    K = np.random.default_rng(0).uniform(-2, 2, size=(4, 5))
    assert_allclose(integer_power(K.copy(), exponent), K**exponent, rtol=1e-14)
    whole = np.array([[1.0, 2.0, 3.0]])
    assert_array_equal(integer_power(whole, exponent), [[1, 2**exponent, 3**exponent]])


def test_squared_distance_from_gram_blocks():
    X, Y = np.random.default_rng(1).normal(size=(2, 5, 3))
    x, y = (X**2).sum(axis=1), (Y**2).sum(axis=1)
    assert_allclose(squared_distance_from(X @ Y.T, x, y), cdist(X, Y, "sqeuclidean"), rtol=1e-12)
    own = squared_distance_from(X @ X.T, x)
    assert_allclose(own, cdist(X, X, "sqeuclidean"), rtol=1e-12)
    assert_array_equal(own.diagonal(), 0)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])  # the tolerance is relative to the matrix
def test_gram_matrix_evens_out_rounding_and_nothing_more(scale):
    for rounding in 1e-12, 1e-7, 1.5e-6:
        K = scale * np.array([[2.0, 1.0], [1.0 + rounding, 2.0]])
        G = gram_matrix(K, "K")
        assert G[0, 1] == G[1, 0] == pytest.approx(scale * (1 + rounding / 2), rel=1e-15)
        assert K[0, 1] == scale
    with pytest.raises(ValueError, match=r"K must be symmetric, but K\[0, 1\] = \S+ and K\[1, 0\] = ") as raised:
        gram_matrix(scale * np.array([[2.0, 1.0], [1.0 + 3e-6, 2.0]]), "K")
    one, other = (float(text.split()[0].rstrip(".")) for text in str(raised.value).split("= ")[1:])
    assert one != other


def test_a_matrix_in_single_precision_is_a_gram_matrix():
    X = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    K = np.exp(-cdist(X, X, "sqeuclidean").astype(np.float32) * (1 + 2e-8 * np.arange(50, dtype=np.float32)))
    assert (K != K.T).any()
    G = gram_matrix(K, "K")
    assert G.dtype == np.float64
    assert (G == G.T).all()
    assert_allclose(G, K, rtol=1e-5)


@pytest.mark.parametrize(("row", "column"), [(0, 1), (3, 599), (255, 256), (400, 300), (511, 513), (599, 598)])
def test_gram_matrix_finds_the_entry_that_is_not_symmetric(row, column):
    K = np.eye(600)
    K[row, column] = 0.5
    i, j = min(row, column), max(row, column)
    with pytest.raises(ValueError, match=rf"K\[{i}, {j}\] = .* and K\[{j}, {i}\] = "):
        gram_matrix(K, "K")


def test_gram_matrix_is_checked_in_little_memory():
    K = RBF(1.0)(np.random.default_rng(0).normal(size=(1500, 2)))
    tracemalloc.start()
    assert gram_matrix(K, "K") is K
    assert tracemalloc.get_traced_memory()[1] < 0.5 * K.nbytes
    tracemalloc.stop()

"""Kernels on pairs of objects."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from kernelbook.kernels import (
    RBF,
    Columns,
    Diffusion,
    DirectSum,
    GeneralLinear,
    Linear,
    Overlap,
    Pairwise,
    Precomputed,
    Spectrum,
    TensorProduct,
)

rng = np.random.default_rng(0)
VECTORS, WORDS = rng.normal(size=(6, 2)), ["a", "ab", "ba", "bb", "aab", "bab"]
X = list(zip(VECTORS, WORDS, strict=True))
K = rng.normal(size=(5, 5))
K = K @ K.T


@pytest.mark.parametrize(("kernel", "join"), [(DirectSum, np.add), (TensorProduct, np.multiply)])
def test_two_kinds_join_their_kernels(kernel, join):
    left, right = RBF(0.5), Spectrum(1)
    expected = join(left(VECTORS), right(WORDS))
    made = kernel(left, right)
    assert_allclose(made(X), expected)
    assert_allclose(made(X, X[:2]), expected[:, :2])
    assert_allclose(made.diag(X), np.diagonal(expected))


def test_pairwise_tries_both_matches():
    base, nodes = Precomputed(K), [(0, 1), (1, 0), (2, 2), (3, 4)]
    expected = [[K[a, c] * K[b, d] + K[a, d] * K[b, c] for c, d in nodes] for a, b in nodes]
    assert_allclose(Pairwise(base)(nodes), expected)
    assert_allclose(Pairwise(base)(nodes, nodes[1:]), np.array(expected)[:, 1:])
    assert_allclose(Pairwise(base).diag(nodes), np.diagonal(expected))
    assert_allclose(Pairwise(base)(np.array(nodes)), expected)
    swapped = [(b, a) for a, b in nodes]
    assert_allclose(Pairwise(base)(swapped, nodes), expected)


def test_parts_see_their_halves():
    kernel = clone(DirectSum(RBF("median"), Spectrum(1))).fit(X)
    assert kernel.left.gamma_ == RBF("median").fit(VECTORS).gamma_
    pairs = [(VECTORS[0], VECTORS[1]), (VECTORS[2], VECTORS[3])]
    assert Pairwise(RBF("median")).fit(pairs).base.gamma_ == RBF("median").fit(VECTORS[:4]).gamma_
    assert_array_equal(kernel.set_params(left__gamma=2.0)(X), DirectSum(RBF(2.0), Spectrum(1))(X))


def test_one_kernel_on_both_sides_is_fitted_to_each():
    shared, pairs = RBF("scale"), [([0.0], [10.0]), ([1.0], [30.0]), ([3.0], [0.0])]
    expected = DirectSum(RBF("scale"), RBF("scale")).fit(pairs)(pairs)
    assert_array_equal(DirectSum(shared, shared).fit(pairs)(pairs), expected)


def test_pairs_are_compared_alike_in_both_directions():
    pairs = np.random.default_rng(0).normal(size=(60, 2, 3))
    for base in RBF(0.3), GeneralLinear([[2.0, 1.0, 0.0], [1.0, 2.0, 0.3], [0.0, 0.3, 1.0]]):
        K = Pairwise(base)(pairs)  # base(a, b) and base(b, a) may differ in the last bits
        assert_array_equal(K, K.T)


def test_promises_come_from_the_parts():
    sure, unsure = Linear(), -1 * Linear()
    for kernel in DirectSum, TensorProduct:
        assert kernel(sure, sure).psd
        assert not kernel(sure, unsure).psd
        assert not kernel(unsure, sure).conditionally_psd
    assert Pairwise(sure).psd
    assert not Pairwise(unsure).psd


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: DirectSum(Linear(), Linear())("ab"), "X must be a list of pairs, got 'ab'"),
        (lambda: DirectSum(Linear(), Linear())([]), "X must hold at least one pair"),
        (lambda: DirectSum(Linear(), Spectrum())(["ab"]), r"X must be a list of pairs \(x, y\), but X\[0\] is 'ab'"),
        (lambda: DirectSum(Linear(), Spectrum())([([1.0], "a", 3)]), r"X\[0\] is \(\[1\.0\], 'a', 3\)"),
        (lambda: DirectSum(Linear(), Spectrum())([("a", [1.0])]), "object 0 of each pair in X must"),
        (lambda: DirectSum(Linear(), Spectrum())([([1.0], 2)]), "object 1 of each pair in X must"),
        (
            lambda: DirectSum(Linear(), Spectrum())([(1.0, "a")]),
            r"your data: a row is a list, \[x\] if it is one num",
        ),
        (lambda: Pairwise(Linear())([frozenset({0, 1})]), r"list of pairs \(x, y\), but X\[0\] is frozenset"),
        (lambda: Pairwise(Linear())({"a": 1}), "X must be a list of pairs, got {'a': 1}"),
        (lambda: Pairwise(Diffusion([[0, 1], [1, 0]]))([(0, 2)]), "object 1 of each pair in X must be a list of nodes"),
        (
            lambda: DirectSum(Linear(), Spectrum())([([1.0], "a")], [([1.0, 2.0], "a")]),
            "same number of columns, but X has 1 and Y has 2",
        ),
    ],
)
def test_bad_input(attempt, message):
    with pytest.raises(ValueError, match=message):
        attempt()


@pytest.mark.parametrize("make", [pd.DataFrame, lambda X: pd.Series(X, index=[7] * len(X)), np.array])
def test_pairs_come_in_many_collections(make):
    nodes = [(0, 1), (1, 0), (2, 2), (3, 4)]
    assert_array_equal(Pairwise(Precomputed(K))(make(nodes)), Pairwise(Precomputed(K))(nodes))


def test_two_columns_of_a_table_are_pairs():
    frame = pd.DataFrame({"from": [0, 2, 3], "to": [1, 2, 4], "name": ["a", "b", "ab"]}, index=[5, 5, "x"])
    kernel = Columns([(["from", "to"], Pairwise(Precomputed(K))), ("name", Spectrum(1))])
    pairs = list(zip(frame["from"], frame["to"], strict=True))
    assert_allclose(kernel(frame), Pairwise(Precomputed(K))(pairs) + Spectrum(1)(frame["name"]))


@pytest.mark.parametrize("base", [Linear(), RBF(1.0), Overlap()], ids=repr)
def test_both_objects_of_a_pair_are_as_wide(base):
    for pairs in [([1.0], [1.0, 2.0])], [([1.0, 2.0], [1.0])]:
        for attempt in Pairwise(base), Pairwise(base).diag, Pairwise(base).fit:
            with pytest.raises(ValueError, match="same number of columns"):
                attempt(pairs)

"""Kernels on sets, against counting."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import jaccard_score

from kernelbook import KernelPCA
from kernelbook.kernels import (
    RBF,
    Columns,
    Jaccard,
    Linear,
    Overlap,
    Precomputed,
    RussellRao,
    SetKernel,
    SimpleMatching,
    Spectrum,
    sets,
)

BITS = np.random.default_rng(0).integers(0, 2, size=(12, 7))
SETS = [set(np.flatnonzero(row).tolist()) for row in BITS]


def brute(kernel, X, Y):
    return np.array([[kernel(x, y) for y in Y] for x in X])


def test_binary_kernels_count_matches():
    assert_allclose(RussellRao()(BITS), brute(lambda x, y: np.mean(x * y), BITS, BITS))
    assert_allclose(SimpleMatching()(BITS), brute(lambda x, y: np.mean(x == y), BITS, BITS))
    assert_allclose(RussellRao().diag(BITS), BITS.mean(axis=1))


def test_simple_matching_counts_what_both_lack():
    x, y = [[1, 0, 0, 0]], [[0, 0, 0, 1]]
    assert SimpleMatching()(x, y) == 0.5
    assert RussellRao()(x, y) == 0


def test_jaccard_is_scikit_learns():
    expected = brute(lambda x, y: jaccard_score(x, y, zero_division=1), BITS, BITS)
    assert_allclose(Jaccard()(BITS), expected)
    assert_allclose(Jaccard()(SETS), expected)
    assert_allclose(Jaccard()(SETS, [frozenset(SETS[0])]), expected[:, :1])


def test_two_empty_sets_are_alike():
    assert_array_equal(Jaccard()([set(), {1}]), np.eye(2))
    assert_array_equal(Jaccard()([[0, 0], [0, 1]]), np.eye(2))
    assert_array_equal(Jaccard().diag([set(), {1}]), [1, 1])


def test_members_of_any_kind():
    assert_allclose(Jaccard()([{"a", 1, (2, 3)}, {(2, 3), None}]), [[1, 0.25], [0.25, 1]])


@pytest.mark.parametrize("base", [RBF(0.5), Linear(), RBF(0.5) * Linear()], ids=repr)
def test_a_set_kernel_sums_over_all_pairs_of_members(base, monkeypatch):
    monkeypatch.setattr(sets, "MOST_MEMBERS", 4)  # several batches
    rng = np.random.default_rng(1)
    X, Y = ([rng.normal(size=(n, 2)) for n in sizes] for sizes in ((3, 1, 4, 2), (2, 5)))
    expected = brute(lambda x, y: base(x, y).sum(), X, Y)
    assert_allclose(SetKernel(base)(X, Y), expected)
    assert_allclose(SetKernel(base)(X), brute(lambda x, y: base(x, y).sum(), X, X))
    assert_allclose(SetKernel(base).diag(X), [base(x).sum() for x in X])


def test_sets_of_strings_and_empty_sets():
    X = [{"ab", "bc"}, set(), ["ab", "ab"]]
    assert_array_equal(SetKernel(Spectrum(2))(X), [[2, 0, 2], [0, 0, 0], [2, 0, 4]])
    assert_array_equal(SetKernel(Spectrum(2)).diag(X), [2, 0, 4])
    assert_array_equal(SetKernel(Spectrum(2))([set()]), [[0]])


def test_the_kernel_of_equality_counts_the_intersection():
    X = [[[v] for v in s] for s in SETS if s]
    assert_allclose(SetKernel(Overlap())(X), brute(lambda x, y: len(x & y), *[[s for s in SETS if s]] * 2))


def test_fit_sees_all_members():
    X = [np.array([[0.0], [1.0]]), np.array([[3.0]])]
    kernel = SetKernel(RBF("median")).fit(X)
    assert kernel.base.gamma_ == RBF("median").fit(np.concatenate(X)).gamma_


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: RussellRao()([[0, 2]]), "X must hold 0 and 1 only, got 2"),
        (lambda: SimpleMatching()([[0, 1]], [[0, 1, 1]]), "same number of columns"),
        (lambda: Jaccard()([{1}, [2]]), r"X must hold sets only, but X\[1\] is \[2\]"),
        (lambda: Jaccard()([[0.5, 1]]), "X must hold 0 and 1 only, got 0.5"),
        (lambda: Jaccard()([{1}], [[0, 1]]), "must both be lists of sets, or both arrays of 0 and 1"),
        (lambda: Jaccard()("ab"), "X must be a list of sets, or an array of 0 and 1, got 'ab'"),
        (lambda: Jaccard()({1, 2}), "X must be a list of sets, or an array of 0 and 1, got {1, 2}"),
        (lambda: Jaccard()([["a", "b"], ["b"]]), "X must be a list of sets, or an array of 0 and 1: .* inhomogeneous"),
        (lambda: Jaccard()(["ab", "b"]), "X must be a list of sets, or an array of 0 and 1: .* string to float: 'ab'"),
        (lambda: Jaccard()({"a": {1}}), r"X must be a list of sets, or an array of 0 and 1, got \{'a': \{1\}\}"),
        (lambda: Jaccard()(sp.csr_array([[1]])), "X must be a list of sets, or an array of 0 and 1, got a csr_array"),
        (lambda: Jaccard()(np.array([[{1}]])), "X must be a list of sets, or an array of 0 and 1: .* not 'set'"),
        (
            lambda: Jaccard()(np.zeros(2, dtype=[("a", float)])),
            r"^X must be a list of sets, or an array of 0 and 1, got a structured array: [^:]*\.$",
        ),
        (lambda: Jaccard()([[1 - 1e-12]]), "X must hold 0 and 1 only, got 0.99999"),
        (lambda: Jaccard()([]), r"X must be a list of sets, or an array of 0 and 1, got \[\]"),
        (lambda: SetKernel(Linear())("ab"), "X must be a list of sets, got 'ab'"),
        (lambda: SetKernel(Spectrum())({frozenset("ab")}), r"X must be a list of sets, got {frozenset"),
        (lambda: SetKernel(Spectrum())({"ab": ["b"]}), "X must be a list of sets, got {'ab'"),
        (lambda: SetKernel(Linear())([]), "X must hold at least one set"),
        (lambda: SetKernel(Spectrum(1))(["ab"]), r"X\[0\] must be a set, .* got 'ab'"),
        (lambda: SetKernel(Linear())([[[1.0]], [[1.0, 2.0]]]), "same number of columns, but X has 1 and Y has 2"),
        (lambda: SetKernel(Linear())([[[1.0]]], [[[1.0, 2.0]]]), "same number of columns, but X has 1 and Y has 2"),
        (lambda: SetKernel(Linear())([[["a"]]]), r"X\[0\] must be an array of numbers"),
    ],
)
def test_bad_input(attempt, message):
    with pytest.raises(ValueError, match=message):
        attempt()


@pytest.mark.parametrize("make", [tuple, pd.Series, lambda sets: np.array([*sets, None], dtype=object)[:-1]])
def test_sets_come_in_many_collections(make):
    assert_allclose(Jaccard()(make(SETS)), Jaccard()(SETS))
    assert_allclose(SetKernel(Overlap())([[[v] for v in s] for s in make(SETS)]).diagonal(), [len(s) for s in SETS])


def test_sets_of_frames_are_refused():
    with pytest.raises(ValueError, match=r"X must hold sets as lists or arrays, got data frames"):
        SetKernel(Columns([(["a"], Linear())]))([pd.DataFrame({"a": [1.0]})])


def test_rows_of_bits_have_no_mean():
    model = KernelPCA(2, SimpleMatching()).fit(BITS)
    with pytest.raises(ValueError, match="inverse_transform needs training objects that are vectors"):
        model.inverse_transform(model.transform(BITS))


def test_members_stay_what_they_are_beside_those_of_other_sets():
    bags = [np.array([[1], [2]]), [["1"]], [[1]], np.array([["2020-01-01"]], dtype="M8[ns]")]
    assert_array_equal(SetKernel(Overlap())(bags), [[2, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]])
    nodes = [np.array([0], dtype=np.uint8), [1, 0], np.array([1], dtype=np.uint64)]
    K = np.array([[2.0, 1.0], [1.0, 3.0]])
    assert_array_equal(SetKernel(Precomputed(K))(nodes), [[2, 3, 1], [3, 7, 4], [1, 4, 3]])

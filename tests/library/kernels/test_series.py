"""The global alignment kernel, against alignments that are listed, and against logarithms."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from kernelbook.kernels import RBF, GlobalAlignment, series

rng = np.random.default_rng(0)
SERIES = [rng.normal(size=(T, 2)) for T in (1, 2, 3, 5, 6)]
LONG = [rng.normal(size=(T, 1)) for T in (600, 500)]


def local(x, y, gamma):
    g = np.exp(-gamma * np.square(x[:, None] - y).sum(axis=2))
    return g / (2 - g)


def alignments(T, U):
    """All alignments of series of T and U steps."""
    if T == 0 or U == 0:
        return [[]] if T == U == 0 else []
    before = [a for step in ((1, 1), (1, 0), (0, 1)) for a in alignments(T - step[0], U - step[1])]
    return [[*a, (T - 1, U - 1)] for a in before]


def listed(x, y, gamma):
    kappa = local(x, y, gamma)
    return sum(np.prod([kappa[pair] for pair in path]) for path in alignments(len(x), len(y)))


@pytest.mark.parametrize("gamma", [0, 0.3, 5])
def test_all_alignments_are_added(gamma):
    K = np.array([[listed(x, y, gamma) for y in SERIES] for x in SERIES])
    kernel = GlobalAlignment(gamma)
    assert_allclose(kernel(SERIES), K, rtol=1e-12)
    assert_array_equal(kernel(SERIES), kernel(SERIES).T)
    assert_allclose(kernel(SERIES[:3], SERIES[2:]), K[:3, 2:], rtol=1e-12)
    assert_allclose(kernel.diag(SERIES), K.diagonal(), rtol=1e-12)
    lengths = np.sqrt(K.diagonal())
    cosines = K / np.multiply.outer(lengths, lengths)
    assert_allclose(kernel.normalized()(SERIES), cosines, rtol=1e-12)
    assert_allclose(kernel.normalized()(SERIES[:3], SERIES[2:]), cosines[:3, 2:], rtol=1e-12)
    assert_array_equal(kernel.normalized().diag(SERIES), 1)
    assert_array_equal(kernel.normalized()(SERIES).diagonal(), 1)


def test_it_is_a_sum_over_series_stretched_to_one_length():
    x, y = SERIES[2], SERIES[3]
    half = np.exp(-0.3 * np.square(x[:, None] - y).sum(axis=2)) / 2

    @cache
    def stretched(i, j, length):  # over all ways to repeat x_0 … x_i and y_0 … y_j to this length
        if min(i, j) < 0 or length == 0:
            return float(i == j == -1 and length == 0)
        before = sum(stretched(i - a, j - b, length - 1) for a in (0, 1) for b in (0, 1))
        return half[i, j] * before

    total = sum(stretched(len(x) - 1, len(y) - 1, length) for length in range(1, 200))
    assert_allclose(GlobalAlignment(0.3)([x], [y]), [[total]], rtol=1e-12)


def in_logarithms(x, y, gamma):
    """log k by the recursion on logarithms, one diagonal after the other."""
    exponent = gamma * np.square(x[:, None] - y).sum(axis=2)
    kappa, L = -exponent - np.log(2 - np.exp(-exponent)), np.full((len(x) + 1, len(y) + 1), -np.inf)
    L[0, 0] = 0
    for s in range(2, len(x) + len(y) + 1):
        i = np.arange(max(1, s - len(y)), min(len(x), s - 1) + 1)
        j = s - i
        L[i, j] = kappa[i - 1, j - 1] + np.logaddexp(np.logaddexp(L[i - 1, j], L[i, j - 1]), L[i - 1, j - 1])
    return L[-1, -1]


@pytest.mark.parametrize("gamma", [0, 1e-3, 0.1, 1, 100, 1e4, 1e6])  # logarithms from 957 to −2.8e8
@pytest.mark.parametrize("cells", [1000, 2**16])
def test_long_series_in_logarithms(gamma, cells, monkeypatch):
    monkeypatch.setattr(series, "STEP_PAIRS_AT_A_TIME", cells)
    for x, y in (LONG, LONG[::-1], [LONG[0]] * 2, [LONG[0][:40], LONG[1]], [LONG[0] + 30, LONG[1][::-1]]):
        assert_allclose(series._log_alignments(x, y, float(gamma)), in_logarithms(x, y, gamma), rtol=1e-13, atol=1e-11)


def test_a_thousand_steps_can_be_normalised():
    X = [np.cumsum(rng.normal(size=1000)) for _ in range(4)]
    kernel = GlobalAlignment("median").normalized().fit(X)
    K = kernel(X)
    a, b = X[0][:, None], X[1][:, None]
    crossed, *own = [in_logarithms(*pair, kernel.kernel.gamma_) for pair in ((a, b), (a, a), (b, b))]
    assert_allclose(K[0, 1], np.exp(crossed - sum(own) / 2), rtol=1e-9)
    assert min(own) > 1000  # a float ends at 709
    assert 1e-12 < K.min() < 1
    assert np.linalg.eigvalsh(K)[0] > 0
    assert_array_equal(K, K.T)
    assert_array_equal(kernel(X[:2], X), K[:2])
    with pytest.raises(ValueError, match=r"too large to compute with, which .*\.normalized\(\) does not"):
        GlobalAlignment(0.0)(X)
    with pytest.raises(ValueError, match="too large to compute with"):
        GlobalAlignment(0.0).diag(X)


def test_series_that_are_far_apart_share_nothing():
    X = [np.zeros(3), np.full(4, 1e200)]
    assert_allclose(GlobalAlignment(1)(X), np.diag([13, 63]), rtol=1e-14)
    assert_array_equal(GlobalAlignment(1).normalized()(X), np.eye(2))


def test_the_rules_are_those_of_rbf_for_the_length():
    X, steps = [x[:5] for x in (SERIES[3], SERIES[4])], np.concatenate([SERIES[3], SERIES[4][:5]])
    scale, median = GlobalAlignment().fit(X), GlobalAlignment("median").fit(X)
    assert scale.gamma_ == pytest.approx(1 / (5 * 2 * steps.var()))
    assert scale.gamma_ == pytest.approx(RBF("scale").fit(np.reshape(X, (2, 10))).gamma_)
    assert median.gamma_ == pytest.approx(RBF("median").fit(steps).gamma_ / 5)
    assert repr(scale) == f"GlobalAlignment()  # gamma_ = {float(scale.gamma_)!r}"
    with pytest.raises(NotFittedError, match="takes gamma from data"):
        GlobalAlignment()(X)


@pytest.mark.parametrize("gamma", ["scale", "median"])
def test_rules_do_not_depend_on_units_and_take_weights_for_repetitions(gamma):
    kernel = GlobalAlignment(gamma)
    K = kernel.fit(SERIES)(SERIES)
    assert_allclose(kernel.fit([1e6 * x for x in SERIES])([1e6 * x for x in SERIES]), K, rtol=1e-9)
    weighted = kernel.fit(SERIES, sample_weight=[1, 2, 0, 1, 3]).gamma_
    repeated = kernel.fit([SERIES[i] for i in (0, 1, 1, 3, 4, 4, 4)]).gamma_
    assert weighted == pytest.approx(repeated)


def test_series_in_lists_and_arrays():
    array = rng.normal(size=(4, 5, 2))
    expected = GlobalAlignment(0.5)(list(array))
    for given in array, array.tolist(), tuple(array), np.asfortranarray(array):
        assert_array_equal(GlobalAlignment(0.5)(given), expected)
    flat = [[1.0, 2.0], [3, 4, 5]]
    assert_array_equal(GlobalAlignment(0.5)(flat), GlobalAlignment(0.5)([np.array(x)[:, None] for x in flat]))
    assert_array_equal(GlobalAlignment(0.5)(array[:, :, 0]), GlobalAlignment(0.5)(array[:, :, :1]))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([], "X must hold at least one series, got none"),
        ("abc", "X must be a list of series, got 'abc'"),
        (3, "X must be a list of series, got 3"),
        (pd.DataFrame({"a": [1.0]}), "X must be a list of series, got a DataFrame of shape"),
        ([1.0, 2.0], r"X\[0\] must be a series, an array with a row or a number for each step, got 1.0"),
        ([[1.0], []], r"X\[1\] must be a series, an array with a row or a number for each step, got \[\]"),
        ([[1.0], "ab"], r"X\[1\] must be a series"),
        ([np.zeros((2, 2, 2))], r"X\[0\] must be a series, an array of one or two dimensions, but has"),
        ([[1.0, np.nan]], r"X\[0\] contains NaN"),
        ([[[1.0, 2.0], [3.0]]], r"X\[0\] must be an array of numbers"),
        (
            [[[1.0, 2.0]], [1.0, 2.0]],
            r"series must have the same number of columns, but X\[0\] has 2 and X\[1\] has 1",
        ),
    ],
)
def test_what_is_no_list_of_series(X, message):
    with pytest.raises(ValueError, match=message):
        GlobalAlignment(1)(X)


def test_series_of_different_width():
    with pytest.raises(ValueError, match="series must have the same number of columns, but X has 2 and Y has 1"):
        GlobalAlignment(1)(SERIES, [[1.0, 2.0]])
    with pytest.raises(ValueError, match="'gamma' parameter of GlobalAlignment"):
        GlobalAlignment(-1)(SERIES)

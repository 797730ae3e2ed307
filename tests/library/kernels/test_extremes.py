"""Numbers at the ends of what floats hold, and what is no number: a right value, or one clear sentence."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from kernelbook.kernels import (
    RBF,
    AllSubsets,
    Brownian,
    Categorical,
    ChiSquared,
    Constant,
    Diffusion,
    GlobalAlignment,
    Laplacian,
    Linear,
    Matern,
    Mismatch,
    Periodic,
    Polynomial,
    RationalQuadratic,
    Spectrum,
    Subsequence,
    WeisfeilerLehman,
)
from tests.library.kernels.kinds import KINDS, SOME

HUGE = 10**400
X = np.array([[0.0, 1.0], [3.0, 2.0], [0.5, 0.25]])
NUMBERS = [
    (kernel, name, SOME[kind])
    for kind, (_, kernels) in KINDS.items()
    for kernel in kernels
    for name, value in kernel.get_params(deep=False).items()
    if isinstance(value, int | float) and not isinstance(value, bool) and name != "nu"  # which is one of three
]


def ids(case):
    return f"{type(case[0]).__name__}-{case[1]}"


@pytest.mark.parametrize("truth", [True, False, np.True_])
@pytest.mark.parametrize("case", NUMBERS, ids=ids)
def test_true_and_false_are_no_numbers(case, truth):
    kernel, name, objects = case
    kernel = clone(kernel).set_params(**{name: truth})
    for use in kernel.fit, kernel, kernel.diag:
        with pytest.raises(ValueError, match=f"{name} of {type(kernel).__name__} must be a number, got {truth}"):
            use(objects)


@pytest.mark.parametrize("number", [HUGE, -HUGE, Fraction(1, 3)], ids=["huge", "minus huge", "fraction"])
@pytest.mark.parametrize("case", NUMBERS, ids=ids)
def test_what_is_no_float_is_refused_where_one_is_wanted(case, number):
    kernel, name, objects = case
    if isinstance(getattr(kernel, name), int) and number != -HUGE:
        pytest.skip("an integer may be of any size")
    with pytest.raises(ValueError, match=rf"{name}.*{type(kernel).__name__} must be an? int") as error:
        clone(kernel).set_params(**{name: number})(objects)
    if number == HUGE:
        assert len(str(error.value)) < 150


@pytest.mark.parametrize(
    "made",
    [
        lambda: True * Linear(),
        lambda: Linear() + True,
        lambda: HUGE * Linear(),
        lambda: Linear() + HUGE,
        lambda: Linear().radial(HUGE),
        lambda: Linear() ** True,
    ],
)
def test_the_algebra_refuses_them_at_once(made):
    with pytest.raises(ValueError, match=r"must be (a number|an int or a float)"):
        made()


@pytest.mark.parametrize(
    ("kernel", "data", "name"),
    [(Linear(), [[HUGE]], "X"), (AllSubsets([HUGE]), [[1.0]], "weights"), (RBF([HUGE]), [[1.0]], "gamma")],
)
def test_lists_of_them(kernel, data, name):
    with pytest.raises(ValueError, match=f"{name} must (hold|be)"):
        kernel(data)


@pytest.mark.parametrize(
    ("kernel", "data"),
    [
        (Linear(), [[1e200]]),
        (Polynomial(HUGE), [[1.0]]),
        (AllSubsets(), [[1e200, 1e200]]),
        (Brownian(), [[1e200, 1e200]]),
        (Linear().exp(), [[100.0]]),
        (1e300 * Linear() * Linear(), [[1e10]]),
    ],
)
def test_no_value_is_infinite(kernel, data):
    for use in kernel, kernel.diag, kernel.distance, lambda Z: kernel(Z, Z):
        with pytest.raises(ValueError, match="gives values too large to compute with"):
            use(data)


def test_a_large_sum_of_finite_values_is_none_of_these():
    assert_allclose(Linear()([[1.2e154]] * 2), 1.44e308)


def test_no_category_weighs_infinitely():
    with pytest.raises(ValueError, match="too large"):
        Categorical(gamma=1e5).fit([["a"], ["b"]])([["a"]])


@pytest.mark.parametrize("unit", [2.0**-660, 2.0**660])
@pytest.mark.parametrize(
    "make",
    [
        Laplacian,
        lambda gamma: Laplacian(gamma, norm=1),
        lambda gamma: Laplacian([gamma, 2 * gamma]),
        lambda gamma: Matern(0.5, gamma),
        lambda gamma: Matern(2.5, gamma),
        ChiSquared,
    ],
)
def test_units_do_not_matter_where_squares_are_no_floats(make, unit):
    for method in "__call__", "distance":
        expected = getattr(make(1.0), method)
        assert_array_equal(getattr(make(1 / unit), method)(X * unit), expected(X))
        assert_array_equal(getattr(make(1 / unit), method)(X[:2] * unit, X[1:] * unit), expected(X[:2], X[1:]))


@pytest.mark.parametrize("unit", [2.0**-660, 2.0**660])
@pytest.mark.parametrize("rule", ["scale", "median"])
def test_rules_in_such_units(rule, unit):
    for kernel in Laplacian(rule), Matern(1.5, rule):
        expected = clone(kernel).fit(X).gamma_
        assert kernel.fit(X * unit).gamma_ == expected / unit
    for kernel in RBF(rule), GlobalAlignment(rule), RationalQuadratic(1.0, rule):
        with pytest.raises(ValueError, match=r"X must be in units in which gamma='.*' is a float, got numbers up to"):
            kernel.fit(X * unit)


@pytest.mark.parametrize("kernel", [RBF(0.0), RBF([0.0, 1.0]), Laplacian(0.0), RationalQuadratic(1.0, 0.0)])
def test_a_width_of_zero_makes_far_points_equal(kernel):
    assert_array_equal(kernel([[1e200, 1.0], [0.0, 1.0]]), 1.0)


def test_series_far_apart():
    assert_allclose(GlobalAlignment(0.0)([[1e200, 1.0], [0.0, 1.0]]), 3.0)
    far, near = [[1e150, 1.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]
    assert_allclose(GlobalAlignment(1e-300)(far), GlobalAlignment(1.0)(near))
    assert_allclose(GlobalAlignment(1e-300).diag(far), GlobalAlignment(1.0).diag(near))


def test_mixtures_of_nearly_all_widths_and_of_nearly_one():
    assert_array_equal(RationalQuadratic(5e-324, 1.0)([[0.0], [1.0]]), 1.0)
    far = RationalQuadratic(0.01, 1.0)([[0.0], [1e160]])  # the squared distance 1e320 is no float
    assert_allclose(far[0, 1], 10 ** (-0.01 * 322), rtol=1e-12)
    assert_array_equal(far.diagonal(), 1.0)
    assert_allclose(RationalQuadratic(1.7e308, 0.5)(X), RBF(0.5)(X), rtol=1e-14)
    assert_allclose(RationalQuadratic(1.7e308, 1e-10).distance(X), RBF(1e-10).distance(X), rtol=1e-12)


def test_periods_at_both_ends():
    expected = Periodic(1.0).distance([[0.5], [-0.75], [0.125]])
    for unit in 2.0**1023, 2.0**-1050:
        assert_array_equal(Periodic(unit).distance(np.array([[0.5], [-0.75], [0.125]]) * unit), expected)
    assert_array_equal(Periodic(2.0**1023)([[2.0**1023], [-(2.0**1023)], [0.0]]), 1.0)


def test_heat_after_a_very_long_time_is_even():
    two_parts = np.kron(np.eye(2), np.ones((3, 3)))
    for beta in 1e15, 1e20, 1e308:
        assert_allclose(Diffusion(two_parts, beta)(np.arange(6)), two_parts / 3, rtol=1e-12, atol=1e-15)


def test_subsequences_beyond_floats():
    long = ["a" * 600]
    for kernel in Subsequence(200, 1.0), Subsequence(200, 1.0).normalized():
        for use in kernel, kernel.diag, lambda Z, kernel=kernel: kernel(Z, long):
            with pytest.raises(ValueError, match=r"Subsequence\(.*\) gives values too large .*: lower n or decay"):
                use(long)


def test_subsequences_that_hardly_count():
    kernel, words = Subsequence(2, 1e-200), ["cat", "cart", "xyz", "c"]
    for use in kernel, kernel.diag:
        with pytest.raises(ValueError, match=r"too small to compute with, which .*\.normalized\(\) does not"):
            use(words)
    spectrum = Spectrum(2).normalized()  # without gaps
    assert_allclose(kernel.normalized()(words[:3]), spectrum(words[:3]), rtol=1e-12)
    assert_allclose(kernel.normalized()(words[:2], words[1:3]), spectrum(words[:2], words[1:3]), rtol=1e-12)
    assert_array_equal(kernel.normalized().diag(words[:3]), 1.0)
    with pytest.raises(ValueError, match="row 3 has"):
        kernel.normalized().diag(words)


def test_normalised_subsequences_are_the_quotient():
    words = ["abcab", "bca", "aab"]
    for kernel in Subsequence(2, 0.5), Subsequence(3, 0.9):
        K = kernel(words)
        lengths = np.sqrt(K.diagonal())
        assert_allclose(kernel.normalized()(words), K / np.multiply.outer(lengths, lengths), rtol=1e-12)
        assert_allclose(kernel.normalized()(words, words[1:]), kernel.normalized()(words)[:, 1:], rtol=1e-12)


def test_subsequences_longer_than_the_strings_take_no_memory():
    for use in Subsequence(10**9), Subsequence(10**9).diag:
        assert not use(["cat", "cart"]).any()


@pytest.mark.parametrize("small", [np.uint8, np.int8])
def test_integers_of_few_bits_do_not_wrap_around(small):
    words = ["a", "ab" * 200]
    assert_array_equal(Spectrum(small(3))(words), Spectrum(3)(words))
    assert_array_equal(Mismatch("ab", small(100), small(100))(words), Mismatch("ab", 100, 100)(words))
    assert_array_equal(Subsequence(small(100), 0.9)(words), Subsequence(100, 0.9)(words))
    wide = np.ones((1, 300))
    assert_array_equal(Polynomial(small(2)).features(wide), Polynomial(2).features(wide))


@pytest.mark.parametrize("graph", [([], []), ([[]], []), (np.zeros((0, 0)), []), (sp.csr_array((0, 0)), "")])
def test_a_graph_has_a_node(graph):
    with pytest.raises(ValueError, match=r"X\[1\] must be a graph with at least one node"):
        WeisfeilerLehman()([([[0]], "a"), graph])


def test_constants_are_not_summed_to_see_that_they_are_finite():
    assert_allclose(Constant(1e308)([1, 2, 3]), 1e308)

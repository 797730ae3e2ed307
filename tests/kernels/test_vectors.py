"""Kernels on vectors, against scikit-learn and brute force."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise
from sklearn.svm import SVC

from kernelbook.kernels import RBF, Kernel, Laplacian, Linear, Polynomial

r = np.random.default_rng(7)
X, Y = r.normal(size=(30, 4)) * [1, 2, 0.5, 1] + 3, r.normal(size=(20, 4)) + 3
X.flags.writeable = Y.flags.writeable = False  # a kernel that changed its argument would raise
ALL = [Linear(), Polynomial(), RBF(gamma=0.3), Laplacian(gamma=0.3), Laplacian(gamma=0.3, norm=1)]
RULES = ["scale", "median"]
every_kernel = pytest.mark.parametrize("kernel", ALL, ids=repr)
every_rule = pytest.mark.parametrize("rule", RULES)
every_kind = pytest.mark.parametrize("kind", [RBF, Laplacian, lambda g: Laplacian(g, norm=1)], ids=["RBF", "L2", "L1"])


@pytest.mark.parametrize(
    ("kernel", "oracle"),
    [
        (Linear(), lambda A, B: pairwise.linear_kernel(A, B)),
        (Polynomial(), lambda A, B: pairwise.polynomial_kernel(A, B, degree=3, gamma=1, coef0=1)),
        (Polynomial(4, 0.2, 0), lambda A, B: pairwise.polynomial_kernel(A, B, degree=4, gamma=0.2, coef0=0)),
        (Polynomial(1, 2, -0.5), lambda A, B: pairwise.polynomial_kernel(A, B, degree=1, gamma=2, coef0=-0.5)),
        (RBF(gamma=0.05), lambda A, B: pairwise.rbf_kernel(A, B, gamma=0.05)),
        (RBF(gamma=0), lambda A, B: np.ones((len(A), len(B)))),
        (RBF(gamma=[0.3, 0, 2, 0.1]), lambda A, B: np.exp(-cdist(A, B, "sqeuclidean", w=[0.3, 0, 2, 0.1]))),
        (RBF(gamma=np.full(4, 0.05)), lambda A, B: pairwise.rbf_kernel(A, B, gamma=0.05)),
        (Laplacian(gamma=0.3, norm=1), lambda A, B: pairwise.laplacian_kernel(A, B, gamma=0.3)),
        (Laplacian(gamma=0.3), lambda A, B: np.exp(-0.3 * cdist(A, B))),
    ],
    ids=lambda value: repr(value) if isinstance(value, Kernel) else "",
)
@pytest.mark.parametrize("shift", [0, 1e3])
def test_values_are_those_of_scikit_learn_and_scipy(kernel, oracle, shift):
    A, B = X + shift, Y + shift
    # scikit-learn's distances lose digits far from the origin, which the oracle of differences does not
    near = oracle(X, Y) if isinstance(kernel, RBF | Laplacian) else oracle(A, B)
    rtol = 1e-12 if shift == 0 else 1e-11
    assert_allclose(kernel(A, B), near, rtol=rtol)
    own = oracle(X, X) if isinstance(kernel, RBF | Laplacian) else oracle(A, A)
    assert_allclose(kernel(A), own, rtol=rtol)


def test_defaults_are_those_of_the_book():
    assert Polynomial().get_params() == {"degree": 3, "gamma": 1, "coef0": 1}
    assert RBF().get_params() == {"gamma": "scale"}
    assert Laplacian().get_params() == {"gamma": "scale", "norm": 2}
    assert Linear().get_params() == {}


def test_reference_sum_of_a_gram_matrix():
    Z = np.random.RandomState(0).standard_normal((200, 5))
    assert RBF(gamma=0.2)(Z).sum() == pytest.approx(9654.4614191, abs=1e-7)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_a_negative_constant_promises_nothing(degree):
    kernel = Polynomial(degree=degree, coef0=-1)
    assert not kernel.psd
    assert np.linalg.eigvalsh(kernel([[1.0], [-1.0]]))[0] < -0.9
    assert Polynomial(degree=degree, coef0=0).psd
    with pytest.raises(ValueError, match=r"Polynomial\(coef0=-1.*\) has real features only if coef0 >= 0"):
        kernel.features(X)


def test_distance_shrinks_to_the_kernels_own():
    assert_allclose(Linear().distance(X, Y), cdist(X, Y), rtol=1e-12)
    assert_allclose(RBF(gamma=0.1).distance(X), np.sqrt(2 - 2 * pairwise.rbf_kernel(X, gamma=0.1)), atol=1e-7)
    assert_array_equal(RBF(gamma=50.0).distance(100 * np.eye(2)), np.sqrt([[0, 2], [2, 0]]))


def test_scale_is_that_of_scikit_learns_svc():
    kernel = RBF().fit(X)
    assert kernel.gamma_ == pytest.approx(SVC(gamma="scale").fit(X, X[:, 0] > 3)._gamma, rel=1e-12)
    assert kernel.gamma_ == pytest.approx(1 / (4 * X.var()), rel=1e-12)
    assert_allclose(kernel(X, Y), RBF(gamma=kernel.gamma_)(X, Y))


@pytest.mark.parametrize("norm", [1, 2])
def test_laplacian_scale_has_the_unit_of_its_distance(norm):
    gamma = Laplacian(norm=norm).fit(X).gamma_
    assert gamma == pytest.approx(1 / (4 ** (1 / norm) * X.std()), rel=1e-12)
    assert Laplacian(norm=norm).fit(10 * X).gamma_ == pytest.approx(gamma / 10)


@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 30])  # an odd and an even number of pairs
def test_median_is_that_of_the_distances_between_different_rows(n):
    Z = np.vstack([X[:n], X[:2]])

    def median(metric):
        different = np.sort(pdist(Z, metric))
        different = different[different > 0]
        return different[(len(different) - 1) // 2]  # of two middle ones the lower

    assert RBF("median").fit(Z).gamma_ == pytest.approx(1 / (2 * median("euclidean") ** 2), rel=1e-12)
    assert Laplacian("median").fit(Z).gamma_ == pytest.approx(1 / median("euclidean"), rel=1e-12)
    assert Laplacian("median", norm=1).fit(Z).gamma_ == pytest.approx(1 / median("cityblock"), rel=1e-12)


def test_median_of_many_rows_is_near_that_of_all():
    Z = np.random.default_rng(8).normal(size=(2500, 2))
    assert RBF("median").fit(Z).gamma_ == pytest.approx(1 / (2 * np.median(pdist(Z)) ** 2), rel=0.05)


@every_rule
@every_kind
def test_a_weight_counts_rows(kind, rule):
    weight = np.array([2, 0, 1, 3, 1, 1, 0, 2])
    weighted = kind(rule).fit(X[:8], sample_weight=weight).gamma_
    assert weighted == pytest.approx(kind(rule).fit(np.repeat(X[:8], weight, axis=0)).gamma_, rel=1e-12)
    assert weighted != pytest.approx(kind(rule).fit(X[:8]).gamma_, rel=1e-3)


@every_rule
def test_rows_without_weight_do_not_count_however_many_there_are(rule):
    Z = np.random.default_rng(9).normal(size=(2000, 2))
    weight = np.arange(2000) % 2
    kept = RBF(rule).fit(Z[weight == 1]).gamma_
    assert RBF(rule).fit(Z, sample_weight=weight).gamma_ == pytest.approx(kept, rel=1e-12)


@every_rule
@every_kind
@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 + 0.1])
@pytest.mark.parametrize("n", [1, 3, 7, 10])
def test_constant_data_give_a_usable_width(kind, rule, value, n):
    kernel = kind(rule).fit(np.full((n, 3), value))
    assert kernel.gamma_ == 1
    assert_array_equal(kernel(np.full((n, 3), value)), 1)


@every_rule
@every_kind
def test_fitting_is_in_place_and_a_clone_is_unfitted(kind, rule):
    kernel = kind(rule)
    assert kernel.fit(X) is kernel
    first = kernel.gamma_
    assert kernel.fit(5 * X).gamma_ < first
    assert kernel.gamma == rule
    assert not hasattr(clone(kernel), "gamma_")


@every_rule
@every_kind
def test_a_rule_needs_fit(kind, rule):
    kernel = kind(rule)
    for compute in kernel, kernel.diag, kernel.distance, 2 * kernel, (kernel + Linear()).diag:
        with pytest.raises(NotFittedError, match=r"takes gamma from data: call fit\(X\) first, or give gamma a number"):
            compute(X)
    assert kernel.psd


@pytest.mark.parametrize(
    ("kernel", "change"),
    [
        (RBF("scale"), {"gamma": "median"}),
        (Laplacian("median"), {"gamma": "scale"}),
        (Laplacian("scale"), {"norm": 1}),
        (Laplacian("median"), {"norm": 1}),
    ],
)
def test_another_rule_needs_another_fit(kernel, change):
    kernel = clone(kernel).fit(X).set_params(**change)
    with pytest.raises(NotFittedError, match=r"call fit\(X\) first"):
        kernel(X)
    assert_array_equal(kernel.fit(X)(X), clone(kernel).fit(X)(X))


def test_a_number_needs_no_fit_and_replaces_the_rule():
    kernel = RBF().fit(X).set_params(gamma=0.05)
    assert_allclose(kernel(X, Y), pairwise.rbf_kernel(X, Y, gamma=0.05))
    assert_array_equal(clone(kernel)(X, Y), kernel(X, Y))


@pytest.mark.parametrize("number", [np.float64(0.25), np.float32(0.25)], ids=["float64", "float32"])
@pytest.mark.parametrize(
    "make", [RBF, Laplacian, lambda g: Polynomial(gamma=g)], ids=["RBF", "Laplacian", "Polynomial"]
)
def test_numpys_numbers_read_as_numbers(make, number):
    assert "gamma=0.25" in repr(make(number))


@pytest.mark.parametrize("promise", [Polynomial(coef0=np.float64(-1)).psd, (np.float64(-1) * Linear()).psd])
def test_promises_are_plain_booleans(promise):
    assert promise is False


BAD_ARRAYS = {
    "NaN": ([[1.0, np.nan, 0, 0]], ValueError, "Input {} contains NaN"),
    "infinite": ([[1.0, np.inf, 0, 0]], ValueError, "Input {} contains infinity"),
    "1-D": (X[0], ValueError, "must have a row for each point, but has shape"),
    "3-D": (X[None], ValueError, "dim 3"),
    "empty": (X[:0], ValueError, r"0 sample\(s\).*minimum of 1"),
    "no columns": (X[:, :0], ValueError, r"0 feature\(s\).*minimum of 1"),
    "sparse": (sp.csr_array(X), TypeError, "Sparse data was passed for {}, but dense data is required"),
    "complex": (X + 1j, ValueError, "Complex data not supported"),
    "strings": ([["a", "b", "c", "d"]], ValueError, "could not convert string to float"),
    "ragged": ([[1, 2], [3]], ValueError, "inhomogeneous"),
    "nothing": (None, ValueError, "must have a row for each point, but has shape"),
}


@every_kernel
@pytest.mark.parametrize(("bad", "error", "message"), BAD_ARRAYS.values(), ids=BAD_ARRAYS)
def test_bad_arrays(kernel, bad, error, message):
    for compute in kernel, kernel.diag, kernel.distance, kernel.fit, getattr(kernel, "features", kernel):
        with pytest.raises(error, match=message.format("X")):
            compute(bad)
    if bad is not None:
        for compute in kernel, kernel.distance:
            with pytest.raises(error, match=message.format("Y")):
                compute(X, bad)


@every_kernel
def test_columns_of_both_must_agree(kernel):
    for compute in kernel, kernel.distance:
        for d in 1, 3:
            with pytest.raises(ValueError, match=f"same number of columns, but X has 4 and Y has {d}"):
                compute(X, Y[:, :d])


NUMBER = r"'gamma' parameter of {}.*range \[0.0, inf\).*Got "
POSITIVE_INT = r"int in the range \[1, inf\). Got "


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        *((RBF(gamma=g), NUMBER.format("RBF")) for g in (-1, np.nan, np.inf, "auto", None, 1j)),
        *((Laplacian(gamma=g), NUMBER.format("Laplacian")) for g in (-1, np.nan, "auto", None, [1.0] * 4)),
        *((Polynomial(gamma=g), NUMBER.format("Polynomial")) for g in (-1, np.nan, "scale", None, [1.0] * 4)),
        *((RBF(gamma=g), "gamma must be a number or 4 finite") for g in ([], [1, 2], [[1] * 4], [1, 2, 3, -4])),
        (RBF(gamma=[1, 2, 3, np.nan]), r"gamma must be .*one for each column of X, got \[ *1. +2. +3. +nan\]"),
        (RBF(gamma=["a", "b", "c", "d"]), "gamma must be a number"),
        *((Polynomial(degree=d), f"'degree' parameter.*{POSITIVE_INT}") for d in (2.5, 0, -1, 2.0, "2", None)),
        *((Polynomial(coef0=c), "'coef0' parameter.*float.*Got") for c in (np.nan, np.inf, "1", None)),
        *((Laplacian(1.0, norm=p), r"'norm' parameter.*int in the range \[1, 2\]") for p in (0, 3, 1.5, "1", np.inf)),
    ],
    ids=repr,
)
def test_bad_parameters(kernel, message):
    for compute in kernel, kernel.distance, getattr(kernel, "features", kernel):
        with pytest.raises(ValueError, match=message):
            compute(X)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(29), r"sample_weight.shape == \(29,\), expected \(30,\)"),
        (np.full(30, np.nan), "sample_weight contains NaN"),
        (np.zeros(30), r"not all 0|at least one non-zero"),
        (np.r_[-1, np.ones(29)], "sample_weight must be >= 0"),
    ],
)
@every_rule
def test_bad_weights(rule, weight, message):
    with pytest.raises(ValueError, match=message):
        RBF(rule).fit(X, sample_weight=weight)

"""Kernels on vectors, against scikit-learn and brute force."""

from fractions import Fraction
from math import prod

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.gaussian_process.kernels import ExpSineSquared
from sklearn.gaussian_process.kernels import Matern as ProcessMatern
from sklearn.gaussian_process.kernels import RationalQuadratic as ProcessRationalQuadratic
from sklearn.metrics import pairwise

from kernelbook import KernelRidge
from kernelbook.kernels import (
    RBF,
    AllSubsets,
    Brownian,
    ChiSquared,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    RationalQuadratic,
    Sigmoid,
)
from kernelbook.kernels.stationary import StationaryKernel
from tests.library.samples import reference_sample

r = np.random.default_rng(7)
X, Y = r.normal(size=(30, 4)) * [1, 2, 0.5, 1] + 3, r.normal(size=(20, 4)) + 3
X.flags.writeable = Y.flags.writeable = False  # a kernel that changed its argument would raise
STATIONARY = [
    RBF(gamma=0.3),
    Laplacian(gamma=0.3),
    Laplacian(gamma=0.3, norm=1),
    Matern(gamma=0.3),
    RationalQuadratic(gamma=0.3),
    Periodic(gamma=0.3),
]


def periodic_by_columns(period, gamma):
    """scikit-learn's kernel on one column at a time, where it is right."""
    each = zip(*np.broadcast_arrays(period, gamma, np.ones(4))[:2], range(4), strict=True)
    parts = [(ExpSineSquared(1 / np.sqrt(2 * g), p) if g else None, [j]) for p, g, j in each]
    return lambda A, B: np.prod([part(A[:, j], B[:, j]) for part, j in parts if part], axis=0)


every_kernel = pytest.mark.parametrize("kernel", [Linear(), Polynomial(), Sigmoid(0.05, -1), *STATIONARY], ids=repr)


@pytest.mark.parametrize(
    ("kernel", "oracle"),
    [
        (Linear(), lambda A, B: pairwise.linear_kernel(A, B)),
        (Polynomial(), lambda A, B: pairwise.polynomial_kernel(A, B, degree=3, gamma=1, coef0=1)),
        (Polynomial(4, 0.2, 0), lambda A, B: pairwise.polynomial_kernel(A, B, degree=4, gamma=0.2, coef0=0)),
        (Polynomial(1, 2, -0.5), lambda A, B: pairwise.polynomial_kernel(A, B, degree=1, gamma=2, coef0=-0.5)),
        (Sigmoid(0.02, -0.5), lambda A, B: pairwise.sigmoid_kernel(A, B, gamma=0.02, coef0=-0.5)),
        (RBF(gamma=0.05), lambda A, B: pairwise.rbf_kernel(A, B, gamma=0.05)),
        (RBF(gamma=0), lambda A, B: np.ones((len(A), len(B)))),
        (RBF(gamma=[0.3, 0, 2, 0.1]), lambda A, B: np.exp(-cdist(A, B, "sqeuclidean", w=[0.3, 0, 2, 0.1]))),
        (RBF(gamma=np.full(4, 0.05)), lambda A, B: pairwise.rbf_kernel(A, B, gamma=0.05)),
        (Laplacian(gamma=0.3, norm=1), lambda A, B: pairwise.laplacian_kernel(A, B, gamma=0.3)),
        (Laplacian(gamma=0.3), lambda A, B: np.exp(-0.3 * cdist(A, B))),
        (Matern(0.5, 0.3), lambda A, B: ProcessMatern(1 / 0.3, nu=0.5)(A, B)),
        (Matern(1.5, 0.3), lambda A, B: ProcessMatern(1 / 0.3, nu=1.5)(A, B)),
        (Matern(2.5, 0.3), lambda A, B: ProcessMatern(1 / 0.3, nu=2.5)(A, B)),
        (Matern(1.5, 0), lambda A, B: np.ones((len(A), len(B)))),
        (Matern(2.5, [0.5, 1, 2, 0.1]), lambda A, B: ProcessMatern([2, 1, 0.5, 10], nu=2.5)(A, B)),
        (Matern(1.5, [0.5, 0, 2, 0.1]), lambda A, B: ProcessMatern([2, 1e300, 0.5, 10], nu=1.5)(A, B)),
        (Laplacian([0.5, 0, 2, 0.1]), lambda A, B: np.exp(-cdist(A, B, w=[0.25, 0, 4, 0.01]))),
        (Laplacian([0.5, 0, 2, 0.1], norm=1), lambda A, B: np.exp(-cdist(A, B, "cityblock", w=[0.5, 0, 2, 0.1]))),
        (RationalQuadratic(1, 0.3), lambda A, B: ProcessRationalQuadratic(1 / np.sqrt(0.6), 1)(A, B)),
        (RationalQuadratic(0.2, 0.3), lambda A, B: ProcessRationalQuadratic(1 / np.sqrt(0.6), 0.2)(A, B)),
        (RationalQuadratic(2, [0.2, 0, 1, 4]), lambda A, B: (1 + cdist(A, B, "sqeuclidean", w=[0.1, 0, 0.5, 2])) ** -2),
        (RationalQuadratic(1, 0), lambda A, B: np.ones((len(A), len(B)))),
        (Periodic(2.5, 0.3), periodic_by_columns(2.5, 0.3)),
        (Periodic([2.5, 1, 0.7, 30], [0.3, 0, 2, 0.1]), periodic_by_columns([2.5, 1, 0.7, 30], [0.3, 0, 2, 0.1])),
    ],
    ids=lambda value: repr(value) if isinstance(value, Kernel) else "",
)
@pytest.mark.parametrize("shift", [0, 1e3])
def test_values_are_those_of_scikit_learn_and_scipy(kernel, oracle, shift):
    A, B = X + shift, Y + shift
    # scikit-learn's distances lose digits far from the origin, which the oracle of differences does not
    stationary = isinstance(kernel, StationaryKernel)
    near = oracle(X, Y) if stationary else oracle(A, B)
    rtol = 1e-12 if shift == 0 else 1e-11
    assert_allclose(kernel(A, B), near, rtol=rtol)
    own = oracle(X, X) if stationary else oracle(A, A)
    assert_allclose(kernel(A), own, rtol=rtol)


def test_defaults_are_those_of_the_book():
    assert Polynomial().get_params() == {"degree": 3, "gamma": 1, "coef0": 1}
    assert RBF().get_params() == {"gamma": "scale"}
    assert Laplacian().get_params() == {"gamma": "scale", "norm": 2}
    assert Matern().get_params() == {"nu": 1.5, "gamma": "scale"}
    assert RationalQuadratic().get_params() == {"alpha": 1, "gamma": "scale"}
    assert Periodic().get_params() == {"period": 1, "gamma": 1}
    assert Sigmoid().get_params() == {"gamma": 1, "coef0": 0}
    assert Linear().get_params() == {}


def test_reference_sum_of_a_gram_matrix():
    Z = reference_sample()[0]
    assert RBF(gamma=0.2)(Z).sum() == pytest.approx(9654.4614191, abs=1e-7)


def test_distance_shrinks_to_the_kernels_own():
    assert_allclose(Linear().distance(X, Y), cdist(X, Y), rtol=1e-12)
    assert_allclose(RBF(gamma=0.1).distance(X), np.sqrt(2 - 2 * pairwise.rbf_kernel(X, gamma=0.1)), atol=1e-7)
    assert_array_equal(RBF(gamma=50.0).distance(100 * np.eye(2)), np.sqrt([[0, 2], [2, 0]]))


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
FOUR = "gamma must be a number or 4 numbers, one for each column of X, all finite and >= 0, got"
WIDE = [RBF, Laplacian, Matern, RationalQuadratic, Periodic]
POSITIVE_INT = r"int in the range \[1, inf\). Got "


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        *((RBF(gamma=g), NUMBER.format("RBF")) for g in (-1, np.nan, np.inf, "auto", None, 1j)),
        *((Laplacian(gamma=g), NUMBER.format("Laplacian")) for g in (-1, np.nan, "auto", None, 1j)),
        *((Sigmoid(gamma=g), NUMBER.format("Sigmoid")) for g in (-1, np.nan, "scale", None, [1.0] * 4)),
        *((Sigmoid(coef0=c), "'coef0' parameter.*float.*Got") for c in (np.nan, np.inf, "1", None)),
        *((Polynomial(gamma=g), NUMBER.format("Polynomial")) for g in (-1, np.nan, "scale", None, [1.0] * 4)),
        *((Matern(gamma=g), NUMBER.format("Matern")) for g in (-1, np.nan, np.inf, "auto", None, 1j)),
        *((Matern(nu, 1.0), rf"'nu' parameter.*among {{0.5, 1.5, 2.5}}. Got {nu!r}") for nu in (1, -0.5, "3/2", None)),
        *((RationalQuadratic(gamma=g), NUMBER.format("RationalQuadratic")) for g in (-1, np.nan, np.inf, "auto", None)),
        *((RationalQuadratic(a, 1.0), r"'alpha' parameter.*\(0.0, inf\)") for a in (0, -1, np.inf, "1", None, [1.0])),
        *((Periodic(gamma=g), NUMBER.format("Periodic")) for g in (-1, np.nan, np.inf, "scale", None)),
        *((Periodic(p), r"'period' parameter.*range \(0.0, inf\)") for p in (0, -1, np.inf, "1", None)),
        *((Periodic(p), "period" + FOUR[5:].replace(">=", ">")) for p in ([1, 2], [1, 2, 3, 0], [1, 2, 3, np.inf], [])),
        *((kind(gamma=g), FOUR) for kind in WIDE for g in ([], [1, 2], [[1] * 4], [1, 2, 3, -4], [1, 2, 3, np.inf])),
        *((kind(gamma=np.array(-1.0)), FOUR) for kind in WIDE),
        (RBF(gamma=[1, 2, 3, np.nan]), r"gamma must be .*one for each column of X, .*got \[ *1. +2. +3. +nan\]"),
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


@pytest.mark.parametrize("weights", [None, [0.5, 2.0, 0.0, 1.0]])
def test_all_subsets_has_a_feature_for_every_subset(weights):
    w = np.ones(4) if weights is None else np.array(weights)
    kept = np.array(list(np.ndindex(2, 2, 2, 2)), dtype=bool)  # a row for each subset

    def features(Z):
        return np.prod(np.where(kept, (np.sqrt(w) * Z)[:, None], 1), axis=2)

    assert_allclose(AllSubsets(weights)(X, Y), features(X) @ features(Y).T)
    assert_allclose(AllSubsets(weights).diag(X), np.square(features(X)).sum(axis=1))


def exactly(points):
    """∏ min(x_j, y_j) and d² of two points, computed with fractions."""
    a, b = [[Fraction(x) for x in point] for point in points]
    k, x, y = (prod(factors) for factors in (map(min, a, b), a, b))
    return float(k), float(x + y - 2 * k)


@pytest.mark.parametrize("step", [0.0, 1e-15, 1e-9, 0.25, 3.0])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_brownian_kernel_and_its_distance_are_right_to_fourteen_digits(d, step):
    points = np.random.default_rng(d).uniform(0.2, 3, size=(2, d))
    points[1] = points[0] + step * np.array([1, -0.05, 0.5, 0, 1])[:d]
    value, squared = exactly(points)
    assert_allclose(Brownian()(points)[0, 1], value, rtol=1e-14)
    assert_allclose(Brownian()(points[:1], points[1:])[0, 0], value, rtol=1e-14)
    assert_allclose(Brownian().distance(points)[0, 1] ** 2, squared, rtol=1e-14)


def test_the_brownian_kernel_is_the_covariance_of_sums_of_steps():
    """W(t) is the sum of independent steps up to t; for two columns, of a square for each pair of steps."""
    t = np.arange(5)
    L = np.tri(5, 4, -1)  # row t holds the steps up to t
    assert_array_equal(Brownian()(t[:, None]), L @ L.T)
    sheet = np.array([[s, u] for s in t for u in t])
    assert_array_equal(Brownian()(sheet), np.kron(L, L) @ np.kron(L, L).T)


def test_brownian_ridge_is_a_smoothing_path_through_zero():
    """Its functions Σ α_i min(x_i, ·) are polygons with knots at the data, 0 at 0 and level after the last."""
    x, y = np.array([[1.0], [2.0], [4.0]]), np.array([1.0, 3.0, 2.0])
    f = KernelRidge(Brownian(), 1e-12).fit(x, y)
    assert_allclose(f.predict([[0.0], [0.5], [1.5], [3.0], [9.0]]), [0, 0.5, 2, 2.5, 2], atol=1e-9)
    free = KernelRidge(Brownian() + 1e12, 1e-12).fit(x, y + 7)  # with a constant that costs next to nothing
    assert_allclose(free.predict([[0.0], [9.0]]), [8, 9], atol=1e-2)


def test_chi_squared_is_scikit_learns():
    A, B = np.abs(X), np.abs(Y)
    assert_allclose(ChiSquared(0.3)(A, B), pairwise.chi2_kernel(A, B, gamma=0.3))
    assert_allclose(ChiSquared(0.3)(A), pairwise.chi2_kernel(A, A, gamma=0.3))
    assert_allclose(ChiSquared()([[0, 1]], [[0, 3]]), np.exp([[-1.0]]))  # 0/0 counts as 0


@pytest.mark.parametrize(
    ("kernel", "points", "message"),
    [
        (AllSubsets([1.0]), X, "weights must be one for each of the 4 columns of X, got 1"),
        (AllSubsets([1.0, -1.0]), [[1.0, 1.0]], "weights must be a list of numbers >= 0"),
        (Brownian(), [[1.0, -2.0]], r"X must hold numbers >= 0, such as times since a start, got -2\."),
        (Periodic(1e-3), [[0.0], [1e13]], r"X must lie within 2\^52 periods of 0, got 1e\+13"),
        (ChiSquared(), [[1.0, -2.0]], "X must hold numbers >= 0, such as a histogram's counts, got -2"),
    ],
)
def test_points_and_weights_that_do_not_fit_are_refused(kernel, points, message):
    with pytest.raises(ValueError, match=message):
        kernel(points)

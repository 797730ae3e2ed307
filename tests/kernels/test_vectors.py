"""Kernels on vectors, against scikit-learn and brute force."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.gaussian_process.kernels import Matern as ProcessMatern
from sklearn.metrics import pairwise

from kernelbook.kernels import (
    RBF,
    AllSubsets,
    ChiSquared,
    GeneralLinear,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Sigmoid,
)

r = np.random.default_rng(7)
X, Y = r.normal(size=(30, 4)) * [1, 2, 0.5, 1] + 3, r.normal(size=(20, 4)) + 3
X.flags.writeable = Y.flags.writeable = False  # a kernel that changed its argument would raise
STATIONARY = [RBF(gamma=0.3), Laplacian(gamma=0.3), Laplacian(gamma=0.3, norm=1), Matern(gamma=0.3)]
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
    ],
    ids=lambda value: repr(value) if isinstance(value, Kernel) else "",
)
@pytest.mark.parametrize("shift", [0, 1e3])
def test_values_are_those_of_scikit_learn_and_scipy(kernel, oracle, shift):
    A, B = X + shift, Y + shift
    # scikit-learn's distances lose digits far from the origin, which the oracle of differences does not
    stationary = isinstance(kernel, RBF | Laplacian | Matern)
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
    assert Sigmoid().get_params() == {"gamma": 1, "coef0": 0}
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


@pytest.mark.parametrize(
    ("kernel", "points", "least"),
    [
        (Sigmoid(1, 1), [0.1, 100], -0.124),
        (Sigmoid(), [1, 2], -0.0909),
        (Sigmoid(), [0.1, 0.2], -0.01 * 0.04 * 0.03**2 / 3 / 0.05),  # the determinant by the trace
        (Sigmoid(1, -1), [0], np.tanh(-1)),
        (Sigmoid(1, 5), [0.1, 100], (np.tanh(5) - 1) / 2),
    ],
)
def test_the_sigmoid_promises_nothing(kernel, points, least):
    assert not kernel.psd
    assert not kernel.conditionally_psd
    assert_allclose(np.linalg.eigvalsh(kernel(np.array(points, dtype=float)[:, None]))[0], least, rtol=0.03)


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
POSITIVE_INT = r"int in the range \[1, inf\). Got "


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        *((RBF(gamma=g), NUMBER.format("RBF")) for g in (-1, np.nan, np.inf, "auto", None, 1j)),
        *((Laplacian(gamma=g), NUMBER.format("Laplacian")) for g in (-1, np.nan, "auto", None, [1.0] * 4)),
        *((Sigmoid(gamma=g), NUMBER.format("Sigmoid")) for g in (-1, np.nan, "scale", None, [1.0] * 4)),
        *((Sigmoid(coef0=c), "'coef0' parameter.*float.*Got") for c in (np.nan, np.inf, "1", None)),
        *((Polynomial(gamma=g), NUMBER.format("Polynomial")) for g in (-1, np.nan, "scale", None, [1.0] * 4)),
        *((Matern(gamma=g), NUMBER.format("Matern")) for g in (-1, np.nan, np.inf, "auto", None, 1j)),
        *((Matern(nu, 1.0), rf"'nu' parameter.*among {{0.5, 1.5, 2.5}}. Got {nu!r}") for nu in (1, -0.5, "3/2", None)),
        *((kind(gamma=g), FOUR) for kind in (RBF, Matern) for g in ([], [1, 2], [[1] * 4], [1, 2, 3, -4])),
        *((kind(gamma=np.array(-1.0)), FOUR) for kind in (RBF, Matern)),
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


def test_general_linear_measures_with_its_matrix():
    A = np.cov(X.T)
    assert_allclose(GeneralLinear(A)(X, Y), X @ A @ Y.T, rtol=1e-10)
    assert_allclose(GeneralLinear(A).diag(X), np.diagonal(X @ A @ X.T), rtol=1e-10)
    assert GeneralLinear(A).psd
    assert GeneralLinear(1e-20 * A).psd
    assert not GeneralLinear([[1.0, 2.0], [2.0, 1.0]]).psd
    assert GeneralLinear([[0.0]]).psd


@pytest.mark.parametrize("weights", [None, [0.5, 2.0, 0.0, 1.0]])
def test_all_subsets_has_a_feature_for_every_subset(weights):
    w = np.ones(4) if weights is None else np.array(weights)
    kept = np.array(list(np.ndindex(2, 2, 2, 2)), dtype=bool)  # a row for each subset

    def features(Z):
        return np.prod(np.where(kept, (np.sqrt(w) * Z)[:, None], 1), axis=2)

    assert_allclose(AllSubsets(weights)(X, Y), features(X) @ features(Y).T)
    assert_allclose(AllSubsets(weights).diag(X), np.square(features(X)).sum(axis=1))


def test_chi_squared_is_scikit_learns():
    A, B = np.abs(X), np.abs(Y)
    assert_allclose(ChiSquared(0.3)(A, B), pairwise.chi2_kernel(A, B, gamma=0.3))
    assert_allclose(ChiSquared(0.3)(A), pairwise.chi2_kernel(A, A, gamma=0.3))
    assert_allclose(ChiSquared()([[0, 1]], [[0, 3]]), np.exp([[-1.0]]))  # 0/0 counts as 0


@pytest.mark.parametrize(
    ("kernel", "points", "message"),
    [
        (GeneralLinear(np.eye(3)), X, r"A must have a row for each of the 4 columns of X, .* \(3, 3\)"),
        (GeneralLinear([[1.0, 2.0], [0.0, 1.0]]), [[1.0, 1.0]], "A must be symmetric"),
        (AllSubsets([1.0]), X, "weights must be one for each of the 4 columns of X, got 1"),
        (AllSubsets([1.0, -1.0]), [[1.0, 1.0]], "weights must be a list of numbers >= 0"),
        (ChiSquared(), [[1.0, -2.0]], "X must hold numbers >= 0, such as a histogram's counts, got -2"),
    ],
)
def test_kernels_of_products_refuse(kernel, points, message):
    with pytest.raises(ValueError, match=message):
        kernel(points)

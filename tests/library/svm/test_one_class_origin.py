"""The one-class machine where no half-space separates the sample from the origin, or hardly one does."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from kernelbook import RBF, Linear, OneClassSVM, Polynomial
from kernelbook.svm import relative_tolerance
from tests.library.samples import random_weights

SOLVERS = pytest.mark.parametrize("solver", ["smo", "interior_point"])


def centred(n=50, d=5, seed=11, weight=None):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X - np.average(X, axis=0, weights=weight)


def fit(model, X, weight=None):
    """The fitted model, and whether it says that f = 0."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X, sample_weight=weight)
    return model, any("the origin of the feature space" in str(warning.message) for warning in told)


def outliers(model, X, weight=None):
    """The share of the sample's weight that is outside."""
    return np.average(model.predict(X) == -1, weights=weight)


def origin_is_a_mean(X, nu, weight):
    """Whether Σ_i β_i x_i = 0 for a β of sum 1 with 0 ≤ β_i ≤ w_i / ν Σw, by a linear programme."""
    bounds = [(0, share) for share in weight / (nu * weight.sum())] + [(0, None)]
    distance = np.c_[np.r_[X.T, -X.T] / np.abs(X).max(), -np.ones((2 * X.shape[1], 1))]
    found = linprog(
        np.r_[np.zeros(len(X)), 1],  # the largest |Σ_i β_i x_i|
        A_ub=distance,
        b_ub=np.zeros(len(distance)),
        A_eq=np.r_[np.ones(len(X)), 0][None],
        b_eq=[1],
        bounds=bounds,
    )
    return found.fun < 1e-9


@SOLVERS
@pytest.mark.parametrize("nu", [0.1, 0.5, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_sample_around_the_origin_has_no_outliers(solver, nu, weighted):
    weight = random_weights(50, seed=0) if weighted else np.ones(50)
    X = centred(weight=weight)
    with pytest.warns(ConvergenceWarning, match=f"with nu = {nu} the origin .* f and ρ are 0.* such as RBF") as told:
        model = OneClassSVM(Linear(), nu, solver=solver).fit(X, sample_weight=weight)
    assert sum(warning.category is ConvergenceWarning for warning in told) == 1
    assert_array_equal(model.predict(np.r_[X, X + 100]), 1)
    assert_array_equal(model.score_samples(X), 0)
    assert_array_equal(model.coef_, np.zeros((1, 5)))
    assert model.offset_ == model.intercept_[0] == model.duality_gap_ == model.rkhs_function().norm() == 0
    assert weight[model.support_].sum() >= nu * weight.sum() * (1 - 1e-12)
    assert model.dual_coef_.shape == (1, len(model.support_))
    assert model.at_bound_.shape == (len(model.support_),) == (len(model.support_vectors_),)


@pytest.mark.parametrize("kernel", [RBF(0.1), Polynomial(2)], ids=repr)
def test_the_kernels_that_the_warning_advises(kernel):
    model, told = fit(OneClassSVM(kernel, 0.1), centred())
    assert not told
    assert model.score_samples(centred()).std() > 0.1 * model.offset_ > 0
    assert outliers(model, centred()) <= 0.1


@SOLVERS
@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_whether_f_is_zero_is_no_matter_of_units(solver, unit):
    for X, expected in ((centred(), True), (centred() + 3, False)):
        for kernel, weight in ((unit * Linear(), np.ones(50)), (Linear(), np.full(50, unit))):
            model, told = fit(OneClassSVM(kernel, 0.1, solver=solver), X, weight)
            assert told == (model.offset_ == 0) == expected
            assert outliers(model, X) <= 0.1


@SOLVERS
@pytest.mark.parametrize("tol", [1e-3, 0.9])
@pytest.mark.parametrize("shift", [0, 0.3, 1, 2])
def test_f_is_zero_where_a_linear_programme_finds_the_origin(solver, tol, shift):
    zeros = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, d, nu = int(rng.integers(3, 60)), int(rng.integers(1, 8)), rng.uniform(0.02, 1)
        weight = rng.uniform(0.1, 3, size=n) if seed % 2 else np.ones(n)
        X = centred(n, d, seed, weight) + shift * rng.normal(size=d)
        X *= 10.0 ** rng.uniform(-2, 2, size=d)
        model, told = fit(OneClassSVM(Linear(), nu, tol=tol, solver=solver), X, weight)
        assert told == (model.offset_ == 0) == origin_is_a_mean(X, nu, weight)
        assert outliers(model, X, weight) <= (0 if told else nu + 1e-12)
        zeros += told
    assert zeros == 20 if shift == 0 else 0 < zeros < 20


@pytest.mark.parametrize("seed", [19, 25, 46])
def test_a_large_tol_is_no_reason_to_stop_before_f_is_known_to_be_zero(seed):
    """The first attempt leaves a violation below 0.9 ρ here, and the origin is a mean all the same."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(1, size=(40, 2))
    X = X - X.mean(axis=0) + rng.normal(size=2)
    assert origin_is_a_mean(X, 0.8, np.ones(40))
    assert fit(OneClassSVM(Linear(), 0.8, tol=0.9), X)[1]


@SOLVERS
def test_objects_of_many_sizes(solver):
    """Entries of K from 1e-16 to 1; lengthening an object does not bring the origin into the hull, or out of it."""
    zeros = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, 4)) + 1.5 * np.eye(4)[0]
        lengths = 10.0 ** rng.uniform(-8, 0, size=(30, 1))
        model, told = fit(OneClassSVM(Linear(), 1 / 30, solver=solver), lengths * X)
        assert told == (model.offset_ == 0) == origin_is_a_mean(X, 1 / 30, np.ones(30))
        assert outliers(model, lengths * X) <= 1 / 30
        zeros += told
    assert 0 < zeros < 30


@SOLVERS
def test_few_objects_at_the_origin_leave_the_half_space(solver):
    X = np.r_[np.random.default_rng(0).normal(5, 0.5, size=(50, 2)), [[0.5, 0], [-0.5, 0.5], [-0.5, -0.5]]]
    assert origin_is_a_mean(X, 1 / 53, np.ones(53))
    assert not origin_is_a_mean(X, 0.1, np.ones(53))
    model, told = fit(OneClassSVM(Linear(), 0.1, solver=solver), X)
    assert not told
    theirs = svm.OneClassSVM(kernel="linear", nu=0.1, tol=1e-6).fit(X)
    assert_allclose(model.offset_, theirs.offset_[0], rtol=1e-3)
    assert 0.05 < outliers(model, X) <= 0.1


@SOLVERS
@pytest.mark.parametrize("distance", [1e-3, 1e-6])
def test_a_hull_that_nearly_holds_the_origin(solver, distance):
    """Moved along the shortest of its vectors until that has the given share of its length, or points the other way."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 3)) + 4
        first = OneClassSVM(Linear(), 0.2, tol=1e-10, solver="interior_point").fit(X)
        nearest = first.coef_[0] / first.dual_coef_.sum()
        outside, inside = X - (1 - distance) * nearest, X - (1 + distance) * nearest
        model, told = fit(OneClassSVM(Linear(), 0.2, solver=solver), outside)
        assert not told
        assert_allclose(model.coef_[0] / model.dual_coef_.sum(), distance * nearest, rtol=1e-2, atol=1e-2 * distance)
        assert model.offset_ > 0
        assert 0.1 < outliers(model, outside) <= 0.2
        assert fit(OneClassSVM(Linear(), 0.2, solver=solver), inside)[1]


@SOLVERS
def test_a_centred_sample_that_smo_does_not_finish(solver, monkeypatch):
    monkeypatch.setattr(relative_tolerance, "GIVE_UP_STEPS_PER_VARIABLE", 0)
    monkeypatch.setattr(relative_tolerance, "GIVE_UP_ENTRIES_READ", 0)
    K = RBF(0.1)(np.random.default_rng(0).normal(size=(100, 2)))
    K = K - K.mean(axis=0) - K.mean(axis=1, keepdims=True) + K.mean()
    model, told = fit(OneClassSVM("precomputed", 0.5, solver=solver), K)
    assert told
    assert outliers(model, K) == 0


def test_a_kernel_that_is_not_psd_may_have_a_zero_square_and_an_f():
    K = np.array([[0.0, 1.0], [1.0, 0.0]])
    model, told = fit(OneClassSVM("precomputed", 0.5), K)
    assert not told
    assert model.dual_coef_.tolist() == [[1.0]]


@pytest.mark.usefixtures("as_compiled")
def test_tol_stays_in_units_of_rho_where_the_square_is_negative():
    """So the first attempt is enough here for either tol."""
    X = np.random.default_rng(3).normal(size=(60, 2))
    K = RBF(1.0)(X) - X @ X.T / 2
    loose, usual = (fit(OneClassSVM("precomputed", 0.3, tol=tol), K)[0] for tol in (0.1, 1e-3))
    alpha = usual.dual_coef_[0]
    assert alpha @ K[np.ix_(usual.support_, usual.support_)] @ alpha < 0
    assert loose.n_iter_ == usual.n_iter_


@pytest.mark.parametrize("unit", [1e8, 3e8, 1e9])
def test_only_what_is_at_its_bound_is_outside_though_f_is_rounded(unit):
    model, told = fit(OneClassSVM(unit * Linear() + 1.0, 0.1), centred())  # f = 5 for all, but K is 10⁸ times as large
    assert not told
    assert_allclose(model.offset_, 5, rtol=2e-3)
    outside = np.flatnonzero(model.predict(centred()) == -1)
    assert set(outside) <= set(model.support_[model.at_bound_])


@SOLVERS
def test_a_far_object_whose_f_is_rounding_does_not_move_rho(solver):
    X = np.random.default_rng(0).normal(5, 1, size=(200, 2))
    near, far = (OneClassSVM(Linear(), 0.1, solver=solver).fit(np.r_[X, [[s, -s]]]) for s in (1e8, 1e15))
    assert_allclose(far.offset_, near.offset_, rtol=3e-3)

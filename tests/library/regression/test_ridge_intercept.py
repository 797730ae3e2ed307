"""Kernel ridge regression with a free offset: the bordered system, scikit-learn, what it ignores, leave-one-out."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV

from kernelbook import RBF, Constant, KernelRidge, KernelRidgeCV, Laplacian, Linear, Polynomial
from tests.library.regression.test_ridge_cv import exact_leave_one_out

ALPHAS = np.logspace(-4, 2, 7)
every_weight = pytest.mark.parametrize("weighted", [False, True])
every_target = pytest.mark.parametrize("targets", [1, 2])


def ridge(kernel, alpha):
    return KernelRidge(kernel, alpha, fit_intercept=True)


def ridge_cv(kernel, alphas):
    return KernelRidgeCV(kernel, alphas, fit_intercept=True)


def sample(regression_data, weighted, targets):
    """Objects, targets far from 0, weights of which some are 0, new objects."""
    X, y, new = regression_data
    y = y + 5 if targets == 1 else np.column_stack([y + 5, X[:, 0] - 3])
    weight = np.random.default_rng(1).uniform(0, 3, size=len(X)) * (np.arange(len(X)) % 7 > 0)
    return X, y, weight if weighted else None, new


def quadratic_features(X, gamma, coef0):
    """φ(x) with ⟨φ(x), φ(x')⟩ = (gamma ⟨x, x'⟩ + coef0)²."""
    i, j = np.triu_indices(X.shape[1])
    products = gamma * X[:, i] * X[:, j] * np.where(i == j, 1, np.sqrt(2))
    return np.column_stack([products, np.sqrt(2 * gamma * coef0) * X, np.full(len(X), coef0)])


FEATURES = [(Linear(), lambda X: X), (Polynomial(2, 0.5, 2), lambda X: quadratic_features(X, 0.5, 2))]


@pytest.mark.parametrize("kernel", [RBF(0.3), Laplacian(0.5), Polynomial(2)], ids=repr)
@every_target
def test_it_solves_the_bordered_system(regression_data, kernel, targets):
    X, y, _, new = sample(regression_data, False, targets)
    ones = np.ones((len(X), 1))
    bordered = np.block([[kernel(X) + 0.3 * np.eye(len(X)), ones], [ones.T, 0.0]])
    solution = np.linalg.solve(bordered, np.concatenate([y, 0 * y[:1]]))
    model = ridge(kernel, 0.3).fit(X, y)
    assert_allclose(model.dual_coef_, solution[:-1], rtol=1e-9, atol=1e-11 * np.abs(solution).max())
    assert_allclose(model.intercept_, solution[-1], rtol=1e-10)
    assert_allclose(model.predict(new), kernel(new, X) @ solution[:-1] + solution[-1], rtol=1e-10)


@pytest.mark.parametrize(("kernel", "features"), FEATURES, ids=["linear", "polynomial"])
@pytest.mark.parametrize("alpha", [1e-3, 0.7, 10.0])
@every_weight
@every_target
def test_agrees_with_scikit_learn(regression_data, kernel, features, alpha, weighted, targets):
    X, y, weight, new = sample(regression_data, weighted, targets)
    oracle = Ridge(alpha).fit(features(X), y, sample_weight=weight)
    expected = oracle.predict(features(new))
    for model in ridge(kernel, alpha), ridge_cv(kernel, [alpha]):
        model.fit(X, y, sample_weight=weight)
        assert_allclose(model.predict(new), expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())
        assert_allclose(model.intercept_, oracle.intercept_, rtol=1e-10)
    assert_allclose(ridge(Linear(), alpha).fit(X, y, weight).coef_.shape, Ridge().fit(X, y).coef_.shape)


def test_the_intercept_has_the_shape_of_a_target(regression_data):
    X, y, _ = regression_data
    for make in ridge, ridge_cv:
        alpha = 1.0 if make is ridge else [1.0]
        assert isinstance(make(RBF(0.3), alpha).fit(X, y).intercept_, float)
        assert make(RBF(0.3), alpha).fit(X, y[:, None]).intercept_.shape == (1,)
        assert make(RBF(0.3), alpha).fit(X, np.column_stack([y, y, y])).intercept_.shape == (3,)
    for model in KernelRidge(), KernelRidgeCV():
        assert model.fit(X, y).intercept_ == 0
        assert_array_equal(model.fit(X, np.column_stack([y, y])).intercept_, [0, 0])


@pytest.mark.parametrize("constant", [1e3, 1e6, 1e9])
def test_a_constant_in_y_moves_the_predictions_by_it(regression_data, constant):
    X, y, new = regression_data
    lost = 8 * np.finfo(float).eps * constant  # y + constant is rounded to half a unit, and so are sum and mean
    for model in ridge(RBF(0.3), 0.2), ridge_cv(RBF(0.3), ALPHAS):
        expected = model.fit(X, y).predict(new)
        assert_allclose(model.fit(X, y + constant).predict(new) - constant, expected, rtol=1e-12, atol=lost)


@pytest.mark.parametrize("constant", [1e3, 1e6, 1e9])
@every_weight
def test_a_constant_in_the_kernel_changes_nothing(regression_data, constant, weighted):
    """Entries of K + constant are known to 2⁻⁵³ · constant, √n times that is known of its eigenvalues."""
    X, y, weight, new = sample(regression_data, weighted, 1)
    lost = 100 * np.finfo(float).eps * constant
    for model, other in (
        (ridge(RBF(0.3), 0.2), ridge(RBF(0.3) + Constant(constant), 0.2)),
        (ridge_cv(RBF(0.3), [0.2, 2]), ridge_cv(RBF(0.3) + Constant(constant), [0.2, 2])),
    ):
        expected, found = model.fit(X, y, weight), other.fit(X, y, weight)
        size = np.abs(expected.predict(new)).max()
        assert_allclose(found.predict(new), expected.predict(new), rtol=0, atol=(1e-12 + lost / 0.2) * size)
        if hasattr(model, "loo_errors_"):
            for name in "loo_errors_", "gcv_", "degrees_of_freedom_":
                assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12 + lost / 0.2)


@pytest.mark.parametrize("far", [0, 1e3, 1e5])
def test_without_ridge_it_is_least_squares_where_features_are_few(regression_data, far):
    """Rank 3 on the vectors of sum 0, and 56 eigenvalues that are rounding, of the size of the constant part of K."""
    X, y, new = regression_data
    expected = LinearRegression().fit(X, y).predict(new)
    for model in ridge(Linear(), 0), ridge_cv(Linear(), [1e-13 * (1 + far**2)]):
        model.fit(X + far, y)
        assert_allclose(model.predict(new + far), expected, rtol=0, atol=1e-10 * (1 + far) * np.abs(y).max())


@pytest.mark.parametrize("far", [1e2, 1e3, 1e4])
def test_a_ridge_like_the_rounding_of_a_constant_costs_no_digits(regression_data, far):
    """Cholesky would succeed where alpha exceeds that rounding a little, and be off by 0.3."""
    X, y, new = regression_data
    expected = LinearRegression().fit(X, y).predict(new)
    for alpha in np.logspace(-12, -4, 17):
        found = ridge(Linear(), alpha).fit(X + far, y).predict(new + far)
        assert_allclose(found, expected, rtol=0, atol=1e-5 * np.abs(y).max())


def test_without_ridge_it_interpolates_with_the_least_norm(regression_data):
    X, y, new = regression_data
    K, ones = RBF(5.0)(X), np.ones(len(X))
    model = ridge(RBF(5.0), 0).fit(X, y + 5)
    assert_allclose(model.predict(X), y + 5, rtol=1e-9)
    inverse = np.linalg.inv(K)
    b = ones @ inverse @ (y + 5) / (ones @ inverse @ ones)  # of all offsets that with the interpolant of least norm
    assert_allclose(model.intercept_, b, rtol=1e-9)
    assert_allclose(model.predict(new), RBF(5.0)(new, X) @ inverse @ (y + 5 - b) + b, rtol=1e-8)


@pytest.mark.parametrize("alpha", [0, 1.0])
def test_one_object_gives_a_constant(alpha):
    for X, y, weight in ([[0.0]], [3.0], None), ([[0.0], [1.0], [2.0]], [4.0, 3.0, 5.0], [0, 2, 0]):
        model = ridge(RBF(1.0), alpha).fit(X, y, sample_weight=weight)
        assert_array_equal(model.dual_coef_, 0)
        assert_array_equal(model.predict([[1.0], [7.0]]), 3.0)


def test_weights_count_copies(regression_data):
    X, y, new = regression_data
    times = np.random.default_rng(2).integers(0, 4, size=len(X))
    weighted = KernelRidge(alpha=0.3, fit_intercept=True).fit(X, y, sample_weight=times)
    repeated = KernelRidge(alpha=0.3, fit_intercept=True).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_allclose(weighted.predict(new), repeated.predict(new), rtol=1e-9)


def test_input_is_left_alone(regression_data):
    X, y, _ = regression_data
    K, weight = RBF(0.3)(X), np.arange(len(X)) % 3.0
    kept = y.copy(), K.copy(), weight.copy()
    for model in ridge("precomputed", 1.0), ridge("precomputed", 0.0), ridge_cv("precomputed", ALPHAS):
        model.fit(K, y), model.fit(K, y, sample_weight=weight)
        for now, before in zip((y, K, weight), kept, strict=True):
            assert_array_equal(now, before)


def minus_squared_distance(X, Y):
    return -np.square(np.asarray(X)[:, None] - np.asarray(Y)[None]).sum(axis=2)


def test_a_conditionally_psd_kernel_will_do(regression_data):
    """−‖x − x'‖² is 2 ⟨x, x'⟩ on coefficients of sum 0, and has a large negative eigenvalue on others."""
    X, y, new = regression_data
    expected = ridge(2 * Linear(), 0.4).fit(X, y).predict(new)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in ridge(minus_squared_distance, 0.4), ridge_cv(minus_squared_distance, [0.4]):
            assert_allclose(model.fit(X, y).predict(new), expected, rtol=1e-10)
    with pytest.warns(ConvergenceWarning, match="the kernel is not PSD"):
        KernelRidgeCV(minus_squared_distance, [0.4]).fit(X, y)


def test_a_kernel_that_is_not_even_that_draws_a_warning():
    K = np.array([[0.0, 2.0, 2.0], [2.0, 0.0, 2.0], [2.0, 2.0, 0.0]])  # eigenvalue −2 on the vectors of sum 0
    said = r"has the negative eigenvalue -{} on the vectors of sum 0: the kernel is not conditionally PSD"
    with pytest.warns(ConvergenceWarning, match=r"^K \+ alpha I " + said.format("1.5")):
        model = ridge("precomputed", 0.5).fit(K, [1.0, 0.0, 2.0])
    assert_allclose(K @ model.dual_coef_ + 0.5 * model.dual_coef_ + model.intercept_, [1.0, 0.0, 2.0], atol=1e-12)
    with pytest.warns(ConvergenceWarning, match=r"^K \+ alpha I " + said.format("1.5")):
        ridge_cv("precomputed", [0.5]).fit(K, [1.0, 0.0, 2.0])


@every_weight
@every_target
def test_leave_one_out_agrees_with_refits(regression_data, weighted, targets):
    X, y, weight, new = sample(regression_data, weighted, targets)
    model, given = ridge_cv(RBF(0.3), ALPHAS).fit(X, y, weight), np.ones(len(X)) if weight is None else weight
    expected = np.zeros(len(ALPHAS))
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        for j, alpha in enumerate(ALPHAS):
            without = ridge(RBF(0.3), alpha).fit(X[rest], y[rest], given[rest])
            expected[j] += given[i] * np.mean((y[i] - without.predict(X[[i]])[0]) ** 2) / given.sum()
    assert_allclose(model.loo_errors_, expected, rtol=1e-8)
    assert model.alpha_ == ALPHAS[np.argmin(expected)]
    for alpha, fits in zip(ALPHAS, model.path(new), strict=True):
        single = ridge(RBF(0.3), alpha).fit(X, y, weight).predict(new)
        assert_allclose(fits, single, rtol=1e-6, atol=1e-8 * np.abs(single).max())
    chosen = ridge(RBF(0.3), model.alpha_).fit(X, y, weight)
    assert_allclose(model.intercept_, chosen.intercept_, rtol=1e-8)


def test_linear_kernel_agrees_with_ridge_cv(regression_data):
    X, y, _ = regression_data
    ours = ridge_cv(Linear(), ALPHAS).fit(X, y + 5)
    theirs = RidgeCV(ALPHAS, store_cv_results=True).fit(X, y + 5)
    assert ours.alpha_ == theirs.alpha_
    assert_allclose(ours.loo_errors_, theirs.cv_results_.mean(axis=0), rtol=1e-8)


@every_weight
def test_gcv_and_degrees_of_freedom_by_their_definitions(regression_data, weighted):
    X, y, weight, _ = sample(regression_data, weighted, 1)
    given = np.ones(len(X)) if weight is None else weight
    model = ridge_cv(RBF(0.3), ALPHAS).fit(X, y, weight)
    for i, alpha in enumerate(ALPHAS):
        H = ridge(RBF(0.3), alpha).fit(X, np.eye(len(X)), weight).predict(X)  # column j is the fit to the j-th unit y
        trace = H.diagonal()[given > 0].sum()
        assert_allclose(model.degrees_of_freedom_[i], trace, rtol=1e-8)
        error = given @ (y - H @ y) ** 2 / given.sum()
        assert_allclose(model.gcv_[i], error / (1 - trace / np.count_nonzero(given)) ** 2, rtol=1e-7)
    assert (model.degrees_of_freedom_ > 1).all()


def test_small_alpha_keeps_the_digits_of_leave_one_out():
    """A free offset is a constant of infinite size in the kernel; here 10⁴⁰, in rational arithmetic."""
    K, y, alpha = np.array([[2.0, 1.0, 0.5], [1.0, 2.0, 1.0], [0.5, 1.0, 2.0]]), np.array([1.0, -2.0, 3.0]), 1e-13
    with_constant = np.array([[Fraction(value) + 10**40 for value in row] for row in K])
    exact = exact_leave_one_out(with_constant, y, alpha)
    assert_allclose(ridge_cv("precomputed", [alpha]).fit(K, y).loo_errors_, exact, rtol=1e-12)


@pytest.mark.parametrize(("n", "weight"), [(1, None), (3, [0, 1, 0])])
def test_leave_one_out_needs_two_objects(n, weight):
    with pytest.raises(ValueError, match=r"X must hold at least two objects of positive weight.*got 1 sample"):
        ridge_cv(RBF(1.0), [1.0]).fit(np.eye(n), np.arange(n), sample_weight=weight)
    KernelRidgeCV(RBF(1.0), [1.0]).fit(np.eye(n), np.arange(n), sample_weight=weight)


@pytest.mark.parametrize("model", [KernelRidge(fit_intercept=2), KernelRidgeCV(fit_intercept="yes")])
def test_fit_intercept_is_true_or_false(model):
    with pytest.raises(ValueError, match="'fit_intercept' parameter"):
        model.fit([[0.0], [1.0]], [0.0, 1.0])

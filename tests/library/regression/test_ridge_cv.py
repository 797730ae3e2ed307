"""Kernel ridge regression with its ridge chosen: exact leave-one-out against refits and against rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from kernelbook import RBF, KernelRidge, KernelRidgeCV, Linear, Polynomial
from tests.library.samples import random_weights

ALPHAS = np.logspace(-4, 2, 7)


@pytest.mark.parametrize("kernel", [RBF(0.3), Linear(), Polynomial(2)], ids=repr)
@pytest.mark.parametrize("targets", [1, 2])
def test_path_and_choice_agree_with_single_fits(regression_data, kernel, targets):
    X, y, new = regression_data
    y = y if targets == 1 else np.column_stack([y, X[:, 0]])
    model = KernelRidgeCV(kernel, ALPHAS).fit(X, y)
    singles = [KernelRidge(kernel, alpha).fit(X, y) for alpha in ALPHAS]
    assert_allclose(model.path(new), [single.predict(new) for single in singles], rtol=1e-7, atol=1e-9)
    best = singles[int(np.argmin(model.loo_errors_))]
    assert model.alpha_ == best.alpha
    assert_allclose(model.predict(new), best.predict(new), rtol=1e-7, atol=1e-9)
    assert model.predict(new).shape == best.predict(new).shape


def test_default_ridges_take_a_step_a_decade():
    assert KernelRidgeCV().alphas == tuple(float(f"1e{power}") for power in range(-4, 3))


@pytest.mark.parametrize("kernel", [RBF(0.3), Linear()], ids=repr)
def test_leave_one_out_agrees_with_refits(regression_data, kernel):
    X, y, _ = regression_data
    errors = [
        np.mean((y - cross_val_predict(KernelRidge(kernel, alpha), X, y, cv=LeaveOneOut())) ** 2) for alpha in ALPHAS
    ]
    assert_allclose(KernelRidgeCV(kernel, ALPHAS).fit(X, y).loo_errors_, errors, rtol=1e-8)


@pytest.mark.parametrize("targets", [1, 2])
def test_weighted_leave_one_out_agrees_with_refits(regression_data, targets):
    X, y, new = regression_data
    y = y if targets == 1 else np.column_stack([y, X[:, 0]])
    weight = np.random.default_rng(1).uniform(0, 3, size=len(X)) * (np.arange(len(X)) % 7 > 0)
    model, expected = KernelRidgeCV(RBF(0.3), ALPHAS).fit(X, y, weight), []
    for alpha in ALPHAS:
        errors = []
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            without = KernelRidge(RBF(0.3), alpha).fit(X[rest], y[rest], weight[rest])
            errors.append(np.mean((y[i] - without.predict(X[[i]])[0]) ** 2))
        expected.append(weight @ errors / weight.sum())
    assert_allclose(model.loo_errors_, expected, rtol=1e-8)
    best = KernelRidge(RBF(0.3), model.alpha_).fit(X, y, weight)
    assert_allclose(model.predict(new), best.predict(new), rtol=1e-7, atol=1e-9)
    for alpha, fits in zip(ALPHAS, model.path(new), strict=True):
        assert_allclose(fits, KernelRidge(RBF(0.3), alpha).fit(X, y, weight).predict(new), rtol=1e-6, atol=1e-8)


def test_weights_of_zero_are_as_good_as_absence(regression_data):
    X, y, new = regression_data
    weight = (np.arange(len(X)) % 3 > 0).astype(float)
    weighted, without = KernelRidgeCV(RBF(0.3), ALPHAS).fit(X, y, weight), KernelRidgeCV(RBF(0.3), ALPHAS)
    without.fit(X[weight > 0], y[weight > 0])
    for name in ("loo_errors_", "gcv_", "degrees_of_freedom_", "alpha_"):
        assert_allclose(getattr(weighted, name), getattr(without, name), rtol=1e-8)
    assert_allclose(weighted.predict(new), without.predict(new), rtol=1e-8)


def test_weights_and_ridge_have_one_unit(regression_data):
    X, y, _ = regression_data
    weight = random_weights(len(X), seed=1)
    one, other = KernelRidgeCV(RBF(0.3), ALPHAS), KernelRidgeCV(RBF(0.3), 1e6 * ALPHAS)
    one.fit(X, y, weight), other.fit(X, y, 1e6 * weight)
    for name in ("loo_errors_", "gcv_", "degrees_of_freedom_"):
        assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-8)


def test_gcv_and_degrees_of_freedom_by_their_definitions(regression_data):
    X, y, _ = regression_data
    model = KernelRidgeCV(RBF(0.3), ALPHAS).fit(X, y)
    K = RBF(0.3)(X)
    for i, alpha in enumerate(ALPHAS):
        H = K @ np.linalg.inv(K + alpha * np.eye(len(K)))
        assert_allclose(model.degrees_of_freedom_[i], np.trace(H), rtol=1e-8)
        assert_allclose(model.gcv_[i], np.mean((y - H @ y) ** 2) / np.mean(1 - np.diag(H)) ** 2, rtol=1e-7)


def test_linear_kernel_agrees_with_ridge_cv(regression_data):
    X, y, _ = regression_data
    ours = KernelRidgeCV(Linear(), ALPHAS).fit(X, y)
    theirs = RidgeCV(ALPHAS, fit_intercept=False, store_cv_results=True).fit(X, y)
    assert ours.alpha_ == theirs.alpha_
    assert_allclose(ours.loo_errors_, theirs.cv_results_.mean(axis=0), rtol=1e-8)


def exact_solution(K, y, alpha):
    """(K + alpha I)⁻¹ y in rational arithmetic, by Gauss and Jordan."""
    rows = [[Fraction(value) for value in row] + [Fraction(target)] for row, target in zip(K, y, strict=True)]
    for i, row in enumerate(rows):
        row[i] += Fraction(alpha)
    for i, pivot in enumerate(rows):
        pivot[:] = [value / pivot[i] for value in pivot]
        for row in rows:
            if row is not pivot and row[i]:
                row[:] = [value - row[i] * part for value, part in zip(row, pivot, strict=True)]
    return [row[-1] for row in rows]


def exact_leave_one_out(K, y, alpha):
    """The mean squared error of predicting each y_i from the others, in rational arithmetic."""
    errors = []
    for i in range(len(y)):
        others = [j for j in range(len(y)) if j != i]
        c = exact_solution(K[np.ix_(others, others)], y[others], alpha)
        errors.append(Fraction(y[i]) - sum(Fraction(K[i, j]) * c_j for j, c_j in zip(others, c, strict=True)))
    return float(sum(error**2 for error in errors) / len(errors))


def test_small_alpha_keeps_the_digits_of_leave_one_out():
    K, y, alpha = np.array([[2.0, 1.0, 0.5], [1.0, 2.0, 1.0], [0.5, 1.0, 2.0]]), np.array([1.0, -2.0, 3.0]), 1e-13
    exact = exact_leave_one_out(K, y, alpha)
    assert_allclose(KernelRidgeCV("precomputed", [alpha]).fit(K, y).loo_errors_, exact, rtol=1e-12)
    H = K @ np.linalg.inv(K + alpha * np.eye(3))
    naive = np.mean(((y - H @ y) / (1 - np.diag(H))) ** 2)
    assert abs(naive / exact - 1) > 1e-4  # what cancellation would have made of it


@pytest.mark.parametrize("alpha", [1e-3, 1e-6, 1e-9])
def test_nearly_singular_matrix_costs_no_more_than_its_condition(alpha):
    X = np.linspace(0, 1, 14)[:, None]
    y = np.cos(3 * X[:, 0])
    K = RBF(0.1)(X)
    assert np.linalg.cond(K) > 1e16
    error = 100 * np.finfo(float).eps * np.linalg.norm(K, 2) / alpha
    model = KernelRidgeCV("precomputed", [alpha]).fit(K, y)
    assert_allclose(model.loo_errors_, exact_leave_one_out(K, y, alpha), rtol=error)
    fit = K @ np.array(exact_solution(K, y, alpha), dtype=float)
    assert_allclose(model.path(K)[0], fit, rtol=error)
    assert_allclose(KernelRidge("precomputed", alpha).fit(K, y).predict(K), fit, rtol=error)


def test_eigenvalues_that_are_rounding_count_as_zero(regression_data):
    """Rank 3 in 60 dimensions: the 57 others are noise of either sign, beside which an alpha of 1e-13 is nothing."""
    X, y, new = regression_data
    K, alpha = Linear()(100 * X), 1e-13
    model = KernelRidgeCV("precomputed", [alpha]).fit(K, y)
    H = 100 * X @ np.linalg.pinv(100 * X)
    assert_allclose(model.loo_errors_, np.mean(((y - H @ y) / (1 - H.diagonal())) ** 2), rtol=1e-9)
    assert_allclose(model.degrees_of_freedom_, 3, rtol=1e-9)
    expected = new @ np.linalg.lstsq(X, y, rcond=None)[0]
    assert_allclose(model.predict(1e4 * new @ X.T), expected, rtol=1e-9)
    assert_allclose(model.path(1e4 * new @ X.T)[0], expected, rtol=1e-9)


def test_far_from_the_sample_it_is_the_ridge_machine_with_that_alpha():
    """There directions count that are all but zero: their functions, small on the sample, need not be so elsewhere."""
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(60, 1))
    y, far = np.sin(6 * x[:, 0]) + 0.1 * rng.normal(size=60), np.array([[-1.0], [2.0], [3.0]])
    for alpha in 1e-9, 1e-6, 1e-3:
        expected = KernelRidge(RBF(0.7), alpha).fit(x, y).predict(far)
        assert_allclose(KernelRidgeCV(RBF(0.7), [alpha]).fit(x, y).predict(far), expected, rtol=1e-4)

"""Kernel ridge regression at its limits: far objects, heavy weights, extreme units, singular systems, ties, memory."""

import pickle
import tracemalloc
import warnings
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge

from kernelbook import RBF, KernelRidge, KernelRidgeClassifier, KernelRidgeCV, Linear
from kernelbook.base import training
from tests.library.regression.test_ridge_cv import exact_solution

ALPHAS = np.array([0.01, 0.1, 1.0])
every_intercept = pytest.mark.parametrize("fit_intercept", [False, True])
HIDDEN = "of size .* for a tenth of the objects, which vanish in its rounding"


@pytest.fixture
def few():
    """A Gram matrix of 7 objects, targets, weights."""
    rng = np.random.default_rng(0)
    return RBF(0.5)(rng.normal(size=(7, 2))), rng.normal(size=7), rng.uniform(0.5, 2, size=7)


@pytest.fixture
def one_far():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.7 * rng.normal(size=40)
    X[11] = 1e8
    return X, y


def test_a_far_object_costs_the_others_no_digits(one_far):
    X, y = one_far
    near = np.arange(len(X)) != 11
    expected = Ridge(1.0, fit_intercept=False, solver="svd").fit(X, y).predict(X[near])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = KernelRidge(Linear(), alpha=1.0).fit(X, y).predict(X[near])
    assert_allclose(found, expected, rtol=0, atol=1e-7)  # 2⁻⁵² · 10⁸, that of f(x) = ⟨w, x⟩ at the far object, and √n


def test_objects_that_vanish_beside_a_far_one_draw_a_warning(one_far):
    for model in KernelRidge(Linear(), fit_intercept=True), KernelRidgeCV(Linear()), KernelRidgeClassifier(Linear()):
        with pytest.warns(ConvergenceWarning, match=HIDDEN):
            model.fit(one_far[0], one_far[1] > 0)


def exact_fit(K, y, weight, alpha, fit_intercept):
    """Kc + b in rational arithmetic, c = z − b v for (K + alpha W⁻¹) z = y, (K + alpha W⁻¹) v = 1."""
    system = [[Fraction(value) for value in row] for row in K]
    for i, w in enumerate(weight):
        system[i][i] += Fraction(alpha) / Fraction(w)
    z, v = exact_solution(system, y, 0), exact_solution(system, np.ones(len(y)), 0)
    b = sum(z) / sum(v) if fit_intercept else 0
    return K @ np.array([float(one - b * other) for one, other in zip(z, v, strict=True)]) + float(b)


@every_intercept
@pytest.mark.parametrize("place", [0, 4, 6])
@pytest.mark.parametrize("ratio", [1e12, 1e16, 1e40, 1e100])
def test_a_heavy_object_costs_no_digits_wherever_it_stands(few, fit_intercept, place, ratio):
    K, y, weight = few
    weight[place] = ratio
    expected = exact_fit(K, y, weight, 1.0, fit_intercept)
    model = KernelRidge("precomputed", alpha=1.0, fit_intercept=fit_intercept).fit(K, y, weight)
    assert_allclose(model.predict(K), expected, rtol=1e-13)
    model = KernelRidgeCV("precomputed", [1.0], fit_intercept=fit_intercept)
    if fit_intercept:  # the heavy object fixes b
        assert_allclose(model.fit(K, y, weight).predict(K), expected, rtol=1e-13)
    elif ratio > 1e12:
        with pytest.warns(ConvergenceWarning, match=HIDDEN):
            model.fit(K, y, weight)


@pytest.mark.parametrize("weight", [[1, 1e40], [1e40, 1], [1e-150, 1e150]])
def test_a_heavy_object_is_left_out_like_any_other(weight):
    """What remains is one object, which b alone fits: each is predicted to have the other's label."""
    X = [[0.0], [1.0]]
    model = KernelRidgeClassifier(RBF(0.5)).fit(X, ["a", "b"], weight)
    assert_allclose(model.loo_decision_values_, [1, -1], rtol=1e-14)
    assert_allclose(model.loo_errors_, 4, rtol=1e-14)
    errors = KernelRidgeCV(RBF(0.5), fit_intercept=True).fit(X, [-1.0, 1.0], weight).loo_errors_
    assert_allclose(errors, 4, rtol=1e-14)


@pytest.mark.parametrize("weight", [[1e-300, 1e300], [1e300, 1e-300]])
def test_beside_a_weight_beyond_the_range_of_numbers_there_is_one_object(weight):
    for model in KernelRidgeClassifier(), KernelRidgeCV(fit_intercept=True):
        with pytest.raises(ValueError, match=r"predicted by the others, got 1 sample whose weight, 1e\+300, leaves"):
            model.fit([[0.0], [1.0]], [0, 1], weight)


@every_intercept
@pytest.mark.parametrize("unit", [1e-160, 1e160])
def test_extreme_units_of_the_kernel(few, fit_intercept, unit):
    K, y, weight = few
    for weights in None, weight:
        one = KernelRidge("precomputed", 0.1, fit_intercept=fit_intercept).fit(K, y, weights)
        other = KernelRidge("precomputed", 0.1 * unit, fit_intercept=fit_intercept).fit(unit * K, y, weights)
        assert_allclose(other.predict(unit * K), one.predict(K), rtol=1e-12)
        one = KernelRidgeCV("precomputed", ALPHAS, fit_intercept=fit_intercept).fit(K, y, weights)
        other = KernelRidgeCV("precomputed", unit * ALPHAS, fit_intercept=fit_intercept).fit(unit * K, y, weights)
        assert_allclose(other.predict(unit * K), one.predict(K), rtol=1e-12)
        assert_allclose(other.loo_errors_, one.loo_errors_, rtol=1e-12)


@every_intercept
@pytest.mark.parametrize("unit", [1e-305, 1e-100, 1e100, 1e305])
def test_extreme_units_of_the_weights(few, fit_intercept, unit):
    K, y, weight = few
    one = KernelRidge("precomputed", 0.1, fit_intercept=fit_intercept).fit(K, y, weight)
    other = KernelRidge("precomputed", 0.1 * unit, fit_intercept=fit_intercept).fit(K, y, unit * weight)
    assert_allclose(other.predict(K), one.predict(K), rtol=1e-12)
    one = KernelRidgeCV("precomputed", ALPHAS, fit_intercept=fit_intercept).fit(K, 1e20 * y, weight)
    other = KernelRidgeCV("precomputed", unit * ALPHAS, fit_intercept=fit_intercept).fit(K, 1e20 * y, unit * weight)
    assert_allclose(other.predict(K), one.predict(K), rtol=1e-12)
    for name in "loo_errors_", "gcv_", "degrees_of_freedom_":
        assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-12)


@every_intercept
@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_extreme_units_of_y_do_not_change_the_choice(regression_data, fit_intercept, unit):
    X, y, _ = regression_data
    one, other = (KernelRidgeCV(RBF(0.3), fit_intercept=fit_intercept) for _ in range(2))
    one.fit(X, y), other.fit(X, unit * y)
    assert one.alphas[0] < one.alpha_ == other.alpha_
    assert_array_equal(other.loo_errors_, 0 if unit < 1 else np.inf)  # in units of y², which no number holds


def test_a_singular_system_is_not_chosen():
    K, y = 2 * (np.ones((4, 4)) - np.eye(4)), [1.0, 2.0, 3.0, 5.0]  # eigenvalues 6 and −2, three times
    with pytest.warns(ConvergenceWarning, match="negative eigenvalue -2"):
        model = KernelRidgeCV("precomputed", [10, 2, 20]).fit(K, y)
    assert model.alpha_ == 10
    assert_allclose(model.dual_coef_, np.linalg.solve(K + 10 * np.eye(4), y), rtol=1e-12)
    assert_array_equal(np.isinf(model.loo_errors_), [False, True, False])
    assert_array_equal(np.isnan(model.gcv_), [False, True, False])
    assert_array_equal(np.isnan(model.degrees_of_freedom_), [False, True, False])
    least_norm = K @ np.full(4, np.mean(y) / 8)  # K + 2 I has the eigenvalue 8 on the constants, 0 on the rest
    assert_allclose(model.path(K)[1], least_norm, rtol=1e-12)
    with pytest.warns(ConvergenceWarning, match="negative eigenvalue -2"):
        assert_allclose(KernelRidge("precomputed", 2).fit(K, y).predict(K), least_norm, rtol=1e-12)


@pytest.mark.parametrize("alphas", [[10.0, 0.1, 1.0], [0.1, 1.0, 10.0]])
def test_of_equal_errors_the_first_alpha_is_taken(alphas):
    assert KernelRidgeCV(RBF(1.0), alphas).fit(np.arange(5.0)[:, None], np.zeros(5)).alpha_ == alphas[0]


def test_of_equal_decisions_the_first_class_is_taken():
    for labels in ["a", "b", "c"], ["a", "b", "b"]:
        model = KernelRidgeClassifier("precomputed", fit_intercept=False).fit(np.eye(3), labels)
        assert_array_equal(model.predict(np.zeros((2, 3))), ["a", "a"])


def test_a_product_of_weights_beyond_the_range_of_numbers_is_refused():
    model = KernelRidgeClassifier(class_weight={0: 1e200, 1: 1.0})
    with pytest.raises(ValueError, match="class_weight times sample_weight must lie within the range of numbers"):
        model.fit([[0.0], [1.0]], [0, 1], [1e200, 1.0])


MACHINES = [
    (KernelRidge(), False, 1),
    (KernelRidge(), True, 2),
    (KernelRidge(fit_intercept=True), False, 2),
    (KernelRidgeCV(), True, 4),
    (KernelRidgeCV(fit_intercept=True), False, 4),
    (KernelRidgeClassifier(), True, 4),
]


@pytest.mark.parametrize(("model", "weighted", "matrices"), MACHINES, ids=repr)
def test_a_fit_takes_as_much_memory_as_it_asks_for(model, weighted, matrices, monkeypatch):
    asked, n = [], 800
    monkeypatch.setattr(training, "check_memory", lambda n, matrices, instead="": asked.append(matrices))
    X = np.random.default_rng(0).normal(size=(n, 3))
    tracemalloc.start()
    model.fit(X, X[:, 0] > 0, sample_weight=np.linspace(1, 2, n) if weighted else None)
    peak = tracemalloc.get_traced_memory()[1] / (8 * n**2)
    tracemalloc.stop()
    assert asked == [matrices]
    assert peak < matrices + 0.5  # and the blocks of rows of which a kernel is made


def test_a_regressor_keeps_eigenvectors_and_a_classifier_none(regression_data):
    X, y, _ = regression_data
    assert len(pickle.dumps(KernelRidgeCV(RBF(0.3)).fit(X, y))) < 8 * len(X) ** 2 * 1.5
    assert len(pickle.dumps(KernelRidgeClassifier(RBF(0.3)).fit(X, y > 0))) < 8 * len(X) ** 2 / 2


def test_a_warning_where_half_of_the_objects_are_heavy():
    X = np.random.default_rng(0).normal(size=(9, 2))
    weight = np.where(np.arange(9) < 5, 1e16, 1.0)
    with pytest.warns(ConvergenceWarning, match="which vanish in its rounding"):
        KernelRidgeCV(RBF(1.0), [1.0]).fit(X, X[:, 0], sample_weight=weight)

"""Least-squares classification: ridge regression on labels ±1, scikit-learn, the LS-SVM's own system, leave-one-out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import RidgeClassifier, RidgeClassifierCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import RBF, KernelRidge, KernelRidgeClassifier, KernelRidgeCV, Linear

ALPHAS = np.logspace(-4, 2, 7)
every_count = pytest.mark.parametrize("classes", [2, 3])
every_intercept = pytest.mark.parametrize("fit_intercept", [True, False])
CLASS_WEIGHTS = [None, "balanced", {"a": 1.0, "b": 5.0, "c": 0.2}]
every_class_weight = pytest.mark.parametrize("class_weight", CLASS_WEIGHTS, ids=["none", "balanced", "dict"])


@parametrize_with_checks(
    [KernelRidgeClassifier(), KernelRidgeClassifier(alphas=[0.1]), KernelRidgeClassifier(fit_intercept=False)]
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


def sample(regression_data, classes):
    """Objects, labels of classes that differ in size, weights of which some are 0, new objects."""
    X, t, new = regression_data
    y = np.array(["a", "b", "c"])[np.digitize(t, np.quantile(t, [0.3, 0.5][: classes - 1]))]
    weight = np.random.default_rng(1).uniform(0, 3, size=len(X)) * (np.arange(len(X)) % 7 > 0)
    return X, y, weight, new


def plus_minus(y):
    """The targets ±1: one column for two classes, otherwise one for each class."""
    labels = np.unique(y)
    return np.where(y == labels[1], 1.0, -1.0) if len(labels) == 2 else np.where(y[:, None] == labels, 1.0, -1.0)


def known(class_weight, y):
    """The class weights, without those of labels that y does not hold."""
    if not isinstance(class_weight, dict):
        return class_weight
    return {label: value for label, value in class_weight.items() if label in y}


@every_count
@every_intercept
def test_it_is_ridge_regression_on_labels(regression_data, classes, fit_intercept):
    X, y, weight, new = sample(regression_data, classes)
    model = KernelRidgeClassifier(RBF(0.3), ALPHAS, fit_intercept=fit_intercept).fit(X, y, weight)
    oracle = KernelRidgeCV(RBF(0.3), ALPHAS, fit_intercept=fit_intercept).fit(X, plus_minus(y), weight)
    for name in "alpha_", "loo_errors_", "gcv_", "degrees_of_freedom_", "dual_coef_", "intercept_":
        assert_array_equal(getattr(model, name), getattr(oracle, name))
    assert_array_equal(model.decision_function(new), oracle.predict(new))


@every_count
@every_intercept
@every_class_weight
def test_agrees_with_scikit_learn(regression_data, classes, fit_intercept, class_weight):
    X, y, weight, new = sample(regression_data, classes)
    class_weight = known(class_weight, y)
    for alpha in 1e-3, 0.7, 10.0:
        oracle = RidgeClassifier(alpha, fit_intercept=fit_intercept, class_weight=class_weight)
        model = KernelRidgeClassifier(Linear(), [alpha], fit_intercept=fit_intercept, class_weight=class_weight)
        oracle.fit(X, y, weight), model.fit(X, y, weight)
        assert_allclose(model.decision_function(new), oracle.decision_function(new), rtol=1e-8, atol=1e-8)
        assert_allclose(model.coef_, oracle.coef_.reshape(model.coef_.shape), rtol=1e-8, atol=1e-8)
        assert_allclose(model.intercept_, np.squeeze(oracle.intercept_), rtol=1e-8, atol=1e-8)
        assert_array_equal(model.predict(new), oracle.predict(new))


@every_count
def test_it_chooses_as_scikit_learn_does(regression_data, classes):
    X, y, _, _ = sample(regression_data, classes)
    alphas = np.logspace(-1, 3, 30)
    ours, theirs = KernelRidgeClassifier(Linear(), alphas).fit(X, y), RidgeClassifierCV(alphas).fit(X, y)
    assert alphas[0] < ours.alpha_ < alphas[-1]
    assert ours.alpha_ == theirs.alpha_
    assert_allclose(ours.loo_errors_.min(), -theirs.best_score_, rtol=1e-8)


def test_it_solves_the_system_of_the_least_squares_svm(regression_data):
    """Suykens & Vandewalle (1999): yᵀa = 0 and (Ω + I/γ) a + b y = 1 with Ω_ij = y_i y_j k(x_i, x_j); c_i = a_i y_i."""
    X, y, _, _ = sample(regression_data, 2)
    sign, gamma = plus_minus(y), 2.5
    system = np.block([[0.0, sign], [sign[:, None], np.outer(sign, sign) * RBF(0.3)(X) + np.eye(len(X)) / gamma]])
    b, *a = np.linalg.solve(system, np.r_[0.0, np.ones(len(X))])
    model = KernelRidgeClassifier(RBF(0.3), [1 / gamma]).fit(X, y)
    assert_allclose(model.dual_coef_, a * sign, rtol=1e-9)
    assert_allclose(model.intercept_, b, rtol=1e-9)


@every_count
@every_intercept
@every_class_weight
def test_left_out_decisions_agree_with_refits(regression_data, classes, fit_intercept, class_weight):
    X, y, weight, _ = sample(regression_data, classes)
    class_weight = known(class_weight, y)
    model = KernelRidgeClassifier(RBF(0.3), ALPHAS, fit_intercept=fit_intercept, class_weight=class_weight)
    model.fit(X, y, weight)
    if class_weight == "balanced":
        class_weight = {label: len(y) / (classes * np.sum(y == label)) for label in np.unique(y)}
    weight = weight * [(class_weight or {}).get(label, 1.0) for label in y]
    machine, expected = KernelRidge(RBF(0.3), model.alpha_, fit_intercept=fit_intercept), []
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        expected.append(machine.fit(X[rest], plus_minus(y)[rest], weight[rest]).predict(X[[i]])[0])
    assert model.loo_decision_values_.shape == plus_minus(y).shape
    assert_allclose(model.loo_decision_values_, expected, rtol=1e-8, atol=1e-9)


def test_left_out_decisions_of_a_gram_matrix_and_of_words(regression_data):
    X, y, weight, _ = sample(regression_data, 3)
    expected = KernelRidgeClassifier(RBF(0.3)).fit(X, y, weight).loo_decision_values_
    model = KernelRidgeClassifier("precomputed").fit(RBF(0.3)(X), y, weight)
    assert_allclose(model.loo_decision_values_, expected, rtol=1e-8, atol=1e-9)
    words = ["kernel", "kernels", "colonel", "ridge", "bridge", "fridge"]

    def shared_letters(X, Y):
        return [[len(set(x) & set(y)) for y in Y] for x in X]

    model = KernelRidgeClassifier(shared_letters).fit(words, [1, 1, 1, 2, 2, 2], [1, 1, 0, 1, 1, 0])
    assert_array_equal(model.loo_decision_values_ > 0, [0, 0, 0, 1, 1, 1])
    assert_array_equal(model.predict(["kern", "ridges"]), [1, 2])


@every_count
def test_the_largest_decision_wins(regression_data, classes):
    X, y, _, new = sample(regression_data, classes)
    model = KernelRidgeClassifier(RBF(0.3)).fit(X, y)
    decisions = model.decision_function(new)
    assert_array_equal(model.classes_, np.unique(y))
    if classes == 2:
        decisions = np.column_stack([-decisions, decisions])
    assert_array_equal(model.predict(new), model.classes_[decisions.argmax(axis=1)])
    assert len(np.unique(model.predict(new))) == classes
    assert model.score(X, y) > 0.8  # the largest class is half of them


def test_a_class_weight_is_a_weight_of_objects(regression_data):
    X, y, weight, new = sample(regression_data, 2)
    by_class = KernelRidgeClassifier(RBF(0.3), [0.1], class_weight={"a": 2.0, "b": 0.5}).fit(X, y, weight)
    by_object = KernelRidgeClassifier(RBF(0.3), [0.1]).fit(X, y, weight * np.where(y == "a", 2.0, 0.5))
    assert_allclose(by_class.decision_function(new), by_object.decision_function(new), rtol=1e-12)


BAD_FITS = {
    "one class": (KernelRidgeClassifier(), [0, 0], None, "at least two classes, got 1 class"),
    "labels of two kinds": (
        KernelRidgeClassifier(),
        np.array(["a", 1], dtype=object),
        None,
        "labels that can be sorted",
    ),
    "measurements": (KernelRidgeClassifier(), [0.5, 1.7], None, "Unknown label type"),
    "lengths": (KernelRidgeClassifier(), [0, 1, 0], None, "inconsistent numbers of samples"),
    "no labels": (KernelRidgeClassifier(), None, None, "requires y to be passed"),
    "a class without weight": (KernelRidgeClassifier(), [0, 1], [1, 0], "weight on every class, but class 1 has none"),
    "negative weight": (KernelRidgeClassifier(), [0, 1], [1, -1], "sample_weight must be >= 0"),
    "class weight 0": (KernelRidgeClassifier(class_weight={0: 0, 1: 1}), [0, 1], None, "class_weight must be finite"),
    "class weight text": (KernelRidgeClassifier(class_weight="equal"), [0, 1], None, "'class_weight' parameter"),
    "alphas zero": (KernelRidgeClassifier(alphas=[0, 1]), [0, 1], None, "alphas must be a list of numbers > 0"),
    "alphas a number": (KernelRidgeClassifier(alphas=0.1), [0, 1], None, r"write alphas=\[0\.1\]"),
    "no kernel": (KernelRidgeClassifier(0.1), [0, 1], None, r"write KernelRidgeClassifier\(alphas=\[0\.1\]\)"),
}


@pytest.mark.parametrize(("model", "y", "weight", "message"), BAD_FITS.values(), ids=BAD_FITS)
def test_bad_fits_say_what_is_wrong(model, y, weight, message):
    with pytest.raises(ValueError, match=message):
        model.fit([[0.0], [1.0]], y, sample_weight=weight)


def test_what_scikit_learn_has_under_another_name():
    with pytest.raises(TypeError, match=r"has no gamma, the kernel has: write KernelRidgeClassifier\(RBF\(gamma=1\)\)"):
        KernelRidgeClassifier(gamma=1)
    with pytest.raises(TypeError, match=r"has no alpha, it has alphas: write alphas=\[1\]"):
        KernelRidgeClassifier(alpha=1)

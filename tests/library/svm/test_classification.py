"""Support vector classification: scikit-learn, KKT conditions, laws of the machine, bad input."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn import svm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import RBF, SVC, Laplacian, Linear, NuSVC, Polynomial, Precomputed
from kernelbook.base import prediction
from tests.library.samples import random_weights

SIX = np.array([[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]]), np.array([-1, -1, -1, 1, 1, 1])


def parabola_classes(n=80, classes=2, seed=0, unbalanced=False, duplicates=False):
    """Objects, classes between the levels of x₁ + x₂² with noise, new objects."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    score = X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, [0.9] if unbalanced else np.arange(1, classes) / classes))
    if duplicates:
        X, y = np.concatenate([X, X[: n // 2]]), np.concatenate([y, y[: n // 4], 1 - y[n // 4 : n // 2]])
    return X, y, rng.normal(size=(40, 2))


def agree(ours, theirs, new):
    assert_allclose(ours.decision_function(new), theirs.decision_function(new), atol=1e-4)
    assert (ours.predict(new) == theirs.predict(new)).all()
    for name in ("dual_coef_", "intercept_", "support_", "n_support_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-4, atol=1e-4)


SLACK = {"check_sample_weight_equivalence_on_dense_data": "the default tolerance leaves more than it allows"}
INFEASIBLE = {"check_class_weight_classifiers": "weights of 1000 and 0.0001 leave no nu"}


def expected_failures(model):
    return (SLACK if model.tol == 1e-3 else {}) | (INFEASIBLE if isinstance(model, NuSVC) else {})


@parametrize_with_checks(
    [SVC(), NuSVC(nu=0.2), SVC(tol=1e-12), NuSVC(nu=0.2, tol=1e-12)],
    expected_failed_checks=expected_failures,
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("solver", ["smo", "interior_point"])
def test_six_points(solver):
    model = SVC(Linear(), tol=1e-9, solver=solver).fit(*SIX)
    assert model.support_.tolist() == [1, 3]
    assert model.support_vectors_.tolist() == [[-1, -1], [1, 1]]
    assert_allclose(model.dual_coef_, [[-0.25, 0.25]], atol=1e-9)
    assert_allclose([model.intercept_, model.duality_gap_], 0, atol=1e-9)


@pytest.mark.parametrize("kernel", [RBF(0.7), Laplacian(1.0), Polynomial(2, 0.5, 1.0)], ids=repr)
@pytest.mark.parametrize("C", [1e-4, 1.0, 5.0])
@pytest.mark.parametrize("kind", ["plain", "unbalanced", "duplicates", "weights"])
def test_agrees_with_scikit_learn(kernel, C, kind):
    X, y, new = parabola_classes(unbalanced=kind == "unbalanced", duplicates=kind == "duplicates")
    weight = random_weights(len(y), seed=5) if kind == "weights" else None
    K, K_new = kernel(X), kernel(new, X)
    ours = SVC("precomputed", C, tol=1e-10).fit(K, y, weight)
    theirs = svm.SVC(kernel="precomputed", C=C, tol=1e-10).fit(K, y, weight)
    if kind == "duplicates":  # β is not unique
        assert_allclose(ours.decision_function(K_new), theirs.decision_function(K_new), atol=1e-4)
    else:
        agree(ours, theirs, K_new)


@pytest.mark.parametrize("n", [2, 3, 10, 300])
@pytest.mark.parametrize("C", [1e-2, 1e4])
def test_any_size_agrees_with_scikit_learn(n, C):
    X, y, new = parabola_classes(n, seed=n)
    K, K_new, tolerance = Laplacian(5.0)(X), Laplacian(5.0)(new, X), max(1e-4, 1e-6 * C)  # LIBSVM's K has 7 digits
    ours = SVC("precomputed", C, tol=1e-10).fit(K, y)
    theirs = svm.SVC(kernel="precomputed", C=C, tol=1e-10).fit(K, y)
    assert_allclose(ours.decision_function(K_new), theirs.decision_function(K_new), atol=tolerance)
    assert (ours.support_ == theirs.support_).all()


@pytest.mark.parametrize("nu", [0.4, 0.7])
@pytest.mark.parametrize("weighted", [False, True])
def test_nu_agrees_with_scikit_learn(nu, weighted):
    X, y, new = parabola_classes()
    weight = random_weights(len(y), seed=5) if weighted else None
    ours = NuSVC(RBF(0.7), nu, tol=1e-11).fit(X, y, weight)
    agree(ours, svm.NuSVC(gamma=0.7, nu=nu, tol=1e-11).fit(X, y, weight), new)


@pytest.mark.parametrize("classes", [3, 5])
@pytest.mark.parametrize("nu", [None, 0.5])
def test_several_classes_agree_with_scikit_learn(classes, nu):
    X, y, new = parabola_classes(120, classes)
    y, K, K_new = np.array(["v", "w", "x", "y", "z"])[y], Laplacian(1.0)(X), Laplacian(1.0)(new, X)
    ours, theirs = SVC("precomputed", 5.0, tol=1e-10), svm.SVC(kernel="precomputed", C=5.0, tol=1e-10)
    if nu:
        ours, theirs = NuSVC("precomputed", nu, tol=1e-11), svm.NuSVC(kernel="precomputed", nu=nu, tol=1e-11)
    agree(ours.fit(K, y), theirs.fit(K, y), K_new)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0}])
@pytest.mark.parametrize("classes", [2, 3])
def test_class_weight_agrees_with_scikit_learn(class_weight, classes):
    X, y, new = parabola_classes(classes=classes)
    X, y = X[y + np.arange(80) % 3 > 0], y[y + np.arange(80) % 3 > 0]  # fewer of class 0
    ours = SVC(RBF(0.7), class_weight=class_weight, tol=1e-10).fit(X, y, random_weights(len(y), seed=5))
    agree(ours, svm.SVC(gamma=0.7, class_weight=class_weight, tol=1e-10).fit(X, y, random_weights(len(y), seed=5)), new)


def test_ten_classes_of_digits():
    X, y = load_digits(return_X_y=True)
    X, y, new = X[:300] / 16, y[:300], X[300:400] / 16
    agree(SVC(RBF(0.05), 10.0, tol=1e-10).fit(X, y), svm.SVC(gamma=0.05, C=10.0, tol=1e-10).fit(X, y), new)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1.0, 2.0], [7, 3]], ids=str)
def test_any_labels(labels):
    X, y, new = parabola_classes()
    plain, named = SVC(RBF(0.7)).fit(X, y), SVC(RBF(0.7)).fit(X, np.array(labels)[y])
    assert named.classes_.tolist() == sorted(labels)
    sign = 1 if sorted(labels) == labels else -1
    assert_allclose(named.decision_function(new), sign * plain.decision_function(new), atol=1e-2)
    assert ((named.predict(new) == labels[1]) == (plain.predict(new) == 1)).all()


@pytest.mark.parametrize("solver", ["smo", "interior_point"])
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
def test_conditions_of_a_minimum(solver, C):
    X, y, _ = parabola_classes()
    model, sign = SVC(RBF(0.7), C, tol=1e-6, solver=solver).fit(X, y), 2 * y - 1
    margin = sign * model.decision_function(X)
    alpha = np.zeros(80)
    alpha[model.support_] = model.dual_coef_[0] * sign[model.support_]
    assert ((alpha >= 0) & (alpha <= C)).all()
    assert_allclose(alpha @ sign, 0, atol=1e-12 * C * 80)
    assert (margin[alpha == 0] >= 1 - 1e-5).all()
    assert (margin[alpha == C] <= 1 + 1e-5).all()
    assert_allclose(margin[(alpha > 0) & (alpha < C)], 1, atol=1e-5)
    gap = alpha * sign @ RBF(0.7)(X) @ (alpha * sign) + C * np.maximum(0, 1 - margin).sum() - alpha.sum()
    assert_allclose(model.duality_gap_, [gap], atol=1e-9 * C * 80)
    assert -1e-9 * C <= gap <= 1e-5 * C * 80


MACHINES = [SVC(RBF(0.7), 10.0, tol=1e-10), NuSVC(RBF(0.7), 0.3, tol=1e-10)]


@pytest.mark.parametrize("model", MACHINES, ids=repr)
@pytest.mark.parametrize("classes", [2, 3])
class TestLaws:
    def test_order_and_copies_of_rows(self, model, classes):
        X, y, new = parabola_classes(classes=classes)
        order, times = np.random.default_rng(0).permutation(len(X)), np.arange(len(X)) % 3
        expected = clone(model).fit(X, y).decision_function(new)
        shuffled = clone(model).fit(X[order], y[order])
        halves = clone(model).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2), np.full(2 * len(X), 0.5))
        weighted = clone(model).fit(X, y, times)
        copied = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        assert_allclose(shuffled.decision_function(new), expected, atol=1e-6)
        assert_allclose(halves.decision_function(new), expected, atol=1e-6)
        assert_allclose(copied.decision_function(new), weighted.decision_function(new), atol=1e-6)

    def test_every_form_of_a_kernel_in_chunks(self, model, classes, monkeypatch):
        X, y, new = parabola_classes(classes=classes)
        expected = clone(model).fit(X, y)
        everything = RBF(0.7)(np.concatenate([X, new]))
        n, at = len(X), len(X) + np.arange(len(new))
        words, new_words = ([" ".join(map(repr, x)) for x in points.tolist()] for points in (X, new))
        for kernel, train, test in [
            (lambda A, B: RBF(0.7)(A, B), X, new),
            (lambda A, B: RBF(0.7)(np.loadtxt(A, ndmin=2), np.loadtxt(B, ndmin=2)), words, new_words),
            (Precomputed(everything), np.arange(n), at),
            ("precomputed", everything[:n, :n], everything[at][:, :n]),
        ]:
            other = clone(model).set_params(kernel=kernel).fit(train, y)
            assert (other.support_ == expected.support_).all()
            for chunk in (1, 7 * len(other.support_), 10**9):
                monkeypatch.setattr(prediction, "BLOCK_NUMBERS", chunk)
                assert_allclose(other.decision_function(test), expected.decision_function(new), atol=1e-7)

    def test_clone_and_pickle(self, model, classes):
        X, y, new = parabola_classes(classes=classes)
        fitted = clone(model).fit(X, y)
        with pytest.raises(NotFittedError):
            clone(fitted).predict(new)
        assert (pickle.loads(pickle.dumps(fitted)).decision_function(new) == fitted.decision_function(new)).all()


def test_scaling_the_kernel_is_scaling_C():
    X, y, new = parabola_classes()
    expected = SVC(RBF(0.7), 3.0, tol=1e-9).fit(X, y).decision_function(new)
    assert_allclose(SVC(0.1 * RBF(0.7), 30.0, tol=1e-9).fit(X, y).decision_function(new), expected, atol=1e-6)
    shifted = SVC(lambda A, B: RBF(0.7)(A, B) + 5, 3.0, tol=1e-9).fit(X, y)  # betas sum to zero
    assert_allclose(shifted.decision_function(new), expected, atol=1e-6)


def test_only_support_vectors_matter():
    X, y, new = parabola_classes(200)
    whole = clone(MACHINES[0]).fit(X, y)
    kept = clone(MACHINES[0]).fit(X[whole.support_], y[whole.support_])
    assert len(whole.support_) < 150
    assert_allclose(kept.decision_function(new), whole.decision_function(new), atol=1e-6)


OFFSETS = [
    ([1.0, -1.0], 0.1, 0.0),  # both at C, f = 0.2 x: b between −0.8 and 0.8
    ([2.0, -1.0], 0.1, -0.15),  # both at C, f = 0.3 x: b between −0.7 and 0.4
    ([3.0, 1.0], 1.0, -2.0),  # both free, f = x
]


@pytest.mark.parametrize(("x", "C", "b"), OFFSETS)
@pytest.mark.parametrize("solver", ["smo", "interior_point"])
def test_offset_is_a_mean_or_a_middle(x, C, b, solver):
    model = SVC(Linear(), C, tol=1e-9, solver=solver).fit(np.array(x)[:, None], [1, -1])
    assert_allclose(model.intercept_, [b], atol=1e-8)


@pytest.mark.parametrize("nu", [0.2, 0.5])
def test_nu_bounds_shares_and_is_SVC_at_another_C(nu):
    X, y, new = parabola_classes(200)
    model, sign = NuSVC(RBF(0.7), nu, tol=1e-11).fit(X, y), 2 * y - 1
    margin = sign * model.decision_function(X)
    assert (margin < 1 - 1e-6).mean() <= nu <= len(model.support_) / 200
    C = np.abs(model.dual_coef_).max()
    same = SVC(RBF(0.7), C, tol=1e-10).fit(X, y)
    assert_allclose(same.decision_function(new), model.decision_function(new), atol=1e-6)
    rho, b = 1 / C, model.intercept_[0] / C
    beta, f = model.dual_coef_[0] / C, margin * sign / C - b
    gap = beta @ f[model.support_] - nu * 200 * rho + np.maximum(0, rho - sign * (f + b)).sum()
    assert_allclose(model.duality_gap_, [gap], atol=1e-9)


def test_grid_and_loose_forms_of_input():
    X, y, new = parabola_classes()
    search = GridSearchCV(SVC(RBF(1.0)), {"kernel__gamma": [1e-3, 0.7], "C": [0.01, 5.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"kernel__gamma": 0.7, "C": 5.0}
    single, loose = SVC(RBF(0.7)).fit(X.astype(np.float32), y), SVC(RBF(0.7)).fit(np.asfortranarray(X), y.tolist())
    assert_allclose(single.decision_function(new), loose.decision_function(new), atol=1e-2)


K2, X2, OBJECTS = np.eye(2), [[0.0], [1.0]], [0, 1]
BAD = {
    "C zero": (SVC(C=0), X2, OBJECTS, "'C' parameter of SVC.*Got 0"),
    "nu infeasible": (NuSVC(nu=0.7), np.zeros((4, 1)), [0, 1, 1, 1], r"nu must be at most .* = 0\.5 .* got 0\.7"),
    "no margin": (NuSVC(nu=0.5), [[0.0], [0.0]], OBJECTS, "nu must leave a margin"),
    "class_weight negative": (SVC(class_weight={1: -1.0}), X2, OBJECTS, "class_weight"),
    "class_weight zero": (SVC(class_weight={0: 0.0, 1: 0.0}), X2, OBJECTS, "class_weight"),
    "one class": (SVC(), X2, ["a", "a"], "y must hold at least two classes, got 1"),
    "labels of two kinds": (SVC(), X2, np.array([1, "a"], dtype=object), "y must hold labels .* got int and str"),
    "no y": (SVC(), X2, None, "requires y to be passed, but the target y is None"),
    "NaN in y": (SVC(), X2, [0, np.nan], "y must have a label for every object, but has none in 1 of 2"),
    "NaN in X": (SVC(), [[np.nan], [1.0]], OBJECTS, "X contains NaN"),
    "sparse": (SVC(), csr_matrix(K2), OBJECTS, "[Ss]parse"),
    "not square": (SVC("precomputed"), X2, OBJECTS, r"square Gram matrix, but has shape \(2, 1\)"),
    "not symmetric": (SVC("precomputed"), [[1.0, 2.0], [0.0, 1.0]], OBJECTS, "must be symmetric"),
}


@pytest.mark.parametrize(("model", "X", "y", "message"), BAD.values(), ids=BAD)
def test_bad_fits_say_what_is_wrong(model, X, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(X, y)


BAD_WEIGHTS = [
    ([-1, 1], "sample_weight must be >= 0"),
    ([0, 0], "not all zero"),
    ([0, 1], "class 'no' has none"),
]


@pytest.mark.parametrize(("weight", "message"), BAD_WEIGHTS)
def test_bad_weights_are_named(weight, message):
    with pytest.raises(ValueError, match=message):
        SVC(RBF(1.0)).fit(X2, ["no", "yes"], weight)


def test_step_limit_warns_and_the_offset_is_the_mean_over_the_free():
    X, y, _ = parabola_classes()
    with pytest.warns(ConvergenceWarning, match="after 3 iterations"):
        model = SVC(RBF(0.7), 100.0, max_iter=3).fit(X, y)
    at, f = model.support_, model.decision_function(X) - model.intercept_
    assert len(at) > 2 == len(set(y))
    assert_allclose(model.intercept_, [(2 * y[at] - 1 - f[at]).mean()])


def test_who_asks_for_probabilities_is_told_who_makes_them():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    model = SVC().fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match=r"SVC has no predict_proba: .*CalibratedClassifierCV\(SVC\(…\)\)"):
        model.predict_proba(X)
    assert CalibratedClassifierCV(SVC(), cv=2).fit(X, y).predict_proba(X).shape == (40, 2)


def distances(seed=0):
    """Sixty points, two classes, and the points' distances in feature space."""
    X = np.random.default_rng(seed).normal(size=(60, 2))
    return X, np.sign(X[:, 0]), RBF(0.5).distance(X)


@pytest.mark.parametrize("indefinite", [lambda D: D, lambda D: -np.exp(-D), lambda D: np.exp(D)])
def test_a_kernel_with_negative_squared_distances_is_told(indefinite):
    _, y, D = distances()
    with pytest.warns(ConvergenceWarning, match="is negative, which a squared distance never is"):
        SVC("precomputed").fit(indefinite(D), y)


def test_a_conditionally_psd_matrix_is_no_cause_of_a_warning():
    X, y, D = distances()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for K in (-D, -(D**2), RBF(0.5)(X).astype(np.float32)):
            SVC("precomputed").fit(K, y)

"""Conformal kernels: the formula, the criterion that they are learned by, what they overfit, folds that do not leak."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import RBF, SVC, ConformalKernel, ConformalSVC, KernelRidge, Linear, Polynomial, Sigmoid, Spectrum
from kernelbook.kernels import Columns, Precomputed
from kernelbook.learning import class_separability, separating_kernel
from kernelbook.linalg.gram import is_psd
from tests.library.samples import classes_on_a_line


@parametrize_with_checks([ConformalSVC(), ConformalSVC("linear", ridge=0.1)])
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


A, C = np.array([[0.0, 1.0], [2.0, 0.5]]), [0.5, -2.0, 3.0]


def test_the_kernel_is_its_formula():
    X, _ = classes_on_a_line(60)
    Y = classes_on_a_line(7, seed=1)[0]
    base, local = Polynomial(2), RBF(0.5)
    k = ConformalKernel(base, local, A, C)
    q, p = (C[0] + local(Z, A) @ C[1:] for Z in (X, Y))
    assert q.min() < 0 < q.max()
    assert_allclose(k.factor(X), q)
    assert_allclose(k(X, Y), q[:, None] * p * base(X, Y))
    assert_allclose(k(X), q[:, None] * q * base(X))
    assert_array_equal(k(X), k(X).T)
    assert_allclose(k.diag(X), q**2 * base.diag(X))
    assert_allclose(k.distance(X, Y) ** 2, np.add.outer(k.diag(X), k.diag(Y)) - 2 * k(X, Y), atol=1e-8)
    assert is_psd(k(X))
    assert k.psd
    assert not ConformalKernel(Sigmoid(), local, A, C).psd
    assert ((k + 0.5 * Linear()) * RBF(1.0)).normalized().psd


def test_copies_formula_and_other_objects():
    X, _ = classes_on_a_line(60)
    k = ConformalKernel(RBF("scale"), RBF("median"), A, C).fit(X)
    for copy in pickle.loads(pickle.dumps(k)), clone(k).fit(X):
        assert_array_equal(copy(X), k(X))
    again = eval(k.formula, {"ConformalKernel": ConformalKernel, "RBF": RBF}).fit(X)
    assert_array_equal(again(X), k(X))
    assert "base.gamma_ = " in repr(k)
    assert clone(k).set_params(base__gamma=3.0, local__gamma=1.0).base.gamma == 3.0
    words = ["ab", "bca", "abab"]
    on_words = ConformalKernel(Spectrum(1), Spectrum(2), ["ab"], [1.0, 2.0])
    assert_allclose(on_words.factor(words), [3, 1, 5])
    assert_allclose(KernelRidge(k, 1e-9).fit(X[:9], X[:9, 0]).predict(X[:9]), X[:9, 0], atol=1e-5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"coefficients": [1.0, 2.0]}, r"coefficients must be 3 numbers, one more than the centres, got shape \(2,\)"),
        ({"coefficients": [1.0, 2.0, np.nan]}, "coefficients contains NaN"),
        ({"coefficients": "abc"}, "coefficients"),
        ({"centres": A[:, :1]}, "must have the same number of columns"),
        ({"centres": A * np.nan}, "centres contains NaN"),
        ({"base": "rbf"}, "'base' parameter of ConformalKernel must be an instance of"),
        ({"local": 1.0}, "'local' parameter of ConformalKernel must be an instance of"),
    ],
)
def test_kernel_refuses(change, words):
    k = ConformalKernel(RBF(1.0), RBF(2.0), A, C).set_params(**change)
    with pytest.raises(ValueError, match=words):
        k(classes_on_a_line(60)[0])


def test_frames_go_to_both_kernels_by_names_or_to_none():
    X, y = classes_on_a_line(60)
    frame = pd.DataFrame(X, columns=["a", "b"])
    named, by_number = Columns([(["a"], RBF(0.1)), (["b"], RBF(0.2))]), Columns([([0], RBF(0.1)), ([1], RBF(0.2))])
    k = ConformalKernel(named, named, frame[:2], C).fit(frame)
    assert_array_equal(k(frame[["b", "a"]]), k(frame))
    expected = ConformalSVC(by_number, local=by_number).fit(X, y).decision_function(X)
    assert_allclose(ConformalSVC(named, local=named).fit(frame, y).decision_function(frame), expected)
    words = "must not be a data frame if only one of two kernels on the same objects is made by Columns"
    for pair in (by_number, RBF(0.1)), (RBF(0.1), named), (named, RBF(0.1)):
        with pytest.raises(ValueError, match=words):
            ConformalKernel(*pair, X[:2], C)(frame)
        with pytest.raises(ValueError, match=words):
            separating_kernel(frame, y, *pair)


def ratio(c, Q, K, y):
    """J of the kernel with the factor Qc, by the kernel's own Gram matrix."""
    q = Q @ c
    return class_separability(np.outer(q, q) * K, y)


@pytest.mark.parametrize("classes", [2, 3])
def test_no_other_coefficients_separate_better(classes):
    X, y = classes_on_a_line(60, classes=classes)
    base, local, centres = RBF(0.05), RBF(0.5), X[:6]
    k = separating_kernel(X, y, base, local, centres, ridge=1e-10)
    Q, K = np.column_stack([np.ones(len(X)), local(X, centres)]), base(X)
    best, rng = class_separability(k(X), y), np.random.default_rng(0)
    assert_allclose(ratio(k.coefficients, Q, K, y), best)
    assert best > 1.2 * class_separability(K, y)
    for step in 0.3, 0.01:
        for _ in range(50):
            other = k.coefficients + step * np.abs(k.coefficients).max() * rng.normal(size=7)
            assert ratio(other, Q, K, y) < best


def test_size_and_sign_of_the_factor():
    X, y = classes_on_a_line(60)
    base = 3 * Polynomial(2)
    k = separating_kernel(X, y, base, RBF(0.5))
    assert_allclose(k.diag(X).mean(), base.diag(X).mean())
    assert k.factor(X).mean() > 0


@pytest.mark.parametrize("unit", [1e-200, 1e-3, 1e200])
def test_factors_of_the_kernels_change_nothing(unit):
    X, y = classes_on_a_line(60)
    new = classes_on_a_line(60, seed=1)[0]
    expected = separating_kernel(X, y, RBF(0.05), RBF(0.5))
    assert_allclose(separating_kernel(X, y, unit * RBF(0.05), RBF(0.5)).factor(new), expected.factor(new), rtol=1e-6)
    assert_allclose(separating_kernel(X, y, RBF(0.05), unit * RBF(0.5)).factor(new), expected.factor(new), rtol=1e-6)


def test_a_larger_ridge_follows_the_sample_less():
    """On labels that are drawn, J grows in the sample and nowhere else; the ridge takes some of that away."""
    found = {ridge: [] for ridge in (1e-6, 1.0)}
    for seed in range(8):
        X, other = classes_on_a_line(60, seed, distance=0)[0], classes_on_a_line(60, seed + 100, distance=0)[0]
        y = np.random.default_rng(seed).permutation(60) % 2
        base = RBF(0.05)
        for ridge, values in found.items():
            k = separating_kernel(X, y, base, RBF(0.5), ridge=ridge)
            values.append(
                [class_separability(kernel(Z), y) for kernel, Z in ((base, X), (k, X), (base, other), (k, other))]
            )
    small, large = (np.mean(values, axis=0) for values in found.values())
    assert small[1] > 5 * small[0]
    assert small[3] < 0.2 * small[1]
    assert large[1] < 0.8 * small[1]


def test_means_further_apart_are_separated_on_other_data_too():
    gains = []
    for seed in range(8):
        (X, y), (other, other_y) = classes_on_a_line(200, seed), classes_on_a_line(200, seed + 100)
        k = separating_kernel(X, y, RBF(0.001), RBF(0.1))
        gains.append(class_separability(k(other), other_y) / class_separability(RBF(0.001)(other), other_y))
    assert np.min(gains) > 1.5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"base": "precomputed"}, "'precomputed' is for estimators"),
        ({"local": "precomputed"}, "'precomputed' is for estimators"),
        ({"base": Sigmoid(2.0, -1.0)}, "base must be PSD, but on X it has the eigenvalue -"),
        ({"base": -1 * Linear()}, "base must be PSD"),
        ({"base": 0 * Linear()}, "base must scatter within the classes"),
        ({"X": np.ones((60, 2))}, "base must scatter within the classes"),
        ({"ridge": 0}, "ridge must be a finite number > 0, got 0"),
        ({"ridge": 1e-20}, "ridge must be larger than rounding"),
        ({"centres": A[:, :1]}, "must have the same number of columns"),
        ({"y": np.zeros(60)}, "at least two classes"),
        ({"y": np.arange(9) % 2}, "inconsistent numbers of samples"),
        ({"X": np.full((60, 2), np.nan)}, "X contains NaN"),
    ],
)
def test_learning_refuses(change, words):
    X, y = classes_on_a_line(60)
    with pytest.raises(ValueError, match=words):
        separating_kernel(**{"X": X, "y": y, "base": RBF(0.05), "local": RBF(0.5)} | change)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_estimator_is_svc_with_the_learned_kernel(classes):
    X, y = classes_on_a_line(60, classes=classes)
    new = classes_on_a_line(60, seed=1)[0]
    model = ConformalSVC(RBF(0.05), 10.0, local=RBF(0.5), ridge=1e-3).fit(X, y)
    expected = SVC(separating_kernel(X, y, RBF(0.05), RBF(0.5), ridge=1e-3), 10.0).fit(X, y)
    assert_array_equal(model.decision_function(new), expected.decision_function(new))
    assert_array_equal(model.kernel_(new), expected.kernel_(new))
    assert model.score(X, y) > 0.7
    assert repr(model) == "ConformalSVC(C=10.0, kernel=RBF(gamma=0.05), local=RBF(gamma=0.5), ridge=0.001)"


def test_grids_reach_all_parts_and_pipelines_hold():
    X, y = classes_on_a_line(60)
    model = make_pipeline(StandardScaler(), ConformalSVC())
    step = "conformalsvc__"
    grid = {step + "kernel__gamma": [0.01, 0.1], step + "local__gamma": [0.5, 2.0], step + "ridge": [1e-3]}
    search = GridSearchCV(model, grid, cv=3).fit(pd.DataFrame(X, columns=["a", "b"]), np.where(y, "yes", "no"))
    assert search.best_score_ > 0.7
    assert set(search.predict(pd.DataFrame(X, columns=["a", "b"]))) == {"yes", "no"}
    mine = RBF(2.0)
    ConformalSVC(local=mine).set_params(local__gamma=1.0)
    assert mine.gamma == 1.0  # as in scikit-learn: the kernel that was given
    assert repr(ConformalSVC().set_params(local="laplacian", local__norm=1).local) == "Laplacian(norm=1)"
    assert repr(ConformalSVC().set_params(local__gamma=1).local) == "RBF(gamma=1)"
    assert ConformalSVC().local is None
    both = ConformalSVC("linear", local=mine).set_params(local=None, local__gamma=3.0, kernel="rbf", kernel__gamma=2.0)
    assert repr(both) == "ConformalSVC(kernel=RBF(gamma=2.0), local=RBF(gamma=3.0))"
    with pytest.raises(ValueError, match="local__gamma needs a Kernel to be set in, but local is"):
        ConformalSVC(local=np.minimum.outer).set_params(local__gamma=1)


def test_folds_do_not_leak():
    """Labels that are drawn cannot be predicted. Learned on all objects first, a kernel claims otherwise."""
    inside, outside = [], []
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for seed in range(8):
        X = np.random.default_rng(seed).normal(size=(60, 2))
        y = np.random.default_rng(seed + 100).permutation(60) % 2
        base, local = RBF(0.5), RBF(3.0)
        inside.append(cross_val_score(ConformalSVC(base, 100.0, local=local), X, y, cv=folds).mean())
        seen = separating_kernel(X, y, base, local)
        outside.append(cross_val_score(SVC(Precomputed(seen(X)), 100.0), np.arange(60), y, cv=folds).mean())
    assert abs(np.mean(inside) - 0.5) < 0.06
    assert np.mean(outside) > 0.85


def test_estimator_refuses():
    X, y = classes_on_a_line(60)
    with pytest.raises(ValueError, match="kernel must be a Kernel or a function for q to be evaluated, got 'prec"):
        ConformalSVC("precomputed").fit(RBF(1.0)(X), y)
    with pytest.raises(ValueError, match=r"kernel comes first in ConformalSVC: write ConformalSVC\(C=10\)"):
        ConformalSVC(10).fit(X, y)
    with pytest.raises(ValueError, match="'ridge' parameter of ConformalSVC must be a float in the range"):
        ConformalSVC(ridge=0).fit(X, y)
    with pytest.raises(ValueError, match="at least two classes"):
        ConformalSVC(lambda X, Y: pytest.fail("computed")).fit(X, np.ones(60))
    with pytest.raises(ValueError, match="requires y to be passed"):
        ConformalSVC().fit(X, None)


def test_a_refit_that_fails_changes_nothing():
    X, y = classes_on_a_line(60)
    model = ConformalSVC(RBF(0.05), local=RBF(0.5)).fit(X, y)
    said = model.decision_function(X)
    with pytest.raises(ValueError, match="must scatter"):
        model.fit(np.ones((60, 2)), y)
    assert_array_equal(model.decision_function(X), said)
    assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), said)

"""Landmarks: agreement with scikit-learn and with the equations of Nyström's method, laws, bad input."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem as SklearnNystroem
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import (
    RBF,
    Columns,
    KernelRidge,
    KernelRidgeCV,
    Linear,
    Nystroem,
    Overlap,
    Polynomial,
    Sigmoid,
    Spectrum,
    WeisfeilerLehman,
)
from kernelbook.base import training

RNG = np.random.default_rng(0)
X, NEW, Y = RNG.normal(size=(60, 2)), RNG.normal(size=(25, 2)), RNG.normal(size=60)
WORDS = ["tara", "tata", "rata", "tar", "art", "rat", "start", "tart"]


@parametrize_with_checks([Nystroem(), Nystroem(n_components=3)])
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_landmarks_and_inner_products_as_scikit_learn(seed):
    ours = Nystroem(RBF(0.5), 12, random_state=seed).fit(X)
    theirs = SklearnNystroem(gamma=0.5, n_components=12, random_state=seed).fit(X)
    assert_array_equal(ours.landmarks_, np.sort(theirs.component_indices_))
    assert_array_equal(ours.X_fit_, X[ours.landmarks_])
    assert_allclose(ours.transform(NEW) @ ours.transform(X).T, theirs.transform(NEW) @ theirs.transform(X).T, atol=1e-9)


def test_inner_products_with_a_landmark_are_those_of_the_kernel():
    model = Nystroem(RBF(2.0), 12, random_state=0).fit(X)
    assert_allclose(model.transform(NEW) @ model.transform(model.X_fit_).T, RBF(2.0)(NEW, model.X_fit_), atol=1e-9)
    lengths = np.square(model.transform(NEW)).sum(axis=1)
    assert (lengths < 1).all()  # of a projection of φ(x), ‖φ(x)‖ = 1


def test_with_all_objects_it_is_the_machine_with_the_kernel():
    model = make_pipeline(Nystroem(RBF(0.5), 1000), Ridge(0.3, fit_intercept=False)).fit(X, Y)
    assert len(model[0].landmarks_) == len(X)
    assert_allclose(model.predict(NEW), KernelRidge(RBF(0.5), 0.3).fit(X, Y).predict(NEW), rtol=1e-6)


def test_a_ridge_of_the_features_solves_the_equations_of_the_landmarks():
    model = Nystroem(RBF(0.5), 8, random_state=1)
    fitted = Ridge(0.3, fit_intercept=False).fit(model.fit_transform(X), Y)
    K_nm, K_mm = RBF(0.5)(X, model.X_fit_), RBF(0.5)(model.X_fit_)
    beta = np.linalg.solve(K_nm.T @ K_nm + 0.3 * K_mm, K_nm.T @ Y)
    assert_allclose(fitted.predict(model.transform(NEW)), RBF(0.5)(NEW, model.X_fit_) @ beta, rtol=1e-6)


def test_eigenvalues_and_features_of_copies():
    model = Nystroem(RBF(0.5), 60).fit(np.repeat(X[:5], 12, axis=0))
    assert len(model.eigenvalues_) == 5
    assert_allclose(model.eigenvalues_, 12 * np.linalg.eigvalsh(RBF(0.5)(X[:5]))[::-1], rtol=1e-9)
    assert_array_equal(model.get_feature_names_out(), [f"nystroem{j}" for j in range(5)])


def test_a_linear_kernel_gives_a_map_of_the_vectors():
    model = Nystroem(Linear(), 20, random_state=0).fit(X)
    assert model.coef_.shape == (2, 2)
    assert_allclose(model.transform(NEW), NEW @ model.coef_.T, atol=1e-12)
    assert_allclose(model.transform(NEW) @ model.transform(X).T, NEW @ X.T, atol=1e-12)


def test_a_matrix_gives_what_its_kernel_gives():
    by_kernel = Nystroem(RBF(0.5), 9, random_state=3).fit(X)
    by_matrix = Nystroem("precomputed", 9, random_state=3).fit(RBF(0.5)(X))
    assert by_matrix.X_fit_ is None
    assert_array_equal(by_matrix.landmarks_, by_kernel.landmarks_)
    assert_allclose(by_matrix.transform(RBF(0.5)(NEW, X)), by_kernel.transform(NEW), atol=1e-12)


def test_strings_and_tables_have_landmarks():
    of_words = Nystroem(Spectrum(2), 4, random_state=0).fit(WORDS)
    products = of_words.transform(WORDS) @ of_words.transform(of_words.X_fit_).T
    assert_allclose(products, Spectrum(2)(WORDS, of_words.X_fit_), atol=1e-12)
    table = pd.DataFrame({"name": WORDS, "size": [len(word) for word in WORDS]})
    kernel = Columns([("name", Spectrum(2)), (["size"], Overlap())])
    model = Nystroem(kernel, 5, random_state=0).fit(table)
    assert_allclose(model.transform(table) @ model.transform(model.X_fit_).T, kernel(table, model.X_fit_), atol=1e-12)


def test_grids_reach_the_kernel_and_the_number_of_landmarks():
    model = make_pipeline(Nystroem(RBF(), random_state=0), Ridge())
    grid = {"nystroem__kernel__gamma": [0.1, 1.0], "nystroem__n_components": [5, 10]}
    search = GridSearchCV(model, grid, cv=3).fit(X, np.sin(9 * X[:, 0]))
    found = search.best_estimator_[0]
    assert found.kernel_.gamma == search.best_params_["nystroem__kernel__gamma"]
    assert len(found.landmarks_) == search.best_params_["nystroem__n_components"]


def test_the_kernel_is_fitted_on_all_objects():
    model = Nystroem(RBF("median"), 5, random_state=0).fit(X)
    assert model.kernel_.gamma_ == RBF("median").fit(X).gamma_ != RBF("median").fit(model.X_fit_).gamma_


@pytest.mark.filterwarnings("error")
def test_rounding_makes_no_features_and_no_warning():
    copies = np.repeat(X[:5], 60, axis=0)
    assert len(Nystroem(RBF(0.5), 300).fit(copies).eigenvalues_) == 5
    assert len(Nystroem("precomputed", 300).fit(RBF(0.5)(copies).astype(np.float32)).eigenvalues_) == 5
    assert len(Nystroem(lambda A, B: A @ B.T, 60).fit(X).eigenvalues_) == 2


@pytest.mark.filterwarnings("error")
def test_a_kernel_in_single_precision_gives_what_one_in_double_precision_gives():
    """Its small eigenvalues count: where they are cut off as rounding, a machine cannot learn what it needs."""
    rng = np.random.default_rng(0)
    X, new = rng.uniform(-3, 3, size=(400, 2)), rng.uniform(-3, 3, size=(200, 2))
    y, target = (np.sin(3 * A[:, 0]) * np.cos(2 * A[:, 1]) for A in (X, new))

    def single(A, B):
        return RBF(0.3)(A, B).astype(np.float32)

    def error(kernel, X, new):
        machine = make_pipeline(Nystroem(kernel, 100, random_state=0), Ridge(1e-3, fit_intercept=False))
        return np.abs(machine.fit(X, y).predict(new) - target).mean()

    expected = error(RBF(0.3), X, new)
    assert error(single, X, new) < 1.1 * expected
    assert error("precomputed", single(X, X), single(new, X)) < 1.3 * expected


def test_inner_products_are_right_up_to_what_is_left_out():
    far = X.copy()
    far[7] *= 1e3
    kernel = Polynomial(3)
    model = Nystroem(kernel, 60).fit(far)
    F, K = model.transform(far), kernel(far)
    bound = np.sqrt(10 * 60 * 2.0**-52 * model.eigenvalues_[0] * kernel.diag(far))
    assert (np.abs(F @ F.T - K) <= bound[:, None] + 1e-9 * np.sqrt(np.outer(kernel.diag(far), kernel.diag(far)))).all()
    assert len(model.eigenvalues_) < 10


def test_graphs_have_landmarks_and_a_model_is_pickled():
    rings = [(np.roll(np.eye(n), 1, 0) + np.roll(np.eye(n), -1, 0), list("ab" * n)[:n]) for n in range(3, 9)]
    kernel = WeisfeilerLehman(2)
    model = pickle.loads(pickle.dumps(Nystroem(kernel, 4, random_state=0).fit(rings)))
    assert_allclose(model.transform(rings) @ model.transform(model.X_fit_).T, kernel(rings, model.X_fit_), rtol=1e-9)


def test_folds_of_a_matrix_are_those_of_its_kernel():
    by_kernel = cross_val_score(make_pipeline(Nystroem(RBF(0.5), 9, random_state=3), Ridge()), X, Y)
    by_matrix = cross_val_score(make_pipeline(Nystroem("precomputed", 9, random_state=3), Ridge()), RBF(0.5)(X), Y)
    assert_allclose(by_matrix, by_kernel, rtol=1e-9)


def test_landmarks_differ_from_draw_to_draw_and_are_the_same_for_a_seed():
    drawn = {tuple(Nystroem(RBF(1.0), 5, random_state=seed).fit(X).landmarks_) for seed in (0, 1, 2, 0)}
    assert len(drawn) == 3


@pytest.mark.parametrize("size", [1e-200, 1e-8, 1e8, 1e200])
def test_units_of_the_kernel_are_those_of_squared_features(size):
    expected = Nystroem(RBF(2.0), 20, random_state=0).fit(X).transform(NEW)
    found = Nystroem(size * RBF(2.0), 20, random_state=0).fit(X).transform(NEW) / np.sqrt(size)
    assert_allclose(found @ found.T, expected @ expected.T, rtol=1e-6, atol=1e-9)


def test_a_kernel_that_is_not_psd_is_told_of():
    with pytest.warns(
        ConvergenceWarning, match="landmarks has the negative eigenvalue -.*: the kernel is not PSD"
    ) as told:
        model = Nystroem(Sigmoid(5.0, 1.0), 30, random_state=0).fit(X)
    assert told[0].filename == __file__
    mu = np.linalg.eigvalsh(Sigmoid(5.0, 1.0)(model.X_fit_))
    assert_allclose(model.eigenvalues_, mu[mu > 1e-9][::-1], rtol=1e-6)


@pytest.mark.parametrize(
    ("model", "objects", "message"),
    [
        (Nystroem(n_components=0), X, "n_components"),
        (Nystroem(n_components=2.5), X, "n_components"),
        (Nystroem(random_state="a"), X, "random_state"),
        (Nystroem(5), X, r"kernel comes first in Nystroem: write Nystroem\(n_components=5\)"),
        (Nystroem(), [["a", "b"]], "X must be an array of numbers"),
        (Nystroem(Linear()), np.zeros((4, 2)), "landmarks has no positive eigenvalue"),
        (Nystroem("precomputed"), X, "square Gram matrix"),
        (Nystroem("precomputed"), np.diag([-1e16, 1.0, 1.0]), "no positive eigenvalue above rounding"),
        (Nystroem("precomputed"), np.diag([-1, 1e-8]).astype(np.float32), "no positive eigenvalue above rounding"),
        (Nystroem(1e308 * RBF(0.01)), X, "values too large to compute with"),
    ],
)
@pytest.mark.filterwarnings("ignore:the Gram matrix of the landmarks")
def test_bad_input(model, objects, message):
    with pytest.raises(ValueError, match=message):
        model.fit(objects)


def test_other_objects_than_those_of_the_fit():
    with pytest.raises(ValueError, match=r"3 features.*2 features"):
        Nystroem().fit(X).transform(np.zeros((4, 3)))


def test_landmarks_need_memory_and_the_objects_do_not(monkeypatch):
    monkeypatch.setattr(training, "free_memory", lambda: 4 * 8 * 30**2)
    assert Nystroem(RBF(1.0), 30).fit(X).transform(X).shape == (60, 30)
    with pytest.raises(MemoryError, match=r"the Gram matrix of 31 objects .* take fewer objects\.$"):
        Nystroem(RBF(1.0), 31).fit(X)
    KernelRidge(RBF(1.0)).fit(X, Y)
    with pytest.raises(MemoryError, match=r"the fit 4 times as much, .* Nystroem\(kernel, 100\) before a linear model"):
        KernelRidgeCV(RBF(1.0)).fit(X, Y)

"""Kernel ridge regression: optimality, agreement with scikit-learn, exact leave-one-out, bad input."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import RBF, KernelRidge, KernelRidgeCV, Laplacian, Linear, Polynomial, Precomputed
from tests.library.samples import random_weights, reference_sample

ALPHAS = np.logspace(-4, 2, 7)


ONE_BY_ONE = {"check_sample_weight_equivalence_on_dense_data": "a copy is left out alone, a weight as a whole"}


@parametrize_with_checks(
    [
        KernelRidge(),
        KernelRidge(fit_intercept=True),
        KernelRidgeCV(),
        KernelRidgeCV(fit_intercept=True),
        KernelRidgeCV(alphas=[0.1]),
        KernelRidgeCV(alphas=[0.1], fit_intercept=True),
    ],
    expected_failed_checks=lambda model: ONE_BY_ONE if getattr(model, "alphas", [0.1]) != [0.1] else {},
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_reference_numbers():
    X, _, t = reference_sample()
    model = KernelRidge(RBF(0.2), alpha=0.5).fit(X, t)
    assert_allclose(np.linalg.norm(model.dual_coef_), 9.846312989, rtol=1e-9)
    assert_allclose(KernelRidgeCV(RBF(0.2), [0.5]).fit(X, t).loo_errors_, [0.496587616], rtol=1e-8)


@pytest.mark.parametrize("kernel", [RBF(0.3), Laplacian(0.5), Polynomial(2), Linear() + 0.1 * RBF(1.0)], ids=repr)
def test_gradient_vanishes(regression_data, kernel):
    X, y, _ = regression_data
    K, c = kernel(X), KernelRidge(kernel, alpha=0.3).fit(X, y).dual_coef_
    assert_allclose(-2 * K @ (y - K @ c) + 2 * 0.3 * K @ c, 0, atol=1e-9 * np.abs(K @ y).max())


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (RBF(0.3), {"kernel": "rbf", "gamma": 0.3}),
        (Polynomial(2, 0.5, 2), {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 2}),
    ],
    ids=["rbf", "poly"],
)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("targets", [1, 3])
def test_agrees_with_scikit_learn(regression_data, ours, theirs, weighted, targets):
    X, y, new = regression_data
    y = y if targets == 1 else np.column_stack([y, y**2, X[:, 0]])
    weight = random_weights(len(X), seed=1) if weighted else None
    model = KernelRidge(ours, alpha=0.7).fit(X, y, sample_weight=weight)
    oracle = SklearnKernelRidge(alpha=0.7, **theirs).fit(X, y, sample_weight=weight)
    assert_allclose(model.dual_coef_, oracle.dual_coef_, rtol=1e-8, atol=1e-10)
    assert_allclose(model.predict(new), oracle.predict(new), rtol=1e-9, atol=1e-10)


def test_weights_count_copies(regression_data):
    X, y, new = regression_data
    times = np.random.default_rng(2).integers(0, 4, size=len(X))
    weighted = KernelRidge(alpha=0.3).fit(X, y, sample_weight=times)
    repeated = KernelRidge(alpha=0.3).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_allclose(weighted.predict(new), repeated.predict(new), rtol=1e-9)
    assert_allclose(weighted.kernel_.gamma_, repeated.kernel_.gamma_)


def test_every_form_of_a_kernel_gives_the_same_fit(regression_data):
    X, y, new = regression_data
    K, K_new = RBF(0.3)(X), RBF(0.3)(new, X)
    expected = KernelRidge(RBF(0.3), 0.2).fit(X, y).predict(new)
    assert_allclose(KernelRidge(lambda X, Y: RBF(0.3)(X, Y), 0.2).fit(X, y).predict(new), expected, rtol=1e-9)
    assert_allclose(KernelRidge("precomputed", 0.2).fit(K, y).predict(K_new), expected, rtol=1e-9)
    everything = RBF(0.3)(np.vstack([X, new]))
    model = KernelRidge(Precomputed(everything), 0.2).fit(np.arange(len(X)), y)
    assert_allclose(model.predict(len(X) + np.arange(len(new))), expected, rtol=1e-9)


def test_the_short_name_is_rbf_scale(regression_data):
    X, y, new = regression_data
    expected = KernelRidge(RBF(1 / (3 * X.var())), 0.2).fit(X, y).predict(new)
    assert_allclose(KernelRidge("rbf", 0.2).fit(X, y).predict(new), expected, rtol=1e-12)


def test_strings_go_in_as_a_list():
    words = ["kernel", "kernels", "colonel", "ridge", "bridge", "fridge"]

    def shared_letters(X, Y):
        return [[len(set(x) & set(y)) for y in Y] for x in X]

    model = KernelRidge(shared_letters, alpha=0.1).fit(words, [1, 1, 1, -1, -1, -1])
    assert (np.sign(model.predict(["kern", "ridges"])) == [1, -1]).all()


def test_input_is_left_alone(regression_data):
    X, y, _ = regression_data
    K, kernel = RBF(0.3)(X), RBF("scale")
    kept = X.copy(), y.copy(), K.copy()
    KernelRidge(kernel).fit(X, y, sample_weight=np.ones(len(y)))
    KernelRidge("precomputed").fit(K, y)
    KernelRidgeCV("precomputed").fit(K, y)
    for now, before in zip((X, y, K), kept, strict=True):
        assert (now == before).all()
    assert not hasattr(kernel, "gamma_")


def test_without_ridge_it_interpolates(regression_data):
    X, y, _ = regression_data
    model = KernelRidge(RBF(5.0), alpha=0).fit(X, y)
    assert_allclose(model.predict(X), y, rtol=1e-8)


@pytest.mark.parametrize("alpha", [0, 1e-18])
def test_singular_matrix_gives_the_least_norm_solution(regression_data, alpha):
    X, y, new = regression_data
    K = Linear()(X)  # rank 3
    model = KernelRidge(Linear(), alpha=alpha).fit(X, y)
    assert_allclose(model.dual_coef_, np.linalg.pinv(K, rcond=1e-10, hermitian=True) @ y, rtol=1e-6)
    assert_allclose(model.predict(new), new @ np.linalg.lstsq(X, y, rcond=None)[0], rtol=1e-8)


def test_duplicate_rows_share_their_targets():
    model = KernelRidge(RBF(1.0), alpha=0).fit([[0.0], [0.0], [1.0]], [1.0, 3.0, 5.0])
    assert_allclose(model.predict([[0.0], [1.0]]), [2.0, 5.0], rtol=1e-10)


def test_indefinite_kernel_is_solved_with_a_warning():
    K = np.array([[0.0, 2.0], [2.0, 0.0]])  # eigenvalues 2, −2
    with pytest.warns(ConvergenceWarning, match=r"negative eigenvalue -1\.5"):
        model = KernelRidge("precomputed", alpha=0.5).fit(K, [1.0, 0.0])
    assert_allclose((K + 0.5 * np.eye(2)) @ model.dual_coef_, [1.0, 0.0], atol=1e-12)
    with pytest.warns(ConvergenceWarning, match=r"negative eigenvalue -1\.5"):
        KernelRidgeCV("precomputed", [0.5]).fit(K, [1.0, 0.0])


def test_indefinite_kernel_is_solved_in_its_null_space_too():
    """A Cholesky factorisation fails, and alpha is far above the rounding of K: no direction may be left out."""
    rng = np.random.default_rng(0)
    Q, y = np.linalg.qr(rng.normal(size=(12, 12)))[0], rng.normal(size=12)
    K = (Q * np.r_[2.0, 1.0, -1.5, np.zeros(9)]) @ Q.T
    with pytest.warns(ConvergenceWarning, match="negative eigenvalue -1"):
        model = KernelRidge("precomputed", alpha=0.5).fit((K + K.T) / 2, y)
    assert_allclose(K @ model.dual_coef_ + 0.5 * model.dual_coef_, y, atol=1e-12)


def test_a_slightly_negative_eigenvalue_counts_where_alpha_is_as_small():
    """Beside alpha = 9·10⁻⁹ the eigenvalue −10⁻⁸ makes f huge; beside 10⁻⁴ it may be rounding in single precision."""
    rng = np.random.default_rng(0)
    Q, y = np.linalg.qr(rng.normal(size=(40, 40)))[0], rng.normal(size=40)
    K = (Q * np.r_[np.linspace(1, 0.1, 39), -1e-8]) @ Q.T
    K = (K + K.T) / 2
    with pytest.warns(ConvergenceWarning, match=r"K \+ alpha I has the negative eigenvalue -1e-09"):
        KernelRidge("precomputed", alpha=9e-9).fit(K, y)
    with pytest.warns(ConvergenceWarning, match=r"K \+ alpha I has the negative eigenvalue -1e-09"):
        KernelRidgeCV("precomputed", [9e-9, 1.0]).fit(K, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelRidge("precomputed", alpha=1e-4).fit(K, y)
        KernelRidgeCV("precomputed", [1e-4, 1.0]).fit(K, y)
        X = rng.normal(size=(100, 4)).astype(np.float32)
        KernelRidgeCV("precomputed").fit(X @ X.T, X[:, 0])


@pytest.mark.parametrize("alpha", np.logspace(-14, -4, 21))
def test_a_ridge_far_below_the_kernel_costs_no_more_than_its_condition(regression_data, alpha):
    """Cholesky would succeed at most of these too, and be off by 0.002 at 1e-6, by more below."""
    X, y, new = regression_data
    model = KernelRidge(Linear(), alpha=alpha).fit(1e3 * X, y)
    assert_allclose(model.predict(1e3 * new), new @ np.linalg.lstsq(X, y, rcond=None)[0], atol=2e-5)


def test_grid_search_reaches_into_the_kernel(regression_data):
    X, y, _ = regression_data
    grid = {"kernel__left__gamma": [1e-3, 0.3], "alpha": [0.1, 1.0]}
    search = GridSearchCV(KernelRidge(RBF(1.0) + Linear()), grid, cv=3).fit(X, y)
    assert search.best_params_["kernel__left__gamma"] == 0.3
    assert clone(search.best_estimator_).kernel.left.gamma == 0.3


def test_precomputed_splits_rows_and_columns(regression_data):
    X, y, _ = regression_data
    grid = {"alpha": [0.01, 0.1, 1.0]}
    with_kernel = GridSearchCV(KernelRidge(RBF(0.3)), grid, cv=3).fit(X, y)
    precomputed = GridSearchCV(KernelRidge("precomputed"), grid, cv=3).fit(RBF(0.3)(X), y)
    scores = [search.cv_results_["mean_test_score"] for search in (with_kernel, precomputed)]
    assert_allclose(scores[0], scores[1], rtol=1e-8)


def test_targets_are_centred_by_scikit_learns_recipe(regression_data):
    X, y, _ = regression_data
    centred = TransformedTargetRegressor(KernelRidge(RBF(0.3), alpha=1e6), transformer=StandardScaler())
    assert_allclose(centred.fit(X, y + 100).predict(X), (y + 100).mean(), rtol=1e-3)


BAD_FITS = {
    "alpha negative": (KernelRidge(alpha=-1), [[0.0], [1.0]], [0, 1], "'alpha' parameter.*Got -1"),
    "alphas zero": (KernelRidgeCV(alphas=[0, 1]), [[0.0], [1.0]], [0, 1], "alphas must be a list of numbers > 0"),
    "alphas empty": (KernelRidgeCV(alphas=[]), [[0.0], [1.0]], [0, 1], "alphas must be a list of numbers > 0"),
    "unknown kernel": (KernelRidge("gauss"), [[0.0], [1.0]], [0, 1], "kernel must be a Kernel.*got 'gauss'"),
    "a class": (KernelRidge(RBF), [[0.0], [1.0]], [0, 1], "kernel must be a Kernel"),
    "NaN in X": (KernelRidge(), [[np.nan], [1.0]], [0, 1], "X contains NaN"),
    "NaN in y": (KernelRidge(), [[0.0], [1.0]], [0, np.nan], "y contains NaN"),
    "lengths": (KernelRidge(), [[0.0], [1.0]], [0, 1, 2], "inconsistent numbers of samples"),
    "one dimension": (KernelRidge(), [0.0, 1.0], [0, 1], r"X must have a row for each point, but has shape \(2,\)"),
    "not square": (KernelRidge("precomputed"), [[1.0, 0.0]], [0], r"square Gram matrix, but has shape \(1, 2\)"),
    "not symmetric": (KernelRidge("precomputed"), [[1.0, 2.0], [0.0, 1.0]], [0, 1], "must be symmetric"),
    "words in X": (KernelRidge(), [["a"], ["b"]], [0, 1], "X must be an array of numbers"),
    "words in y": (KernelRidge(), [[0.0], [1.0]], ["a", "b"], "y must be an array of numbers"),
    "ragged X": (KernelRidge(), [[0.0], [1.0, 2.0]], [0, 1], "X must be an array of numbers"),
    "overflow": (KernelRidge(Polynomial(9)), [[1e40], [1.0]], [0, 1], "values too large"),
    "no gamma for d": (KernelRidge(RBF([1.0, 2.0])), [[0.0], [1.0]], [0, 1], "gamma must be a number or 1"),
}


@pytest.mark.parametrize(("model", "X", "y", "message"), BAD_FITS.values(), ids=BAD_FITS)
@pytest.mark.filterwarnings("ignore:overflow")
def test_bad_fits_say_what_is_wrong(model, X, y, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


@pytest.mark.parametrize("weight", [[-1.0, 1.0], [0.0, 0.0]])
def test_bad_weights_are_named(weight):
    with pytest.raises(ValueError, match=r"sample_weight|Sample weights"):
        KernelRidge().fit([[0.0], [1.0]], [0, 1], sample_weight=weight)


def test_bad_predictions_say_what_is_wrong(regression_data):
    X, y, new = regression_data
    with pytest.raises(NotFittedError, match="not fitted"):
        KernelRidge().predict(new)
    with pytest.raises(ValueError, match="X has 2 features, but KernelRidge is expecting 3"):
        KernelRidge().fit(X, y).predict(new[:, :2])
    with pytest.raises(ValueError, match="X has 3 features, but KernelRidge is expecting 60"):
        KernelRidge("precomputed").fit(RBF(1.0)(X), y).predict(new)

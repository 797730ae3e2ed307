"""Kernel ridge regression: optimality, agreement with scikit-learn, exact leave-one-out, bad input."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import RBF, KernelRidge, KernelRidgeCV, Laplacian, Linear, Polynomial, Precomputed

ALPHAS = np.logspace(-4, 2, 7)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=60), rng.normal(size=(25, 3))


@parametrize_with_checks([KernelRidge(), KernelRidgeCV()])
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_reference_numbers():
    rng = np.random.RandomState(0)
    X, _ = rng.standard_normal((200, 5)), rng.standard_normal(200)
    t = np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.standard_normal(200)
    model = KernelRidge(RBF(0.2), alpha=0.5).fit(X, t)
    assert_allclose(np.linalg.norm(model.dual_coef_), 9.846312989, rtol=1e-9)
    assert_allclose(KernelRidgeCV(RBF(0.2), [0.5]).fit(X, t).loo_errors_, [0.496587616], rtol=1e-8)


@pytest.mark.parametrize("kernel", [RBF(0.3), Laplacian(0.5), Polynomial(2), Linear() + 0.1 * RBF(1.0)], ids=repr)
def test_gradient_vanishes(data, kernel):
    X, y, _ = data
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
def test_agrees_with_scikit_learn(data, ours, theirs, weighted, targets):
    X, y, new = data
    y = y if targets == 1 else np.column_stack([y, y**2, X[:, 0]])
    weight = np.random.default_rng(1).uniform(0.1, 3, size=len(X)) if weighted else None
    model = KernelRidge(ours, alpha=0.7).fit(X, y, sample_weight=weight)
    oracle = SklearnKernelRidge(alpha=0.7, **theirs).fit(X, y, sample_weight=weight)
    assert_allclose(model.dual_coef_, oracle.dual_coef_, rtol=1e-8, atol=1e-10)
    assert_allclose(model.predict(new), oracle.predict(new), rtol=1e-9, atol=1e-10)


def test_weights_count_copies(data):
    X, y, new = data
    times = np.random.default_rng(2).integers(0, 4, size=len(X))
    weighted = KernelRidge(alpha=0.3).fit(X, y, sample_weight=times)
    repeated = KernelRidge(alpha=0.3).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_allclose(weighted.predict(new), repeated.predict(new), rtol=1e-9)
    assert_allclose(weighted.kernel_.gamma_, repeated.kernel_.gamma_)


def test_every_form_of_a_kernel_gives_the_same_fit(data):
    X, y, new = data
    K, K_new = RBF(0.3)(X), RBF(0.3)(new, X)
    expected = KernelRidge(RBF(0.3), 0.2).fit(X, y).predict(new)
    assert_allclose(KernelRidge(lambda X, Y: RBF(0.3)(X, Y), 0.2).fit(X, y).predict(new), expected, rtol=1e-9)
    assert_allclose(KernelRidge("precomputed", 0.2).fit(K, y).predict(K_new), expected, rtol=1e-9)
    everything = RBF(0.3)(np.vstack([X, new]))
    model = KernelRidge(Precomputed(everything), 0.2).fit(np.arange(len(X)), y)
    assert_allclose(model.predict(len(X) + np.arange(len(new))), expected, rtol=1e-9)


def test_the_short_name_is_rbf_scale(data):
    X, y, new = data
    expected = KernelRidge(RBF(1 / (3 * X.var())), 0.2).fit(X, y).predict(new)
    assert_allclose(KernelRidge("rbf", 0.2).fit(X, y).predict(new), expected, rtol=1e-12)


def test_strings_go_in_as_a_list():
    words = ["kernel", "kernels", "colonel", "ridge", "bridge", "fridge"]

    def shared_letters(X, Y):
        return [[len(set(x) & set(y)) for y in Y] for x in X]

    model = KernelRidge(shared_letters, alpha=0.1).fit(words, [1, 1, 1, -1, -1, -1])
    assert (np.sign(model.predict(["kern", "ridges"])) == [1, -1]).all()


def test_input_is_left_alone(data):
    X, y, _ = data
    K, kernel = RBF(0.3)(X), RBF("scale")
    kept = X.copy(), y.copy(), K.copy()
    KernelRidge(kernel).fit(X, y, sample_weight=np.ones(len(y)))
    KernelRidge("precomputed").fit(K, y)
    KernelRidgeCV("precomputed").fit(K, y)
    for now, before in zip((X, y, K), kept, strict=True):
        assert (now == before).all()
    assert not hasattr(kernel, "gamma_")


def test_without_ridge_it_interpolates(data):
    X, y, _ = data
    model = KernelRidge(RBF(5.0), alpha=0).fit(X, y)
    assert_allclose(model.predict(X), y, rtol=1e-8)


@pytest.mark.parametrize("alpha", [0, 1e-18])
def test_singular_matrix_gives_the_least_norm_solution(data, alpha):
    X, y, new = data
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
    with pytest.warns(ConvergenceWarning, match="negative eigenvalue -2"):
        KernelRidgeCV("precomputed", [0.5]).fit(K, [1.0, 0.0])


@pytest.mark.parametrize("kernel", [RBF(0.3), Linear(), Polynomial(2)], ids=repr)
@pytest.mark.parametrize("targets", [1, 2])
def test_path_and_choice_agree_with_single_fits(data, kernel, targets):
    X, y, new = data
    y = y if targets == 1 else np.column_stack([y, X[:, 0]])
    model = KernelRidgeCV(kernel, ALPHAS).fit(X, y)
    singles = [KernelRidge(kernel, alpha).fit(X, y) for alpha in ALPHAS]
    assert_allclose(model.path(new), [single.predict(new) for single in singles], rtol=1e-7, atol=1e-9)
    best = singles[int(np.argmin(model.loo_errors_))]
    assert model.alpha_ == best.alpha
    assert_allclose(model.predict(new), best.predict(new), rtol=1e-7, atol=1e-9)
    assert model.predict(new).shape == best.predict(new).shape


@pytest.mark.parametrize("kernel", [RBF(0.3), Linear()], ids=repr)
def test_leave_one_out_agrees_with_refits(data, kernel):
    X, y, _ = data
    errors = [
        np.mean((y - cross_val_predict(KernelRidge(kernel, alpha), X, y, cv=LeaveOneOut())) ** 2) for alpha in ALPHAS
    ]
    assert_allclose(KernelRidgeCV(kernel, ALPHAS).fit(X, y).loo_errors_, errors, rtol=1e-8)


def test_gcv_and_degrees_of_freedom_by_their_definitions(data):
    X, y, _ = data
    model = KernelRidgeCV(RBF(0.3), ALPHAS).fit(X, y)
    K = RBF(0.3)(X)
    for i, alpha in enumerate(ALPHAS):
        H = K @ np.linalg.inv(K + alpha * np.eye(len(K)))
        assert_allclose(model.degrees_of_freedom_[i], np.trace(H), rtol=1e-8)
        assert_allclose(model.gcv_[i], np.mean((y - H @ y) ** 2) / np.mean(1 - np.diag(H)) ** 2, rtol=1e-7)


def test_linear_kernel_agrees_with_ridge_cv(data):
    X, y, _ = data
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


def test_eigenvalues_that_are_rounding_count_as_zero(data):
    """Rank 3 in 60 dimensions: the 57 others are noise of either sign, beside which an alpha of 1e-13 is nothing."""
    X, y, new = data
    K, alpha = Linear()(100 * X), 1e-13
    model = KernelRidgeCV("precomputed", [alpha]).fit(K, y)
    H = 100 * X @ np.linalg.pinv(100 * X)
    assert_allclose(model.loo_errors_, np.mean(((y - H @ y) / (1 - H.diagonal())) ** 2), rtol=1e-9)
    assert_allclose(model.degrees_of_freedom_, 3, rtol=1e-9)
    expected = new @ np.linalg.lstsq(X, y, rcond=None)[0]
    assert_allclose(model.predict(1e4 * new @ X.T), expected, rtol=1e-9)
    assert_allclose(model.path(1e4 * new @ X.T)[0], expected, rtol=1e-9)


@pytest.mark.parametrize("alpha", np.logspace(-14, -4, 6))
def test_a_ridge_far_below_the_kernel_costs_no_more_than_its_condition(data, alpha):
    """Cholesky would succeed at most of these too, and be off by 0.002 at 1e-6, by more below."""
    X, y, new = data
    model = KernelRidge(Linear(), alpha=alpha).fit(1e3 * X, y)
    assert_allclose(model.predict(1e3 * new), new @ np.linalg.lstsq(X, y, rcond=None)[0], atol=2e-4)


def test_grid_search_reaches_into_the_kernel(data):
    X, y, _ = data
    grid = {"kernel__left__gamma": [1e-3, 0.3], "alpha": [0.1, 1.0]}
    search = GridSearchCV(KernelRidge(RBF(1.0) + Linear()), grid, cv=3).fit(X, y)
    assert search.best_params_["kernel__left__gamma"] == 0.3
    assert clone(search.best_estimator_).kernel.left.gamma == 0.3


def test_precomputed_splits_rows_and_columns(data):
    X, y, _ = data
    grid = {"alpha": [0.01, 0.1, 1.0]}
    with_kernel = GridSearchCV(KernelRidge(RBF(0.3)), grid, cv=3).fit(X, y)
    precomputed = GridSearchCV(KernelRidge("precomputed"), grid, cv=3).fit(RBF(0.3)(X), y)
    scores = [search.cv_results_["mean_test_score"] for search in (with_kernel, precomputed)]
    assert_allclose(scores[0], scores[1], rtol=1e-8)


def test_documented_recipe_centres_the_targets(data):
    X, y, _ = data
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


def test_bad_predictions_say_what_is_wrong(data):
    X, y, new = data
    with pytest.raises(NotFittedError, match="not fitted"):
        KernelRidge().predict(new)
    with pytest.raises(ValueError, match="X has 2 features, but KernelRidge is expecting 3"):
        KernelRidge().fit(X, y).predict(new[:, :2])
    with pytest.raises(ValueError, match="X has 3 features, but KernelRidge is expecting 60"):
        KernelRidge("precomputed").fit(RBF(1.0)(X), y).predict(new)

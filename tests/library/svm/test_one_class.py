"""The one-class machine: scikit-learn, its ν, KKT conditions, laws, bad input."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn import svm
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import RBF, Laplacian, Linear, OneClassSVM, Polynomial, Precomputed
from kernelbook.base import prediction
from kernelbook.qp import interior_point
from kernelbook.svm import machine
from tests.library.samples import reference_sample

SLACK = {"check_sample_weight_equivalence_on_dense_data": "the default tolerance leaves more than it allows"}


def normal_objects(n=80):
    """Objects, new ones from a wider region, weights."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)), 2 * rng.normal(size=(40, 2)), rng.uniform(0.1, 3, size=n)


@parametrize_with_checks([OneClassSVM()], expected_failed_checks=lambda _: SLACK)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@parametrize_with_checks([OneClassSVM(tol=1e-12)])
def test_contract_of_scikit_learn_to_the_last_digits(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("nu", "value"), [(0.1, 16.598650939), (0.5, 653.863612739)])
@pytest.mark.parametrize("solver", ["smo", "interior_point"])
def test_reference_numbers(nu, value, solver):
    X = reference_sample()[0]
    model = OneClassSVM(RBF(0.2), nu, tol=1e-9, solver=solver).fit(X)
    alpha = model.dual_coef_[0]
    assert_allclose(0.5 * alpha @ RBF(0.2)(model.support_vectors_) @ alpha, value, rtol=1e-9)
    assert_allclose(model.duality_gap_, 0, atol=1e-7 * value)


@pytest.mark.parametrize("kernel", [RBF(0.7), Laplacian(2.0), Linear() + RBF(1.0)], ids=repr)
@pytest.mark.parametrize("nu", [0.03, 0.5, 0.9])
@pytest.mark.parametrize("weighted", [False, True])
def test_agrees_with_scikit_learn(kernel, nu, weighted):
    X, new, weight = normal_objects()
    K, K_new, weight = kernel(X), kernel(new, X), weight if weighted else None
    ours = OneClassSVM("precomputed", nu, tol=1e-11).fit(K, sample_weight=weight)
    theirs = svm.OneClassSVM(kernel="precomputed", nu=nu, tol=1e-11).fit(K, sample_weight=weight)
    for name in ("decision_function", "score_samples"):
        assert_allclose(getattr(ours, name)(K_new), getattr(theirs, name)(K_new), rtol=1e-4, atol=1e-4)
    for name in ("dual_coef_", "intercept_", "support_", "n_support_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-4, atol=1e-4)
    assert_allclose(ours.offset_, theirs.offset_[0], rtol=1e-4)
    assert ours.intercept_ == [-ours.offset_]


@pytest.mark.parametrize("n", [1, 2, 5, 300])
@pytest.mark.parametrize("nu", [0.01, 0.3, 0.5, 1])
@pytest.mark.parametrize("solver", ["smo", "interior_point"])
@pytest.mark.parametrize("kernel", [RBF(3.0), Polynomial(2)], ids=repr)
def test_nu_bounds_both_shares(n, nu, solver, kernel):
    X = normal_objects(n)[0]
    model = OneClassSVM(kernel, nu, tol=1e-9, solver=solver).fit(X)
    assert (model.predict(X) == -1).mean() <= nu + 1e-12
    assert len(model.support_) >= nu * n - 1e-9
    assert_allclose(model.dual_coef_.sum(), nu * n, rtol=1e-9)


@pytest.mark.parametrize("solver", ["smo", "interior_point"])
@pytest.mark.parametrize("weighted", [False, True])
def test_conditions_of_a_minimum(solver, weighted):
    X, _, weight = normal_objects()
    weight = weight * (np.arange(80) % 5 > 0) if weighted else np.ones(80)
    model = OneClassSVM(RBF(0.7), 0.3, tol=1e-8, solver=solver).fit(X, sample_weight=weight)
    alpha, above = np.zeros(80), model.decision_function(X)
    alpha[model.support_] = model.dual_coef_[0]
    assert_allclose(alpha.sum(), 0.3 * weight.sum(), rtol=1e-12)
    assert (alpha >= 0).all()
    assert (alpha <= weight).all()
    assert (above[(alpha == 0) & (weight > 0)] >= -1e-7).all()
    assert (above[(alpha == weight) & (weight > 0)] <= 1e-7).all()
    assert_allclose(above[(alpha > 0) & (alpha < weight)], 0, atol=1e-7)
    primal = 0.5 * alpha @ RBF(0.7)(X) @ alpha - alpha.sum() * model.offset_ + weight @ np.maximum(0, -above)
    gap = primal + 0.5 * alpha @ RBF(0.7)(X) @ alpha
    assert_allclose(model.duality_gap_, gap, atol=1e-8 * alpha.sum() * model.offset_)  # tol, in the choice of ρ
    assert -1e-9 <= gap <= 1e-5


@pytest.mark.parametrize(
    ("x", "nu", "alpha", "rho"),
    [
        ([1, 3], 0.5, [1], 2.0),  # ρ between 1 and 3
        ([1, 3, 4], 2 / 3, [1, 1], 14.0),  # f = 4 x: ρ between 12 and 16
        ([3, 1], 1, [1, 1], 12.0),  # none may grow: ρ at least 12
        ([1, 2], 0.25, [0.5], 0.5),
    ],
)
def test_offset_by_hand(x, nu, alpha, rho):
    x = np.array(x)[:, None]
    model = OneClassSVM(Linear(), nu, tol=1e-9).fit(x)
    assert_allclose(model.dual_coef_[0], alpha)
    assert_allclose(model.offset_, rho, rtol=1e-9)
    assert (model.predict([[100.0], [1e-6]]) == [1, -1]).all()


@pytest.mark.filterwarnings("ignore:with nu = 0.5 the origin")
@pytest.mark.parametrize("K", [np.zeros((3, 3)), -np.ones((3, 3))], ids=["zero", "negative"])
def test_what_lies_on_the_border_is_inside(K):
    assert OneClassSVM("precomputed", 0.5).fit(K).predict(K).tolist() == [1, 1, 1]


MODEL = OneClassSVM(RBF(0.7), 0.3, tol=1e-10)


def test_laws():
    X, new, _ = normal_objects()
    expected, order = clone(MODEL).fit(X).decision_function(new), np.random.default_rng(1).permutation(80)
    halves = clone(MODEL).fit(np.repeat(X, 2, axis=0), sample_weight=np.full(160, 0.5))
    scaled = clone(MODEL).set_params(kernel=3 * RBF(0.7)).fit(X)
    assert_allclose(clone(MODEL).fit(X[order]).decision_function(new), expected, atol=1e-6)
    assert_allclose(halves.decision_function(new), expected, atol=1e-6)
    assert_allclose(scaled.decision_function(new), 3 * expected, atol=1e-6)
    times = np.arange(80) % 3
    copied = clone(MODEL).fit(np.repeat(X, times, axis=0))
    weighted = clone(MODEL).fit(X, sample_weight=times)
    assert_allclose(copied.decision_function(new), weighted.decision_function(new), atol=1e-6)


def test_every_form_of_a_kernel(monkeypatch):
    X, new, _ = normal_objects()
    everything = RBF(0.7)(np.concatenate([X, new]))
    expected = clone(MODEL).fit(X)
    for kernel, train, test in [
        (lambda A, B: RBF(0.7)(A, B), X, new),
        (Precomputed(everything), np.arange(80), np.arange(80, 120)),
        ("precomputed", everything[:80, :80], everything[80:, :80]),
    ]:
        other = clone(MODEL).set_params(kernel=kernel).fit(train)
        for chunk in (1, 10**6):
            monkeypatch.setattr(prediction, "BLOCK_NUMBERS", chunk)
            assert_allclose(other.decision_function(test), expected.decision_function(new), atol=1e-8)
        assert (other.support_ == expected.support_).all()
        assert other.support_vectors_.shape[0] == (0 if kernel == "precomputed" else len(other.support_))


def test_solver_is_the_one_asked_for():
    rough, exact = (
        OneClassSVM(RBF(0.7), 0.3, tol=0.1, solver=name).fit(normal_objects()[0]) for name in ("smo", "interior_point")
    )
    assert exact.duality_gap_ < 1e-7 < 1e-3 < rough.duality_gap_


def test_the_tolerance_reaches_the_interior_point_solver(monkeypatch):
    asked = []
    monkeypatch.setattr(
        machine, "interior_point", lambda problem, tol: asked.append(tol) or interior_point(problem, tol)
    )
    for tol in (1e-7, 1e-5):
        OneClassSVM(tol=tol, solver="interior_point").fit(normal_objects()[0])
    assert_allclose(asked[1], 100 * asked[0])


def test_strings():
    words = ["kernel", "kernels", "colonel", "corner", "kernel", "zzz"]

    def shared_letters(A, B):
        return [[len(set(a) & set(b)) for b in B] for a in A]

    model = OneClassSVM(shared_letters, nu=0.2).fit(words)
    assert model.predict(["kernels", "yyy"]).tolist() == [1, -1]
    assert set(model.support_vectors_) <= set(words)
    assert type(model.support_vectors_) is list


def test_fitted_and_unfitted():
    X, new, _ = normal_objects()
    fitted = clone(MODEL).fit(X)
    assert (pickle.loads(pickle.dumps(fitted)).decision_function(new) == fitted.decision_function(new)).all()
    assert_allclose(fitted.decision_function(new), fitted.score_samples(new) - fitted.offset_)
    assert (fitted.predict(new) == np.where(fitted.decision_function(new) >= 0, 1, -1)).all()
    for method in ("predict", "decision_function", "score_samples"):
        with pytest.raises(NotFittedError):
            getattr(clone(fitted), method)(new)
    with pytest.raises(ValueError, match="X has 1 features, but OneClassSVM is expecting 2"):
        fitted.predict(new[:, :1])


BAD = {
    "nu zero": (OneClassSVM(nu=0), [[0.0]], "'nu' parameter of OneClassSVM.*Got 0"),
    "nu above 1": (OneClassSVM(nu=1.01), [[0.0]], "'nu' parameter.*Got 1.01"),
    "tol": (OneClassSVM(tol=-1.0), [[0.0]], "'tol' parameter"),
    "solver": (OneClassSVM(solver="newton"), [[0.0]], "'solver' parameter.*Got 'newton'"),
    "max_iter": (OneClassSVM(max_iter=0.5), [[0.0]], "'max_iter' parameter"),
    "max_iter zero": (OneClassSVM(max_iter=0), [[0.0]], "'max_iter' parameter.*Got 0"),
    "kernel": (OneClassSVM("gauss"), [[0.0]], "kernel must be a Kernel.*got 'gauss'"),
    "no objects": (OneClassSVM(), np.zeros((0, 2)), "^X must hold at least one object, got none"),
    "NaN": (OneClassSVM(), [[np.nan]], "X contains NaN"),
    "sparse": (OneClassSVM(), csr_matrix(np.eye(2)), "[Ss]parse"),
    "not square": (OneClassSVM("precomputed"), np.ones((1, 2)), "square Gram matrix"),
    "not symmetric": (OneClassSVM("precomputed"), [[1.0, 2.0], [0.0, 1.0]], "must be symmetric"),
}


@pytest.mark.parametrize(("model", "X", "message"), BAD.values(), ids=BAD)
def test_bad_fits_say_what_is_wrong(model, X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(X)


@pytest.mark.parametrize("weight", [[-1.0, 1.0], [0.0, 0.0], [1.0]])
def test_bad_weights_are_named(weight):
    with pytest.raises(ValueError, match=r"sample_weight|Sample weights"):
        OneClassSVM(RBF(1.0)).fit([[0.0], [1.0]], sample_weight=weight)


@pytest.mark.parametrize("steps", [1, 2])
def test_step_limit_warns(steps):
    with pytest.warns(ConvergenceWarning, match=f"after {steps} iterations"):
        assert OneClassSVM(RBF(0.7), max_iter=steps).fit(normal_objects()[0]).n_iter_ == steps

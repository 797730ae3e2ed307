"""Kernel ridge regression by conjugate gradients: the same solution, few steps, and a bound that says why."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import RBF, KernelRidge, Laplacian, Linear, Sigmoid, Spectrum
from kernelbook.regression import iterative
from tests.library.samples import noisy_sine, random_weights, random_words

X, Y, NEW = noisy_sine(200)
W = random_weights(200, 1)
W[:5] = 0
TWO = np.column_stack([Y + 50, 1e-6 * X[:, 0]])


def cg(kernel, alpha, **options):
    return KernelRidge(kernel, alpha, solver="cg", random_state=0, **{"landmarks": 30, "tol": 1e-10} | options)


@parametrize_with_checks([KernelRidge(solver="cg"), KernelRidge(solver="cg", fit_intercept=True, tol=1e-9)])
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("whole", [True, False], ids=["K whole", "K by blocks"])
@pytest.mark.parametrize("weight", [None, W], ids=["", "weights"])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("y", [Y, TWO], ids=["one target", "two"])
def test_it_is_the_direct_solution(y, fit_intercept, weight, whole, monkeypatch):
    if not whole:
        monkeypatch.setattr(iterative, "free_memory", lambda: 0)
        monkeypatch.setattr("kernelbook.base.prediction.BLOCK_NUMBERS", 17 * 200)
    direct = KernelRidge(RBF(0.5), 0.01, fit_intercept=fit_intercept).fit(X, y, weight)
    model = cg(RBF(0.5), 0.01, fit_intercept=fit_intercept).fit(X, y, weight)
    size = np.abs(direct.predict(NEW)).max(axis=0)
    assert_allclose(model.predict(NEW) / size, direct.predict(NEW) / size, atol=1e-7)
    assert_allclose(model.intercept_ / size, direct.intercept_ / size, atol=1e-7)
    assert model.dual_coef_.shape == direct.dual_coef_.shape


def test_the_error_is_below_the_tolerance():
    exact = KernelRidge(RBF(0.5), 1e-3).fit(X, Y).predict(X)
    for tol in (1e-1, 1e-3, 1e-6):
        error = np.linalg.norm(cg(RBF(0.5), 1e-3, tol=tol).fit(X, Y).predict(X) - exact)
        assert error <= 1.01 * tol * np.linalg.norm(Y)


def test_the_certificate_bounds_the_spectrum_and_so_the_steps():
    alpha, K, rng = 0.01, RBF(0.5)(X), np.random.RandomState
    for m in (5, 20, 60):
        model = cg(RBF(0.5), alpha, landmarks=m, tol=1e-6).fit(X, Y)
        _, F, left = iterative.randomly_pivoted_cholesky(K.diagonal(), lambda i, j: K[i][:, j], m, rng(0))
        assert model.certificate_ == pytest.approx(left.sum() / alpha)
        delta = np.linalg.norm(K - F @ F.T, 2)
        assert delta / alpha <= model.certificate_ * (1 + 1e-9)
        apply = iterative.preconditioner(F, alpha)
        mu = np.sort(np.linalg.eigvals(apply(K + alpha * np.eye(200))).real)
        assert mu[0] > 1 - 1e-6
        assert mu[-1] < 1 + delta / alpha + 1e-6
        root = np.sqrt(1 + delta / alpha)
        # in the norm of A; residuals are larger by at most the condition of A
        bound = np.log(2 * np.sqrt(np.linalg.cond(K + alpha * np.eye(200))) / 1e-6) / np.log((root + 1) / (root - 1))
        assert model.n_iter_ <= bound + 1


def test_more_landmarks_take_fewer_steps():
    steps = [cg(RBF(0.5), 1e-3, landmarks=m).fit(X, Y).n_iter_ for m in (1, 30, 200)]
    assert steps[0] > 2 * steps[1] > 2 * steps[2]
    assert steps[2] <= 3


def test_the_preconditioner_inverts():
    F = np.random.default_rng(0).normal(size=(20, 4)) * [1e3, 1.0, 1e-3, 0.0]
    V = np.random.default_rng(1).normal(size=(20, 3))
    assert_allclose((F @ F.T + 0.1 * np.eye(20)) @ iterative.preconditioner(F, 0.1)(V), V, atol=1e-6)
    assert_allclose(iterative.preconditioner(F[:, :0], 0.1)(V), V / 0.1)


def test_matrices_strings_and_linear_kernels():
    by_matrix = cg("precomputed", 0.01).fit(RBF(0.5)(X), Y)
    by_kernel = cg(RBF(0.5), 0.01).fit(X, Y)
    assert_allclose(by_matrix.predict(RBF(0.5)(NEW, X)), by_kernel.predict(NEW), atol=1e-8)
    assert by_matrix.n_iter_ == by_kernel.n_iter_
    words = random_words("ab", [6] * 50)
    target = [float(word.count("a")) for word in words]
    direct = KernelRidge(Spectrum(2), 0.1).fit(words, target)
    assert_allclose(cg(Spectrum(2), 0.1).fit(words, target).predict(words), direct.predict(words), atol=1e-7)
    model = cg(Linear(), 0.1).fit(X, Y)
    assert_allclose(model.coef_, KernelRidge(Linear(), 0.1).fit(X, Y).coef_, atol=1e-8)
    assert model.certificate_ < 1e-9


def test_nothing_of_it_stays_after_a_direct_fit():
    model = cg(RBF(0.5), 0.01).fit(X, Y)
    assert_array_equal(vars(KernelRidge().fit(X, Y)).keys() >= {"n_iter_", "certificate_"}, False)
    assert model.n_iter_ > 0


def test_too_many_steps_are_told_of(monkeypatch):
    monkeypatch.setattr(iterative, "MOST_STEPS", 3)
    with pytest.warns(ConvergenceWarning, match="solver='cg' stopped after 3 steps .*: take more landmarks") as told:
        cg(Laplacian(3.0), 1e-6, landmarks=2).fit(X, Y)
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (cg(RBF(0.5), 0.0), "alpha must be > 0 for solver='cg', got 0: write solver='direct'"),
        (cg(Sigmoid(5.0, 1.0), 0.1), "pivoted landmarks need a kernel that is PSD"),
        (cg(RBF(0.5), 0.1, landmarks=0), "landmarks"),
        (cg(RBF(0.5), 0.1, tol=0.0), "tol"),
        (KernelRidge(solver="cholesky"), "solver"),
    ],
)
def test_bad_input(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)

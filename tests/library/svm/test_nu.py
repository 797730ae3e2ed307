"""The ν-machine where its margin ρ is small: still the SVC with C = 1/ρ, or a clear word."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from kernelbook import RBF, SVC, NuSVC, OneClassSVM
from kernelbook.qp import smo
from kernelbook.svm import machine, relative_tolerance

pytestmark = pytest.mark.usefixtures("as_compiled")


def overlapping(n=200, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, -1], n // 2))
    return rng.normal(size=(n, 2)) + 0.4 * y[:, None], y


@pytest.mark.parametrize(("nu", "gamma"), [(0.9, 1), (0.6, 1), (0.5, 1), (0.3, 5), (0.1, 20)])
def test_tol_is_in_units_of_f_however_small_the_margin(nu, gamma):
    X, y = overlapping()
    K = RBF(gamma)(X)
    model = NuSVC("precomputed", nu).fit(K, y)
    rho = nu * len(y) / np.abs(model.dual_coef_).sum()
    exact = NuSVC("precomputed", nu, tol=1e-7).fit(K, y)
    assert_allclose(model.decision_function(K), exact.decision_function(K), atol=1e-2)
    price = SVC("precomputed", 1 / rho, tol=1e-7).fit(K, y)
    assert_allclose(model.decision_function(K), price.decision_function(K), atol=1e-2)


def test_a_margin_that_rounding_could_have_made_is_refused():
    X, y = overlapping()
    with pytest.raises(ValueError, match=r"nu must leave a margin, but with nu = 0\.3 "):
        NuSVC(RBF(0.1), 0.3).fit(X, y)


def test_a_margin_within_rounding_of_f_is_refused_though_the_conditions_hold():
    def fit(distance):
        return NuSVC("precomputed", 0.5).fit(np.ones((2, 2)) - distance * (1 - np.eye(2)), [0, 1])

    assert_allclose(fit(1e-12).decision_function(np.eye(2)), [-1e12, 1e12], rtol=1e-3)
    with pytest.raises(ValueError, match=r"nu must leave a margin, but with nu = 0\.5 .* ρ = 9\.99e-16"):
        fit(2e-15)


def test_a_margin_too_small_for_tol_is_told():
    X, y = overlapping()
    with pytest.warns(ConvergenceWarning, match=r"nu = 0\.2 ρ is as small as .* units .* more than tol = 0\.001"):
        NuSVC(RBF(0.4), 0.2).fit(X, y)


@pytest.mark.parametrize(
    ("gamma", "nu", "limit", "last"), [(1, 0.5, 20, 20), (1, 0.2, 1000, r"\d{3}")], ids=["first attempt", "later"]
)
def test_a_step_limit_is_not_taken_for_a_missing_margin(gamma, nu, limit, last):
    X, y = overlapping()
    with pytest.warns(ConvergenceWarning, match=f"after {last} iterations"):
        model = NuSVC(RBF(gamma), nu, max_iter=limit).fit(X, y)
    assert model.n_iter_ == limit


def test_a_step_limit_counts_the_steps_of_all_attempts():
    X, y = overlapping()
    (steps,) = NuSVC(RBF(5), 0.3).fit(X, y).n_iter_
    with pytest.warns(ConvergenceWarning, match="is not solved"):
        model = NuSVC(RBF(5), 0.3, max_iter=steps - 1).fit(X, y)
    assert model.n_iter_ == steps - 1


def test_a_margin_that_stays_hidden_is_given_up():
    """Its fifth attempt would take a million steps."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=1000) > 0
    with pytest.raises(ValueError, match=r"nu must leave a margin, but with nu = 0\.05 it has the width"):
        NuSVC(RBF(0.5), 0.05, max_iter=400_000).fit(X, y)


def test_a_margin_that_few_objects_hide_for_long_is_found():
    """A large sample would be given fewer steps for each object; these are cheap."""
    X, y = overlapping(60, seed=2)
    K = RBF(0.1)(X)
    model = NuSVC("precomputed", 0.1).fit(K, y)
    assert model.n_iter_ > relative_tolerance.GIVE_UP_STEPS_PER_VARIABLE * 60
    exact = NuSVC("precomputed", 0.1, tol=1e-4).fit(K, y)
    assert_allclose(model.decision_function(K), exact.decision_function(K), rtol=1e-2)


def test_a_margin_that_is_not_hidden_is_never_given_up(monkeypatch):
    """However many steps its first attempt took, the second makes it exact."""
    X, y = overlapping()
    monkeypatch.setattr(relative_tolerance, "GIVE_UP_STEPS_PER_VARIABLE", 0)
    monkeypatch.setattr(relative_tolerance, "GIVE_UP_ENTRIES_READ", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = NuSVC(RBF(5), 0.3).fit(X, y)
    exact = NuSVC(RBF(5), 0.3, tol=1e-7).fit(X, y)
    assert_allclose(model.decision_function(X), exact.decision_function(X), atol=1e-2)


def test_each_attempt_but_the_first_starts_from_the_last_solution(monkeypatch):
    """A start counts as near the solution, so the first attempt has none."""
    starts, solutions = [], []

    def spied(problem, start, *others):
        starts.append(start)
        solutions.append(smo(problem, start, *others))
        return solutions[-1]

    monkeypatch.setattr(machine, "smo", spied)
    X, y = overlapping()
    NuSVC(RBF(5), 0.3).fit(X, y)
    assert starts[0] is None
    assert len(starts) > 1
    assert all(start is before.beta for start, before in zip(starts[1:], solutions, strict=False))


@pytest.mark.parametrize("model", [NuSVC(RBF(1.0), 0.4), OneClassSVM(RBF(1.0), 0.4)], ids=repr)
def test_weights_whose_objective_is_no_float_are_refused(model):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(40, 2)), rng.uniform(0.1, 1.1, size=40)
    y = (X[:, 0] > 0).astype(int)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=r"the dual objective must be below 1\.8e308"):
        model.fit(X, y, sample_weight=1e160 * weight)

"""One object far from the others, or heavy tails: entries of K of every size, and no wrong answer from them."""

import contextlib
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from kernelbook import SVC, SVCCV, Linear, NuSVC, OneClassSVM, Polynomial
from kernelbook.qp import DualQP, smo
from kernelbook.qp.newton import minimise_over_free
from kernelbook.qp.solution import Solution
from kernelbook.svm import svc_path
from tests.library.samples import two_classes

SOLVERS = ["smo", "interior_point"]


@pytest.fixture(params=[1e3, 1e6])
def blobs_and_one(request):
    X, y = make_blobs(60, centers=[[-2, -2], [2, 2]], cluster_std=0.7, random_state=0)
    return np.r_[X, [[request.param, request.param]]], np.r_[y, 1]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("kernel", "C"), [(Polynomial(5), 1e8), (Polynomial(3), 1.0), (Linear(), 1.0)], ids=repr)
def test_the_near_objects_keep_their_support_vectors(blobs_and_one, kernel, C, solver):
    X, y = blobs_and_one
    machine = SVC(kernel, C, tol=1e-6, solver=solver)
    model, without = clone(machine).fit(X, y), machine.fit(X[:60], y[:60])
    assert_array_equal(model.support_, without.support_)
    assert_allclose(model.decision_function(X[:60]), without.decision_function(X[:60]), rtol=1e-5, atol=1e-5)
    assert model.score(X, y) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_far_support_vector_keeps_the_little_that_it_has(solver):
    """Its α is some 1e-15, which beside the others looks like rounding; without it f there is −1e15."""
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(40, 2)), [[0.0, 1e3]]]
    y = np.r_[(X[:40, 0] + 0.7 * rng.normal(size=40) > 0) * 1, 1]
    model = SVC(Polynomial(5), tol=1e-6, solver=solver).fit(X, y)
    assert 40 in model.support_
    assert_allclose(model.decision_function(X[40:]), 1, atol=100)  # f is the sum of numbers as large as 1e15


def test_path_and_search_keep_them_too(blobs_and_one):
    X, y = blobs_and_one
    K, sign = Polynomial(5)(X), 2.0 * y - 1
    betas, intercepts = svc_path(K, sign, [1.0, 1e8])
    assert (np.sign(betas @ K + intercepts[:, None]) == sign).all()
    assert SVCCV([Polynomial(5)], [1e8]).fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_heavy_tails(solver):
    X = np.random.default_rng(5).standard_cauchy((200, 2))
    y = (X.sum(axis=1) > 0) * 1
    model = SVC(Polynomial(5), solver=solver).fit(X, y)
    assert model.score(X, y) >= 0.99
    assert model.duality_gap_ < 0.01


def assert_solved_or_told(machine, X, y, gap):
    """The gap is small, or a warning names rounding: where a far object drowns digits, the processor decides which."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = machine.fit(X, y)
    assert model.duality_gap_ < gap or any("which rounding hides: centre" in str(one.message) for one in told)
    return model


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("distance", [1e3, 1e5, 1e7])
def test_one_object_of_many_with_noise(distance, solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = (np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=40) > 0) * 1
    X[7] *= distance
    assert_solved_or_told(SVC(Polynomial(2), solver=solver), X, y, gap=40 * 1e-3)  # tol, for each object


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_share_of_outliers(solver):
    X = np.r_[np.random.default_rng(0).normal(5, 1, size=(200, 2)), [[1e8, 1e8]]]
    model, without = (OneClassSVM(Linear(), nu=0.1, solver=solver).fit(objects) for objects in (X, X[:200]))
    assert 0.05 < (model.predict(X) == -1).mean() <= 0.1 <= len(model.support_) / 201
    assert_allclose(model.offset_, without.offset_, rtol=0.05)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_margin_of_nu(blobs_and_one, solver):
    X, y = blobs_and_one
    model = NuSVC(Linear(), nu=0.2, solver=solver).fit(X, y)
    expected = svm.NuSVC(kernel="linear", nu=0.2, tol=1e-8).fit(X, y)
    assert_allclose(model.decision_function(X[:60]), expected.decision_function(X[:60]), atol=1e-2)


def test_a_search_that_rounding_holds_up_ends():
    """K has entries from 1 to 10⁴⁰; moves of the far object must not lose their digits in the sums of the others."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 1))
    x[0] = 1e4
    y = (x[:, 0] + 0.5 * rng.normal(size=40) > 0) * 1
    assert assert_solved_or_told(SVC(Polynomial(5)), x, y, gap=1e-3).n_iter_ < 40 * 100


@pytest.mark.parametrize(("g", "solved"), [(1e6, True), (1e3, False), (0.0, True)])
def test_what_rounding_hides_may_not_be_a_large_part_of_the_objective(g, solved):
    """A gradient off by ±40, less than its rounding, is a gap of 40, beside an objective of −g/2; for g = 0 see ρ."""
    problem = DualQP(1e20 * np.eye(2), np.full(2, g), np.zeros(2), np.ones(2), totals=1.0)
    beta, gradient = np.array([0.5, 0.5]), np.array([40.0, -40.0])
    assert (problem.rounding(beta) > 1e4).all()
    with contextlib.nullcontext() if solved else pytest.warns(ConvergenceWarning, match="which rounding hides: centre"):
        solution = Solution.at(problem, beta, gradient, 0, 1e-3)
    assert solution.converged == solved
    assert solution.gap == 40


def test_sums_are_held_where_larger_ones_left_their_rounding():
    problem = DualQP(np.eye(3), np.array([1.0, -1.0, 0.5]), -2 * np.ones(3), 2 * np.ones(3))
    off = np.array([0.3, -0.3, 1e-6])
    beta, gradient = minimise_over_free(problem, off, problem.gradient(off))
    assert_allclose(beta.sum(), 0, atol=1e-15)
    assert_allclose(gradient, gradient.mean(), atol=1e-15)


def test_rho_is_that_of_gradients_that_are_known():
    K = np.diag([1e20, 1.0, 1.0, 1.0])
    problem = DualQP(K, np.array([0.0, 1.0, 1.0, 0.0]), -np.ones(4), np.ones(4), totals=1.0)
    beta = np.array([1e-3, 0.5, 0.499, 0.0])
    gradient = np.array([40.0, 3.0, 5.0, 4.0])  # the first is a small part of the rounding of 1e17
    assert problem.rounding(beta)[0] > 40
    assert Solution.at(problem, beta, gradient, 0, 50.0).rho == 4


def test_the_gap_is_primal_minus_dual():
    X, y = two_classes(30, 1.0)
    K, C = Linear()(X) + 1, 2.0
    for tol in (0.5, 1e-8):
        solution = smo(DualQP(K, y, np.minimum(0, C * y), np.maximum(0, C * y)), tol=tol)
        f, b = K @ solution.beta, -solution.rho[0]
        primal = 0.5 * solution.beta @ f + C * np.maximum(0, 1 - y * (f + b)).sum()
        assert_allclose(solution.gap, primal + solution.objective, atol=1e-10)
        assert solution.gap >= -1e-12


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("kernel", "offset", "C"), [(Linear(), 1e7, 1.0), (Polynomial(2), 1e4, 1.0)], ids=repr)
def test_differences_lost_in_large_entries_are_told(kernel, offset, C, solver):
    """K is known to 16 digits, its differences to two: what is found must be right, or come with a word."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = (X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=100) > 0) * 1
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = SVC(kernel, C, solver=solver).fit(X + offset, y)
    assert told or model.duality_gap_ < 0.1
    assert SVC(kernel, C, solver=solver).fit(X, y).duality_gap_ < 0.1


def test_years_as_they_are_count_as_unsolved():
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(1950, 2021, 200), rng.uniform(-90, 90, 200)]
    y = ((X[:, 0] - 1985) / 20 + np.abs(X[:, 1]) / 30 - 1.5 + 0.5 * rng.normal(size=200) > 0) * 1
    with pytest.warns(ConvergenceWarning, match="the dual problem is not solved"):
        SVC(Polynomial(3)).fit(X, y)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    assert SVC(Polynomial(3)).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("offset", [1e2, 1e4])
@pytest.mark.parametrize("solver", SOLVERS)
def test_classes_are_no_matter_of_the_origin(offset, solver):
    """Σ β = 0 makes SVC and NuSVC with a linear kernel the same wherever the origin lies."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = (X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=100) > 0) * 1
    for machine in SVC(Linear(), tol=1e-6, solver=solver), NuSVC(Linear(), 0.3, tol=1e-6, solver=solver):
        expected = clone(machine).fit(X, y).decision_function(X)
        assert_allclose(clone(machine).fit(X + offset, y).decision_function(X + offset), expected, atol=1e-3)


def test_what_CVXOPT_cannot_take_is_solved_all_the_same(monkeypatch):
    def gives_up(*_, **__):
        raise ValueError("Rank(A) < p or Rank([P; A; G]) < n")

    X = np.random.default_rng(0).normal(size=(30, 2))
    expected = SVC(Linear(), solver="interior_point").fit(X, np.arange(30) % 2).decision_function(X)
    monkeypatch.setattr("cvxopt.solvers.qp", gives_up)
    model = SVC(Linear(), solver="interior_point").fit(X, np.arange(30) % 2)
    assert_allclose(model.decision_function(X), expected, atol=1e-6)

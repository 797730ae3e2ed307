"""The interior-point reference: known numbers, agreement with SMO, exact ends, degenerate problems."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from kernelbook import RBF, Laplacian, Linear, Polynomial
from kernelbook.qp import DualQP, interior, interior_point, smo
from kernelbook.runtime.available import cvxopt
from tests.library.samples import reference_sample, two_classes


def c_svc(K, y, C):
    return DualQP(K, y, np.minimum(0, C * y), np.maximum(0, C * y))


def assert_feasible(problem, beta):
    assert (problem.lower <= beta).all()
    assert (beta <= problem.upper).all()
    scale = np.abs([problem.lower, problem.upper]).max()
    for s, total in enumerate(problem.totals):
        assert_allclose(beta[problem.groups == s].sum(), total, atol=1e-9 * scale)


@pytest.fixture(scope="module")
def reference():
    X, y, _ = reference_sample()
    return X, y, RBF(0.2)(X)


def test_reference_input(reference):
    X, y, K = reference
    assert_allclose([X.sum(), y.sum(), K.sum()], [-45.25670749, 12, 9654.4614191], rtol=1e-9)


@pytest.mark.parametrize("solver", [smo, interior_point])
@pytest.mark.parametrize(
    ("C", "objective", "b"),
    [
        (1, -86.597318669, -0.1140997),
        (10, -345.986187327, 0.1942455),
        (100, -1121.996100910, -0.0330164),
    ],
)
def test_reference_numbers_of_classification(reference, solver, C, objective, b):
    _, y, K = reference
    solution = solver(c_svc(K, y, float(C)), tol=1e-9)
    free = (solution.beta != 0) & (np.abs(solution.beta) < C)
    assert_allclose(solution.objective, objective, rtol=1e-10)
    assert_allclose(-solution.gradient[free].mean(), b, atol=1e-7)
    assert solution.violation <= 1e-9


@pytest.mark.parametrize("n", [2, 5, 40, 150])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e2, 1e4])
@pytest.mark.parametrize("threshold", [0.0, 1.5])
def test_agrees_with_smo(n, C, threshold):
    X, y = two_classes(n, 0.7, threshold=threshold)
    problem = c_svc(Laplacian(1.0)(X), y, C)
    reference, fast = interior_point(problem), smo(problem, tol=1e-9 * min(C, 1))
    assert reference.converged
    assert_feasible(problem, reference.beta)
    assert_allclose(fast.objective, reference.objective, rtol=1e-9)
    assert_allclose(fast.beta, reference.beta, atol=1e-6 * C)


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2)], ids=repr)
@pytest.mark.parametrize("C", [1e-2, 1.0, 10.0])
def test_agrees_with_smo_on_singular_matrices_and_duplicate_rows(kernel, C):
    X, y = two_classes(60, 0.7)
    X = np.round(2 * X) / 2
    X = np.concatenate([X, X[:20]])
    y = np.concatenate([y, -y[:20]])
    problem = c_svc(kernel(X), y, C)
    reference, fast = interior_point(problem), smo(problem, tol=1e-9)
    assert reference.converged
    assert_feasible(problem, reference.beta)
    assert_allclose(fast.objective, reference.objective, rtol=1e-6)
    assert_allclose(fast.gradient, reference.gradient, atol=1e-6)


def test_groups_and_rows_agree_with_smo():
    X, y = two_classes(40, 0.7)
    K, zero, one = RBF(1.0)(X), np.zeros(40), np.ones(40)
    problems = [
        DualQP(K, zero, np.minimum(0, y), np.maximum(0, y), [-5.0, 5.0], (y > 0).astype(int)),
        DualQP(K, zero, zero, one, totals=12.3),
        DualQP(K, y, np.minimum(0, y), np.maximum(0, y), rows=np.roll(np.arange(40), 7)),
        DualQP(
            K,
            np.concatenate([X[:, 1] - 0.1, X[:, 1] + 0.1]),
            np.concatenate([zero, -one]),
            np.concatenate([one, zero]),
            rows=np.tile(np.arange(40), 2),
        ),
    ]
    for problem in problems:
        reference, fast = interior_point(problem), smo(problem, tol=1e-9)
        assert_feasible(problem, reference.beta)
        assert_allclose(fast.objective, reference.objective, rtol=1e-6)
        assert_allclose(problem.row_sums(fast.beta), problem.row_sums(reference.beta), atol=1e-6)


def test_ends_lie_exactly_on_the_bounds(reference):
    _, y, K = reference
    problem = c_svc(K, y, 1.0)
    beta, expected = interior_point(problem).beta, smo(problem, tol=1e-9).beta
    assert ((beta == 0) == (expected == 0)).all()
    assert ((np.abs(beta) == 1) == (np.abs(expected) == 1)).all()


DEGENERATE = {
    "K = 0": DualQP(np.zeros((4, 4)), np.zeros(4), np.zeros(4), np.ones(4), totals=2.0),
    "K constant": DualQP(np.full((5, 5), 7.0), np.zeros(5), np.zeros(5), np.ones(5), totals=2.5),
    "one variable": DualQP([[2.0]], [1.0], [0.0], [1.0], totals=0.5),
    "tiny total": DualQP(np.eye(4), np.zeros(4), np.zeros(4), np.ones(4), totals=1e-6),
    "every bound reached": DualQP(np.eye(4), np.zeros(4), np.zeros(4), np.ones(4), totals=4.0),
    "half without width": DualQP(np.eye(4), np.zeros(4), np.zeros(4), [1.0, 0.0, 2.0, 0.0], totals=1.0),
    "line around the origin": DualQP(
        Linear()([[-2.0], [-1.0], [1.0], [3.0]]), np.zeros(4), np.zeros(4), np.ones(4), 2.0
    ),
    "large boxes": DualQP(np.eye(3), [1.0, -1.0, 0.5], [0, -1e6, 0], [1e6, 0, 1e6]),
    "small boxes": DualQP(np.eye(3), [1.0, -1.0, 0.5], [0, -1e-6, 0], [1e-6, 0, 1e-6]),
    "weights of every size": DualQP(np.eye(4), [1.0, -1.0] * 2, [0, -1e-5, 0, -1e5], [1e5, 0, 1e-5, 0]),
}


@pytest.mark.parametrize("problem", DEGENERATE.values(), ids=DEGENERATE)
def test_degenerate_problems_keep_box_and_sums(problem):
    solution = interior_point(problem, tol=1e-6)
    assert_feasible(problem, solution.beta)
    assert_allclose(solution.objective, smo(problem, tol=1e-9).objective, rtol=1e-6, atol=1e-10)


@pytest.mark.skipif(not cvxopt, reason="SMO takes the place of CVXOPT")
@pytest.mark.parametrize("sign", [1, -1])
def test_the_interior_method_alone_is_near_the_minimum(sign):
    """Where what follows it need mend nothing: all g of one sign, boxes away from 0, some of them a point."""
    rng = np.random.default_rng(0)
    lower = rng.uniform(0.1, 0.5, 30)
    upper = lower + np.where(np.arange(30) % 5, rng.uniform(0.2, 2, 30), 0)
    groups = np.repeat([0, 1], 15)
    totals = np.bincount(groups, 0.7 * lower + 0.3 * upper)
    problem = DualQP(RBF(0.5)(rng.normal(size=(30, 2))), sign * rng.uniform(20, 22, 30), lower, upper, totals, groups)
    beta, _ = interior._near_minimum(problem)
    assert_allclose(beta, smo(problem, tol=1e-10).beta, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_weights_zero(seed):
    X, y = two_classes(50, 0.7, seed)
    weight = np.where(np.arange(50) % 3 == 2, 0.0, np.random.default_rng(seed).uniform(0.1, 2, size=50))
    weight[:2] = 1
    problem = c_svc(RBF(1.0)(X), y, 100 * weight)
    solution = interior_point(problem)
    assert_feasible(problem, solution.beta)
    assert_allclose(smo(problem, tol=1e-9).objective, solution.objective, rtol=1e-8)


@pytest.mark.parametrize("tol", [0.0, -1.0, np.nan, None])
def test_tol_is_positive_and_finite(tol):
    with pytest.raises(ValueError, match="tol must be a finite number > 0, got"):
        interior_point(DEGENERATE["one variable"], tol)


def test_it_is_silent(capfd):
    X, y = two_classes(20, 0.7)
    interior_point(c_svc(RBF(1.0)(X), y, 1.0))
    assert capfd.readouterr() == ("", "")


def test_indefinite_matrix_is_refused():
    A = np.random.default_rng(0).normal(size=(12, 12))
    with pytest.raises(ValueError, match=r"K must be positive semidefinite for interior_point, but Q bends down \(-"):
        interior_point(c_svc(A + A.T, np.tile([1.0, -1.0], 6), 1.0))


def test_where_no_variable_may_move_K_may_bend_down():
    problem = DualQP(np.diag([2.0, 2.0, -9.0]), [1.0, 3.0, 0.0], [-1.0, -1.0, 1.0], [1.0, 1.0, 1.0], totals=1.0)
    solution = interior_point(problem)
    assert solution.converged
    assert_allclose(solution.beta, [-0.5, 0.5, 1.0], atol=1e-12)


def test_no_convergence_warns():
    X = np.random.default_rng(0).normal(size=(100, 5))
    problem = c_svc(1e8 * Polynomial(2, coef0=1)(X), np.tile([1.0, -1.0], 50), 1e6)  # more digits than there are
    with pytest.warns(ConvergenceWarning, match=r"KKT conditions are violated by .*more than tol = 1e-20"):
        solution = interior_point(problem, tol=1e-20)
    assert not solution.converged
    assert_feasible(problem, solution.beta)

"""SMO to be read: it finds the minimum, and the fast one makes its steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from kernelbook import RBF, Linear
from kernelbook.linalg.operators import Rows
from kernelbook.qp import DualQP, descent, interior_point, smo, textbook_smo


def svc(n=40, seed=0, C=1.0, kernel=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    K = (kernel or RBF(1.0))(X)
    g = y + 1e-3 * rng.normal(size=n)  # no two gradients alike: each step has one best pair
    return DualQP(K, g, np.minimum(0, C * y), np.maximum(0, C * y))


def one_class(n=40, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return DualQP(RBF(1.0)(X), np.zeros(n), np.zeros(n), np.ones(n), totals=0.3 * n)


def svr(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y, zero, one = np.sin(X[:, 0]), np.zeros(n), np.ones(n)
    box = np.concatenate([zero, -one]), np.concatenate([one, zero])
    return DualQP(RBF(1.0)(X), np.concatenate([y - 0.1, y + 0.1]), *box, rows=np.tile(np.arange(n), 2))


PROBLEMS = [
    *(svc(seed=seed, C=C) for seed in range(3) for C in (0.1, 1.0, 100.0)),
    svc(kernel=Linear()),
    *(make(seed=seed) for make in (one_class, svr) for seed in range(3)),
]
every = pytest.mark.parametrize("problem", PROBLEMS, ids=range(len(PROBLEMS)))


@every
def test_it_finds_the_minimum(problem):
    solution, pairs = textbook_smo(problem, tol=1e-8)
    assert solution.converged
    assert len(pairs) == solution.iterations
    assert_allclose(solution.objective, interior_point(problem).objective, rtol=1e-9)


@every
@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
def test_the_fast_one_has_the_same_objective_and_meets_the_same_conditions(problem, tol):
    plain, fast = textbook_smo(problem, tol)[0], smo(problem, tol=tol)
    assert max(plain.violation, fast.violation) <= tol
    exact = interior_point(problem).objective
    for solution in plain, fast:
        above = solution.objective - exact
        assert -1e-12 * abs(exact) <= above <= solution.gap + 1e-12 * abs(exact)
        assert solution.gap <= tol * (problem.upper - problem.lower).sum()
    if tol == 1e-6:
        assert_allclose(fast.objective, plain.objective, rtol=1e-5)


def candidates(problem, beta):
    """The pairs that the rule may choose: more than one where gradients or gains agree to 8 digits."""
    G, up, low = problem.gradient(beta), beta < problem.upper, beta > problem.lower
    found = []
    for i in np.flatnonzero(up & (G <= G[up].min() + 1e-8)):
        violation = np.where(low, np.maximum(G - G[i], 0), 0)
        gain = violation**2 / np.maximum(2 - 2 * problem.K.whole()[i], 1e-12)
        found += [{i, j} for j in np.flatnonzero(gain >= gain.max() * (1 - 1e-8))]
    return found


@pytest.mark.filterwarnings("ignore:the dual problem is not solved")
def test_the_fast_one_moves_the_same_pairs_as_long_as_the_best_is_unique(monkeypatch):
    monkeypatch.setattr(descent, "PAIR_STEPS_PER_VARIABLE", 10**6)  # no Newton's steps, and nothing is shrunk
    monkeypatch.setattr(descent.loops, "active_variables", lambda beta, *_: np.arange(len(beta)))
    compared = 0
    for seed, C in [(seed, C) for seed in range(5) for C in (0.1, 1.0, 100.0)]:
        problem = svc(seed=seed, C=C)
        _, pairs = textbook_smo(problem, tol=1e-6)
        before = np.zeros(len(problem.g))
        for steps, pair in enumerate(pairs[:100], 1):
            after = smo(problem, tol=1e-6, max_iter=steps).beta
            moved, allowed = set(np.flatnonzero(after != before)), candidates(problem, before)
            assert any(moved <= one for one in allowed)
            if len(allowed) > 1:
                break
            assert moved <= set(pair) == allowed[0]
            before, compared = after, compared + 1
    assert compared > 100


@pytest.mark.parametrize("total", [0, 40])
def test_a_point_where_no_variable_may_grow_or_none_fall_is_the_minimum(total):
    problem = DualQP(RBF(1.0)(np.eye(40)), np.zeros(40), np.zeros(40), np.ones(40), totals=total)
    solution, pairs = textbook_smo(problem)
    assert (solution.beta == total / 40).all()
    assert solution.converged
    assert pairs.shape == (0, 2)


def test_a_matrix_that_is_given_by_its_rows_is_made_whole():
    problem = svc()
    expected, pairs = textbook_smo(problem)
    K = problem.K.whole()
    rows = Rows(lambda rows, columns: K[rows][:, rows if columns is None else columns], len(K), K.diagonal, 1000.0)
    solution, same = textbook_smo(DualQP(rows, problem.g, problem.lower, problem.upper))
    assert (solution.beta == expected.beta).all()
    assert (same == pairs).all()


def test_several_groups_are_refused():
    problem = DualQP(np.eye(2), np.zeros(2), np.zeros(2), np.ones(2), [1.0, 1.0], [0, 1])
    with pytest.raises(ValueError, match="problem must have one group of variables, got 2"):
        textbook_smo(problem)


def test_step_limit_warns():
    with pytest.warns(ConvergenceWarning, match="after 3 iterations"):
        solution, pairs = textbook_smo(svc(), max_iter=3)
    assert len(pairs) == solution.iterations == 3

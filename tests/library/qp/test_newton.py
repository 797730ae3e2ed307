"""Newton's method for the free variables: an example by hand, what it promises, and what it leaves to pairs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelbook import RBF, Linear
from kernelbook.qp import DualQP, newton
from kernelbook.qp.newton import minimise_over_free


def by_hand(K):
    """Three variables in [0, 1] with sum 1.5, and their middles."""
    return DualQP(K, [3.0, 0.2, 0.0], np.zeros(3), np.ones(3), totals=1.5), np.full(3, 0.5)


def moved(problem, start):
    """What comes of `start`, after a look at what has to hold for any matrix."""
    given = start.copy(), problem.gradient(start)
    beta, gradient = minimise_over_free(problem, *given)
    assert (given[0] == start).all()
    assert (given[1] == problem.gradient(start)).all()
    fixed = (start == problem.lower) | (start == problem.upper)
    assert (beta[fixed] == start[fixed]).all()
    assert ((problem.lower <= beta) & (beta <= problem.upper)).all()
    for bound in (problem.lower, problem.upper):  # reached exactly, or not at all
        assert ((beta == bound) | (np.abs(beta - bound) > 1e-12)).all()
    assert_allclose(np.bincount(problem.groups, beta), problem.totals, atol=1e-13)
    assert_allclose(gradient, problem.gradient(beta), atol=1e-12)
    assert problem.objective(beta, gradient) <= problem.objective(*given)
    return beta, gradient


def random_problem(kernel, seed):
    """Sixteen variables in two groups on twenty rows, four of them on a bound."""
    rng = np.random.default_rng(seed)
    groups, rows = rng.permutation(np.arange(16) % 2), rng.permutation(20)[:16]
    lower, upper = -rng.uniform(0.5, 1, size=16), rng.uniform(0.5, 1, size=16)
    start = rng.uniform(-0.5, 0.5, size=16)
    start[:2], start[2:4] = lower[:2], upper[2:4]
    K, g = kernel(rng.normal(size=(20, 2))), rng.normal(size=16)
    return DualQP(K, g, lower, upper, np.bincount(groups, start), groups, rows), start


def test_by_hand():
    """The gradient −2.5, 0.3, 0.5 takes the first to its bound; then the others meet where β₂ − 0.2 = β₃."""
    beta, gradient = moved(*by_hand(np.eye(3)))
    assert_allclose(beta, [1, 0.35, 0.15], rtol=1e-10)
    assert_allclose(gradient, [-2, 0.15, 0.15], rtol=1e-10)


def test_free_variables_of_a_group_end_with_one_gradient():
    reached = 0
    for seed in range(30):
        problem, start = random_problem(RBF(1.0), seed)
        beta, gradient = moved(problem, start)
        free = (beta > problem.lower) & (beta < problem.upper)
        reached += 12 - free.sum()
        if free.sum() > 2:
            for group in (free & (problem.groups == 0), free & (problem.groups == 1)):
                assert_allclose(gradient[group], gradient[group].mean() if group.any() else 0, atol=1e-9)
    assert reached > 60


def test_singular_matrix_keeps_box_and_sums():
    changed = 0
    for seed in range(30):
        problem, start = random_problem(Linear(), seed)
        changed += (moved(problem, start)[0] != start).any()
    assert changed > 25


def test_a_minimum_stays_where_it_is():
    beta = np.array([0.75, 0.5, 0.25])
    problem = DualQP(np.eye(3), beta - 2, np.zeros(3), np.ones(3), totals=1.5)
    assert (moved(problem, beta)[0] == beta).all()


def test_the_only_free_variable_of_a_group_stays_and_stops_no_other():
    K = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.7], [0.1, 0.7, 3.0]])
    problem = DualQP(K, [1.0, 0.0, 0.0], np.zeros(3), np.ones(3), [1.0, 0.3], [0, 0, 1])
    beta, gradient = moved(problem, np.array([0.5, 0.5, 0.3]))
    assert beta[2] == 0.3
    assert_allclose(gradient[0], gradient[1], rtol=1e-10)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "curvatures", [[-1, -1, -1], [0, 0, 0], [1, 1, -3], [-1, 0, 2]], ids=["down", "flat", "saddle", "every way"]
)
def test_a_matrix_that_does_not_bend_up_is_left_to_pairs(curvatures):
    problem, start = by_hand(np.diag(curvatures))
    assert (moved(problem, start)[0] == start).all()


def test_too_many_free_variables_are_left_to_pairs(monkeypatch):
    problem, start = by_hand(np.eye(3))
    monkeypatch.setattr(newton, "MAX_FREE", 2)
    assert (moved(problem, start)[0] == start).all()

"""The KKT conditions of a dual problem, and the Solution that they describe."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kernelbook.qp import DualQP, Solution, kkt


@pytest.fixture
def two():
    """Gradient (−1, 1) at 0."""
    return DualQP(np.eye(2), [1.0, -1.0], [-1.0, -1.0], [1.0, 1.0])


def test_kkt_bounds_look_at_what_may_move():
    """Two groups out of order."""
    lower, upper = [0.0, -1.0, 0.0, -2.0, 0.0, -0.5], [1.0, 0.0, 3.0, 0.0, 0.5, 0.5]
    problem = DualQP(np.eye(6), np.zeros(6), lower, upper, [2.0, -1.5], [0, 1, 0, 1, 0, 1])
    beta = np.array([1.0, 0.0, 0.0, -1.0, 0.5, -0.5])
    gradient = np.array([7.0, 1.0, 2.0, 3.0, -9.0, 4.0])
    b_up, b_low = kkt.bounds(problem, beta, gradient)  # I_up: 2 | 3, 5; I_low: 0, 4 | 1, 3
    assert b_up.tolist() == [2.0, 3.0]
    assert b_low.tolist() == [7.0, 3.0]


def test_kkt_bounds_are_infinite_where_nothing_may_move():
    problem = DualQP(np.eye(2), [1.0, 1.0], [0.0, 0.0], [0.0, 1.0], totals=[1.0])
    b_up, b_low = kkt.bounds(problem, np.array([0.0, 1.0]), np.array([1.0, 2.0]))
    assert (b_up[0], b_low[0]) == (np.inf, 2.0)


def test_solution_at_a_minimum_is_converged(two):
    beta = np.array([1.0, -1.0])
    solution = Solution.at(two, beta, two.gradient(beta), 7, 1e-3)
    assert (solution.converged, solution.violation, solution.iterations, solution.objective) == (True, 0.0, 7, -1.0)


def test_solution_reports_the_violation(two):
    with pytest.warns(ConvergenceWarning, match=r"after 7 iterations .* violated by 2, more than tol = 0.001"):
        solution = Solution.at(two, np.zeros(2), two.gradient(np.zeros(2)), 7, 1e-3)
    assert (solution.converged, solution.violation) == (False, 2.0)


@pytest.mark.parametrize(
    ("beta", "rho"),
    [
        ([0.5, 0.5, 1.0, -1.0], 3.0),  # the mean of those that are free: 2 and 4
        ([1.0, 1.0, -1.0, -1.0], 5.5),  # I_up holds the last two, I_low the first two: between 4 and 7
        ([1.0, 1.0, 1.0, 1.0], 9.0),  # none may grow: at least 9
        ([-1.0, -1.0, -1.0, -1.0], 2.0),
    ],
)
def test_rho_is_the_mean_of_the_free_or_the_middle_of_what_is_allowed(beta, rho):
    beta = np.array(beta)
    problem = DualQP(np.eye(4), np.zeros(4), -np.ones(4), np.ones(4), totals=beta.sum())
    gradient = np.array([2.0, 4.0, 7.0, 9.0])
    assert Solution.at(problem, beta, gradient, 0, 10.0).rho == [rho]


def test_violation_is_the_worst_of_all_groups():
    problem = DualQP(np.eye(4), [1.0, 0.0, 0.0, 3.0], [-1.0] * 4, [1.0] * 4, [0.0, 0.0], [0, 0, 1, 1])
    assert Solution.at(problem, np.zeros(4), problem.gradient(np.zeros(4)), 0, 5.0).violation == 3.0


def test_violation_within_rounding_counts_as_solved():
    big = DualQP(1e6 * np.eye(2), [0.0, 1e-9], [0.0, 0.0], [2.0, 2.0], totals=[2.0])
    beta = np.ones(2)
    assert Solution.at(big, beta, big.gradient(beta), 0, 1e-12).converged
    with pytest.warns(ConvergenceWarning, match="not solved"):
        Solution.at(big, beta, big.gradient(beta) + np.array([1e-5, -1e-5]), 0, 1e-12)


@pytest.mark.parametrize(("distance", "K_ii", "moved"), [(1e-14, 1.0, True), (3e-14, 1.0, False), (1e-16, 1e20, False)])
def test_the_only_free_variable_has_what_rounding_left_of_the_sum(distance, K_ii, moved):
    """Here rounding is 1.8e-15 of G_i. A far object, with K_ii = 1e20, needs its 1e-16."""
    problem = DualQP(np.diag([K_ii] + [1.0] * 19), np.zeros(20), -np.ones(20), np.zeros(20), totals=-19.0)
    beta = np.r_[-distance, -np.ones(19)]
    assert kkt.snap_to_bounds(problem, beta, np.full(20, 2.0**-49))[0] == (0 if moved else beta[0])
    one_is_free = np.r_[beta[:19], -0.5]
    assert kkt.snap_to_bounds(problem, one_is_free, np.full(20, 2.0**-49))[0] == beta[0]
    problem.totals -= 1e-9  # the variable stays where its group needs it
    assert kkt.snap_to_bounds(problem, beta, np.full(20, 2.0**-49))[0] == beta[0]


def test_conditions_hold_to_rounding_where_both_gradients_together_bridge_the_gap(two):
    gradient = np.array([0.0, 1.0])  # both may move: b_up = 0, b_low = 1
    for size, holds in (0.6, True), (0.4, False):
        assert kkt.hold_to_rounding(two, np.zeros(2), gradient, np.full(2, size)) is holds


def test_what_rounding_hides_counts_as_solved_only_with_a_small_gap():
    beta, gradient, rounding = np.full(2, 0.5), np.array([0.0, 1.0]), np.full(2, 0.6)  # the gap is 1/2
    for g, solved in (-2.0, False), (-1e4, True):  # beside objectives of 1.25, and of 5000
        problem = DualQP(np.eye(2), [g, g], [0.0, 0.0], [1.0, 1.0], totals=1.0)
        assert bool(kkt.solved_to_rounding(problem, beta, gradient, rounding)) is solved


def test_only_a_lone_free_variable_may_go_further_to_its_bound():
    rounding, near = np.full(3, 1e-12), 5e-12  # from the bound: five times as far as rounding allows
    for beta, snapped in ([near, 1.0, 0.0], 0.0), ([near, 1 - near, 0.0], near):
        problem = DualQP(np.eye(3), np.zeros(3), np.zeros(3), np.ones(3), totals=1.0)
        assert kkt.snap_to_bounds(problem, np.array(beta), rounding)[0] == snapped

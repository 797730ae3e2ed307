"""The parts of SMO: which variables are active, runs of rows, and the loop that finds a pair."""

import os
import subprocess
import sys

import numpy as np
import pytest

from kernelbook import RBF
from kernelbook.qp import DualQP, kkt, loops, smo
from kernelbook.qp.loops import MIN_CURVATURE


def active(problem, beta, G):
    box = problem.lower, problem.upper
    return loops.active_variables(beta, G, *box, problem.groups, *kkt.bounds(problem, beta, G)).tolist()


def test_active_are_the_free_and_the_violating_by_group():
    problem = DualQP(np.eye(8), np.zeros(8), -np.ones(8), np.ones(8), [0.0, 0.0], [1, 0] * 4)
    beta, G = np.array([0, 1, 1, 1, -1, -1, -1, 0.0]), np.array([0, -4, 5, 1, 0, 1, 3, 2.0])
    # group 0, variables 1, 3, 5, 7: G from 1 (5 may grow) to 2 (7 may fall); group 1: from 0 to 5
    assert active(problem, beta, G) == [5, 7, 0, 2, 4, 6]


def test_a_free_variable_is_active_though_its_group_is_at_rest():
    problem = DualQP(np.eye(3), np.zeros(3), -np.ones(3), np.ones(3), [0.0, 0.0], [0, 0, 1])
    beta, G = np.zeros(3), np.array([0.0, 1.0, 5.0])
    assert active(problem, beta, G) == [0, 1, 2]


def test_runs_follow_the_rows_of_a_group():
    rows, groups = np.array([4, 5, 6, 0, 1, 9, 10]), np.array([1, 1, 0, 0, 0, 0, 1])
    runs, starts = loops.runs_of_rows(rows, groups, 3)
    assert runs.tolist() == [[2, 3, 6], [3, 5, 0], [5, 6, 9], [0, 2, 4], [6, 7, 10]]
    assert starts.tolist() == [0, 3, 5, 5]


SCORES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "every size": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, size=n),
    "negative": lambda rng, n: -(10.0 ** rng.uniform(-300, 300, size=n)),
    "tiny": lambda rng, n: 5e-324 * 2.0**20 * rng.integers(-3, 4, size=n),
    "barred": lambda rng, n: np.where(rng.random(n) < 0.7, loops.BARRED, rng.normal(size=n)),
}


def place_of_largest(score):
    """As the loop that follows a move finds it: both ways, with grow or fall in the place of the score."""
    zero = np.zeros(len(score))
    up, _ = loops._follow(zero.copy(), zero, zero, 1.0, score, zero)
    _, down = loops._follow(zero.copy(), zero, zero, 1.0, zero, score)
    assert up == down
    return up


@pytest.mark.parametrize("draw", SCORES.values(), ids=SCORES)
def test_the_largest_score_is_found(draw):
    rng = np.random.default_rng(0)
    for n in range(1, 301):
        score = draw(rng, n)
        assert score[place_of_largest(score)] >= score.max() - 1e-9 * abs(score.max())


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 31, 32, 33, 300])
def test_every_place_is_found_and_ties_are_settled(n):
    for place in range(n):
        assert place_of_largest(np.where(np.arange(n) == place, -1.0, -1.0 - 1e-8)) == place
    for same in (0.0, -1.0, 3.0, loops.BARRED):
        assert 0 <= place_of_largest(np.full(n, same)) < n


def test_the_partner_is_the_one_that_gains_most():
    rng = np.random.default_rng(0)
    for n in range(1, 301):
        K, G = RBF(1.0)(rng.normal(size=(n, 2))), rng.normal(size=n)
        fall, i = np.where(rng.random(n) < 0.3, loops.BARRED, 0.0), int(rng.integers(n))
        gain = np.maximum(G + fall - G[i], 0) ** 2 / np.maximum(2 - 2 * K[i], 2 * MIN_CURVATURE)
        j = loops._partner(G, fall, np.ones(n), K[i], G[i], 1.0)
        assert gain[j] >= gain.max() * (1 - 1e-9)


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_only_what_rounding_hides_is_put_on_a_bound(unit):
    """Distances from the bounds 0 and 1, in units of the box, beside a rounding of 1e-12 and a flat direction."""
    distance = np.array([0.9e-12, 1.1e-12, 0.9e-12, 1.1e-12, 0.9e-9, 1.1e-9])
    beta = unit * np.where([0, 0, 1, 1, 0, 1], 1 - distance, distance)
    curvature, rounding = np.array([1.0] * 4 + [0.0] * 2), np.full(6, 1e-12 * unit)
    moved = loops.snap_to_bounds(beta, np.zeros(6), np.full(6, unit), curvature, rounding)
    assert (moved == np.array([0, beta[1], unit, beta[3], 0, beta[5]])).all()


def test_rounding_is_some_eps_of_the_terms():
    problem = DualQP([[4.0, -1.0], [-1.0, 2.0]], [5.0, 0.0], [-9.0, -9.0], [9.0, 9.0])
    assert problem.rounding(np.array([-2.0, 3.0])).tolist() == [8 * 2.0**-52 * 16, 8 * 2.0**-52 * 8]


def test_loop_gives_the_same_uncompiled():
    code = """
import sys, numpy as np
from kernelbook.qp import DualQP, smo
K = np.array([[4.0, 1, 0, 2, 1], [1, 3, 1, 0, 1], [0, 1, 5, 1, 0], [2, 0, 1, 6, 2], [1, 1, 0, 2, 3]])
problems = [
    DualQP(K, [1, -1, 1, -1, 1], [0, -1, 0, -1, 0], [1, 0, 0.2, 0, 1]),
    DualQP(K, np.zeros(5), np.zeros(5), np.ones(5), [1.5, 0.5], [0, 1, 0, 1, 0]),
]
for problem in problems:
    print(*smo(problem, tol=1e-9).beta.round(9) + 0.0)
"""
    outputs = []
    for disable in "01":
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disable}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == 2


def test_a_pair_of_near_neighbours_is_solved_in_one_step():
    """Its curvature, 2e-9, is small and no rounding of K_ii + K_jj."""
    problem = DualQP(np.array([[1.0, 1 - 1e-9], [1 - 1e-9, 1.0]]), [1.0, -1.0], [0.0, -1e12], [1e12, 0.0])
    solution = smo(problem)
    assert solution.iterations == 1
    np.testing.assert_allclose(solution.beta, [1e9, -1e9], rtol=1e-6)

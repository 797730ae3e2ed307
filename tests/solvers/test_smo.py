"""SMO: reference numbers, brute force, KKT conditions, working sets, warm starts, and the parts of its loop."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from kernelbook import RBF, Linear, Polynomial
from kernelbook.solvers import DualQP, smo

module = import_module("kernelbook.solvers.smo")  # its name in the package is that of the function
KINDS = ["svc", "nu", "one", "svr"]


def make(kind, n=60, seed=0, kernel=None, C=1.0, K=None, weight=None):
    """The dual problem of a machine, on points in the plane."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1, -1
    K = (kernel or RBF(1.0))(X) if K is None else K
    w, zero = np.ones(n) if weight is None else weight, np.zeros(n)
    lower, upper = np.minimum(0, w * y), np.maximum(0, w * y)
    if kind == "svc":
        return DualQP(K, y, C * lower, C * upper)
    if kind == "one":
        return DualQP(K, zero, zero, w, totals=0.3 * w.sum())
    if kind == "nu":
        total = 0.6 * min(upper.sum(), -lower.sum())
        return DualQP(K, zero, lower, upper, [-total, total], (y > 0).astype(int))
    t = np.sin(2 * X[:, 0])
    bounds = np.concatenate([zero, -C * w]), np.concatenate([C * w, zero])
    return DualQP(K, np.concatenate([t - 0.1, t + 0.1]), *bounds, rows=np.tile(np.arange(n), 2))


def assert_solved(problem, beta, tol):
    """The conditions of a minimum, written out: box, sums, and no pair that would gain."""
    rows = np.arange(len(beta)) if problem.rows is None else problem.rows
    G = problem.K[np.ix_(rows, rows)] @ beta - problem.g
    assert ((problem.lower <= beta) & (beta <= problem.upper)).all()
    for bound in (problem.lower, problem.upper):  # reached exactly, or not at all
        assert ((beta == bound) | (np.abs(beta - bound) > 1e-14 * np.abs(bound))).all()
    scale = np.abs([problem.lower, problem.upper]).max()
    for s, total in enumerate(problem.totals):
        group = problem.groups == s
        assert_allclose(beta[group].sum(), total, atol=1e-12 * scale * len(beta))
        falls, grows = G[group & (beta > problem.lower)], G[group & (beta < problem.upper)]
        if len(falls) and len(grows):
            assert falls.max() - grows.min() <= tol


def by_brute_force(problem):
    """The least objective over all ways to put variables on bounds, the others solving their linear system."""
    m, S = len(problem.g), len(problem.totals)
    sums = (problem.groups == np.arange(S)[:, None]).astype(float)
    best = np.inf
    for where in product((0, 1, 2), repeat=m):
        where = np.array(where)
        beta, free = np.choose(where, [problem.lower, problem.upper, np.zeros(m)]), where == 2
        system = np.block([[problem.K[np.ix_(free, free)], sums[:, free].T], [sums[:, free], np.zeros((S, S))]])
        right = np.concatenate([(problem.g - problem.K @ beta)[free], problem.totals - sums @ beta])
        beta[free] = np.linalg.lstsq(system, right, rcond=1e-12)[0][: free.sum()]
        inside = (beta >= problem.lower - 1e-9).all() and (beta <= problem.upper + 1e-9).all()
        if inside and np.allclose(sums @ beta, problem.totals, atol=1e-9):
            best = min(best, 0.5 * beta @ problem.K @ beta - problem.g @ beta)
    return best


@pytest.fixture(scope="module")
def reference():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((200, 5))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.standard_normal(200) > 0, 1.0, -1.0)
    t = np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.standard_normal(200)
    return RBF(0.2)(X), y, t


@pytest.mark.parametrize("C", [1, 10])
def test_reference_numbers_of_regression(reference, C):
    K, _, t = reference
    zero, all_C = np.zeros(200), np.full(200, float(C))
    problem = DualQP(
        K,
        np.concatenate([t - 0.1, t + 0.1]),
        np.concatenate([zero, -all_C]),
        np.concatenate([all_C, zero]),
        rows=np.tile(np.arange(200), 2),
    )
    solution = smo(problem, tol=1e-9)
    free = (solution.beta > problem.lower) & (solution.beta < problem.upper)
    assert_allclose(solution.objective, {1: -51.286398966, 10: -97.175804699}[C], rtol=1e-10)
    assert_allclose(-solution.gradient[free].mean(), {1: 1.4476819, 10: 2.2083446}[C], rtol=1e-6)  # LIBSVM's digits
    assert not (solution.beta[:200] * solution.beta[200:]).any()


@pytest.mark.parametrize(("nu", "value", "C"), [(0.2, 0.746199486, 17.8741637), (0.5, 16.902809838, 1.6720292)])
def test_reference_numbers_of_nu_classification(reference, nu, value, C):
    K, y, _ = reference
    totals = [-nu * 100, nu * 100]
    problem = DualQP(K, np.zeros(200), np.minimum(0, y), np.maximum(0, y), totals, (y > 0).astype(int))
    solution = smo(problem, tol=1e-10)
    free = (solution.beta > problem.lower) & (solution.beta < problem.upper)
    above, below = (solution.gradient[free & (y == sign)].mean() for sign in (1, -1))
    assert_allclose(solution.objective, value, rtol=1e-8)
    assert_allclose(2 / (above - below), C, rtol=1e-6)  # LIBSVM's digits


@pytest.mark.parametrize(("nu", "value"), [(0.1, 16.598650939), (0.5, 653.863612739)])
def test_reference_numbers_of_one_class(reference, nu, value):
    K = reference[0]
    solution = smo(DualQP(K, np.zeros(200), np.zeros(200), np.ones(200), nu * 200), tol=1e-10)
    assert_allclose(solution.objective, value, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS[:3])
@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("kernel", [RBF(1.0), Linear(), Polynomial(2)], ids=repr)
def test_brute_force(kind, n, kernel):
    for seed in range(8):
        problem = make(kind, n, seed, kernel, C=10.0 ** (seed - 4))
        solution = smo(problem, tol=1e-11)
        assert_allclose(solution.objective, by_brute_force(problem), rtol=1e-8, atol=1e-11)
        assert_solved(problem, solution.beta, 1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kernel", [RBF(1.0), Linear()], ids=repr)
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e2, 1e4])
def test_conditions_of_a_minimum(kind, kernel, C):
    weight = np.random.default_rng(1).uniform(0, 2, size=60) * (np.arange(60) % 4 != 3)
    problem = make(kind, kernel=kernel, C=C, weight=weight)
    solution = smo(problem, tol=1e-5)
    assert solution.converged
    assert_solved(problem, solution.beta, 1.001e-5)
    assert_allclose(solution.gradient, problem.gradient(solution.beta), rtol=1e-9, atol=1e-9)


def test_many_free_variables_on_a_singular_matrix_keep_their_sums():
    for seed in range(6):
        problem = make("nu", 100, seed, Linear())
        assert_solved(problem, smo(problem, tol=1e-9).beta, 2e-9)
        problem = make("svc", 15, seed, Linear(), C=1e3)
        assert_solved(problem, smo(problem, tol=1e-9).beta, 1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_working_sets_give_the_same(kind, monkeypatch):
    problem = make(kind, 150)
    whole = smo(problem, tol=1e-10)
    monkeypatch.setattr(module, "WHOLE", 50)
    monkeypatch.setattr(module, "WORKING_SET", 16)
    parts = smo(problem, tol=1e-10)
    assert parts.converged
    assert_solved(problem, parts.beta, 1.1e-10)
    assert_allclose(parts.beta, whole.beta, atol=1e-6)
    assert_allclose(parts.objective, whole.objective, rtol=1e-10)
    assert_allclose(parts.gradient, problem.gradient(parts.beta), atol=1e-10)


def test_a_working_set_holds_the_worst_and_keeps_the_free(monkeypatch):
    monkeypatch.setattr(module, "WORKING_SET", 4)
    problem = DualQP(np.eye(8), np.zeros(8), -np.ones(8), np.ones(8), [0.0, 0.0], [1, 0] * 4)
    beta, G = np.array([0, 0, 1, 1, 0, 0, -1, 0.0]), np.array([0, -4, 5, 1, 0, 1, -4, 2.0])
    extremes = problem.extremes(beta, G)
    alone = module._working_set(problem, beta, G, *extremes, np.empty(0, int))
    assert alone.tolist() == [1, 7, 2, 6]  # group 0 first; of the growing 6 and 1, of the falling 2 and 7
    monkeypatch.setattr(module, "WORKING_SET", 6)
    later = module._working_set(problem, beta, G, *extremes, np.array([3, 1, 5, 0, 7]))
    assert sorted(later) == [0, 1, 2, 5, 6, 7]  # 3 lies on a bound
    assert (np.diff(problem.groups[later]) >= 0).all()


def test_more_variables_than_are_solved_at_once():
    problem = make("svc", module.WHOLE + 60, C=0.1)
    solution = smo(problem, tol=1e-4)
    assert solution.converged
    assert_solved(problem, solution.beta, 1.001e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_warm_start_saves_steps(kind):
    problem, before = make(kind, C=11.0), smo(make(kind, C=10.0))
    cold, warm = smo(problem), smo(problem, start=before.beta)
    assert warm.iterations < cold.iterations
    assert_allclose(warm.objective, cold.objective, rtol=1e-4)
    assert smo(problem, start=cold.beta).iterations == 0


@pytest.mark.parametrize("kind", KINDS)
def test_infeasible_starts_lead_to_the_same_minimum(kind):
    problem = make(kind)
    start = 1e3 * np.random.default_rng(0).normal(size=len(problem.g))
    kept = start.copy()
    assert_allclose(smo(problem, start=start, tol=1e-8).beta, smo(problem, tol=1e-8).beta, atol=1e-6)
    assert (start == kept).all()


@pytest.mark.parametrize("steps", [1, 7])
def test_step_limit_warns_with_the_violation(steps):
    problem = make("svc")
    with pytest.warns(ConvergenceWarning, match=rf"after {steps} iterations .* violated by \d.*tol = 0.001"):
        solution = smo(problem, max_iter=steps)
    assert (solution.iterations, solution.converged) == (steps, False)
    assert solution.violation > 1e-3
    with pytest.raises(AssertionError):
        assert_solved(problem, solution.beta, 1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [12, 80])
def test_indefinite_matrix_ends_at_a_point_that_no_pair_improves(kind, n):
    A = np.random.default_rng(3).normal(size=(n, n))
    problem = make(kind, n, K=A + A.T)
    assert_solved(problem, smo(problem, tol=1e-6).beta, 1.1e-6)


@pytest.mark.parametrize("value", [0.0, 7.0])
@pytest.mark.parametrize("kind", KINDS)
def test_constant_matrix(kind, value):
    problem = make(kind, 20, K=np.full((20, 20), value))
    assert_solved(problem, smo(problem, tol=1e-9).beta, 1e-9)


@pytest.mark.parametrize("form", ["Fortran", "strided", "read-only", "float32", "integers"])
def test_any_form_of_array(form):
    K = np.array([[4.0, 1, 0, 2], [1, 3, 1, 0], [0, 1, 5, 1], [2, 0, 1, 6]])
    given = {
        "Fortran": np.asfortranarray(K),
        "strided": np.repeat(np.repeat(K, 2, 0), 3, 1)[::2, ::3],
        "read-only": K.copy(),
        "float32": K.astype(np.float32),
        "integers": K.astype(int),
    }[form]
    if form == "read-only":
        given.setflags(write=False)
    box = [1, -1, 1, -1], [0, -1, 0, -1], [1, 0, 1, 0]
    expected = smo(DualQP(K, *box), tol=1e-10).beta
    assert_allclose(smo(DualQP(given, *box), tol=1e-10).beta, expected, atol=1e-12)


def test_two_threads_at_once():
    problems = [make(kind, 200, seed) for kind in KINDS for seed in (0, 1)]
    expected = [smo(problem).beta for problem in problems]
    with ThreadPoolExecutor(2) as pool:
        for beta, solution in zip(expected, pool.map(smo, problems), strict=True):
            assert (solution.beta == beta).all()


SCORES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "every size": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, size=n),
    "negative": lambda rng, n: -(10.0 ** rng.uniform(-300, 300, size=n)),
    "tiny": lambda rng, n: 5e-324 * 2.0**20 * rng.integers(-3, 4, size=n),
    "barred": lambda rng, n: np.where(rng.random(n) < 0.7, module.NEVER, rng.normal(size=n)),
}


def place_of_largest(score):
    """As the loop that follows a move finds it: both ways, with grow or fall in the place of the score."""
    zero = np.zeros(len(score))
    up, _ = module._follow(zero.copy(), zero, zero, 1.0, score, zero)
    _, down = module._follow(zero.copy(), zero, zero, 1.0, zero, score)
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
    for same in (0.0, -1.0, 3.0, module.NEVER):
        assert 0 <= place_of_largest(np.full(n, same)) < n


def test_the_partner_is_the_one_that_gains_most():
    rng = np.random.default_rng(0)
    for n in range(1, 301):
        K, G = RBF(1.0)(rng.normal(size=(n, 2))), rng.normal(size=n)
        fall, i = np.where(rng.random(n) < 0.3, module.NEVER, 0.0), int(rng.integers(n))
        gain = np.maximum(G + fall - G[i], 0) ** 2 / np.maximum(2 - 2 * K[i], module.CURVATURE)
        j = module._partner(G, fall, np.ones(n), K[i], G[i], 1.0)
        assert gain[j] >= gain.max() * (1 - 1e-9)


def test_loop_gives_the_same_uncompiled():
    code = """
import sys, numpy as np
from kernelbook.solvers import DualQP, smo
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

"""SMO: reference numbers, brute force, KKT conditions, what is solved alone, warm starts."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from kernelbook import RBF, Linear, Polynomial
from kernelbook.qp import DualQP, descent, smo
from kernelbook.runtime.available import numba
from tests.library.samples import reference_sample

pytestmark = pytest.mark.usefixtures("as_compiled")
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
    G = problem.K.whole()[np.ix_(rows, rows)] @ beta - problem.g
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
    m, S, K = len(problem.g), len(problem.totals), problem.K.whole()
    sums = (problem.groups == np.arange(S)[:, None]).astype(float)
    best = np.inf
    for where in product((0, 1, 2), repeat=m):
        where = np.array(where)
        beta, free = np.choose(where, [problem.lower, problem.upper, np.zeros(m)]), where == 2
        system = np.block([[K[np.ix_(free, free)], sums[:, free].T], [sums[:, free], np.zeros((S, S))]])
        right = np.concatenate([(problem.g - K @ beta)[free], problem.totals - sums @ beta])
        beta[free] = np.linalg.lstsq(system, right, rcond=1e-12)[0][: free.sum()]
        inside = (beta >= problem.lower - 1e-9).all() and (beta <= problem.upper + 1e-9).all()
        if inside and np.allclose(sums @ beta, problem.totals, atol=1e-9):
            best = min(best, 0.5 * beta @ K @ beta - problem.g @ beta)
    return best


@pytest.fixture(scope="module")
def reference():
    X, y, t = reference_sample()
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


@pytest.mark.parametrize(("kind", "gamma"), [("svc", 1), ("nu", 0.5), ("one", 1), ("svr", 1)])
def test_variables_that_still_move_are_solved_alone(kind, gamma, monkeypatch):
    problem = make(kind, 150, kernel=RBF(gamma))
    together = smo(problem, tol=1e-10)
    alone, sizes = descent._solve_alone, []

    def recorded(problem, rows, active, *rest):
        sizes.append(len(active))
        return alone(problem, rows, active, *rest)

    monkeypatch.setattr(descent, "_solve_alone", recorded)
    monkeypatch.setattr(descent, "VIOLATION_REDUCTION", 3)
    monkeypatch.setattr(descent, "MIN_STEPS", 1)
    parts = smo(problem, tol=1e-10)
    assert sizes
    assert max(sizes) <= 75
    assert parts.converged
    assert_solved(problem, parts.beta, 1.1e-10)
    assert_allclose(parts.beta, together.beta, atol=1e-6)
    assert_allclose(parts.objective, together.objective, rtol=1e-10)
    assert_allclose(parts.gradient, problem.gradient(parts.beta), atol=1e-10)


@pytest.mark.parametrize(("n", "kernel"), [(150, RBF(1.0)), (60, Linear())], ids=repr)
def test_after_ten_steps_a_variable_the_free_move_together(n, kernel, monkeypatch):
    problem, together, exact = make("svc", n, kernel=kernel, C=100.0), descent.minimise_over_free, []

    def recorded(problem, beta, gradient):
        exact.append((gradient == problem.gradient(beta)).all())
        return together(problem, beta, gradient)

    monkeypatch.setattr(descent, "minimise_over_free", recorded)
    steps = smo(problem, tol=1e-8).iterations
    assert len(exact) == steps // (10 * n) > 0
    assert all(exact)


@pytest.mark.parametrize("kind", ["svc", "svr"])
def test_the_gradient_of_a_solution_is_computed_afresh(kind, monkeypatch):
    problem, gradient, computed = make(kind), DualQP.gradient, []

    def recorded(self, beta):
        computed.append(gradient(self, beta))
        return computed[-1]

    monkeypatch.setattr(DualQP, "gradient", recorded)
    assert (smo(problem).gradient == computed[-1]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_variables_and_rows_plays_no_part(kind):
    problem, rng = make(kind, 60), np.random.default_rng(0)
    m, n = len(problem.g), len(problem.K)
    order, places = rng.permutation(m), rng.permutation(n)
    rows = np.arange(n) if problem.rows is None else problem.rows
    shuffled = DualQP(
        problem.K.block(places),
        *(values[order] for values in (problem.g, problem.lower, problem.upper)),
        problem.totals,
        problem.groups[order],
        np.argsort(places)[rows[order]],
    )
    expected, found = smo(problem, tol=1e-10), smo(shuffled, tol=1e-10)
    assert_solved(shuffled, found.beta, 1.1e-10)
    assert_allclose(found.beta, expected.beta[order], atol=1e-6)


def test_many_objects_and_few_that_move():
    problem = make("svc", 3000, C=0.1)
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


def test_two_threads_at_once():
    problems = [make(kind, 200, seed) for kind in KINDS for seed in (0, 1)]
    expected = [smo(problem).beta for problem in problems]
    with ThreadPoolExecutor(2) as pool:
        for beta, solution in zip(expected, pool.map(smo, problems), strict=True):
            assert (solution.beta == beta).all()


@pytest.mark.skipif(numba is None, reason="only the compiled loop takes them for equal")
def test_a_violation_that_the_loop_cannot_see_ends_the_search():
    """The loop takes 1 and 1 + 2⁻⁵² for equal; then it makes no step, and there would be no end."""
    problem = DualQP(np.eye(3), [1 + 2.0**-52, 1, 0], [0, 0, -1], [1, 1, 0])
    with pytest.warns(ConvergenceWarning, match="after 0 iterations"):
        smo(problem, tol=1.0)


def test_tol_is_positive_and_finite():
    for tol in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match=f"tol must be a finite number > 0, got {tol}"):
            smo(make("svc", 4), tol=tol)

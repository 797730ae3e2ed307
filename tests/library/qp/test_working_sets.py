"""Working sets: the same minimum as on the whole matrix, from a part of its rows; and when the whole one is better."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from kernelbook import RBF, Linear, Sigmoid
from kernelbook.linalg.operators import OnDemand, Rows, per_variable, row_sums
from kernelbook.qp import DualQP, Solution, interior_point, smo, working_sets
from kernelbook.qp.working_sets import WorkingSetSearch
from tests.library.qp.test_sequential_minimal import KINDS, assert_solved, make

NO_BUDGET = 1000.0  # bytes: the whole matrix never fits


def by_rows(problem, budget=NO_BUDGET):
    """The same problem, its K given by rows."""
    K = problem.K.whole()
    rows = Rows(lambda rows, columns: K[rows][:, rows if columns is None else columns], len(K), K.diagonal, budget)
    return DualQP(rows, problem.g, problem.lower, problem.upper, problem.totals, problem.groups, problem.rows)


@pytest.fixture
def small_sets(monkeypatch):
    monkeypatch.setattr(working_sets, "MIN_SIZE", 12)


def moons(n, C=1.0, gamma=1.0, noise=0.2):
    X, y = make_moons(n, noise=noise, random_state=0)
    s = 2.0 * y - 1
    return DualQP(RBF(gamma)(X), s, np.minimum(0, C * s), np.maximum(0, C * s))


class LowRank(OnDemand):
    """K = ZZᵀ, never formed."""

    is_whole, budget, computed = False, 1e6, 0

    def __init__(self, Z):
        self.Z, self.touched = Z, np.zeros(len(Z), bool)

    def __len__(self):
        return len(self.Z)

    def diagonal(self):
        return (self.Z**2).sum(axis=1)

    def block(self, rows):
        return self.Z[rows] @ self.Z[rows].T

    def restricted(self, rows):
        return LowRank(self.Z[rows]), None

    def product(self, rows, beta):
        return per_variable(rows, self.Z @ (self.Z.T @ row_sums(rows, beta, len(self))))

    def absolute_product(self, rows, beta):
        """A bound, which is all that rounding needs."""
        sizes = np.abs(self.Z)
        return per_variable(rows, sizes @ (sizes.T @ row_sums(rows, np.abs(beta), len(self))))

    def products(self, rows, beta, keep=None):
        return self.product(rows, beta), self.absolute_product(rows, beta)

    def fits(self):
        return False

    def whole(self):
        raise AssertionError("K was formed.")


@pytest.mark.usefixtures("small_sets")
def test_a_matrix_that_cannot_be_formed_is_solved():
    Z = np.random.default_rng(0).normal(size=(300, 5))
    s = np.sign(Z[:, 0] + 0.5 * Z[:, 1] ** 2 - 0.3)
    given = s, np.minimum(0, s), np.maximum(0, s)
    found, expected = smo(DualQP(LowRank(Z), *given), tol=1e-6), interior_point(DualQP(Z @ Z.T, *given), 1e-8)
    assert found.violation <= 1e-6
    assert_allclose(found.objective, expected.objective, rtol=1e-6)


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize("C", [0.1, 100.0])
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
@pytest.mark.parametrize("kind", KINDS)
def test_the_minimum_is_that_of_the_whole_matrix(kind, tol, C):
    problem = make(kind, 150, C=C)
    found, expected = smo(by_rows(problem), tol=tol), smo(problem, tol=tol)
    assert found.converged
    assert_solved(problem, found.beta, tol)
    assert abs(found.objective - expected.objective) <= found.gap + expected.gap + 1e-12 * abs(expected.objective)
    assert_allclose(found.gradient, problem.gradient(found.beta), atol=1e-11 * (1 + C))


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize("kind", KINDS)
def test_not_even_the_free_variables_have_room(kind, monkeypatch):
    monkeypatch.setattr(working_sets, "MAX_FREE", 10)
    problem = make(kind, 150, C=100.0)
    found = smo(by_rows(problem), tol=1e-4)
    assert found.converged
    assert_solved(problem, found.beta, 1e-4)


def halfway(gradient):
    """A problem of one group, all of its variables free, with this gradient at 0."""
    m = len(gradient)
    return by_rows(DualQP(np.eye(m), -gradient, -np.ones(m), np.ones(m))), np.zeros(m)


def search_for(problem, beta, gradient, size, max_free, seed=0):
    search = WorkingSetSearch(problem, beta, gradient)
    search.size, search.max_free, search.random = size, max_free, np.random.default_rng(seed)
    return search


def test_where_free_variables_have_no_room_those_that_violate_least_are_left_out():
    gradient = np.random.default_rng(0).permutation(np.linspace(-1, 1, 101))
    problem, beta = halfway(gradient)
    search = search_for(problem, beta, gradient, size=10, max_free=20)
    working = search.choose()
    by_violation = np.sort(np.maximum(gradient.max() - gradient, gradient - gradient.min()))
    taken = np.maximum(gradient.max() - gradient, gradient - gradient.min())[working]
    assert_allclose(np.sort(taken), by_violation[-20:])
    assert search.patience == working_sets.STALLED_ROUNDS * (1 + 81 // 20)


@pytest.mark.parametrize("at", ["lower", "upper"])
def test_the_pair_that_violates_most_is_in_the_working_set(at):
    """Of variables on a bound half are taken at random, and of the free ones only as many as there is room for."""
    rng, m = np.random.default_rng(0), 400
    gradient = rng.normal(size=m)
    problem, _ = halfway(gradient)
    beta = problem.lower.copy() if at == "lower" else problem.upper.copy()
    beta[[5, 6]] = 0.0  # free, and not the worst
    gradient[[5, 6]] = 0.1, 0.2
    worst = [int(np.argmin(np.where(beta < 1, gradient, 9))), int(np.argmax(np.where(beta > -1, gradient, -9)))]
    for seed in range(20):
        for max_free in (1, 2):  # of the free ones, one may be left out
            search = search_for(problem, beta, gradient, size=2, max_free=max_free, seed=seed)
            assert set(worst) <= set(search.choose())


@pytest.mark.usefixtures("small_sets")
def test_a_search_has_more_patience_where_many_have_not_had_their_turn():
    """All but two violate alike, and beside those two the objective does not show that it falls."""
    g = np.concatenate([[1e6, -1e6], np.tile([1e-3, -1e-3], 300)])
    problem = DualQP(np.eye(602), g, np.minimum(0, 2 * g), np.maximum(0, 2 * g))
    with pytest.warns(ConvergenceWarning):
        found = smo(by_rows(problem), tol=1e-6)
    assert (found.beta != 0).sum() > 2 * 12 * working_sets.STALLED_ROUNDS


def test_of_a_sample_the_rows_count_that_moved(monkeypatch):
    """In regression a point has two variables: where 80 of 400 move, they are 80 of 200 rows."""
    problem = by_rows(make("svr", 1500), budget=1e9)
    sample = np.concatenate([np.arange(200), 1500 + np.arange(200)])

    def moved(search, working, *_):
        part = search.beta[working]
        part[:40], part[240:280] = 1e-3, -1e-3
        search.steps += 40
        return part

    monkeypatch.setattr(WorkingSetSearch, "choose", lambda search: sample)
    monkeypatch.setattr(WorkingSetSearch, "solve", moved)
    with pytest.warns(ConvergenceWarning):
        smo(problem, max_iter=40)
    assert problem.K.is_whole
    assert problem.K.computed == 1500**2 // 2  # and no rows of those that moved


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize("kind", KINDS)
def test_weights_and_a_warm_start(kind):
    rng = np.random.default_rng(0)
    problem = make(kind, 120, weight=rng.integers(0, 4, size=120).astype(float))
    rows = by_rows(problem)
    first = smo(rows, tol=1e-8)
    assert_solved(problem, first.beta, 1e-8)
    again = smo(by_rows(problem), first.beta, tol=1e-7)
    assert again.iterations == 0
    assert_solved(problem, smo(by_rows(problem), rng.normal(size=len(first.beta)), tol=1e-8).beta, 1e-8)


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize("rare", [1, 2, 3])
def test_violations_that_tie(rare):
    """All objects of a class violate equally at the start, and of one class there are only a few."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    s = np.repeat([1.0, -1.0], [rare, 200 - rare])
    X[:rare] += 3
    problem = DualQP(RBF(0.5)(X), s, np.minimum(0, 10 * s), np.maximum(0, 10 * s))
    found = smo(by_rows(problem), tol=1e-6)
    assert found.converged
    assert_solved(problem, found.beta, 1e-6)


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_objects_that_repeat(kind, seed):
    rng = np.random.default_rng(seed)
    K = RBF(0.5)(rng.integers(0, 3, size=(150, 2)).astype(float))
    problem = make(kind, 150, seed=seed, K=K)
    found = smo(by_rows(problem), tol=1e-6)
    assert found.converged
    assert_solved(problem, found.beta, 1e-6)


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize(("tol", "C", "renewed"), [(1e-3, 1.0, False), (1e-9, 1e4, True)])
def test_the_gradient_is_renewed_where_rounding_matters(monkeypatch, tol, C, renewed):
    dense, computed = make("svc", 150, C=C), []
    problem, gradient = by_rows(dense), DualQP.gradient

    def recorded(self, beta):
        computed.append((self.K is problem.K, gradient(self, beta)))  # not that of a working set
        return computed[-1][1]

    monkeypatch.setattr(DualQP, "gradient", recorded)
    found = smo(problem, tol=tol)
    by_all_rows = [G for rows, G in computed if rows]
    assert bool(by_all_rows) == renewed
    assert not renewed or (found.gradient == by_all_rows[-1]).all()
    monkeypatch.undo()
    error = np.abs(found.gradient - dense.gradient(found.beta)).max()
    assert error <= 1e-3 * tol + dense.rounding(found.beta).max()


@pytest.mark.usefixtures("small_sets")
def test_rounding_is_added_up(monkeypatch):
    """What the solver says of it is no less than what the solution alone would have."""
    problem, told = make("svc", 150, C=10.0), []
    solution_at = Solution.at

    def spied(problem, beta, gradient, steps, tol, rounding=None):
        told.append((rounding, problem.rounding(beta)))
        return solution_at(problem, beta, gradient, steps, tol, rounding)

    monkeypatch.setattr(Solution, "at", spied)
    smo(by_rows(problem), tol=1e-3)
    ((rounding, least),) = told
    assert (rounding >= least * (1 - 1e-9)).all()
    assert rounding.max() < 100 * least.max()


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize("kernel", [Linear(), Sigmoid(gamma=1, coef0=-1)])
def test_singular_and_indefinite_matrices(kernel):
    problem = make("svc", 150, kernel=kernel)
    assert_solved(problem, smo(by_rows(problem), tol=1e-6).beta, 1e-6)


@pytest.mark.usefixtures("small_sets")
def test_nothing_depends_on_the_unit_of_K():
    problem, unit = make("svc", 150), 2.0**40
    scaled = DualQP(problem.K.whole() * unit, problem.g, problem.lower / unit, problem.upper / unit)
    found, other = smo(by_rows(problem), tol=1e-6), smo(by_rows(scaled), tol=1e-6)
    assert_allclose(other.beta * unit, found.beta, atol=1e-12)
    assert other.iterations == found.iterations


def test_few_rows_of_an_easy_problem_are_computed():
    problem = moons(3000)
    rows = by_rows(problem, budget=1e9)
    found = smo(rows, tol=1e-6)
    assert_solved(problem, found.beta, 1e-6)
    share = (found.beta != 0).mean()
    assert share <= rows.K.touched.mean() < 2 * share
    assert not rows.K.is_whole


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (lambda: moons(900), "few objects"),
        (lambda: moons(2000, gamma=1000.0), "all are support vectors"),
        (lambda: moons(2000, C=1e-4), "all are at the bound"),
    ],
)
def test_the_whole_matrix_is_computed_where_most_of_it_would_be(problem, why):
    whole, problem = by_rows(problem(), budget=1e9), problem()
    asked, compute = [], whole.K._compute
    whole.K._compute = lambda rows, columns: (
        asked.append(len(rows) * (len(rows) if columns is None else len(whole.K))),
        compute(rows, columns),
    )[1]
    found = smo(whole, tol=1e-6)
    assert whole.K.is_whole, why
    assert sum(asked) <= 1.5 * len(whole.K) ** 2  # and not much else
    assert_solved(problem, found.beta, 1e-6)


def test_a_sample_that_misleads_costs_as_much_again_and_no_more(monkeypatch):
    monkeypatch.setattr(working_sets, "ROW_COST", 0.0)  # whatever moves in the sample
    problem = moons(2000, gamma=1000.0)
    rows, by_round = by_rows(problem, budget=1e9), []
    follow = WorkingSetSearch.follow
    monkeypatch.setattr(WorkingSetSearch, "follow", lambda *args: (follow(*args), by_round.append(rows.K.computed)))
    assert_solved(problem, smo(rows, tol=1e-6).beta, 1e-6)
    assert rows.K.is_whole
    assert 2 * by_round[-2] <= len(rows.K) ** 2 < 2 * by_round[-1]
    assert rows.K.computed == by_round[-1] + len(rows.K) ** 2 // 2


def test_variables_of_one_row_count_once():
    """In regression a point has two variables: where 4 rows of 10 start away from 0, 2 variables of 10 do."""
    problem, start = by_rows(make("svr", 1500), budget=1e9), np.zeros(3000)
    start[:300], start[1800:2100] = 0.01, -0.01
    smo(problem, start, max_iter=1)
    assert problem.K.is_whole
    assert problem.K.computed == 600 * 1500 + 1500**2 // 2  # the gradient at the start, and no working set


def test_many_variables_that_start_away_from_zero_ask_for_the_whole_matrix():
    problem = by_rows(make("one", 1500), budget=1e9)
    problem.totals, asked, compute = np.array([900.0]), [], problem.K._compute
    problem.K._compute = lambda rows, columns: (asked.append(len(rows)), compute(rows, columns))[1]
    smo(problem)
    assert problem.K.is_whole
    assert max(size for size in asked if size < 1500) == 900  # the gradient at the start, and no working set
    assert asked.count(900) + asked.count(1500) == len(asked)


@pytest.mark.usefixtures("small_sets")
def test_interior_point_takes_the_whole_matrix():
    problem = make("svc", 60)
    assert_solved(problem, interior_point(by_rows(problem)).beta, 1e-9)


@pytest.mark.usefixtures("small_sets")
def test_a_limit_of_steps_is_kept_and_said():
    with pytest.warns(ConvergenceWarning, match="after 20 iterations"):
        assert smo(by_rows(make("svc", 150)), tol=1e-9, max_iter=20).iterations == 20


@pytest.mark.usefixtures("small_sets")
def test_rounding_ends_the_search():
    """No KKT condition holds to less than the rounding of g."""
    problem = make("svc", 150, K=1e8 * make("svc", 150).K.whole(), C=1e-6)
    found = smo(by_rows(problem), tol=1e-17)
    assert found.converged
    assert found.violation > 1e-17


@pytest.mark.usefixtures("small_sets")
def test_progress_is_printed(monkeypatch, capsys):
    from kernelbook.qp import sequential_minimal

    monkeypatch.setattr(sequential_minimal, "REPORT_INTERVAL", -1.0)
    smo(by_rows(make("svc", 150)), verbose=True)
    assert "of 150 rows of K are computed" in capsys.readouterr().out
    smo(make("svc", 150), verbose=True)
    assert "KKT conditions are violated by" in capsys.readouterr().out
    smo(make("svc", 150))
    assert capsys.readouterr().out == ""


def novelty(nu, gamma, n=3000):
    """The problem of the one-class machine, by rows: β starts on the first nu n of them."""
    X = np.random.default_rng(9).normal(size=(n, 8))
    zero = np.zeros(n)
    return by_rows(DualQP(RBF(gamma)(X), zero, zero, np.ones(n), totals=nu * n), budget=1e9)


@pytest.mark.parametrize("nu", [0.01, 0.05])
def test_few_rows_are_computed_though_many_of_the_first_working_set_change_places(nu):
    """Half of that set starts at the upper bound, and leaves it; the second call begins with a set that moves whole."""
    problem = novelty(nu, 0.1)
    tol = 1e-3 * np.abs(problem.gradient(problem.feasible())).max()
    rough = smo(problem, tol=tol)
    found = smo(problem, rough.beta, tol / 100)
    assert found.iterations > 0
    assert_solved(novelty(nu, 0.1), found.beta, tol / 100)
    assert not problem.K.is_whole
    assert problem.K.computed < len(problem.K) ** 2 / 3


def test_only_the_first_working_set_of_all_calls_is_a_sample(monkeypatch):
    problem, sizes, growth = novelty(0.05, 0.1), [], WorkingSetSearch.growth
    monkeypatch.setattr(WorkingSetSearch, "growth", lambda *args: (sizes.append(len(args[1])), growth(*args))[1])
    tol = 1e-3 * np.abs(problem.gradient(problem.feasible())).max()
    assert smo(problem, smo(problem, tol=tol).beta, tol / 100).iterations > 0
    assert len(sizes) == 1


@pytest.mark.parametrize(("nu", "gamma", "why"), [(0.05, 10.0, "all are support vectors"), (0.15, 0.1, "many start")])
def test_the_first_working_set_tells_that_most_rows_are_needed(nu, gamma, why):
    problem = novelty(nu, gamma)
    n, size = len(problem.K), round(working_sets.SIZE_PER_ROOT * np.sqrt(len(problem.K)))
    smo(problem)
    assert problem.K.is_whole, why
    assert problem.K.computed <= nu * n * n + (1.01 * size) ** 2 / 2 + n * n / 2  # the start, one block, the whole

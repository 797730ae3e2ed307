"""The dual problem: its constraints, its gradient, and what it refuses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelbook.qp import DualQP, smo


@pytest.fixture
def problem():
    """Two groups out of order, and the rows of K in use twice."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3, 3))
    return DualQP(
        A @ A.T,
        g=rng.normal(size=6),
        lower=[0.0, -1.0, 0.0, -2.0, 0.0, -0.5],
        upper=[1.0, 0.0, 3.0, 0.0, 0.5, 0.5],
        totals=[2.0, -1.5],
        groups=[0, 1, 0, 1, 0, 1],
        rows=[0, 1, 2, 0, 1, 2],
    )


@pytest.mark.parametrize("seed", [None, *range(20)])
def test_feasible_points_have_the_sums_and_lie_in_the_box(problem, seed):
    start = None if seed is None else 5 * np.random.default_rng(seed).normal(size=6)
    beta = problem.feasible(start)
    assert (beta >= problem.lower).all()
    assert (beta <= problem.upper).all()
    assert_allclose([beta[::2].sum(), beta[1::2].sum()], [2.0, -1.5], atol=1e-14)


def test_feasible_moves_no_more_than_it_must(problem):
    kept = np.array([0.5, -0.5, 1.25, -1.0, 0.25, 0.0])
    assert (problem.feasible(kept) == kept).all()
    assert (kept == [0.5, -0.5, 1.25, -1.0, 0.25, 0.0]).all()
    assert_allclose(problem.feasible(), [1.0, -1.0, 1.0, -0.5, 0.0, 0.0])
    moved = problem.feasible([1.0, -0.5, 2.0, -1.0, 0.5, 0.0])
    assert_allclose(moved, [0.0, -0.5, 1.5, -1.0, 0.5, 0.0])


def test_feasible_puts_variables_exactly_on_their_bounds():
    rng = np.random.default_rng(0)
    for upper in rng.uniform(0, 0.3, size=(200, 2)):
        problem = DualQP(np.eye(3), np.zeros(3), -np.ones(3), [*upper, 9.0], totals=upper.sum() + 0.5)
        assert (problem.feasible([*rng.uniform(-1, 0, size=2), 0.0])[:2] == upper).all()


def test_feasible_takes_no_variable_off_its_bound_for_rounding():
    problem = DualQP(np.eye(4), np.zeros(4), np.zeros(4), np.ones(4), totals=np.nextafter(1.6, 2))
    kept = np.array([1.0, 0.1, 0.2, 0.3])
    assert kept.sum() != problem.totals[0]
    assert (problem.feasible(kept) == kept).all()


def test_gradient_and_objective_by_their_definitions(problem):
    beta = problem.feasible()
    Q = problem.K.whole()[np.ix_(problem.rows, problem.rows)]
    gradient = problem.gradient(beta)
    assert_allclose(gradient, Q @ beta - problem.g)
    assert_allclose(problem.objective(beta, gradient), 0.5 * beta @ Q @ beta - problem.g @ beta)
    assert_allclose(problem.row_sums(beta), [beta[0] + beta[3], beta[1] + beta[4], beta[2] + beta[5]])


BAD = {
    "K has a vector's shape": ({"K": [1.0, 2.0]}, r"K must have a row for each point, but has shape \(2,\)"),
    "K not square": ({"K": np.ones((2, 3))}, r"K must be a square Gram matrix, but has shape \(2, 3\)"),
    "K not symmetric": ({"K": [[1.0, 0.5], [0.0, 1.0]]}, r"K must be symmetric, but K\[0, 1\] = 0.5 and K\[1, 0\] = 0"),
    "NaN in K": ({"K": [[1.0, np.nan], [np.nan, 1.0]]}, "K contains NaN"),
    "infinity in K": ({"K": [[np.inf, 0.0], [0.0, 1.0]]}, "K contains infinity"),
    "g a number": ({"g": 1.0}, r"g must be a list of numbers, but has shape \(\)"),
    "NaN in g": ({"g": [np.nan, 1.0]}, "g contains NaN"),
    "words in g": ({"g": ["a", "b"]}, "g must be an array of numbers"),
    "infinite bound": ({"upper": [np.inf, 1.0]}, "upper contains infinity"),
    "NaN in a bound": ({"lower": [np.nan, 0.0]}, "lower contains NaN"),
    "length of lower": ({"lower": [0.0]}, r"lower must have 2 entries.*got shape \(1,\)"),
    "length of upper": ({"upper": np.ones(3)}, r"upper must have 2 entries.*got shape \(3,\)"),
    "length of g": (
        {"g": np.ones(3), "lower": np.zeros(3), "upper": np.ones(3)},
        "g must have one entry for each of the 2",
    ),
    "bounds crossed": ({"lower": [0.0, 2.0]}, "lower must not exceed upper, but 2 > 1 at 1"),
    "total too large": ({"totals": 2.5}, r"group 0 sums to 0 … 2, not 2\.5"),
    "total too small": ({"totals": -0.5}, r"group 0 sums to 0 … 2, not -0\.5"),
    "total NaN": ({"totals": np.nan}, "totals contains NaN"),
    "total a word": ({"totals": "a"}, "totals must be an array of numbers"),
    "totals in rows": ({"totals": [[1.0]]}, r"totals must be a number, or one for each group, but has shape \(1, 1\)"),
    "second total": ({"totals": [0.0, 1.5], "groups": [0, 1]}, r"group 1 sums to 0 … 1, not 1\.5"),
    "total of no one": ({"totals": [0.0, 1.0], "groups": [0, 0]}, "group 1 sums to 0 … 0, not 1"),
    "group unknown": ({"groups": [0, 1]}, "groups must be 2 integers from 0 to 0"),
    "group negative": ({"groups": [0, -1]}, "groups must be 2 integers from 0 to 0"),
    "group a fraction": ({"groups": [0.0, 0.0]}, "groups must be 2 integers"),
    "groups too few": ({"groups": [0]}, "groups must be 2 integers"),
    "row unknown": ({"rows": [0, 2]}, "rows must be 2 integers from 0 to 1"),
    "row negative": ({"rows": [0, -1]}, "rows must be 2 integers from 0 to 1"),
    "rows are flags": ({"rows": [True, False]}, "rows must be 2 integers from 0 to 1"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_bad_problems_say_what_is_wrong(change, message):
    good = {"K": np.eye(2), "g": [1.0, 0.0], "lower": [0.0, 0.0], "upper": [1.0, 1.0]}
    DualQP(**good)
    with pytest.raises(ValueError, match=message):
        DualQP(**(good | change))


def test_a_total_out_of_reach_by_more_than_rounding_is_refused():
    for total in 0.3 + 1e-8, -1e-8:
        with pytest.raises(ValueError, match="totals must be in reach"):
            DualQP(np.eye(3), np.zeros(3), np.zeros(3), [0.1] * 3, totals=total)


@pytest.mark.parametrize("total", [0.3 + 1e-11, -1e-11])
def test_rounding_of_a_total_is_forgiven(total):
    problem = DualQP(np.eye(3), np.zeros(3), np.zeros(3), [0.1] * 3, totals=total)
    beta = problem.feasible()
    assert (beta >= 0).all()
    assert (beta <= 0.1).all()


def test_arrays_are_left_alone_and_K_is_not_copied():
    K, start = np.eye(2), np.array([5.0, 5.0])
    problem = DualQP(K, [1, 0], [0, 0], [1, 1], totals=1)
    assert problem.K.whole() is K
    problem.feasible(start)
    assert (start == 5.0).all()


@pytest.mark.parametrize(
    ("start", "message"), [([np.nan, 0.0], "Input start contains NaN"), ([0.0], "start must have 2 entries")]
)
def test_bad_starts(start, message):
    with pytest.raises(ValueError, match=message):
        DualQP(np.eye(2), np.zeros(2), np.zeros(2), np.ones(2)).feasible(start)


def test_g_is_a_list():
    with pytest.raises(ValueError, match=r"g must be a list of numbers, but has shape \(2, 1\)"):
        DualQP(np.eye(2), np.zeros((2, 1)), np.zeros(2), np.ones(2))


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

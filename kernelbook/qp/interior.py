"""The reference: an interior-point method, slow and exact."""

from functools import cache

import numpy as np

from kernelbook.linalg.tolerances import is_negative
from kernelbook.qp import loops
from kernelbook.qp.active_set import Progress, minimise_over_free
from kernelbook.qp.sequential_minimal import smo
from kernelbook.runtime.available import cvxopt
from kernelbook.runtime.validation import check_positive
from kernelbook.runtime.warn import warn

PAIRS = 4  # moved between two linear systems
OPTIONS = {"show_progress": False, "abstol": 1e-11, "reltol": 1e-11, "feastol": 1e-11, "maxiters": 200}


def interior_point(problem, tol=1e-9):
    """Solve a DualQP by CVXOPT's interior-point method, then exactly on the active set that it has found.

    An interior-point method ends close to the bounds, not on them. A variable is put on its bound when the bound's
    multiplier is larger than the variable's distance from it; the other variables move to their minimum, by one linear
    system. Where a KKT condition still fails, a few pairs are moved as in SMO, and the system is solved again.

    Where CVXOPT is not installed, as in a browser, SMO's solution takes the place of the interior-point method's, and a
    UserWarning says so once. What follows is the same, and so is the minimum.

    Parameters
    ----------
    problem : DualQP with a PSD K, singular or not
    tol : float > 0, default 1e-9; the KKT violation, in units of g, above which a ConvergenceWarning is raised

    Returns
    -------
    Solution

    Raises
    ------
    ValueError : K is not PSD; tol not finite and > 0

    References
    ----------
    Andersen, Dahl & Vandenberghe, CVXOPT: a Python package for convex optimization, https://cvxopt.org

    >>> from kernelbook.qp import DualQP
    >>> K = np.outer([2.0, 1.0, -1.0], [2.0, 1.0, -1.0])
    >>> found = interior_point(DualQP(K, g=[1, 1, -1], lower=[0, 0, -1], upper=[1, 1, 0]))
    >>> print(found.beta)  # the first is no support vector, and exactly 0
    [ 0.   0.5 -0.5]
    """
    check_positive(tol, "tol")
    problem = problem.with_whole_K()
    inside, bound, iterations = _interior(problem)
    on_bounds = np.where(bound[0], problem.lower, np.where(bound[1], problem.upper, inside))
    beta, gradient = _to_the_end(problem, problem.feasible(on_bounds))
    return problem.solution(beta, gradient, iterations, tol)


def _interior(problem):
    """CVXOPT's β; which lower and upper bounds have multipliers larger than β's distance from them; its iterations.

    CVXOPT sees x = (β − lower) / width, from 0 to 1, so that its tolerances fit every box. Variables whose bounds are
    equal have no interior and are left out.
    """
    width = problem.upper - problem.lower
    loose = np.flatnonzero(width > 0)
    beta, bound = problem.lower.copy(), np.zeros((2, len(width)), bool)
    if len(loose) == 0:
        return beta, bound, 0
    width, in_K = width[loose], loose if problem.rows is None else problem.rows[loose]
    P = width[:, None] * problem.K[np.ix_(in_K, in_K)] * width
    mu = np.linalg.eigvalsh(P)
    if is_negative(mu[0], np.abs(mu).max()):
        raise ValueError(
            f"K must be positive semidefinite for interior_point, but Q bends down ({mu[0]:.3g}); use smo."
        )
    q = width * problem.gradient(beta)[loose]
    scale = np.abs(q).max() or np.abs(P).max() or 1.0
    sums = (problem.groups == np.arange(len(problem.totals))[:, None]).astype(float)
    E = sums[:, loose] * width
    held = E.any(axis=1)
    size = E[held].max(axis=1)
    if not cvxopt:
        _announce()
        found = smo(problem)
        return found.beta, np.zeros((2, len(found.beta)), bool), found.iterations
    unit = cvxopt.spmatrix(1.0, range(len(loose)), range(len(loose)))
    try:
        found = cvxopt.solvers.qp(
            cvxopt.matrix(P / scale),
            cvxopt.matrix(q / scale),
            cvxopt.sparse([-unit, unit]),
            cvxopt.matrix(np.repeat([0.0, 1.0], len(loose))),
            cvxopt.matrix(E[held] / size[:, None]),
            cvxopt.matrix((problem.totals - sums @ beta)[held] / size),
            options=OPTIONS,
        )
    except (ValueError, ArithmeticError):  # entries of K of so many sizes that CVXOPT gives up: nothing is known yet
        return problem.feasible(), bound, 0
    x, away, push = (np.array(found[name])[:, 0] for name in "xsz")
    beta[loose] += width * np.clip(x, 0, 1)
    bound[:, loose] = (away < push).reshape(2, -1)
    return np.clip(beta, problem.lower, problem.upper), bound, found["iterations"]


@cache  # says it once
def _announce():
    warn("CVXOPT is not installed here: SMO takes the place of its interior-point method.", UserWarning)


def _to_the_end(problem, beta):
    """The minimum by active sets: over the free variables, then pairs as in SMO free others, and so on."""
    gradient, progress = problem.gradient(beta), Progress(problem)
    rows = problem.rows_in_K()
    runs = loops.runs_of_rows(rows, problem.groups, len(problem.totals))
    while True:
        beta, _ = minimise_over_free(problem, beta, gradient)
        beta = problem.put_on_bounds(beta, problem.rounding(beta))
        gradient = problem.gradient(beta)
        if progress.has_ended(beta, gradient):
            return beta, gradient
        loops.move_pairs(problem.K, rows, *runs, problem.lower, problem.upper, beta, gradient, 0.0, PAIRS)
        gradient = problem.gradient(beta)

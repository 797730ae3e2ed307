"""The reference solver: an interior-point method, slow and exact."""

from functools import cache

import numpy as np

from kernelbook.inputs.validation import check_positive
from kernelbook.linalg.tolerances import is_negative
from kernelbook.qp import kkt, loops
from kernelbook.qp.newton import minimise_over_free
from kernelbook.qp.progress import Progress
from kernelbook.qp.sequential_minimal import smo
from kernelbook.qp.solution import Solution
from kernelbook.runtime.available import cvxopt
from kernelbook.runtime.warn import warn

PAIR_STEPS = 4  # steps of pairs between two linear systems
CVXOPT_OPTIONS = {"show_progress": False, "abstol": 1e-11, "reltol": 1e-11, "feastol": 1e-11, "maxiters": 200}


def interior_point(problem, tol=1e-9):
    """Solve a DualQP by CVXOPT's interior-point method, then exactly on the active set that this has found.

    An interior-point method ends close to the bounds, not on them. A variable is put on its bound when the bound's
    multiplier is larger than the variable's distance from it; the other variables move to their minimum, by one linear
    system. Where a KKT condition still fails, a few pairs are moved as in SMO, and the system is solved again.

    Where CVXOPT is not installed, as in a browser, SMO's solution replaces that of the interior-point method, and a
    UserWarning says so once. The rest is the same, and so is the minimum.

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
    beta, iterations = _near_minimum(problem)
    beta, gradient = _finish(problem, problem.feasible(beta))
    return Solution.at(problem, beta, gradient, iterations, tol)


def _near_minimum(problem):
    """The β of the interior-point method, put on bounds according to their multipliers, and the iterations."""
    loose = np.flatnonzero(problem.lower < problem.upper)  # the others have no interior
    if len(loose) == 0:
        return problem.lower, 0
    P, q, A, b = _in_unit_box(problem, loose)
    _check_psd(P)
    start = problem.feasible()
    if kkt.violation(problem, start, problem.gradient(start)) == 0:  # CVXOPT would return it with rounding added
        return start, 0
    if not cvxopt:
        _announce_smo()
        found = smo(problem)
        return found.beta, found.iterations
    found = _solve_by_cvxopt(P, q, A, b)
    if found is None:
        return start, 0
    beta, lower, upper = problem.lower.copy(), problem.lower[loose], problem.upper[loose]
    x, distance, multiplier = (np.array(found[name])[:, 0] for name in "xsz")  # distances and multipliers of bounds
    at_lower, at_upper = (distance < multiplier).reshape(2, -1)
    inside = np.clip(lower + (upper - lower) * x, lower, upper)
    beta[loose] = np.where(at_lower, lower, np.where(at_upper, upper, inside))
    return beta, found["iterations"]


def _in_unit_box(problem, loose):
    """P, q, A, b of the problem for x = (β − lower) / (upper − lower) of the loose variables, with all others held.

    minimise over x    ½ xᵀPx + qᵀx    subject to    0 ≤ x ≤ 1,    Ax = b

    So CVXOPT's tolerances fit every box. Each row of A has the largest entry 1.
    """
    lower, width = problem.lower, (problem.upper - problem.lower)[loose]
    P = width[:, None] * problem.K.block(problem.rows_in_K()[loose]) * width
    q = width * problem.gradient(lower)[loose]
    sums = (problem.groups == np.arange(len(problem.totals))[:, None]).astype(float)
    A = sums[:, loose] * width
    present = A.any(axis=1)
    largest = A[present].max(axis=1)
    return P, q, A[present] / largest[:, None], (problem.totals - sums @ lower)[present] / largest


def _check_psd(P):
    """ValueError if P, and so Q, has an eigenvalue that is negative by more than rounding."""
    mu = np.linalg.eigvalsh(P)
    if is_negative(mu[0], np.abs(mu).max()):
        raise ValueError(
            f"K must be positive semidefinite for interior_point, but Q bends down ({mu[0]:.3g}); use smo."
        )


def _solve_by_cvxopt(P, q, A, b):
    """CVXOPT's solution of ``_in_unit_box``; None if the entries of P differ so much in size that CVXOPT fails."""
    scale, m = np.abs(q).max() or np.abs(P).max() or 1.0, len(q)
    unit = cvxopt.spmatrix(1.0, range(m), range(m))
    try:
        return cvxopt.solvers.qp(
            cvxopt.matrix(P / scale),
            cvxopt.matrix(q / scale),
            cvxopt.sparse([-unit, unit]),
            cvxopt.matrix(np.repeat([0.0, 1.0], m)),
            cvxopt.matrix(A),
            cvxopt.matrix(b),
            options=CVXOPT_OPTIONS,
        )
    except (ValueError, ArithmeticError):
        return None


@cache  # says it once
def _announce_smo():
    warn("CVXOPT is not installed here: SMO takes the place of its interior-point method.", UserWarning)


def _finish(problem, beta):
    """The minimum and its gradient, by active sets: minimise over the free variables, free others by pairs, repeat."""
    K, rows, box = problem.K.whole(), problem.rows_in_K(), (problem.lower, problem.upper)
    runs = loops.runs_of_rows(rows, problem.groups, len(problem.totals))
    gradient, progress = problem.gradient(beta), Progress(problem)
    while True:
        beta, _ = minimise_over_free(problem, beta, gradient)
        beta = kkt.snap_to_bounds(problem, beta, problem.rounding(beta))
        gradient = problem.gradient(beta)
        if progress.has_ended(beta, gradient):
            return beta, gradient
        loops.move_pairs(K, rows, *runs, *box, beta, gradient, 0.0, PAIR_STEPS)
        gradient = problem.gradient(beta)

"""Solving the duals of NuSVC and OneClassSVM, where tol is in units of ρ, which only the solution tells."""

import numpy as np

from kernelbook.runtime.warn import warn

LEAST_TOLERANCE = np.finfo(float).tiny  # the least tolerance that a solver accepts
# While the violation hides the unit, the search for it goes on for at least this many steps for each variable, and at
# least until the steps have read this many entries of K, which takes some tenths of a second.
GIVE_UP_STEPS_PER_VARIABLE = 50
GIVE_UP_ENTRIES_READ = 2**27


def solve_relative(solve, problem, unit, tol, attempts=np.inf):
    """Solve until the KKT conditions hold to tol · |unit(solution)|.

    The first attempt takes the largest |f| at the feasible point next to 0 as the unit. Each later attempt starts from
    the last solution. Its tolerance is half of the wanted one in the unit of the last solution or, while the violation
    hides that unit, a tenth of the last tolerance. Each attempt of the latter kind may need ten times as many steps as
    the one before, so the search ends after many steps: a unit that is still hidden is 0, or tiny beside the first one.

    Parameters
    ----------
    solve : function (problem, tol, start, steps) -> Solution; `start` is None in the first attempt, and `steps` is the
        number of steps of all attempts before
    problem : DualQP
    unit : function of a Solution -> float
    tol : float > 0
    attempts : int or ∞, the most attempts

    Returns
    -------
    solution : Solution, of the last attempt
    steps : int, the steps of all attempts

    Raises
    ------
    ValueError : the objective overflows because weights or kernel values are too large
    """
    start, steps, m = None, 0, len(problem.g)
    absolute = max(tol * np.abs(problem.gradient(problem.feasible())).max(), LEAST_TOLERANCE)
    while True:
        solution = solve(problem, absolute, start, steps)
        steps, attempts = steps + solution.iterations, attempts - 1
        if not np.isfinite(solution.beta).all():
            raise ValueError("the dual objective must be below 1.8e308: scale sample_weight or the kernel down.")
        size = abs(unit(solution))
        if solution.violation <= tol * size or attempts == 0:
            break
        if solution.violation > absolute or absolute == LEAST_TOLERANCE:  # rounding, or the limit of steps
            break
        if size > solution.violation:
            absolute = tol * size / 2
        elif steps <= max(GIVE_UP_STEPS_PER_VARIABLE * m, GIVE_UP_ENTRIES_READ / m):
            absolute = absolute / 10
        else:
            break
        absolute, start = max(absolute, LEAST_TOLERANCE), solution.beta
    return solution, steps


def warn_if_inexact(solution, rho, nu, tol):
    """A ConvergenceWarning if rounding kept the KKT conditions from holding to tol in units of ρ."""
    if solution.converged and solution.violation > tol * abs(rho):
        warn(
            f"with nu = {nu:.6g} ρ is as small as {rho:.3g}; in its units the KKT conditions are violated by "
            f"{solution.violation / max(abs(rho), LEAST_TOLERANCE):.3g}, more than tol = {tol:.3g}.",
        )

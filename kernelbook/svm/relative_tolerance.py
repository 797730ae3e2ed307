"""Solving duals whose solution gives tol its unit: those with g = 0, of NuSVC and OneClassSVM, where it is ρ."""

import numpy as np

from kernelbook.runtime.warn import warn

LEAST_TOLERANCE = np.finfo(float).tiny  # that a solver can be asked for
# A unit that the violation hides is given up after so many steps for each variable; or, if that is more, when the
# steps have read so many entries of K, which takes some tenths of a second.
STEPS_PER_VARIABLE = 50
ENTRIES_READ = 2**27


def solve_relative(solve, problem, unit, tol, attempts=np.inf):
    """Solve until the KKT conditions hold to tol · |unit(solution)|.

    The first attempt takes the largest |f| at its start for the unit. Each other one starts from the last solution. Its
    tolerance is half of what is wanted, by the unit that the last solution has; while the violation hides the unit, it
    is a tenth of the last tolerance. Such attempts need up to ten times as many steps each, so the unit is given up
    when there have been many: if it is not 0, it is a tiny share of the first one.

    Parameters
    ----------
    solve : function (problem, tol, start, steps) -> Solution, where so many steps have been taken before
    problem : DualQP
    unit : function of a Solution -> float
    tol : float > 0
    attempts : how many, at most

    Returns
    -------
    Solution, of the last attempt
    int, the steps of all attempts
    """
    start, steps, m = problem.feasible(), 0, len(problem.g)
    absolute = max(tol * np.abs(problem.gradient(start)).max(), LEAST_TOLERANCE)
    while True:
        solution = solve(problem, absolute, start, steps)
        steps, attempts = steps + solution.iterations, attempts - 1
        size = abs(unit(solution))
        if solution.violation <= tol * size or attempts == 0:
            break
        if solution.violation > absolute or absolute == LEAST_TOLERANCE:  # rounding, or the limit of steps
            break
        if size > solution.violation:
            absolute = tol * size / 2
        elif steps <= max(STEPS_PER_VARIABLE * m, ENTRIES_READ / m):
            absolute = absolute / 10
        else:
            break
        absolute, start = max(absolute, LEAST_TOLERANCE), solution.beta
    return solution, steps


def warn_if_inexact(solution, rho, nu, tol):
    """A ConvergenceWarning where rounding kept the KKT conditions from holding to tol in units of ρ."""
    if solution.converged and solution.violation > tol * abs(rho):
        warn(
            f"with nu = {nu:.6g} ρ is as small as {rho:.3g}; in its units the KKT conditions are violated by "
            f"{solution.violation / max(abs(rho), LEAST_TOLERANCE):.3g}, more than tol = {tol:.3g}.",
        )

"""Descent by pairs of variables on a whole matrix, with shrinking and Newton steps for the free variables."""

import numpy as np

from kernelbook.linalg.operators import combine_rows
from kernelbook.qp import kkt, loops
from kernelbook.qp.newton import minimise_over_free
from kernelbook.qp.progress import Progress
from kernelbook.runtime.available import COMPILED

VIOLATION_REDUCTION = 30  # factor by which solving some variables alone reduces the violation
# Steps of pairs for each variable before a Newton step. Loops that are not compiled make a pair tens of times slower,
# but not a Newton step: with fewer pairs such a search is three times as fast (measured).
PAIR_STEPS_PER_VARIABLE = 10 if COMPILED else 1
MIN_STEPS = 1000  # the fewest steps of pairs after which the active variables are determined anew


def descend(problem, beta, gradient, tol, max_steps, report=None):
    """Lower the objective until no pair violates by more than tol. Returns the number of steps.

    β and its gradient are changed in place. `report`, if given, is called with the number of steps and the violation.
    """
    steps_before_newton, progress, steps = PAIR_STEPS_PER_VARIABLE * len(beta), Progress(problem), 0
    while True:
        done = _move_pairs(problem, beta, gradient, tol, min(steps_before_newton, max_steps - steps), report)
        steps += done
        if done:
            gradient[:] = problem.gradient(beta)
        ended = done == 0 or steps >= max_steps or kkt.violation(problem, beta, gradient) <= tol
        if ended or progress.has_ended(beta, gradient):
            return steps
        if done == steps_before_newton:
            beta[:], gradient[:] = minimise_over_free(problem, beta, gradient)


def _move_pairs(problem, beta, gradient, tol, max_steps, report):
    """Move pairs until none violates by more than tol. Returns the number of steps.

    β and its gradient are changed in place. If the active variables are at most half of all variables, and at most half
    as many as the rows of K, they are solved alone.
    """
    K, rows, steps = problem.K.whole(), problem.rows_in_K(), 0
    runs = loops.runs_of_rows(rows, problem.groups, len(problem.totals))
    box = problem.lower, problem.upper
    while steps < max_steps:
        b_up, b_low = kkt.bounds(problem, beta, gradient)
        violation, limit = (b_low - b_up).max(), max_steps - steps
        if violation <= tol:
            break
        if report:
            report(steps, violation)
        active = loops.active_variables(beta, gradient, *box, problem.groups, b_up, b_low)
        if 2 * len(active) <= min(len(beta), len(K)):
            reduced_tol = max(tol / 2, violation / VIOLATION_REDUCTION)
            done = _solve_alone(problem, rows, active, beta, gradient, reduced_tol, limit)
        else:
            limit = min(limit, max(len(beta), MIN_STEPS))
            done = loops.move_pairs(K, rows, *runs, *box, beta, gradient, tol, limit)
        if done == 0:
            break
        steps += done
    return steps


def _solve_alone(problem, rows, active, beta, gradient, tol, max_steps):
    """Move pairs of active variables on their own block of K, with all others held. Returns the number of steps.

    β and the gradient of all variables are changed in place.
    """
    places, moved, in_K = np.arange(len(active)), beta[active], rows[active]
    runs = loops.runs_of_rows(places, problem.groups[active], len(problem.totals))
    box, block = (problem.lower[active], problem.upper[active]), problem.K.block(in_K)
    done = loops.move_pairs(block, places, *runs, *box, moved, gradient[active], tol, max_steps)
    gradient += problem.per_variable(combine_rows(problem.K.whole(), in_K, moved - beta[active]))
    beta[active] = moved
    return done

"""Descent by pairs of variables on a whole matrix, with shrinking and with Newton's steps for the free variables."""

import numpy as np

from kernelbook.qp import kkt, loops
from kernelbook.qp.active_set import Progress, minimise_over_free
from kernelbook.runtime.available import COMPILED

VIOLATION_REDUCTION = 30  # some of the variables are solved alone until the violation is so many times smaller
# Steps of pairs for each variable before a Newton step. Where loops are not compiled, a pair takes tens of times as
# long, and a Newton step as long as ever: with fewer pairs such a search is three times as fast (measured).
STEPS_PER_VARIABLE = 10 if COMPILED else 1
MIN_STEPS = 1000  # steps of pairs, at least, between two looks at which variables are active


def descend(problem, beta, gradient, tol, max_steps, report=None):
    """Lower the objective until no pair violates by more than tol, β and its gradient in place; returns the steps.

    `report`, if given, is called with the number of steps and the violation.
    """
    steps_before_newton, progress, steps = STEPS_PER_VARIABLE * len(beta), Progress(problem), 0
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
    """Move pairs until none violates by more than tol, β and its gradient in place; returns the number of steps.

    When at most half of the variables, and half of the rows of K, are active, these variables are solved alone.
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
    """Move pairs of active variables on their own block of K, all others held; β and the gradient of all, in place."""
    places, moved, change = np.arange(len(active)), beta[active], np.zeros(len(beta))
    runs = loops.runs_of_rows(places, problem.groups[active], len(problem.totals))
    box, block = (problem.lower[active], problem.upper[active]), problem.K.block(rows[active])
    done = loops.move_pairs(block, places, *runs, *box, moved, gradient[active], tol, max_steps)
    change[active] = moved - beta[active]
    gradient += problem.K.product(problem.rows, change)
    beta[active] = moved
    return done

"""Descent by pairs of variables on a whole matrix, with shrinking and with Newton's steps for the free variables."""

import numpy as np

from kernelbook.linalg import loops as matrix_loops
from kernelbook.linalg.operators import core_slices
from kernelbook.qp import loops
from kernelbook.qp.active_set import Progress, minimise_over_free
from kernelbook.runtime.available import COMPILED
from kernelbook.runtime.parallel import parallel_map

SHRUNK = 30  # how many times smaller the violation is when the active variables have been solved alone
# So many steps, times the number of variables, and pairs give way to a step of all that are free. Where loops are not
# compiled a pair takes tens of times as long, and that step as long as ever: then three times as fast, measured.
STEPS = 10 if COMPILED else 1
CHUNK = 1000  # steps, at least, between two looks at which variables are active


def descend(problem, beta, gradient, tol, max_steps, report=None):
    """Lower the objective until no pair violates by more than tol, β and its gradient in place; returns the steps.

    `report`, if there is one, is told the number of steps and the violation, every now and then.
    """
    patience, progress, steps = STEPS * len(beta), Progress(problem), 0
    while True:
        done = _move_pairs(problem, beta, gradient, tol, min(patience, max_steps - steps), report)
        steps += done
        if done:
            gradient[:] = problem.gradient(beta)
        ended = done == 0 or steps >= max_steps or problem.violation(beta, gradient) <= tol
        if ended or progress.has_ended(beta, gradient):
            return steps
        if done == patience:
            beta[:], gradient[:] = minimise_over_free(problem, beta, gradient)


def _move_pairs(problem, beta, gradient, tol, max_steps, report):
    """Move pairs until none violates by more than tol, β and its gradient in place; returns the number of steps."""
    rows = problem.rows_in_K()
    runs, steps = loops.runs_of_rows(rows, problem.groups, len(problem.totals)), 0
    box = problem.lower, problem.upper
    while steps < max_steps:
        b_up, b_low = problem.kkt_bounds(beta, gradient)
        violation, limit = (b_low - b_up).max(), max_steps - steps
        if violation <= tol:
            break
        if report:
            report(steps, violation)
        active = loops.active_variables(beta, gradient, *box, problem.groups, b_up, b_low)
        if 2 * len(active) <= min(len(beta), len(problem.K)):
            done = _solve_alone(problem, rows, active, beta, gradient, max(tol / 2, violation / SHRUNK), limit)
        else:
            limit = min(limit, max(len(beta), CHUNK))
            done = loops.move_pairs(problem.K, rows, *runs, *box, beta, gradient, tol, limit)
        if done == 0:
            break
        steps += done
    return steps


def _solve_alone(problem, rows, active, beta, gradient, tol, max_steps):
    """Move pairs of active variables on their own block of K, all others held; β and the gradient of all, in place."""
    places, in_K, moved = np.arange(len(active)), rows[active], beta[active]
    runs = loops.runs_of_rows(places, problem.groups[active], len(problem.totals))
    box = problem.lower[active], problem.upper[active]
    done = loops.move_pairs(_block(problem.K, in_K), places, *runs, *box, moved, gradient[active], tol, max_steps)
    gradient += problem.per_variable(_weighted_rows(problem.K, in_K, moved - beta[active]))
    beta[active] = moved
    return done


def _block(K, rows):
    """K[rows][:, rows]."""
    block = np.empty((len(rows), len(rows)))
    parallel_map(lambda part: matrix_loops.copy_block(K, rows[part], rows, block[part]), core_slices(*block.shape))
    return block


def _weighted_rows(K, rows, factors):
    """Σ_r factors_r K[rows_r]."""
    total = np.zeros(len(K))
    parts = core_slices(len(total), len(rows))
    parallel_map(lambda part: matrix_loops.add_rows(K[:, part], rows, factors, total[part]), parts)
    return total

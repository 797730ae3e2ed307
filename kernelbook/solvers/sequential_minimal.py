"""Sequential minimal optimisation: of all variables two are moved at a time, the pair that promises most."""

from itertools import pairwise

import numpy as np

from kernelbook.parallel import parallel_map, usable_cores
from kernelbook.solvers import loops
from kernelbook.solvers.active_set import Progress, minimise_over_free
from kernelbook.validation import check_positive

MAX_ITER = 10_000_000
SHRUNK = 30  # how many times smaller the violation is when the active variables have been solved alone
STEPS = 10  # times the number of variables: after so many, pairs give way to a step of all that are free
CHUNK = 1000  # steps, at least, between two looks at which variables are active


def smo(problem, start=None, tol=1e-3, max_iter=MAX_ITER):
    """Solve a DualQP by sequential minimal optimisation.

    A step moves β_i up and β_j down by the same amount within one group, which leaves its sum as it is. i has the least
    gradient of all in I_up, and j, of all in I_low, lowers the objective most by the step's second-order estimate,
    (G_j − G_i)² / 2(K_ii + K_jj − 2K_ij). SMO ends when no pair violates the KKT conditions by more than tol.
    ``textbook_smo`` is these steps and nothing else; three things make this one faster.

    *Shrinking.* Soon most variables rest on a bound that they will not leave. When those that are free or violate the
    KKT conditions, the active ones, are at most half as many as K has rows, their block of K is copied (a quarter of K
    at most) and solved alone; then the gradient of all variables is updated.

    *Newton's steps.* Pairs quickly find which variables lie on a bound, and slowly solve for the others. After 10 steps
    for each variable the free ones move together to their minimum, as far as the box allows; then pairs go on.

    *Contiguous rows.* Variables of one group whose rows of K follow each other are read fastest: sort them by group.

    Parameters
    ----------
    problem : DualQP; with a K that is not PSD the result is only a point where no pair helps
    start : (m,) array or None; a point to begin with, made feasible first
    tol : float > 0, in units of g
    max_iter : int, the most steps; beyond it a ConvergenceWarning

    Returns
    -------
    Solution

    Raises
    ------
    ValueError : tol not finite and > 0; a start of another length or not finite

    References
    ----------
    Platt (1998), Fast training of SVMs using sequential minimal optimization; Fan, Chen & Lin (2005), Working set
    selection using second order information, JMLR 6; Joachims (1998), Making large-scale SVM learning practical.
    """
    check_positive(tol, "tol")
    beta, steps = problem.feasible(start), 0
    gradient = problem.gradient(beta) if beta.any() else -problem.g
    patience, progress = STEPS * len(beta), Progress(problem)
    while True:
        done = _move_pairs(problem, beta, gradient, tol, min(patience, max_iter - steps))
        steps += done
        if done:
            gradient = problem.gradient(beta)
        ended = done == 0 or steps >= max_iter or problem.violation(beta, gradient) <= tol
        if ended or progress.has_ended(beta, gradient):
            return problem.solution(beta, gradient, steps, tol)
        if done == patience:
            beta, gradient = minimise_over_free(problem, beta, gradient)


def _move_pairs(problem, beta, gradient, tol, max_steps):
    """Move pairs until none violates by more than tol, β and its gradient in place; returns the number of steps."""
    rows = problem.rows_in_K()
    runs, steps = loops.runs_of_rows(rows, problem.groups, len(problem.totals)), 0
    box = problem.lower, problem.upper
    while steps < max_steps:
        b_up, b_low = problem.kkt_bounds(beta, gradient)
        violation, limit = (b_low - b_up).max(), max_steps - steps
        if violation <= tol:
            break
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
    parallel_map(lambda part: loops.copy_block(K, rows[part], rows, block[part]), _shares(*block.shape))
    return block


def _weighted_rows(K, rows, factors):
    """Σ_r factors_r K[rows_r]."""
    total = np.zeros(len(K))
    shares = _shares(len(total), len(rows))
    parallel_map(lambda part: loops.add_rows(K[:, part], rows, factors, total[part]), shares)
    return total


def _shares(count, length):
    """Slices of 0 … count − 1, each item as long as `length`: one for each core, if there is work for several."""
    cores = usable_cores() if count * length > 2**22 else 1
    edges = np.linspace(0, count, cores + 1).astype(int)
    return [slice(a, b) for a, b in pairwise(edges)]

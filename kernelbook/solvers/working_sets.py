"""Working sets: a few variables at a time are solved for, and of K only the rows of those that moved are computed."""

import numpy as np

from kernelbook.solvers.active_set import LARGEST, PATIENCE, Progress
from kernelbook.solvers.descent import descend
from kernelbook.solvers.problem import DualQP

LEAST = 500  # variables of a working set, or
SHARE = 1 / 8  # of all variables
MANY = 0.4  # if so large a share of a sample moves, nearly all of K will be needed
REDUCED = 30  # how many times smaller the violation is when a working set has been solved


def descend_by_working_sets(problem, beta, gradient, tol, max_steps, report):
    """Lower the objective where K is given by its rows, until no pair violates the KKT conditions by more than tol.

    Each round takes a working set W: the free variables, and of those that violate the KKT conditions half the worst
    and half at random, since the worst are often neighbours, of which one is enough. The block of K on W is computed,
    the problem is solved on it, all others held, and the gradient of all variables follows by the rows of those that
    moved. So of K, besides the blocks, only the rows of such variables are computed that were moved at some time.

    The first W is a sample of all variables, or nearly so. If many of them move, or all are so few that W is half of
    them, nearly all of K will be needed, and if it fits into the budget, it is computed.

    Returns
    -------
    problem, steps : the same problem, with K whole if that is better, and the steps so far; β and its gradient have
        changed in place
    """
    K, steps = problem.K, 0
    room = int(np.sqrt(K.budget / 8) / 2)  # variables whose block takes a quarter of the budget
    size, room = max(LEAST, min(round(SHARE * len(beta)), room)), max(LARGEST, room)
    if K.is_whole or (K.fits() and (2 * size >= len(beta) or np.count_nonzero(beta) > MANY * len(beta))):
        return problem.with_whole_K(), steps
    rng, progress, patience, done, exact = np.random.default_rng(0), Progress(problem), PATIENCE, 1, True
    while steps < max_steps:
        violation = problem.violation(beta, gradient)
        if violation <= tol or done == 0 or progress.stalls(beta, gradient, patience):
            if exact:
                break
            gradient[:], done, exact = problem.gradient(beta), 1, True  # without the rounding of many updates
            continue
        if report:
            report(steps, violation, K)
        working, left = _working_set(problem, beta, gradient, size, room, rng)
        patience = PATIENCE * (1 + left // len(working))  # until all have had their turn
        done, moved = _solve_on(problem, working, beta, gradient, max(tol / 2, violation / REDUCED), max_steps - steps)
        many = moved > MANY * len(working) and steps == 0  # the first working set is a sample
        steps, exact = steps + done, exact and done == 0
        if K.fits() and (many or 2 * K.touched.sum() > len(K)):
            problem = problem.with_whole_K()
            gradient[:] = problem.gradient(beta)
            break
    return problem, steps


def _working_set(problem, beta, gradient, size, room, rng):
    """The free variables, and as many others that violate the KKT conditions as make up `size`, at least half of it.

    Where there is no room for all that are free, those that violate most. Returns how many were left out, too.
    """
    b_up, b_low = (bound[problem.groups] for bound in problem.kkt_bounds(beta, gradient))
    may_grow, may_fall = beta < problem.upper, beta > problem.lower
    violation = np.maximum(np.where(may_grow, b_low - gradient, 0), np.where(may_fall, gradient - b_up, 0))
    free = np.flatnonzero(may_grow & may_fall)
    others = rng.permutation(np.flatnonzero((violation > 0) & ~(may_grow & may_fall)))
    candidates = len(free) + len(others)
    if len(free) > room:
        free = free[np.argpartition(-violation[free], room)[:room]]
    count = max(size - len(free), size // 2)
    if len(others) > count:
        worst = np.argpartition(-violation[others], count // 2)
        others = others[np.concatenate([worst[: count // 2], np.sort(worst[count // 2 :])[: count - count // 2]])]
    chosen = np.concatenate([free, others])
    return chosen[np.lexsort([chosen, problem.groups[chosen]])], candidates - len(chosen)


def _solve_on(problem, working, beta, gradient, tol, max_steps):
    """Solve for the variables in `working`; β and the gradient of all, in place. Returns steps, and how many moved."""
    rows, groups, held = problem.rows_in_K()[working], problem.groups[working], beta[working]
    block = problem.K.block(rows)
    box = problem.lower[working], problem.upper[working]
    totals = np.bincount(groups, held, len(problem.totals))
    part = DualQP(block, block @ held - gradient[working], *box, totals, groups, check_input=False)
    found, slope = held.copy(), gradient[working]
    done = descend(part, found, slope, tol, max_steps)
    move = np.zeros(len(beta))
    move[working] = found - held
    change = np.zeros(len(problem.K))
    problem.K.add(problem.row_sums(move), change)
    gradient += problem.per_variable(change)
    beta[working] = found
    return done, np.count_nonzero(move)

"""Working sets: a few variables at a time are solved for, and of K only the rows of those that moved are computed."""

import numpy as np

from kernelbook.qp.active_set import LARGEST, PATIENCE, Progress
from kernelbook.qp.descent import descend
from kernelbook.qp.problem import ROUNDING, DualQP

LEAST = 500  # variables of a working set, or
ROOTS = 12  # times the root of the number of all: of 10 000 variables 1200
MANY = 1 / 3  # if so large a share of the rows is likely to be needed, most of K will be
PLACES = 4  # rows that are needed for each one that β starts on: measured, for some do not stay
NEGLIGIBLE = 1e-3  # of tol: so much rounding of the gradient no one need mind
REDUCED = 30  # how many times smaller the violation is when a working set has been solved


def descend_by_working_sets(problem, beta, gradient, tol, max_steps, report):
    """Lower the objective where K is given by its rows, until no pair violates the KKT conditions by more than tol.

    Each round takes a working set W, of 500 variables or more: the free ones, and of those that violate the KKT
    conditions half the worst and half at random, since the worst are often neighbours, of which one is enough. The
    block of K on W is computed, the problem is solved on it, all others held, and the gradient of all variables follows
    by the rows of those that moved. So of K, besides the blocks, only the rows of such variables are computed that were
    moved at some time.

    The first W is a sample of all variables, or nearly so: by as large a share as there are more rows with β ≠ 0 in it
    than before, the rows that will be needed are taken to grow. (How many rows move in it says less where β does not
    start at 0: of the bounds that are left it holds too many.) To these come the rows that β starts on, and those that
    will take their places. A later call for the same rows, from a solution that is to be made more exact, has no
    sample: its W holds only free variables and those that violate. If many rows will be needed, or all are so few that
    W is half of them, nearly all of K will be, and if it fits into the budget, it is computed. So it is when, block by
    block and row by row, as many numbers have been computed as the whole of K would have cost, which is symmetric: then
    a wrong guess has cost about as much again, and no more.

    Returns
    -------
    problem, steps, rounding : the same problem, with K whole if that is better; the steps so far; what rounding may
        have done to each G_i. β and its gradient have changed in place
    """
    K, steps, patience = problem.K, 0, PATIENCE
    room = int(np.sqrt(K.budget / 8) / 2)  # variables whose block takes a quarter of the budget; at least 32 MB
    size, room = max(LEAST, min(round(ROOTS * np.sqrt(len(beta))), room)), max(LARGEST, room)
    begun = _count_rows(problem, beta != 0)
    if K.is_whole or (K.fits() and (2 * size >= len(beta) or begun > MANY * len(K))):
        return problem.with_whole_K(), steps, None
    sample = K.computed <= begun * len(K)  # no block of K yet: the next W is one
    rng, progress, rounding, afresh = np.random.default_rng(0), Progress(problem), problem.rounding(beta), True
    while steps < max_steps:
        violation = problem.violation(beta, gradient)
        if violation <= tol or progress.stalls(beta, gradient, patience):
            if afresh or (violation <= tol and rounding.max() <= NEGLIGIBLE * tol):
                break
            gradient[:], rounding, afresh = problem.gradient(beta), problem.rounding(beta), True
            continue
        if report:
            report(steps, violation, K)
        working, left = _working_set(problem, beta, gradient, size, room, rng)
        patience = PATIENCE * (1 + left // len(working))  # until all have had their turn
        part, done = _solve_on(problem, working, beta, gradient, max(tol / 2, violation / REDUCED), max_steps - steps)
        many = sample and PLACES * begun / len(K) + _growth(problem, working, beta[working], part) > MANY
        sample = False
        if K.fits() and many:
            beta[working] = part  # the gradient will be that of the whole K
        else:
            _follow(problem, working, part, beta, gradient, rounding)
        steps, afresh = steps + done, False
        if K.fits() and (many or 2 * K.computed > len(K) ** 2):
            problem = problem.with_whole_K()
            gradient[:] = problem.gradient(beta)
            break
    return problem, steps, rounding


def _working_set(problem, beta, gradient, size, room, rng):
    """The free variables, and as many others that violate the KKT conditions as make up `size`, at least half of it.

    Half of these may grow, half may fall, as far as there are such, and the pair that violates most in each group is
    among them: a set whose variables may all grow could not move. Where there is no room for all that are free, those
    that violate most are taken. Returns the working set, and how many were left out.
    """
    b_up, b_low = problem.kkt_bounds(beta, gradient)
    may_grow, may_fall = beta < problem.upper, beta > problem.lower
    below, above = b_low[problem.groups] - gradient, gradient - b_up[problem.groups]
    free = np.flatnonzero(may_grow & may_fall)
    grow, fall = np.flatnonzero(may_grow & ~may_fall & (below > 0)), np.flatnonzero(may_fall & ~may_grow & (above > 0))
    candidates = len(free) + len(grow) + len(fall)
    if len(free) > room:
        free = free[np.argpartition(-np.maximum(below, above)[free], room)[:room]]
    count = max(size - len(free), size // 2)
    growing = min(len(grow), max(count // 2, count - len(fall)))
    parts = [free, _chosen(grow, below, growing, rng), _chosen(fall, above, count - growing, rng)]
    for s in np.flatnonzero(b_low > b_up):
        for may, bound in (may_grow, b_up[s]), (may_fall, b_low[s]):
            parts.append(np.flatnonzero(may & (problem.groups == s) & (gradient == bound))[:1])
    chosen = np.unique(np.concatenate(parts))
    return chosen[np.argsort(problem.groups[chosen], kind="stable")], candidates - len(chosen)


def _chosen(candidates, violation, count, rng):
    """So many of the candidates, half the worst and half at random."""
    if len(candidates) <= count:
        return candidates
    candidates, worst = rng.permutation(candidates), count // 2
    order = np.argpartition(-violation[candidates], worst)
    at_random = np.sort(order[worst:])[: count - worst]  # the first ones as they were permuted
    return candidates[np.concatenate([order[:worst], at_random])]


def _count_rows(problem, variables):
    """How many rows of K belong to these variables."""
    return len(np.unique(problem.rows_in_K()[variables]))


def _growth(problem, working, before, after):
    """How many more rows of the working set have β ≠ 0 after than before, as a share of all its rows."""
    more = _count_rows(problem, working[after != 0]) - _count_rows(problem, working[before != 0])
    return more / _count_rows(problem, working)


def _solve_on(problem, working, beta, gradient, tol, max_steps):
    """The minimum over the variables in `working`, all others held, and the steps that it took."""
    held, found, slope = beta[working], beta[working], gradient[working]
    block = problem.K.block(problem.rows_in_K()[working])
    totals = np.bincount(problem.groups[working], held, len(problem.totals))
    box, groups = (problem.lower[working], problem.upper[working]), problem.groups[working]
    part = DualQP(block, block @ held - slope, *box, totals, groups, check_input=False)
    return found, descend(part, found, slope, tol, max_steps)


def _follow(problem, working, found, beta, gradient, rounding):
    """β, its gradient and its rounding, in place, when the variables in `working` have moved."""
    move, free = np.zeros(len(beta)), np.zeros(len(beta), bool)
    move[working] = found - beta[working]
    beta[working] = found
    free[working] = (found > problem.lower[working]) & (found < problem.upper[working])
    sums, keep = np.zeros((2, len(problem.K))), np.zeros(len(problem.K), bool)
    keep[problem.rows_in_K()[free]] = True  # they will move again
    problem.K.add(problem.row_sums(move), sums[0], problem.row_sums(np.abs(move)), sums[1], keep)
    gradient += problem.per_variable(sums[0])
    rounding += ROUNDING * problem.per_variable(sums[1])

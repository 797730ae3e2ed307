"""Working sets: solve for a few variables at a time, and compute only the rows of K of those that moved."""

import numpy as np

from kernelbook.qp import kkt
from kernelbook.qp.descent import VIOLATION_REDUCTION, descend
from kernelbook.qp.newton import MAX_FREE
from kernelbook.qp.problem import SUM_ROUNDING, DualQP
from kernelbook.qp.progress import STALLED_ROUNDS, Progress

MIN_SIZE = 500  # the least number of variables in a working set
SIZE_PER_ROOT = 12  # size of a working set in units of √m: 1200 of 10 000 variables
ROW_COST = 1.5  # entries computed for each entry of the rows that are needed: the blocks of working sets come on top
ROWS_PER_START = 4  # rows eventually needed per initially active row (measured)
NEGLIGIBLE_ROUNDING = 1e-3  # rounding of the gradient, in units of tol, up to which a solution is accepted as it is


def descend_by_working_sets(problem, beta, gradient, tol, max_steps, is_warm=False, report=None):
    """Lower the objective until no pair violates by more than tol, or until it is better to compute K whole.

    Each round chooses a working set, solves the problem on its block of K with all other variables held, and updates
    the gradient of all variables by the rows of those that moved. So besides the blocks, only the rows of variables
    that moved in some round are computed.

    K is computed whole when its budget allows this and its rows would cost more, on three occasions:

    - before the first round, if a working set is half of all variables, or β ≠ 0 on many rows;
    - after the first round, if so many rows have gained a β ≠ 0 that a third of all rows will probably be needed;
    - when as many entries have been computed as the whole K costs. So a wrong guess at most doubles the cost, roughly.

    Parameters
    ----------
    problem : DualQP whose K is an ``OnDemand``, not whole
    beta, gradient : (m,) arrays, changed in place
    is_warm : bool, default False; whether β is near a solution, so that the first working set does not serve as a
        sample
    report : function of the steps and the violation, or None, the default

    Returns
    -------
    steps : int
    rounding : (m,) array, by how much rounding may have changed each G_i; None if K has been computed whole
    """
    search = WorkingSetSearch(problem, beta, gradient, is_warm)
    if search.should_start_whole():
        problem.K.whole()
    else:
        search.run(tol, max_steps, report)
    return search.steps, None if problem.K.is_whole else search.rounding


class WorkingSetSearch:
    """A search by working sets, for a K whose rows are computed on demand.

    Attributes
    ----------
    beta, gradient : (m,) arrays, changed in place
    rounding : (m,) array, by how much rounding may have changed each G_i
    is_fresh : bool, whether the gradient has been computed from β, rather than updated by moves
    is_sample : bool, whether the next working set tells how many rows will be needed, as a sample of all variables. The
        first one does, unless the search starts near a solution: then it holds only the variables still to be moved.
    steps : int, steps of pairs so far
    size : int, number of variables in a working set
    max_free : int, the most free variables in a working set
    patience : int, rounds without progress that end the search; enough for every variable to have its turn
    """

    def __init__(self, problem, beta, gradient, is_warm=False):
        self.problem, self.K, self.beta, self.gradient = problem, problem.K, beta, gradient
        self.rounding, self.is_fresh = problem.rounding(beta), True
        self.steps, self.patience, self.progress = 0, STALLED_ROUNDS, Progress(problem)
        affordable = int(np.sqrt(self.K.budget / 8) / 2)  # variables whose block takes a quarter of the budget
        self.size = max(MIN_SIZE, min(round(SIZE_PER_ROOT * np.sqrt(len(beta))), affordable))
        self.max_free = max(MAX_FREE, affordable)
        self.share_at_start = self._count_rows(beta != 0) / len(self.K)  # of the rows
        self.is_sample = not is_warm
        self.random = np.random.default_rng(0)

    def should_start_whole(self):
        """Whether K fits, and a working set is half of all variables, or K costs less whole than rows with β ≠ 0."""
        if 2 * self.size >= len(self.beta):
            return self.K.fits()
        return self.should_go_whole(self.share_at_start)

    def should_go_whole(self, share_needed):
        """Whether K fits into its budget and costs less whole than this share of its rows: from a third on."""
        return self.K.is_whole_cheaper(ROW_COST * share_needed * len(self.K) ** 2)

    def run(self, tol, max_steps, report=None):
        """Solve working sets one by one until the KKT conditions hold to tol, nothing improves, or K is whole."""
        while self.steps < max_steps and not self.K.is_whole:
            violation = kkt.violation(self.problem, self.beta, self.gradient)
            solved = violation <= tol
            if solved or self.progress.has_stalled(self.beta, self.gradient, self.patience):
                if self.is_fresh or (solved and self.rounding.max() <= NEGLIGIBLE_ROUNDING * tol):
                    break
                self.refresh()
                continue
            if report:
                report(self.steps, violation)
            working = self.choose()
            moved = self.solve(working, max(tol / 2, violation / VIOLATION_REDUCTION), max_steps - self.steps)
            if self.is_sample and self.should_go_whole(self.share_needed(working, moved)):
                self.beta[working] = moved
                self.go_whole()
            else:
                self.follow(working, moved)
                if self.K.is_whole_cheaper(self.K.computed):
                    self.go_whole()
            self.is_sample = False

    def choose(self):
        """The working set: the free variables, and enough variables on bounds that violate the KKT conditions.

        The latter fill the set up to `size`, but are at least half of `size`. Half of them may grow and half may fall,
        if there are enough of both kinds. Of each kind, half violate most, and half are random, since those that
        violate most are often neighbours, of which one is enough. The pair that violates most in each group is always
        included, since a set whose variables may all grow could not move. If there are more than `max_free` free
        variables, those that violate most are taken.
        """
        problem, beta, gradient = self.problem, self.beta, self.gradient
        b_up, b_low = kkt.bounds(problem, beta, gradient)
        in_up, in_low = beta < problem.upper, beta > problem.lower
        of_growing, of_falling = b_low[problem.groups] - gradient, gradient - b_up[problem.groups]  # violations
        free = np.flatnonzero(in_up & in_low)
        grow = np.flatnonzero(in_up & ~in_low & (of_growing > 0))
        fall = np.flatnonzero(in_low & ~in_up & (of_falling > 0))
        candidates = len(free) + len(grow) + len(fall)
        if len(free) > self.max_free:
            worst_first = np.argpartition(-np.maximum(of_growing, of_falling)[free], self.max_free)
            free = free[worst_first[: self.max_free]]
        count = max(self.size - len(free), self.size // 2)
        growing = min(len(grow), max(count // 2, count - len(fall)))
        grow, fall = self._selected(grow, of_growing, growing), self._selected(fall, of_falling, count - growing)
        working = np.unique(np.concatenate([free, grow, fall, *self._worst_pairs(b_up, b_low, in_up, in_low)]))
        self.patience = STALLED_ROUNDS * (1 + (candidates - len(working)) // len(working))
        return working[np.argsort(problem.groups[working], kind="stable")]

    def _worst_pairs(self, b_up, b_low, in_up, in_low):
        """For each group with a violation, a variable with G_i = b_up and one with G_j = b_low."""
        for s in np.flatnonzero(b_low > b_up):
            for may_move, bound in (in_up, b_up[s]), (in_low, b_low[s]):
                yield np.flatnonzero(may_move & (self.problem.groups == s) & (self.gradient == bound))[:1]

    def _selected(self, candidates, violation, count):
        """At most `count` of the candidates: half of them violate most, and half are random."""
        if len(candidates) <= count:
            return candidates
        candidates, worst = self.random.permutation(candidates), count // 2
        order = np.argpartition(-violation[candidates], worst)
        others = np.sort(order[worst:])[: count - worst]  # the first in the random order
        return candidates[np.concatenate([order[:worst], others])]

    def solve(self, working, tol, max_steps):
        """The β of the working set that minimise the objective while all others are held."""
        problem, moved = self.problem, self.beta[working]
        block, gradient = self.K.block(problem.rows_in_K()[working]), self.gradient[working]
        totals = np.bincount(problem.groups[working], moved, len(problem.totals))
        box, groups = (problem.lower[working], problem.upper[working]), problem.groups[working]
        alone = DualQP(block, block @ moved - gradient, *box, totals, groups, check_input=False)
        self.steps += descend(alone, moved, gradient, tol, max_steps)
        return moved

    def follow(self, working, moved):
        """Move the working set to these β, and update the gradient and its rounding by the rows of those that moved."""
        problem, move = self.problem, np.zeros(len(self.beta))
        move[working] = moved - self.beta[working]
        self.beta[working] = moved
        free = working[(moved > problem.lower[working]) & (moved < problem.upper[working])]
        keep = np.zeros(len(self.K), bool)
        keep[problem.rows_in_K()[free]] = True  # they will move again
        change, size = self.K.products(problem.rows, move, keep)
        self.gradient += change
        self.rounding += SUM_ROUNDING * size
        self.is_fresh = False

    def refresh(self):
        """Compute the gradient and its rounding from β, since updates add up the rounding of all moves."""
        self.gradient[:], self.rounding = self.problem.gradient(self.beta), self.problem.rounding(self.beta)
        self.is_fresh = True

    def go_whole(self):
        """Compute K whole, which ends the search, and the gradient from β."""
        self.K.whole()
        self.gradient[:] = self.problem.gradient(self.beta)

    def share_needed(self, working, moved):
        """The share of all rows that will probably be needed, by the first working set as a sample of all variables.

        It is the share of rows with β ≠ 0 at the start, times ROWS_PER_START for the rows that will replace them, plus
        the share of rows that gained a β ≠ 0 in the sample. (The share of rows that moved is a worse estimate if β does
        not start at 0: the sample then holds too many variables that leave a bound.)
        """
        return ROWS_PER_START * self.share_at_start + self.growth(working, moved)

    def growth(self, working, moved):
        """By how much the number of rows with β ≠ 0 has grown in the working set, as a share of its rows."""
        before, after = working[self.beta[working] != 0], working[moved != 0]
        return (self._count_rows(after) - self._count_rows(before)) / self._count_rows(working)

    def _count_rows(self, variables):
        """The number of rows of K that belong to these variables."""
        return len(np.unique(self.problem.rows_in_K()[variables]))

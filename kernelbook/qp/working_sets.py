"""Working sets: few variables are solved for at a time, and of K only the rows of those that moved are computed."""

import numpy as np

from kernelbook.qp import kkt
from kernelbook.qp.active_set import MAX_FREE, STALLED_ROUNDS, Progress
from kernelbook.qp.descent import VIOLATION_REDUCTION, descend
from kernelbook.qp.problem import SUM_ROUNDING, DualQP

MIN_SIZE = 500  # variables of a working set, at least
SIZE_PER_ROOT = 12  # variables of a working set, in units of √m: of 10 000 variables 1200
WHOLE_SHARE = 1 / 3  # K is computed whole where a larger share of its rows is likely to be needed
ROWS_PER_START = 4  # rows eventually needed per initially active row (measured)
NEGLIGIBLE_ROUNDING = 1e-3  # rounding of the gradient, in units of tol, for which it need not be computed anew


def descend_by_working_sets(problem, beta, gradient, tol, max_steps, report=None):
    """Lower the objective until no pair violates by more than tol, or until it is better to compute K whole.

    Each round chooses a working set, solves the problem on its block of K with all other variables held, and lets the
    gradient of all variables follow, by the rows of those that moved. So besides the blocks, only the rows of variables
    that have moved at some time are computed.

    K is computed whole, if the budget allows it, when this costs less than its rows: where a working set is half of all
    variables; where β starts on so many rows, or so many rows gain a β ≠ 0 in the first working set, that more than a
    third of all rows will probably be needed; and where as many entries have been computed as the whole K would have
    cost, which is symmetric. So a wrong guess costs about as much again, and no more.

    Parameters
    ----------
    problem : DualQP whose K is a ``Rows``, not whole
    beta, gradient : (m,) arrays, changed in place
    report : function of the steps and the violation, or None, the default

    Returns
    -------
    steps : int
    rounding : (m,) array, what rounding may have done to each G_i; None where K has been computed whole
    """
    K, search = problem.K, WorkingSetSearch(problem, beta, gradient)
    if K.fits() and search.needs_most_rows_at_start():
        K.whole()
    else:
        search.run(tol, max_steps, report)
    return search.steps, None if K.is_whole else search.rounding


class WorkingSetSearch:
    """A search by working sets, for a K whose rows are computed on demand.

    Attributes
    ----------
    beta, gradient : (m,) arrays, changed in place
    rounding : (m,) array, what rounding may have done to each G_i
    is_fresh : bool, whether the gradient has been computed from β, rather than updated by moves
    is_sample : bool, whether the next working set is a sample of all variables: the first one, except in a later call
        for the same rows, which starts from a solution, so that its working sets hold only variables still to be moved
    steps : int, of pairs
    size : int, variables of a working set
    max_free : int, free variables of a working set, at most
    patience : int, rounds without progress that end the search; enough for every variable to have its turn
    """

    def __init__(self, problem, beta, gradient):
        self.problem, self.K, self.beta, self.gradient = problem, problem.K, beta, gradient
        self.rounding, self.is_fresh = problem.rounding(beta), True
        self.steps, self.patience, self.progress = 0, STALLED_ROUNDS, Progress(problem)
        affordable = int(np.sqrt(self.K.budget / 8) / 2)  # variables whose block takes a quarter of the budget
        self.size = max(MIN_SIZE, min(round(SIZE_PER_ROOT * np.sqrt(len(beta))), affordable))
        self.max_free = max(MAX_FREE, affordable)
        self.rows_at_start = self._count_rows(beta != 0)
        self.is_sample = self.K.computed <= self.rows_at_start * len(self.K)  # no block so far
        self.random = np.random.default_rng(0)

    def needs_most_rows_at_start(self):
        """Whether a working set is half of all variables, or β ≠ 0 on more than a third of all rows."""
        return 2 * self.size >= len(self.beta) or self.rows_at_start > WHOLE_SHARE * len(self.K)

    def run(self, tol, max_steps, report=None):
        """Choose, solve and follow until the KKT conditions hold to tol, nothing improves, or K is whole."""
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
            part = self.solve(working, max(tol / 2, violation / VIOLATION_REDUCTION), max_steps - self.steps)
            most_needed = self.is_sample and self.needs_most_rows(working, part)
            self.is_sample = False
            if self.K.fits() and most_needed:
                self.beta[working] = part
                self.go_whole()
            else:
                self.follow(working, part)
                if self.K.fits() and 2 * self.K.computed > len(self.K) ** 2:
                    self.go_whole()

    def choose(self):
        """The working set: the free variables, and violating ones until there are `size`, at least half of it.

        Of the violating ones half may grow and half may fall, as far as there are such; half of each are the worst, and
        half are random, since the worst are often neighbours, of which one is enough. The pair that violates most in
        each group is among them: a set whose variables may all grow could not move. Where there is no room for all free
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
        some = self._some_of(grow, of_growing, growing), self._some_of(fall, of_falling, count - growing)
        working = np.unique(np.concatenate([free, *some, *self._worst_pairs(b_up, b_low, in_up, in_low)]))
        self.patience = STALLED_ROUNDS * (1 + (candidates - len(working)) // len(working))
        return working[np.argsort(problem.groups[working], kind="stable")]

    def _worst_pairs(self, b_up, b_low, in_up, in_low):
        """For each group that violates the KKT conditions, a variable with G_i = b_up and one with G_j = b_low."""
        for s in np.flatnonzero(b_low > b_up):
            for may_move, bound in (in_up, b_up[s]), (in_low, b_low[s]):
                yield np.flatnonzero(may_move & (self.problem.groups == s) & (self.gradient == bound))[:1]

    def _some_of(self, candidates, violation, count):
        """`count` of the candidates, half of them the worst and half of them random."""
        if len(candidates) <= count:
            return candidates
        candidates, worst = self.random.permutation(candidates), count // 2
        order = np.argpartition(-violation[candidates], worst)
        others = np.sort(order[worst:])[: count - worst]  # the first ones, in the random order
        return candidates[np.concatenate([order[:worst], others])]

    def solve(self, working, tol, max_steps):
        """The β of the working set that minimise the objective, all others held."""
        problem, part = self.problem, self.beta[working]
        block, gradient = self.K.block(problem.rows_in_K()[working]), self.gradient[working]
        totals = np.bincount(problem.groups[working], part, len(problem.totals))
        box, groups = (problem.lower[working], problem.upper[working]), problem.groups[working]
        alone = DualQP(block, block @ part - gradient, *box, totals, groups, check_input=False)
        self.steps += descend(alone, part, gradient, tol, max_steps)
        return part

    def follow(self, working, part):
        """Move the working set to these β; the gradient and its rounding follow by the rows of those that moved."""
        problem, move = self.problem, np.zeros(len(self.beta))
        move[working] = part - self.beta[working]
        self.beta[working] = part
        free = working[(part > problem.lower[working]) & (part < problem.upper[working])]
        keep = np.zeros(len(self.K), bool)
        keep[problem.rows_in_K()[free]] = True  # they will move again
        change, size = self.K.products(problem.rows, move, keep)
        self.gradient += change
        self.rounding += SUM_ROUNDING * size
        self.is_fresh = False

    def refresh(self):
        """Compute the gradient and its rounding from β: updates have added up the rounding of all moves."""
        self.gradient[:], self.rounding = self.problem.gradient(self.beta), self.problem.rounding(self.beta)
        self.is_fresh = True

    def go_whole(self):
        """Compute K whole, which ends the search; the gradient is computed from β."""
        self.K.whole()
        self.gradient[:] = self.problem.gradient(self.beta)

    def needs_most_rows(self, working, part):
        """Whether more than a third of all rows will be needed, by the first working set as a sample of all variables.

        These are the rows that β starts on, with those that will replace them, and as large a share of all rows as have
        gained a β ≠ 0 in the sample. (The number of rows that moved would say less where β does not start at 0, since
        the sample holds too many of the bounds that are left.)
        """
        needed = ROWS_PER_START * self.rows_at_start / len(self.K) + self.growth(working, part)
        return needed > WHOLE_SHARE

    def growth(self, working, part):
        """How many more rows of the working set have β ≠ 0 than before, as a share of its rows."""
        before, after = working[self.beta[working] != 0], working[part != 0]
        return (self._count_rows(after) - self._count_rows(before)) / self._count_rows(working)

    def _count_rows(self, variables):
        """How many rows of K belong to these variables."""
        return len(np.unique(self.problem.rows_in_K()[variables]))

"""Learning the weights of kernels, by Newton steps and level steps on the simplex; each step solves an SVC."""

import numpy as np

from kernelbook.learning.cutting_planes import CuttingPlanes
from kernelbook.learning.newton import newton_point, pair_hessian
from kernelbook.runtime.warn import warn

MAX_STEPS = 100  # the most changes of the weights, or of the precision at the same weights
SLOW_STEP = 0.9  # share of the gap: a Newton step that leaves more has met a kink of J, or is far from the minimum
STEP_SHARES = 1.0, 0.5, 0.25, 0.125  # shares of the Newton step that are tried, since the model may be too flat
HIDING_SHARE = 0.5  # share of the gap: if the solver's own gap is larger, J is not known well enough to go on
PRECISION_FACTOR = 0.01  # by which the solver's tolerance is multiplied when its own gap hides the rest
LEAST_PRECISION = 8 * np.finfo(float).eps  # rounding of J, and of f, which is 1 at the margin


class Point:
    """The solutions of SVC at some weights d, and what they tell about J there and at other weights.

    J is the sum of the optima of SVC over the pairs of classes. Its gradient is −q/2.

    Attributes
    ----------
    d : (M,) the weights
    solved : list of the DualQP and its Solution for each pair of classes
    converged : bool, whether the solver reached its tolerance for all pairs
    dual : float, the sum of the dual objectives; J(d) is no smaller
    solver_gap : float ≥ 0, the sum of the solver's duality gaps
    primal : float, dual + solver_gap; J(d) is no larger
    products : list of V, (M, number of objects), V_m = K_mβ for each pair
    q : (M,) the sum of βᵀK_mβ over the pairs
    bound : float, Σ|β| − max q / 2, with Σ|β| over all pairs; J is nowhere lower
    """

    def __init__(self, d, grams, solved):
        self.d, self.solved = d, solved
        self.converged = all(solution.converged for _, solution in solved)
        self.dual = -sum(solution.objective for _, solution in solved)
        self.solver_gap = sum(solution.gap for _, solution in solved)
        self.primal = self.dual + self.solver_gap
        self.products = [_products(grams, *pair) for pair in solved]
        self.q = sum(V @ solution.beta for V, (_, solution) in zip(self.products, solved, strict=True))
        self.bound = self.dual - float(self.q.max() - d @ self.q) / 2

    def is_better_than(self, other):
        """Whether J is lower here or, if the solutions cannot tell, whether this point gives the higher bound."""
        alike = self.dual < other.primal and other.dual < self.primal
        return self.primal < other.primal or (alike and self.bound > other.bound)

    def newton_point(self):
        """The weights that minimise the quadratic model of J about d."""
        hessian = sum(pair_hessian(V, *pair) for V, pair in zip(self.products, self.solved, strict=True))
        return newton_point(self.d, self.q, hessian)


class Bundle:
    """The planes below J that come from the points at which SVC was solved.

    Parameters
    ----------
    grams : (M, n, n) array
    solve : function (d, tol, starts) -> list of the DualQP and its Solution for each pair of classes; the solver
        starts from `starts`, such a list for other weights, or None
    precision : float > 0, the tol of the next call of `solve`

    Attributes
    ----------
    planes : CuttingPlanes
    precision : as above
    """

    def __init__(self, grams, solve, precision):
        self.grams, self.solve, self.precision = grams, solve, precision
        self.planes = CuttingPlanes(len(grams))

    def solve_at(self, d, start=None):
        """The Point of weights d; the solver starts from the solutions of the Point `start`, or None."""
        solved = self.solve(d, self.precision, start.solved if start else None)
        point = Point(d, self.grams, solved)
        self.planes.add(point.dual + d @ point.q / 2, point.q)
        return point

    def gap(self, point):
        """The duality gap: an upper bound of J at the point minus the lower bound of J everywhere."""
        return max(point.primal - self.planes.bound, 0.0)

    def is_hidden(self, point):
        """Whether the gap is mostly the solver's own, so that other weights cannot be compared."""
        return point.solver_gap >= HIDING_SHARE * self.gap(point)

    def is_cut_short(self, point):
        """Whether the solver gave up, with a warning, far from its tolerance."""
        return not point.converged and self.is_hidden(point)

    def step(self, point, newton):
        """The weights to try next, None if rounding hides them; and whether they come from Newton's method.

        They come from the level method, which may raise the bound, if no Newton step is asked for or the planes show a
        higher J there.
        """
        d = self._newton_step(point) if newton else None
        return (self.planes.level_point(point.d, point.dual), False) if d is None else (d, True)

    def _newton_step(self, point):
        """The end of the longest tried share of the Newton step where no plane shows a higher J, or None."""
        step = point.newton_point() - point.d
        for share in STEP_SHARES:
            if self.planes.value(point.d + share * step) <= point.primal:
                return point.d + share * step
        return None


def learn_weights(grams, solve, tol):
    """Minimise J over the weights until the duality gap is at most tol times J, or rounding hides the rest.

    Newton steps are taken while they close the gap fast. A Newton step that does not, as at a kink of J, is followed by
    a step of the level method: its planes bound J from below, so that the gap closes for every convex J. If the
    solver's own gap hides the rest, SVC is solved again at the same weights, more precisely.

    Parameters
    ----------
    grams, solve : as in Bundle
    tol : float > 0

    Returns
    -------
    best : Point, the one with the least J
    gap : float ≥ 0, its duality gap
    count : int, the number of calls of `solve`
    """
    tol = max(tol, LEAST_PRECISION)
    bundle = Bundle(grams, solve, tol)
    best = last = bundle.solve_at(np.full(len(grams), 1 / len(grams)))
    newton = True
    for _ in range(MAX_STEPS):
        gap = bundle.gap(best)
        if gap <= tol * best.dual or bundle.is_cut_short(last):
            break
        if bundle.is_hidden(best):
            d = None
        else:
            d, newton = bundle.step(best, newton)
            if bundle.gap(best) <= tol * best.dual:  # a level step has raised the bound
                break
        if d is None:  # solve again at the same weights
            if bundle.precision == LEAST_PRECISION:
                break
            bundle.precision = max(PRECISION_FACTOR * bundle.precision, LEAST_PRECISION)
            best = last = bundle.solve_at(best.d, best)
            continue
        last = bundle.solve_at(d, best)
        if last.is_better_than(best):
            best = last
        newton = not newton or bundle.gap(best) <= SLOW_STEP * gap
    gap = bundle.gap(best)
    if gap > tol * best.dual and not bundle.is_cut_short(last):
        warn(f"the weights leave a duality gap of {gap / best.dual:.3g} of the objective, more than tol = {tol:.3g}.")
    return best, gap, len(bundle.planes.h)


def _products(grams, problem, solution):
    """K_mβ for the objects of a pair of classes, (M, number of objects)."""
    if problem.rows is None:
        return grams @ solution.beta
    used = np.flatnonzero(solution.beta)
    block = grams[:, problem.rows[:, None], problem.rows[used]]
    return block @ solution.beta[used]

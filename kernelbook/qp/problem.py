"""The dual problem that all support vector machines share, and its solution."""

from copy import copy
from dataclasses import dataclass

import numpy as np

from kernelbook.linalg import loops as matrix_loops
from kernelbook.linalg.gram import gram_matrix
from kernelbook.linalg.operators import Rows
from kernelbook.qp import loops
from kernelbook.runtime.validation import finite_array, quoted, unmasked
from kernelbook.runtime.warn import warn

SMALL_GAP = 1e-3  # of the objective
ROUNDING = 8 * np.finfo(float).eps  # of a sum, in units of the sum of its terms' sizes
ALONE = 10  # times rounding: what the only free variable of a group may change its G_i by on its way to a bound


class DualQP:
    """A quadratic programme with a box, and with one sum given for each group of variables.

    minimise over β    ½ βᵀQβ − gᵀβ    subject to    lower ≤ β ≤ upper,    Σ_{i in group s} β_i = totals_s

    with Q_ij = K[rows_i, rows_j]. At a minimum there is a number ρ_s for each group such that the gradient
    G = Qβ − g has G_i ≥ ρ_s where β_i < upper_i, and G_i ≤ ρ_s where β_i > lower_i.

        estimator                       g                      box                          totals
        SVC, β_i = α_i y_i              y                      β_i y_i in [0, C_i]          0
        ν-SVC                           0                      β_i y_i in [0, 1]            ± νn/2, one a class
        SVR, β = (α⁺, −α⁻), rows twice  (y − ε, y + ε)         [0, C], [−C, 0]              0
        ν-SVR, β as in SVR              (y, y)                 [0, C], [−C, 0]              ± Cνn/2, α⁺ and −α⁻
        quantile τ                      y                      [−C (1 − τ), Cτ]             0
        one-class                       0                      [0, 1]                       νn

    Parameters
    ----------
    K : (N, N) symmetric finite array, not copied if it is so to the bit; or its ``Rows``, which are computed when they
        are asked for
    g, lower, upper : (m,) arrays
    totals : (S,) array or a number, default 0; the sum of each group
    groups : (m,) integers from 0 to S − 1, or None, the default, for one group
    rows : (m,) integers, the row of K that belongs to each variable; None, the default, for 0, 1, …, N − 1
    check_input : bool, default True; False for arrays of floats and of integers (intp) that are known to be right

    Raises
    ------
    ValueError : K not square, not symmetric or not finite; lengths that differ; a bound above its partner; totals out
        of reach

    >>> from kernelbook.qp import DualQP, smo
    >>> K, y = [[1.0, -1.0], [-1.0, 1.0]], [1, -1]  # of x = 1 and x = -1
    >>> svc = DualQP(K, g=y, lower=[0, -1], upper=[1, 0])  # C = 1
    >>> found = smo(svc)
    >>> print(found.beta, found.objective, svc.violation(found.beta, found.gradient))
    [ 0.5 -0.5] -0.5 0.0
    """

    def __init__(self, K, g, lower, upper, totals=0.0, groups=None, rows=None, *, check_input=True):
        self.K, self.g, self.lower, self.upper, self.rows = K, g, lower, upper, rows
        self.totals = np.atleast_1d(totals)
        self.groups = np.zeros(np.size(g), np.intp) if groups is None else groups
        self.check_input = check_input
        self._last = None  # β and its products with rows of K
        if check_input:
            self._check()

    def _check(self):
        if not isinstance(self.K, Rows):
            self.K = gram_matrix(self.K, "K")
        if np.ndim(self.g) != 1:
            raise ValueError(f"g must be a list of numbers, but has shape {np.shape(self.g)}.")
        self.g, m = finite_array(self.g, "g", ensure_2d=False), len(self.g)
        self.lower, self.upper = _for_each(self.lower, "lower", m), _for_each(self.upper, "upper", m)
        self.totals = finite_array(self.totals, "totals", ensure_2d=False)
        if self.totals.ndim != 1:
            raise ValueError(f"totals must be a number, or one for each group, but has shape {self.totals.shape}.")
        self.groups = _indices(self.groups, "groups", m, len(self.totals))
        if self.rows is not None:
            self.rows = _indices(self.rows, "rows", m, len(self.K))
        elif m != len(self.K):
            raise ValueError(f"g must have one entry for each of the {len(self.K)} rows of K, got {m}; or give rows.")
        if (self.lower > self.upper).any():
            i = int(np.argmax(self.lower > self.upper))
            raise ValueError(f"lower must not exceed upper, but {self.lower[i]:.6g} > {self.upper[i]:.6g} at {i}.")
        for s, total in enumerate(self.totals):
            least, most = self.lower[self.groups == s].sum(), self.upper[self.groups == s].sum()
            slack = 1e-9 * max(abs(least), abs(most))
            if not least - slack <= total <= most + slack:
                raise ValueError(
                    f"totals must be in reach of the box: group {s} sums to {least:.6g} … {most:.6g}, not {total:.6g}."
                )

    def feasible(self, start=None):
        """The point `start` (default 0) moved into the box, then the first of each group until it has its sum."""
        if start is None:
            start = np.zeros(len(self.g))
        elif self.check_input:
            start = _for_each(start, "start", len(self.g))
        beta = np.minimum(np.maximum(start, self.lower), self.upper)
        if beta.any() or self.totals.any():
            loops.reach_totals(beta, self.lower, self.upper, self.groups, self.lacking(beta))
        return beta

    def lacking(self, beta):
        """What each group lacks of its total, (S,); 0 where that is rounding: no reason to leave a bound."""
        return loops.lacking(beta, self.groups, self.totals)

    def row_sums(self, beta):
        """Σ of the β that share a row of K: what the rows of K are multiplied by."""
        return beta if self.rows is None else np.bincount(self.rows, beta, len(self.K))

    def per_variable(self, values):
        """What belongs to the rows of K, for each variable."""
        return values if self.rows is None else values[self.rows]

    def gradient(self, beta):
        """Qβ − g."""
        if isinstance(self.K, Rows):
            return self.per_variable(self._products(beta)[0]) - self.g
        if len(beta) < len(self.K):  # few of K's rows, as for one pair of many classes
            return matrix_loops.product(self.K, self.rows, beta) - self.g
        return self.per_variable(self.K @ self.row_sums(beta)) - self.g

    def rounding(self, beta):
        """What rounding may do to each G_i: 8 · 2⁻⁵² times Σ_j |Q_ij β_j| + |g_i|.

        It belongs to the variable: one far object, with entries of K beyond all others, leaves the others their digits.
        """
        if isinstance(self.K, Rows):
            return ROUNDING * (self.per_variable(self._products(beta)[1]) + np.abs(self.g))
        return ROUNDING * (matrix_loops.absolute_product(self.K, self.rows_in_K(), beta) + np.abs(self.g))

    def absolute_sums(self, sizes):
        """Σ_j |K_ij| sizes_j, (N,)."""
        if not isinstance(self.K, Rows):
            return np.abs(self.K) @ sizes
        nothing, sums = np.zeros((2, len(sizes)))
        self.K.add(nothing, nothing.copy(), sizes, sums)
        return sums

    def _products(self, beta):
        """Kβ and |K||β| by the rows of K, in one pass; kept, since they are asked for one after the other."""
        if self._last is None or not np.array_equal(self._last[0], beta):
            products = np.zeros((2, len(self.K)))
            self.K.add(self.row_sums(beta), products[0], self.row_sums(np.abs(beta)), products[1])
            self._last = beta.copy(), products
        return self._last[1]

    def with_whole_K(self):
        """The same problem with K whole, where it was given by its rows."""
        if not isinstance(self.K, Rows):
            return self
        whole = copy(self)
        whole.K = self.K.whole()
        return whole

    def rows_in_K(self):
        """The row of K that belongs to each variable."""
        return np.arange(len(self.K)) if self.rows is None else self.rows

    def objective(self, beta, gradient):
        """½ βᵀQβ − gᵀβ, from the gradient at β."""
        return float(0.5 * beta @ (gradient - self.g))

    def kkt_bounds(self, beta, gradient):
        """b_up and b_low, (S,) each: the least G_i in I_up and the largest in I_low of each group.

        I_up holds the variables with β_i < upper_i, I_low those with β_i > lower_i; where it is empty, ±∞. At a minimum
        b_low ≤ ρ ≤ b_up.
        """
        return loops.kkt_bounds(*self._state(beta, gradient), len(self.totals))

    def violation(self, beta, gradient):
        """By how much the KKT conditions fail: the largest b_low − b_up of a group, or 0."""
        b_up, b_low = self.kkt_bounds(beta, gradient)
        return max(float((b_low - b_up).max()), 0.0)

    def put_on_bounds(self, beta, rounding):
        """β with those variables on their bounds that, moved there, change their own G_i by no more than rounding.

        The only free variable of a group carries the rounding of all moves in it. So it may change its G_i by a few
        times as much, if the group has its sum there.
        """
        where = self.lower, self.upper, np.abs(self.per_variable(self.K.diagonal()))
        moved = loops.put_on_bounds(beta, *where, rounding)
        free = (moved > self.lower) & (moved < self.upper)
        alone = free & (np.bincount(self.groups, free, len(self.totals)) == 1)[self.groups]
        if not alone.any():
            return moved
        there = np.where(alone, loops.put_on_bounds(moved, *where, ALONE * rounding), moved)
        return np.where((self.lacking(there) == 0)[self.groups], there, moved)

    def within_rounding(self, beta, gradient, rounding):
        """Whether no KKT condition fails by more than rounding of its two G_i."""
        b_up, b_low = self.kkt_bounds(beta, gradient + rounding)[0], self.kkt_bounds(beta, gradient - rounding)[1]
        return bool((b_low <= b_up).all())

    def solved(self, beta, gradient, rounding):
        """Whether KKT conditions that hold to rounding also leave a gap that is small beside the objective.

        Where g = 0 the objective may be as small as its rounding, and whoever knows the unit, which is ρ, must judge.
        """
        if not self.within_rounding(beta, gradient, rounding):
            return False
        gap = loops.gap(*self._state(beta, gradient), self._rho(beta, gradient, rounding, np.inf))
        return not self.g.any() or gap <= SMALL_GAP * abs(self.objective(beta, gradient))

    def _state(self, beta, gradient):
        return beta, gradient, self.lower, self.upper, self.groups

    def _rho(self, beta, gradient, rounding, tol):
        return loops.rho(*self._state(beta, gradient), rounding <= tol, *self.kkt_bounds(beta, gradient))

    def solution(self, beta, gradient, iterations, tol, rounding=None):
        """What a solver returns; warns if the KKT conditions are violated by more than tol, and by more than rounding.

        `rounding` is that of the gradient, where the solver knows it.

        A variable so near a bound that its G_i, to its rounding, would be the same on it, is put there.
        """
        rounding = self.rounding(beta) if rounding is None else rounding
        beta = self.put_on_bounds(beta, rounding)
        violation = self.violation(beta, gradient)
        converged = violation <= tol or self.solved(beta, gradient, rounding)
        if not converged:
            lost = ", which rounding hides: centre or scale the objects" * self.within_rounding(
                beta, gradient, rounding
            )
            warn(
                f"the dual problem is not solved: after {iterations} iterations the KKT conditions are violated by "
                f"{violation:.3g}, more than tol = {tol:.3g}{lost}.",
            )
        rho = self._rho(beta, gradient, rounding, tol)
        gap = loops.gap(*self._state(beta, gradient), rho)
        return Solution(beta, gradient, rho, self.objective(beta, gradient), gap, violation, iterations, converged)


@dataclass(frozen=True)
class Solution:
    """A solved DualQP.

    Attributes
    ----------
    beta : (m,) array
    gradient : (m,) array, Qβ − g
    rho : (S,) array, ρ of each group: the mean G_i over its free variables whose rounding is at most tol; without such,
        over all its free variables; without any, the midpoint of the interval that the KKT conditions allow, or its
        finite end
    objective : float, ½ βᵀQβ − gᵀβ
    gap : float ≥ 0, primal minus dual objective: Σ_i of G_i − ρ times β_i's distance from its lower bound, or where
        G_i < ρ, from its upper bound
    violation : float ≥ 0, by how much the KKT conditions fail; 0 at a minimum
    iterations : int
    converged : bool, whether violation ≤ tol, or it is rounding, and the gap small beside the objective

    >>> from kernelbook.qp import DualQP, smo
    >>> found = smo(DualQP([[4.0, 0.0], [0.0, 0.0]], g=[1, -1], lower=[0, -1], upper=[1, 0]))  # x = 2 and x = 0
    >>> print(found.beta, found.converged, -found.rho)  # f(x) = Σ_i β_i k(x_i, x) − ρ = x − 1
    [ 0.5 -0.5] True [-1.]
    """

    beta: np.ndarray
    gradient: np.ndarray
    rho: np.ndarray
    objective: float
    gap: float
    violation: float
    iterations: int
    converged: bool


def _for_each(values, name, m):
    values = finite_array(values, name, ensure_2d=False)
    if values.shape != (m,):
        raise ValueError(f"{name} must have {m} entries, one for each of g, got shape {values.shape}.")
    return values


def _indices(values, name, m, count):
    values = np.asarray(unmasked(values, name))
    if values.shape != (m,) or values.dtype.kind not in "iu" or values.min() < 0 or values.max() >= count:
        raise ValueError(f"{name} must be {m} integers from 0 to {count - 1}, got {quoted(values)}.")
    return values.astype(np.intp)

"""The dual problem that all support vector machines share."""

import numpy as np

from kernelbook.inputs.missing_values import unmasked
from kernelbook.inputs.validation import finite_array, quoted
from kernelbook.linalg.gram import gram_matrix
from kernelbook.linalg.operators import Dense, Operator, per_variable, row_sums
from kernelbook.qp import loops

SUM_ROUNDING = 8 * np.finfo(float).eps  # rounding error of a sum, in units of the sum of its terms' absolute values


class DualQP:
    """A quadratic programme with a box, and with a given sum for each group of variables.

    minimise over β    ½ βᵀQβ − gᵀβ    subject to    lower ≤ β ≤ upper,    Σ_{i in group s} β_i = totals_s

    with Q_ij = K[rows_i, rows_j]. At a minimum there is a number ρ_s for each group such that the gradient
    G = Qβ − g has G_i ≥ ρ_s where β_i < upper_i, and G_i ≤ ρ_s where β_i > lower_i.

        estimator                       g                      box                          totals
        SVC, β_i = α_i y_i              y                      β_i y_i in [0, C_i]          0
        ν-SVC                           0                      β_i y_i in [0, 1]            ± νn/2, one per class
        SVR, β = (α⁺, −α⁻), rows twice  (y − ε, y + ε)         [0, C], [−C, 0]              0
        ν-SVR, β as in SVR              (y, y)                 [0, C], [−C, 0]              ± Cνn/2, of α⁺ and −α⁻
        quantile τ                      y                      [−C (1 − τ), Cτ]             0
        one-class                       0                      [0, 1]                       νn

    Parameters
    ----------
    K : (N, N) symmetric finite array, not copied if it is symmetric to the bit; or an Operator: one that is whole, or
        an ``OnDemand`` such as ``Rows``
    g, lower, upper : (m,) arrays
    totals : (S,) array or a number, default 0; the sum of each group
    groups : (m,) integers from 0 to S − 1, or None, the default, for one group
    rows : (m,) integers, the row of K that belongs to each variable; None, the default, for 0, 1, …, N − 1
    check_input : bool, default True; False for arrays of floats and of integers (intp) that are known to be valid

    Attributes
    ----------
    K : the operator through which solvers see K
    g, lower, upper, totals, groups, rows : as above, as arrays

    Raises
    ------
    ValueError : K not square, not symmetric or not finite; lengths that differ; a lower bound above the upper one;
        totals out of reach

    >>> from kernelbook.qp import DualQP, smo
    >>> K, y = [[1.0, -1.0], [-1.0, 1.0]], [1, -1]  # of x = 1 and x = -1
    >>> svc = DualQP(K, g=y, lower=[0, -1], upper=[1, 0])  # C = 1
    >>> found = smo(svc)
    >>> print(found.beta, found.objective, found.violation)
    [ 0.5 -0.5] -0.5 0.0
    """

    def __init__(self, K, g, lower, upper, totals=0.0, groups=None, rows=None, *, check_input=True):
        if not isinstance(K, Operator):
            K = Dense(gram_matrix(K, "K") if check_input else K)
        self.K, self.g, self.lower, self.upper, self.rows = K, g, lower, upper, rows
        self.totals = np.atleast_1d(totals)
        self.groups = np.zeros(np.size(g), np.intp) if groups is None else groups
        self.check_input = check_input
        if check_input:
            self._check()

    def _check(self):
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
        """The point `start` (default 0) clipped to the box; then the first variables of each group reach its total."""
        if start is None:
            start = np.zeros(len(self.g))
        elif self.check_input:
            start = _for_each(start, "start", len(self.g))
        beta = np.minimum(np.maximum(start, self.lower), self.upper)
        if beta.any() or self.totals.any():
            loops.reach_totals(beta, self.lower, self.upper, self.groups, self.shortfall(beta))
        return beta

    def shortfall(self, beta):
        """totals_s − Σ β_i of each group, (S,).

        It is 0 where only rounding is missing, since rounding should not move a variable off its bound.
        """
        return loops.shortfall(beta, self.groups, self.totals)

    def objective(self, beta, gradient):
        """½ βᵀQβ − gᵀβ, from the gradient at β."""
        return float(0.5 * beta @ (gradient - self.g))

    def gradient(self, beta):
        """G = Qβ − g."""
        return self.K.product(self.rows, beta) - self.g

    def rounding(self, beta):
        """The error that rounding may cause in each G_i: 8 · 2⁻⁵² (Σ_j |Q_ij β_j| + |g_i|).

        It differs from variable to variable, since a far object, with the largest entries of K, does not take digits
        from the others.
        """
        return SUM_ROUNDING * (self.K.absolute_product(self.rows, beta) + np.abs(self.g))

    def rows_in_K(self):
        """The row of K that belongs to each variable."""
        return np.arange(len(self.K)) if self.rows is None else self.rows

    def row_sums(self, beta):
        """The sum of the β that share each row of K, (N,)."""
        return row_sums(self.rows, beta, len(self.K))

    def per_variable(self, values):
        """From the values of all rows of K, (N,), the value that belongs to each variable, (m,)."""
        return per_variable(self.rows, values)


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

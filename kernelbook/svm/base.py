"""What the support vector machines share: their parameters, the choice of a solver, and what tol means to it."""

import sys
from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import Interval, StrOptions

from kernelbook.base.estimator import KernelEstimator
from kernelbook.base.training import is_precomputed, training_rows
from kernelbook.linalg.gram import gram_matrix
from kernelbook.linalg.operators import Rows
from kernelbook.linalg.tolerances import SYMMETRY_TOLERANCE
from kernelbook.qp import DualQP, interior_point, smo
from kernelbook.runtime.validation import finite_array
from kernelbook.runtime.warn import warn

MOST = sys.float_info.max  # no parameter is infinite, nor an integer that no float can hold
POSITIVE = Interval(Real, 0, MOST, closed="right")
NONNEGATIVE = Interval(Real, 0, MOST, closed="both")
SHARE = Interval(Real, 0, 1, closed="right")
TINY = np.finfo(float).tiny
MEGABYTE = 2**20
PATIENCE = 50  # steps for each variable, after which a ρ that the violation hides is given up, or
WORK = 2**27  # numbers of K read, if that is more: some tenths of a second
COMPARED = 100  # support vectors whose squared distances are looked at, where the kernel promises nothing


class SupportVectorMachine(KernelEstimator):
    """An estimator whose prediction is a sum over support vectors, from a DualQP.

    Parameters
    ----------
    kernel : as in KernelEstimator
    tol : float > 0; the violation of the KKT conditions that is left
    solver : "smo" or "interior_point"
    max_iter : int, the most steps of "smo"
    cache_size : float > 0, in MB, or None for half of the memory that is free; what rows of K may take
    verbose : bool, whether "smo" prints lines about its progress
    """

    _parameter_constraints = {
        "tol": [POSITIVE],
        "solver": [StrOptions({"smo", "interior_point"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "cache_size": [POSITIVE, None],
        "verbose": ["verbose"],
    }

    def __init__(self, kernel, tol, solver, max_iter, cache_size, verbose):
        self.kernel = kernel
        self.tol = tol
        self.solver = solver
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.verbose = verbose

    def _fit_rows(self, X, sample_weight=None, order=None):
        """The Gram matrix for the solver, as the rows that it will ask for; otherwise as ``_fit_gram``."""
        if self.solver == "interior_point":
            return self._fit_gram(X, sample_weight, order)
        budget = None if self.cache_size is None else min(self.cache_size * MEGABYTE, sys.maxsize)
        return self._fit_gram(X, sample_weight, order, partial(training_rows, budget=budget))

    def _solve(self, problem, tol=None, start=None, steps=0):
        """The solution, where so many of the `max_iter` steps are taken already."""
        tol = self.tol if tol is None else tol
        if self.solver == "interior_point":
            return interior_point(problem, tol)
        solution = smo(problem, start, tol, self.max_iter - steps, self.verbose)
        self._warn_if_indefinite(problem, solution)
        return solution

    def _warn_if_indefinite(self, problem, solution):
        """A ConvergenceWarning where two support vectors have a negative squared distance: no minimum need be found."""
        if getattr(self.kernel_, "conditionally_psd", False):
            return
        rows = np.unique(problem.rows_in_K()[solution.beta != 0])[:COMPARED]
        K = problem.K.block(rows) if isinstance(problem.K, Rows) else problem.K[np.ix_(rows, rows)]
        half_squared = np.add.outer(K.diagonal() / 2, K.diagonal() / 2) - K
        if len(rows) and half_squared.min() < -SYMMETRY_TOLERANCE * np.abs(K).max():
            warn(
                "the kernel is not conditionally PSD: for two support vectors (k(x, x) + k(z, z))/2 - k(x, z) is "
                "negative, and no squared distance is. The machine may be far from the best; of Euclidean distances d, "
                "exp(-gamma d²) is a kernel."
            )

    def _solve_in_units(self, problem, unit):
        """The solution whose KKT conditions hold to tol times |unit(solution)|, and the steps of all attempts.

        Where g = 0, tol has no natural unit. The first attempt takes the largest |f| at its start for the unit. While
        the violation hides the unit, each attempt leaves a tenth of it, and takes up to ten times as many steps. So the
        unit is given up when they have become many: it is a tiny share of the first one, if it is not 0.
        """
        start, iterations, m = problem.feasible(), 0, len(problem.g)
        tol = max(self.tol * np.abs(problem.gradient(start)).max(), TINY)
        while True:
            solution = self._solve(problem, tol, start, iterations)
            iterations += solution.iterations
            size = abs(unit(solution))
            hidden = size <= solution.violation
            in_vain = solution.violation > tol or tol == TINY  # rounding, or the limit of steps
            in_vain |= hidden and iterations > max(PATIENCE * m, WORK / m)
            if solution.violation <= self.tol * size or in_vain or self.solver == "interior_point":
                return solution, iterations
            tol = max(tol / 10 if hidden else self.tol * size / 2, TINY)
            start = solution.beta

    def _warn_if_too_small(self, rho, solution):
        """A ConvergenceWarning where rounding kept the KKT conditions from holding to tol in units of ρ."""
        if solution.converged and solution.violation > self.tol * abs(rho):
            warn(
                f"with nu = {self.nu:.6g} ρ is as small as {rho:.3g}; in its units the KKT conditions are violated by "
                f"{solution.violation / max(abs(rho), TINY):.3g}, more than tol = {self.tol:.3g}.",
            )

    def _warn_of_rounding(self, solution, tol):
        """A ConvergenceWarning where the problem counts as solved, though rounding keeps the violation above tol."""
        if solution.converged and solution.violation > tol:
            warn(
                f"rounding hides more of the fit than tol allows: the KKT conditions are violated by "
                f"{solution.violation:.3g}, and tol is {tol:.3g} in units of y. Centre or scale the objects.",
            )

    def _set_support(self, support):
        self.support_ = support
        there_are_none = is_precomputed(self.kernel_)
        self.support_vectors_ = np.empty((0, 0)) if there_are_none else _safe_indexing(self.X_fit_, support)


def c_svc(K, sign, C, rows=None):
    """The dual problem of SVC for labels ±1 and a C for each object."""
    return DualQP(K, sign, np.minimum(0, C * sign), np.maximum(0, C * sign), rows=rows, check_input=False)


def two_class_problem(K, y):
    """K and y, checked: a Gram matrix and labels −1 and +1, both there."""
    K, y = gram_matrix(K, "K"), finite_array(y, "y", ensure_2d=False)
    if y.shape != (len(K),) or set(y) != {-1.0, 1.0}:
        raise ValueError(
            f"y must hold {len(K)} labels -1 and +1, of both kinds, got shape {y.shape} and {np.unique(y)[:5]}."
        )
    return K, y

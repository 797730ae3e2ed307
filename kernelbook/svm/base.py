"""What the support vector machines share: their parameters, and the solver that these choose."""

import sys
from functools import partial
from numbers import Integral

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import Interval, StrOptions

from kernelbook.base.estimator import KernelEstimator
from kernelbook.base.training import is_precomputed, training_rows
from kernelbook.linalg.tolerances import SINGLE_TOLERANCE
from kernelbook.qp import interior_point, smo
from kernelbook.runtime.intervals import POSITIVE
from kernelbook.runtime.warn import warn
from kernelbook.svm.relative_tolerance import solve_relative

MEGABYTE = 2**20
COMPARED = 100  # support vectors, at most, whose distances show whether a kernel is conditionally PSD


class SupportVectorMachine(KernelEstimator):
    """An estimator whose prediction is a sum over support vectors, from a DualQP.

    Parameters
    ----------
    kernel : as in KernelEstimator
    tol : float > 0; the violation of the KKT conditions that is left
    solver : "smo" or "interior_point"
    max_iter : int, the most steps of "smo"
    cache_size : float > 0, in MB, or None for half of the free memory; the memory for rows of K
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
        """As ``_fit_gram``, but for "smo" the ``Rows`` of the Gram matrix, which it computes on demand."""
        if self.solver == "interior_point":
            return self._fit_gram(X, sample_weight, order)
        budget = None if self.cache_size is None else min(self.cache_size * MEGABYTE, sys.maxsize)
        return self._fit_gram(X, sample_weight, order, partial(training_rows, budget=budget))

    def _solve(self, problem, tol=None, start=None, steps=0):
        """The Solution; `steps` of the `max_iter` have been taken before."""
        tol = self.tol if tol is None else tol
        if self.solver == "interior_point":
            return interior_point(problem, tol)
        solution = smo(problem, start, tol, self.max_iter - steps, self.verbose)
        if not getattr(self.kernel_, "conditionally_psd", False):
            warn_if_indefinite(problem, solution)
        return solution

    def _solve_relative(self, problem, unit):
        """The Solution whose KKT conditions hold to tol · |unit(Solution)|, and the steps taken."""
        attempts = 1 if self.solver == "interior_point" else np.inf  # it has no start to go on from
        return solve_relative(self._solve, problem, unit, self.tol, attempts)

    def _set_support(self, support):
        self.support_ = support
        no_objects = is_precomputed(self.kernel_)
        self.support_vectors_ = np.empty((0, 0)) if no_objects else _safe_indexing(self.X_fit_, support)


def warn_if_indefinite(problem, solution):
    """A ConvergenceWarning where two support vectors have a negative squared distance: there may be no minimum."""
    rows = np.unique(problem.rows_in_K()[solution.beta != 0])[:COMPARED]
    K = problem.K.block(rows)
    half_squared = np.add.outer(K.diagonal() / 2, K.diagonal() / 2) - K
    if len(rows) and half_squared.min() < -SINGLE_TOLERANCE * np.abs(K).max():
        warn(
            "the kernel is not conditionally PSD: for two support vectors (k(x, x) + k(z, z))/2 - k(x, z) is "
            "negative, which a squared distance never is. The machine may be far from the best; for Euclidean "
            "distances d, exp(-gamma d²) is a kernel."
        )

"""The base class of all support vector machines: their parameters, the solver, the support vectors."""

import sys

import numpy as np
from sklearn.utils._param_validation import StrOptions

from kernelbook.base.estimator import KernelEstimator
from kernelbook.base.kernel_parameters import HasKernel
from kernelbook.base.training import training_gram, training_rows
from kernelbook.inputs.intervals import POSITIVE_INTEGER, POSITIVE_REAL
from kernelbook.linalg.operators import Dense, Operator
from kernelbook.linalg.tolerances import SINGLE_TOLERANCE, is_negative
from kernelbook.qp import interior_point, smo
from kernelbook.runtime.warn import warn
from kernelbook.svm.relative_tolerance import solve_relative

MEGABYTE = 2**20
COMPARED = 100  # the most support vectors whose distances are checked to see if a kernel is conditionally PSD


class SupportVectorMachine(HasKernel, KernelEstimator):
    """An estimator that solves a DualQP and predicts by a sum over its support vectors.

    Parameters
    ----------
    kernel : as in HasKernel
    tol : float > 0; the largest violation of the KKT conditions that the solver leaves
    solver : "smo" or "interior_point"
    max_iter : int, the most steps of "smo"
    cache_size : float > 0, in MB, or None for half of the free memory; the memory for rows of K
    verbose : bool, whether "smo" prints lines about its progress
    """

    _coef0_in_scikit_learn = 0
    _parameter_constraints = {
        "tol": [POSITIVE_REAL],
        "solver": [StrOptions({"smo", "interior_point"})],
        "max_iter": [POSITIVE_INTEGER],
        "cache_size": [POSITIVE_REAL, None],
        "verbose": ["verbose"],
    }

    def __init__(self, kernel, tol, solver, max_iter, cache_size, verbose):
        self.kernel = kernel
        self.tol = tol
        self.solver = solver
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.verbose = verbose

    def _coefficients(self):
        return self.dual_coef_

    def _kernel_to_fit(self):
        """The kernel for ``fit``: the parameter, unless a subclass has learned one."""
        return self.kernel

    def _fit_operator(self, X, sample_weight=None, order=None):
        """The Gram matrix as an Operator: ``Rows`` for "smo", which computes them on demand."""
        kernel = self._kernel_to_fit()
        if self.solver == "smo":
            budget = None if self.cache_size is None else min(self.cache_size * MEGABYTE, sys.maxsize)
            K = self._keep_training(X, *training_rows(kernel, X, sample_weight, order, budget))
        else:
            K = self._keep_training(X, *training_gram(kernel, X, sample_weight, order))
        return K if isinstance(K, Operator) else Dense(K)

    def _solve(self, problem, tol=None, start=None, steps=0):
        """The Solution by the chosen solver, which has taken `steps` of its `max_iter` before."""
        tol = self.tol if tol is None else tol
        solution = solve_dual(problem, self.solver, tol, self.max_iter - steps, start, self.verbose)
        warn_if_indefinite(self.kernel_, problem, solution)
        return solution

    def _solve_relative(self, problem, unit):
        """The Solution whose KKT conditions hold to tol · |unit(Solution)|, and the steps taken."""
        attempts = 1 if self.solver == "interior_point" else np.inf  # it takes no start
        return solve_relative(self._solve, problem, unit, self.tol, attempts)


def solve_dual(problem, solver, tol, max_iter, start=None, verbose=False):
    """The Solution by "interior_point", or by "smo", the only one to which the last three arguments matter."""
    return interior_point(problem, tol) if solver == "interior_point" else smo(problem, start, tol, max_iter, verbose)


def warn_if_indefinite(kernel, problem, solution):
    """A ConvergenceWarning if two support vectors have a negative squared distance, so that there may be no minimum."""
    if getattr(kernel, "conditionally_psd", False):
        return
    rows = np.unique(problem.rows_in_K()[solution.beta != 0])[:COMPARED]
    K = problem.K.block(rows)
    half_squared = np.add.outer(K.diagonal() / 2, K.diagonal() / 2) - K
    if len(rows) and is_negative(half_squared.min(), np.abs(K).max(), SINGLE_TOLERANCE):
        warn(
            "the kernel is not conditionally PSD: for two support vectors (k(x, x) + k(z, z))/2 - k(x, z) is "
            "negative, which a squared distance never is. The machine may be far from the best; for Euclidean "
            "distances d, exp(-gamma d²) is a kernel."
        )

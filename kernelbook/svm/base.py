"""What the support vector machines share: the choice of a solver, offsets, and sums over support vectors."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import Interval, StrOptions

from kernelbook.estimator import KernelEstimator
from kernelbook.solvers import DualQP, interior_point, smo

POSITIVE = Interval(Real, 0, None, closed="neither")


class SupportVectorMachine(KernelEstimator):
    """An estimator whose prediction is a sum over support vectors, from a DualQP."""

    _parameter_constraints = {
        "tol": [POSITIVE],
        "solver": [StrOptions({"smo", "interior_point"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def _solve(self, problem, tol=None, start=None):
        tol = self.tol if tol is None else tol
        if self.solver == "interior_point":
            return interior_point(problem, tol)
        return smo(problem, start, tol, self.max_iter)

    def _set_support(self, support):
        self.support_ = support
        precomputed = isinstance(self.kernel_, str)
        self.support_vectors_ = np.empty((0, 0)) if precomputed else _safe_indexing(self.X_fit_, support)


def offsets(problem, solution):
    """For each group the ρ of the KKT conditions: the mean gradient of its free variables.

    Where none is free, ρ may be any number from the largest gradient of those that may fall to the least of those that
    may grow; the middle is taken, or the one end there is.
    """
    beta, G = solution.beta, solution.gradient
    free = (beta > problem.lower) & (beta < problem.upper)
    found = []
    for s, ends in enumerate(zip(*problem.extremes(beta, G), strict=True)):
        of_group = G[free & (problem.groups == s)]
        found.append(of_group.mean() if len(of_group) else np.mean([end for end in ends if np.isfinite(end)]))
    return np.array(found)


def c_svc(K, sign, C, rows=None):
    """The dual problem of SVC for labels ±1 and a C for each object."""
    return DualQP(K, sign, np.minimum(0, C * sign), np.maximum(0, C * sign), rows=rows)


def c_svc_gap(problem, solution, b):
    """½‖f‖² + Σ C_i ξ_i − (Σ α_i − ½‖f‖²), where f(x_i) = G_i + y_i."""
    y, beta = problem.g, solution.beta
    f = solution.gradient + y
    slack = np.maximum(0, 1 - y * (f + b))
    C = np.maximum(problem.upper, -problem.lower)
    return float(beta @ f + C @ slack - y @ beta)

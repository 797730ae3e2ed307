"""The solution of a DualQP."""

from dataclasses import dataclass

import numpy as np

from kernelbook.qp import kkt
from kernelbook.runtime.warn import warn


@dataclass(frozen=True)
class Solution:
    """A solved DualQP.

    Attributes
    ----------
    beta : (m,) array
    gradient : (m,) array, Qβ − g
    rho : (S,) array, ρ of each group: the mean G_i over its free variables whose rounding is at most tol; without such,
        over all its free variables; without any, the midpoint of the KKT interval, or its finite end
    objective : float, ½ βᵀQβ − gᵀβ
    gap : float ≥ 0, primal minus dual objective: Σ_i |G_i − ρ| times β_i's distance from its lower bound, or where
        G_i < ρ, from its upper bound
    violation : float ≥ 0, by how much the KKT conditions fail; 0 at a minimum
    iterations : int
    converged : bool, whether violation ≤ tol, or the violation is rounding and the gap small in units of the objective

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

    @classmethod
    def at(cls, problem, beta, gradient, iterations, tol, rounding=None):
        """The solution at β, where a solver stopped; a ConvergenceWarning if β is not optimal to tol or to rounding.

        `rounding` is that of the gradient, where the solver knows it. A variable so near a bound that its G_i, to its
        rounding, would be the same on it, is put on the bound.
        """
        rounding = problem.rounding(beta) if rounding is None else rounding
        beta = kkt.snap_to_bounds(problem, beta, rounding)
        violation = kkt.violation(problem, beta, gradient)
        converged = violation <= tol or kkt.solved_to_rounding(problem, beta, gradient, rounding)
        if not converged:
            hidden = kkt.hold_to_rounding(problem, beta, gradient, rounding)
            advice = ", which rounding hides: centre or scale the objects" if hidden else ""
            warn(
                f"the dual problem is not solved: after {iterations} iterations the KKT conditions are violated by "
                f"{violation:.3g}, more than tol = {tol:.3g}{advice}.",
            )
        rho = kkt.rho(problem, beta, gradient, exact=rounding <= tol)
        gap = kkt.gap(problem, beta, gradient, rho)
        return cls(beta, gradient, rho, problem.objective(beta, gradient), gap, violation, iterations, converged)

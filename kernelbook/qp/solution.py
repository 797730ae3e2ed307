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
    rho : (S,) array, ρ of each group: the mean G_i over its free variables with a rounding of at most tol or, if there
        are none, over all its free variables; without free variables the midpoint of the KKT interval, or its finite
        end
    objective : float, ½ βᵀQβ − gᵀβ
    gap : float ≥ 0, primal minus dual objective: the sum of |G_i − ρ| times the distance of β_i from its lower bound
        or, if G_i < ρ, from its upper bound
    violation : float ≥ 0, the violation of the KKT conditions; 0 at a minimum
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

        `rounding` is the rounding of the gradient, if the solver knows it. A variable that can reach a bound without
        changing its G_i by more than rounding is put there.
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

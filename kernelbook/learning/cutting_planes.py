"""Planes below a convex function on the simplex: the lower bound that they give, and the step of the level method."""

import numpy as np
from scipy.linalg import helmert
from scipy.optimize import nnls

LEVEL = 0.2  # share of the way from the bound to J(d): low enough for a piecewise linear J, high enough for a curved J
FEASIBLE_RESIDUAL = 0.25  # the last entry of r is 0 where no z is feasible, else −1 / (1 + ‖z‖²), and ‖z‖² ≤ 2


class CuttingPlanes:
    """Planes below a convex J on the simplex: J(d) ≥ max_k (h_k − q_kᵀd / 2).

    Any weighted mean of the planes, with weights λ, is below J too. So J is nowhere below

        bound = Σ_k λ_k h_k − max_m Σ_k λ_k q_km / 2.

    Attributes
    ----------
    h : (K,) array
    q : (K, M) array
    bound : float, the largest known bound

    References
    ----------
    Lemaréchal, Nemirovskii & Nesterov (1995), New variants of bundle methods, Mathematical Programming 69; Lawson &
    Hanson (1974), Solving least squares problems, chapter 23.
    """

    def __init__(self, size):
        self.h, self.q, self.bound = np.empty(0), np.empty((0, size)), -np.inf

    def add(self, h, q):
        self.h, self.q = np.append(self.h, h), np.vstack([self.q, q])
        self._raise_bound(np.eye(len(self.h))[-1])

    def value(self, d):
        """The largest of the planes at d."""
        return (self.h - self.q @ d / 2).max()

    def level_point(self, d, value):
        """The point nearest to d, (M,), where no plane is above a level between the bound and `value`, J(d).

        If there is no such point, some mean of the planes is nowhere below the level. This mean raises the bound, and a
        higher level is tried. None if rounding hides that the bound rises.
        """
        while True:
            level = self.bound + LEVEL * (value - self.bound)
            nearest, shares = self._nearest(d, level)
            if nearest is not None or not self._raise_bound(shares):
                return nearest

    def _raise_bound(self, shares):
        """Raise the bound to that of the mean of the planes with these shares. Returns whether it has risen."""
        before = self.bound
        self.bound = max(before, float(shares @ self.h - (shares @ self.q).max() / 2))
        return self.bound > before

    def _nearest(self, d, level):
        """The point nearest to d where no plane is above the level, or None; and the shares of the planes in the proof.

        With z in an orthonormal basis of the vectors of sum 0, this is: minimise ‖z‖ subject to Az ≥ b. Least distance
        programming finds the u ≥ 0 for which [Aᵀ; bᵀ] u is nearest to (0, …, 0, 1). The residual r gives
        z = −r_{1…} / r_last; r is 0 if no z is feasible.
        """
        M, basis = len(d), helmert(len(d)).T
        A = np.vstack([basis, self.q @ basis / 2])
        b = np.append(-d, self.h - self.q @ d / 2 - level)
        columns = np.vstack([A.T, b])
        sizes = np.linalg.norm(columns, axis=0)
        sizes[sizes == 0] = 1.0
        columns /= sizes
        aim = np.eye(M)[-1]
        u, _ = nnls(columns, aim)
        *z, last = columns @ u - aim
        shares = u[M:] / sizes[M:]
        shares /= shares.sum() or 1.0
        if last > -FEASIBLE_RESIDUAL or not shares.any():  # no shares: rounding hides that J(d) is above the level
            return None, shares
        nearest = np.where(u[:M] > 0, 0.0, d - basis @ z / last).clip(0)
        return nearest / nearest.sum(), shares

"""Least squares with a ridge: one linear system for one ridge, one eigendecomposition for many."""

import numpy as np
from scipy.linalg import eigh, lapack

from kernelbook.linalg.tolerances import SINGLE_TOLERANCE, is_negative, typical_rounding
from kernelbook.runtime.warn import warn

MIN_RECIPROCAL_CONDITION = 1e-12  # of a linear system; below it fewer than about four digits of f would be right
ROWS_SUMMED_AT_A_TIME = 128  # rows of a matrix whose sizes are summed in one step


class RidgeSystem:
    """Ridge regression with weights and an intercept, reduced to ridge regression with neither.

    minimise over c in Rⁿ, b in R    Σ_i w_i (y_i − (Kc)_i − b)² + alpha cᵀKc

    With c = W^½z the objective is ‖W^½y − W^½KW^½z − b√w‖² + alpha zᵀW^½KW^½z. If b = 0, the solution is
    z = (W^½KW^½ + alpha I)⁻¹ W^½y.

    The best b makes the residual orthogonal to √w, and z is the residual divided by alpha, so z is orthogonal to √w
    too. The reflection Q = I − hhᵀ takes √w to a multiple of a unit vector e_p. Then entry p of Qz is 0, and the other
    n − 1 entries solve the ridge regression with Q W^½KW^½ Q and Q W^½y, from which row and column p are removed. K may
    be indefinite as long as this remaining matrix is not. Object p is the heaviest. Then h is small at all objects of
    small weight, and no entries of the heavy object are subtracted from theirs.

    Parameters
    ----------
    K : (n, n) symmetric matrix, which is overwritten
    y : (n,) or (n, t) targets
    weight : (n,) array ≥ 0, or None for ones
    fit_intercept : bool; whether b is free, or 0

    Attributes
    ----------
    K, y : the matrix and the targets of the reduced problem; K is used up by ``solve`` or a RidgeDecomposition
    """

    def __init__(self, K, y, weight=None, fit_intercept=False):
        self.fit_intercept = fit_intercept
        self.root_weight = np.ones(len(K)) if weight is None else np.sqrt(weight)
        if fit_intercept:
            share = np.square(self.root_weight) / np.square(self.root_weight).sum()
            self.row_means, self.y_mean = K @ share, share @ y
            y = y - self.y_mean
        if weight is not None:
            K *= np.multiply.outer(self.root_weight, self.root_weight)
            y = self.times_root_weight(y)
        self.diagonal = K.diagonal().copy()
        self.removed = np.zeros(len(K))  # sizes on the diagonal of the part of K that the reflection removes
        if fit_intercept:
            self.heaviest = np.argmax(self.root_weight)
            self.h = _reflector(self.root_weight, self.heaviest)
            K = _reflect(self.h, _reflect(self.h, K).T)
            others = np.arange(len(K)) != self.heaviest
            self.removed = np.abs(K[self.heaviest]).max() * np.square(self.h[others])
            K, y = K[np.ix_(others, others)], _reflect(self.h, y)[others]
        self.K, self.y = K, y

    def solve(self, alpha):
        """c for one alpha, of least norm if several are best. The matrix is overwritten."""
        diagonal = self.K.diagonal().copy()
        z = self._solve_by_cholesky(diagonal + alpha)
        if z is not None:
            return self.times_root_weight(self.restored(z))
        np.fill_diagonal(self.K, diagonal)
        decomposition = RidgeDecomposition(self, alpha)
        return decomposition.solve(alpha, margin=len(diagonal))  # LAPACK's condition is up to n times κ₂

    def intercept(self, c):
        """The best b for these c, the weighted mean of y − Kc: a number, or (t,) numbers."""
        return self.y_mean - self.row_means @ c if self.fit_intercept else np.zeros(c.shape[1:])[()]

    def _solve_by_cholesky(self, diagonal):
        """(K + alpha I)⁻¹ y for this diagonal of K + alpha I, or None if rounding may spoil it.

        Of K only the entries below the diagonal survive. The error depends on the condition of the scaled matrix
        S = D^−½ (K + alpha I) D^−½, D the diagonal (Demmel 1989). A far or heavy object makes K + alpha I
        ill-conditioned, but not S, and costs no digits.
        """
        K = self.K
        if len(K) == 0:
            return self.y
        if not diagonal.min() > 0:
            return None
        np.fill_diagonal(K, diagonal)
        scale = 1 / np.sqrt(diagonal)
        blocks = (slice(start, start + ROWS_SUMMED_AT_A_TIME) for start in range(0, len(K), ROWS_SUMMED_AT_A_TIME))
        norm = max((scale[rows] * (np.abs(K[rows]) @ scale)).max() for rows in blocks)  # of S
        # LAPACK works by columns: K.T shares its memory with K, whose upper triangle becomes the factor.
        factor, failed = lapack.dpotrf(K.T, lower=True, clean=False, overwrite_a=True)
        if failed:
            return None
        z = lapack.dpotrs(factor, self.y, lower=True)[0]
        for i, row in enumerate(K):
            row[i:] *= scale[i:]  # makes it the factor of S
        reciprocal_condition = lapack.dpocon(factor, 1.0, uplo="L")[0]
        rounding = max(MIN_RECIPROCAL_CONDITION, len(K) * np.finfo(float).eps)
        return z if reciprocal_condition > rounding * max(norm, (self.removed / diagonal).sum()) else None

    def times_root_weight(self, A):
        """W^½ A."""
        return (self.root_weight * A.T).T

    def restored(self, z):
        """Vectors for all n objects from vectors of the reduced problem."""
        return _reflect(self.h, np.insert(z, self.heaviest, 0.0, axis=0)) if self.fit_intercept else z


class RidgeDecomposition:
    """The eigenvalues and eigenvectors of a RidgeSystem, which solve it for any alpha.

    W^½KW^½ u_j = μ_j u_j, with u_j orthogonal to √w if b is free. It warns if K + least_alpha I or K has a negative
    eigenvalue, or if rounding hides a tenth of the objects.

    Parameters
    ----------
    system : RidgeSystem, whose matrix is given up
    least_alpha : float ≥ 0, the least alpha that will be asked for

    Attributes
    ----------
    mu, U : the μ_j, with those that are rounding set to 0, and the u_j as columns
    coordinates : (number of μ_j, t) ⟨u_j, W^½y⟩
    """

    def __init__(self, system, least_alpha):
        mu, U = eigh(system.K, lower=True, overwrite_a=True, driver="evd")
        del system.K  # overwritten, and as large as U
        self.system = system
        # Rounding is relative to the matrix before the reduction, of which a large part may have been removed.
        self.size = max(np.abs(mu).max(), system.removed.sum())
        if is_negative(mu[0] + least_alpha, self.size):  # even if it is small, since f may be huge
            self._warn_of_negative(mu[0] + least_alpha, "K + alpha I")
        elif is_negative(mu[0], self.size, SINGLE_TOLERANCE):
            self._warn_of_negative(mu[0], "K")
        self._warn_of_hidden_objects(least_alpha)
        self.rounding = typical_rounding(len(mu), self.size)
        mu[np.abs(mu) <= self.rounding] = 0
        self.mu, self.U, self.coordinates = mu, system.restored(U), U.T @ system.y

    def solve(self, alpha, margin=1):
        """c = W^½ Σ_j u_j ⟨u_j, W^½y⟩ / (μ_j + alpha), for any alpha.

        A direction is left out if μ_j + alpha is 0 to rounding. A direction with μ_j = 0 to rounding adds about
        rounding / alpha to f, and is left out if alpha ≤ margin · 10⁻¹² · the size of the matrix.
        """
        shifted = self.mu + alpha
        matters = alpha > margin * MIN_RECIPROCAL_CONDITION * self.size
        kept = np.where(self.mu == 0, matters, np.abs(shifted) > self.rounding)
        z = self.U[:, kept] @ (self.coordinates[kept].T / shifted[kept]).T
        return self.system.times_root_weight(z)

    def leave_one_out(self, alphas):
        """Residuals, leave-one-out residuals and degrees of freedom for each alpha.

        With s_j = alpha / (μ_j + alpha), these are

            r = U diag(s) Uᵀ W^½y,   r_i / (1 − H_ii) = r_i / Σ_j U_ij² s_j,   tr H = Σ_j (1 − s_j),

        of shapes (A, n, t), (A, n, t) and (A,). An intercept adds 1 to the degrees of freedom. Residuals come
        multiplied by √w_i. If K + alpha I is singular, because K is indefinite, they are infinite and tr H is NaN.
        """
        shifted = np.add.outer(self.mu, alphas)
        singular = (self.mu < 0)[:, None] & (np.abs(shifted) <= self.rounding)
        s = alphas / np.where(singular, np.nan, shifted)
        residuals = np.stack([self.U @ (s_alpha[:, None] * self.coordinates) for s_alpha in s.T])
        left_out = residuals / (np.square(self.U) @ s).T[:, :, None]
        undefined = singular.any(axis=0)
        residuals[undefined] = left_out[undefined] = np.inf
        return residuals, left_out, (1 - s).sum(axis=0) + self.system.fit_intercept

    def _warn_of_negative(self, eigenvalue, matrix):
        where, which = (" on the vectors of sum 0", "conditionally ") if self.system.fit_intercept else ("", "")
        warn(
            f"{matrix} has the negative eigenvalue {eigenvalue:.3g}{where}: the kernel is not {which}PSD, and the "
            "solution need not minimise anything."
        )

    def _warn_of_hidden_objects(self, alpha):
        """Warn if a tenth of the objects are lost in rounding, and alpha does not outweigh them.

        They are lost in W^½KW^½ beside far or heavy objects: an object enters this matrix with w_i K_ii. A few small
        ones matter little to f.
        """
        sizes = self.system.diagonal[self.system.diagonal > 0]
        small = np.quantile(sizes, 0.1) if len(sizes) else 0.0
        if alpha < len(sizes) * small and small + alpha < MIN_RECIPROCAL_CONDITION * self.size:
            warn(
                f"K times the weights is of size {self.size:.3g}, but of size {small:.3g} or less for a tenth of the "
                "objects, which vanish in its rounding: f hardly depends on them. Bring objects and weights nearer to "
                "one scale."
            )


def _reflector(vector, p):
    """h with hᵀh = 2, such that I − hhᵀ takes a vector of entries ≥ 0 to a multiple of the unit vector e_p."""
    h = vector / np.linalg.norm(vector)
    h[p] += 1
    return h / np.sqrt(h[p])


def _reflect(h, A):
    """(I − hhᵀ) A, in place of A."""
    A -= np.multiply.outer(h, h @ A)
    return A

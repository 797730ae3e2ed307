"""Least squares with a ridge: one linear system, or a decomposition for many ridges, with weights and a free offset."""

import numpy as np
from scipy.linalg import eigh, lapack

from kernelbook.linalg.tolerances import is_negative, is_plainly_negative
from kernelbook.runtime.warn import warn

SINGULAR = 1e-12  # of 1, a reciprocal condition number: below it fewer than about four digits of f would be right
ROWS = 128  # of a matrix that are summed at a time


class RidgeSystem:
    """Ridge regression with weights and an offset, written as ridge regression with neither.

    minimise over c in Rⁿ, b in R    Σ_i w_i (y_i − (Kc)_i − b)² + alpha cᵀKc

    With c = W^½ z, this is ‖W^½y − W^½KW^½ z − b√w‖² + alpha zᵀW^½KW^½z. The best b leaves a residual orthogonal to √w,
    and z is the residual divided by alpha. Let the reflection Q = I − hhᵀ take √w to a multiple of a unit vector e_p.
    Then entry p of Qz is 0, and the other n − 1 solve the ridge regression with Q W^½KW^½ Q and Q W^½y from which row
    and column p are removed. K may be indefinite as long as this part of it is not. Object p is the heaviest: h is then
    small elsewhere where w is, and no heavy object is subtracted from light ones.

    Parameters
    ----------
    K : (n, n) symmetric matrix, which is overwritten
    y : (n,) or (n, t) targets
    weight : (n,) array ≥ 0, or None for ones
    offset : bool; whether b is free, or 0
    """

    def __init__(self, K, y, weight=None, offset=False):
        self.offset = offset
        self.root = np.ones(len(K)) if weight is None else np.sqrt(weight)
        if offset:
            share = np.square(self.root) / np.square(self.root).sum()
            self.row_means, self.y_mean = K @ share, share @ y
            y = y - self.y_mean
        if weight is not None:
            K *= np.multiply.outer(self.root, self.root)
            y = (self.root * y.T).T
        self.sizes = K.diagonal().copy()
        self.removed_diagonal = np.zeros(len(K))  # of what is removed: K, beside it, may be nothing but its rounding
        if offset:
            self.heaviest = np.argmax(self.root)
            self.h = _reflector(self.root, self.heaviest)
            K = _reflect(self.h, _reflect(self.h, K).T)
            others = np.arange(len(K)) != self.heaviest
            self.removed_diagonal = np.abs(K[self.heaviest]).max() * np.square(self.h[others])
            K, y = K[np.ix_(others, others)], _reflect(self.h, y)[others]
        self.removed_size = self.removed_diagonal.sum()
        self.K, self.y = K, y

    def solve_once(self, alpha):
        """c for one alpha, of least norm where several are best; the matrix is spent."""
        diagonal = self.K.diagonal().copy()
        z = self._by_cholesky(diagonal + alpha)
        if z is None:
            np.fill_diagonal(self.K, diagonal)
            z = self._of_least_norm(alpha)
        return (self.root * self._restored(z).T).T

    def decompose(self, least_alpha):
        """Set ``mu`` and ``U``, eigenvalues and eigenvectors of W^½KW^½, and ``coordinates``, Uᵀ W^½y.

        The vectors are orthogonal to √w if b is free, and eigenvalues that are rounding become 0. Warns where μ is
        plainly negative, or μ + least_alpha is, or where rounding hides most objects. The matrix is spent.
        """
        mu, U = eigh(self.K, overwrite_a=True, driver="evd")
        del self.K
        self.size = self._size(mu)
        if is_plainly_negative(mu[0], self.size):
            self._warn_of_negative(mu[0], "K")
        elif is_negative(mu[0] + least_alpha, self.size):  # no rounding makes f large
            self._warn_of_negative(mu[0] + least_alpha, "K + alpha I")
        self._warn_of_hidden(mu, least_alpha)
        mu[np.abs(mu) <= _noise(mu, self.size)] = 0
        self.mu, self.U, self.coordinates = mu, self._restored(U), U.T @ self.y

    def leave_one_out(self, alphas):
        """√w_i times the residual of each object, and times that if it is left out, (A, n, t); tr H without b, (A,).

        Where K + alpha I is singular, K being indefinite, the residuals are infinite and tr H is NaN.
        """
        shifted = np.add.outer(self.mu, alphas)
        singular = (self.mu < 0)[:, None] & (np.abs(shifted) <= _noise(self.mu, self.size))
        shrink = alphas / np.where(singular, np.nan, shifted)
        residuals = np.stack([self.U @ (s[:, None] * self.coordinates) for s in shrink.T])
        left_out = residuals / (np.square(self.U) @ shrink).T[:, :, None]
        undefined = singular.any(axis=0)
        residuals[undefined] = left_out[undefined] = np.inf
        return residuals, left_out, (1 - shrink).sum(axis=0)

    def solve_decomposed(self, alpha):
        """c for any alpha, from the decomposition; if alpha is tiny, nothing where K is zero to rounding."""
        z = _coefficients(self.mu, self.U, self.coordinates, alpha, self.size)
        return (self.root * z.T).T

    def intercept(self, c):
        """The best b for these c, the mean of y − Kc: a number, or (t,) numbers."""
        return self.y_mean - self.row_means @ c if self.offset else np.zeros(c.shape[1:])[()]

    def _by_cholesky(self, diagonal):
        """(K + alpha I)⁻¹ y with this diagonal, or None where rounding may spoil it; spares K's lower triangle alone.

        The error is that for the matrix S = D^-½ (K + alpha I) D^-½, D the diagonal (Demmel 1989): a far or heavy
        object makes K + alpha I ill-conditioned, but not S, and costs no digits.
        """
        K = self.K
        if len(K) == 0:
            return self.y
        if not diagonal.min() > 0:
            return None
        np.fill_diagonal(K, diagonal)
        scale = 1 / np.sqrt(diagonal)
        blocks = (slice(start, start + ROWS) for start in range(0, len(K), ROWS))
        size = max((scale[rows] * (np.abs(K[rows]) @ scale)).max() for rows in blocks)
        # LAPACK works down the columns: the factor fills K's upper triangle, and the lower one stays for a second try.
        factor, failed = lapack.dpotrf(K.T, lower=True, clean=False, overwrite_a=True)
        if failed:
            return None
        z = lapack.dpotrs(factor, self.y, lower=True)[0]
        for i, row in enumerate(K):
            row[i:] *= scale[i:]  # makes it the factor of S
        least = max(SINGULAR, len(K) * np.finfo(float).eps) * max(size, (self.removed_diagonal / diagonal).sum())
        return z if lapack.dpocon(factor, 1.0, uplo="L")[0] > least else None

    def _of_least_norm(self, alpha):
        """The solution z of (K + alpha I) z = y of least norm, from the lower triangle of K."""
        mu, U = eigh(self.K, lower=True, overwrite_a=True, driver="evd")
        size = self._size(mu)
        if is_negative(mu[0] + alpha, self._size(mu + alpha)):
            self._warn_of_negative(mu[0] + alpha, "K + alpha I")
        self._warn_of_hidden(mu, alpha)
        kept = np.abs(mu) > _noise(mu, size)
        return _coefficients(mu[kept], U[:, kept], U[:, kept].T @ self.y, alpha, size)

    def _size(self, mu):
        """The size of the matrix as it came, in which its rounding is measured."""
        return max(np.abs(mu).max(), self.removed_size)

    def _restored(self, z):
        """Vectors for all n objects from those in the n − 1 coordinates."""
        return _reflect(self.h, np.insert(z, self.heaviest, 0.0, axis=0)) if self.offset else z

    def _warn_of_negative(self, eigenvalue, name):
        where, which = (" on the vectors of sum 0", "conditionally ") if self.offset else ("", "")
        warn(
            f"{name} has the negative eigenvalue {eigenvalue:.3g}{where}: the kernel is not {which}PSD, and the "
            "solution need not minimise anything."
        )

    def _warn_of_hidden(self, mu, alpha):
        """Warn where a tenth of the objects vanish in the rounding of W^½KW^½, beside far or heavy ones, not in alpha.

        Their part of the matrix is w_i K_ii. A few small ones say little of f.
        """
        sizes = self.sizes[self.sizes > 0]
        small, size = np.quantile(sizes, 0.1) if len(sizes) else 0.0, self._size(mu)
        if alpha < len(sizes) * small and small + alpha < SINGULAR * size:
            warn(
                f"K times the weights is of size {size:.3g}, but of size {small:.3g} or less for a tenth of the "
                "objects, which vanish in its rounding: f hardly depends on them. Bring objects and weights nearer to "
                "one scale."
            )


def _coefficients(mu, U, coordinates, alpha, size):
    """Σ_j u_j ⟨u_j, y⟩ / (μ_j + alpha).

    Left out are j with μ_j + alpha = 0 to rounding; and those with μ_j = 0 where alpha is so small beside the matrix's
    size that KernelRidge would do so too, since they add rounding / alpha.
    """
    kept = np.where(mu == 0, alpha > SINGULAR * size, np.abs(mu + alpha) > _noise(mu, size))
    return U[:, kept] @ (coordinates[kept].T / (mu[kept] + alpha)).T


def _noise(mu, size):
    """√n · 2⁻⁵² · the size: what eigenvalues that should be zero come out as.

    It is typical, where ``gram.rounding``, n · 2⁻⁵², is a bound. More must not be left out here: f loses the share
    μ / (μ + alpha) of such a direction, which may be more than rounding.
    """
    return np.sqrt(len(mu)) * np.finfo(float).eps * size


def _reflector(vector, p):
    """h with hᵀh = 2, such that I − hhᵀ takes a vector of entries ≥ 0 to a multiple of the unit vector e_p."""
    h = vector / np.linalg.norm(vector)
    h[p] += 1
    return h / np.sqrt(h[p])


def _reflect(h, A):
    """(I − hhᵀ) A, in place of A."""
    A -= np.multiply.outer(h, h @ A)
    return A

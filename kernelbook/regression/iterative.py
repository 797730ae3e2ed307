"""Ridge regression by conjugate gradients, preconditioned by landmarks: products with K, and no factorisation of it."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, svd
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from kernelbook.base.estimator import ALL
from kernelbook.base.prediction import kernel_blocks
from kernelbook.base.training import fitted_kernel, is_precomputed
from kernelbook.linalg.conjugate_gradients import conjugate_gradients
from kernelbook.linalg.gram import gram_matrix
from kernelbook.linalg.pivots import randomly_pivoted_cholesky
from kernelbook.linalg.tolerances import machine_epsilon
from kernelbook.runtime.available import free_memory
from kernelbook.runtime.warn import warn

MOST_STEPS = 1000


class GramProducts:
    """The Gram matrix of some objects, kept whole where it takes less than half of the free memory, else by blocks.

    Attributes
    ----------
    kernel, objects : the fitted kernel and its objects; "precomputed" and None
    epsilon : float, the relative spacing of the numbers in K
    """

    def __init__(self, kernel, X, sample_weight):
        self.K, self.epsilon = None, np.finfo(float).eps
        if is_precomputed(kernel):
            self.kernel, self.objects, self.K, self.epsilon = kernel, None, gram_matrix(X, "X"), machine_epsilon(X)
        else:
            self.kernel, self.objects = fitted_kernel(kernel, X, sample_weight)
            if 8 * _num_samples(self.objects) ** 2 < free_memory() / 2:
                self.K = self.kernel(self.objects)

    def diagonal(self):
        return self.kernel.diag(self.objects) if self.K is None else self.K.diagonal()

    def block(self, rows, columns):
        """K[rows][:, columns], for integers or slice(None)."""
        if self.K is not None:
            return self.K[rows][:, columns]
        return self.kernel(*(_safe_indexing(self.objects, places) for places in (rows, columns)))

    def product(self, V):
        """KV."""
        if self.K is not None:
            return self.K @ V
        return np.concatenate([K @ V for _, K in kernel_blocks(self.kernel, self.objects, self.objects, ALL)])


class Solution(NamedTuple):
    """The coefficients c and the intercept b, the number of steps, and what the landmarks leave of tr K, over alpha."""

    c: np.ndarray
    b: np.ndarray
    steps: int
    certificate: float


def solve_by_cg(gram, y, alpha, weight, fit_intercept, landmarks, tol, rng):
    """Ridge regression, as RidgeSystem states it, by conjugate gradients; a Solution.

    With c = W^½z, z solves (ΠW^½KW^½Π + alpha I) z = ΠW^½y. Π projects on the vectors orthogonal to √w if b is free,
    and is the identity if not. The preconditioner is ΠFFᵀΠ + alpha I, where FFᵀ ≈ W^½KW^½ from pivoted landmarks. Since
    W^½KW^½ − FFᵀ is PSD and its norm δ is at most its trace, the eigenvalues of the preconditioned matrix lie between 1
    and 1 + δ / alpha ≤ 1 + certificate.
    """
    root = np.ones(len(y)) if weight is None else np.sqrt(weight)
    direction = root / np.linalg.norm(root)

    def project(V):
        return V - np.multiply.outer(direction, direction @ V) if fit_intercept else V

    def scaled(V):
        return (root * V.T).T

    def block(rows, columns):
        return gram.block(rows, columns) * np.multiply.outer(root[rows], root[columns])

    def matrix(V):
        return project(scaled(gram.product(scaled(V)))) + alpha * V

    _, F, left = randomly_pivoted_cholesky(root**2 * gram.diagonal(), block, landmarks, rng, gram.epsilon)
    mean = np.square(direction) @ y if fit_intercept else np.zeros(y.shape[1:])
    rest = (y - mean).reshape(len(y), -1)
    z, steps, missing = conjugate_gradients(
        matrix, project(scaled(rest)), preconditioner(project(F), alpha), tol, MOST_STEPS
    )
    if missing > tol:
        warn(
            f"solver='cg' stopped after {steps} steps with a residual of {missing:.2g} of ‖y‖, more than "
            f"tol={tol:.2g}: take more landmarks, or a larger alpha."
        )
    c = scaled(z)
    b = mean + (np.square(direction) @ (rest - gram.product(c))).reshape(y.shape[1:]) if fit_intercept else mean
    return Solution(c.reshape(y.shape), b[()], steps, float(left.sum() / alpha))


def preconditioner(F, alpha):
    """A function V -> (FFᵀ + alpha I)⁻¹V, from the singular values s and left vectors U of F.

    It is U diag(1 / (s² + alpha)) UᵀV + (V − UUᵀV) / alpha, which loses no digits for a small alpha.
    """
    if F.shape[1] == 0:
        return lambda V: V / alpha
    Q, R = qr(F, mode="economic", check_finite=False)
    U, s, _ = svd(R, full_matrices=False, check_finite=False)
    U = Q @ U

    def apply(V):
        inside = U.T @ V
        return U @ (inside / (s**2 + alpha)[:, None]) + (V - U @ inside) / alpha

    return apply

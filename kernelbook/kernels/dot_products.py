"""Kernels on vectors that depend on ⟨x, x'⟩ alone, or on xᵀ A x' for a matrix A."""

from itertools import combinations_with_replacement, pairwise
from math import comb
from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval

from kernelbook.inputs.intervals import NONNEGATIVE_REAL, POSITIVE_INTEGER
from kernelbook.kernels.vectors import VectorKernel
from kernelbook.linalg.blocks import integer_power, squared_distance_block, squared_norms
from kernelbook.linalg.gram import gram_matrix
from kernelbook.linalg.tolerances import is_negative

MOST_FEATURES = 2**20  # of one point
MOST_NUMBERS = 2**27  # in the features of all points: a gigabyte


class Linear(VectorKernel):
    """k(x, x') = ⟨x, x'⟩.

    References
    ----------
    Shawe-Taylor & Cristianini (2004), Kernel Methods for Pattern Analysis, chapter 2.

    >>> Linear()([[1.0, 2.0], [3.0, 4.0]])
    array([[ 5., 11.],
           [11., 25.]])
    """

    psd = True

    def _block(self, X, Y):
        return X @ (X if Y is None else Y).T

    def _diag(self, X):
        return squared_norms(X)

    def _squared_distance(self, X, Y):
        return squared_distance_block(X, Y)


class GeneralLinear(VectorKernel):
    """k(x, x') = xᵀ A x', the linear kernel of the features Bx where A = BᵀB.

    Parameters
    ----------
    A : (d, d) symmetric array, in 1 / (units of x_i · units of x_j); the kernel is PSD if A is, up to rounding

    Raises
    ------
    ValueError, when the kernel is used : A is not a finite symmetric matrix, or not as wide as the points

    References
    ----------
    Shawe-Taylor & Cristianini (2004), Kernel Methods for Pattern Analysis, chapter 3.

    >>> GeneralLinear([[2.0, 1.0], [1.0, 2.0]])([[1.0, 0.0], [0.0, 1.0]])
    array([[2., 1.],
           [1., 2.]])
    """

    _parameter_constraints = {"A": ["array-like"]}

    def __init__(self, A):
        self.A = A

    @property
    def psd(self):
        """where A is, up to rounding"""
        mu = np.linalg.eigvalsh(gram_matrix(self.A, "A"))
        return not is_negative(mu[0], np.abs(mu).max())

    def _block(self, X, Y):
        K = X @ self._matrix(X) @ (X if Y is None else Y).T
        return (K + K.T) / 2 if Y is None else K

    def _diag(self, X):
        return np.einsum("ij,ij->i", X @ self._matrix(X), X)

    def _matrix(self, X):
        A = gram_matrix(self.A, "A")
        if len(A) != X.shape[1]:
            raise ValueError(f"A must have a row for each of the {X.shape[1]} columns of X, but has shape {A.shape}.")
        return A


class Polynomial(VectorKernel):
    """k(x, x') = (γ ⟨x, x'⟩ + c)^degree, whose features are monomials up to that degree, or of that degree if c = 0.

    Parameters
    ----------
    degree : int ≥ 1, default 3
    gamma : float ≥ 0, default 1; γ, in 1 / units of x squared
    coef0 : float, default 1; c, the weight of the lower degrees, in units of γ ⟨x, x'⟩. A PSD kernel needs c ≥ 0.

    References
    ----------
    Boser, Guyon & Vapnik (1992), A training algorithm for optimal margin classifiers, COLT.

    >>> Polynomial(degree=2)([[1.0]], [[2.0]])
    array([[9.]])
    """

    _parameter_constraints = {
        "degree": [POSITIVE_INTEGER],
        "gamma": [NONNEGATIVE_REAL],
        "coef0": [Interval(Real, None, None, closed="neither")],
    }

    def __init__(self, degree=3, gamma=1.0, coef0=1.0):
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    @property
    def psd(self):
        """where coef0 ≥ 0"""
        return bool(self.coef0 >= 0)

    def _block(self, X, Y):
        return self._of_products(X @ (X if Y is None else Y).T)

    def _diag(self, X):
        return self._of_products(squared_norms(X))

    def features(self, X):
        """The feature map written out: an (n, D) array whose rows have the inner products k(x, x').

        Each column is a monomial times the root of its coefficient in the expanded power. Their number is
        D = C(d + degree, degree). With c = 0 it is D = C(d + degree − 1, degree), since all have the full degree.
        The order of the monomials is 1, x_1, x_2, …, x_1², x_1 x_2, …

        Raises ValueError if c < 0, if D exceeds a million, or if the array would take more than a gigabyte.

        >>> Polynomial(degree=2).features([[1.0, 3.0]]) ** 2
        array([[ 1.,  2., 18.,  1., 18., 81.]])
        """
        X = self._checked(X)[0]
        if self.coef0 < 0:
            raise ValueError(f"{self.formula} has real features only if coef0 >= 0.")
        # (γ⟨x, x'⟩ + c)^q is ⟨z, z'⟩^q for z = (√c, √γ x): all its monomials have the same degree
        Z = np.sqrt(float(self.gamma)) * X
        if self.coef0 > 0:
            Z = np.column_stack([np.full(len(X), np.sqrt(float(self.coef0))), Z])
        degree = int(self.degree)  # some of NumPy's integers would overflow
        D = comb(Z.shape[1] + degree - 1, degree)
        if D > MOST_FEATURES or D * max(len(X), degree) > MOST_NUMBERS:
            raise ValueError(f"{D} features for each of {len(X)} points are too many; the kernel does without them.")
        factors = np.array(list(combinations_with_replacement(range(Z.shape[1]), degree))).T
        features, repeats, roots = Z[:, factors[0]], np.ones(D), np.ones(D)
        for count, (previous, factor) in enumerate(pairwise(factors), 2):
            features *= Z[:, factor]
            repeats = np.where(factor == previous, repeats + 1, 1)
            roots *= np.sqrt(count / repeats)  # in the end √(degree! / ∏ e_j!) for a monomial with exponents e_j
        return features * roots

    def _of_products(self, products):
        products *= self.gamma
        products += self.coef0
        return integer_power(products, self.degree)


class Sigmoid(VectorKernel):
    """k(x, x') = tanh(γ ⟨x, x'⟩ + c), the output of a neuron with weights γ x' and threshold −c.

    It is not PSD on vectors, whatever γ > 0 and c are. For c < 0, k(0, 0) < 0. For c = 0, the Gram matrix of two small
    numbers a and b has a determinant close to −γ⁴ a²b² (a² − b²)² / 3. For c > 0, a number a near 0 and a b with large
    γab give a determinant close to tanh(c) − 1.

    Parameters
    ----------
    gamma : float ≥ 0, default 1; γ, in 1 / units of x squared
    coef0 : float, default 0; c, in units of γ ⟨x, x'⟩

    References
    ----------
    Smola, Óvári & Williamson (2001), Regularization with dot-product kernels, NIPS 13.

    >>> Sigmoid()([[1.0], [2.0]]).round(3)  # its determinant is −0.168
    array([[0.762, 0.964],
           [0.964, 0.999]])
    """

    _parameter_constraints = {"gamma": [NONNEGATIVE_REAL], "coef0": [Interval(Real, None, None, closed="neither")]}

    def __init__(self, gamma=1.0, coef0=0.0):
        self.gamma = gamma
        self.coef0 = coef0

    def _block(self, X, Y):
        return self._of_products(X @ (X if Y is None else Y).T)

    def _diag(self, X):
        return self._of_products(squared_norms(X))

    def _of_products(self, products):
        products *= self.gamma
        products += self.coef0
        return np.tanh(products, out=products)

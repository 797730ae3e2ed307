"""What a kernel is."""

from abc import ABC, abstractmethod
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator

from kernelbook.kernels.gram_blocks import distance_from_squared, squared_distance_from


class Kernel(BaseEstimator, ABC):
    """A symmetric function k(x, x') of two objects of one kind.

    ``k(X, Y)`` is the (n, m) block of values k(x_i, y_j); ``k(X)`` is the Gram matrix of X,
    symmetric to the bit. Kernels add, multiply and compose::

        k1 + k2    k1 * k2    2 * k    k ** 3    k.exp()    k.normalized()    k.radial(gamma)

    A Kernel is a scikit-learn estimator: ``clone``, ``get_params`` and grids over ``kernel__gamma`` or
    ``kernel__left__gamma`` work. A new kernel gives ``check``, ``_block`` and ``_diag``, and ``psd`` where it
    can promise it.

    Attributes
    ----------
    psd : bool
        True when every Gram matrix is guaranteed to be positive semidefinite.
    conditionally_psd : bool
        True when cᵀKc ≥ 0 is guaranteed for every c with Σ c_i = 0.
    """

    _parameter_constraints: dict = {}
    __array_ufunc__ = None  # NumPy's numbers leave `np.float64(2) * k` to __rmul__
    _repr_html_ = None  # a notebook shows the formula, not scikit-learn's diagram
    psd = False

    @property
    def conditionally_psd(self):
        return self.psd

    @abstractmethod
    def check(self, X, name="X"):
        """X in the form this kernel computes with, or an error that says in one sentence what it wants.

        What it returns passes it unchanged, so that what is made of several kernels can ask each of them.
        """

    @abstractmethod
    def _block(self, X, Y):
        """k(x_i, y_j) of checked input as a new (n, m) array; Y is None for the Gram matrix of X."""

    @abstractmethod
    def _diag(self, X):
        """k(x_i, x_i) of checked input as a new (n,) array."""

    def __call__(self, X, Y=None):
        """The block k(x_i, y_j), shape (n, m); the Gram matrix of X, shape (n, n), when Y is None."""
        return self._block(*self._checked(X, Y))

    def diag(self, X):
        """k(x_i, x_i), shape (n,), without the rest of the Gram matrix."""
        return self._diag(self._checked(X)[0])

    def distance(self, X, Y=None):
        """Distances in feature space, d(x, y)² = k(x, x) + k(y, y) − 2 k(x, y), shape (n, m).

        Exactly zero on the diagonal when Y is None. Raises ValueError where d² is negative by more than rounding:
        such a kernel gives no distance.
        """
        X, Y = self._checked(X, Y)
        squared = self._squared_distance(X, Y)
        length = max(np.abs(self._diag(Z)).max() for Z in (X, Y) if Z is not None)
        return distance_from_squared(squared, length, repr(self))

    def fit(self, X, sample_weight=None):
        """Resolve what depends on data, such as the width of ``RBF("scale")``; returns the kernel itself.

        A sum or product fits the kernels it is made of.
        """
        self._check_params()
        self._fit(self.check(X), sample_weight)
        return self

    def exp(self):
        """exp(k(x, x')), PSD whenever k is conditionally PSD."""
        return _algebra().Exponential(self)

    def normalized(self):
        """k(x, x') / √(k(x, x) k(x', x')), the cosine of the angle in feature space."""
        return _algebra().Normalized(self)

    def radial(self, gamma=1.0):
        """exp(−γ d(x, x')²), an RBF on top of this kernel's feature space."""
        return _valid(_algebra().Radial(self, gamma))

    def __add__(self, other):
        return _algebra().Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other):
        if isinstance(other, Kernel):
            return _algebra().Product(self, other)
        return _valid(_algebra().Scaled(self, other)) if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__

    def __pow__(self, exponent):
        return _valid(_algebra().Power(self, exponent))

    def _checked(self, X, Y=None):
        self._check_params()
        X = self.check(X)
        if Y is not None:
            Y = self.check(Y, name="Y")
            self._check_pair(X, Y)
        return X, Y

    def _check_pair(self, X, Y):
        for part in self._parts():
            part._check_pair(X, Y)

    def _check_params(self):
        self._validate_params()
        for part in self._parts():
            part._check_params()

    def _parts(self):
        return [value for value in self.get_params(deep=False).values() if isinstance(value, Kernel)]

    def _fit(self, X, sample_weight):
        for part in self._parts():
            part._fit(X, sample_weight)

    def _squared_distance(self, X, Y):
        return squared_distance_from(*self._with_diagonals(X, Y))

    def _with_diagonals(self, X, Y):
        """The block, k(x_i, x_i) and, unless Y is None, k(y_j, y_j)."""
        K = self._block(X, Y)
        return (K, K.diagonal().copy()) if Y is None else (K, self._diag(X), self._diag(Y))

    def __repr__(self):
        with np.printoptions(legacy="1.25"):  # numbers without their type: 0.5, not np.float64(0.5)
            return " ".join(BaseEstimator.__repr__(self, N_CHAR_MAX=10**6).split())

    def _repr_mimebundle_(self, **_):
        return {"text/plain": repr(self)}


def _valid(kernel):
    kernel._check_params()
    return kernel


def _algebra():
    from kernelbook.kernels import algebra  # late, for the algebra itself is made of Kernels

    return algebra

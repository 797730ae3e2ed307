"""The algebra of kernels: kernels made of kernels on the same objects."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval

from kernelbook.kernels.base import Kernel, written
from kernelbook.kernels.gram_blocks import exponential_decay, exponential_decay_distance, integer_power


class _Pair(Kernel):
    """A kernel made of two kernels on the same objects."""

    _parameter_constraints = {"left": [Kernel], "right": [Kernel]}

    def __init__(self, left, right):
        self.left = left
        self.right = right

    @property
    def psd(self):
        return self.left.psd and self.right.psd

    def check(self, X, name="X"):
        if hasattr(X, "columns") and self.left.takes_frames != self.right.takes_frames:
            raise ValueError(
                f"{name} must not be a data frame where only one of two kernels that are added or multiplied is made "
                "by Columns: give Columns the other kernel too, as a part."
            )
        return self.left.check(self.right.check(X, name), name)


class _Single(Kernel):
    """A kernel made of one other."""

    _parameter_constraints = {"kernel": [Kernel]}

    def __init__(self, kernel):
        self.kernel = kernel

    @property
    def psd(self):
        return self.kernel.psd

    def check(self, X, name="X"):
        return self.kernel.check(X, name)


class Sum(_Pair):
    """k(x, x') = left(x, x') + right(x, x'); its features are those of both kernels, side by side."""

    @property
    def conditionally_psd(self):
        return self.left.conditionally_psd and self.right.conditionally_psd

    def _block(self, X, Y):
        K = self.left._block(X, Y)
        K += self.right._block(X, Y)
        return K

    def _diag(self, X):
        return self.left._diag(X) + self.right._diag(X)

    def _squared_distance(self, X, Y):
        return self.left._squared_distance(X, Y) + self.right._squared_distance(X, Y)

    def _formula(self, digits=None):
        return f"{written(self.left, digits)} + {_bracketed(self.right, digits, Sum)}"


class Product(_Pair):
    """k(x, x') = left(x, x') · right(x, x'); its features are all products of a left feature and a right one."""

    def _block(self, X, Y):
        K = self.left._block(X, Y)
        K *= self.right._block(X, Y)
        return K

    def _diag(self, X):
        return self.left._diag(X) * self.right._diag(X)

    def _formula(self, digits=None):
        return f"{_bracketed(self.left, digits, Sum)} * {_bracketed(self.right, digits, (Sum, Product, Scaled))}"


class Scaled(_Single):
    """factor · k(x, x'); a negative factor is allowed, but the result is then not promised to be PSD."""

    _parameter_constraints = {"kernel": [Kernel], "factor": [Interval(Real, None, None, closed="neither")]}

    def __init__(self, kernel, factor):
        self.kernel = kernel
        self.factor = factor

    @property
    def psd(self):
        return bool(self.factor >= 0) and self.kernel.psd

    @property
    def conditionally_psd(self):
        return bool(self.factor >= 0) and self.kernel.conditionally_psd

    def _block(self, X, Y):
        K = self.kernel._block(X, Y)
        K *= self.factor
        return K

    def _diag(self, X):
        return self.factor * self.kernel._diag(X)

    def _squared_distance(self, X, Y):
        return self.factor * self.kernel._squared_distance(X, Y)

    def _formula(self, digits=None):
        return f"{written(self.factor, digits)} * {_bracketed(self.kernel, digits, (Sum, Product, Scaled))}"


class Power(_Single):
    """k(x, x')^exponent for an integer exponent ≥ 1; other powers of a kernel need not be kernels."""

    _parameter_constraints = {"kernel": [Kernel], "exponent": [Interval(Integral, 1, None, closed="left")]}

    def __init__(self, kernel, exponent):
        self.kernel = kernel
        self.exponent = exponent

    def _block(self, X, Y):
        return integer_power(self.kernel._block(X, Y), self.exponent)

    def _diag(self, X):
        return integer_power(self.kernel._diag(X), self.exponent)

    def _formula(self, digits=None):
        return f"{_bracketed(self.kernel, digits)} ** {written(self.exponent, digits)}"


class Exponential(_Single):
    """exp(k(x, x')), which is PSD whenever k is conditionally PSD (Schoenberg)."""

    @property
    def psd(self):
        return self.kernel.conditionally_psd

    def _block(self, X, Y):
        K = self.kernel._block(X, Y)
        return np.exp(K, out=K)

    def _diag(self, X):
        return np.exp(self.kernel._diag(X))

    def _formula(self, digits=None):
        return f"{_bracketed(self.kernel, digits)}.exp()"


class Normalized(_Single):
    """k(x, x') / √(k(x, x) k(x', x')), which gives every object length 1 in feature space.

    Raises ValueError where some k(x, x) is not positive.
    """

    def _block(self, X, Y):
        return self.kernel._cosines(X, Y)

    def _diag(self, X):
        return self.kernel._cosine_diag(X)

    def _formula(self, digits=None):
        return f"{_bracketed(self.kernel, digits)}.normalized()"


class Radial(_Single):
    """exp(−γ d(x, x')²), d the distance in another kernel's feature space; PSD whenever that is conditionally PSD."""

    _parameter_constraints = {"kernel": [Kernel], "gamma": [Interval(Real, 0, None, closed="left")]}

    def __init__(self, kernel, gamma=1.0):
        self.kernel = kernel
        self.gamma = gamma

    @property
    def psd(self):
        return self.kernel.conditionally_psd

    def _block(self, X, Y):
        return exponential_decay(self.kernel._squared_distance(X, Y), float(self.gamma))

    def _squared_distance(self, X, Y):
        return exponential_decay_distance(self.kernel._squared_distance(X, Y), float(self.gamma))

    def _diag(self, X):
        return np.ones_like(self.kernel._diag(X))

    def _formula(self, digits=None):
        return f"{_bracketed(self.kernel, digits)}.radial(gamma={written(self.gamma, digits)})"


def _bracketed(kernel, digits, kinds=(Sum, Product, Scaled, Power)):
    """The kernel's formula, in brackets where its outermost operation binds too weakly to stand without them."""
    return f"({written(kernel, digits)})" if isinstance(kernel, kinds) else written(kernel, digits)

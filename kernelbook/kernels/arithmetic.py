"""The arithmetic of kernels: k1 + k2, k1 * k2, k ** n, k.exp(), k.normalized() and k.radial(gamma).

They are methods of Kernel, set from here, since the kernels that they return are subclasses of Kernel.
"""

from numbers import Real

import numpy as np

from kernelbook.inputs.validation import is_number
from kernelbook.kernels.algebra import Exponential, Normalized, Power, Product, Radial, Scaled, Sum
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.user_defined import Constant


def _kernel_method(function):
    setattr(Kernel, function.__name__, function)
    return function


@_kernel_method
def __add__(self, other):
    return _sum(self, other)


@_kernel_method
def __radd__(self, other):
    return _sum(other, self)


@_kernel_method
def __mul__(self, other):
    if isinstance(other, Kernel):
        return Product(self, other)
    return _checked(Scaled(self, other)) if isinstance(other, Real) else NotImplemented


@_kernel_method
def __rmul__(self, factor):
    return self * factor if isinstance(factor, Real) else NotImplemented


@_kernel_method
def __pow__(self, exponent):
    return _checked(Power(self, exponent))


@_kernel_method
def exp(self):
    """exp(k(x, x')), PSD whenever k is conditionally PSD."""
    return Exponential(self)


@_kernel_method
def normalized(self):
    """k(x, x') / √(k(x, x) k(x', x')), the cosine of the angle in feature space."""
    return Normalized(self)


@_kernel_method
def radial(self, gamma=1.0):
    """exp(−γ d(x, x')²), an RBF on top of this kernel's feature space."""
    return _checked(Radial(self, gamma))


def _sum(left, right):
    """left + right, one of which may be a number ≥ 0, for a constant kernel; NotImplemented for anything else."""
    terms = [_constant(term) if is_number(term) else term for term in (left, right)]
    return Sum(*terms) if all(isinstance(term, Kernel) for term in terms) else NotImplemented


def _constant(number):
    if not 0 <= number < np.inf:
        raise ValueError(f"a number added to a kernel must be finite and >= 0, since it is a kernel too, got {number}.")
    return _checked(Constant(number))


def _checked(kernel):
    kernel._check_params()
    return kernel

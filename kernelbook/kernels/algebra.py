"""The algebra of kernels: kernels made of kernels on the same objects."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval

from kernelbook.inputs.dataframes import is_frame
from kernelbook.inputs.intervals import NONNEGATIVE_REAL, POSITIVE_INTEGER
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.formatting import written
from kernelbook.kernels.profiles import exponential_decay, exponential_decay_distance
from kernelbook.kernels.user_defined import Constant
from kernelbook.linalg.blocks import integer_power


class _Binary(Kernel):
    """A kernel made of two kernels on the same objects."""

    _parameter_constraints = {"left": [Kernel], "right": [Kernel]}

    def __init__(self, left, right):
        self.left = left
        self.right = right

    @property
    def psd(self):
        """where both kernels are"""
        return self.left.psd and self.right.psd

    def check(self, X, name="X"):
        """Objects that both kernels take."""
        return check_by_both(self.left, self.right, X, name)


class _Unary(Kernel):
    """A kernel made of one other."""

    _parameter_constraints = {"kernel": [Kernel]}

    def __init__(self, kernel):
        self.kernel = kernel

    @property
    def psd(self):
        """where the kernel is"""
        return self.kernel.psd

    def check(self, X, name="X"):
        """Objects that the kernel takes."""
        return self.kernel.check(X, name)


class Sum(_Binary):
    """k(x, x') = left(x, x') + right(x, x'); its features are those of both kernels, side by side.

    References
    ----------
    Aronszajn (1950), Theory of reproducing kernels, Transactions of the AMS 68.

    >>> from kernelbook import Linear
    >>> k = Linear() + 1  # the same as Sum(Linear(), Constant(1))
    >>> k([[1.0], [2.0]])
    array([[2., 3.],
           [3., 5.]])
    """

    @property
    def conditionally_psd(self):
        return self.left.conditionally_psd and self.right.conditionally_psd

    def _block(self, X, Y):
        K = np.asarray(self.left._block(X, Y), dtype=float)
        K += self.right._block(X, Y)
        return K

    def _diag(self, X):
        return self.left._diag(X) + self.right._diag(X)

    def _squared_distance(self, X, Y):
        return self.left._squared_distance(X, Y) + self.right._squared_distance(X, Y)

    def _formula(self, digits=None):
        left, right = self.left, self.right
        if isinstance(left, Constant) and not isinstance(right, Constant):
            left = left.value
        elif isinstance(right, Constant):
            right = right.value
        return f"{written(left, digits)} + {_bracketed(right, digits, Sum)}"


class Product(_Binary):
    """k(x, x') = left(x, x') · right(x, x'); its features are all products of a left feature and a right one.

    References
    ----------
    Aronszajn (1950), Theory of reproducing kernels, Transactions of the AMS 68.

    >>> from kernelbook import RBF, Linear
    >>> k = RBF(gamma=1) * Linear()  # the same as Product(RBF(gamma=1), Linear())
    >>> k([[1.0], [2.0]]).round(3)
    array([[1.   , 0.736],
           [0.736, 4.   ]])
    """

    def _block(self, X, Y):
        K = np.asarray(self.left._block(X, Y), dtype=float)
        K *= self.right._block(X, Y)
        return K

    def _diag(self, X):
        return self.left._diag(X) * self.right._diag(X)

    def _formula(self, digits=None):
        return f"{_bracketed(self.left, digits, Sum)} * {_bracketed(self.right, digits, (Sum, Product, Scaled))}"


class Scaled(_Unary):
    """factor · k(x, x'); a negative factor is allowed, but then the result need not be PSD.

    References
    ----------
    Shawe-Taylor & Cristianini (2004), Kernel Methods for Pattern Analysis, chapter 3.

    >>> from kernelbook import Linear
    >>> k = 3 * Linear()  # the same as Scaled(Linear(), 3)
    >>> k([[1.0], [2.0]])
    array([[ 3.,  6.],
           [ 6., 12.]])
    """

    _parameter_constraints = {"kernel": [Kernel], "factor": [Interval(Real, None, None, closed="neither")]}

    def __init__(self, kernel, factor):
        self.kernel = kernel
        self.factor = factor

    @property
    def psd(self):
        """where the kernel is, and factor ≥ 0"""
        return bool(self.factor >= 0) and self.kernel.psd

    @property
    def conditionally_psd(self):
        return bool(self.factor >= 0) and self.kernel.conditionally_psd

    def _block(self, X, Y):
        K = np.asarray(self.kernel._block(X, Y), dtype=float)
        K *= self.factor
        return K

    def _diag(self, X):
        return self.factor * self.kernel._diag(X)

    def _squared_distance(self, X, Y):
        return self.factor * self.kernel._squared_distance(X, Y)

    def _formula(self, digits=None):
        return f"{written(self.factor, digits)} * {_bracketed(self.kernel, digits, (Sum, Product, Scaled))}"


class Power(_Unary):
    """k(x, x')^exponent for an integer exponent ≥ 1; other powers of a kernel need not be kernels.

    References
    ----------
    Shawe-Taylor & Cristianini (2004), Kernel Methods for Pattern Analysis, chapter 3.

    >>> from kernelbook import Linear, Polynomial
    >>> k = (Linear() + 1) ** 2  # the same as Power(Linear() + 1, 2)
    >>> print(k([[1.0]], [[2.0]]), Polynomial(degree=2)([[1.0]], [[2.0]]))
    [[9.]] [[9.]]
    """

    _parameter_constraints = {"kernel": [Kernel], "exponent": [POSITIVE_INTEGER]}

    def __init__(self, kernel, exponent):
        self.kernel = kernel
        self.exponent = exponent

    def _block(self, X, Y):
        return integer_power(self.kernel._block(X, Y), self.exponent)

    def _diag(self, X):
        return integer_power(self.kernel._diag(X), self.exponent)

    def _formula(self, digits=None):
        return f"{_bracketed(self.kernel, digits)} ** {written(self.exponent, digits)}"


class Exponential(_Unary):
    """exp(k(x, x')), which is PSD whenever k is conditionally PSD (Schoenberg).

    References
    ----------
    Schoenberg (1938), Metric spaces and positive definite functions, Transactions of the AMS 44.

    >>> from kernelbook import Linear
    >>> k = Linear().exp()  # the same as Exponential(Linear())
    >>> k([[1.0], [-1.0]]).round(3)
    array([[2.718, 0.368],
           [0.368, 2.718]])
    """

    @property
    def psd(self):
        """where the kernel is conditionally PSD"""
        return self.kernel.conditionally_psd

    def _block(self, X, Y):
        K = np.asarray(self.kernel._block(X, Y), dtype=float)
        return np.exp(K, out=K)

    def _diag(self, X):
        return np.exp(self.kernel._diag(X))

    def _formula(self, digits=None):
        return f"{_bracketed(self.kernel, digits)}.exp()"


class Normalized(_Unary):
    """k(x, x') / √(k(x, x) k(x', x')), which gives every object length 1 in feature space.

    Raises ValueError if some k(x, x) is not positive.

    References
    ----------
    Shawe-Taylor & Cristianini (2004), Kernel Methods for Pattern Analysis, chapter 5.

    >>> from kernelbook import Spectrum
    >>> k = Spectrum(n=2).normalized()  # the same as Normalized(Spectrum(n=2))
    >>> k(["abab", "ababab", "bb"]).round(3)
    array([[1.   , 0.992, 0.   ],
           [0.992, 1.   , 0.   ],
           [0.   , 0.   , 1.   ]])
    """

    def _block(self, X, Y):
        return self.kernel._cosines(X, Y)

    def _diag(self, X):
        return self.kernel._cosine_diag(X)

    def _formula(self, digits=None):
        return f"{_bracketed(self.kernel, digits)}.normalized()"


class Radial(_Unary):
    """exp(−γ d(x, x')²), d the distance in the feature space of a kernel; PSD if that kernel is conditionally PSD.

    Parameters
    ----------
    kernel : Kernel
    gamma : float ≥ 0, default 1; γ, in 1 / units of d squared

    References
    ----------
    Schoenberg (1938), Metric spaces and positive definite functions, Transactions of the AMS 44.

    >>> import numpy as np
    >>> from kernelbook import RBF, Linear
    >>> k = Linear().radial(gamma=0.5)  # the same as Radial(Linear(), gamma=0.5)
    >>> X = [[0.0], [2.0]]
    >>> bool(np.allclose(k(X), RBF(gamma=0.5)(X)))
    True
    """

    _parameter_constraints = {"kernel": [Kernel], "gamma": [NONNEGATIVE_REAL]}

    def __init__(self, kernel, gamma=1.0):
        self.kernel = kernel
        self.gamma = gamma

    @property
    def psd(self):
        """where the kernel is conditionally PSD"""
        return self.kernel.conditionally_psd

    def _block(self, X, Y):
        return exponential_decay(self.kernel._squared_distance(X, Y), float(self.gamma))

    def _squared_distance(self, X, Y):
        return exponential_decay_distance(self.kernel._squared_distance(X, Y), float(self.gamma))

    def _diag(self, X):
        return np.ones_like(self.kernel._diag(X))

    def _formula(self, digits=None):
        return f"{_bracketed(self.kernel, digits)}.radial(gamma={written(self.gamma, digits)})"


def check_by_both(one, other, X, name):
    """X in the form that two kernels both take; ValueError for a frame if only one selects its columns by name."""
    takes = {kernel.takes_frames for kernel in (one, other) if not _takes_anything(kernel)}
    if is_frame(X) and len(takes) > 1:
        raise ValueError(
            f"{name} must not be a data frame if only one of two kernels on the same objects is made by Columns: "
            "give Columns the other kernel too, as a part."
        )
    return one.check(other.check(X, name), name)


def _takes_anything(kernel):
    """Whether the kernel is made of constants alone, so that its objects may be of any kind."""
    if isinstance(kernel, _Binary | _Unary):
        return all(_takes_anything(part) for part in kernel._parts().values())
    return isinstance(kernel, Constant)


def _bracketed(kernel, digits, kinds=(Sum, Product, Scaled, Power)):
    """The kernel's formula, in brackets if its outermost operation binds too weakly to stand without them."""
    return f"({written(kernel, digits)})" if isinstance(kernel, kinds) else written(kernel, digits)

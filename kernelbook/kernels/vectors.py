"""Kernels on vectors, the rows of an (n, d) array of finite numbers: the base class, and kernels by columns."""

import numpy as np
from sklearn.metrics.pairwise import additive_chi2_kernel

from kernelbook.inputs.dataframes import is_frame
from kernelbook.inputs.intervals import NONNEGATIVE_REAL
from kernelbook.inputs.missing_values import unmasked
from kernelbook.inputs.times import refuse_times
from kernelbook.inputs.validation import finite_array, is_number, positive_list, quoted
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.profiles import exponential_decay, exponential_decay_distance, rescaled


class VectorKernel(Kernel):
    """Base class of kernels on the rows of an (n, d) array of numbers.

    A subclass defines ``_block(X, Y)``, a new float array of k(x_i, y_j), where Y is None for the Gram matrix of X, and
    ``_diag(X)``, a new float array of k(x_i, x_i); X and Y are arrays of finite floats with the same number of columns.

    >>> class Cubic(VectorKernel):
    ...     psd = True
    ...     def _block(self, X, Y):
    ...         return (X @ (X if Y is None else Y).T) ** 3
    ...     def _diag(self, X):
    ...         return (X**2).sum(axis=1) ** 3
    >>> Cubic()([[1.0, 1.0], [1.0, 0.0]])
    array([[8., 1.],
           [1., 1.]])
    """

    def check(self, X, name="X"):
        """Vectors, the rows of an (n, d) array of finite numbers."""
        try:
            return finite_array(X, name, order="C")  # stored by rows, so that X @ X.T is symmetric
        except ValueError as error:
            message = str(error).splitlines()[0].rstrip(".")  # without scikit-learn's advice
            if "contains NaN" in message:
                advice = "Fill the gaps, with scikit-learn's SimpleImputer for instance."
            elif message.startswith(f"{name} must be an array of numbers: ") and is_frame(X) and name.isidentifier():
                advice = "Columns([(columns, kernel), …]) takes a kernel for each kind of column."
            else:
                raise
            raise ValueError(f"{message}. {advice}") from None

    def _check_together(self, X, Y):
        check_widths(X, Y)


def check_widths(X, Y):
    """ValueError if two arrays differ in their number of columns."""
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"X and Y must have the same number of columns, but X has {X.shape[1]} and Y has {Y.shape[1]}."
        )


def numbers_for_columns(value, name, X, or_zero=True):
    """A parameter as a float array of shape () or (d,); ValueError if its shape or its numbers are not allowed."""
    if not is_number(value):
        value = unmasked(value, name)
        refuse_times(value, name)
    try:
        numbers = np.asarray(value, dtype=float)
    except (ValueError, TypeError, OverflowError):
        numbers = np.empty(0)
    allowed = (numbers < np.inf) & ((numbers > 0) | (or_zero & (numbers == 0)))
    if numbers.shape not in [(), X.shape[1:]] or not allowed.all():
        raise ValueError(
            f"{name} must be a number or {X.shape[1]} numbers, one for each column of X, all finite and "
            f"{'>=' if or_zero else '>'} 0, got {quoted(value)}."
        )
    return numbers


class AllSubsets(VectorKernel):
    """k(x, x') = ∏_j (1 + w_j x_j x'_j), with a feature ∏_{j in A} √w_j x_j for every subset A of the columns.

    Parameters
    ----------
    weights : (d,) array of numbers ≥ 0, or None, the default, for ones; w, in 1 / units of x_j squared

    Raises
    ------
    ValueError, when the kernel is used : the weights are negative or not finite, or there is not one for each column

    References
    ----------
    Shawe-Taylor & Cristianini (2004), Kernel Methods for Pattern Analysis, chapter 9.

    >>> AllSubsets()([[1.0, 2.0]], [[3.0, 1.0]])  # 1 + 3 + 2 + 3·2
    array([[12.]])
    """

    psd = True
    _parameter_constraints = {"weights": ["array-like", None]}

    def __init__(self, weights=None):
        self.weights = weights

    def _block(self, X, Y):
        K = np.ones((len(X), len(X if Y is None else Y)))
        for w, x, y in zip(self._weights(X), X.T, (X if Y is None else Y).T, strict=True):
            K *= 1 + w * np.multiply.outer(x, y)
        return K

    def _diag(self, X):
        return np.prod(1 + self._weights(X) * X**2, axis=1)

    def _weights(self, X):
        if self.weights is None:
            return np.ones(X.shape[1])
        weights = positive_list(self.weights, "weights", or_zero=True)
        if len(weights) != X.shape[1]:
            raise ValueError(f"weights must be one for each of the {X.shape[1]} columns of X, got {len(weights)}.")
        return weights


class ChiSquared(VectorKernel):
    """k(x, x') = exp(−γ Σ_j (x_j − x'_j)² / (x_j + x'_j)) for histograms, whose entries are ≥ 0; 0/0 counts as 0.

    Parameters
    ----------
    gamma : float ≥ 0, default 1; γ, in 1 / units of x

    Raises
    ------
    ValueError, when the kernel is used : an entry of X is negative

    References
    ----------
    Zhang, Marszałek, Lazebnik & Schmid (2007), Local features and kernels for classification of texture and object
    categories, International Journal of Computer Vision 73.

    >>> ChiSquared()([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]).round(3)
    array([[1.   , 0.135]])
    """

    psd = True
    _parameter_constraints = {"gamma": [NONNEGATIVE_REAL]}

    def __init__(self, gamma=1.0):
        self.gamma = gamma

    def check(self, X, name="X"):
        """Vectors of numbers ≥ 0, such as histograms: the rows of an (n, d) array."""
        return _nonnegative(super().check(X, name), name, "a histogram's counts")

    def _block(self, X, Y):
        gamma, X, Y = rescaled(float(self.gamma), 1, X, Y)
        return exponential_decay(self._distances(X, Y), gamma)

    def _squared_distance(self, X, Y):
        gamma, X, Y = rescaled(float(self.gamma), 1, X, Y)
        return exponential_decay_distance(self._distances(X, Y), gamma)

    def _diag(self, X):
        return np.ones(len(X))

    def _distances(self, X, Y):
        """Σ_j (x_j − x'_j)² / (x_j + x'_j)."""
        X, Y = (None if Z is None else np.require(Z, requirements="W") for Z in (X, Y))  # scikit-learn needs writable
        K = additive_chi2_kernel(X, Y)
        return np.negative(K, out=K)


class Brownian(VectorKernel):
    """k(x, x') = min(x, x') for numbers ≥ 0; for d of them ∏_j min(x_j, x'_j).

    It is the covariance of Brownian motion, which starts with 0 at time 0, and for several columns that of the Brownian
    sheet, which is 0 where any coordinate is. For one column, d(x, x')² = |x − x'|, and the kernel's functions on
    [0, ∞) are those with f(0) = 0 and ‖f‖² = ∫ f′(t)² dt < ∞. ``Brownian() + 1`` leaves f(0) free.

    Raises
    ------
    ValueError, when the kernel is used : an entry of X is negative

    References
    ----------
    Berlinet & Thomas-Agnan (2004), Reproducing Kernel Hilbert Spaces in Probability and Statistics.
    Walsh (1986), An introduction to stochastic partial differential equations, for the sheet.

    >>> Brownian()([[0.5], [2.0], [3.0]])
    array([[0.5, 0.5, 0.5],
           [0.5, 2. , 2. ],
           [0.5, 2. , 3. ]])
    """

    psd = True

    def check(self, X, name="X"):
        """Vectors of numbers ≥ 0, such as times: the rows of an (n, d) array."""
        return _nonnegative(super().check(X, name), name, "times since a start")

    def _block(self, X, Y):
        K = np.ones((len(X), len(X if Y is None else Y)))
        for x, y in zip(X.T, (X if Y is None else Y).T, strict=True):
            K *= np.minimum.outer(x, y)
        return K

    def _diag(self, X):
        return np.prod(X, axis=1)

    def _squared_distance(self, X, Y):
        # (∏ x_j − k) + (∏ y_j − k), as sums of numbers ≥ 0 over the columns: nothing cancels for near points
        K = np.ones((len(X), len(X if Y is None else Y)))
        over_x, over_y = np.zeros_like(K), np.zeros_like(K)
        for x, y in zip(X.T, (X if Y is None else Y).T, strict=True):
            least = np.minimum.outer(x, y)
            over_x = over_x * x[:, None] + K * (x[:, None] - least)
            over_y = over_y * y + K * (y - least)
            K *= least
        return over_x + over_y


def _nonnegative(X, name, such_as):
    if X.min() < 0:
        raise ValueError(f"{name} must hold numbers >= 0, such as {such_as}, got {X.min():.6g}.")
    return X

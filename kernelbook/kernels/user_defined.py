"""Kernels given by their values, on objects of any kind: a function, a constant, or a matrix."""

from abc import abstractmethod
from collections.abc import Mapping, Set
from copy import copy
from numbers import Number

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_array

from kernelbook.inputs.dataframes import listed
from kernelbook.inputs.intervals import NONNEGATIVE_REAL
from kernelbook.inputs.missing_values import unmasked
from kernelbook.inputs.validation import finite_array, quoted
from kernelbook.kernels.base import Kernel
from kernelbook.linalg.gram import gram_matrix

DIAGONAL_BLOCK = 64  # objects in each block that is computed for its diagonal alone


class ObjectKernel(Kernel):
    """Base class of kernels on objects of any kind, in an array or a list; a subclass says which they are.

    A subclass defines ``_block(X, Y)``, a new float array of k(x_i, y_j), where Y is None for the Gram matrix of X, and
    ``_diag(X)``, a new float array of k(x_i, x_i).

    >>> class DaysApart(ObjectKernel):
    ...     def _block(self, X, Y):
    ...         return np.array([[2.0 ** -abs((x - y).days) for y in (X if Y is None else Y)] for x in X])
    ...     def _diag(self, X):
    ...         return np.ones(len(X))
    >>> from datetime import date
    >>> DaysApart()([date(2027, 3, 1)], [date(2027, 2, 28), date(2027, 3, 1)])
    array([[0.5, 1. ]])
    """

    def check(self, X, name="X"):
        """Objects of any kind, in an array or a list."""
        if isinstance(X, str):
            raise ValueError(f"{name} must be an array or a list, got str: write [{quoted(X, 40)}].")
        if isinstance(X, Set | Mapping):
            raise ValueError(f"{name} must be an array or a list, whose objects have an order, got {quoted(X, 40)}.")
        if _num_samples(X) == 0:
            raise ValueError(f"{name} must hold at least one object, got none.")
        return X


class FunctionKernel(ObjectKernel):
    """k(X, Y) = function(X, Y), where the function returns the whole (n, m) block; k is not promised to be PSD.

    The objects may be anything that the function understands: rows of an array, strings in a list, …

    Raises ValueError if the block has another shape, is not finite, or is not symmetric for X with itself.

    >>> k = FunctionKernel(lambda X, Y: [[len(set(x) & set(y)) for y in Y] for x in X])
    >>> k(["abc", "bcd"])
    array([[3., 2.],
           [2., 3.]])
    """

    _parameter_constraints = {"function": [callable]}

    def __init__(self, function):
        self.function = function

    def _block(self, X, Y):
        K = self._values(X, X if Y is None else Y)
        return gram_matrix(K, "the function's block") if Y is None else K

    def _diag(self, X):
        n = _num_samples(X)
        parts = (_safe_indexing(X, slice(start, start + DIAGONAL_BLOCK)) for start in range(0, n, DIAGONAL_BLOCK))
        return np.concatenate([self._values(part, part).diagonal() for part in parts])

    def _values(self, X, Y):
        K, shape = self.function(X, Y), (_num_samples(X), _num_samples(Y))
        if np.shape(K) != shape:
            advice = ""
            if isinstance(K, Number):
                advice = " It takes all objects: [[k(x, y) for y in Y] for x in X] of a k for two of them."
            raise ValueError(f"the kernel function must return a block of shape {shape}, got {np.shape(K)}.{advice}")
        return finite_array(K, "the function's block", copy=True)

    def _formula(self, digits=None):
        return f"FunctionKernel({getattr(self.function, '__name__', type(self.function).__name__)})"


class Constant(ObjectKernel):
    """k(x, x') = value, on objects of any kind; its functions are the constant ones.

    ``k + 1`` is ``k + Constant(1)``, the kernel k with one more feature, which is 1 for every object. A machine without
    an offset, such as kernel ridge regression, then has one, which is regularised as well.

    Parameters
    ----------
    value : float ≥ 0, default 1; in units of k. The constant function c has ‖c‖² = c² / value.

    References
    ----------
    Shawe-Taylor & Cristianini (2004), Kernel Methods for Pattern Analysis, chapter 3.

    >>> Constant(2)(["a", "b"])
    array([[2., 2.],
           [2., 2.]])
    """

    psd = True
    _parameter_constraints = {"value": [NONNEGATIVE_REAL]}

    def __init__(self, value=1.0):
        self.value = value

    def _block(self, X, Y):
        return np.full((_num_samples(X), _num_samples(X if Y is None else Y)), float(self.value))

    def _diag(self, X):
        return np.full(_num_samples(X), float(self.value))


class MatrixKernel(Kernel):
    """k(i, j) = M_ij for integers i, j, the row numbers of a matrix that a subclass computes from its parameters.

    A subclass defines ``_made()``, which returns the matrix, finite and symmetric. The matrix is computed once. If a
    parameter is changed in place, call ``set_params``, so that the matrix is computed again.

    >>> class Ring(MatrixKernel):
    ...     def __init__(self, n=4):
    ...         self.n = n
    ...     def _made(self):
    ...         angles = 2 * np.pi * np.arange(self.n) / self.n
    ...         return np.cos(angles[:, None] - angles)
    >>> Ring(6)([0, 1]).round(2)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    _items = "row numbers"
    _name = None  # of the matrix, if it is a parameter
    on_vectors = False

    def check(self, X, name="X"):
        """Integers, the row numbers of the matrix; for a graph these are its nodes."""
        n = len(self._matrix())
        X = listed(X) if hasattr(X, "to_numpy") else X  # scikit-learn makes floats of some columns of integers
        try:
            items = check_array(unmasked(X, name), ensure_2d=False, dtype=None, input_name=name)
        except TypeError:  # X has no length
            items = np.empty(())
        if items.ndim != 1 or items.dtype.kind not in "iu" or items.min() < 0 or items.max() >= n:
            raise ValueError(f"{name} must be a list of {self._items}, integers from 0 to {n - 1}, got {quoted(X)}.")
        return items.astype(np.intp, copy=False)

    @abstractmethod
    def _made(self):
        """The matrix, from checked parameters."""

    def _matrix(self):
        """The matrix, computed when it is first used, and again if a parameter has changed."""
        parameters = self.get_params(deep=False)
        made = getattr(self, "_kept", None)
        if made is None or not all(_same(made[0][name], value) for name, value in parameters.items()):
            name = self._name or f"the matrix of {type(self).__name__}"
            made = self._kept = parameters, gram_matrix(self._made(), name)
        return made[1]

    def set_params(self, **params):
        self._kept = None
        return super().set_params(**params)

    def _block(self, X, Y):
        return self._matrix()[np.ix_(X, X if Y is None else Y)]

    def _diag(self, X):
        return self._matrix()[X, X]

    def _resolved(self):
        return self.get_params(deep=False)


class Precomputed(MatrixKernel):
    """k(i, j) = K_ij for integers i, j: the objects are row numbers of a Gram matrix that is given.

    Parameters
    ----------
    K : (N, N) symmetric array; it is not copied, and it is checked once, so use ``set_params`` to change it

    Raises
    ------
    ValueError, when the kernel is used : K is not a finite symmetric matrix, or an object is not one of its row numbers

    >>> k = Precomputed([[2.0, 1.0], [1.0, 3.0]])
    >>> k([1, 0], [0])
    array([[1.],
           [2.]])
    """

    _parameter_constraints = {"K": ["array-like"]}
    _items = "row numbers of K"
    _name = "K"

    def __init__(self, K):
        self.K = K

    def _made(self):
        return self.K

    def __sklearn_clone__(self):
        return copy(self)  # with the same matrix, since nobody writes to it

    def _formula(self, digits=None):
        return f"Precomputed(K: {' x '.join(map(str, np.shape(self.K)))})"


def _same(one, other):
    return one is other or (np.ndim(one) == np.ndim(other) == 0 and one == other)

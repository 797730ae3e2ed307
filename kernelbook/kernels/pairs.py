"""Kernels on pairs of objects: of two kinds, or two of one kind without an order."""

import numpy as np
from sklearn.base import clone

from kernelbook.kernels.base import Kernel


class _PairKernel(Kernel):
    """A kernel on pairs (x, y): tuples or lists of two objects, in a list, or the rows of an array with two columns."""

    on_vectors = False

    def check(self, X, name="X"):
        if not isinstance(X, list | tuple | np.ndarray):
            raise ValueError(f"{name} must be a list of pairs, got {X!r:.40}.")
        if len(X) == 0:
            raise ValueError(f"{name} must hold at least one pair, got none.")
        for i, pair in enumerate(X):
            if not isinstance(pair, list | tuple | np.ndarray) or len(pair) != 2:
                raise ValueError(f"{name} must be a list of pairs (x, y), but {name}[{i}] is {pair!r:.40}.")
        self._halves(X, name)
        return X if isinstance(X, np.ndarray) else list(X)

    def _kernels(self):
        """The kernel of the first objects, and that of the second."""
        return self.left, self.right

    def _halves(self, X, name="X"):
        """The first objects of all pairs and the second ones, each as its kernel takes them."""
        return [
            kernel.check([pair[half] for pair in X], f"{name}, object {half} of each pair,")
            for half, kernel in enumerate(self._kernels())
        ]

    def _check_pair(self, X, Y):
        for kernel, x, y in zip(self._kernels(), self._halves(X), self._halves(Y), strict=True):
            kernel._check_pair(x, y)

    def _fit(self, X, sample_weight):
        if self.left is self.right:
            self.right = clone(self.right)  # each is fitted to objects of its own
        for kernel, x in zip(self._kernels(), self._halves(X), strict=True):
            kernel._fit(x, sample_weight)

    def _parts_of(self, X, Y):
        """Each kernel with the halves of X and of Y that it takes."""
        ys = (None, None) if Y is None else self._halves(Y)
        return zip(self._kernels(), self._halves(X), ys, strict=True)


class _TwoKinds(_PairKernel):
    """A kernel on pairs (x, y), made of one on x and one on y."""

    _parameter_constraints = {"left": [Kernel], "right": [Kernel]}

    def __init__(self, left, right):
        self.left = left
        self.right = right

    @property
    def psd(self):
        return self.left.psd and self.right.psd


class DirectSum(_TwoKinds):
    """k((x, y), (x', y')) = left(x, x') + right(y, y'), on pairs of objects of two kinds.

    >>> from kernelbook.kernels import Linear, Spectrum
    >>> DirectSum(Linear(), Spectrum(1))([([2.0], "ab"), ([3.0], "bb")])
    array([[ 6.,  8.],
           [ 8., 13.]])
    """

    @property
    def conditionally_psd(self):
        return self.left.conditionally_psd and self.right.conditionally_psd

    def _block(self, X, Y):
        return sum(kernel._block(x, y) for kernel, x, y in self._parts_of(X, Y))

    def _diag(self, X):
        return sum(kernel._diag(x) for kernel, x, _ in self._parts_of(X, None))

    def _squared_distance(self, X, Y):
        return sum(kernel._squared_distance(x, y) for kernel, x, y in self._parts_of(X, Y))


class TensorProduct(_TwoKinds):
    """k((x, y), (x', y')) = left(x, x') · right(y, y'), on pairs of objects of two kinds.

    >>> from kernelbook.kernels import Linear, Spectrum
    >>> TensorProduct(Linear(), Spectrum(1))([([2.0], "ab"), ([3.0], "bb")])
    array([[ 8., 12.],
           [12., 36.]])
    """

    def _block(self, X, Y):
        return np.prod([kernel._block(x, y) for kernel, x, y in self._parts_of(X, Y)], axis=0)

    def _diag(self, X):
        return np.prod([kernel._diag(x) for kernel, x, _ in self._parts_of(X, None)], axis=0)


class Pairwise(_PairKernel):
    """k((a, b), (c, d)) = base(a, c) base(b, d) + base(a, d) base(b, c), for pairs without an order.

    Parameters
    ----------
    base : Kernel on single objects

    References
    ----------
    Ben-Hur & Noble (2005), Kernel methods for predicting protein-protein interactions, Bioinformatics 21.

    >>> from kernelbook.kernels import Linear
    >>> Pairwise(Linear())([([1.0], [2.0])], [([3.0], [1.0])])  # 3·2 + 1·6
    array([[12.]])
    """

    _parameter_constraints = {"base": [Kernel]}

    def __init__(self, base):
        self.base = base

    @property
    def psd(self):
        return self.base.psd

    def _kernels(self):
        return self.base, self.base

    def _fit(self, X, sample_weight):
        both = [x for half in (0, 1) for x in (pair[half] for pair in X)]
        self.base._fit(self.base.check(both), None if sample_weight is None else np.tile(sample_weight, 2))

    def _block(self, X, Y):
        a, b = self._halves(X)
        c, d = (a, b) if Y is None else self._halves(Y)
        k = self.base._block
        if Y is None:  # then base(b, c) is base(a, d) the other way round
            crossed = k(a, b)
            return k(a, None) * k(b, None) + crossed * crossed.T
        return k(a, c) * k(b, d) + k(a, d) * k(b, c)

    def _diag(self, X):
        a, b = self._halves(X)
        crossed = [self.base._block(a[i : i + 1], b[i : i + 1])[0, 0] for i in range(len(X))]
        return self.base._diag(a) * self.base._diag(b) + np.square(crossed)

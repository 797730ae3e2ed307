"""Kernels on pairs of objects: of two objects of different kinds, or of two of one kind in no order."""

import numpy as np

from kernelbook.inputs.dataframes import is_frame, listed, objects
from kernelbook.inputs.validation import quoted
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.parts import AdditiveKernel, PartedKernel


class _PairKernel(PartedKernel):
    """A kernel on pairs (x, y): tuples or lists of two objects, in a list, or the rows of a table with two columns."""

    takes_frames = False  # a row of two columns is a pair, whatever their names

    def check(self, X, name="X"):
        """Pairs, in a list: tuples or lists of two objects; or the rows of a table with two columns."""
        if is_frame(X):
            X = objects(X)
        elif hasattr(X, "to_numpy"):
            X = listed(X)
        if not isinstance(X, list | tuple | np.ndarray):
            raise ValueError(f"{name} must be a list of pairs, got {quoted(X, 40)}.")
        if len(X) == 0:
            raise ValueError(f"{name} must hold at least one pair, got none.")
        for i, pair in enumerate(X):
            if not isinstance(pair, list | tuple | np.ndarray) or len(pair) != 2:
                raise ValueError(f"{name} must be a list of pairs (x, y), but {name}[{i}] is {quoted(pair, 40)}.")
        self._pieces(X, name)
        return X if isinstance(X, np.ndarray) else list(X)

    def _pieces(self, X, name="X"):
        return [
            kernel.check([pair[half] for pair in X], f"object {half} of each pair in {name}")
            for half, kernel in enumerate(self._kernels())
        ]


class _TwoKinds(_PairKernel):
    """A kernel on pairs (x, y), made of a kernel on x and a kernel on y."""

    _parameter_constraints = {"left": [Kernel], "right": [Kernel]}

    def __init__(self, left, right):
        self.left = left
        self.right = right


class DirectSum(_TwoKinds, AdditiveKernel):
    """k((x, y), (x', y')) = left(x, x') + right(y, y'), on pairs of objects of two kinds.

    References
    ----------
    Aronszajn (1950), Theory of reproducing kernels, Transactions of the AMS 68.

    >>> from kernelbook.kernels import Linear, Spectrum
    >>> DirectSum(Linear(), Spectrum(1))([([2.0], "ab"), ([3.0], "bb")])
    array([[ 6.,  8.],
           [ 8., 13.]])
    """


class TensorProduct(_TwoKinds):
    """k((x, y), (x', y')) = left(x, x') · right(y, y'), on pairs of objects of two kinds.

    References
    ----------
    Aronszajn (1950), Theory of reproducing kernels, Transactions of the AMS 68.

    >>> from kernelbook.kernels import Linear, Spectrum
    >>> TensorProduct(Linear(), Spectrum(1))([([2.0], "ab"), ([3.0], "bb")])
    array([[ 8., 12.],
           [12., 36.]])
    """

    def _block(self, X, Y):
        return np.prod([kernel._block(x, y) for kernel, x, y in self._of_parts(X, Y)], axis=0)

    def _diag(self, X):
        return np.prod([kernel._diag(x) for kernel, x, _ in self._of_parts(X, None)], axis=0)


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

    def _kernels(self):
        return self.base, self.base

    def _pieces(self, X, name="X"):
        firsts, seconds = super()._pieces(X, name)
        self.base._check_together(firsts, seconds)
        return [firsts, seconds]

    def _fit(self, X, sample_weight):
        both = [x for half in (0, 1) for x in (pair[half] for pair in X)]
        self.base._fit(self.base.check(both), None if sample_weight is None else np.tile(sample_weight, 2))

    def _block(self, X, Y):
        a, b = self._pieces(X)
        c, d = (a, b) if Y is None else self._pieces(Y)
        k = self.base._block
        if Y is None:  # then base(b, c) is the transpose of base(a, d)
            crossed = k(a, b)
            return k(a, None) * k(b, None) + crossed * crossed.T
        return k(a, c) * k(b, d) + k(a, d) * k(b, c)

    def _diag(self, X):
        a, b = self._pieces(X)
        crossed = [self.base._block(a[i : i + 1], b[i : i + 1])[0, 0] for i in range(len(X))]
        return self.base._diag(a) * self.base._diag(b) + np.square(crossed)

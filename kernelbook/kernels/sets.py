"""Kernels on sets, given as vectors of 0 and 1, as Python's sets, or as collections of objects that have a kernel."""

from collections.abc import Mapping, Set

import numpy as np
import scipy.sparse as sp

from kernelbook.inputs.dataframes import is_frame
from kernelbook.inputs.object_arrays import joined
from kernelbook.inputs.validation import quoted
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.vectors import VectorKernel

MOST_MEMBERS = 2**12  # on either side of a block of the base kernel: 128 MB


class BinaryKernel(VectorKernel):
    """Base class of kernels on the rows of an (n, d) array of 0 and 1, which of d things each object has.

    A subclass defines ``_block(X, Y)``, a new float array of k(x_i, y_j), where Y is None for the Gram matrix of X, and
    ``_diag(X)``, a new float array of k(x_i, x_i).

    >>> class BothHaveOrBothLack(BinaryKernel):
    ...     def _block(self, X, Y):
    ...         Y = X if Y is None else Y
    ...         return X @ Y.T + (1 - X) @ (1 - Y).T
    ...     def _diag(self, X):
    ...         return np.full(len(X), float(X.shape[1]))
    >>> BothHaveOrBothLack()([[1, 1, 0]], [[1, 0, 0]])
    array([[2.]])
    """

    on_vectors = False  # a mean of such rows is not a row of 0 and 1

    def check(self, X, name="X"):
        """The rows of an (n, d) array of 0 and 1: which of d things an object has."""
        X = super().check(X, name)
        if not ((X == 0) | (X == 1)).all():
            raise ValueError(f"{name} must hold 0 and 1 only, got {X[(X != 0) & (X != 1)][0]}.")
        return X


class RussellRao(BinaryKernel):
    """k(x, x') = (1/d) Σ_j x_j x'_j, the share of the d things that both have.

    The objects are the rows of an (n, d) array of 0 and 1.

    References
    ----------
    Gower & Legendre (1986), Metric and Euclidean properties of dissimilarity coefficients, Journal of Classification 3.

    >>> RussellRao()([[1, 1, 0, 0]], [[1, 0, 1, 0]])
    array([[0.25]])
    """

    psd = True

    def _block(self, X, Y):
        return X @ (X if Y is None else Y).T / X.shape[1]

    def _diag(self, X):
        return X.mean(axis=1)


class SimpleMatching(BinaryKernel):
    """k(x, x') = (1/d) Σ_j [x_j = x'_j], the share of the d things that both have, or that both lack.

    The objects are the rows of an (n, d) array of 0 and 1.

    References
    ----------
    Gower (1971), A general coefficient of similarity and some of its properties, Biometrics 27.

    >>> SimpleMatching()([[1, 1, 0, 0]], [[1, 0, 1, 0]])
    array([[0.5]])
    """

    psd = True

    def _block(self, X, Y):
        signs = 2 * X - 1
        K = signs @ (signs if Y is None else 2 * Y - 1).T  # matches less mismatches
        return (K / X.shape[1] + 1) / 2

    def _diag(self, X):
        return np.ones(len(X))


class Jaccard(BinaryKernel):
    """k(A, B) = |A ∩ B| / |A ∪ B|, the share of the members of either set that both have; 1 for two empty sets.

    The objects are Python's sets, in a list, with members of any kind; or the rows of an (n, d) array of 0 and 1.

    References
    ----------
    Bouchard, Jousselme & Doré (2013), A proof for the positive definiteness of the Jaccard index matrix, International
    Journal of Approximate Reasoning 54.

    >>> Jaccard()([{"a", "b"}, {"b"}])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    psd = True

    def check(self, X, name="X"):
        """Sets, in a list; or the rows of an (n, d) array of 0 and 1."""
        kinds = "a list of sets, or an array of 0 and 1"
        if not hasattr(X, "__len__") or sp.issparse(X) or isinstance(X, str | Set | Mapping) or len(X) == 0:
            raise ValueError(f"{name} must be {kinds}, got {quoted(X, 40)}.")
        if not any(isinstance(A, Set) for A in X):
            try:
                return super().check(X, name)
            except (ValueError, TypeError) as error:
                raise ValueError(str(error).replace("an array of numbers", kinds)) from None
        X = list(X)
        for i, A in enumerate(X):
            if not isinstance(A, Set):
                raise ValueError(f"{name} must hold sets only, but {name}[{i}] is {quoted(A, 40)}.")
        return X

    def _check_together(self, X, Y):
        if isinstance(X, list) != isinstance(Y, list):
            raise ValueError("X and Y must both be lists of sets, or both arrays of 0 and 1.")
        if not isinstance(X, list):
            super()._check_together(X, Y)

    def _block(self, X, Y):
        x, y = self._indicators(X, X if Y is None else Y)
        both = (x @ y.T).toarray()
        either = np.add.outer(x.sum(axis=1), y.sum(axis=1)) - both
        return np.divide(both, either, out=np.ones_like(both), where=either > 0)

    def _diag(self, X):
        return np.ones(len(X))

    def _indicators(self, X, Y):
        """For the sets in X and in Y, a row each with a 1 for every member."""
        if not isinstance(X, list):
            return sp.csr_array(X), sp.csr_array(Y)
        column = {}
        coded = [[[column.setdefault(a, len(column)) for a in A] for A in Z] for Z in (X, Y)]
        return [
            sp.csr_array(
                (np.ones(sum(map(len, Z))), np.concatenate([*Z, []]).astype(int), offsets(Z)),
                shape=(len(Z), len(column)),
            )
            for Z in coded
        ]


class SetKernel(Kernel):
    """k(A, B) = Σ_{a in A} Σ_{b in B} base(a, b), for sets of objects on which base is a kernel.

    The work grows with the number of pairs of members: the Gram matrix of 1000 sets of 10 vectors takes about 0.5 s on
    one core with RBF. Large sets have long feature vectors; ``SetKernel(base).normalized()`` compares them by their
    angles. The kernel is zero on an empty set.

    Parameters
    ----------
    base : Kernel on the members. A set is a Python set, or what the base takes as X: a list of strings, an array with a
        row for each member, …, in which a member that occurs twice counts twice.

    References
    ----------
    Gärtner, Flach, Kowalczyk & Smola (2002), Multi-instance kernels, ICML.

    >>> from kernelbook.kernels import Linear
    >>> SetKernel(Linear())([[[1.0], [2.0]], [[3.0]]])
    array([[9., 9.],
           [9., 9.]])
    """

    on_vectors = False
    _parameter_constraints = {"base": [Kernel]}

    def __init__(self, base):
        self.base = base

    @property
    def psd(self):
        """where base is"""
        return self.base.psd

    def check(self, X, name="X"):
        """Sets, lists or arrays of objects that the base kernel takes, in a list."""
        if is_frame(X):
            raise ValueError(f"{name} must be a list of sets, got {quoted(X)}: take one of its columns.")
        if isinstance(X, str | Set | Mapping) or not hasattr(X, "__len__"):
            raise ValueError(f"{name} must be a list of sets, got {quoted(X, 40)}.")
        if len(X) == 0:
            raise ValueError(f"{name} must hold at least one set, got none.")
        members(self.base, X, name)
        return X if isinstance(X, np.ndarray) else list(X)

    def _check_together(self, X, Y):
        x, y = (nonempty(members(self.base, Z)) for Z in (X, Y))
        if x and y:
            self.base._check_together(x[0], y[0])

    def _fit(self, X, sample_weight):
        parts = members(self.base, X)
        sizes = [len(part) for part in parts]
        weight = None if sample_weight is None else np.repeat(sample_weight, sizes)
        if sum(sizes):
            self.base._fit(joined(nonempty(parts)), weight)

    def _block(self, X, Y):
        return member_sums(self.base, members(self.base, X), None if Y is None else members(self.base, Y))

    def _diag(self, X):
        return own_sums(self.base, members(self.base, X))


def members(base, X, name="X"):
    """The members of each set, checked by the base; an empty list for an empty set."""
    parts = [
        base.check(list(A) if isinstance(A, Set) else A, f"{name}[{i}]") if _size(A, f"{name}[{i}]") else []
        for i, A in enumerate(X)
    ]
    filled_parts = nonempty(parts)
    if any(map(is_frame, filled_parts)):
        raise ValueError(f"{name} must hold sets as lists or arrays, got data frames: write frame.to_numpy(object).")
    for part in filled_parts[1:]:
        base._check_together(filled_parts[0], part)
    return parts


def nonempty(parts):
    """The sets that have members."""
    return [part for part in parts if len(part)]


def member_sums(base, X, Y):
    """Σ_{a in x_i} Σ_{b in y_j} base(a, b), shape (n, m), for lists of sets whose members the base has checked."""
    others, symmetric = (X, True) if Y is None else (Y, False)
    K = np.zeros((len(X), len(others)))
    for rows in _batches(X):
        for columns in _batches(others):
            below = symmetric and columns.stop <= rows.start  # known by symmetry
            if not below and any(map(len, X[rows])) and any(map(len, others[columns])):
                block = base._block(joined(nonempty(X[rows])), joined(nonempty(others[columns])))
                K[rows, columns] = _membership(X[rows]) @ block @ _membership(others[columns]).T
    return np.triu(K) + np.triu(K, 1).T if symmetric else K


def own_sums(base, X):
    """Σ_{a, b in x_i} base(a, b), shape (n,)."""
    return np.array([base._block(x, None).sum() if len(x) else 0.0 for x in X])


def offsets(parts):
    """The place at which each of several collections begins when they are joined, and at which the last one ends."""
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])])


def _membership(parts):
    """A row for each set, with a 1 for each of its members among the members of all."""
    total = sum(map(len, parts))
    return sp.csr_array((np.ones(total), np.arange(total), offsets(parts)), shape=(len(parts), total))


def _batches(sets):
    """Slices of successive sets with no more than MOST_MEMBERS members together, unless one set alone has more."""
    start, count = 0, 0
    for i, members_of in enumerate(sets):
        if count and count + len(members_of) > MOST_MEMBERS:
            yield slice(start, i)
            start, count = i, 0
        count += len(members_of)
    yield slice(start, len(sets))


def _size(A, name):
    if isinstance(A, str) or not hasattr(A, "__len__"):
        raise ValueError(f"{name} must be a set, or a list or an array of its members, got {quoted(A, 40)}.")
    return len(A)

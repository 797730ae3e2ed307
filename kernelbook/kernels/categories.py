"""Kernels on rows of categories, which are strings, numbers or other values that are equal or not."""

from itertools import permutations

import numpy as np
from sklearn.exceptions import NotFittedError

from kernelbook.inputs.intervals import NONNEGATIVE_REAL, POSITIVE_REAL
from kernelbook.inputs.missing_values import is_missing
from kernelbook.inputs.object_arrays import table
from kernelbook.inputs.validation import sample_weights
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.vectors import check_widths


class CategoryKernel(Kernel):
    """Base class of kernels on the rows of an (n, d) table of categories without gaps.

    A subclass defines ``_block(X, Y)``, a new float array of k(x_i, y_j), where Y is None for the Gram matrix of X, and
    ``_diag(X)``, a new float array of k(x_i, x_i); X and Y are arrays of values that are equal or not.

    >>> class AllEqual(CategoryKernel):
    ...     def _block(self, X, Y):
    ...         return (X[:, None] == (X if Y is None else Y)[None]).all(axis=2).astype(float)
    ...     def _diag(self, X):
    ...         return np.ones(len(X))
    >>> AllEqual()([["red", "round"]], [["red", "flat"], ["red", "round"]])
    array([[0., 1.]])
    """

    on_vectors = False

    def check(self, X, name="X"):
        """The rows of a table or a data frame without gaps, whose values are equal or not."""
        X = table(X, name)
        if (gaps := is_missing(X)).any():
            i, j = np.argwhere(gaps)[0]
            raise ValueError(
                f"{name} must have a category in every place, but row {i}, column {j} is missing: MissingValue and "
                "Completion make a kernel for such tables."
            )
        return X

    def _check_together(self, X, Y):
        check_alike(X, Y)


class Overlap(CategoryKernel):
    """k(x, x') = (1/d) Σ_j [x_j = x'_j], the share of the columns in which two rows agree.

    The objects are the rows of a table of categories: an (n, d) array, a list of rows or a data frame, without gaps.
    Values agree where Python calls them equal, as 1, 1.0 and True are, but not "1".

    Raises ValueError if a column has been rounded to single precision in one of two tables, but not in the other.

    References
    ----------
    Gower (1971), A general coefficient of similarity and some of its properties, Biometrics 27.
    Boriah, Chandola & Kumar (2008), Similarity measures for categorical data: a comparative evaluation, SDM.

    >>> Overlap()([["red", "round"], ["red", "long"]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    psd = True

    def _block(self, X, Y):
        return _matches(X, Y, np.ones(X.shape)) / X.shape[1]

    def _diag(self, X):
        return np.ones(len(X))


class Categorical(CategoryKernel):
    """k(x, x') = exp((γ/d) Σ_j h(P_j(x_j)) [x_j = x'_j]), in which sharing a rare category counts for more.

    The objects are the rows of a table of categories: an (n, d) array, a list of rows or a data frame, without gaps.
    P_j(c) is the share of category c in column j, which ``fit`` takes from data, and h(z) = (1 − z^a)^(1/a). A category
    that no training object has gets the largest weight, h(0) = 1; a category that all of them have gets h(1) = 0.

    A shared rare category is a sign of kinship if related rows have inherited it and P_j is its share among unrelated
    rows. Shares of the training rows also count the copies that relatives have inherited; the more copies there are,
    the larger the exponent should be. For a large exponent the kernel approaches the RBF kernel on one-hot codes.

    Parameters
    ----------
    exponent : float > 0, default 1; a. A larger exponent lowers the weights of very common categories only.
    gamma : float ≥ 0, default 1; γ, without a unit

    Attributes
    ----------
    probabilities_ : list of d dicts, category -> P_j(category); set by ``fit``

    Raises
    ------
    ValueError, when the kernel is used : a value is missing; the table has another number of columns than in ``fit``
    NotFittedError : ``fit`` was not called

    References
    ----------
    Belanche & Villegas (2013), Kernel functions for categorical variables with application to problems in the life
    sciences, CCIA.

    >>> Categorical().fit([["a"], ["a"], ["a"], ["b"]])([["a"], ["b"]]).round(3)  # e^(1/4), 1, e^(3/4)
    array([[1.284, 1.   ],
           [1.   , 2.117]])
    """

    psd = True
    _parameter_constraints = {"exponent": [POSITIVE_REAL], "gamma": [NONNEGATIVE_REAL]}

    def __init__(self, exponent=1.0, gamma=1.0):
        self.exponent = exponent
        self.gamma = gamma

    def _found(self):
        return {"probabilities_": self.probabilities_} if hasattr(self, "probabilities_") else {}

    def _fit(self, X, sample_weight):
        self.probabilities_ = shares(X, sample_weights(sample_weight, X))

    def _block(self, X, Y):
        return np.exp(self.gamma / X.shape[1] * _matches(X, Y, self._rarity(X)))

    def _diag(self, X):
        return np.exp(self.gamma / X.shape[1] * self._rarity(X).sum(axis=1))

    def _rarity(self, X):
        """h(P_j(x_ij)), shape (n, d)."""
        if not hasattr(self, "probabilities_"):
            raise NotFittedError(f"{self.formula} takes the shares of the categories from data: call fit(X) first.")
        if len(self.probabilities_) != X.shape[1]:
            raise ValueError(
                f"X must have {len(self.probabilities_)} columns, as the data in fit had, but has {X.shape[1]}."
            )
        P = [[share.get(c, 0.0) for c in column] for share, column in zip(self.probabilities_, X.T, strict=True)]
        a = float(self.exponent)
        return (1 - np.array(P).T ** a).clip(0) ** (1 / a)


def check_alike(X, Y, exactly=True):
    """ValueError if two tables differ in width, or if NumPy has made strings of the numbers in one of them.

    If values have to agree `exactly`, no column may have been rounded to single precision in only one of them.
    """
    check_widths(X, Y)
    for (one, strings), (other, values) in permutations([("X", X), ("Y", Y)]):
        if strings.dtype.kind in "US" and values.dtype.kind != strings.dtype.kind:
            for value in values[~is_missing(values)]:
                if not isinstance(value, strings.dtype.type.__mro__[1]):
                    raise ValueError(
                        f"X and Y must hold values that can be equal, but {one} is an array of strings, and {other} "
                        f"has other values too, such as {value!r}: write rows in a list, or dtype=object."
                    )
    if exactly:
        for j, (x, y) in enumerate(zip(distinct_values(X), distinct_values(Y), strict=True)):
            check_precision(x, y, f"column {j} of X and Y")


def distinct_values(X):
    """The distinct values of each column of a table, without gaps, in order of appearance."""
    return [dict.fromkeys(column[~gaps].tolist()).keys() for column, gaps in zip(X.T, is_missing(X).T, strict=True)]


def check_precision(x, y, where):
    """ValueError if two sets of values are disjoint, but would not be in single precision."""
    if x.isdisjoint(y):
        single = [
            {float(np.float32(value)): value for value in values if isinstance(value, float | np.floating)}
            for values in (x, y)
        ]
        for value in single[0].keys() & single[1].keys():
            one, other = (float(values[value]) for values in single)
            raise ValueError(
                f"{where} must be of one precision, but have no value in common, since {one} and {other} differ."
            )


def shares(X, weight):
    """For each column of a table, a dict from its values, without gaps, to their shares."""
    found = []
    for column, gaps in zip(X.T, is_missing(X).T, strict=True):
        share, total = {}, weight[~gaps].sum()
        for value, w in zip(column[~gaps], weight[~gaps], strict=True):
            share[value] = share.get(value, 0.0) + w / total
        found.append({value: float(p) for value, p in share.items() if p > 0})
    return found


def codes(*columns):
    """Columns of values as arrays of integers, which are indices into the list of distinct values; and that list."""
    number = {}
    coded = [np.array([number.setdefault(value, len(number)) for value in column]) for column in columns]
    return coded, list(number)


def _matches(X, Y, weight):
    """Σ_j weight_ij [x_ij = y_ij], where the weight depends on the category alone."""
    Y = X if Y is None else Y
    K = np.zeros((len(X), len(Y)))
    for j in range(X.shape[1]):
        (x, y), _ = codes(X[:, j], Y[:, j])
        K += np.where(x[:, None] == y, weight[:, j, None], 0.0)
    return K

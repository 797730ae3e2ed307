"""Features of kernels that have few or sparse ones: their products are the kernel itself."""

from functools import partial, singledispatch

import numpy as np
import scipy.sparse as sp
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.prediction import row_slices
from kernelbook.base.training import fitted_kernel, is_precomputed
from kernelbook.features.mapping import NUMBERS, FeatureMap
from kernelbook.kernels import Columns, Constant, Linear, Overlap, Spectrum
from kernelbook.kernels.algebra import Normalized, Scaled, Sum
from kernelbook.kernels.n_grams import n_grams
from kernelbook.linalg.blocks import positive_lengths

SPARSE_WIDTH = 2**12  # numbers that a row of sparse features is thought to take


class ExactFeatures(FeatureMap):
    """The features of a kernel, written out: F(x) F(x')ᵀ = k(x, x') if x or x' is a training object.

    - Linear: the vector itself, an array
    - Spectrum: how often each n-gram occurs, a sparse array
    - Overlap: 1/√d for each of the d categories of a row, a sparse array
    - sums and Columns: the features of their parts, side by side; multiples, Constant and ``normalized()`` of these

    There is a feature for each n-gram or category of a training object. Others have none: they matter only to products
    of two new objects. A linear model on F is the kernel machine itself, without landmarks, and fits in a time that
    grows with the number of counts and not with n². Strings of any number should be tried this way first.

    Parameters
    ----------
    kernel : Kernel or a short name, default "linear"

    Attributes
    ----------
    kernel_ : the fitted Kernel

    Raises
    ------
    ValueError : a kernel without such features; objects that the kernel cannot take

    References
    ----------
    Leslie, Eskin & Noble (2002), The spectrum kernel: a string kernel for SVM protein classification, PSB.

    Examples
    --------
    >>> from kernelbook import ExactFeatures, Spectrum
    >>> features = ExactFeatures(Spectrum(2)).fit(["tara", "tata"])
    >>> print(features.transform(["tara", "rata"]).toarray())  # ta, ar, ra, at
    [[1. 1. 1. 0.]
     [1. 0. 1. 1.]]
    """

    def __init__(self, kernel="linear"):
        self.kernel = kernel

    @all_or_nothing
    def fit(self, X, y=None):
        """Fit the kernel, and list the features.

        Parameters
        ----------
        X : objects, as the kernel takes them
        y : ignored
        """
        self._validate_params()
        if is_precomputed(self.kernel):
            raise ValueError("kernel must be a Kernel or a short name for it to have features, got 'precomputed'.")
        self.kernel_, objects = fitted_kernel(self.kernel, X)
        self._check_features(X, objects, reset=True)
        self._map = feature_map(self.kernel_, objects)
        self._n_features_out = self._map(_safe_indexing(objects, [0])).shape[1]
        self._sign()
        return self

    def _identity(self):
        return (self._map,)

    def _blocks(self, objects):
        width = min(self._n_features_out, SPARSE_WIDTH)
        for rows in row_slices(_num_samples(objects), width, NUMBERS):
            yield rows, self._map(_safe_indexing(objects, rows))


@singledispatch
def feature_map(kernel, X):
    """A function from checked objects to their features, which are those of the objects X; ValueError if there is none.

    >>> feature_map(Overlap(), np.array([["red", "round"]]))(np.array([["blue", "round"]])).toarray().round(3)
    array([[0.   , 0.707]])
    """
    raise ValueError(
        "kernel must have features that can be listed, as Linear, Spectrum, Overlap, their sums and multiples have, "
        f"got {kernel.formula}: Nystroem takes any kernel."
    )


@feature_map.register
def _(kernel: Linear, X):
    return np.array  # a copy


@feature_map.register
def _(kernel: Constant, X):
    return partial(_constant, np.sqrt(float(kernel.value)))


@feature_map.register
def _(kernel: Spectrum, X):
    grams = dict.fromkeys(gram for x in X for gram in n_grams(x, kernel.n))
    return partial(_gram_counts, int(kernel.n), _numbered(grams))


@feature_map.register
def _(kernel: Overlap, X):
    cells = dict.fromkeys((j, value) for row in X.tolist() for j, value in enumerate(row))
    return partial(_categories, _numbered(cells))


@feature_map.register
def _(kernel: Scaled, X):
    if kernel.factor < 0:
        raise ValueError(f"kernel must be PSD, but has a negative factor: {kernel.formula}.")
    return partial(_scaled, np.sqrt(float(kernel.factor)), feature_map(kernel.kernel, X))


@feature_map.register
def _(kernel: Normalized, X):
    return partial(_normalized, kernel.kernel, feature_map(kernel.kernel, X))


@feature_map.register
def _(kernel: Sum, X):
    return partial(_side_by_side, [feature_map(part, X) for part in (kernel.left, kernel.right)])


@feature_map.register
def _(kernel: Columns, X):
    maps = [feature_map(part, piece) for part, piece in zip(kernel._kernels(), kernel._pieces(X), strict=True)]
    return partial(_by_columns, kernel, maps)


# What follows are functions of a module, not closures, so that features can be sent to other processes.


def _numbered(names):
    return {name: place for place, name in enumerate(names)}


def _sparse(rows, width):
    """A sparse array from a dict {column: value} for each row; columns that are None are left out."""
    ends, columns, values = [0], [], []
    for row in rows:
        kept = [(column, value) for column, value in row if column is not None]
        columns += [column for column, _ in kept]
        values += [value for _, value in kept]
        ends.append(len(columns))
    return sp.csr_array((np.array(values, dtype=float), columns, ends), shape=(len(ends) - 1, width))


def _constant(value, X):
    return np.full((_num_samples(X), 1), value)


def _gram_counts(n, place, X):
    return _sparse((((place.get(gram), count) for gram, count in n_grams(x, n).items()) for x in X), len(place))


def _categories(place, X):
    share = 1 / np.sqrt(X.shape[1])
    return _sparse((((place.get(cell), share) for cell in enumerate(row)) for row in X.tolist()), len(place))


def _scaled(root, features, X):
    return root * features(X)


def _normalized(kernel, features, X):
    F, lengths = features(X), positive_lengths(kernel._diag(X), "row")
    return sp.diags_array(1 / lengths) @ F if sp.issparse(F) else F / lengths[:, None]


def _side_by_side(maps, X):
    return _stacked([features(X) for features in maps])


def _by_columns(kernel, maps, X):
    return _stacked([features(piece) for features, piece in zip(maps, kernel._pieces(X), strict=True)])


def _stacked(parts):
    return sp.hstack(parts, format="csr") if any(map(sp.issparse, parts)) else np.hstack(parts)

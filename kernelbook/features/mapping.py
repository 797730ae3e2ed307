"""The base class of features that are written out: their sums, and linear functions of them, block by block."""

from abc import ABC, abstractmethod

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted

from kernelbook.base.estimator import TakesObjects
from kernelbook.base.kernel_parameters import HasKernel
from kernelbook.base.targets import LARGEST_Y
from kernelbook.features.moments import moments_of
from kernelbook.inputs.missing_values import is_missing
from kernelbook.inputs.validation import finite_array, sample_weights
from kernelbook.runtime.available import free_memory

NUMBERS = 2**22  # numbers in the features of a block: 32 MB
WHITENED_AFTER = 1e8  # up to this condition of K_mm, sums are whitened; beyond it, features before they are summed


class FeatureMap(ABC, ClassNamePrefixFeaturesOutMixin, TransformerMixin, HasKernel, TakesObjects):
    """A transformer with F(x) F(x')ᵀ ≈ k(x, x'). A subclass defines ``_blocks`` and ``_identity``."""

    _whitening = None  # the matrix W of F = ZW, where _blocks gives Z
    _condition = 1.0  # of WᵀW

    @abstractmethod
    def _blocks(self, objects):
        """Slices of the objects, each with its Z, a new array or a sparse one."""

    @abstractmethod
    def _identity(self):
        """The attributes that determine F."""

    def moments(self, X, y=None, sample_weight=None):
        """The Moments of these objects, for a fit that needs no others at the same time.

        Parameters
        ----------
        X : objects, as in ``transform``: all of them, or a part
        y : (n,) or (n, t) array, or None for no target
        sample_weight : (n,) array ≥ 0 or None for ones; an integer weight w counts the object w times

        Raises
        ------
        ValueError : no object; a gap in X or y, whose row the message names; other columns than in ``fit``
        MemoryError : more features than the free memory has room for their products
        """
        check_is_fitted(self)
        if X is not None and _num_samples(X) == 0:
            raise ValueError("X must hold at least one object, got an empty block.")
        check_moments_memory(self._n_features_out)
        objects = _naming_rows(self._new_objects, X)
        n = _num_samples(objects)
        y = np.empty((n, 0)) if y is None else _naming_rows(_targets, y)
        check_consistent_length(objects, y)
        weight = sample_weights(sample_weight, objects)
        if not weight.all():
            kept = np.flatnonzero(weight)
            objects, y, weight = _safe_indexing(objects, kept), y[kept], weight[kept]
        # whitening the m features of n objects costs nm², whitening their sums 2m³, and digits if K_mm has a condition
        W = self._whitening
        after = W is not None and self._condition <= WHITENED_AFTER and len(y) > 2 * len(W)
        total = sum(
            moments_of(Z if W is None or after else Z @ W, y[rows], weight[rows], self._fingerprint)
            for rows, Z in self._blocks(objects)
        )
        return total._mapped(W) if after else total

    def transform(self, X):
        """F of each object of X, shape (n, q), in units of √k.

        Raises ValueError when X does not match the training data.
        """
        check_is_fitted(self)
        parts = [Z if self._whitening is None else Z @ self._whitening for _, Z in self._blocks(self._new_objects(X))]
        return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)

    def linear(self, X, coefficients):
        """F(x) coefficients for each object of X, without F for all of them at once; shape (n,) or (n, t).

        Parameters
        ----------
        X : objects, as in ``transform``
        coefficients : (q,) or (q, t) array
        """
        check_is_fitted(self)
        if self._whitening is not None:
            coefficients = self._whitening @ coefficients
        return np.concatenate([Z @ coefficients for _, Z in self._blocks(self._new_objects(X))])

    def _sign(self):
        """Set the fingerprint of the features, which their moments carry."""
        self._fingerprint = joblib.hash((type(self).__name__, repr(self.kernel_), *self._identity()))


def check_moments_memory(q):
    """MemoryError if a few (q, q) matrices do not fit into the free memory."""
    size, free = 8 * q**2, free_memory()
    if 4 * size > free:
        raise MemoryError(
            f"the products of {q} features take {size / 1e9:.1f} GB, adding them 4 times as much, and {free / 1e9:.1f} "
            "GB of memory are free: take fewer features."
        )


def _targets(y):
    y = finite_array(y, "y", ensure_2d=False)
    if np.abs(y).max() > LARGEST_Y:
        raise ValueError(f"y must hold numbers up to {LARGEST_Y:.0e} in size, got {np.abs(y).max():.3g}.")
    return y


def _naming_rows(check, values):
    """check(values); a ValueError names the first row with a gap."""
    try:
        return check(values)
    except ValueError as error:
        gaps = is_missing(np.asarray(values, dtype=object))
        if gaps.ndim == 0 or not gaps.any():
            raise
        row = int(np.argwhere(gaps)[0][0])
        raise ValueError(f"{str(error).splitlines()[0].rstrip('.')}. The first gap is in row {row}.") from None

"""What the estimators share: a kernel in any of the accepted forms, and the Gram blocks it gives."""

import numpy as np
import psutil
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, validate_data

from kernelbook.kernels import as_kernel
from kernelbook.kernels.checks import finite_array, gram_matrix

PRECOMPUTED = "precomputed"
CHUNK = 2**24  # numbers of a block that a prediction holds at a time: 128 MB


class KernelEstimator(BaseEstimator):
    """An estimator with a `kernel` parameter: a Kernel, a function (X, Y) -> block, "precomputed" or a short name.

    With "precomputed", X is the Gram matrix itself: (n, n) in `fit`, afterwards the (m, n) block of new objects against
    the training objects.
    """

    def _fit_gram(self, X, sample_weight=None, order=None):
        """The Gram matrix of the training objects, the caller's to overwrite; sets ``kernel_`` and ``X_fit_``.

        `order` is that of its rows and columns, as indices into the objects; None for their own.
        """
        if isinstance(self.kernel, str) and self.kernel == PRECOMPUTED:
            K = gram_matrix(X, "X")
            self.kernel_, self.X_fit_ = PRECOMPUTED, None
            validate_data(self, X, skip_check_array=True)
            _check_memory(len(K))
            return K.copy() if order is None else K[np.ix_(order, order)]
        self.kernel_ = as_kernel(self.kernel)
        self.X_fit_ = self.kernel_.check(X)
        validate_data(self, X, skip_check_array=True)
        self.kernel_.fit(self.X_fit_, sample_weight)
        _check_memory(_num_samples(self.X_fit_))
        objects = self.X_fit_ if order is None else _safe_indexing(self.X_fit_, order)
        return self._finite(self.kernel_(objects))

    def _expansion(self, X, coefficients, support=slice(None)):
        """Σ_i c_i k(x_i, x) for new objects, i over the training objects in `support`, in blocks of bounded size."""
        precomputed = isinstance(self.kernel_, str)
        X_new = finite_array(X, "X") if precomputed else self.kernel_.check(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        if len(coefficients) == 0:
            return np.zeros((_num_samples(X_new), *coefficients.shape[1:]))
        centres = None if precomputed else _safe_indexing(self.X_fit_, support)
        rows = max(1, CHUNK // len(coefficients))
        parts = []
        for start in range(0, _num_samples(X_new), rows):
            some = _safe_indexing(X_new, slice(start, start + rows))
            parts.append(
                (some[:, support] if precomputed else self._finite(self.kernel_(some, centres))) @ coefficients
            )
        return np.concatenate(parts)

    def _finite(self, K):
        with np.errstate(invalid="ignore", over="ignore"):
            finite = np.isfinite(K.sum())
        if not finite:
            raise ValueError(
                f"{self.kernel_!r} gives values too large to compute with; scale the data or choose other parameters."
            )
        return K

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == PRECOMPUTED
        return tags


def _check_memory(n):
    """MemoryError, before anything is computed, where an (n, n) Gram matrix cannot fit."""
    needed, free = 8 * n**2, psutil.virtual_memory().available
    if needed > free:
        raise MemoryError(
            f"the Gram matrix of {n} objects takes {needed / 1e9:.1f} GB, and {free / 1e9:.1f} GB of memory are free: "
            "take fewer objects."
        )

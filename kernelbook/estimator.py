"""What the estimators share: a kernel in any of the accepted forms, and the Gram blocks it gives."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelbook.kernels import as_kernel
from kernelbook.kernels.checks import finite_array, gram_matrix

PRECOMPUTED = "precomputed"


class KernelEstimator(BaseEstimator):
    """An estimator with a `kernel` parameter: a Kernel, a function (X, Y) -> block, "precomputed" or a short name.

    With "precomputed", X is the Gram matrix itself: (n, n) in `fit`, afterwards the (m, n) block of new objects against
    the training objects.
    """

    def _fit_gram(self, X, sample_weight=None):
        """The Gram matrix of the training objects, the caller's to overwrite; sets ``kernel_`` and ``X_fit_``."""
        if isinstance(self.kernel, str) and self.kernel == PRECOMPUTED:
            K = gram_matrix(X, "X")
            self.kernel_, self.X_fit_ = PRECOMPUTED, None
            validate_data(self, X, skip_check_array=True)
            return K.copy()
        self.kernel_ = as_kernel(self.kernel)
        self.X_fit_ = self.kernel_.check(X)
        validate_data(self, X, skip_check_array=True)
        self.kernel_.fit(self.X_fit_, sample_weight)
        return self._finite(self.kernel_(self.X_fit_))

    def _new_block(self, X):
        """The (m, n) block of new objects against the training objects."""
        check_is_fitted(self)
        if isinstance(self.kernel_, str):
            K = finite_array(X, "X")
            validate_data(self, X, reset=False, skip_check_array=True)
            return K
        X_new = self.kernel_.check(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return self._finite(self.kernel_(X_new, self.X_fit_))

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

"""The base class of estimators with a fitted kernel: what a fit keeps, Σ_i c_i k(x_i, ·), and its RKHS function."""

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelbook.base.parameters import CheckedEstimator
from kernelbook.base.prediction import map_blocks
from kernelbook.base.training import is_precomputed
from kernelbook.inputs.dataframes import is_frame
from kernelbook.inputs.validation import finite_array
from kernelbook.kernels import Linear
from kernelbook.rkhs.functions import RKHSFunction, with_names

ALL = slice(None)  # of the training objects


class TakesObjects(CheckedEstimator):
    """An estimator whose ``kernel_`` says what its objects are; it keeps the number and names of their features."""

    def _check_features(self, X, objects, reset):
        """Keep or compare the number and names of the features, if the kernel takes X as the rows of a table.

        Sets, lists of tokens and other objects may have a length that is not a number of features.
        """
        if is_frame(objects) or getattr(objects, "ndim", 1) == 2:
            validate_data(self, X, reset=reset, skip_check_array=True)

    def _new_objects(self, X):
        """New objects, checked; ValueError if they are not of the kind, or have not the columns, of those in `fit`."""
        objects = finite_array(X, "X") if is_precomputed(self.kernel_) else self.kernel_.check(X)
        self._check_features(X, objects, reset=False)
        return objects


class KernelEstimator(TakesObjects):
    """An estimator whose functions are expansions Σ_i c_i k(x_i, ·) over training objects."""

    def _keep_training(self, X, kernel, objects, K):
        """K, the Gram matrix or its rows; sets ``kernel_``, ``X_fit_`` and the features' names.

        ``training_gram`` and ``training_rows`` give these three for the X of a fit.
        """
        self.kernel_, self.X_fit_ = kernel, objects
        self._check_features(X, K if objects is None else objects, reset=True)
        return K

    def _set_support(self, support):
        """Set ``support_``, numbers of training objects, and ``support_vectors_``, empty with "precomputed"."""
        self.support_ = support
        no_objects = is_precomputed(self.kernel_)
        self.support_vectors_ = np.empty((0, 0)) if no_objects else _safe_indexing(self.X_fit_, support)

    @property
    def coef_(self):
        check_is_fitted(self)
        if not isinstance(self.kernel_, Linear):
            raise AttributeError("coef_ is available only if the kernel is Linear().")
        coefficients = self._coefficients()
        return coefficients @ self.X_fit_[getattr(self, "support_", ALL)]

    def rkhs_function(self):
        """f = Σ_i c_i k(x_i, ·) as an RKHSFunction; a list of them for several pairs of classes, targets, …

        f does not contain the intercept. Raises ValueError with "precomputed", since there are no objects.
        """
        check_is_fitted(self)
        if is_precomputed(self.kernel_):
            raise ValueError("kernel must be a Kernel or a function for f to be evaluated, got 'precomputed'.")
        points = _safe_indexing(self.X_fit_, getattr(self, "support_", ALL))
        kernel = with_names(self.kernel_, getattr(self, "feature_names_in_", None))
        functions = [RKHSFunction(kernel, points, c) for c in np.atleast_2d(self._coefficients())]
        return functions[0] if len(functions) == 1 else functions

    def _coefficients(self):
        """c, shape (number of training objects in ``support_`` or of all,), or (functions, the same)."""
        return self.dual_coef_.T

    def _expansion(self, X, coefficients, support=ALL):
        """Σ_i c_i k(x_i, x) for new objects x, where i runs over the training objects in `support`."""
        return self._in_blocks(X, lambda K: K @ coefficients, support)

    def _in_blocks(self, X, function, support=ALL):
        """function(K), where K is the block of new objects against the training objects in `support`."""
        return map_blocks(function, self.kernel_, self._new_objects(X), self.X_fit_, support)

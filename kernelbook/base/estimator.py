"""The base class of estimators with a `kernel` parameter: fit, expansion Σ_i c_i k(x_i, ·), and its RKHS function."""

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelbook.base.hints import refuse_kernel_parameters, refuse_numbers_as_kernel
from kernelbook.base.parameters import CheckedEstimator
from kernelbook.base.prediction import map_blocks
from kernelbook.base.training import PRECOMPUTED, is_precomputed, training_gram
from kernelbook.inputs.dataframes import is_frame
from kernelbook.inputs.validation import finite_array, quoted
from kernelbook.kernels import Kernel, Linear, as_kernel
from kernelbook.rkhs.functions import RKHSFunction, with_names

ALL = slice(None)  # of the training objects


class KernelEstimator(CheckedEstimator):
    """An estimator with a `kernel` parameter: a Kernel, a function (X, Y) -> block, "precomputed" or a short name.

    With "precomputed", X is the Gram matrix itself: (n, n) in `fit`, afterwards the (m, n) block of new objects against
    the training objects.

    ``set_params(kernel__gamma=1)`` sets a parameter of the kernel, also of one that is given by its short name.
    """

    def set_params(self, **params):
        refuse_kernel_parameters(type(self), params)
        nested = {name: value for name, value in params.items() if name.startswith("kernel__")}
        super().set_params(**{name: value for name, value in params.items() if name not in nested})
        if nested and not isinstance(self.kernel, Kernel):
            if self.kernel == PRECOMPUTED or not isinstance(self.kernel, str):
                raise ValueError(
                    f"{next(iter(nested))} needs a Kernel to be set in, but kernel is {quoted(self.kernel)}."
                )
            self.kernel = as_kernel(self.kernel)
        return super().set_params(**nested)

    def _given_kernels(self):
        """The kernels among the parameters."""
        return [self.kernel]

    def _fit_gram(self, X, sample_weight=None, order=None, gram=training_gram):
        """The result of `gram`, the Gram matrix or its rows; sets ``kernel_``, ``X_fit_`` and the features' names."""
        refuse_numbers_as_kernel(self)
        self.kernel_, self.X_fit_, K = gram(self.kernel, X, sample_weight, order)
        self._check_features(X, K if self.X_fit_ is None else self.X_fit_, reset=True)
        return K

    def _check_features(self, X, objects, reset):
        """Keep or compare the number and names of the features, if the kernel takes X as the rows of a table.

        Sets, lists of tokens and other objects may have a length that is not a number of features.
        """
        if is_frame(objects) or getattr(objects, "ndim", 1) == 2:
            validate_data(self, X, reset=reset, skip_check_array=True)

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
        objects = finite_array(X, "X") if is_precomputed(self.kernel_) else self.kernel_.check(X)
        self._check_features(X, objects, reset=False)
        return map_blocks(function, self.kernel_, objects, self.X_fit_, support)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = any(map(is_precomputed, self._given_kernels()))
        return tags

"""What the estimators share: a kernel in any of the accepted forms, the Gram blocks it gives, a fit that is whole."""

import functools
from copy import copy
from inspect import signature
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import _safe_indexing
from sklearn.utils._pprint import _changed_params
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from kernelbook.base.hints import _of_the_kernel, refuse_foreign
from kernelbook.base.training import PRECOMPUTED, is_precomputed, summable, training_gram
from kernelbook.kernels import Kernel, Linear, as_kernel
from kernelbook.kernels.formulas import written
from kernelbook.rkhs.functions import RKHSFunction, with_names
from kernelbook.runtime.frames import is_frame
from kernelbook.runtime.validation import check_labels, check_params, finite_array, quoted, sample_weights

CHUNK = 2**24  # numbers of a block that a prediction holds at a time: 128 MB


def all_or_nothing(fit):
    """A `fit` that takes effect when it returns: one that raises, or is interrupted, leaves the estimator as it was.

    It begins without what the last fit has set. What else the estimator has stays, such as what a subclass sets before
    it calls this.
    """

    @functools.wraps(fit)
    def fit_a_copy(self, *args, **kwargs):
        fitted = copy(self)
        for name in getattr(self, "_set_by_fit", ()):
            vars(fitted).pop(name, None)
        before = set(vars(fitted))
        fit(fitted, *args, **kwargs)
        fitted._set_by_fit = set(vars(fitted)) - before
        self.__dict__ = fitted.__dict__
        return self

    return fit_a_copy


class FormulaRepr:
    """An estimator whose repr shows the parameters that are not the defaults, a kernel among them as its formula."""

    def __repr__(self):
        with np.printoptions(legacy="1.25"):  # numbers without their type: 0.5, not np.float64(0.5)
            shown = ", ".join(f"{name}={written(value)}" for name, value in _changed_params(self).items())
        return f"{type(self).__name__}({shown})"


class Classifier(ClassifierMixin):
    """A classifier whose score refuses masked values, times and missing labels, as its fit does."""

    def score(self, X, y, sample_weight=None):
        """The share of the objects, or of their weight, whose class is predicted rightly."""
        return super().score(X, check_labels(y), None if sample_weight is None else sample_weights(sample_weight, y))


class Regressor(RegressorMixin):
    """A regressor whose score refuses masked values and times, as its fit does."""

    def score(self, X, y, sample_weight=None):
        """R², 1 − Σ_i w_i (y_i − prediction)² / Σ_i w_i (y_i − ȳ)², with the weighted mean ȳ; the mean over targets."""
        y = finite_array(y, "y", ensure_2d=False)
        return super().score(X, y, None if sample_weight is None else sample_weights(sample_weight, y))


class KernelEstimator(FormulaRepr, BaseEstimator):
    """An estimator with a `kernel` parameter: a Kernel, a function (X, Y) -> block, "precomputed" or a short name.

    With "precomputed", X is the Gram matrix itself: (n, n) in `fit`, afterwards the (m, n) block of new objects against
    the training objects.

    A kernel's parameters are set through it, ``set_params(kernel__gamma=1)``, where it has a short name too.
    """

    def __new__(cls, *args, **kwargs):
        refuse_foreign(cls, args, kwargs)
        return super().__new__(cls)

    def set_params(self, **params):
        if name := _of_the_kernel(type(self), params):
            raise ValueError(f"{type(self).__name__} has no {name}, the kernel has: set kernel__{name}.")
        nested = {name: value for name, value in params.items() if name.startswith("kernel__")}
        super().set_params(**{name: value for name, value in params.items() if name not in nested})
        if nested and not isinstance(self.kernel, Kernel):
            if self.kernel == PRECOMPUTED or not isinstance(self.kernel, str):
                raise ValueError(
                    f"{next(iter(nested))} needs a Kernel to be set in, but kernel is {quoted(self.kernel)}."
                )
            self.kernel = as_kernel(self.kernel)
        return super().set_params(**nested)

    def _validate_params(self):
        check_params(self)

    def _fit_gram(self, X, sample_weight=None, order=None, gram=None):
        """``training_gram``, or what `gram` gives; sets ``kernel_``, ``X_fit_`` and what scikit-learn keeps of X."""
        self._refuse_numbers()
        self.kernel_, self.X_fit_, K = (gram or training_gram)(self.kernel, X, sample_weight, order)
        self._check_features(X, K if self.X_fit_ is None else self.X_fit_, reset=True)
        return K

    def _refuse_numbers(self):
        """ValueError where a number, or a list of them, has taken the kernel's place, which is the first."""
        parameters = list(signature(type(self)).parameters.values())
        if len(parameters) < 2 or parameters[0].name != "kernel" or isinstance(self.kernel, bool):
            return
        second, name = parameters[1], type(self).__name__
        numbers = self.kernel if isinstance(self.kernel, list | tuple) and np.ndim(second.default) else [self.kernel]
        if len(numbers) and all(isinstance(number, Real) for number in numbers):
            value = list(numbers) if np.ndim(second.default) else self.kernel
            raise ValueError(f"kernel comes first in {name}: write {name}({second.name}={value!r}).")

    def _check_features(self, X, objects, reset):
        """Keep, or compare, number and names of the features, where the kernel takes X as rows of a table.

        Sets, lists of tokens and other objects may have a length; it is no number of features.
        """
        if is_frame(objects) or getattr(objects, "ndim", 1) == 2:
            validate_data(self, X, reset=reset, skip_check_array=True)

    @property
    def coef_(self):
        check_is_fitted(self)
        if not isinstance(self.kernel_, Linear):
            raise AttributeError("coef_ is available only where the kernel is Linear().")
        coefficients = self._coefficients()
        return coefficients @ self.X_fit_[getattr(self, "support_", slice(None))]

    def rkhs_function(self):
        """f = Σ_i c_i k(x_i, ·) as an RKHSFunction; a list of them for several pairs of classes, targets, …

        An intercept is no part of f. Raises ValueError with "precomputed", where there are no objects.
        """
        check_is_fitted(self)
        if is_precomputed(self.kernel_):
            raise ValueError("kernel must be a Kernel or a function for f to be evaluated, got 'precomputed'.")
        points = _safe_indexing(self.X_fit_, getattr(self, "support_", slice(None)))
        kernel = with_names(self.kernel_, getattr(self, "feature_names_in_", None))
        functions = [RKHSFunction(kernel, points, c) for c in np.atleast_2d(self._coefficients())]
        return functions[0] if len(functions) == 1 else functions

    def _coefficients(self):
        """c, shape (number of training objects in ``support_`` or of all,), or (functions, the same)."""
        return self.dual_coef_.T

    def _expansion(self, X, coefficients, support=slice(None)):
        """Σ_i c_i k(x_i, x) for new objects, i over the training objects in `support`."""
        return self._in_blocks(X, lambda K: K @ coefficients, support)

    def _in_blocks(self, X, function, support=slice(None)):
        """function(K), K the block of new objects against the training objects in `support`; never too many at once."""
        precomputed = is_precomputed(self.kernel_)
        X_new = finite_array(X, "X") if precomputed else self.kernel_.check(X)
        self._check_features(X, X_new, reset=False)
        count = _num_samples(X_new)
        if isinstance(support, np.ndarray) and len(support) == 0:
            return function(np.zeros((count, 0)))
        centres = None if precomputed else _safe_indexing(self.X_fit_, support)
        rows = max(1, CHUNK // (X_new.shape[1] if precomputed else _num_samples(centres)))
        parts = []
        for start in range(0, count, rows):
            some = _safe_indexing(X_new, slice(start, start + rows))
            K = some[:, support] if precomputed else summable(self.kernel_, self.kernel_(some, centres))
            parts.append(function(K))
        return np.concatenate(parts)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        return tags

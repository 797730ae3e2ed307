"""What the estimators share: a kernel in any of the accepted forms, the Gram blocks it gives, a fit that is whole."""

import functools
from copy import copy, deepcopy
from inspect import signature
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import _safe_indexing
from sklearn.utils._pprint import _changed_params
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from kernelbook.available import free_memory
from kernelbook.frames import column_names, is_frame
from kernelbook.kernels import Kernel, Linear, as_kernel
from kernelbook.kernels.formulas import written
from kernelbook.rkhs import RKHSFunction, with_names
from kernelbook.solvers import Rows
from kernelbook.validation import check_labels, check_params, finite_array, gram_matrix, quoted, sample_weights

PRECOMPUTED = "precomputed"
KERNELS_OWN = ("gamma", "degree", "coef0", "kernel_params")  # what estimators of scikit-learn have, and here kernels
WRITTEN = {  # a kernel's name there: its class here, and which of these parameters it has
    "chi2": ("ChiSquared", ("gamma",)),
    "laplacian": ("Laplacian", ("gamma",)),
    "linear": ("Linear", ()),
    "poly": ("Polynomial", ("degree", "gamma", "coef0")),
    "polynomial": ("Polynomial", ("degree", "gamma", "coef0")),
    "rbf": ("RBF", ("gamma",)),
    "sigmoid": ("Sigmoid", ("gamma", "coef0")),
}
NOT_NEEDED = {  # a parameter there: what is found here in its place, and what to say of it
    "probability": ("predict_proba", "f(x) is none, but sklearn.calibration.CalibratedClassifierCV makes one of it"),
    "fit_inverse_transform": ("inverse_transform", "inverse_transform is there without it"),
}
DECOMPOSED = 4  # matrices of the size of K that exist while its eigenvectors are computed: LAPACK wants so many
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


def is_precomputed(kernel):
    """Whether the Gram matrix itself comes in the place of objects."""
    return isinstance(kernel, str) and kernel == PRECOMPUTED


def training_gram(kernel, X, sample_weight=None, order=None, matrices=1):
    """The kernel, fitted; the training objects; and their Gram matrix, the caller's to overwrite.

    With "precomputed", X is that matrix, and there are no objects: None. `order` is that of the matrix's rows and
    columns, as indices into the objects; None for their own. MemoryError where so many `matrices` of its size, the most
    that the fit holds at a time, cannot fit.
    """
    if is_precomputed(kernel):
        K = gram_matrix(X, "X")
        check_memory(len(K), matrices)
        if order is not None:
            return kernel, None, K[np.ix_(order, order)]
        return kernel, None, K.copy() if np.may_share_memory(K, np.asarray(X)) else K
    kernel, objects = fitted_kernel(kernel, X, sample_weight)
    check_memory(_num_samples(objects), matrices, ", or landmarks: Nystroem(kernel, 100) before a linear model")
    return kernel, objects, summable(kernel, kernel(objects if order is None else _safe_indexing(objects, order)))


def training_rows(kernel, X, sample_weight=None, order=None, budget=None):
    """As ``training_gram``, but of the Gram matrix only its ``Rows``, which take at most `budget` bytes.

    Without a budget half of the memory that is free. With "precomputed" the matrix is there, and it is returned. Of
    objects that are no vectors the rows are made whole at once if they fit: their kernels often count, in every block
    anew, what each object has.
    """
    if is_precomputed(kernel):
        return training_gram(kernel, X, sample_weight, order)
    kernel, objects = fitted_kernel(kernel, X, sample_weight)
    sorted_objects = objects if order is None else _safe_indexing(objects, order)

    def block(rows, columns):
        return summable(kernel, kernel._quiet_block(some(rows), None if columns is None else some(columns)))

    def some(which):
        return sorted_objects[which] if isinstance(objects, np.ndarray) else _safe_indexing(sorted_objects, which)

    budget = free_memory() / 2 if budget is None else budget
    rows = Rows(block, _num_samples(objects), lambda: kernel.diag(sorted_objects), budget)
    if rows.fits() and not kernel.on_vectors:
        rows.whole()
    return kernel, objects, rows


def fitted_kernel(kernel, X, sample_weight=None):
    """The kernel, fitted, and the objects that it keeps."""
    kernel = as_kernel(kernel)
    kernel._check_params()
    objects = deepcopy(kernel.check(X))  # what is changed in X later shall not change a prediction
    return kernel._fit_checked(objects, sample_weight, column_names(objects)), objects


def summable(kernel, K):
    """K, or ValueError where the sum of its values is infinite or no number."""
    with np.errstate(invalid="ignore", over="ignore"):
        kernel._finite(K.sum())
    return K


def refuse_foreign(cls, args, params):
    """TypeError where an estimator is given what one of scikit-learn has, and here its kernel, or nothing needs."""
    parameters = signature(cls).parameters
    names, place = list(parameters), next((name for name in parameters if name.startswith("kernel")), None)
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return  # a subclass that knows better
    if place and (name := _of_the_kernel(cls, params)):
        named = [value for value in (*args, params.get("kernel")) if isinstance(value, str)]
        kernel = _kernel_with(params, *named[:1], machine=not {"C", "Cs", "nu"}.isdisjoint(names))
        value = f"[{kernel}]" if place == "kernels" else kernel
        example = f"{cls.__name__}({value if place == names[0] else f'{place}={value}'})"
        raise TypeError(f"{cls.__name__} has no {name}, the kernel has: write {example}, for instance.")
    for name in params.keys() - set(names):
        if f"{name}s" in names:
            values = params[name] if np.ndim(params[name]) else [params[name]]
            raise TypeError(f"{cls.__name__} has no {name}, it has {name}s: write {name}s={written(values)}.")
        if name in NOT_NEEDED and hasattr(cls, NOT_NEEDED[name][0]):
            raise TypeError(f"{cls.__name__} has no {name}: {NOT_NEEDED[name][1]}.")


def _kernel_with(params, named=None, *, machine):
    """How to write a kernel with the parameters of scikit-learn's estimators, which may be named there by a string.

    If it is not given, coef0 is 0 in those that are a `machine`, and 1 in others.
    """
    kind, taken = WRITTEN.get(named, WRITTEN["rbf" if params.keys().isdisjoint({"degree", "coef0"}) else "poly"])
    params = {"coef0": 0, **params} if machine else params
    given = [f"{name}={written(params[name])}" for name in taken if isinstance(params.get(name), Real)]
    return f"{kind}({', '.join(given) or 'gamma=1' * bool(taken)})"


def _of_the_kernel(cls, params):
    """The first of the parameters that estimators of scikit-learn have, and here kernels; None without any."""
    return next((name for name in params if name in KERNELS_OWN and name not in cls._get_param_names()), None)


def spacing(K):
    """The distance from 1 to the next number, in the precision that a Gram matrix came in."""
    dtype = np.asarray(K).dtype
    return max(np.finfo(dtype if dtype.kind == "f" else float).eps, np.finfo(float).eps)


def eigenvalue_noise(n, size, precision, largest):
    """What eigenvalues of an (n, n) matrix must exceed, since less may be rounding.

    Its decomposition, in double precision, errs by up to n · 2⁻⁵² · size, that of the largest eigenvalue. Entries up to
    `largest` that were rounded when they came, by half the share `precision` and unlike each other, move it by about √n
    times that; of copies, which are rounded alike, one eigenvalue of rounding may remain.
    """
    return max(10 * n * np.finfo(float).eps * size, np.sqrt(n) * precision * largest)


def check_memory(n, matrices=1, instead=""):
    """MemoryError, before anything is computed, where so many (n, n) matrices cannot fit."""
    size, free = 8 * n**2, free_memory()
    if matrices * size > free:
        fit = f", the fit {matrices} times as much" if matrices > 1 else ""
        raise MemoryError(
            f"the Gram matrix of {n} objects takes {size / 1e9:.1f} GB{fit}, and {free / 1e9:.1f} GB of memory are "
            f"free: take fewer objects{instead}."
        )

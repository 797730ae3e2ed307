"""The base class of all kernels."""

import functools
from abc import ABC, abstractmethod
from inspect import signature

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import _num_samples

from kernelbook.inputs.dataframes import column_names
from kernelbook.inputs.validation import check_params, quoted, sample_weights
from kernelbook.kernels.formatting import written
from kernelbook.linalg.blocks import distance_from_squared, normalise_block, positive_lengths, squared_distance_from
from kernelbook.runtime.rollback import restored_on_error

NOTEBOOK_DIGITS = 4  # significant digits of a number in a formula that a notebook shows


class Kernel(BaseEstimator, ABC):
    """A symmetric function k(x, x') of two objects of one kind.

    ``k(X, Y)`` is the (n, m) block of values k(x_i, y_j); ``k(X)`` is the Gram matrix of X,
    symmetric to the bit. Kernels add, multiply and compose::

        k1 + k2    k + 1    k1 * k2    2 * k    k ** 3    k.exp()    k.normalized()    k.radial(gamma)

    A Kernel is a scikit-learn estimator: ``clone``, ``get_params`` and grids over ``kernel__gamma`` or
    ``kernel__left__gamma`` work. A subclass defines ``check``, ``_block`` and ``_diag``, and sets ``psd`` where it
    can promise it.

    Attributes
    ----------
    feature_names_in_ : list of the column names that ``fit`` saw, or None if the columns had no names; data frames that
        come later must have the same columns in the same order
    psd : bool
        True when every Gram matrix is guaranteed to be positive semidefinite.
    conditionally_psd : bool
        True when cᵀKc ≥ 0 is guaranteed for every c with Σ c_i = 0.
    formula : str
        The kernel as a Python expression, which evaluates to the same kernel before ``fit``. Numbers have all their
        digits, and parameters at their defaults are left out. Long arrays, matrices and functions are abbreviated, so
        that their formulas cannot be evaluated. ``repr`` adds a comment that shows what ``fit`` found. The comment ends
        the line, so the repr of a list of fitted kernels cannot be evaluated. A notebook shows the same as ``repr``,
        with numbers rounded to 4 digits.

    >>> from kernelbook import RBF, Linear
    >>> (Linear() + 0.5 * RBF()).fit([[0.0], [2.0]])
    Linear() + 0.5 * RBF()  # right.kernel.gamma_ = 1.0
    """

    _parameter_constraints: dict = {}
    __array_ufunc__ = None  # NumPy's numbers leave `np.float64(2) * k` to __rmul__
    _repr_html_ = None  # a notebook shows the formula, not scikit-learn's diagram
    psd = False

    @property
    def conditionally_psd(self):
        return self.psd

    @property
    def on_vectors(self):
        """Whether the objects may be vectors, so that a mean of them is an object too; a composition asks its parts."""
        return all(part.on_vectors for part in self._parts().values())

    @property
    def takes_frames(self):
        """Whether the kernel, or a part of it, selects the columns of a data frame by name."""
        return any(part.takes_frames for part in self._parts().values())

    @abstractmethod
    def check(self, X, name="X"):
        """X in the form that this kernel computes with, or an error that says in one sentence what the kernel takes.

        The result passes the check unchanged, so that a composition can let each of its parts check X in turn.
        """

    @abstractmethod
    def _block(self, X, Y):
        """k(x_i, y_j) for checked input, as a new (n, m) array; Y is None for the Gram matrix of X."""

    @abstractmethod
    def _diag(self, X):
        """k(x_i, x_i) for checked input, as a new (n,) array."""

    def __call__(self, X, Y=None):
        """The block k(x_i, y_j), shape (n, m); the Gram matrix of X, shape (n, n), when Y is None.

        Raises ValueError if a value is too large for a float.
        """
        return self._finite(self._quiet_block(*self._checked(X, Y)))

    def _quiet_block(self, X, Y):
        """``_block`` without NumPy's warnings of values that are too large, for which ``_finite`` raises an error."""
        with np.errstate(over="ignore", invalid="ignore"):
            K = self._block(X, Y)
        shape = _num_samples(X), _num_samples(X if Y is None else Y)
        if np.shape(K) != shape:
            raise ValueError(f"{type(self).__name__}._block must return an array of shape {shape}, got {np.shape(K)}.")
        return K

    def diag(self, X):
        """k(x_i, x_i), shape (n,), without the rest of the Gram matrix."""
        X, _ = self._checked(X)
        with np.errstate(over="ignore", invalid="ignore"):
            return self._finite(self._diag(X))

    def distance(self, X, Y=None):
        """Distances in feature space, d(x, y)² = k(x, x) + k(y, y) − 2 k(x, y), shape (n, m).

        The diagonal is exactly zero when Y is None. Raises ValueError if some d² is negative by more than rounding:
        such a kernel does not define a distance.
        """
        X, Y = self._checked(X, Y)
        with np.errstate(over="ignore", invalid="ignore"):
            squared = self._finite(self._squared_distance(X, Y))
            length = max(np.abs(self._finite(self._diag(Z))).max() for Z in (X, Y) if Z is not None)
        return distance_from_squared(squared, length, self.formula)

    def _finite(self, values):
        """The values, unchanged; ValueError if one is infinite, NaN or complex."""
        if np.iscomplexobj(values):
            raise ValueError(f"{self.formula} must give real numbers, but gives complex ones.")
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(values.sum()) or np.isfinite(values).all()  # the sum needs no second array
        if not finite:
            raise ValueError(
                f"{self.formula} gives values too large to compute with; scale the data or choose other parameters."
            )
        return values

    def fit(self, X, sample_weight=None):
        """Resolve what depends on data, such as the width of ``RBF("scale")``, and return the kernel itself.

        A composition fits its parts. A part that occurs several times in it is copied first, since each occurrence may
        see other objects. If ``fit`` raises an error, the kernel stays as it was.
        """
        self._check_params()
        objects = self.check(X)
        weight = None if sample_weight is None else sample_weights(sample_weight, objects)
        return self._fit_checked(objects, weight, column_names(X))

    def _fit_checked(self, objects, sample_weight, names):
        """``fit`` for objects that have been checked."""
        with restored_on_error(*self._whole()):
            self._copy_repeated_parts(set())
            self._fit(objects, sample_weight)
        self.feature_names_in_ = names
        return self

    def _checked(self, X, Y=None):
        self._check_params()
        self._check_names(X, Y)
        if Y is None:
            return self.check(X), None
        X, Y = self.check(X), self.check(Y, name="Y")
        self._check_together(X, Y)
        return X, Y

    def _check_names(self, X, Y):
        """ValueError if data frames differ in their columns, unless the kernel selects columns by name."""
        known = getattr(self, "feature_names_in_", None)
        for Z, name in ((X, "X"), (Y, "Y")):
            names = column_names(Z)
            if known and names and names != known and not self.takes_frames:
                raise ValueError(f"{name} must have the columns {quoted(known)} in this order, got {quoted(names)}.")
            known = known or names

    def _check_together(self, X, Y):
        for part in self._parts().values():
            part._check_together(X, Y)

    def _check_params(self):
        check_params(self, f" of {type(self).__name__}")
        for part in self._parts().values():
            part._check_params()

    @classmethod
    @functools.cache  # every step of a composition asks for them
    def _get_param_names(cls):
        return super()._get_param_names()

    def _parts(self):
        return {name: value for name, value in self.get_params(deep=False).items() if isinstance(value, Kernel)}

    def _whole(self):
        """The kernel, its parts, their parts, …"""
        yield self
        for part in self._parts().values():
            yield from part._whole()

    def _copy_repeated_parts(self, seen):
        """Replace each part that was seen before by a copy."""
        for name, part in self._parts().items():
            if id(part) in seen:
                part = clone(part)
                self.set_params(**{name: part})
            seen.add(id(part))
            part._copy_repeated_parts(seen)

    def _fit(self, X, sample_weight):
        for part in self._parts().values():
            part._fit(X, sample_weight)

    def _squared_distance(self, X, Y):
        return squared_distance_from(*self._with_diagonals(X, Y))

    def _with_diagonals(self, X, Y):
        """The block, k(x_i, x_i) and, unless Y is None, k(y_j, y_j)."""
        K = np.asarray(self._block(X, Y), dtype=float)
        return (K, K.diagonal().copy()) if Y is None else (K, self._diag(X), self._diag(Y))

    def _cosines(self, X, Y):
        """k(x_i, y_j) / √(k(x_i, x_i) k(y_j, y_j)); ValueError if some k(x, x) is not positive and finite."""
        return normalise_block(*self._with_diagonals(X, Y))

    def _cosine_diag(self, X):
        return np.ones_like(positive_lengths(self._diag(X), "row"))

    @property
    def formula(self):
        return self._formula()

    def _formula(self, digits=None):
        """The formula, with exact numbers, or with numbers rounded to `digits` significant digits."""
        defaults = signature(type(self).__init__).parameters
        changed = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if written(value) != written(defaults[name].default)
        }
        arguments = ", ".join(f"{name}={written(value, digits)}" for name, value in changed.items())
        return f"{type(self).__name__}({arguments})"

    def _found(self):
        """The attributes that `fit` took from data, by their paths: {"left.gamma_": 0.35}."""
        parts = self._parts().items()
        return {f"{name}.{path}": value for name, part in parts for path, value in part._found().items()}

    def _resolved(self):
        """All that determines the values of k, by name: two kernels of one type are equal if these are."""
        return {name: value for name, value in vars(self).items() if name != "feature_names_in_"}

    def _described(self, digits=None):
        """The formula, followed by a comment that shows what `fit` found."""
        found = ", ".join(f"{path} = {written(value, digits)}" for path, value in self._found().items())
        return self._formula(digits) + (f"  # {found}" if found else "")

    def __repr__(self):
        return self._described()

    def _repr_mimebundle_(self, **_):
        return {"text/plain": self._described(NOTEBOOK_DIGITS)}

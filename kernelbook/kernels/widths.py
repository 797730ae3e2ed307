"""The width γ of a kernel: a number, one for each column, or a rule that takes it from data; and stationary kernels."""

from abc import abstractmethod

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import StrOptions

from kernelbook.kernels.base import Kernel
from kernelbook.kernels.vectors import VectorKernel, numbers_for_columns
from kernelbook.linalg.blocks import distance_block, excess_exponent, rescaled
from kernelbook.runtime.intervals import NONNEGATIVE
from kernelbook.runtime.validation import sample_weights

RULES = StrOptions({"scale", "median"})
WIDTHS = [NONNEGATIVE, "array-like", RULES]
SMALLEST_NORMAL = np.finfo(float).tiny  # a smaller float has fewer digits
MEDIAN_ROWS = 1000  # rows whose distances the median rule looks at


class WidthKernel(Kernel):
    """A kernel whose γ is given, or taken from data by a rule."""

    def _fit(self, X, sample_weight):
        if isinstance(self.gamma, str):
            self.gamma_ = self._by_rule(X, sample_weights(sample_weight, X))
            self._rule = self.get_params()

    @abstractmethod
    def _by_rule(self, X, weight):
        """γ by the rule that ``gamma`` names, from objects with weights."""

    def _is_fitted(self):
        """Whether `gamma_` was found for the present parameters."""
        return isinstance(self.gamma, str) and getattr(self, "_rule", None) == self.get_params()

    def _found(self):
        return {"gamma_": self.gamma_} if self._is_fitted() else {}

    def _resolved(self):
        return {**self.get_params(deep=False), "gamma": self.gamma_ if self._is_fitted() else self.gamma}

    def _width(self):
        if not isinstance(self.gamma, str):
            return self.gamma
        if not self._is_fitted():
            raise NotFittedError(f"{self.formula} takes gamma from data: call fit(X) first, or give gamma a number.")
        return self.gamma_


class StationaryKernel(WidthKernel, VectorKernel):
    """A kernel k = profile(distance, γ) of the distance of x and x' alone, in one of SciPy's metrics.

    With one γ for each column, the profile gets distances that are weighted by them, and γ = 1.
    """

    psd = True
    _metric = "euclidean"
    _gamma_of_length_scale = "1 / length_scale"  # advice for users of scikit-learn's kernels

    def __new__(cls, *args, **kwargs):
        for width in {"length_scale", "sigma"} & kwargs.keys():
            name, gamma = cls.__name__, cls._gamma_of_length_scale.replace("length_scale", width)
            raise TypeError(f"{name} has no {width}, it has gamma: write {name}(gamma={gamma}).")
        return super().__new__(cls)

    @abstractmethod
    def _profile(self, distance, gamma):
        """k for an array of distances."""

    @abstractmethod
    def _squared_distance_profile(self, distance, gamma):
        """2 − 2k, the squared distance in feature space, without cancellation at small distances."""

    def _block(self, X, Y):
        return self._of_distances(self._profile, X, Y)

    def _squared_distance(self, X, Y):
        return self._of_distances(self._squared_distance_profile, X, Y)

    def _diag(self, X):
        self._width()
        return np.ones(len(X))

    def _of_distances(self, profile, X, Y):
        """The block of profile(distance, γ).

        If columns have widths γ_j of their own, X and Y are multiplied by powers of two near γ_j, or near √γ_j for
        squared distances, and weights from 1/4 to 1 do the rest. So no rounding moves near points, in any units.
        """
        gamma = numbers_for_columns(self._width(), "gamma", X)
        weights = None
        if gamma.ndim:
            fraction, exponent = np.frexp(np.sqrt(gamma) if self._power == 2 else gamma)
            X, Y = (None if Z is None else np.ldexp(Z, exponent) for Z in (X, Y))
            weights = fraction if self._metric == "cityblock" else fraction**2
            gamma = 1.0
        gamma, X, Y = rescaled(float(gamma), self._power, X, Y)
        return distance_block(X, Y, self._metric, lambda distance: profile(distance, gamma), weights)

    @property
    def _power(self):
        """The power of ‖x − x'‖ that the profile takes."""
        return 2 if self._metric == "sqeuclidean" else 1

    def _by_rule(self, X, weight):
        e = excess_exponent(X)
        typical = self._typical_distance(np.ldexp(X, -e), weight)
        if typical == 0:
            return 1.0
        with np.errstate(over="ignore", under="ignore"):
            gamma = np.ldexp(1 / typical, -self._power * e)
        if not SMALLEST_NORMAL <= gamma < np.inf:
            raise ValueError(
                f"X must be in units in which gamma={self.gamma!r} is a float, got numbers up to {np.abs(X).max():.3g}."
            )
        return gamma

    def _typical_distance(self, X, weight):
        """1 / γ: a distance in the kernel's metric, by the rule that ``gamma`` names; 0 if no two points differ."""
        if self.gamma == "median":
            median = self._median_distance(X, weight)
            return 2 * median**2 if self._power == 2 else median
        d, variance = X.shape[1], _variance(X, weight)
        if self._power == 2:
            return d * variance
        return np.sqrt(variance) * (d if self._metric == "cityblock" else d**0.5)

    def _median_distance(self, X, weight):
        """The weighted median of the distances, not squared, between different rows, 1000 of which are drawn."""
        rows = np.flatnonzero(weight)
        if len(rows) > MEDIAN_ROWS:
            rows = np.random.default_rng(0).choice(rows, MEDIAN_ROWS, replace=False)
        i, j = np.triu_indices(len(rows), 1)
        metric = "cityblock" if self._metric == "cityblock" else "euclidean"
        distance = distance_block(X[rows], None, metric)[i, j]
        weight = weight[rows][i] * weight[rows][j]
        different = distance > 0
        return weighted_median(distance[different], weight[different]) if different.any() else 0.0


def weighted_median(values, weight):
    """The smallest value at which the weights, summed in the order of the values, reach half of their total."""
    order = np.argsort(values)
    total = np.cumsum(weight[order])
    return values[order][np.searchsorted(total, total[-1] / 2)]


def _variance(X, weight):
    """The variance of all entries of X, whose rows have weights; it is exactly 0 for equal entries."""
    X = X - X[0, 0]
    mean = np.average(X.mean(axis=1), weights=weight)
    return np.average(np.square(X - mean).mean(axis=1), weights=weight)

"""The widths of stationary kernels: a number, one for each column, or taken from data by a rule."""

from abc import abstractmethod

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import StrOptions

from kernelbook.kernels.base import Kernel
from kernelbook.kernels.vectors import NONNEGATIVE, VectorKernel, numbers_for_columns
from kernelbook.linalg.blocks import (
    excess,
    exponential_decay,
    exponential_decay_distance,
    rescaled,
    squared_distance_block,
)
from kernelbook.runtime.validation import sample_weights

RULES = StrOptions({"scale", "median"})
WIDTHS = [NONNEGATIVE, "array-like", RULES]
LEAST = np.finfo(float).tiny  # a smaller number has lost digits


class WidthKernel(Kernel):
    """A kernel whose γ is a number, or taken from data by a rule."""

    def _fit(self, X, sample_weight):
        if isinstance(self.gamma, str):
            self.gamma_ = self._by_rule(X, sample_weights(sample_weight, X))
            self._rule = self.get_params()

    @abstractmethod
    def _by_rule(self, X, weight):
        """γ by the rule that ``gamma`` names, from objects with weights."""

    def _fitted(self):
        """Whether `gamma_` was found for the present parameters."""
        return isinstance(self.gamma, str) and getattr(self, "_rule", None) == self.get_params()

    def _found(self):
        return {"gamma_": self.gamma_} if self._fitted() else {}

    def _resolved(self):
        return {**self.get_params(deep=False), "gamma": self.gamma_ if self._fitted() else self.gamma}

    def _width(self):
        if not isinstance(self.gamma, str):
            return self.gamma
        if not self._fitted():
            raise NotFittedError(f"{self.formula} takes gamma from data: call fit(X) first, or give gamma a number.")
        return self.gamma_


class StationaryKernel(WidthKernel, VectorKernel):
    """exp(−γ ‖x − x'‖_norm), or another decay from 1; γ is a number, or one for each column, or found by a rule."""

    psd = True
    norm = 2
    _power = 1  # of the distance, which γ multiplies
    _of_length_scale = "1 / length_scale"  # gamma, for those who come from scikit-learn's kernels

    def __new__(cls, *args, **kwargs):
        for width in {"length_scale", "sigma"} & kwargs.keys():
            name, gamma = cls.__name__, cls._of_length_scale.replace("length_scale", width)
            raise TypeError(f"{name} has no {width}, it has gamma: write {name}(gamma={gamma}).")
        return super().__new__(cls)

    def _block(self, X, Y):
        gamma, X, Y, weights = self._weighed(X, Y)
        return self._of_distances(X, Y, lambda D: self._decay(D, gamma), weights)

    def _squared_distance(self, X, Y):
        gamma, X, Y, weights = self._weighed(X, Y)
        return self._of_distances(X, Y, lambda D: self._decay_distance(D, gamma), weights)

    def _diag(self, X):
        self._width()
        return np.ones(len(X))

    def _decay(self, D, gamma):
        """k at distances D, in their place."""
        return exponential_decay(D, gamma)

    def _decay_distance(self, D, gamma):
        """2 − 2k at distances D, in their place and without loss where they are small."""
        return exponential_decay_distance(D, gamma)

    def _of_distances(self, X, Y, function, weights=None):
        """The block of function(distance), where the function overwrites its argument and returns it.

        With weights the distance is (Σ_j weights_j |x_j − x'_j|^norm)^(1 / norm).
        """
        if self.norm == 1:
            return function(cdist(X, X if Y is None else Y, "cityblock", w=weights))
        return squared_distance_block(X, Y, lambda D: function(np.sqrt(D, out=D)), weights)

    def _by_rule(self, X, weight):
        e = excess(X)
        Z = np.ldexp(X, -e)
        spread = _variance(Z, weight) if self.gamma == "scale" else self._median_distance(Z, weight)
        if spread == 0:
            return 1.0
        with np.errstate(over="ignore", under="ignore"):
            gamma = np.ldexp(self._gamma_from(spread, X.shape[1]), -self._power * e)
        if not LEAST <= gamma < np.inf:
            raise ValueError(
                f"X must be in units in which gamma={self.gamma!r} is a float, got numbers up to {np.abs(X).max():.3g}."
            )
        return gamma

    def _gamma_from(self, spread, d):
        return 1 / (np.sqrt(spread) * d ** (1 / self.norm)) if self.gamma == "scale" else 1 / spread

    def _median_distance(self, X, weight):
        """The weighted median of the distances between different rows.

        With more than 1000 rows, 1000 of them are drawn.
        """
        rows = np.flatnonzero(weight)
        if len(rows) > 1000:
            rows = np.random.default_rng(0).choice(rows, 1000, replace=False)
        X, weight = X[rows], weight[rows]
        i, j = np.triu_indices(len(X), 1)
        distance, weight = self._distances(X)[i, j], weight[i] * weight[j]
        different = distance > 0
        if not different.any():
            return 0.0
        return weighted_median(distance[different], weight[different])

    def _distances(self, X):
        return self._of_distances(X, None, lambda D: D)

    def _weighed(self, X, Y):
        """γ as a float, the points, and weights of their columns, None for ones.

        Where γ_j differ, the points are multiplied by powers of two, which is exact, and the weights are what then
        lacks, from 1/4 to 1: no units are too small or too large, and points that are near lose no digits.
        """
        gamma = numbers_for_columns(self._width(), "gamma", X)
        weights = None
        if gamma.ndim:
            fraction, exponent = np.frexp(self._factors(gamma))
            X, Y = (None if Z is None else np.ldexp(Z, exponent) for Z in (X, Y))
            gamma, weights = 1.0, fraction**self.norm
        return *rescaled(float(gamma), self._power, X, Y), weights

    def _factors(self, weights):
        """What each feature is multiplied by, so that its weight acts on it as γ acts on the distance."""
        return weights


def weighted_median(values, weight):
    """The middle one of numbers with weights; of two, the lower."""
    order = np.argsort(values)
    total = np.cumsum(weight[order])
    return values[order][np.searchsorted(total, total[-1] / 2)]


def _variance(X, weight):
    """The variance of all entries of X, whose rows have weights; it is exactly 0 for equal entries."""
    X = X - X[0, 0]
    mean = np.average(X.mean(axis=1), weights=weight)
    return np.average(np.square(X - mean).mean(axis=1), weights=weight)

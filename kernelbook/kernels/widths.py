"""The width γ of a kernel: a number, one for each column, or a rule that takes it from data."""

from abc import abstractmethod

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import StrOptions

from kernelbook.inputs.intervals import NONNEGATIVE_REAL
from kernelbook.inputs.validation import sample_weights
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.profiles import excess_exponent
from kernelbook.linalg.blocks import distance_block
from kernelbook.linalg.tolerances import SMALLEST_NORMAL

RULES = StrOptions({"scale", "median"})
WIDTHS = [NONNEGATIVE_REAL, "array-like", RULES]
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


def metric_power(metric):
    """The power of ‖x − x'‖ that one of SciPy's metrics is."""
    return 2 if metric == "sqeuclidean" else 1


def width_by_rule(rule, metric, X, weight):
    """γ = 1 / a typical distance of the rows of X in a metric, by the rule "scale" or "median"; 1 if no two differ.

    Raises ValueError if γ is not a float in the units of X.
    """
    e = excess_exponent(X)
    typical = _typical_distance(rule, metric, np.ldexp(X, -e), weight)
    if typical == 0:
        return 1.0
    with np.errstate(over="ignore", under="ignore"):
        gamma = np.ldexp(1 / typical, -metric_power(metric) * e)
    if not SMALLEST_NORMAL <= gamma < np.inf:
        raise ValueError(
            f"X must be in units in which gamma={rule!r} is a float, got numbers up to {np.abs(X).max():.3g}."
        )
    return gamma


def _typical_distance(rule, metric, X, weight):
    """A distance in the metric, by the rule; 0 if no two rows of X differ."""
    if rule == "median":
        median = _median_distance(metric, X, weight)
        return 2 * median**2 if metric_power(metric) == 2 else median
    d, variance = X.shape[1], _variance(X, weight)
    if metric_power(metric) == 2:
        return d * variance
    return np.sqrt(variance) * (d if metric == "cityblock" else d**0.5)


def _median_distance(metric, X, weight):
    """The weighted median of the distances, not squared, between different rows, of which at most 1000 are drawn."""
    rows = np.flatnonzero(weight)
    if len(rows) > MEDIAN_ROWS:
        rows = np.random.default_rng(0).choice(rows, MEDIAN_ROWS, replace=False)
    i, j = np.triu_indices(len(rows), 1)
    distance = distance_block(X[rows], None, "cityblock" if metric == "cityblock" else "euclidean")[i, j]
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

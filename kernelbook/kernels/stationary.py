"""Stationary kernels on vectors, which depend on x − x' alone: RBF, Laplacian and Matérn."""

from abc import abstractmethod
from numbers import Integral, Real

import numpy as np
from numpy.polynomial.polynomial import polyval
from scipy.spatial.distance import cdist
from scipy.special import gammainc
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, Options, StrOptions

from kernelbook.kernels.base import Kernel
from kernelbook.kernels.gram_blocks import exponential_decay, exponential_decay_distance, squared_distance_block
from kernelbook.kernels.vectors import NONNEGATIVE, VectorKernel
from kernelbook.validation import sample_weights

RULES = StrOptions({"scale", "median"})
FAR = 1e3  # exp(−FAR) is 0, and FAR squared is not infinite
MATERN_POLYNOMIALS = {0.5: (1,), 1.5: (1, 1), 2.5: (1, 1, 1 / 3)}  # by ν, their coefficients of 1, s, s²


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


class _Stationary(WidthKernel, VectorKernel):
    """exp(−γ ‖x − x'‖_norm), or another decay from 1."""

    psd = True
    norm = 2
    _of_length_scale = "1 / length_scale"  # gamma, for those who come from scikit-learn's kernels

    def __new__(cls, *args, **kwargs):
        if "length_scale" in kwargs:
            name = cls.__name__
            raise TypeError(f"{name} has no length_scale, it has gamma: write {name}(gamma={cls._of_length_scale}).")
        return super().__new__(cls)

    def _block(self, X, Y):
        gamma, X, Y = self._weighed(X, Y)
        return self._of_distances(X, Y, lambda D: self._decay(D, gamma))

    def _squared_distance(self, X, Y):
        gamma, X, Y = self._weighed(X, Y)
        return self._of_distances(X, Y, lambda D: self._decay_distance(D, gamma))

    def _diag(self, X):
        self._width()
        return np.ones(len(X))

    def _decay(self, D, gamma):
        """k at distances D, in their place."""
        return exponential_decay(D, gamma)

    def _decay_distance(self, D, gamma):
        """2 − 2k at distances D, in their place and without loss where they are small."""
        return exponential_decay_distance(D, gamma)

    def _of_distances(self, X, Y, function):
        """The block of function(distance), where the function overwrites its argument and returns it."""
        if self.norm == 1:
            return function(cdist(X, X if Y is None else Y, "cityblock"))
        return squared_distance_block(X, Y, lambda D: function(np.sqrt(D, out=D)))

    def _by_rule(self, X, weight):
        spread = _variance(X, weight) if self.gamma == "scale" else self._median_distance(X, weight)
        return self._gamma_from(spread, X.shape[1]) if spread > 0 else 1.0

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
        """γ as a float, and the points that it acts on; an array of weights multiplies the points, and γ becomes 1."""
        gamma = self._width()
        try:
            weights = np.asarray(gamma, dtype=float)
        except ValueError:
            weights = np.empty(0)
        if weights.shape not in [(), X.shape[1:]] or not ((weights >= 0) & np.isfinite(weights)).all():
            raise ValueError(
                f"gamma must be a number or {X.shape[1]} numbers, one for each column of X, all finite and >= 0, "
                f"got {gamma}."
            )
        if weights.ndim == 0:
            return float(weights), X, Y
        factors = self._factors(weights)
        return 1.0, X * factors, None if Y is None else Y * factors

    def _factors(self, weights):
        """What each feature is multiplied by, so that its weight acts on it as γ acts on the distance."""
        return weights


class RBF(_Stationary):
    """k(x, x') = exp(−γ ‖x − x'‖²), the Gaussian kernel of width σ where γ = 1 / (2σ²).

    Parameters
    ----------
    gamma : float ≥ 0, (d,) array of them, "scale" or "median"; default "scale"
        γ, in 1 / units of x squared. An array weighs each feature: exp(−Σ_j γ_j (x_j − x'_j)²).
        "scale" is 1 / (d · variance of all entries), as in scikit-learn's SVC; "median" makes σ the median distance
        between different rows. Both come from ``fit``.

    Attributes
    ----------
    gamma_ : float, the value that ``fit`` found, when gamma is a rule

    >>> RBF(gamma=0.5)([[0.0], [2.0]])
    array([[1.        , 0.13533528],
           [0.13533528, 1.        ]])
    """

    _parameter_constraints = {"gamma": [NONNEGATIVE, "array-like", RULES]}
    _of_length_scale = "1 / (2 * length_scale**2)"

    def __init__(self, gamma="scale"):
        self.gamma = gamma

    def _of_distances(self, X, Y, function):
        return squared_distance_block(X, Y, function)

    def _distances(self, X):
        return np.sqrt(squared_distance_block(X, None))

    def _gamma_from(self, spread, d):
        return 1 / (d * spread) if self.gamma == "scale" else 1 / (2 * spread**2)

    def _factors(self, weights):
        return np.sqrt(weights)


class Laplacian(_Stationary):
    """k(x, x') = exp(−γ ‖x − x'‖_p) with p = 1 or 2; its functions are continuous, and have kinks.

    Parameters
    ----------
    gamma : float ≥ 0, "scale" or "median"; default "scale"
        γ, in 1 / units of x. "scale" is 1 / (d^(1/p) · standard deviation of all entries); "median" is 1 / the median
        distance between different rows. Both come from ``fit``.
    norm : 1 or 2, default 2

    Attributes
    ----------
    gamma_ : float, the value that ``fit`` found, when gamma is a rule

    >>> Laplacian(gamma=1, norm=1)([[0.0, 0.0]], [[1.0, 1.0]])
    array([[0.13533528]])
    """

    _parameter_constraints = {"gamma": [NONNEGATIVE, RULES], "norm": [Interval(Integral, 1, 2, closed="both")]}

    def __init__(self, gamma="scale", norm=2):
        self.gamma = gamma
        self.norm = norm


class Matern(_Stationary):
    """k(x, x') = f(√(2ν) γ ‖x − x'‖), where ν = 1/2, 3/2 or 5/2 says how smooth the kernel's functions are.

        ν = 1/2    f(s) = exp(−s), so that k is Laplacian(gamma)
        ν = 3/2    f(s) = (1 + s) exp(−s)
        ν = 5/2    f(s) = (1 + s + s²/3) exp(−s)

    On ℝᵈ the space H of the kernel is the Sobolev space of order ν + d/2, with an equivalent norm. The paths of a
    Gaussian process with this covariance are rougher than the functions in H: they are ⌈ν⌉ − 1 times differentiable.
    As ν grows, k approaches RBF(gamma²/2), whose functions are analytic.

    Parameters
    ----------
    nu : 1/2, 3/2 or 5/2, default 3/2; ν (no unit)
    gamma : float ≥ 0, (d,) array of them, "scale" or "median"; default "scale"
        γ, in 1 / units of x: 1 / length_scale of scikit-learn's Matern. An array gives each feature its own:
        f(√(2ν) √(Σ_j γ_j² (x_j − x'_j)²)). "scale" and "median" are those of Laplacian(norm=2) and come from ``fit``.

    Attributes
    ----------
    gamma_ : float, the value that ``fit`` found, when gamma is a rule

    Raises
    ------
    ValueError, when the kernel is used : another nu, a gamma that is negative or not one number for each column of X
    NotFittedError : gamma is a rule, and ``fit`` was not called

    References
    ----------
    Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, section 4.2.
    Stein (1999), Interpolation of Spatial Data: Some Theory for Kriging.

    >>> Matern(gamma=1)([[0.0], [1.0]])
    array([[1.        , 0.48335772],
           [0.48335772, 1.        ]])
    """

    _parameter_constraints = {
        "nu": [Options(Real, set(MATERN_POLYNOMIALS))],
        "gamma": [NONNEGATIVE, "array-like", RULES],
    }

    def __init__(self, nu=1.5, gamma="scale"):
        self.nu = nu
        self.gamma = gamma

    def _decay(self, D, gamma):
        s = self._argument(D, gamma)
        polynomial = polyval(s, MATERN_POLYNOMIALS[self.nu])
        np.exp(np.negative(s, out=s), out=s)
        return np.multiply(s, polynomial, out=s)

    def _decay_distance(self, D, gamma):
        s, p = self._argument(D, gamma), int(self.nu)
        # 1 − (1 + … + s^p/p!) exp(−s) is the incomplete gamma function P(p + 1, s), which SciPy computes without loss;
        # for p = 2 it lacks (s²/2 − s²/3) exp(−s)
        lacking = s**2 / 6 * np.exp(-s) if p == 2 else 0.0
        return np.multiply(gammainc(p + 1, s) + lacking, 2, out=s)

    def _argument(self, D, gamma):
        """s = √(2ν) γ D, in place of D; large s are cut off, since f is 0 there and s² could overflow."""
        D *= gamma
        np.minimum(D, FAR, out=D)
        D *= np.sqrt(2 * float(self.nu))
        return D


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

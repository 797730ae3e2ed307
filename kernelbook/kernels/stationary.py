"""Stationary kernels on vectors, which depend on x − x' alone."""

from abc import abstractmethod
from numbers import Integral, Real

import numpy as np
from numpy.polynomial.polynomial import polyval
from scipy.special import gammainc
from sklearn.utils._param_validation import Interval, Options

from kernelbook.inputs.intervals import NONNEGATIVE_REAL, POSITIVE_REAL
from kernelbook.kernels.profiles import exponential_decay, exponential_decay_distance, rescaled
from kernelbook.kernels.vectors import VectorKernel, numbers_for_columns
from kernelbook.kernels.widths import WIDTHS, WidthKernel, metric_power, width_by_rule
from kernelbook.linalg.blocks import assemble, distance_block

MATERN_POLYNOMIALS = {0.5: (1,), 1.5: (1, 1), 2.5: (1, 1, 1 / 3)}  # by ν, the coefficients of 1, s, s²
MATERN_CUTOFF = 1e3  # exp(−s) is 0 for a larger s, whose square could overflow
LARGEST_ALPHA = 1e100  # a larger α gives the same rational quadratic kernel, to all digits: the RBF
MOST_PERIODS = 2**52  # further from 0 than this number of periods, floats are more than a period apart


class StationaryKernel(VectorKernel):
    """A kernel that depends on x − x' alone, and is 1 for x = x'."""

    psd = True
    _gamma_of_length_scale = "1 / length_scale"  # advice for users of scikit-learn's kernels

    def __new__(cls, *args, **kwargs):
        for width in {"length_scale", "sigma"} & kwargs.keys():
            name, gamma = cls.__name__, cls._gamma_of_length_scale.replace("length_scale", width)
            raise TypeError(f"{name} has no {width}, it has gamma: write {name}(gamma={gamma}).")
        return super().__new__(cls)

    def _diag(self, X):
        return np.ones(len(X))


class DistanceKernel(StationaryKernel, WidthKernel):
    """A stationary kernel k = profile(distance of x and x', γ), with the distance in one of SciPy's metrics.

    With one γ for each column, the profile gets distances that are weighted by them, and γ = 1.
    """

    _metric = "euclidean"

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
        self._width()  # raises NotFittedError, as the block does
        return super()._diag(X)

    def _by_rule(self, X, weight):
        return width_by_rule(self.gamma, self._metric, X, weight)

    def _of_distances(self, profile, X, Y):
        """The block of profile(distance, γ).

        If columns have widths γ_j of their own, X and Y are multiplied by powers of two near γ_j, or near √γ_j for
        squared distances, and weights from 1/4 to 1 do the rest. So no rounding moves near points, in any units.
        """
        gamma, power, weights = numbers_for_columns(self._width(), "gamma", X), metric_power(self._metric), None
        if gamma.ndim:
            fraction, exponent = np.frexp(np.sqrt(gamma) if power == 2 else gamma)
            X, Y = (None if Z is None else np.ldexp(Z, exponent) for Z in (X, Y))
            weights = fraction if self._metric == "cityblock" else fraction**2
            gamma = 1.0
        gamma, X, Y = rescaled(float(gamma), power, X, Y)
        return distance_block(X, Y, self._metric, lambda distance: profile(distance, gamma), weights)


class RBF(DistanceKernel):
    """k(x, x') = exp(−γ ‖x − x'‖²), the Gaussian kernel of width σ, with γ = 1 / (2σ²).

    Parameters
    ----------
    gamma : float ≥ 0, (d,) array of them, "scale" or "median"; default "scale"
        γ, in 1 / units of x squared. An array weights the features: exp(−Σ_j γ_j (x_j − x'_j)²).
        "scale" is 1 / (d · variance of all entries), as in scikit-learn's SVC; "median" makes σ the median distance
        between different rows, of at most 1000 rows, which are drawn with a fixed seed. Both come from ``fit``, and
        make γ = 1 if the variance is 0 or no two rows differ.

    Attributes
    ----------
    gamma_ : float, the value that ``fit`` found, when gamma is a rule

    Raises
    ------
    ValueError, when the kernel is used : a gamma that is negative or not one number for each column of X
    NotFittedError : gamma is a rule, and ``fit`` was not called

    References
    ----------
    Schoenberg (1938), Metric spaces and positive definite functions, Transactions of the AMS 44.

    >>> RBF(gamma=0.5)([[0.0], [2.0]])
    array([[1.        , 0.13533528],
           [0.13533528, 1.        ]])
    """

    _metric = "sqeuclidean"
    _gamma_of_length_scale = "1 / (2 * length_scale**2)"
    _parameter_constraints = {"gamma": WIDTHS}

    def __init__(self, gamma="scale"):
        self.gamma = gamma

    def _profile(self, d2, gamma):
        return np.exp(-gamma * d2)

    def _squared_distance_profile(self, d2, gamma):
        return -2 * np.expm1(-gamma * d2)


class Laplacian(DistanceKernel):
    """k(x, x') = exp(−γ ‖x − x'‖_p) with p = 1 or 2; its functions are continuous, and have kinks.

    Parameters
    ----------
    gamma : float ≥ 0, (d,) array of them, "scale" or "median"; default "scale"
        γ, in 1 / units of x. An array gives each feature its own: exp(−Σ_j γ_j |x_j − x'_j|) if p = 1, and
        exp(−√(Σ_j γ_j² (x_j − x'_j)²)) if p = 2. "scale" is 1 / (d^(1/p) · standard deviation of all entries);
        "median" is 1 / the median distance between different rows, as in RBF. Both come from ``fit``.
    norm : 1 or 2, default 2; p

    Attributes
    ----------
    gamma_ : float, the value that ``fit`` found, when gamma is a rule

    Raises
    ------
    ValueError, when the kernel is used
        a norm other than 1 or 2; a gamma that is negative or not one number for each column of X
    NotFittedError : gamma is a rule, and ``fit`` was not called

    References
    ----------
    Schoenberg (1938), Metric spaces and positive definite functions, Transactions of the AMS 44.

    >>> Laplacian(gamma=1, norm=1)([[0.0, 0.0]], [[1.0, 1.0]])
    array([[0.13533528]])
    """

    _parameter_constraints = {"gamma": WIDTHS, "norm": [Interval(Integral, 1, 2, closed="both")]}

    def __init__(self, gamma="scale", norm=2):
        self.gamma = gamma
        self.norm = norm

    @property
    def _metric(self):
        return "cityblock" if self.norm == 1 else "euclidean"

    def _profile(self, d, gamma):
        return np.exp(-gamma * d)

    def _squared_distance_profile(self, d, gamma):
        return -2 * np.expm1(-gamma * d)


class Matern(DistanceKernel):
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
        "gamma": WIDTHS,
    }

    def __init__(self, nu=1.5, gamma="scale"):
        self.nu = nu
        self.gamma = gamma

    def _profile(self, d, gamma):
        s = self._argument(d, gamma)
        return polyval(s, MATERN_POLYNOMIALS[self.nu]) * np.exp(-s)

    def _squared_distance_profile(self, d, gamma):
        # For p = ν − 1/2, 1 − (1 + … + s^p/p!) exp(−s) is the incomplete gamma function P(p + 1, s), which SciPy
        # computes without cancellation. For p = 2 the kernel has s²/3 instead of its s²/2.
        s, p = self._argument(d, gamma), int(self.nu)
        rest = s**2 / 3 * np.exp(-s) if p == 2 else 0.0
        return 2 * gammainc(p + 1, s) + rest

    def _argument(self, d, gamma):
        """s = √(2ν) γ d."""
        return np.sqrt(2 * float(self.nu)) * np.minimum(gamma * d, MATERN_CUTOFF)


class RationalQuadratic(DistanceKernel):
    """k(x, x') = (1 + γ ‖x − x'‖² / α)^−α, a mixture of Gaussian kernels of all widths.

    It falls as ‖x − x'‖^(−2α) for distant points, which a Gaussian kernel treats as unrelated. As α grows, k approaches
    RBF(gamma). The mixture is E exp(−τ ‖x − x'‖²), where τ > 0 has the gamma distribution with shape α and
    mean γ; so k is PSD in every dimension, whatever α > 0.

    Parameters
    ----------
    alpha : float > 0, default 1; α, no unit. The smaller it is, the more the widths in the mixture differ.
    gamma : float ≥ 0, (d,) array of them, "scale" or "median"; default "scale"
        γ, in 1 / units of x squared: 1 / (2 length_scale²) of scikit-learn's RationalQuadratic. An array weights the
        features, with Σ_j γ_j (x_j − x'_j)² in place of γ ‖x − x'‖². "scale" and "median" are those of RBF, and come
        from ``fit``.

    Attributes
    ----------
    gamma_ : float, the value that ``fit`` found, when gamma is a rule

    Raises
    ------
    ValueError, when the kernel is used : alpha is not positive, gamma negative or not one number for each column of X
    NotFittedError : gamma is a rule, and ``fit`` was not called

    References
    ----------
    Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, section 4.2.

    >>> RationalQuadratic(alpha=1, gamma=0.5)([[0.0], [2.0]]).round(3)
    array([[1.   , 0.333],
           [0.333, 1.   ]])
    """

    _metric = "sqeuclidean"
    _gamma_of_length_scale = "1 / (2 * length_scale**2)"
    _parameter_constraints = {"alpha": [POSITIVE_REAL], "gamma": WIDTHS}

    def __init__(self, alpha=1.0, gamma="scale"):
        self.alpha = alpha
        self.gamma = gamma

    def _profile(self, d2, gamma):
        return np.exp(self._log_profile(d2, gamma))

    def _squared_distance_profile(self, d2, gamma):
        return -2 * np.expm1(self._log_profile(d2, gamma))

    def _log_profile(self, d2, gamma):
        """−α log(1 + γ d² / α). The power (1 + γ d² / α)^−α itself would lose the digits of a small γ d² / α."""
        alpha = min(float(self.alpha), LARGEST_ALPHA)
        with np.errstate(over="ignore"):
            ratio = gamma * d2 / alpha
        log = np.log1p(ratio)
        if ratio.max() == np.inf:  # there, log(1 + ratio) is log(ratio)
            overflow = ratio == np.inf
            log[overflow] = np.log(gamma) + np.log(d2[overflow]) - np.log(alpha)
        return np.multiply(log, -alpha, out=log)


class Periodic(StationaryKernel):
    """k(x, x') = exp(−4 Σ_j γ_j sin²(π (x_j − x'_j) / p_j)), whose functions have the period p_j in column j.

    It is the RBF kernel on circles: column j goes once round a circle of radius 1 in every period p_j, and 2 |sin(…)|
    is the length of the chord between two points. So it is PSD for any number of columns. With a sine of ‖x − x'‖, as
    in scikit-learn's ExpSineSquared, it would be PSD for one column only.

    Parameters
    ----------
    period : float > 0, or (d,) array of them, default 1; p, in units of x
    gamma : float ≥ 0, or (d,) array of them, default 1; γ, no unit: 1 / (2 length_scale²) of scikit-learn

    Raises
    ------
    ValueError, when the kernel is used
        period or gamma is not one number, or one for each column of X; X is further than 2⁵² periods from 0, so that
        its place within a period is lost to rounding

    References
    ----------
    MacKay (1998), Introduction to Gaussian processes, in Bishop (ed.), Neural Networks and Machine Learning.
    Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, section 4.2.

    >>> Periodic(period=24, gamma=0.5)([[0.0]], [[12.0], [24.0]]).round(3)
    array([[0.135, 1.   ]])
    """

    _gamma_of_length_scale = "1 / (2 * length_scale**2)"
    _parameter_constraints = {"period": [POSITIVE_REAL, "array-like"], "gamma": [NONNEGATIVE_REAL, "array-like"]}

    def __init__(self, period=1.0, gamma=1.0):
        self.period = period
        self.gamma = gamma

    def _block(self, X, Y):
        return self._of_chords(exponential_decay, X, Y)

    def _squared_distance(self, X, Y):
        return self._of_chords(exponential_decay_distance, X, Y)

    def _of_chords(self, profile, X, Y):
        """The block of profile(d², 1), where d² = Σ_j γ_j (2 sin(π (x_j − x'_j) / p_j))², in chords of the circles."""
        symmetric, Y = Y is None, X if Y is None else Y
        period, gamma = (np.broadcast_to(numbers, X.shape[1:]) for numbers in self._for_columns(X, Y))
        _, exponent = np.frexp(period)  # in units of about a period, no difference is infinite
        X, Y, period = (np.ldexp(numbers, -exponent) for numbers in (X, Y, period))

        def tile(rows, columns):
            d2 = np.zeros((len(X[rows]), len(Y[columns])))
            for x, y, p, g in zip(X[rows].T, Y[columns].T, period, gamma, strict=True):
                apart = np.fmod(np.subtract.outer(x, y), p)  # exact, and less than a period
                apart -= p * np.rint(apart / p)  # and at most half a period, where the sine loses no digits
                d2 += g * (2 * np.sin(np.pi * (apart / p))) ** 2
            if symmetric and rows == columns:
                d2 = (d2 + d2.T) / 2
            return profile(d2, 1.0)

        return assemble(tile, len(X), len(Y), symmetric)

    def _for_columns(self, X, Y):
        """The periods and γ, or ValueError if they do not fit X and Y."""
        period = numbers_for_columns(self.period, "period", X, or_zero=False)
        for Z, name in (X, "X"), (Y, "Y"):
            if (np.abs(Z).max(axis=0) / MOST_PERIODS >= period).any():
                raise ValueError(f"{name} must lie within 2^52 periods of 0, got {np.abs(Z).max():.6g}.")
        return period, numbers_for_columns(self.gamma, "gamma", X)

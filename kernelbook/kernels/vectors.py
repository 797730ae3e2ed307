"""Kernels on vectors: X is an (n, d) array of finite numbers."""

from itertools import combinations_with_replacement, pairwise
from math import comb
from numbers import Integral, Real

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions

from kernelbook.kernels.base import Kernel
from kernelbook.kernels.gram_blocks import integer_power, squared_distance_block, squared_norms
from kernelbook.validation import finite_array, sample_weights

NONNEGATIVE = Interval(Real, 0, None, closed="left")
MOST_FEATURES = 2**20  # per point that are written out, and
MOST_NUMBERS = 2**27  # for all points: a gigabyte


class VectorKernel(Kernel):
    """A kernel on the rows of an (n, d) array."""

    def check(self, X, name="X"):
        return finite_array(X, name, order="C")  # in rows, for symmetric products

    def _check_pair(self, X, Y):
        if X.shape[1] != Y.shape[1]:
            raise ValueError(
                f"X and Y must have the same number of columns, but X has {X.shape[1]} and Y has {Y.shape[1]}."
            )


class Linear(VectorKernel):
    """k(x, x') = ⟨x, x'⟩.

    >>> Linear()([[1.0, 2.0], [3.0, 4.0]])
    array([[ 5., 11.],
           [11., 25.]])
    """

    psd = True

    def _block(self, X, Y):
        return X @ (X if Y is None else Y).T

    def _diag(self, X):
        return squared_norms(X)

    def _squared_distance(self, X, Y):
        return squared_distance_block(X, Y)


class Polynomial(VectorKernel):
    """k(x, x') = (γ ⟨x, x'⟩ + c)^degree; the features are all monomials up to that degree, or of that degree if c = 0.

    Parameters
    ----------
    degree : int ≥ 1, default 3
    gamma : float ≥ 0, default 1; γ, in 1 / units of x squared
    coef0 : float, default 1; c, the weight of the lower degrees. A negative c promises no PSD kernel.

    >>> Polynomial(degree=2)([[1.0]], [[2.0]])
    array([[9.]])
    """

    _parameter_constraints = {
        "degree": [Interval(Integral, 1, None, closed="left")],
        "gamma": [NONNEGATIVE],
        "coef0": [Interval(Real, None, None, closed="neither")],
    }

    def __init__(self, degree=3, gamma=1.0, coef0=1.0):
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    @property
    def psd(self):
        return bool(self.coef0 >= 0)

    def _block(self, X, Y):
        return self._of_products(X @ (X if Y is None else Y).T)

    def _diag(self, X):
        return self._of_products(squared_norms(X))

    def features(self, X):
        """The feature map written out: an (n, D) array whose rows have the inner products k(x, x').

        A column is a monomial times the root of its coefficient in the expanded power, and D = C(d + degree, degree);
        with c = 0 only the monomials of the full degree are there, D = C(d + degree − 1, degree). The order is that of
        1, x_1, x_2, …, x_1², x_1 x_2, …

        Raises ValueError if c < 0, if D exceeds a million, or if the array would take more than a gigabyte.

        >>> Polynomial(degree=2).features([[1.0, 3.0]]) ** 2
        array([[ 1.,  2., 18.,  1., 18., 81.]])
        """
        X = self._checked(X)[0]
        if self.coef0 < 0:
            raise ValueError(f"{self!r} has real features only if coef0 >= 0.")
        # (γ⟨x, x'⟩ + c)^q is ⟨z, z'⟩^q for z = (√c, √γ x): all its monomials have the same degree
        Z = np.sqrt(self.gamma) * X
        if self.coef0 > 0:
            Z = np.column_stack([np.full(len(X), np.sqrt(self.coef0)), Z])
        D = comb(Z.shape[1] + self.degree - 1, self.degree)
        if D > MOST_FEATURES or D * max(len(X), self.degree) > MOST_NUMBERS:
            raise ValueError(f"{D} features for each of {len(X)} points are too many; the kernel does without them.")
        factors = np.array(list(combinations_with_replacement(range(Z.shape[1]), self.degree))).T
        features, repeats, roots = Z[:, factors[0]], np.ones(D), np.ones(D)
        for count, (previous, factor) in enumerate(pairwise(factors), 2):
            features *= Z[:, factor]
            repeats = np.where(factor == previous, repeats + 1, 1)
            roots *= np.sqrt(count / repeats)  # in the end √(degree! / ∏ e_j!) for a monomial with exponents e_j
        return features * roots

    def _of_products(self, products):
        products *= self.gamma
        products += self.coef0
        return integer_power(products, self.degree)


class _Decay(VectorKernel):
    """exp(−γ · distance), with γ a number or taken from data by a rule."""

    psd = True

    def _fit(self, X, sample_weight):
        if isinstance(self.gamma, str):
            weight = sample_weights(sample_weight, X)
            spread = _variance(X, weight) if self.gamma == "scale" else self._median_distance(X, weight)
            self.gamma_ = self._gamma_from(spread, X.shape[1]) if spread > 0 else 1.0
            self._rule = self.get_params()

    def _median_distance(self, X, weight):
        """The weighted median distance between different rows, the lower of two; where n > 1000, of 1000 of them."""
        rows = np.flatnonzero(weight)
        if len(rows) > 1000:
            rows = np.random.default_rng(0).choice(rows, 1000, replace=False)
        X, weight = X[rows], weight[rows]
        i, j = np.triu_indices(len(X), 1)
        distance, weight = self._distances(X)[i, j], weight[i] * weight[j]
        different = distance > 0
        if not different.any():
            return 0.0
        order = np.argsort(distance[different])
        total = np.cumsum(weight[different][order])
        return distance[different][order][np.searchsorted(total, total[-1] / 2)]

    def _width(self):
        if not isinstance(self.gamma, str):
            return self.gamma
        if getattr(self, "_rule", None) != self.get_params():
            raise NotFittedError(f"{self!r} takes gamma from data: call fit(X) first, or give gamma a number.")
        return self.gamma_

    def _diag(self, X):
        self._width()
        return np.ones(len(X))


class RBF(_Decay):
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

    _parameter_constraints = {"gamma": [NONNEGATIVE, "array-like", StrOptions({"scale", "median"})]}

    def __init__(self, gamma="scale"):
        self.gamma = gamma

    def _block(self, X, Y):
        gamma, X, Y = self._weighed(X, Y)

        def decay(D):
            D *= -gamma
            np.exp(D, out=D)

        return squared_distance_block(X, Y, decay)

    def _squared_distance(self, X, Y):
        gamma, X, Y = self._weighed(X, Y)

        def separation(D):  # 2 − 2 exp(−γ‖x−y‖²), without loss for close points
            D *= -gamma
            np.expm1(D, out=D)
            np.multiply(D, -2, out=D)

        return squared_distance_block(X, Y, separation)

    def _weighed(self, X, Y):
        """γ and the points to use it on: weights for the features go into the points."""
        gamma = self._width()
        if np.ndim(gamma) == 0:
            return gamma, X, Y
        try:
            weights = np.asarray(gamma, dtype=float)
        except ValueError:
            weights = np.empty(0)
        if weights.shape != (X.shape[1],) or not ((weights >= 0) & np.isfinite(weights)).all():
            raise ValueError(
                f"gamma must be a number or {X.shape[1]} finite numbers >= 0, one for each column of X, got {gamma}."
            )
        root = np.sqrt(weights)
        return 1.0, X * root, None if Y is None else Y * root

    def _distances(self, X):
        return squared_distance_block(X, None, _root)

    def _gamma_from(self, spread, d):
        return 1 / (d * spread) if self.gamma == "scale" else 1 / (2 * spread**2)


class Laplacian(_Decay):
    """k(x, x') = exp(−γ ‖x − x'‖_p) with p = 1 or 2; continuous, but its functions have kinks.

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

    _parameter_constraints = {
        "gamma": [NONNEGATIVE, StrOptions({"scale", "median"})],
        "norm": [Interval(Integral, 1, 2, closed="both")],
    }

    def __init__(self, gamma="scale", norm=2):
        self.gamma = gamma
        self.norm = norm

    def _block(self, X, Y):
        D = self._distances(X, Y)
        D *= -self._width()
        return np.exp(D, out=D)

    def _squared_distance(self, X, Y):
        D = self._distances(X, Y)
        D *= -self._width()
        np.expm1(D, out=D)
        return np.multiply(D, -2, out=D)

    def _distances(self, X, Y=None):
        if self.norm == 1:
            return cdist(X, X if Y is None else Y, "cityblock")
        return squared_distance_block(X, Y, _root)

    def _gamma_from(self, spread, d):
        return 1 / (np.sqrt(spread) * d ** (1 / self.norm)) if self.gamma == "scale" else 1 / spread


def _root(D):
    np.sqrt(D, out=D)


def _variance(X, weight):
    """Variance of all entries of X, the rows weighted; exactly 0 for equal entries."""
    X = X - X[0, 0]
    mean = np.average(X.mean(axis=1), weights=weight)
    return np.average(np.square(X - mean).mean(axis=1), weights=weight)

"""Kernels on vectors that depend on where x and x' are: Gibbs' kernel, and the arc-cosine kernels."""

from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Interval

from kernelbook.inputs.intervals import NONNEGATIVE_REAL
from kernelbook.inputs.validation import finite_array
from kernelbook.kernels.vectors import VectorKernel
from kernelbook.linalg.blocks import integer_power, squared_distance_block


class Gibbs(VectorKernel):
    """k(x, x') = (2 l l' / (l² + l'²))^(d/2) exp(−‖x − x'‖² / (l² + l'²)), l = length(x) and l' = length(x').

    It is an RBF whose length changes from place to place; for a constant length it is RBF(gamma=1 / (2 l²)). It is PSD
    for every positive function: it is the inner product of two bells, exp(−‖z − x‖² / l²) and exp(−‖z − x'‖² / l'²) as
    functions of z, each divided by its norm. Without the factor in front it is not PSD in general.

    Parameters
    ----------
    length : function X -> (n,) array of lengths > 0, in units of x, for an (n, d) array X

    Raises
    ------
    ValueError, when the kernel is used : the lengths are not n positive finite numbers

    References
    ----------
    Gibbs (1997), Bayesian Gaussian processes for regression and classification, Cambridge.
    Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, section 4.2.

    >>> k = Gibbs(lambda X: 0.1 + np.abs(X[:, 0]))  # short near 0, long far away
    >>> k([[0.0], [0.5], [5.0], [5.5]]).round(3)
    array([[1.   , 0.29 , 0.076, 0.072],
           [0.29 , 1.   , 0.224, 0.209],
           [0.076, 0.224, 1.   , 0.993],
           [0.072, 0.209, 0.993, 1.   ]])
    """

    psd = True
    _parameter_constraints = {"length": [callable]}

    def __init__(self, length):
        self.length = length

    def _block(self, X, Y):
        lengths = self._lengths(X)
        others = lengths if Y is None else self._lengths(Y)
        K = squared_distance_block(X, Y)
        K /= -np.add.outer(lengths**2, others**2)
        ratios = np.divide.outer(lengths, others) + np.divide.outer(others, lengths).T
        return np.exp(K, out=K) * (2 / ratios) ** (X.shape[1] / 2)

    def _diag(self, X):
        self._lengths(X)  # raises ValueError, as the block does
        return np.ones(len(X))

    def _lengths(self, X):
        lengths = finite_array(self.length(X), "the lengths", ensure_2d=False)
        if lengths.shape != (len(X),) or not lengths.min() > 0:
            raise ValueError(
                f"length must return {len(X)} numbers > 0, one for each row of X, got shape {lengths.shape} and a "
                f"smallest value of {lengths.min():.3g}."
            )
        return lengths

    def _formula(self, digits=None):
        return f"Gibbs({getattr(self.length, '__name__', type(self.length).__name__)})"


class ArcCosine(VectorKernel):
    """k(x, x') = ‖x‖ⁿ ‖x'‖ⁿ J_n(θ) / π, θ the angle between x and x', n = degree: infinitely many hidden units.

    J₀ = π − θ, J₁ = sin θ + (π − θ) cos θ and J₂ = 3 sin θ cos θ + (π − θ)(1 + 2 cos² θ). k is
    2 E[h(⟨w, x⟩) h(⟨w, x'⟩)] for weights w that are normal with variance 1, and units h(s) = sⁿ for s > 0, else 0:
    steps, ramps (ReLU) or half parabolas. With a bias b every x gets the coordinate b in front, so that units may
    switch at places other than 0.

    Parameters
    ----------
    degree : 0, 1 or 2, default 1; n
    bias : float ≥ 0, default 0; b, in units of x

    References
    ----------
    Cho & Saul (2009), Kernel methods for deep learning, NIPS.

    >>> ArcCosine(degree=0)([[1.0, 0.0]], [[2.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])  # 1 − θ/π
    array([[1. , 0.5, 0. ]])
    """

    psd = True
    _parameter_constraints = {"degree": [Interval(Integral, 0, 2, closed="both")], "bias": [NONNEGATIVE_REAL]}

    def __init__(self, degree=1, bias=0.0):
        self.degree = degree
        self.bias = bias

    def _block(self, X, Y):
        lengths, units = self._directions(X)
        others, other_units = (lengths, units) if Y is None else self._directions(Y)
        theta = _angles(units, None if Y is None else other_units)
        K = _angular(theta, self.degree) / np.pi
        if self.degree:
            return K * integer_power(np.multiply.outer(lengths, others), self.degree)
        return K * np.multiply.outer(lengths > 0, others > 0)

    def _diag(self, X):
        lengths, _ = self._directions(X)
        largest = _angular(np.zeros(1), self.degree) / np.pi
        return largest * (lengths ** (2 * self.degree) if self.degree else lengths > 0)

    def _directions(self, X):
        """The lengths of (b, x), and (b, x) divided by them; a zero vector stays one."""
        X = np.column_stack([np.full(len(X), float(self.bias)), X])
        lengths = np.hypot.reduce(X, axis=1)  # squares could overflow
        return lengths, X / np.where(lengths > 0, lengths, 1)[:, None]


def _angles(units, others):
    """The angles between unit vectors, as exact for small angles and angles near π as for others."""
    apart = squared_distance_block(units, others)
    together = squared_distance_block(units, -(units if others is None else others))
    if others is None:
        together = (together + together.T) / 2
    return 2 * np.arctan2(np.sqrt(apart), np.sqrt(together))


def _angular(theta, degree):
    """J_n(θ)."""
    if degree == 0:
        return np.pi - theta
    sine, cosine = np.sin(theta), np.cos(theta)
    if degree == 1:
        return sine + (np.pi - theta) * cosine
    return 3 * sine * cosine + (np.pi - theta) * (1 + 2 * cosine**2)

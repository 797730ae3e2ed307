"""Kernels as mixtures of waves: k(x, x') = mass · E cos⟨ω, x − x'⟩, with random frequencies ω (Bochner's theorem)."""

from functools import singledispatch

import numpy as np

from kernelbook.kernels import RBF, Constant, Laplacian, Matern, Periodic, RationalQuadratic
from kernelbook.kernels.algebra import Normalized, Power, Product, Scaled, Sum
from kernelbook.kernels.vectors import numbers_for_columns


class Draws:
    """Where random numbers for `count` frequencies of d columns come from.

    Parameters
    ----------
    count, d : int
    rng : RandomState
    orthogonal : bool; whether normal vectors come in groups of d that are orthogonal
    """

    def __init__(self, count, d, rng, orthogonal):
        self.count, self.d, self.rng, self.orthogonal = count, d, rng, orthogonal

    def normal(self):
        """(count, d) array, each row normal with the unit matrix as covariance.

        An orthogonal group is the rows of a random rotation, times the lengths of d normal vectors.
        """
        if not self.orthogonal:
            return self.rng.normal(size=(self.count, self.d))
        groups = [self._rotation() for _ in range(0, self.count, self.d)]
        lengths = np.sqrt(self.rng.chisquare(self.d, size=(self.count, 1)))
        return lengths * np.concatenate(groups)[: self.count]

    def _rotation(self):
        Q, R = np.linalg.qr(self.rng.normal(size=(self.d, self.d)))
        return Q * np.sign(R.diagonal())  # without the signs it would depend on QR's convention


@singledispatch
def waves(kernel, draws):
    """The mass of a fitted kernel, k(x, x), and random frequencies, (count, d); ValueError if it has no spectrum.

    >>> mass, frequencies = waves(2 * RBF(0.5) * Constant(3), Draws(1000, 1, np.random.RandomState(0), False))
    >>> print(mass, frequencies.std().round(1))
    6.0 1.0
    """
    raise ValueError(
        f"kernel must be a mixture of waves, such as RBF, Laplacian, Matern, RationalQuadratic, Periodic, Constant, or "
        f"their sums, products and multiples, got {kernel.formula}."
    )


@waves.register
def _(kernel: RBF, draws):
    return 1.0, draws.normal() * np.sqrt(2 * _widths(kernel, draws))


@waves.register
def _(kernel: Laplacian, draws):
    if kernel.norm == 1:  # a product over the columns, each with a Cauchy law
        return 1.0, draws.rng.standard_cauchy(size=(draws.count, draws.d)) * _widths(kernel, draws)
    return 1.0, _student(1, draws) * _widths(kernel, draws)


@waves.register
def _(kernel: Matern, draws):
    return 1.0, _student(2 * kernel.nu, draws) * _widths(kernel, draws)


@waves.register
def _(kernel: RationalQuadratic, draws):
    alpha = float(kernel.alpha)
    tau = draws.rng.gamma(alpha, size=(draws.count, 1)) / alpha  # of mean 1: k = E exp(−τ γ ‖x − x'‖²)
    return 1.0, draws.normal() * np.sqrt(2 * tau * _widths(kernel, draws))


@waves.register
def _(kernel: Periodic, draws):
    """E exp(imθ) = exp(2γ (cos θ − 1)) = exp(−4γ sin²(θ/2)) for the difference m of two Poisson numbers of mean γ."""
    gamma, period = (
        np.broadcast_to(numbers_for_columns(value, name, _row(draws)), draws.d)
        for value, name in ((kernel.gamma, "gamma"), (kernel.period, "period"))
    )
    m = draws.rng.poisson(gamma, size=(draws.count, draws.d)) - draws.rng.poisson(gamma, size=(draws.count, draws.d))
    return 1.0, 2 * np.pi * m / period


@waves.register
def _(kernel: Constant, draws):
    return float(kernel.value), np.zeros((draws.count, draws.d))


@waves.register
def _(kernel: Scaled, draws):
    if kernel.factor < 0:
        raise ValueError(f"kernel must be PSD, but has a negative factor: {kernel.formula}.")
    mass, frequencies = waves(kernel.kernel, draws)
    return float(kernel.factor) * mass, frequencies


@waves.register
def _(kernel: Sum, draws):
    """A mixture: each wave comes from one of the two, in proportion to their masses."""
    (left, one), (right, other) = waves(kernel.left, draws), waves(kernel.right, draws)
    from_left = draws.rng.uniform(size=(draws.count, 1)) * (left + right) < left
    return left + right, np.where(from_left, one, other)


@waves.register
def _(kernel: Product, draws):
    """cos a cos b is the mean of cos(a + b) and cos(a − b), and b is as likely as −b: frequencies add."""
    (left, one), (right, other) = waves(kernel.left, draws), waves(kernel.right, draws)
    return left * right, one + other


@waves.register
def _(kernel: Power, draws):
    masses, frequencies = zip(*(waves(kernel.kernel, draws) for _ in range(int(kernel.exponent))), strict=True)
    return float(np.prod(masses)), sum(frequencies)


@waves.register
def _(kernel: Normalized, draws):
    return 1.0, waves(kernel.kernel, draws)[1]


def _student(degrees, draws):
    """Rows with Student's t in d dimensions: a normal vector divided by √(χ² / its degrees of freedom)."""
    return draws.normal() / np.sqrt(draws.rng.chisquare(degrees, size=(draws.count, 1)) / degrees)


def _widths(kernel, draws):
    """γ, one number or one for each column."""
    return numbers_for_columns(kernel._width(), "gamma", _row(draws))


def _row(draws):
    return np.empty((1, draws.d))

"""Automatic relevance determination: a width for each feature of an RBF, learned from data."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from sklearn.utils.validation import check_consistent_length, column_or_1d

from kernelbook.base.targets import check_targets
from kernelbook.inputs.validation import finite_array
from kernelbook.kernels import RBF
from kernelbook.learning.criteria import EQUAL_ENTRIES, check_varies, target_gram
from kernelbook.linalg.gram import centre
from kernelbook.runtime.parallel import parallel_map

GAMMA_RANGE = 1e-9, 1e4  # of γ times the feature's spread squared
ALPHA_RANGE = 1e-8, 1e8  # of σ²/τ²
LARGEST_SPREAD = 1e150  # of a feature; its inverse is the least, and the least size of y: squares of both are floats
STARTS = 0.1, 1.0, 10.0  # the γ at which climbs start, in units of the median rule's


class AlignedRBF(NamedTuple):
    """The result of ``ard_by_alignment``.

    Attributes
    ----------
    kernel : RBF with one γ for each feature
    alignment : float, its centred alignment with the targets

    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> found = ard_by_alignment(X, X[:, 0] ** 2)
    >>> print(f"{found.alignment:.2f}; the second feature counts for nothing: {found.kernel.gamma[1] < 0.001}")
    0.44; the second feature counts for nothing: True
    """

    kernel: RBF
    alignment: float


class LikeliestRBF(NamedTuple):
    """The result of ``ard_by_marginal_likelihood``.

    Attributes
    ----------
    kernel : RBF with one γ for each feature
    alpha : float, σ²/τ²; ``KernelRidge(kernel, alpha)`` predicts the posterior mean of the process
    amplitude : float, τ², in units of y squared
    noise : float, σ², in units of y squared
    log_marginal_likelihood : float, log p(y | X) at these

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 1))
    >>> found = ard_by_marginal_likelihood(X, np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=200))
    >>> print(f"noise of standard deviation {found.noise**0.5:.1f}")
    noise of standard deviation 0.1
    """

    kernel: RBF
    alpha: float
    amplitude: float
    noise: float
    log_marginal_likelihood: float


def ard_by_alignment(X, y):
    """The RBF whose widths, one for each feature, align it best with the targets.

    maximise over γ in ℝᵈ, γ_j > 0    ⟨HKH, HLH⟩_F / (‖HKH‖_F ‖HLH‖_F),    K_il = exp(−Σ_j γ_j (x_ij − x_lj)²)

    with L = ``target_gram(y)``. A feature that tells nothing about y gets a γ_j near 0. The objective is not concave:
    L-BFGS-B climbs in log γ from a few fixed multiples of the median rule, and the highest end is taken. γ_j times the
    spread of feature j squared stays between 10⁻⁹ and 10⁴, where the spread is the median distance of its values from
    their median. A constant feature gets γ_j = 0.

    γ has as many entries as there are features, so it fits noise where features are many and objects few: judge the
    result on other data.

    Parameters
    ----------
    X : (n, d) array, in any units: a feature multiplied by c has its γ_j divided by c²
    y : (n,) floats, or labels of classes, as in ``target_gram``

    Returns
    -------
    AlignedRBF : kernel, alignment

    Raises
    ------
    ValueError : X or y not finite, or of different lengths; y or all features constant

    References
    ----------
    Cortes, Mohri & Rostamizadeh (2012), Algorithms for learning kernels based on centered alignment, JMLR 13.

    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> kernel, reached = ard_by_alignment(X, X[:, 0] ** 2)
    >>> bool(kernel.gamma[0] > 100 * kernel.gamma[1])
    True
    """
    Z, spreads = _in_spreads(X)
    check_consistent_length(Z, column_or_1d(y))
    L = centre(target_gram(y))
    L /= np.linalg.norm(L)
    starts = [np.full(Z.shape[1], np.log(gamma)) for gamma in _median_rule(Z)]
    log_gamma, reached = _climb(lambda theta: _alignment(theta, Z, L), starts, [np.log(GAMMA_RANGE)] * Z.shape[1])
    return AlignedRBF(_kernel(log_gamma, spreads), float(reached))


def ard_by_marginal_likelihood(X, y):
    """The Gaussian process that makes y most probable: an RBF with a width for each feature, its amplitude, the noise.

    maximise over γ, τ², σ² > 0    log p(y | X) = −½ yᵀA⁻¹y − ½ log det A − (n/2) log 2π,    A = τ²K + σ²I

    with K_il = exp(−Σ_j γ_j (x_ij − x_lj)²). For given γ and α = σ²/τ² the best τ² is yᵀ(K + αI)⁻¹y / n; with it,
    L-BFGS-B climbs in log γ and log α from a few fixed multiples of the median rule, and the highest end is taken. γ_j
    times the spread of feature j squared stays between 10⁻⁹ and 10⁴, as in ``ard_by_alignment``, α between 10⁻⁸ and
    10⁸. A constant feature gets γ_j = 0. Each step takes O(n³) time. Where the best K is nearly I, as with large γ,
    noise and f cannot be told apart, and α says nothing.

    The process has mean zero: centre y if its mean is not. With many features, few objects and much noise the d + 2
    parameters overfit the likelihood too: judge the result on other data.

    Parameters
    ----------
    X : (n, d) array, in any units: a feature multiplied by c has its γ_j divided by c²
    y : (n,) floats, in any unit: multiplied by c, it has τ² and σ² multiplied by c²

    Returns
    -------
    LikeliestRBF : kernel, alpha, amplitude, noise, log_marginal_likelihood

    Raises
    ------
    ValueError : X or y not finite, or of different lengths; y or all features constant

    References
    ----------
    Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, chapter 5; Neal (1996), Bayesian Learning for
    Neural Networks, for the name.

    >>> from kernelbook import KernelRidge
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> found = ard_by_marginal_likelihood(X, np.sin(2 * X[:, 0]))
    >>> bool(found.kernel.gamma[0] > 1e4 * found.kernel.gamma[1])
    True
    >>> model = KernelRidge(found.kernel, found.alpha).fit(X, np.sin(2 * X[:, 0]))
    """
    Z, spreads = _in_spreads(X)
    y = check_targets(Z, y)
    check_varies(y)
    unit = float(np.abs(y).max())
    if unit < 1 / LARGEST_SPREAD:
        raise ValueError(f"y must be in units in which its squares are floats, but its largest value is {unit:.3g}.")
    starts = [np.append(np.full(Z.shape[1], np.log(gamma)), np.log(a)) for gamma in _median_rule(Z) for a in (0.01, 1)]
    bounds = [np.log(GAMMA_RANGE)] * Z.shape[1] + [np.log(ALPHA_RANGE)]
    theta, reached = _climb(lambda theta: _likelihood(theta, Z, y / unit), starts, bounds)
    alpha = float(np.exp(theta[-1]))
    amplitude = _best_amplitude(theta, Z, y / unit) * unit**2
    likelihood = float(reached - len(y) * np.log(unit))
    return LikeliestRBF(_kernel(theta[:-1], spreads), alpha, amplitude, alpha * amplitude, likelihood)


def _alignment(log_gamma, Z, L):
    """The alignment of the RBF on Z with L, which is centred and of norm 1; and its gradient."""
    gamma = np.exp(log_gamma)
    K = RBF(gamma)(Z)
    centred = centre(K)
    norm = np.linalg.norm(centred)
    value = np.vdot(centred, L) / norm
    gradient_by_K = (L - value * centred / norm) / norm
    return value, _gradient_by_log_gamma(gradient_by_K * K, Z, gamma)


def _likelihood(theta, Z, y):
    """log p(y | X) at the best amplitude for γ and α, given by their logarithms; and its gradient."""
    n, gamma, alpha = len(y), np.exp(theta[:-1]), np.exp(theta[-1])
    K = RBF(gamma)(Z)
    factor = _factor(K, alpha)
    c = cho_solve(factor, y)
    amplitude = y @ c / n
    log_det = 2 * np.log(factor[0].diagonal()).sum()
    value = -0.5 * (n * np.log(amplitude) + log_det + n + n * np.log(2 * np.pi))
    gradient_by_K = 0.5 * (np.multiply.outer(c, c) / amplitude - cho_solve(factor, np.eye(n)))
    gradient = np.append(_gradient_by_log_gamma(gradient_by_K * K, Z, gamma), alpha * gradient_by_K.trace())
    return value, gradient


def _best_amplitude(theta, Z, y):
    factor = _factor(RBF(np.exp(theta[:-1]))(Z), np.exp(theta[-1]))
    return float(y @ cho_solve(factor, y) / len(y))


def _factor(K, alpha):
    return cho_factor(K + alpha * np.eye(len(K)), lower=True)


def _gradient_by_log_gamma(M, Z, gamma):
    """−γ_j Σ_il M_il (z_ij − z_lj)² for each j, with M the product of K and the gradient by K, entry by entry."""
    np.fill_diagonal(M, 0)  # its factors are 0, but for a far object they are computed from large numbers
    return -2 * gamma * (M.sum(axis=1) @ Z**2 - (Z * (M @ Z)).sum(axis=0))


def _climb(objective, starts, bounds):
    """The best of the maxima that L-BFGS-B reaches from the starts, and the objective there."""

    def descend(theta):
        value, gradient = objective(theta)
        return -value, -gradient

    least, most = np.transpose(bounds)
    ends = parallel_map(
        lambda start: minimize(descend, np.clip(start, least, most), jac=True, method="L-BFGS-B", bounds=bounds), starts
    )
    best = min(ends, key=lambda end: end.fun)
    return best.x, -best.fun


def _in_spreads(X):
    """The features that vary, in units of their spread and with median 0; and the spreads of all, 0 for a constant one.

    A spread is the median distance of the values from their median, without the values equal to it, so that no far
    object widens it. ValueError if no feature varies, or if a γ would not be a float.
    """
    X = finite_array(X, "X", ensure_min_samples=2)
    largest = np.abs(X).max(axis=0)
    varies = np.ptp(X / np.where(largest > 0, largest, 1), axis=0) > EQUAL_ENTRIES
    if not varies.any():
        raise ValueError(f"X must have a feature that varies, but each of its {X.shape[1]} is constant.")
    Z = X[:, varies] / largest[varies]
    Z = Z - np.median(Z, axis=0)
    spread = np.nanmedian(np.where(Z != 0, np.abs(Z), np.nan), axis=0)
    spreads = np.zeros(X.shape[1])
    spreads[varies] = spread * largest[varies]
    if spreads.max() > LARGEST_SPREAD or spreads[varies].min() < 1 / LARGEST_SPREAD:
        raise ValueError(
            f"X must be in units in which γ is a float, but its features spread from {spreads[varies].min():.3g} to "
            f"{spreads.max():.3g}."
        )
    return Z / spread, spreads


def _median_rule(Z):
    return [factor * RBF("median").fit(Z).gamma_ for factor in STARTS]


def _kernel(log_gamma, spreads):
    gamma = np.zeros(len(spreads))
    gamma[spreads > 0] = np.exp(log_gamma) / spreads[spreads > 0] ** 2
    return RBF(gamma)

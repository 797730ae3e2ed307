"""Pre-images: the point of input space whose features are nearest to a given point of the Gaussian's feature space."""

import numpy as np

from kernelbook.kernels import RBF, Scaled

TOLERANCE = 1e-6  # the last step, in units of 1/√γ or of the spread of the data, if that is smaller
MAX_ITER = 1000
SHORTEST = 1e-8  # of a step: where none that is longer leads upwards, rounding decides


def gaussian(kernel):
    """The RBF that the kernel is, but for a factor > 0; None if it is none."""
    while isinstance(kernel, Scaled) and kernel.factor > 0:
        kernel = kernel.kernel
    return kernel if isinstance(kernel, RBF) else None


def fixed_point(kernel, X, weights, start):
    """For each row of weights, a point z at which the distance from φ(z) to P = Σ_i w_i φ(x_i) has a minimum.

    minimise over z in R^d    ‖φ(z) − P‖² = 1 − 2 Σ_i w_i k(z, x_i) + ‖P‖²,   k an RBF

    Where the gradient is zero, z = Σ_i w_i k(z, x_i) x_i / Σ_i w_i k(z, x_i). The right side, taken for the next z,
    lies uphill of the sum in the denominator, if that is positive. The step is halved until the sum grows, so that
    every z is better than the one before, also where some weights are negative.

    Parameters
    ----------
    kernel : RBF, fitted
    X : (n, d) array
    weights : (m, n) array
    start : (m, d) array

    Returns
    -------
    points : (m, d) array, the best found; the start itself where the sum is not positive there
    converged : (m,) bool, whether the last full step was below 10⁻⁶ in units of 1/√γ, or of the standard deviation of X
        (all features together) where that is smaller
    """
    points, converged = start.copy(), np.zeros(len(start), dtype=bool)
    gamma = np.broadcast_to(kernel._width(), X.shape[1])
    rows, length = np.arange(len(start)), np.ones(len(start))
    value, noise, goal = _mean_shift(kernel, X, weights, points)
    shortest = TOLERANCE**2 * min(1.0, X.var(axis=0) @ gamma)
    for _ in range(MAX_ITER):
        step = goal - points[rows]
        near = np.square(step) @ gamma <= shortest
        uphill = value > noise
        converged[rows[near & uphill]] = True
        going = uphill & ~near & (length > SHORTEST)
        rows, length, value, noise, goal, step = (a[going] for a in (rows, length, value, noise, goal, step))
        if not len(rows):
            break
        tried = points[rows] + length[:, None] * step
        new_value, new_noise, new_goal = _mean_shift(kernel, X, weights[rows], tried)
        better = new_value >= value - noise
        points[rows[better]] = tried[better]
        value[better], noise[better], goal[better] = new_value[better], new_noise[better], new_goal[better]
        length = np.where(better, 1.0, length / 2)
    return points, converged


def _mean_shift(kernel, X, weights, Z):
    """Σ_i w_i k(z, x_i) for each z, the rounding of that sum, and where the fixed point's equation sends z."""
    terms = weights * kernel._block(Z, X)
    value = terms.sum(axis=1)
    noise = len(X) * np.finfo(float).eps * np.abs(terms).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return value, noise, terms @ X / value[:, None]

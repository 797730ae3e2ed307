"""Pre-images for the Gaussian kernel: points of input space whose features are nearest to a point of feature space."""

import numpy as np

from kernelbook.kernels import RBF, Scaled

STEP_TOLERANCE = 1e-6  # length of the last step, in units of 1/√γ, or of the spread of the data if that is smaller
MIN_STEP_FRACTION = 1e-8  # a step is not halved below this share of it: the changes left are rounding
MAX_ITER = 1000


def gaussian(kernel):
    """The RBF of which the kernel is a positive multiple, or None."""
    while isinstance(kernel, Scaled) and kernel.factor > 0:
        kernel = kernel.kernel
    return kernel if isinstance(kernel, RBF) else None


def fixed_point(kernel, X, weights, start):
    """For each row w of weights, a local minimum z of the distance from φ(z) to P = Σ_i w_i φ(x_i).

    minimise over z in R^d    ‖φ(z) − P‖² = 1 − 2 Σ_i w_i k(z, x_i) + ‖P‖²,   k an RBF

    The gradient is zero at the fixed points z = Σ_i w_i k(z, x_i) x_i / Σ_i w_i k(z, x_i). The iteration takes the
    right side for the next z. If the denominator is positive, this step leads uphill for the sum Σ_i w_i k(z, x_i). It
    is halved until the sum grows, so that every z is better than the one before, even if some weights are negative.

    Parameters
    ----------
    kernel : RBF, fitted
    X : (n, d) array
    weights : (m, n) array
    start : (m, d) array

    Returns
    -------
    points : (m, d) array, the best points found; the start itself if the sum is not positive there
    converged : (m,) bool, whether the last full step was below 10⁻⁶ in units of 1/√γ, or of the standard deviation of X
        (all features together) if that is smaller
    """
    points, converged = start.copy(), np.zeros(len(start), dtype=bool)
    gamma = np.broadcast_to(kernel._width(), X.shape[1])
    rows, fraction = np.arange(len(start)), np.ones(len(start))  # the rows still moving; the share of the step to take
    value, rounding, goal = _mean_shift(kernel, X, weights, points)
    near_enough = STEP_TOLERANCE**2 * min(1.0, X.var(axis=0) @ gamma)
    for _ in range(MAX_ITER):
        step = goal - points[rows]
        near = np.square(step) @ gamma <= near_enough
        positive = value > rounding
        converged[rows[near & positive]] = True
        moving = positive & ~near & (fraction > MIN_STEP_FRACTION)
        rows, fraction, value, rounding, goal, step = (a[moving] for a in (rows, fraction, value, rounding, goal, step))
        if not len(rows):
            break
        tried = points[rows] + fraction[:, None] * step
        new_value, new_rounding, new_goal = _mean_shift(kernel, X, weights[rows], tried)
        better = new_value >= value - rounding
        points[rows[better]] = tried[better]
        value[better], rounding[better], goal[better] = new_value[better], new_rounding[better], new_goal[better]
        fraction = np.where(better, 1.0, fraction / 2)
    return points, converged


def _mean_shift(kernel, X, weights, Z):
    """For each z, Σ_i w_i k(z, x_i), the rounding of this sum, and the right side of the fixed-point equation."""
    terms = weights * kernel._block(Z, X)
    value = terms.sum(axis=1)
    rounding = len(X) * np.finfo(float).eps * np.abs(terms).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return value, rounding, terms @ X / value[:, None]

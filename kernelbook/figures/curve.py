"""A curve through points that a reader moves: kernel ridge regression, and the band of a Gaussian process around it.

``browser/curve.js`` is the twin; both draw the same pictures and say the same words for the same points.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from kernelbook.figures.plane import (
    DOTS,
    THIN,
    MovablePoints,
    checked_name,
    checked_number,
    decimals,
    empty_axes,
)
from kernelbook.kernels import RBF, Laplacian, Matern, Periodic, RationalQuadratic
from kernelbook.plotting.palette import BAND, GREY
from kernelbook.plotting.style import FIT, PANEL
from kernelbook.regression import KernelRidge
from kernelbook.rkhs.functions import RKHSFunction

KERNELS = {
    "rbf": lambda width: RBF(1 / (2 * width**2)),
    "matern": lambda width: Matern(1.5, 1 / width),
    "laplacian": lambda width: Laplacian(1 / width),
    "rational": lambda width: RationalQuadratic(1, 1 / (2 * width**2)),
    "periodic": lambda width: Periodic(2 * np.pi * width, 0.5),
}
SPREAD = 1.96  # standard deviations from the mean to the edge of a band that holds 95 %
LEAST_RIDGE = 1e-4  # with a smaller one ‖f‖ could differ from the page's in the digits that are shown
# what the other points expect at the place of a point
OTHERS = {"marker": "o", "linestyle": "none", "markersize": 5.8, "markeredgewidth": 1.1}
OTHERS |= {"markerfacecolor": PANEL, "markeredgecolor": GREY}


class Curve(MovablePoints):
    """The kernel ridge regression f through points (x, y), with what the other points expect at each place.

    minimise over f in H    Σ_i (y_i − f(x_i))² + λ ‖f‖²

    A hollow dot is the value at x_i of the f that is fitted without the point i.

    Parameters
    ----------
    points : list of pairs (x, y), multiples of 0.1
    kernel : "rbf", "matern" (ν = 3/2), "laplacian", "rational" (quadratic, α = 1) or "periodic", default "rbf"
    width : float > 0, default 1; ℓ in exp(−r²/2), (1 + √3 r) exp(−√3 r), exp(−r), 1 / (1 + r²/2) and
        exp(−2 sin²(r/2)), of period 2πℓ, with r = |x − x'| / ℓ
    ridge_lambda : float ≥ 10⁻⁴, default 0.1; λ
    box : (west, east, south, north), default (0, 10, −3, 3), the visible part of the plane, multiples of 0.1; no
        point leaves it

    A slider or buttons for kernel, width or ridge_lambda take precedence.

    Raises
    ------
    ValueError : points that are not pairs of multiples of 0.1, or lie outside the box; a box without an inside; an
        unknown kernel; a width or ridge out of its range

    >>> three = Curve([(1, 0), (2, 1), (3, 0)], ridge_lambda=0.5)
    >>> three.describe(three.points)
    'Degrees of freedom 1.72 of 3; leave-one-out error 0.68; norm of f 0.61.'
    """

    script, files = "curve", ("number.js", "linear.js", "curve.js")
    parameters = {  # each with the function that checks a value
        "kernel": partial(checked_name, known=KERNELS),
        "width": checked_number,
        "ridge_lambda": partial(checked_number, least=LEAST_RIDGE),
    }

    def __init__(self, points, kernel="rbf", width=1.0, ridge_lambda=0.1, box=(0, 10, -3, 3)):
        super().__init__(points, box, kernel=kernel, width=width, ridge_lambda=ridge_lambda)

    def fit(self, points, **choice):
        """The regression through these points, as a Fitted."""
        settings = {**self.settings, **choice}
        kernel, ridge = KERNELS[settings["kernel"]](settings["width"]), settings["ridge_lambda"]
        x, y = np.transpose(points)
        c = KernelRidge(kernel, ridge).fit(x[:, None], y).dual_coef_
        inverse = np.diag(np.linalg.inv(kernel(x[:, None]) + ridge * np.eye(len(x))))
        return Fitted(RKHSFunction(kernel, x[:, None], c), c / inverse, (1 - ridge * inverse).sum())

    def draw(self, points, **choice):
        """The figure for these points and a choice of the sliders."""
        fitted, (at, y) = self.fit(points, **choice), np.transpose(points)
        figure, ax = empty_axes(self)
        others = y - fitted.left_out
        for place, value, expected in zip(at, y, others, strict=True):
            ax.plot([place, place], [value, expected], **THIN)
        ax.plot(at, others, **OTHERS)
        x = np.linspace(*self.box[:2], 201)
        ax.plot(x, fitted.f(x[:, None]), **FIT)
        ax.plot(at, y, **DOTS)
        return figure

    def describe(self, points, **choice):
        """The result in words for these points and a choice of the sliders."""
        fitted = self.fit(points, **choice)
        error = np.sqrt(np.mean(np.square(fitted.left_out)))
        return (
            f"Degrees of freedom {decimals(fitted.freedom)} of {len(points)}; leave-one-out error {decimals(error)}; "
            f"norm of f {decimals(fitted.f.norm())}."
        )


@dataclass(frozen=True)
class Fitted:
    """A fitted curve, and the numbers that its figure shows.

    Attributes
    ----------
    f : RKHSFunction
    left_out : (n,) array, the leave-one-out residuals c_i / [(K + λI)⁻¹]_ii
    freedom : float, the degrees of freedom tr K(K + λI)⁻¹
    """

    f: RKHSFunction
    left_out: np.ndarray
    freedom: float


class Band(MovablePoints):
    """The mean of a Gaussian process f given points (x, y), and the band that holds f(x) with probability 95 %.

    The prior has mean 0 and covariance τ²k, and y_i = f(x_i) + ε_i with independent normal ε_i of variance σ². The mean
    is the kernel ridge regression with λ = σ²/τ².

    Parameters
    ----------
    points, kernel, width, box : as in Curve
    sigma : float ≥ 0.05, at most 5, default 0.3; σ, the standard deviation of the noise
    tau : float ≥ 0.05, at most 5, default 1; τ, the standard deviation of f at a place before any data

    A slider or buttons for kernel, width, sigma or tau take precedence.

    Raises
    ------
    ValueError : as Curve; a sigma or tau out of its range

    >>> two = Band([(4, 1), (6, 0)])
    >>> two.describe(two.points)
    'The band is f ± 0.56 at the points, on average, and f ± 1.96 where it is widest; log evidence −2.38.'
    >>> two.describe([(4, 3), (6, 0)])  # the band does not depend on y, and the evidence does
    'The band is f ± 0.56 at the points, on average, and f ± 1.96 where it is widest; log evidence −6.11.'
    """

    script, files = "band", ("number.js", "linear.js", "curve.js")
    parameters = {
        "kernel": partial(checked_name, known=KERNELS),
        "width": checked_number,
        "sigma": partial(checked_number, least=0.05, largest=5),
        "tau": partial(checked_number, least=0.05, largest=5),
    }

    def __init__(self, points, kernel="rbf", width=1.0, sigma=0.3, tau=1.0, box=(0, 10, -3, 3)):
        super().__init__(points, box, kernel=kernel, width=width, sigma=sigma, tau=tau)

    def posterior(self, points, x, **choice):
        """Mean and standard deviation at each place of x, and the log evidence."""
        settings = {**self.settings, **choice}
        kernel, tau = KERNELS[settings["kernel"]](settings["width"]), settings["tau"]
        ridge, (at, y) = (settings["sigma"] / tau) ** 2, np.transpose(points)
        smoother = KernelRidge(kernel, ridge).fit(at[:, None], np.eye(len(at)))
        weights, A = smoother.predict(x[:, None]), kernel(at[:, None]) + ridge * np.eye(len(at))
        variance = 1 - (weights * kernel(x[:, None], at[:, None])).sum(axis=1)
        fit, charge = y @ smoother.dual_coef_ @ y / tau**2, np.linalg.slogdet(A)[1]
        evidence = -(fit + charge + len(at) * np.log(2 * np.pi * tau**2)) / 2
        return weights @ y, tau * np.sqrt(np.maximum(variance, 0)), evidence

    def draw(self, points, **choice):
        """The figure for these points and a choice of the sliders."""
        x = np.linspace(*self.box[:2], 201)
        mean, sd, _ = self.posterior(points, x, **choice)
        figure, ax = empty_axes(self)
        ax.fill_between(x, mean - SPREAD * sd, mean + SPREAD * sd, color=BAND, linewidth=0)
        ax.plot(x, mean, **FIT)
        ax.plot(*np.transpose(points), **DOTS)
        return figure

    def describe(self, points, **choice):
        """The result in words for these points and a choice of the sliders."""
        at = np.array([x for x, _ in points])
        _, sd, evidence = self.posterior(points, np.concatenate([at, np.linspace(*self.box[:2], 201)]), **choice)
        return (
            f"The band is f ± {decimals(SPREAD * sd[: len(at)].mean())} at the points, on average, and "
            f"f ± {decimals(SPREAD * sd[len(at) :].max())} where it is widest; log evidence {decimals(evidence)}."
        )

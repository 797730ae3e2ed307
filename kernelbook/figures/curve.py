"""A curve through points that a reader moves: kernel ridge regression, and the band of a Gaussian process around it.

``browser/curve.js`` is the twin; both draw the same pictures and say the same words for the same points.
"""

from dataclasses import dataclass
from functools import partial
from numbers import Real

import numpy as np
from scipy.linalg import cho_solve

from kernelbook.figures.controls import text_of
from kernelbook.figures.plane import (
    DOTS,
    THIN,
    MovablePoints,
    checked_name,
    checked_number,
    decimals,
    empty_axes,
    place_of_largest,
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
LEAST_PIVOT = 1e-8  # squared distance of k(x_i, ·) from the span of the others below which norms lose their digits
# what the other points expect at the place of a point
OTHERS = {"marker": "o", "linestyle": "none", "markersize": 5.8, "markeredgewidth": 1.1}
OTHERS |= {"markerfacecolor": PANEL, "markeredgecolor": GREY}


def checked_ridge(value, name):
    """The value as a float; ValueError if it is neither 0 nor a number of at least 10⁻⁴."""
    return 0.0 if isinstance(value, Real) and value == 0 else checked_number(value, name, least=LEAST_RIDGE)


class Curve(MovablePoints):
    """The kernel ridge regression f through points (x, y), with what the other points expect at each place.

    minimise over f in H    Σ_i (y_i − f(x_i))² + λ ‖f‖²

    A hollow dot is the value at x_i of the f that is fitted without the point i. With λ = 0 it is the interpolant of
    least norm, and the words say what the norm is without the point that costs most. No interpolant is drawn where two
    points stand at one place, or are so close for the kernel that the norm would lose its digits.

    Parameters
    ----------
    points : list of pairs (x, y), multiples of 0.1
    kernel : "rbf", "matern" (ν = 3/2), "laplacian", "rational" (quadratic, α = 1) or "periodic", default "rbf"
    width : float > 0, default 1; ℓ in exp(−r²/2), (1 + √3 r) exp(−√3 r), exp(−r), 1 / (1 + r²/2) and
        exp(−2 sin²(r/2)), of period 2πℓ, with r = |x − x'| / ℓ
    ridge_lambda : float, 0 or at least 10⁻⁴, default 0.1; λ
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
    >>> three.describe(three.points, ridge_lambda=0)
    'The norm of f is 1.69; without the point at x = 2, which costs most, it would be 0.00.'
    """

    script, files = "curve", ("number.js", "linear.js", "curve.js")
    parameters = {  # each with the function that checks a value
        "kernel": partial(checked_name, known=KERNELS),
        "width": checked_number,
        "ridge_lambda": checked_ridge,
    }

    def __init__(self, points, kernel="rbf", width=1.0, ridge_lambda=0.1, box=(0, 10, -3, 3)):
        super().__init__(points, box, kernel=kernel, width=width, ridge_lambda=ridge_lambda)

    def fit(self, points, **choice):
        """The regression through these points, as a Fitted, or None if no interpolant is drawn."""
        settings = {**self.settings, **choice}
        kernel, ridge = KERNELS[settings["kernel"]](settings["width"]), settings["ridge_lambda"]
        x, y = np.transpose(points)
        try:
            L = np.linalg.cholesky(kernel(x[:, None]) + ridge * np.eye(len(x)))
        except np.linalg.LinAlgError:
            return None
        if (np.square(np.diag(L)) < LEAST_PIVOT).any():
            return None
        c, inverse = cho_solve((L, True), y), np.diag(cho_solve((L, True), np.eye(len(x))))
        f = RKHSFunction(kernel, x[:, None], c)
        return Fitted(f, c / inverse, (1 - ridge * inverse).sum(), f.norm(), c**2 / inverse)

    def draw(self, points, **choice):
        """The figure for these points and a choice of the sliders."""
        fitted, (at, y) = self.fit(points, **choice), np.transpose(points)
        figure, ax = empty_axes(self)
        if fitted:
            others = y - fitted.left_out
            for place, value, expected in zip(at, y, others, strict=True):
                ax.plot([place, place], [value, expected], **THIN)
            ax.plot(at, others, **OTHERS)
            x = np.linspace(*self.box[:2], 201)
            ax.plot(x, fitted.f(x[:, None]), **FIT)
        ax.plot(at, y, **DOTS)
        return figure

    def numbers(self, points, **choice):
        """The numbers of which a task may speak: points, and the norm of f, 0 if none is drawn."""
        fitted = self.fit(points, **choice)
        return {"points": len(points), "norm": fitted.norm if fitted else 0}

    def describe(self, points, **choice):
        """The result in words for these points and a choice of the sliders."""
        fitted, x = self.fit(points, **choice), [x for x, _ in points]
        if not fitted:
            close = "some points are too close for this kernel"
            return f"No f is drawn: {'two points stand at one place' if len(set(x)) < len(x) else close}."
        if {**self.settings, **choice}["ridge_lambda"] == 0:
            dearest = place_of_largest(fitted.prices)
            left = np.sqrt(max(fitted.norm**2 - fitted.prices[dearest], 0))
            return (
                f"The norm of f is {decimals(fitted.norm)}; without the point at x = {text_of(x[dearest])}, "
                f"which costs most, it would be {decimals(left)}."
            )
        error = np.sqrt(np.mean(np.square(fitted.left_out)))
        return (
            f"Degrees of freedom {decimals(fitted.freedom)} of {len(points)}; leave-one-out error {decimals(error)}; "
            f"norm of f {decimals(fitted.norm)}."
        )


@dataclass(frozen=True)
class Fitted:
    """A fitted curve, and the numbers that its figure shows.

    Attributes
    ----------
    f : RKHSFunction
    left_out : (n,) array, the leave-one-out residuals c_i / [(K + λI)⁻¹]_ii
    freedom : float, the degrees of freedom tr K(K + λI)⁻¹
    norm : float, ‖f‖
    prices : (n,) array, c_i² / [(K + λI)⁻¹]_ii; for λ = 0, by how much ‖f‖² falls without the point i
    """

    f: RKHSFunction
    left_out: np.ndarray
    freedom: float
    norm: float
    prices: np.ndarray


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

"""A one-class machine whose points a reader moves; ``browser/one_class.js`` is its twin.

Both draw the same picture and say the same words for the same points.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from kernelbook.figures.classifier import EDGE_TOLERANCE
from kernelbook.figures.components import PlanePoints
from kernelbook.figures.kernels import KERNELS
from kernelbook.figures.plane import DOTS, checked_name, checked_number, decimals, draw_dial, empty_axes, plane_grid
from kernelbook.plotting.palette import BAND
from kernelbook.plotting.style import BOUND, FIT, POSITIVE, SUPPORT
from kernelbook.svm import OneClassSVM

BELLS = ("rbf", "laplacian")  # kernels with k(x, x) = 1, for which half-space and ball are the same
MOST_NU = 0.95  # near 1 every α is at its bound, and nothing holds ρ


class OneClass(PlanePoints):
    """The one-class machine of points of the plane: the area where f ≥ ρ, and the points on its edge and outside.

    minimise over f in H, ρ in R    ½ ‖f‖² − νnρ + Σ_i max(0, ρ − f(x_i))

    The arc around a point is its α, between 0 and 1, and a whole circle is 1. Rings mark the points on the edge, where
    f = ρ, and diamonds those outside. R is the radius of the smallest ball with slack in feature space, which is the
    same machine.

    Parameters
    ----------
    points : list of pairs, multiples of 0.1
    kernel : "rbf" or "laplacian", default "rbf"
    nu : float > 0, at most 0.95, default 0.2
    gamma : float > 0, default 1
    box : (west, east, south, north), default (−3, 3, −2.5, 2.5), the visible part of the plane, multiples of 0.1; no
        point leaves it

    A slider or buttons for kernel, nu or gamma take precedence.

    Raises
    ------
    ValueError : points that are not pairs of multiples of 0.1, or lie outside the box; a box without an inside; an
        unknown kernel; a nu or gamma out of its range

    >>> three = OneClass([(0, 0), (0.5, 0), (3, 0)], nu=0.8)
    >>> three.describe(three.points)
    'Points inside 0, on the edge 2, outside 1, where νn = 2.40; ρ = 1.25, squared radius 0.44.'
    """

    script = "oneClass"
    files = ("number.js", "kernels.js", "linear.js", "dual.js", "levels.js", "one_class.js")
    parameters = {  # each with the function that checks a value
        "kernel": partial(checked_name, known=BELLS),
        "nu": partial(checked_number, largest=MOST_NU),
        "gamma": checked_number,
    }

    def __init__(self, points, kernel="rbf", nu=0.2, gamma=1.0, box=(-3, 3, -2.5, 2.5)):
        super().__init__(points, box, kernel=kernel, nu=nu, gamma=gamma)

    def fit(self, points, **choice):
        """The machine of these points, as a Fitted."""
        settings, X = {**self.settings, **choice}, np.array(points)
        kernel = KERNELS[settings["kernel"]](settings["gamma"])
        machine = OneClassSVM(kernel, settings["nu"], tol=1e-10).fit(X)
        alpha = np.zeros(len(X))
        alpha[machine.support_] = machine.dual_coef_[0]
        return Fitted(machine, alpha, kernel(X) @ alpha, machine.nu * len(X))

    def draw(self, points, **choice):
        """The figure for these points and a choice of the sliders."""
        fitted, at = self.fit(points, **choice), np.array(points)
        figure, ax = empty_axes(self)
        across, up, grid = plane_grid(self.box)
        above = fitted.machine.decision_function(grid).reshape(len(up), len(across))
        if above.max() > 0:  # not so where only peaks between the places of the grid reach ρ
            ax.contourf(across, up, above, [0, 1e12], colors=[BAND])
            ax.contour(across, up, above, [0], colors=[FIT["color"]], linewidths=FIT["linewidth"])
        for place, share in zip(points, fitted.alpha, strict=True):
            if share > EDGE_TOLERANCE:
                draw_dial(ax, self, place, share, POSITIVE["color"])
        for marked, style, size in ((fitted.on_edge, SUPPORT, 15.1), (fitted.outside, BOUND, 13.2)):
            ax.plot(*at[marked].T, **{**style, "markersize": size, "clip_on": False})
        ax.plot(*at.T, **DOTS)
        return figure

    def numbers(self, points, **choice):
        """The numbers of which a task may speak: points, how many are outside, nu and gamma."""
        settings, outside = {**self.settings, **choice}, int(self.fit(points, **choice).outside.sum())
        return {"points": len(points), "outside": outside, "nu": settings["nu"], "gamma": settings["gamma"]}

    def describe(self, points, **choice):
        """The result in words for these points and a choice of the sliders."""
        fitted = self.fit(points, **choice)
        outside, on_edge = fitted.outside.sum(), fitted.on_edge.sum()
        return (
            f"Points inside {len(points) - outside - on_edge}, on the edge {on_edge}, outside {outside}, where νn = "
            f"{decimals(fitted.total)}; ρ = {decimals(fitted.machine.offset_)}, "
            f"squared radius {decimals(fitted.squared_radius)}."
        )


@dataclass(frozen=True)
class Fitted:
    """A fitted one-class machine, and the numbers that its figure shows.

    Attributes
    ----------
    machine : fitted OneClassSVM
    alpha, f : (n,) arrays, α and the value of f at each point
    total : float, νn, the sum of the α
    """

    machine: OneClassSVM
    alpha: np.ndarray
    f: np.ndarray
    total: float

    @property
    def outside(self):
        return self.f < self.machine.offset_ - EDGE_TOLERANCE

    @property
    def on_edge(self):
        return np.abs(self.f - self.machine.offset_) <= EDGE_TOLERANCE

    @property
    def squared_radius(self):
        return 1 + self.alpha @ self.f / self.total**2 - 2 * self.machine.offset_ / self.total

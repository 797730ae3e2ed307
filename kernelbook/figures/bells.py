"""A function in the RKHS of the RBF kernel as a sum of bells, which a reader moves; ``browser/bells.js`` is its twin.

Both draw the same picture and say the same words for the same points.
"""

import numpy as np

from kernelbook.figures.controls import text_of
from kernelbook.figures.plane import (
    DOTS,
    HEIGHT,
    THIN,
    WIDTH,
    checked_box,
    checked_number,
    checked_points,
    decimals,
    empty_axes,
    plane_given,
)
from kernelbook.kernels import RBF
from kernelbook.plotting.style import FIT, GUIDE
from kernelbook.rkhs.functions import RKHSFunction


class Bells:
    """f = Σ_i a_i k(x_i, ·) with k(x, x') = exp(−γ (x − x')²): a point (x_i, a_i) for each bell.

    The dashed lines are f(0) ± ‖f‖ d(x, 0), with the distance d in feature space; f stays between them.

    Parameters
    ----------
    points : list of pairs (centre, weight), multiples of 0.05
    gamma : float > 0, default 1; a slider of that name takes precedence
    box : (west, east, south, north), default (−3, 5, −3, 3), the visible part of the plane, multiples of 0.05; no
        point leaves it

    Raises
    ------
    ValueError : points that are not pairs of multiples of 0.05, or lie outside the box; a box without an inside; a
        gamma that is not positive

    >>> two = Bells([(0, 1), (1, -0.5)])
    >>> two.describe(two.points)
    'The norm is 0.94; f(0) = 0.82, f(1) = −0.13.'
    >>> two.describe([(0, 1), (3, -0.5)])  # as if the second had been moved
    'The norm is 1.12; f(0) = 1.00, f(3) = −0.50.'
    """

    script, files = "bells", ("bells.js",)
    parameters = {"gamma": checked_number}  # each with the function that checks a value
    coordinates = ("centre", "weight")
    step = 0.05

    def __init__(self, points, gamma=1.0, box=(-3, 5, -3, 3)):
        self.gamma, self.box = checked_number(gamma, "gamma"), checked_box(box, self.step)
        self.points = checked_points(points, self.box, self.step)
        self.names = [f"bell {i + 1}" for i in range(len(self.points))]
        self.size, self.labels = (WIDTH, HEIGHT), ("x", "f(x)")

    def given(self):
        """What the page's script has to know."""
        return {"points": self.points, "gamma": self.gamma, **plane_given(self)}

    def function(self, points, gamma=None):
        """The sum of the bells as an RKHSFunction."""
        centres, weights = np.transpose(points)
        return RKHSFunction(RBF(self.gamma if gamma is None else gamma), centres[:, None], weights)

    def draw(self, points, **choice):
        """The figure for these points and a choice of the sliders."""
        f = self.function(points, **choice)
        figure, ax = empty_axes(self)
        x = np.linspace(*self.box[:2], 201)[:, None]
        for centre, weight in points:
            ax.plot(x, weight * f.kernel(x, [[centre]]), **THIN)
        reach = f.norm() * f.kernel.distance(x, [[0.0]])[:, 0]
        for sign in (-1, 1):
            ax.plot(x, f([[0.0]]) + sign * reach, **GUIDE)
        ax.plot(x, f(x), **FIT)
        ax.plot(*np.transpose(points), **DOTS)
        return figure

    def describe(self, points, **choice):
        """The result in words for these points and a choice of the sliders."""
        f = self.function(points, **choice)
        values = f(f.points)
        told = (f"f({text_of(x)}) = {decimals(value)}" for (x, _), value in zip(points, values, strict=True))
        return f"The norm is {decimals(f.norm())}; {', '.join(told)}."

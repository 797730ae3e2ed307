"""Support vector regression through points that a reader moves; ``browser/tube.js`` is its twin.

Both draw the same picture and say the same words for the same points.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from kernelbook.figures.classifier import EDGE_TOLERANCE
from kernelbook.figures.plane import DOTS, PADDING, MovablePoints, checked_name, checked_number, decimals, empty_axes
from kernelbook.kernels import RBF, Linear
from kernelbook.plotting.style import BOUND, FIT, GUIDE, POSITIVE, SUPPORT
from kernelbook.rkhs.functions import RKHSFunction
from kernelbook.svm import SVR

KERNELS = ("linear", "rbf")
FORCE = {"color": POSITIVE["color"], "linewidth": 2.2}
LONGEST, HEAD = 50, 6  # pixels: the arrow of the force C, and the size of its head
MAX_C = 1e3  # with a larger C the objective could differ from the page's in the digits that are shown


class Tube(MovablePoints):
    """The support vector regression f + b through points (x, y), its tube, and the forces of the points.

    minimise over f in H, b in R    ½ ‖f‖² + C Σ_i max(0, |y_i − f(x_i) − b| − ε)

    An arrow at the curve is the force β_i with which the point pulls it, up or down; the longest arrows are C. Rings
    mark the points on the edge, and diamonds those outside. If b is not unique, picture and words belong to the middle
    of the possible b. If points on the edge can share their forces in more than one way, as three on one straight edge
    can, the arrows show one of these ways.

    Parameters
    ----------
    points : list of pairs (x, y), multiples of 0.1
    kernel : "linear" or "rbf", default "linear"
    C : float > 0, at most 10³, default 1; a slider of that name takes precedence
    epsilon : float ≥ 10⁻³, default 0.5; a slider of that name takes precedence
    gamma : float > 0, default 1, of the RBF kernel alone; a slider of that name takes precedence
    box : (west, east, south, north), default (−3, 3, −4, 4), the visible part of the plane, multiples of 0.1; no
        point leaves it

    Raises
    ------
    ValueError : points that are not pairs of multiples of 0.1, or lie outside the box; a box without an inside; an
        unknown kernel; a C, epsilon or gamma out of its range

    >>> three = Tube([(-1, -1.5), (0, 0), (1, 3)])
    >>> three.describe(three.points)
    'Points inside the tube 0, on its edge 2, outside 1; norm of f 1.50; objective 1.63.'
    >>> three.fit(three.points).beta.round(3)
    array([-0.5, -0.5,  1. ])
    """

    script, files = "tube", ("number.js", "kernels.js", "linear.js", "dual.js", "tube.js")

    def __init__(self, points, kernel="linear", C=1.0, epsilon=0.5, gamma=1.0, box=(-3, 3, -4, 4)):
        self.kernel = checked_name(kernel, "kernel", KERNELS)
        bell = {} if kernel == "linear" else {"gamma": gamma}
        super().__init__(points, box, C=C, epsilon=epsilon, **bell)

    @property
    def parameters(self):
        """The parameters that may have a slider, each with the function that checks a value."""
        both = {"C": partial(checked_number, largest=MAX_C), "epsilon": partial(checked_number, least=1e-3)}
        return both if self.kernel == "linear" else {**both, "gamma": checked_number}

    def given(self):
        """What the page's script has to know."""
        return {"kernel": self.kernel, **super().given()}

    def fit(self, points, **choice):
        """The regression through these points, as a Fitted."""
        settings, (x, y) = {**self.settings, **choice}, np.transpose(points)
        kernel = Linear() if self.kernel == "linear" else RBF(settings["gamma"])
        machine = SVR(kernel, settings["C"], settings["epsilon"], tol=1e-9).fit(x[:, None], y)
        beta = np.zeros(len(y))
        beta[machine.support_] = machine.dual_coef_[0]
        norm = RKHSFunction(kernel, x[:, None], beta).norm()
        return Fitted(machine, beta, norm, np.abs(y - machine.predict(x[:, None])) - settings["epsilon"])

    def draw(self, points, **choice):
        """The figure for these points and a choice of the sliders."""
        fitted, at = self.fit(points, **choice), np.array(points)
        figure, ax = empty_axes(self)
        x, machine = np.linspace(*self.box[:2], 201), fitted.machine
        for sign in (-1, 1):
            ax.plot(x, machine.predict(x[:, None]) + sign * machine.epsilon, **GUIDE)
        ax.plot(x, machine.predict(x[:, None]), **FIT)
        for place, value, force in zip(at[:, 0], machine.predict(at[:, :1]), fitted.beta / machine.C, strict=True):
            if abs(force) > EDGE_TOLERANCE:
                ax.plot(*self._arrow(place, value, force), **FORCE)
        for marked, style, size in ((fitted.on_edge, SUPPORT, 15.1), (fitted.outside, BOUND, 13.2)):
            ax.plot(*at[marked].T, **{**style, "markersize": size, "clip_on": False})
        ax.plot(*at.T, **DOTS)
        return figure

    def _arrow(self, x, foot, force):
        """An arrow from the curve up or down, for a force in units of C, as a line."""
        (west, east, south, north), (width, height) = self.box, self.size
        left, right, below, above = PADDING
        across, up = (east - west) / (width - left - right), (north - south) / (height - below - above)  # of a pixel
        side, tip = min(HEAD, LONGEST * abs(force)), foot + LONGEST * force * up
        back = tip - np.sign(force) * side * up
        return [x, x, x - side * across, x, x + side * across], [foot, tip, back, tip, back]

    def describe(self, points, **choice):
        """The result in words for these points and a choice of the sliders."""
        fitted = self.fit(points, **choice)
        outside, on_edge = fitted.outside.sum(), fitted.on_edge.sum()
        return (
            f"Points inside the tube {len(points) - outside - on_edge}, on its edge {on_edge}, outside {outside}; "
            f"norm of f {decimals(fitted.norm)}; objective {decimals(fitted.objective)}."
        )


@dataclass(frozen=True)
class Fitted:
    """A fitted tube, and the numbers that its figure shows.

    Attributes
    ----------
    machine : fitted SVR
    beta : (n,) array, the force of each point
    norm : float, ‖f‖
    beyond : (n,) array, how far each point lies beyond the edge of the tube; negative inside
    """

    machine: SVR
    beta: np.ndarray
    norm: float
    beyond: np.ndarray

    @property
    def outside(self):
        return self.beyond > EDGE_TOLERANCE

    @property
    def on_edge(self):
        return np.abs(self.beyond) <= EDGE_TOLERANCE

    @property
    def objective(self):
        return self.norm**2 / 2 + self.machine.C * self.beyond[self.outside].sum()

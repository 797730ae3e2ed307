"""A support vector classifier whose points a reader moves; ``browser/classifier.js`` is its twin.

Both draw the same picture and say the same words for the same points.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from kernelbook.figures.kernels import KERNELS
from kernelbook.figures.plane import (
    checked_box,
    checked_name,
    checked_number,
    checked_points,
    checked_settings,
    decimals,
    draw_dial,
    empty_axes,
    plane_given,
    plane_grid,
    plane_size,
    room_of,
)
from kernelbook.inputs.missing_values import unmasked
from kernelbook.inputs.validation import quoted
from kernelbook.plotting.decisions import sides
from kernelbook.plotting.style import BOUND, NEGATIVE, PANEL, POSITIVE, REGIONS, SUPPORT
from kernelbook.rkhs.functions import RKHSFunction
from kernelbook.svm import SVC

MARK_EDGE = {"markeredgecolor": PANEL, "markeredgewidth": 0.8}
EDGE_TOLERANCE = 1e-6  # a point with |y f − 1| below this is on the edge of the strip; as in dual.js
CONSTANT_TOLERANCE = 1e-6  # an f that differs by less between the points has w = 0; as in classifier.js
WITH_CLASSES = ("number.js", "kernels.js", "linear.js", "levels.js", "classes.js")
MAX_C = 1e4  # with a larger C the objective could differ from the page's in the digits that are shown


class Classifier:
    """A support vector classifier of two classes in the plane, circles (y = 1) and squares (y = −1).

    The arc around a point is its α, and a whole circle is C. Rings mark the points on the edge of the strip, where
    y f = 1, and diamonds the points with slack. Which points on the edge have α > 0 may differ from solution to
    solution, so neither mark shows α, and the arcs show one of the solutions. If no point has 0 < α < C, b and with it
    edge and slack may differ too; the picture and the words then belong to the middle of the possible b.

    Parameters
    ----------
    points : list of pairs, multiples of 0.1
    y : list of labels ±1, one for each point
    kernel : "linear", "quadratic", (1 + ⟨x, x'⟩)², "rbf" or "laplacian", default "linear"
    C : float > 0, at most 10⁴, default 1
    gamma : float > 0, default 1, of the last two kernels; the others do not ask for it
    box : (west, east, south, north), default (−3, 3, −2.5, 2.5), the visible part of the plane, multiples of 0.1; no
        point leaves it

    A slider or buttons for kernel, C or gamma take precedence.

    Raises
    ------
    ValueError : points that are not pairs of multiples of 0.1, or lie outside the box; a box without an inside; labels
        that are not ±1, not one for each point, or all alike; an unknown kernel; a C or gamma out of its range

    >>> three = Classifier([(-1, 0), (0, 1), (1, 0)], [1, 1, -1])
    >>> three.describe(three.points)
    'Points on the edge 3, with slack 0; training errors 0; full margin 1.41; objective 1.00.'
    >>> three.describe([(-1, 0), (0.5, 0.5), (1, 0)])  # as if the second had been moved
    'Points on the edge 0, with slack 2; training errors 1; full margin 2.83; objective 1.75.'
    """

    script, files = "classifier", (*WITH_CLASSES, "dual.js", "classifier.js")
    coordinates = labels = ("x₁", "x₂")
    step = 0.1
    parameters = {  # each with the function that checks a value
        "kernel": partial(checked_name, known=KERNELS),
        "C": partial(checked_number, largest=MAX_C),
        "gamma": checked_number,
    }

    def __init__(self, points, y, kernel="linear", C=1.0, gamma=1.0, box=(-3, 3, -2.5, 2.5)):
        self.settings = checked_settings(self, kernel=kernel, C=C, gamma=gamma)
        self.box = checked_box(box, self.step)
        self.points = checked_points(points, self.box, self.step)
        self.y = checked_labels(y, len(self.points))
        width, height = plane_size(self.box)
        self.size = width, height + room_of(self)
        self.names = [self._name(i) for i in range(len(self.points))]

    def given(self):
        """What the page's script has to know."""
        kinds = [int(label < 0) for label in self.y]
        return {"points": self.points, "kinds": kinds, "grows": True, **self.settings, **plane_given(self)}

    def _name(self, i):
        return f"{'circle' if self.y[i] > 0 else 'square'} {self.y[: i + 1].count(self.y[i])}"

    def fit(self, points, **choice):
        """The classifier of these points, as a Fitted."""
        settings, X, y = {**self.settings, **choice}, np.array(points), np.array(self.y)
        kernel = KERNELS[settings["kernel"]](settings["gamma"])
        machine = SVC(kernel, C=settings["C"], tol=1e-10).fit(X, y)
        f = machine.decision_function(X)
        w = RKHSFunction(kernel, machine.support_vectors_, machine.dual_coef_[0])
        return Fitted(machine, w.norm() if np.ptp(f) > CONSTANT_TOLERANCE else 0.0, y * f)

    def draw(self, points, **choice):
        """The figure for these points and a choice of the sliders."""
        fitted = self.fit(points, **choice)
        figure, ax = empty_axes(self)
        self._draw_sides(ax, fitted.machine.decision_function if fitted.length else None, fitted.b)
        self._draw_points(ax, points, fitted.shares, fitted.on_edge, fitted.slack > 0)
        return figure

    def _draw_sides(self, ax, f, b):
        """The sides of f = 0, and the lines f = −1, 0 and 1; where f is None, the value b is everywhere."""
        across, up, grid = plane_grid(self.box)
        if f is not None:
            sides(ax, (across, up), f(grid).reshape(len(up), len(across)))
        elif abs(b) > CONSTANT_TOLERANCE:
            ax.set_facecolor(REGIONS[int(b > 0)])

    def _draw_points(self, ax, points, shares, ringed, with_diamonds):
        """The points, with arcs for these shares of C, and with rings and diamonds where they are True."""
        for at, label, share in zip(points, self.y, shares, strict=True):
            if share > EDGE_TOLERANCE:
                draw_dial(ax, self, at, share, (POSITIVE if label > 0 else NEGATIVE)["color"])
        for marked, style, size in (
            (ringed, SUPPORT, 15.1),
            (with_diamonds, BOUND, 13.2),
            (np.less(self.y, 0), NEGATIVE, 7.9),
            (np.greater(self.y, 0), POSITIVE, 8.6),
        ):
            style = {**MARK_EDGE, **style, "linestyle": "none", "markersize": size, "clip_on": False}
            ax.plot(*np.array(points)[marked].T, **style)

    def numbers(self, points, **choice):
        """The numbers of which a task may speak: points, training errors, and 1 if a straight line separates."""
        errors = self.fit(points, **choice).errors
        return {"points": len(points), "errors": errors, "separable": int(is_separable(points, self.y))}

    def describe(self, points, **choice):
        """The result in words for these points and a choice of the sliders."""
        fitted = self.fit(points, **choice)
        line = f"no line, f = {decimals(fitted.b)} everywhere"
        if fitted.length:
            line = f"full margin {decimals(2 / fitted.length)}"
        return (
            f"Points on the edge {fitted.on_edge.sum()}, with slack {(fitted.slack > 0).sum()}; "
            f"training errors {fitted.errors}; {line}; objective {decimals(fitted.objective)}."
        )


@dataclass(frozen=True)
class Fitted:
    """A fitted classifier, and the numbers that its figure shows.

    Attributes
    ----------
    machine : fitted SVC
    length : float, ‖w‖; 0 if f is constant, as where one class lies inside the other
    margin : (n,) array, y f at each point
    """

    machine: SVC
    length: float
    margin: np.ndarray

    @property
    def b(self):
        return self.machine.intercept_[0]

    @property
    def shares(self):
        """α / C of each point."""
        shares = np.zeros(len(self.margin))
        shares[self.machine.support_] = np.abs(self.machine.dual_coef_[0]) / self.machine.C
        return shares

    @property
    def slack(self):
        return np.where(self.margin < 1 - EDGE_TOLERANCE, 1 - self.margin, 0)

    @property
    def on_edge(self):
        return np.abs(self.margin - 1) <= EDGE_TOLERANCE

    @property
    def errors(self):
        return int((self.margin <= EDGE_TOLERANCE).sum())

    @property
    def objective(self):
        return self.length**2 / 2 + self.machine.C * self.slack.sum()


def checked_labels(y, count):
    """The labels as a list of +1 and −1; ValueError if there are others, or not both."""
    labels = np.asarray(unmasked(y, "y"))
    if labels.shape != (count,) or set(labels.tolist()) != {1, -1}:
        raise ValueError(f"y must hold a label +1 or −1 for each of the {count} points, and both, got {quoted(y)}.")
    return [int(label) for label in labels]


def is_separable(points, y):
    """Whether a straight line separates the classes.

    The shortest link between their hulls joins two points, or a point and an edge, so some line that separates is
    perpendicular to a link of two points or parallel to one.
    """
    X, positive = np.array(points), np.greater(y, 0)
    links = (X[:, None] - X).reshape(-1, 2)
    along = X @ np.vstack([links, links[:, ::-1] * (1, -1)]).T
    high, low = along[positive], along[~positive]
    apart = (low.max(axis=0) < high.min(axis=0) - 1e-6) | (high.max(axis=0) < low.min(axis=0) - 1e-6)
    return bool(apart.any())

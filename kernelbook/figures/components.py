"""Kernel principal components of points that a reader moves; ``browser/components.js`` is the twin.

Both draw the same picture and say the same words for the same points.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from kernelbook.components import KernelPCA
from kernelbook.figures.kernels import KERNELS
from kernelbook.figures.plane import (
    DOTS,
    FALLING,
    THIN,
    MovablePoints,
    checked_name,
    checked_number,
    decimals,
    empty_axes,
    plane_grid,
)
from kernelbook.plotting.style import FIT

ORDINALS = ("first", "second")
LEAST_EIGENVALUE = 1e-9  # a smaller one, in units of the largest k(x, x), counts as 0; as in components.js
SAME_EIGENVALUE = 1e-6  # two that differ by less, in units of the largest, count as equal; as in components.js


class PlanePoints(MovablePoints):
    """Points of the plane, with a kernel."""

    coordinates = labels = ("x₁", "x₂")
    has_one_unit = True


class Components(PlanePoints):
    """The first or second kernel principal component of points of the plane, by its lines of equal height.

    The component is h(x) = ⟨v, φ(x) − φ̄⟩ for the unit vector v along which the centred features vary most, or most
    perpendicular to the first. The thick line is h = 0, and the others are half a standard deviation of the points' h
    apart, up to three; dashed lines are below 0. Of two opposite h it is the one of KernelPCA. Where eigenvalues are
    equal, the component is not unique, the words say so, and the picture is one of many.

    Parameters
    ----------
    points : list of pairs, multiples of 0.1
    kernel : "linear", "quadratic", (1 + ⟨x, x'⟩)², "rbf" or "laplacian", default "rbf"
    gamma : float > 0, default 1, of the last two kernels; the others do not ask for it
    component : "first" or "second", default "first"
    box : (west, east, south, north), default (−3, 3, −2.5, 2.5), the visible part of the plane, multiples of 0.1; no
        point leaves it

    A slider or buttons for kernel, gamma or component take precedence.

    Raises
    ------
    ValueError : points that are not pairs of multiples of 0.1, or lie outside the box; a box without an inside; an
        unknown kernel; a gamma or component out of its range

    >>> three = Components([(-1, 0), (0, 0), (1, 0)], kernel="quadratic")
    >>> three.describe(three.points)
    'The first component has 0.86 of the variance; the shares of the first three are 0.86, 0.14, 0.00.'
    >>> three.describe([(0, 0), (0, 0), (0, 0)])
    'There is no first component; the shares of the first three are 0.00, 0.00, 0.00.'
    """

    script, files = "components", ("number.js", "kernels.js", "linear.js", "eigen.js", "levels.js", "components.js")
    parameters = {  # each with the function that checks a value
        "kernel": partial(checked_name, known=KERNELS),
        "gamma": checked_number,
        "component": partial(checked_name, known=ORDINALS),
    }

    def __init__(self, points, kernel="rbf", gamma=1.0, component="first", box=(-3, 3, -2.5, 2.5)):
        super().__init__(points, box, kernel=kernel, gamma=gamma, component=component)

    def fit(self, points, **choice):
        """The component of these points, as a Fitted."""
        settings, X = {**self.settings, **choice}, np.array(points)
        kernel, place = KERNELS[settings["kernel"]](settings["gamma"]), ORDINALS.index(settings["component"])
        if len(set(map(tuple, points))) == 1:
            return Fitted(None, place, np.zeros(3), np.zeros(3))
        machine = KernelPCA(3, kernel).fit(X)
        is_some = machine.eigenvalues_ > LEAST_EIGENVALUE * kernel.diag(X).max()
        mu, shares = (
            np.pad(values * is_some, (0, 3 - len(values)))
            for values in (machine.eigenvalues_, machine.explained_variance_ratio_)
        )
        return Fitted(machine, place, mu, shares)

    def draw(self, points, **choice):
        """The figure for these points and a choice of the sliders."""
        fitted = self.fit(points, **choice)
        figure, ax = empty_axes(self)
        across, up, grid = plane_grid(self.box)
        heights = fitted.height(grid).reshape(len(up), len(across)) if fitted.exists else np.zeros(1)
        if heights.min() < 0 < heights.max():
            steps = np.arange(-6, 7)
            styles = [FALLING if step < 0 else THIN if step > 0 else FIT for step in steps]
            ax.contour(
                *(across, up, heights),
                steps * np.sqrt(fitted.mu[fitted.place] / len(points)) / 2,
                colors=[style["color"] for style in styles],
                linewidths=[style["linewidth"] for style in styles],
                linestyles=[style.get("linestyle", "solid") for style in styles],
            )
        ax.plot(*np.transpose(points), **DOTS)
        return figure

    def numbers(self, points, **choice):
        """The numbers of which a task may speak: points, the first share, and by how much it exceeds the second."""
        first, second, _ = self.fit(points, **choice).shares
        return {"points": len(points), "first": first, "gap": first - second}

    def describe(self, points, **choice):
        """The result in words for these points and a choice of the sliders."""
        fitted = self.fit(points, **choice)
        name, shares = f"{ORDINALS[fitted.place]} component", [decimals(share) for share in fitted.shares]
        has = f"The {name} has {shares[fitted.place]} of the variance" if fitted.exists else f"There is no {name}"
        more = "" if fitted.is_unique or not fitted.exists else " It is not unique."
        return f"{has}; the shares of the first three are {', '.join(shares)}.{more}"


@dataclass(frozen=True)
class Fitted:
    """Fitted components, and the numbers that their figure shows.

    Attributes
    ----------
    machine : fitted KernelPCA, or None if all points are in one place
    place : int, which component is shown, 0 or 1
    mu, shares : (3,) arrays, the first three eigenvalues of the centred Gram matrix, and their shares of its trace
    """

    machine: KernelPCA | None
    place: int
    mu: np.ndarray
    shares: np.ndarray

    @property
    def exists(self):
        return self.mu[self.place] > 0

    @property
    def is_unique(self):
        apart = np.abs(np.delete(self.mu, self.place) - self.mu[self.place])
        return bool((apart > SAME_EIGENVALUE * self.mu[0]).all())

    def height(self, grid):
        """The component at each row of the grid."""
        return self.machine.transform(grid)[:, self.place]

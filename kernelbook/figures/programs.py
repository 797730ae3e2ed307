"""What `drag` can move: each program is written twice, here and as a script in ``figures/browser``.

Both draw the same picture and say the same words for the same points.
"""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import MaxNLocator

from kernelbook.figures import plotting
from kernelbook.figures.controls import text_of
from kernelbook.figures.pictures import INCH
from kernelbook.kernels import RBF, Linear
from kernelbook.rkhs.functions import RKHSFunction
from kernelbook.runtime.validation import check_positive, finite_array, quoted, unmasked
from kernelbook.svm import SVC

WIDTH, FRAME = 480, (60, 12, 52, 12)  # pixels; FRAME is what is left, right, below and above the axes
EDGE = {"markeredgecolor": plotting.PANEL, "markeredgewidth": 0.8}
PART = {"color": "#8c8f94", "linewidth": 1.1}
KERNELS = ("linear", "rbf")
ON_EDGE = 1e-6  # so near to y f = 1 a point is on the edge; this and the next are as in svc.js
CONSTANT = 1e-6  # where f differs less between points, w = 0
FAR = 1e4  # from there on numbers are written with a power of ten, which the page does not know
MOST_C = 1e4  # beyond it the objective may differ from the page's in the eighth digit, which is said


class Bells:
    """f = Σ_i a_i k(x_i, ·) with k(x, x') = exp(−γ (x − x')²): a point (x_i, a_i) for each bell.

    The dashed lines are f(0) ± ‖f‖ d(x, 0), with the distance d in feature space: between them f must stay.

    Parameters
    ----------
    points : list of pairs (centre, weight), multiples of 0.05
    gamma : float > 0, default 1; a slider of that name goes before
    box : (west, east, south, north), default (−3, 5, −3, 3), the part of the plane that is shown, multiples of 0.05; no
        point leaves it

    Raises
    ------
    ValueError : points that are no pairs of multiples of 0.05 or lie outside the box; a box without an inside; a gamma
        that is not positive

    >>> two = Bells([(0, 1), (1, -0.5)])
    >>> two.describe(two.points)
    'The norm is 0.94; f(0) = 0.82, f(1) = −0.13.'
    >>> two.describe([(0, 1), (3, -0.5)])  # as if the second had been moved
    'The norm is 1.12; f(0) = 1.00, f(3) = −0.50.'
    """

    script, parameters = "bells", {"gamma": np.inf}
    coordinates = ("centre", "weight")
    step = 0.05

    def __init__(self, points, gamma=1.0, box=(-3, 5, -3, 3)):
        self.gamma, self.box = checked_number(gamma, "gamma"), checked_box(box, self.step)
        self.points = checked_points(points, self.box, self.step)
        self.names = [f"bell {i + 1}" for i in range(len(self.points))]
        self.size, self.labels = (WIDTH, 340), ("x", "f(x)")

    def given(self):
        """What the page's script needs to know."""
        return {"points": self.points, "gamma": self.gamma, **plane(self)}

    def function(self, points, gamma=None):
        """The bells as one RKHSFunction."""
        centres, weights = np.transpose(points)
        return RKHSFunction(RBF(self.gamma if gamma is None else gamma), centres[:, None], weights)

    def draw(self, points, **choice):
        f = self.function(points, **choice)
        figure, ax = axes(self)
        x = np.linspace(*self.box[:2], 201)[:, None]
        for centre, weight in points:
            ax.plot(x, weight * f.kernel(x, [[centre]]), **PART)
        reach = f.norm() * f.kernel.distance(x, [[0.0]])[:, 0]
        for sign in (-1, 1):
            ax.plot(x, f([[0.0]]) + sign * reach, **plotting.GUIDE)
        ax.plot(x, f(x), **plotting.FIT)
        ax.plot(*np.transpose(points), **{**plotting.OBSERVED, "markersize": 9.4}, clip_on=False)
        return figure

    def describe(self, points, **choice):
        f = self.function(points, **choice)
        values = f(f.points)
        places = (f"f({text_of(x)}) = {decimals(value)}" for (x, _), value in zip(points, values, strict=True))
        return f"The norm is {decimals(f.norm())}; {', '.join(places)}."


class Classifier:
    """A support vector classifier of two classes in the plane, circles (y = 1) and squares (y = −1).

    Rings mark the points on the edge of the strip, where y f = 1, diamonds those with slack. Which points of the edge
    have α > 0 may differ from solution to solution, so neither mark says it. If no point has 0 < α < C, b may differ
    too, and with it edge and slack; what is drawn and said then belongs to the middle of the b that are possible.

    Parameters
    ----------
    points : list of pairs, multiples of 0.1
    y : list of labels ±1, one for each
    kernel : "linear" or "rbf", default "linear"
    C : float > 0, at most 10⁴, default 1; a slider of that name goes before
    gamma : float > 0, default 1, of the RBF kernel alone; a slider of that name goes before
    box : (west, east, south, north), default (−3, 3, −2.5, 2.5), the part of the plane that is shown, multiples of 0.1;
        no point leaves it

    Raises
    ------
    ValueError : points that are no pairs of multiples of 0.1 or lie outside the box; a box without an inside; labels
        that are not ±1, or not one for each point, or all alike; an unknown kernel; a C or gamma out of its range

    >>> three = Classifier([(-1, 0), (0, 1), (1, 0)], [1, 1, -1])
    >>> three.describe(three.points)
    'Points on the edge 3, with slack 0; training errors 0; full margin 1.41; objective 1.00.'
    >>> three.describe([(-1, 0), (0.5, 0.5), (1, 0)])  # as if the second had been moved
    'Points on the edge 0, with slack 2; training errors 1; full margin 2.83; objective 1.75.'
    """

    script = "svc"
    coordinates = labels = ("x₁", "x₂")
    step = 0.1

    def __init__(self, points, y, kernel="linear", C=1.0, gamma=1.0, box=(-3, 3, -2.5, 2.5)):
        if kernel not in KERNELS:
            raise ValueError(f"kernel must be one of {KERNELS}, got {kernel!r}.")
        self.kernel = kernel
        self.C, self.gamma = checked_number(C, "C", MOST_C), checked_number(gamma, "gamma")
        self.box = west, east, south, north = checked_box(box, self.step)
        self.points = checked_points(points, self.box, self.step)
        self.y = signs(y, len(self.points))
        left, right, below, above = FRAME
        height = (WIDTH - left - right) * (north - south) / (east - west)  # both axes in the same unit
        self.size = (WIDTH, round(height) + below + above)
        self.names = [self._name(i) for i in range(len(self.points))]

    @property
    def parameters(self):
        return {"C": MOST_C} if self.kernel == "linear" else {"C": MOST_C, "gamma": np.inf}

    def given(self):
        """What the page's script needs to know."""
        own = {"y": self.y, "kernel": self.kernel, "C": self.C, "gamma": self.gamma}
        return {"points": self.points, **own, **plane(self)}

    def _name(self, i):
        return f"{'circle' if self.y[i] > 0 else 'square'} {self.y[: i + 1].count(self.y[i])}"

    def fit(self, points, C=None, gamma=None):
        C, X, y = self.C if C is None else C, np.array(points), np.array(self.y)
        kernel = Linear() if self.kernel == "linear" else RBF(self.gamma if gamma is None else gamma)
        machine = SVC(kernel, C=C, tol=1e-10).fit(X, y)
        f = machine.decision_function(X)
        w = RKHSFunction(kernel, machine.support_vectors_, machine.dual_coef_[0])
        return Fitted(machine, w.norm() if np.ptp(f) > CONSTANT else 0.0, y * f)

    def draw(self, points, **choice):
        found = self.fit(points, **choice)
        figure, ax = axes(self)
        west, east, south, north = self.box
        across, up = np.linspace(west, east, 81), np.linspace(south, north, 68)
        grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
        if found.length:
            f = found.machine.decision_function(grid).reshape(len(up), len(across))
            plotting.sides(ax, (across, up), f)
        elif abs(found.b) > CONSTANT:
            ax.set_facecolor(plotting.REGIONS[int(found.b > 0)])
        for points_of, style, size in (
            (found.on_edge, plotting.SUPPORT, 15.1),
            (found.slack > 0, plotting.BOUND, 13.2),
            (np.less(self.y, 0), plotting.NEGATIVE, 7.9),
            (np.greater(self.y, 0), plotting.POSITIVE, 8.6),
        ):
            style = {**EDGE, **style, "linestyle": "none", "markersize": size, "clip_on": False}
            ax.plot(*np.array(points)[points_of].T, **style)
        return figure

    def describe(self, points, **choice):
        found = self.fit(points, **choice)
        line = f"no line, f = {decimals(found.b)} everywhere"
        if found.length:
            line = f"full margin {decimals(2 / found.length)}"
        return (
            f"Points on the edge {found.on_edge.sum()}, with slack {(found.slack > 0).sum()}; "
            f"training errors {found.errors}; {line}; objective {decimals(found.objective)}."
        )


@dataclass(frozen=True)
class Fitted:
    """A classifier, and what is said of it.

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
    def slack(self):
        return np.where(self.margin < 1 - ON_EDGE, 1 - self.margin, 0)

    @property
    def on_edge(self):
        return np.abs(self.margin - 1) <= ON_EDGE

    @property
    def errors(self):
        return int((self.margin <= ON_EDGE).sum())

    @property
    def objective(self):
        return self.length**2 / 2 + self.machine.C * self.slack.sum()


def checked_number(value, name, most=np.inf):
    """The value as a float, or ValueError if it is no number > 0, or beyond `most`."""
    check_positive(value, name)
    if value > most:
        raise ValueError(f"{name} must be at most {most:g}, got {value!r}.")
    return float(value)


def checked_box(box, step):
    """The box as four floats, or ValueError if it is none."""
    ends = np.asarray(box, dtype=object)
    if ends.shape != (4,) or not all(isinstance(end, Real) and -FAR < end < FAR for end in ends):
        raise ValueError(f"box must be (west, east, south, north), numbers between −10⁴ and 10⁴, got {box!r}.")
    if not (ends[0] < ends[1] and ends[2] < ends[3]):
        raise ValueError(f"box must have west < east and south < north, got {box!r}.")
    return on_grid(ends.astype(float), step, "box")


def checked_points(points, box, step):
    """The points as pairs of floats, or ValueError if they are none that the reader could put there."""
    found = finite_array(points, "points", ensure_2d=False, allow_nd=True, ensure_min_samples=0, ensure_min_features=0)
    if found.ndim != 2 or found.shape[1] != 2 or not len(found):
        raise ValueError(f"points must be a list of pairs of numbers, at least one, got shape {found.shape}.")
    (west, east, south, north), places = box, [on_grid(point, step, "points") for point in found]
    if outside := [(x, y) for x, y in places if not (west <= x <= east and south <= y <= north)]:
        raise ValueError(f"points must lie in the box {box}, got {outside[0]}.")
    return places


def on_grid(values, step, name):
    """The values as multiples of the step, in as many digits as in the page, or ValueError if they are none."""
    found = np.round(step * np.round(values / step), 6) + 0.0  # which takes the sign from a zero
    if not np.allclose(found, values, rtol=0, atol=1e-6):
        raise ValueError(f"{name} must hold multiples of {step}, by which points move, got {tuple(values.tolist())}.")
    return tuple(found.tolist())


def signs(y, count):
    """The labels as a list of +1 and −1, both of which must occur; ValueError otherwise."""
    labels = np.asarray(unmasked(y, "y"))
    if labels.shape != (count,) or set(labels.tolist()) != {1, -1}:
        raise ValueError(f"y must hold a label +1 or −1 for each of the {count} points, and both, got {quoted(y)}.")
    return [int(label) for label in labels]


def plane(program):
    """The plane of a program, for plane.js."""
    return {
        "box": program.box,
        "size": program.size,
        "ticks": ticks(program.box),
        "labels": program.labels,
        "names": program.names,
        "coordinates": program.coordinates,
        "step": program.step,
    }


def axes(program):
    """An empty figure, its axes exactly where the page's script draws them."""
    (width, height), (left, right, below, above) = program.size, FRAME
    figure = plt.figure(figsize=(width / INCH, height / INCH), dpi=INCH, layout="none")
    ax = figure.add_axes(
        (left / width, below / height, 1 - (left + right) / width, 1 - (below + above) / height),
        xlim=program.box[:2],
        ylim=program.box[2:],
        xlabel=program.labels[0],
        ylabel=program.labels[1],
    )
    ticks_across, ticks_up = ticks(program.box)
    ax.set(xticks=ticks_across, yticks=ticks_up)
    return figure, ax


def ticks(box):
    """Whole numbers along both axes, few enough to be read."""
    return [
        [int(value) for value in MaxNLocator(6, integer=True).tick_values(*ends) if ends[0] <= value <= ends[1]]
        for ends in (box[:2], box[2:])
    ]


def decimals(value):
    """Two decimals. The nudge makes a half round up in every language, and zero has no sign."""
    rounded = f"{abs(value) + 1e-7 * (1 + abs(value)):.2f}"
    return "−" * bool(value < 0 and float(rounded)) + rounded

"""The plane in which a reader moves points: its box, its axes and its numbers, as ``browser/plane.js`` has them."""

from numbers import Real

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import MaxNLocator

from kernelbook.inputs.validation import check_positive, finite_array
from kernelbook.plotting.palette import GREY
from kernelbook.plotting.pictures import PIXELS_PER_INCH
from kernelbook.plotting.style import OBSERVED

WIDTH = 480  # pixels of a whole figure
HEIGHT = 340  # of one whose axes have different units
PADDING = (60, 12, 52, 12)  # pixels left of, right of, below and above the axes
THIN = {"color": GREY, "linewidth": 1.1}  # one term of a sum, or a link between two values
FALLING = {**THIN, "linestyle": (0, (4, 3))}  # a level line below 0
DIAL = 15.5  # pixels, the radius of the arc around a point that shows its α
DOTS = {**OBSERVED, "markersize": 9.4, "clip_on": False}  # points to take hold of
TIE = 1e-9  # numbers that differ by less, as a share, are equal; as in linear.js
FEWEST, MOST = 2, 20  # points to which a reader can come by removing and adding; as in number.js
MAX_COORDINATE = 1e4  # from there on Python writes numbers with a power of ten, and the page does not


def checked_number(value, name, least=0, largest=np.inf):
    """The value as a float; ValueError if it is not a number > 0, or lies outside these limits."""
    check_positive(value, name)
    if value > largest:
        raise ValueError(f"{name} must be at most {largest:g}, got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least:g}, got {value!r}.")
    return float(value)


def checked_name(value, name, known):
    """The value; ValueError if it is none of the known names."""
    if value not in known:
        raise ValueError(f"{name} must be one of {tuple(known)}, got {value!r}.")
    return value


def checked_settings(program, **given):
    """The values that a program starts with, each checked as those of its slider are."""
    return {name: program.parameters[name](value, name) for name, value in given.items()}


def checked_box(box, step):
    """The box as four floats; ValueError if it is not (west, east, south, north) in multiples of `step`."""
    ends = np.asarray(box, dtype=object)
    if ends.shape != (4,) or not all(isinstance(end, Real) and -MAX_COORDINATE < end < MAX_COORDINATE for end in ends):
        raise ValueError(f"box must be (west, east, south, north), numbers between −10⁴ and 10⁴, got {box!r}.")
    if not (ends[0] < ends[1] and ends[2] < ends[3]):
        raise ValueError(f"box must have west < east and south < north, got {box!r}.")
    return on_grid(ends.astype(float), step, "box")


def checked_points(points, box, step):
    """The points as pairs of floats; ValueError if a reader could not move points there."""
    found = finite_array(points, "points", ensure_2d=False, allow_nd=True, ensure_min_samples=0, ensure_min_features=0)
    if found.ndim != 2 or found.shape[1] != 2 or not len(found):
        raise ValueError(f"points must be a list of pairs of numbers, at least one, got shape {found.shape}.")
    (west, east, south, north), pairs = box, [on_grid(point, step, "points") for point in found]
    if outside := [(x, y) for x, y in pairs if not (west <= x <= east and south <= y <= north)]:
        raise ValueError(f"points must lie in the box {box}, got {outside[0]}.")
    return pairs


def on_grid(values, step, name):
    """The values as exact multiples of the step, with the digits that the page has; ValueError if they are none."""
    found = np.round(step * np.round(values / step), 6) + 0.0  # adding zero takes the sign from −0
    if not np.allclose(found, values, rtol=0, atol=1e-6):
        raise ValueError(f"{name} must hold multiples of {step}, by which points move, got {tuple(values.tolist())}.")
    return tuple(found.tolist())


def plane_given(program):
    """What plane.js has to know of a program."""
    return {
        "box": program.box,
        "size": program.size,
        "ticks": ticks(program.box),
        "labels": program.labels,
        "names": program.names,
        "coordinates": program.coordinates,
        "step": program.step,
        **({"room": room_of(program)} if room_of(program) else {}),
    }


def room_of(program):
    """Pixels at the foot of a program's figure for other axes than those of its points."""
    return getattr(program, "room", 0)


def empty_axes(program):
    """An empty figure and the axes of its points, exactly where the page's script draws them."""
    figsize = np.array(program.size) / PIXELS_PER_INCH
    figure = plt.figure(figsize=figsize, dpi=PIXELS_PER_INCH, layout="none")
    foot, head = room_of(program), program.size[1]
    return figure, _axes(figure, program.size, (foot, head), program.box, ticks(program.box), program.labels)


def axes_below(figure, program, box, ticks, labels):
    """Axes in the room at the foot of a program's figure."""
    return _axes(figure, program.size, (0, program.room), box, ticks, labels)


def _axes(figure, size, ends, box, ticks, labels):
    """Axes across the whole figure, and up from the first to the second of the ends, in pixels, with their labels."""
    (width, height), (foot, head), (left, right, below, above) = size, ends, PADDING
    ax = figure.add_axes(
        (left / width, (foot + below) / height, 1 - (left + right) / width, (head - foot - below - above) / height),
        xlim=box[:2],
        ylim=box[2:],
        xlabel=labels[0],
        ylabel=labels[1],
    )
    ax.set(xticks=ticks[0], yticks=ticks[1])
    return ax


class MovablePoints:
    """Points without labels that a reader moves, adds and removes. Each subclass says what their coordinates are."""

    coordinates = labels = ("x", "y")
    step = 0.1
    has_one_unit = False  # whether both axes have the same unit

    def __init__(self, points, box, **settings):
        self.box = checked_box(box, self.step)
        self.points = checked_points(points, self.box, self.step)
        self.names = [f"point {i + 1}" for i in range(len(self.points))]
        self.size = plane_size(self.box) if self.has_one_unit else (WIDTH, HEIGHT)
        self.settings = checked_settings(self, **settings)

    def given(self):
        """What the page's script has to know."""
        return {"points": self.points, "grows": True, **self.settings, **plane_given(self)}

    def spare_points(self):
        """Places for the points that a reader of a notebook adds, up to MOST: half-way up, and no two at one place."""
        west, east, south, north = self.box
        across = west + (east - west) * ((np.arange(2 * MOST) + len(self.points) + 0.5) * 0.618 % 1)
        places = self.step * np.round(np.column_stack([across, np.full(2 * MOST, (south + north) / 2)]) / self.step)
        found = [on_grid(place, self.step, "points") for place in places]
        return [place for place in found if place not in self.points][: MOST - len(self.points)]


def plane_size(box):
    """The size of a figure whose axes have the same unit."""
    (west, east, south, north), (left, right, below, above) = box, PADDING
    return WIDTH, round((WIDTH - left - right) * (north - south) / (east - west)) + below + above


def plane_grid(box):
    """The places across and up at which a function of the plane is drawn, and all of them as rows."""
    across, up = np.linspace(*box[:2], 81), np.linspace(*box[2:], 68)
    return across, up, np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)


def draw_dial(ax, program, at, share, color):
    """An arc around a point, from the top clockwise; a whole circle is the share 1. Both axes have the same unit."""
    turns, (west, east) = np.linspace(0, 2 * np.pi * share, 33), program.box[:2]
    radius = DIAL * (east - west) / (WIDTH - PADDING[0] - PADDING[1])
    ax.plot(at[0] + radius * np.sin(turns), at[1] + radius * np.cos(turns), color=color, linewidth=2.9)


def place_of_largest(values):
    """The place of the largest of some numbers ≥ 0; of equal ones, the first."""
    return int(np.argmax(values >= np.max(values) * (1 - TIE)))


def ticks(box):
    """Whole numbers along both axes, few enough to be read."""
    return [
        [int(value) for value in MaxNLocator(6, integer=True).tick_values(*ends) if ends[0] <= value <= ends[1]]
        for ends in (box[:2], box[2:])
    ]


def decimals(value):
    """The value with two decimals.

    A small addition makes halves round away from zero here and in JavaScript, and zero has no sign.
    """
    rounded = f"{abs(value) + 1e-7 * (1 + abs(value)):.2f}"
    return "−" * bool(value < 0 and float(rounded)) + rounded

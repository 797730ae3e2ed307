"""Clusters of points that a reader moves, by three methods; ``browser/clusters.js`` is the twin.

Both draw the same pictures and say the same words for the same points.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from kernelbook.figures.components import PlanePoints
from kernelbook.figures.plane import (
    DOTS,
    axes_below,
    checked_name,
    checked_number,
    decimals,
    draw_dial,
    empty_axes,
    place_of_largest,
)
from kernelbook.kernels import RBF
from kernelbook.linalg import gram
from kernelbook.plotting.palette import GREY
from kernelbook.plotting.pictures import PIXELS_PER_INCH
from kernelbook.plotting.style import CLASSES

AXES = {  # the names of the two coordinates that stand below the plane, for each method
    "k-means": ("x₁", "x₂"),
    "kernel k-means": ("first component", "second component"),
    "spectral": ("second eigenvector", "third eigenvector"),
}
LEAST_GAIN = 1e-9  # of a move, in units of the whole scatter
LEAST_GAP = 1e-6  # between eigenvalues below which the eigenvectors, and with them the groups, are not unique
LEAST_WEIGHT = 0.02  # of an edge that is drawn
WIDEST = 5 * 72 / PIXELS_PER_INCH  # an edge of weight 1
SIZES = (10 * 0.72, 11 * 0.72, 12 * 0.72)  # of the marks below
MARGIN = 0.12  # around the coordinates below, as a share of their range
MOST_GAMMA = 10  # a narrower bell leaves points without a neighbour


class Clusters(PlanePoints):
    """Groups of points of the plane by k-means, by kernel k-means, and by k-means on eigenvectors of a graph.

    k-means: the least scatter of the points around the means of their groups. Kernel k-means: the same in the space of
    the kernel k(x, x') = exp(−γ ‖x − x'‖²). Spectral: the same for the rows of the first eigenvectors, one for each
    group, of Lf = λGf, where the graph has an edge of weight k(x, x') between any two points. Each search starts from
    every point with the points farthest from it and each other, and moves one point at a time, as long as that
    lessens the scatter. For each method the words say the share of the scatter in the plane that is inside the groups,
    and the normalised cut of the graph, the sum of cut / volume over the groups.

    Edges are as wide as their weight. Below are two coordinates of the points: their own, two kernel principal
    components, or the second and third eigenvector.

    Parameters
    ----------
    points : list of pairs, multiples of 0.1
    method : "k-means", "kernel k-means" or "spectral", default "spectral"
    gamma : float > 0, at most 10, default 1; γ
    groups : 2 or 3, default 2
    box : (west, east, south, north), default (−3, 3, −2.5, 2.5), the visible part of the plane, multiples of 0.1; no
        point leaves it

    A slider or buttons for method, gamma or groups take precedence.

    Raises
    ------
    ValueError : points that are not pairs of multiples of 0.1, or lie outside the box; a box without an inside; an
        unknown method; a gamma out of its range; another number of groups

    >>> four = Clusters([(-2, 0), (-1.5, 0), (1.5, 0), (2, 0.5)], method="k-means")
    >>> four.describe(four.points)
    'Groups of 2, 2 points; inside them 0.03 of the scatter in the plane; normalised cut 0.00.'
    """

    script, files = "clusters", ("number.js", "kernels.js", "linear.js", "eigen.js", "clusters.js")
    parameters = {  # each with the function that checks a value
        "method": partial(checked_name, known=AXES),
        "gamma": partial(checked_number, largest=MOST_GAMMA),
        "groups": partial(checked_name, known=(2, 3)),
    }
    room = 330

    def __init__(self, points, method="spectral", gamma=1.0, groups=2, box=(-3, 3, -2.5, 2.5)):
        super().__init__(points, box, method=method, gamma=gamma, groups=groups)
        self.size = self.size[0], self.size[1] + self.room

    def given(self):
        """What the page's script has to know."""
        return {**super().given(), "axes": AXES}

    def fit(self, points, **choice):
        """The groups of these points, as Groups."""
        settings, X = {**self.settings, **choice}, np.array(points, dtype=float)
        method, q = settings["method"], settings["groups"]
        likeness = RBF(settings["gamma"])(X)
        W = likeness - np.diag(np.diag(likeness))
        degrees = W.sum(axis=1)
        K, coordinates, is_unique = X @ X.T, X, True
        if method == "kernel k-means":
            K = gram.centre(likeness)
            values, vectors = _eigenpairs(K)
            coordinates = (vectors * np.sqrt(np.maximum(values, 0)))[:, :2]
        if method == "spectral":
            values, vectors = _eigenpairs(W / np.sqrt(np.outer(degrees, degrees)))
            rows = vectors / np.sqrt(degrees)[:, None]
            K, coordinates = rows[:, :q] @ rows[:, :q].T, rows[:, 1:3]
            is_unique = q >= len(X) or values[q - 1] - values[q] > LEAST_GAP
        labels = k_means(K, q)
        if coordinates.shape[1] < 2:
            coordinates = np.column_stack([coordinates, np.zeros(len(X))])
        member = np.equal.outer(labels, np.unique(labels)).astype(float)
        cuts = (member * (W @ (1 - member))).sum(axis=0)
        whole = _scatter(X @ X.T, np.zeros(len(X), dtype=int), 1)
        scatter = _scatter(X @ X.T, labels, q) / whole if whole > 0 else 0.0
        return Groups(labels, coordinates, W, scatter, float((cuts / (degrees @ member)).sum()), bool(is_unique))

    def draw(self, points, **choice):
        """The figure for these points and a choice of the sliders."""
        found, method = self.fit(points, **choice), {**self.settings, **choice}["method"]
        figure, ax = empty_axes(self)
        for i, u in enumerate(points):
            for j, v in enumerate(points[:i]):
                if found.W[i, j] > LEAST_WEIGHT:
                    ax.plot(*zip(u, v, strict=True), color=GREY, linewidth=WIDEST * found.W[i, j])
        for at, label in zip(points, found.labels, strict=True):
            draw_dial(ax, self, at, 1, CLASSES[label]["color"])
        ax.plot(*np.transpose(points), **DOTS)
        least, most = found.coordinates.min(axis=0), found.coordinates.max(axis=0)
        room = np.where(most > least, MARGIN * (most - least), 1)
        box = np.column_stack([least - room, most + room]).ravel()
        below = axes_below(figure, self, box, ([], []), AXES[method])
        for label, size in enumerate(SIZES):
            style = {**CLASSES[label], "linestyle": "none", "markersize": size, "markeredgewidth": 0}
            below.plot(*found.coordinates[found.labels == label].T, **style)
        return figure

    def numbers(self, points, **choice):
        """The numbers of which a task may speak: points, groups, the place of the method, the normalised cut."""
        settings, found = {**self.settings, **choice}, self.fit(points, **choice)
        method = list(AXES).index(settings["method"])
        return {"points": len(points), "groups": settings["groups"], "method": method, "cut": found.cut}

    def describe(self, points, **choice):
        """The result in words for these points and a choice of the sliders."""
        found = self.fit(points, **choice)
        sizes = ", ".join(str(size) for size in np.bincount(found.labels))
        more = "" if found.is_unique else " The eigenvectors are not unique."
        return (
            f"Groups of {sizes} points; inside them {decimals(found.scatter)} of the scatter in the plane; normalised "
            f"cut {decimals(found.cut)}.{more}"
        )


@dataclass(frozen=True)
class Groups:
    """Groups of points, and the numbers that their figure shows.

    Attributes
    ----------
    labels : (n,) array of 0, 1 and 2, in the order in which they occur
    coordinates : (n, 2) array, what stands below the plane
    W : (n, n) array, the weights of the edges
    scatter : float, the share of the scatter in the plane that is inside the groups
    cut : float, the normalised cut of the graph
    is_unique : bool, whether the eigenvectors of the spectral method are
    """

    labels: np.ndarray
    coordinates: np.ndarray
    W: np.ndarray
    scatter: float
    cut: float
    is_unique: bool


def k_means(K, q):
    """The groups of least scatter that moves of single points find: labels in the order in which they occur."""
    n, best, least = len(K), None, np.inf
    tolerance = LEAST_GAIN * _scatter(K, np.zeros(n, dtype=int), 1)
    for start in range(n):
        labels = _seeded(K, start, q)
        for _ in range(10 * n):
            sizes, d = np.bincount(labels, minlength=q), _distances(K, labels, q)
            own = sizes[labels]
            leaves = np.where(own > 1, own / np.maximum(own - 1, 1), 0) * d[np.arange(n), labels]
            gains = np.maximum(leaves[:, None] - sizes / (sizes + 1) * d, 0)
            gains[np.arange(n), labels] = 0
            place = place_of_largest(gains.ravel())
            if gains.flat[place] <= tolerance:
                break
            labels[place // q] = place % q
        scatter = _scatter(K, labels, q)
        if scatter < least - tolerance:
            best, least = labels, scatter
    order = list(dict.fromkeys(best.tolist()))
    return np.array([order.index(label) for label in best.tolist()])


def _seeded(K, start, q):
    """Groups by the seeds that a start leads to: the next seed is the point that is farthest from all before."""
    d = np.maximum(np.add.outer(np.diag(K), np.diag(K)) - 2 * K, 0)
    seeds = [d[start]]
    while len(seeds) < q:
        seeds.append(d[place_of_largest(np.min(seeds, axis=0))])
    near = np.max(seeds) - np.transpose(seeds)
    return np.array([place_of_largest(row) for row in near])


def _distances(K, labels, q):
    """(n, q) array of the squared distances to the means of the groups; 0 for an empty group."""
    member = np.equal.outer(labels, np.arange(q)).astype(float)
    sizes = np.maximum(member.sum(axis=0), 1)
    sums = K @ member
    d = np.diag(K)[:, None] - 2 * sums / sizes + (member * sums).sum(axis=0) / sizes**2
    return np.where(member.any(axis=0), np.maximum(d, 0), 0)


def _scatter(K, labels, q):
    return _distances(K, labels, q)[np.arange(len(K)), labels].sum()


def _eigenpairs(A):
    """Eigenvalues, largest first, and the eigenvectors with signs as the library has them."""
    values, vectors = np.linalg.eigh(A)
    return values[::-1], gram.orient(vectors[:, ::-1])

"""Decisions in the plane: what is drawn of machines for one class, two, and several."""

import numpy as np
import pytest
from matplotlib import colors
from matplotlib import pyplot as plt
from matplotlib.path import Path
from pandas import DataFrame

from kernelbook import RBF, SVC, SVCCV, SVR, KernelRidge, Linear, NuSVC, OneClassSVM, plotting

SQUARE = (-5, 5, -5, 5)


pytestmark = pytest.mark.usefixtures("own_style")


def blobs(count, each=12):
    """Points around as many centres on a circle as there are classes, and their labels, letters."""
    rng, angle = np.random.default_rng(3), 2 * np.pi * np.arange(count) / count
    centres = 2 * np.column_stack([np.cos(angle), np.sin(angle)])
    X = (centres[:, None] + 0.8 * rng.standard_normal((count, each, 2))).reshape(-1, 2)
    return X, np.repeat(list("abcdefgh")[:count], each)


def drawn(machine, X, y):
    """The axes, and what lies in its lines: the points of each class, rings, diamonds."""
    _, ax = plt.subplots()
    plotting.decision(ax, machine, X, y, SQUARE)
    *groups, rings, diamonds = (line.get_xydata() for line in ax.lines)
    return ax, groups, rings, diamonds


def contours(ax):
    """What is drawn of the plane: the filled areas, the levels of f that have a line."""
    filled = [drawing for drawing in ax.collections if drawing.filled]
    return filled, [float(drawing.levels[0]) for drawing in ax.collections if not drawing.filled]


def colour_at(ax, point):
    """The colour of the area that holds the point."""
    for drawing in contours(ax)[0]:
        for path, colour in zip(drawing.get_paths(), drawing.get_facecolor(), strict=True):
            outlines = [Path(polygon).contains_point(point) for polygon in path.to_polygons()]
            if sum(outlines) % 2:  # else it lies in a hole
                return colors.to_hex(colour)
    return None


def same(one, other):
    """Whether both hold the same points, in whatever order."""
    return sorted(map(tuple, one)) == sorted(map(tuple, np.asarray(other, dtype=float)))


def assert_marked(rings, diamonds, X, machine, bound):
    assert same(rings, X[machine.support_[~bound]])
    assert same(diamonds, X[machine.support_[bound]])
    assert len(rings)
    assert len(diamonds)


def test_decision_marks_free_and_bound_support_vectors_apart():
    X = np.array([[-2.0, 0], [-1, 0], [1, 0], [2, 0], [1.2, 0.2]])
    y = np.array([-1, -1, 1, 1, -1])
    machine = SVC(Linear(), C=1.0, tol=1e-9).fit(X, y)
    ax, (negative, positive), rings, diamonds = drawn(machine, X, y)
    assert negative.tolist() == X[y == -1].tolist()
    assert positive.tolist() == X[y == 1].tolist()
    assert_marked(rings, diamonds, X, machine, np.abs(machine.dual_coef_[0]) == 1)
    assert [line.get_marker() for line in ax.lines] == ["s", "o", "o", "D"]


@pytest.mark.parametrize("weighted", ["classes", "points"])
def test_decision_knows_the_bound_of_every_point_where_they_differ(weighted):
    X, y = blobs(2)
    w = np.where(y == "a", 3.0, 0.2)
    machine = SVC(RBF(1), C=2.0, class_weight={"a": 3.0, "b": 0.2} if weighted == "classes" else None)
    machine.fit(X, y, sample_weight=w if weighted == "points" else None)
    *_, rings, diamonds = drawn(machine, X, y)
    assert_marked(rings, diamonds, X, machine, np.abs(machine.dual_coef_[0]) == 2.0 * w[machine.support_])


def test_decision_of_two_classes_has_two_sides_a_line_and_margins():
    X, y = blobs(2)
    for machine in (SVC(RBF(0.5)), NuSVC(RBF(0.5), nu=0.3), SVCCV([RBF(0.5)], Cs=[1.0], cv=3)):
        ax, *_ = drawn(machine.fit(X, y), X, y)
        assert contours(ax)[1] == [0, -1, 1]
        for point, label in zip(X, machine.predict(X), strict=True):
            assert colour_at(ax, point) == plotting.REGIONS["ab".index(label)]


def test_decision_of_a_nu_machine_marks_as_bound_what_lies_within_the_margin():
    X, y = blobs(2)
    machine = NuSVC(RBF(0.5), nu=0.3, tol=1e-9).fit(X, y)
    slack = 1 - np.where(y == "b", 1, -1) * machine.decision_function(X)
    *_, rings, diamonds = drawn(machine, X, y)
    assert_marked(rings, diamonds, X, machine, slack[machine.support_] > 1e-6)


@pytest.mark.parametrize("Machine", [SVC, NuSVC])
@pytest.mark.parametrize("count", [3, 6])
def test_decision_of_several_classes_has_a_region_and_a_mark_for_each(Machine, count):
    X, y = blobs(count)
    machine = Machine(RBF(0.5)).fit(X, y)
    ax, groups, rings, diamonds = drawn(machine, X, y)
    assert len(groups) == count
    for label, points, line, mark in zip("abcdef", groups, ax.lines, plotting.CLASSES, strict=False):
        assert same(points, X[y == label])
        assert (line.get_color(), line.get_marker()) == (mark["color"], mark["marker"])
    assert_marked(rings, diamonds, X, machine, machine.at_bound_)
    assert contours(ax)[1] == [0.5] * count  # borders, and no margin
    expected = [plotting.REGIONS["abcdef".index(label)] for label in machine.predict(X)]
    right = [colour_at(ax, point) == colour for point, colour in zip(X, expected, strict=True)]
    assert np.mean(right) > 0.95  # a point may lie on a border, closer than the grid is fine


@pytest.mark.filterwarnings("error")
def test_decision_of_several_classes_draws_no_region_that_is_not_there():
    X, y = (part[:26] for part in blobs(3))  # two of the third class
    machine = SVC(RBF(0.5), C=1e-3).fit(X, y)
    ax, *_ = drawn(machine, X, y)
    assert len(contours(ax)[1]) == 2


@pytest.mark.parametrize("labelled", [False, True])
def test_decision_of_one_class_has_an_inside_and_no_margins(labelled):
    X, y = blobs(2)
    machine = OneClassSVM(RBF(0.5), nu=0.6).fit(X)
    ax, groups, rings, diamonds = drawn(machine, X, y if labelled else None)
    assert [points.tolist() for points in groups] == [X.tolist()]
    assert ax.lines[0].get_color() == plotting.OBSERVED["color"]
    assert_marked(rings, diamonds, X, machine, machine.dual_coef_[0] == 1)
    assert contours(ax)[1] == [0]
    assert colour_at(ax, X[machine.decision_function(X).argmax()]) == plotting.REGIONS[1]
    assert colour_at(ax, (4.9, -4.9)) == plotting.REGIONS[0]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("count", [2, 3])
def test_decision_of_a_frame_predicts_on_its_grid_without_a_warning(count):
    X, y = blobs(count)
    machine = SVC(RBF(0.5)).fit(X, y)
    machine.feature_names_in_ = np.array(["east", "north"], dtype=object)  # as after a fit to a DataFrame
    _, groups, *_ = drawn(machine, DataFrame(X, columns=["east", "north"]), y)
    assert same(groups[0], X[y == "a"])
    assert machine.feature_names_in_.tolist() == ["east", "north"]
    with pytest.raises(ValueError, match=r"X must have the columns \['east', 'north'\] in this order"):
        drawn(machine, DataFrame(X, columns=["north", "east"]), y)


@pytest.mark.filterwarnings("error")
def test_decision_takes_lists_and_single_precision():
    X, y = blobs(2)
    machine = SVC(RBF(0.5)).fit(X.tolist(), y.tolist())
    _, plain, *marked = drawn(machine, X, y)
    for points, labels in ((X.tolist(), y.tolist()), (np.float32(X), y[:, None])):
        _, groups, *again = drawn(machine, points, labels)
        for one, other in zip(plain, groups, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)  # single precision
        assert all(map(same, marked, again))


def fitted(kernel="rbf", columns=2, count=2):
    X, y = blobs(count)
    return SVC(kernel).fit(X @ np.eye(2, columns), y)


X, Y = blobs(2)
REFUSED = {
    "not fitted": ((SVC(), X, Y), "estimator must be a fitted SVC, NuSVC, OneClassSVM or SVCCV"),
    "a search not fitted": ((SVCCV(), X, Y), "estimator must be a fitted SVC"),
    "another estimator": ((KernelRidge().fit(X, X[:, 0]), X, Y), "estimator must be a fitted SVC"),
    "a regression": ((SVR().fit(X, X[:, 0]), X, None), "estimator must be a fitted SVC, NuSVC, OneClassSVM or SVCCV"),
    "a Gram matrix": ((SVC("precomputed").fit(X @ X.T, Y), X, Y), "estimator must have a kernel that takes points"),
    "three features": ((fitted(columns=3), X, Y), "estimator must be fitted to points of the plane.*got 3 features"),
    "words": ((SVC(lambda A, B: np.eye(2)).fit(["a", "b"], [0, 1]), X, Y), "estimator must be fitted to points of the"),
    "seven classes": ((fitted(count=7), *blobs(7)), "estimator must have at most 6 classes to be told apart by eye"),
    "three columns": ((fitted(), X @ np.eye(2, 3), Y), r"X must have two columns, got shape \(24, 3\)"),
    "one row": ((fitted(), X[0], Y), "X must have a row for each point"),
    "text": ((fitted(), [["a", "b"]], Y[:1]), "X must be an array of numbers"),
    "no labels": ((fitted(), X, None), r"y must hold a label for each of the 24 points of X"),
    "too few labels": ((fitted(), X, Y[1:]), r"y must hold a label for each of the 24 points of X, got shape \(23,\)"),
    "other labels": ((fitted(), X, [*Y[1:], "z"]), r"y must hold labels of the fit, \['a', 'b'\], got 'z'"),
}


@pytest.mark.parametrize(("given", "said"), REFUSED.values(), ids=REFUSED)
def test_decision_refuses_what_it_cannot_draw_and_leaves_the_axes_alone(given, said):
    _, ax = plt.subplots()
    with pytest.raises(ValueError, match=said):
        plotting.decision(ax, *given, SQUARE)
    assert not ax.has_data()


@pytest.mark.parametrize("box", [(0, 1), (1, 0, 0, 1), (0, 1, 2, 2), (0, np.nan, 0, 1), (0, np.inf, 0, 1), 3])
def test_decision_needs_a_box_with_an_inside(box):
    _, ax = plt.subplots()
    with pytest.raises(ValueError, match=r"box must be \(west, east, south, north\)"):
        plotting.decision(ax, fitted(), X, Y, box)

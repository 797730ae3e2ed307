"""The book's visual language: readable by colour-blind eyes, and each figure shows what it says."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib import colors
from matplotlib import pyplot as plt
from numpy.testing import assert_array_equal

from kernelbook import plotting
from kernelbook.figures.controls import text_of

# Viénot, Brettel & Mollon (1999): what eyes without long- or middle-wave cones see, on linear RGB.
WITHOUT_RED = np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]])
WITHOUT_GREEN = np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]])


TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour):
    rgb = np.array(colors.to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def luminance(colour):
    return linear(colour) @ TO_XYZ[1]


def lab(colour, view):
    """CIE L*a*b* of what an eye sees; two colours side by side look different from a distance of some 2."""
    xyz = TO_XYZ @ np.clip(view @ linear(colour), 0, 1) / TO_XYZ.sum(axis=1)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


pytestmark = pytest.mark.usefixtures("own_style")


@pytest.mark.parametrize("view", [np.eye(3), WITHOUT_RED, WITHOUT_GREEN], ids=["all", "no red", "no green"])
def test_classes_and_their_regions_differ_in_colour_for_every_eye_and_in_shape(view):
    marks = [mark["color"] for mark in plotting.CLASSES]
    assert plotting.CLASSES[:2] == (plotting.NEGATIVE, plotting.POSITIVE)
    assert len(marks) == len(plotting.REGIONS) == len({mark["marker"] for mark in plotting.CLASSES})
    for colours, least in ((marks[:2], 80), (marks, 20), (plotting.REGIONS, 5)):  # regions are large, with a border
        for one, other in combinations(colours, 2):
            assert np.linalg.norm(lab(one, view) - lab(other, view)) > least


@pytest.mark.parametrize(
    ("mark", "least"),
    [*((mark, 3) for mark in plotting.CLASSES), (plotting.FIT, 7), (plotting.OBSERVED, 7), (plotting.TRUTH, 3)],
)
def test_marks_stand_out_from_the_panel(mark, least):
    assert contrast(mark["color"], plotting.PANEL) >= least


def test_the_style_is_an_opaque_light_panel():
    figure, ax = plt.subplots()
    for patch in (figure.patch, ax.patch):
        assert patch.get_alpha() is None
        assert colors.to_hex(patch.get_facecolor(), keep_alpha=True) == plotting.PANEL + "ff"


@pytest.fixture
def strip():
    north, east = np.mgrid[7:17, 0:20] * 1.0
    grid = np.stack([east, north], axis=-1)
    return grid, 300 + 10 * east + 5 * north


def test_map_and_profile_shows_the_row_it_cuts(strip):
    grid, land = strip
    X, y = np.array([[3.0, 9.1], [5.0, 14.0]]), np.array([400.0, 500.0])
    figure = plotting.map_and_profile(X, y, grid, land, land + 50, at=2)
    above, _, below = figure.axes
    assert (above.images[0].get_array() == land + 50).all()
    assert set(above.lines[0].get_ydata()) == {9.0}
    curves = {line.get_label(): line.get_xydata() for line in below.lines}
    assert (curves["the fit"] == np.column_stack([grid[2, :, 0], land[2] + 50])).all()
    assert curves["measured nearby"].tolist() == [[3.0, 400.0]]
    top = below.collections[0].get_paths()[0].vertices[:, 1].max()
    assert top == land[2].max()
    assert above.get_xlim() == below.get_xlim()


def test_relief_covers_the_cells_and_marks_the_places(strip):
    grid, land = strip
    X = np.array([[3.0, 9.1], [5.0, 14.0]])
    ax = plotting.relief(grid, land, X).axes[0]
    assert tuple(ax.images[0].get_extent()) == (-0.5, 19.5, 6.5, 16.5)
    assert (ax.lines[0].get_xydata() == X).all()


def test_relief_is_lit_from_the_north_west(strip):
    """A roof whose crest runs from south-west to north-east: its north-western side is the bright one."""
    grid, _ = strip
    east, north = grid[..., 0], grid[..., 1]
    roof = 500 - 60 * np.abs((east - 10) - (north - 12))
    lit = plotting.relief(grid, roof, grid[0, :1]).axes[0].images[0].get_array()[..., :3].sum(axis=2)
    same_height = (roof > 300) & (roof < 450)
    north_west = (north - 12) > (east - 10)
    assert lit[same_height & north_west].mean() > lit[same_height & ~north_west].mean() + 0.1


def test_gram_draws_the_larger_entry_darker_and_names_the_groups():
    _, ax = plt.subplots()
    K = np.kron([[4.0, 1.0], [1.0, 2.0]], np.ones((3, 3)))
    plotting.gram(ax, K, groups=["a", "b"])
    drawn = ax.images[0]
    assert (drawn.get_array() == K).all()
    shades = [luminance(drawn.cmap(drawn.norm(value))[:3]) for value in (4.0, 2.0, 1.0, 0.0)]
    assert shades == sorted(set(shades))
    assert list(ax.get_xticks()) == list(ax.get_yticks()) == [1.0, 4.0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]


def test_gram_of_negative_entries_is_white():
    figure, ax = plt.subplots()
    plotting.gram(ax, -np.ones((3, 3)))
    figure.canvas.draw()
    drawn = ax.images[0]
    shades = drawn.cmap(drawn.norm(drawn.get_array()))
    assert_array_equal(shades, np.tile(plotting.SIMILARITY.resampled(10)(0), (3, 3, 1)))


def test_eigenvalues_are_drawn_largest_first_beside_the_ridge():
    _, ax = plt.subplots()
    plotting.eigenvalues(ax, np.diag([1.0, 0.0, 4.0]), 0.5)
    values, ridge = ax.lines
    assert values.get_xydata().tolist() == [[1, np.log10(4)], [2, 0], [3, -12]]
    assert set(ridge.get_ydata()) == {np.log10(0.5)}
    powers = [10.0**exponent for exponent in ax.get_yticks()]
    assert [label.get_text() for label in ax.get_yticklabels()] == [text_of(power) for power in powers]
    low, high = ax.get_ylim()
    assert low < -12
    assert high > np.log10(4)


def test_curves_are_named_at_their_ends_and_no_two_names_touch():
    figure, ax = plt.subplots()
    ax.set_ylim(0, 1)
    heights = {"low": [0, 0.2], "twin": [0.1, 0.5], "other twin": [0.3, 0.501], "high": [1, 0.9]}
    plotting.curves(ax, [1, 2], heights, "twin")
    drawn = {tuple(line.get_ydata()): line.get_color() for line in ax.lines}
    assert drawn.pop((0.1, 0.5)) == plotting.INK
    assert drawn == {tuple(heights[name]): plotting.TRUTH["color"] for name in ("low", "other twin", "high")}
    assert max(ax.lines, key=lambda line: line.zorder).get_color() == plotting.INK  # the chosen one lies on top
    figure.canvas.draw()
    named = {text.get_text(): text for text in ax.texts}
    assert {name: named[name].xy[1] for name in ("low", "twin", "high")} == {"low": 0.2, "twin": 0.5, "high": 0.9}
    boxes = sorted((text.get_window_extent() for text in ax.texts), key=lambda box: box.y0)
    assert all(below.y1 <= above.y0 for below, above in pairwise(boxes))
    assert all(box.x0 > ax.get_window_extent().x1 for box in boxes)


def test_points_are_drawn_by_class():
    X, y = np.array([[0.0, 1], [2, 3], [4, 5]]), np.array([1, -1, 1])
    _, ax = plt.subplots()
    plotting.points(ax, X, y)
    positive, negative = ax.lines
    assert (positive.get_xydata() == X[y > 0]).all()
    assert (negative.get_xydata() == X[y < 0]).all()
    assert (positive.get_marker(), negative.get_marker()) == (plotting.POSITIVE["marker"], plotting.NEGATIVE["marker"])


def test_a_strip_is_a_line_between_its_margins():
    w, b = np.array([3.0, -2]), 0.5
    _, ax = plt.subplots()
    plotting.strip(ax, w, b)
    levels = [np.array([drawn.get_xy1(), drawn.get_xy2()]) @ w + b for drawn in ax.lines]
    assert np.allclose(levels, [[-1, -1], [0, 0], [1, 1]])
    assert [drawn.get_color() for drawn in ax.lines] == [plotting.GUIDE["color"], plotting.INK, plotting.GUIDE["color"]]

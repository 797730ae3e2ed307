"""What the scripts of movable points draw, in a real browser: the picture that Python draws of the same points."""

import re
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.path import Path
from scipy.spatial import KDTree

from kernelbook import plotting
from kernelbook.figures import SMO, Band, Bells, Classifier, Clusters, Components, Curve, OneClass, Tube, plane, tube
from kernelbook.figures.controls import text_of
from kernelbook.figures.explorer_page import without_comments
from kernelbook.figures.plane import FALLING, PADDING
from kernelbook.plotting import palette
from kernelbook.plotting.palette import themed
from kernelbook.plotting.pictures import PIXELS_PER_INCH

BROWSER = files("kernelbook.figures") / "browser"
SHARED = ("plane.js", "handles.js", "levels.js", "classes.js", "kernels.js", "linear.js", "eigen.js", "dual.js")
PROGRAMS = ("bells", "classifier", "clusters", "components", "curve", "one_class", "smo", "tube")
FILES = (*SHARED, *(f"{program}.js" for program in PROGRAMS))
SCRIPTS = "\n".join(without_comments((BROWSER / name).read_text(encoding="utf-8")) for name in FILES)
STYLE = "INK, PANEL, POSITIVE, NEGATIVE, REGIONS, BAND, FIT, GUIDE, THIN, FALLING, FORCE, PADDING"
POINT = PIXELS_PER_INCH / 72  # pixels of the page
NEAR = 1.0  # pixel: level lines are traced on different grids
MACHINES = "bells, classifier, clusters, components, curve, band, oneClass, smo, tube"

DRAW = """([script, given, places, presses]) => {
    const holder = document.body.appendChild(document.createElement("div"));
    const machine = programs[script](holder, given, () => machine?.show({}));
    machine.show({});
    for (let i = 0; i < presses; i++) holder.querySelector("button").click();
    const svg = holder.querySelector("svg"), area = svg.querySelector("svg");
    const [axes, marks] = svg.querySelectorAll(":scope > g[aria-hidden]");
    const plain = colour => colour.replace(/^var\\(--[\\w-]+,(#\\w+)\\)$/, "$1");
    const attributes = e => Object.fromEntries([...e.attributes].map(({name, value}) => [name, plain(value)]));
    const filled = [...area.children].filter(e => e.getAttribute("fill") !== "none").reverse();
    const colour = ([x, y]) =>
        plain(filled.find(e => e.isPointInFill(new DOMPoint(x, y)))?.getAttribute("fill") ?? PANEL);
    return {
        lines: [...area.querySelectorAll("path[stroke]")].map(attributes),
        below: [...svg.querySelectorAll(":scope > g > svg path")].map(attributes),
        areas: [...area.querySelectorAll("path:not([stroke])")].map(attributes),
        dots: [...area.querySelectorAll("circle")].map(attributes),
        marks: [...marks.children].map(e => ({tag: e.localName, ...attributes(e)})),
        handles: [...svg.querySelectorAll("g[role=slider]")].map(group => {
            const {e, f} = group.transform.baseVal.consolidate().matrix, mark = group.children[1].firstChild;
            return {at: [e, f], tag: mark.localName, ...attributes(mark)};
        }),
        ticks: [...axes.querySelectorAll("text")].map(e => [e.textContent, +e.getAttribute("x"), +e.getAttribute("y")]),
        colours: places.map(colour),
    };
}"""


@pytest.fixture(autouse=True)
def style(own_style):
    """Figures are drawn as in the book."""


@pytest.fixture(scope="module")
def scripts(browser):
    """A page that knows the programs."""
    page = browser.new_page()
    page.evaluate(f"(() => {{ {SCRIPTS}\nObject.assign(window, {{programs: {{{MACHINES}}}, {STYLE}}}) }})()")
    yield page
    page.close()


class Both:
    """A program drawn by the page and by Python; places of both are pixels of the page."""

    def __init__(self, scripts, program, presses=0, **choice):
        """`presses` is how often the first button is pressed, and `choice` says where it leads."""
        self.ax, *self.below = program.draw(program.points, **choice).axes
        self.ax.figure.canvas.draw()
        width, height = program.size
        left, right, below, above = PADDING
        across, up = np.arange(left + 8, width - right, 16), np.arange(above + 8, height - below, 16)
        self.places = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
        self.height, self.program = height, program
        self.page = scripts.evaluate(DRAW, [program.script, program.given(), self.places.tolist(), presses])

    def from_below(self, places):
        """Places on the page from those in Matplotlib's pixels, or the other way."""
        return np.column_stack([places[:, 0], self.height - places[:, 1]])

    def pixels(self, places, ax=None):
        return self.from_below((ax or self.ax).transData.transform(np.reshape(places, (-1, 2))))

    def of_line(self, line):
        return self.pixels(np.transpose(line.get_data()), line.axes)

    def of_contours(self, contours):
        """For each level the chains of its lines, or the outlines of its areas."""
        for path in contours.get_paths():
            chains = path.transformed(contours.get_transform()).to_polygons(closed_only=False)
            yield [self.from_below(chain) for chain in chains]

    def in_the_area(self, places):
        """Those that are not cut off."""
        (width, height), (left, right, below, above) = self.program.size, PADDING
        least, most = np.array([left, above]) - 0.1, np.array([width - right, height - below]) + 0.1
        return places[((least <= places) & (places <= most)).all(axis=1)]


def coordinates(path):
    return np.reshape([float(number) for number in re.findall(r"-?[\d.]+", path["d"])], (-1, 2))


def assert_drawn_alike(path, colour, width, is_dashed):
    assert path["stroke"] == to_hex(colour)
    assert float(path["stroke-width"]) == pytest.approx(width * POINT, abs=0.1)
    assert ("stroke-dasharray" in path) == is_dashed


BELLS = [
    Bells([(0, 1), (1, -0.5)], gamma=0.7),
    Bells([(-1, 0.5), (0.5, -2), (3, 1)], gamma=2),
    Bells([(2, 1.5)], gamma=10, box=(-1, 4, -2, 2)),
]


def assert_same_lines(both, lines, where="lines"):
    assert len(both.page[where]) == len(lines)
    for path, line in zip(both.page[where], lines, strict=True):
        assert np.abs(coordinates(path) - both.of_line(line)).max() < 0.06  # one decimal
        assert_drawn_alike(path, line.get_color(), line.get_linewidth(), line.get_linestyle() == "--")


def assert_same_handles(both, dots):
    assert np.allclose([handle["at"] for handle in both.page["handles"]], both.of_line(dots))
    for handle in both.page["handles"]:
        assert (handle["tag"], handle["fill"]) == ("circle", to_hex(dots.get_color()))
        assert float(handle["r"]) == pytest.approx(dots.get_markersize() * POINT / 2, abs=0.1)


def assert_same_rings_and_diamonds(both, rings, diamonds):
    drawn = [mark for mark in both.page["marks"] if mark["tag"] == "circle"]
    places = [(float(ring["cx"]), float(ring["cy"])) for ring in drawn]
    assert np.allclose(np.reshape(places, (-1, 2)), both.of_line(rings))
    for ring in drawn:
        assert float(ring["r"]) == pytest.approx(rings.get_markersize() * POINT / 2, abs=0.1)
    drawn = [coordinates(mark)[0] for mark in both.page["marks"] if mark["tag"] == "path"]
    half = diamonds.get_markersize() * POINT / 2**0.5
    assert np.allclose(np.add(np.reshape(drawn, (-1, 2)), (0, half)), both.of_line(diamonds), atol=0.1)


@pytest.mark.parametrize("program", BELLS)
def test_bells_are_the_same_curves_and_dots(scripts, program):
    both = Both(scripts, program)
    *curves, dots = both.ax.lines
    assert_same_lines(both, curves)
    assert_same_handles(both, dots)
    assert both.page["marks"] == []


SIX = [(1, 1.2), (2.5, 2), (4, -0.5), (4.2, 2.9), (7, -2), (7.5, -1)]


@pytest.mark.parametrize(
    "program",
    [
        Curve(SIX),
        Curve(SIX, "matern", width=3, ridge_lambda=1),
        Curve(SIX[:1], "laplacian"),
        Curve(SIX, "laplacian", ridge_lambda=0),
    ],
)
def test_a_curve_has_the_same_line_and_the_same_expectations(scripts, program):
    both = Both(scripts, program)
    *links, others, fit, dots = both.ax.lines
    assert len(links) == len(program.points)
    assert_same_lines(both, [*links, fit])
    assert_same_handles(both, dots)
    places = [(float(each["cx"]), float(each["cy"])) for each in both.page["dots"]]
    assert np.allclose(places, both.of_line(others), atol=0.01)
    for each in both.page["dots"]:
        assert float(each["r"]) == pytest.approx(others.get_markersize() * POINT / 2, abs=0.1)
        assert (each["fill"], each["stroke"]) == (others.get_markerfacecolor(), others.get_markeredgecolor())


def test_where_no_interpolant_is_drawn_the_points_are(scripts):
    both = Both(scripts, Curve([*SIX, (1, 0)], ridge_lambda=0))
    (dots,) = both.ax.lines
    assert_same_handles(both, dots)
    assert both.page["lines"] == both.page["dots"] == []


@pytest.mark.parametrize("program", [Band(SIX), Band(SIX, "laplacian", width=2, sigma=1, tau=0.5)])
def test_a_band_has_the_same_edges(scripts, program):
    both = Both(scripts, program)
    fit, dots = both.ax.lines
    assert_same_lines(both, [fit])
    assert_same_handles(both, dots)
    (band,), ((outline,),) = both.page["areas"], both.of_contours(both.ax.collections[0])
    assert band["fill"] == to_hex(both.ax.collections[0].get_facecolor()[0])
    drawn = coordinates(band)
    assert KDTree(drawn).query(outline)[0].max() < 0.1
    assert KDTree(outline).query(drawn)[0].max() < 0.1


FIVE = [(-2, -2), (-1, 0.5), (0, 0), (1, 3), (2, 1.5)]
TUBES = [
    Tube(FIVE),
    Tube(FIVE[1:], C=0.3),
    Tube(FIVE, C=100, epsilon=0.1),
    Tube(FIVE, kernel="rbf", C=3, gamma=0.5),
    Tube(FIVE, epsilon=3),
]


@pytest.mark.parametrize("program", TUBES)
def test_a_tube_has_the_same_edges_forces_and_marks(scripts, program):
    both = Both(scripts, program)
    *lines, rings, diamonds, dots = both.ax.lines
    assert_same_lines(both, lines)
    assert len(lines) == 3 + (np.abs(program.fit(program.points).beta) > 1e-6).sum()
    assert_same_handles(both, dots)
    assert_same_rings_and_diamonds(both, rings, diamonds)


POINTS = [(-1, -1.9), (-0.9, 1.8), (-2.5, -1.2), (-2.7, 0.1), (0.9, 0.1), (1.5, 1.6), (2.2, -0.4), (-1.5, 0.2)]
SIDE = [-1, -1, -1, -1, 1, 1, 1, 1]
ISLAND = [(-2, -2), (2, -2), (2, 2), (-2, 2), (0, 0)]
CLASSIFIERS = {
    "apart": Classifier(POINTS[:7], SIDE[:7], C=10),
    "with slack": Classifier(POINTS, SIDE, C=10),
    "curved": Classifier(POINTS, SIDE, kernel="rbf", C=10, gamma=0.5),
    "quadratic": Classifier(POINTS, SIDE, kernel="quadratic", C=0.1),
    "kinked": Classifier(POINTS, SIDE, kernel="laplacian", C=0.5),
    "a ring around a class": Classifier([*ISLAND, (0.5, -0.6)], [1, 1, 1, 1, -1, -1], kernel="rbf", C=100, gamma=0.3),
    "no line, f = 1": Classifier(ISLAND, [1, 1, 1, 1, -1], C=100),
    "no line, f = −1": Classifier(ISLAND, [-1, -1, -1, -1, 1], C=100),
    "no line, f = 0": Classifier([(0, 0), (1, 1)] * 2, [1, 1, -1, -1]),
}


@pytest.fixture(params=CLASSIFIERS.values(), ids=CLASSIFIERS)
def machine(request, scripts):
    return Both(scripts, request.param)


def test_a_classifier_has_the_same_marks(machine):
    *_, rings, diamonds, squares, circles = machine.ax.lines
    assert_same_rings_and_diamonds(machine, rings, diamonds)
    for tag, side, line in (("rect", "width", squares), ("circle", "r", circles)):
        drawn = [handle for handle in machine.page["handles"] if handle["tag"] == tag]
        assert np.allclose([handle["at"] for handle in drawn], machine.of_line(line))
        for handle in drawn:
            assert handle["fill"] == to_hex(line.get_color())
            size = float(handle[side]) * (2 if side == "r" else 1)
            assert size == pytest.approx(line.get_markersize() * POINT, abs=0.1)


def is_dial(path):
    return path["stroke-width"] == "4"


def test_a_classifier_has_the_same_dials(machine):
    """Where the corners of a square share their α, two solutions may differ; all others are equal."""
    dials, drawn = machine.ax.lines[:-4], [path for path in machine.page["lines"] if is_dial(path)]
    shares = machine.program.fit(machine.program.points).shares
    assert len(dials) == (shares > 1e-6).sum() > 0
    if machine.program.points[:5] == [*map(tuple, ISLAND)] or len(set(machine.program.points)) == 2:
        return
    for path, line in zip(drawn, dials, strict=True):
        assert np.abs(coordinates(path) - machine.of_line(line)).max() < 0.06
        assert_drawn_alike(path, line.get_color(), line.get_linewidth(), is_dashed=False)


@pytest.mark.parametrize("steps", [0, 1, 7])
def test_a_run_has_the_same_course_arcs_rings_and_sides(scripts, steps):
    program = SMO(POINTS, SIDE, C=3)
    both = Both(scripts, program, presses=steps, steps=steps)
    assert_same_lines(both, both.below[0].lines, "below")
    assert len(both.below[0].lines[-1].get_xdata()) == steps + 1
    *dials, rings, diamonds, _, _ = both.ax.lines
    assert_same_rings_and_diamonds(both, rings, diamonds)
    assert len(rings.get_xdata()) == 2 * (steps > 0)
    drawn = [path for path in both.page["lines"] if is_dial(path)]
    for path, line in zip(drawn, dials, strict=True):
        assert np.abs(coordinates(path) - both.of_line(line)).max() < 0.06
    _, *levels = both.ax.collections or [None]
    assert bool(levels) == (steps > 0)
    if levels:
        lines = [chain for level in levels for chains in both.of_contours(level) for chain in chains]
        assert_near(both, [coordinates(path) for path in both.page["lines"] if not is_dial(path)], lines)


@pytest.mark.parametrize("method", ["k-means", "kernel k-means", "spectral"])
def test_clusters_have_the_same_edges_colours_and_coordinates(scripts, method):
    both = Both(scripts, Clusters(POINTS, method, gamma=0.5, groups=3))
    *lines, dots = both.ax.lines
    assert_same_handles(both, dots)
    assert len(both.page["lines"]) == len(lines)
    for path, line in zip(both.page["lines"], lines, strict=True):
        assert np.abs(coordinates(path) - both.of_line(line)).max() < 0.06
        assert path["stroke"] == to_hex(line.get_color())
        assert float(path["stroke-width"]) == pytest.approx(line.get_linewidth() * POINT, abs=0.1)
    marks = [path for path in both.page["below"] if "transform" in path]
    drawn = {(path["fill"], *map(float, re.findall(r"-?[\d.]+", path["transform"]))) for path in marks}
    expected = [(to_hex(line.get_color()), *at) for line in both.below[0].lines for at in both.of_line(line)]
    assert len(drawn) == len(expected) == len(POINTS)
    for colour, x, y in expected:
        assert any(c == colour and np.hypot(u - x, v - y) < 0.1 for c, u, v in drawn)


def dense(chains):
    """Points a pixel apart along the chains."""
    found = []
    for chain in chains:
        for start, end in pairwise(chain):
            count = int(np.ceil(np.linalg.norm(end - start))) + 1
            found.append(start + np.linspace(0, 1, count)[:, None] * (end - start))
    return np.concatenate(found)


def assert_near(both, drawn, lines, near=NEAR):
    """Chains that the page has drawn against those of Python."""
    of_page, of_python = both.in_the_area(dense(drawn)), dense(lines)
    assert KDTree(of_python).query(of_page)[0].max() < near
    assert KDTree(of_page).query(of_python)[0].max() < near


COMPONENTS = [
    Components(POINTS),
    Components(POINTS, "linear", component="second"),
    Components(POINTS, "quadratic"),
    Components(POINTS, "laplacian", gamma=0.1),
    Components([(-1, 0), (0, 0), (1, 0)], "linear", component="second"),  # there is none
]


@pytest.mark.parametrize("program", COMPONENTS)
def test_a_component_has_the_same_level_lines(scripts, program):
    both = Both(scripts, program)
    assert_same_handles(both, both.ax.lines[-1])
    assert both.page["marks"] == []
    assert bool(both.page["lines"]) == bool(both.ax.collections) == program.fit(program.points).exists
    for levels in both.ax.collections:
        chains = [*both.of_contours(levels)]
        for style, which in ((FALLING, slice(0, 6)), (plotting.FIT, slice(6, 7)), (plane.THIN, slice(7, 13))):
            drawn = [path for path in both.page["lines"] if is_in(path, style)]
            assert_near(both, map(coordinates, drawn), [chain for level in chains[which] for chain in level])
        assert len(both.page["lines"]) == sum(map(len, chains))


def is_in(path, style):
    return (path["stroke"], "stroke-dasharray" in path) == (to_hex(style["color"]), "linestyle" in style)


ONE_CLASS = [
    OneClass(POINTS, nu=0.5),
    OneClass(POINTS, "laplacian", nu=0.3, gamma=0.2),
    OneClass([(-2, -2), (2, -2), (2, 2), (-2, 2), (0, 0.1)], gamma=0.2),  # a hole
]


@pytest.mark.parametrize("program", ONE_CLASS)
def test_a_one_class_machine_has_the_same_border_area_and_marks(scripts, program):
    both = Both(scripts, program)
    *dials, rings, diamonds, dots = both.ax.lines
    assert_same_handles(both, dots)
    assert_same_rings_and_diamonds(both, rings, diamonds)
    drawn = [path for path in both.page["lines"] if is_dial(path)]
    for path, line in zip(drawn, dials, strict=True):
        assert np.abs(coordinates(path) - both.of_line(line)).max() < 0.06
    _, border = both.ax.collections
    ((chains),) = both.of_contours(border)
    near = NEAR if program.settings["kernel"] == "rbf" else 5  # the grids meet the kinks at points differently
    assert_near(both, [coordinates(path) for path in both.page["lines"] if not is_dial(path)], chains, near)
    (area,) = both.page["areas"]
    assert area["fill"] == to_hex(both.ax.collections[0].get_facecolor()[0])
    inside = program.fit(program.points).machine.decision_function(
        both.ax.transData.inverted().transform(both.from_below(both.places))
    )
    far = KDTree(dense(chains)).query(both.places)[0] > near
    assert ((np.array(both.page["colours"]) == area["fill"]) == (inside > 0))[far].all()


def test_a_classifier_has_the_same_lines(machine):
    _, *levels = machine.ax.collections or [None]
    lines = [path for path in machine.page["lines"] if not is_dial(path)]
    assert bool(levels) == bool(lines) == bool(machine.program.fit(machine.program.points).length)
    styles = {(to_hex(level.get_edgecolor()[0]), level.get_linewidth()[0]) for level in levels}
    assert {path["stroke"] for path in lines} == {colour for colour, _ in styles}
    for colour, width in styles:
        drawn = [path for path in lines if path["stroke"] == colour]
        for path in drawn:
            assert_drawn_alike(path, colour, width, is_dashed=colour == plotting.GUIDE["color"])
        same = [level for level in levels if to_hex(level.get_edgecolor()[0]) == colour]
        lines_of_python = (chain for level in same for chains in machine.of_contours(level) for chain in chains)
        assert_near(machine, map(coordinates, drawn), lines_of_python)


def test_a_classifier_has_the_same_colours_on_its_sides(machine):
    colours = np.full(len(machine.places), to_hex(machine.ax.get_facecolor()))
    for areas in machine.ax.collections[:1]:
        for outlines, colour in zip(machine.of_contours(areas), areas.get_facecolor(), strict=True):
            inside = [Path(outline).contains_points(machine.places) for outline in outlines]
            colours[np.logical_xor.reduce(inside)] = to_hex(colour)  # an outline in another is a hole
    far = np.ones(len(colours), dtype=bool)
    for border in machine.ax.collections[1:2]:
        (chains,) = machine.of_contours(border)
        far = KDTree(dense(chains)).query(machine.places)[0] > NEAR
    assert (np.array(machine.page["colours"]) == colours)[far].all()
    assert len(set(colours[far])) == (2 if machine.ax.collections else 1)


def test_ticks_stand_where_they_do_in_python(scripts):
    for program in (BELLS[0], CLASSIFIERS["apart"]):
        both = Both(scripts, program)
        west, south = program.box[0], program.box[2]
        across, up = both.ax.get_xticks(), both.ax.get_yticks()
        ticks = both.page["ticks"][: len(across) + len(up)]
        assert [text for text, _, _ in ticks] == [text_of(tick) for tick in (*across, *up)]
        assert np.allclose([x for _, x, _ in ticks[: len(across)]], both.pixels([(x, south) for x in across])[:, 0])
        heights = both.pixels([(west, y) for y in up])[:, 1]
        assert np.allclose([y for _, _, y in ticks[len(across) :]], heights + 6)  # a line of text hangs above its foot


def test_the_page_draws_in_the_colours_and_lines_of_the_book(scripts):
    style = scripts.evaluate(f"({{{STYLE}}})")
    assert (style["INK"], style["PANEL"]) == (themed(plotting.INK), themed(plotting.PANEL))
    classes = [themed(kind["color"]) for kind in (plotting.POSITIVE, plotting.NEGATIVE)]
    assert [style["POSITIVE"], style["NEGATIVE"]] == classes
    assert style["REGIONS"] == [themed(colour) for colour in plotting.REGIONS[:2]]
    assert [style["PADDING"][side] for side in ("left", "right", "bottom", "top")] == list(PADDING)
    assert style["BAND"] == themed(palette.BAND)
    lines = {
        "FIT": plotting.FIT,
        "GUIDE": plotting.GUIDE,
        "THIN": plane.THIN,
        "FALLING": plane.FALLING,
        "FORCE": tube.FORCE,
    }
    for name, line in lines.items():
        assert style[name]["stroke"] == themed(line["color"])
        assert style[name]["stroke-width"] == pytest.approx(line["linewidth"] * POINT, abs=0.1)
    for name, line in (("GUIDE", plotting.GUIDE), ("FALLING", plane.FALLING)):
        dashes = np.array(style[name]["stroke-dasharray"].split(), dtype=float) / style[name]["stroke-width"]
        assert dashes.tolist() == list(line["linestyle"][1])

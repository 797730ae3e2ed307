"""What the scripts of movable points compute, in a real browser: the library's numbers, and Python's words."""

from importlib.resources import files
from math import pi

import numpy as np
import pytest

from kernelbook.figures import Bells, Classifier
from kernelbook.figures.controls import text_of
from kernelbook.figures.explorer_page import without_comments
from kernelbook.figures.plane import decimals
from kernelbook.rkhs.functions import RKHSFunction

BROWSER = files("kernelbook.figures") / "browser"
FILES = ("plane.js", "bells.js", "classifier.js")
SCRIPTS = "\n".join(without_comments((BROWSER / name).read_text(encoding="utf-8")) for name in FILES)
NAMES = "decimals, text, contours, bellsInNumbers, bellsInWords, fitSVC, classifierInWords, KERNELS"
FOUR_DIGITS = 1e-5


@pytest.fixture(scope="module")
def scripts(browser):
    """A page that knows the functions of the scripts."""
    page = browser.new_page()
    page.evaluate(f"(() => {{ {SCRIPTS}\nObject.assign(window, {{{NAMES}}}) }})()")
    yield page
    page.close()


def samples(count):
    """Points on the grid of the steps, at random: scattered, apart, on few places, on one line, in one place."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(6, 13))
        X, y = rng.uniform((-3, -2.5), (3, 2.5), (n, 2)), np.where(rng.random(n) < 0.5, 1, -1)
        y[:2] = 1, -1
        kind = seed // 2 % 5
        if kind == 1:
            X[:, 0] = np.clip(X[:, 0] + 1.5 * y, -3, 3)
        if kind == 2:
            X = np.clip(np.round(X), -2, 2)
        if kind == 3:
            X[:, 1] = 0.5
        if kind == 4:
            X[2:5] = X[0], X[1], X[1]
        C, gamma = 10 ** rng.uniform(-2, 4), 10 ** rng.uniform(-1, 1.7)
        yield Classifier(np.round(X, 1).tolist(), y.tolist(), ("linear", "rbf")[seed % 2], C=C, gamma=gamma)


def as_given(program):
    return {"points": program.points, "y": program.y, "kernel": program.kernel, "C": program.C, "gamma": program.gamma}


def test_the_page_solves_what_the_library_solves(scripts):
    programs = [*samples(300)]
    grid = np.array([(x, y) for x in np.linspace(-3, 3, 7) for y in np.linspace(-2.5, 2.5, 6)])
    found = scripts.evaluate(
        """([cases, grid]) => cases.map(given => {
            const found = fitSVC(given.points, given.y, KERNELS[given.kernel](given), given.C);
            return {...found, f: grid.map(place => found.f(...place)), words: classifierInWords(found)};
        })""",
        [[as_given(program) for program in programs], grid.tolist()],
    )
    kinds = set()
    for program, page in zip(programs, found, strict=True):
        library = program.fit(program.points)
        f = library.machine.decision_function(grid)
        assert np.abs(page["f"] - f).max() <= FOUR_DIGITS * max(1, np.abs(f).max())
        assert page["objective"] == pytest.approx(library.objective, rel=FOUR_DIGITS)
        assert page["length"] == pytest.approx(library.length, rel=FOUR_DIGITS)
        assert page["words"] == program.describe(program.points)
        kinds.add((program.kernel, library.length == 0, bool(library.errors)))
    assert kinds >= {("linear", True, True), ("linear", False, True), ("linear", False, False), ("rbf", False, False)}


def test_the_page_has_the_norm_of_the_library(scripts):
    rng = np.random.default_rng(0)
    programs = []
    for _ in range(100):
        n = int(rng.integers(2, 4))
        bells = np.column_stack([rng.integers(-60, 101, n), rng.integers(-60, 61, n)]) / 20
        bells[-1] = (bells[0, 0], -bells[0, 1]) if rng.random() < 0.2 else bells[-1]  # that sends the norm down
        programs.append(Bells(bells.tolist(), gamma=10 ** rng.uniform(-1, 1.7)))
    found = scripts.evaluate(
        """cases => cases.map(({points, gamma}) => {
            const numbers = bellsInNumbers(points, gamma);
            return {...numbers, words: bellsInWords(points, numbers)};
        })""",
        [{"points": program.points, "gamma": program.gamma} for program in programs],
    )
    for program, page in zip(programs, found, strict=True):
        f = program.function(program.points)
        assert isinstance(f, RKHSFunction)
        assert page["norm"] == pytest.approx(f.norm(), rel=FOUR_DIGITS, abs=1e-7)
        assert page["values"] == pytest.approx(f(f.points), rel=FOUR_DIGITS, abs=1e-9)
        assert page["words"] == program.describe(program.points)


def test_numbers_read_alike_in_both_languages(scripts):
    values = [0, -0.0, 0.125, -0.125, 2.675, 0.004, -0.004, 0.005, -1.5, 6500.125, 1e-12, 12345.678]
    assert scripts.evaluate("values => values.map(decimals)", values) == [decimals(value) for value in values]
    assert decimals(-0.004) == "0.00"
    assert decimals(-0.125) == "−0.13"
    steps = [round(i * 0.05, 6) for i in range(-60, 101)]
    assert scripts.evaluate("values => values.map(text)", steps) == [text_of(value) for value in steps]


def test_level_lines_are_joined_and_closed(scripts):
    """A disc: one closed line of the right length, and where it leaves the grid, open lines."""
    trace = """radius => {
        const places = Array.from({length: 41}, (_, i) => i - 20);
        return contours(places.map(i => places.map(j => radius - Math.hypot(i, j))), 0);
    }"""
    (circle,) = scripts.evaluate(trace, 15)
    assert circle[0] == circle[-1]
    assert np.linalg.norm(np.diff(circle, axis=0), axis=1).sum() == pytest.approx(2 * pi * 15, rel=1e-3)
    arcs = scripts.evaluate(trace, 25)
    assert len(arcs) == 4
    for arc in arcs:
        assert np.hypot(*(np.transpose(arc) - 20)) == pytest.approx(25, abs=0.02)
        assert {coordinate for end in (arc[0], arc[-1]) for coordinate in end} & {0, 40}

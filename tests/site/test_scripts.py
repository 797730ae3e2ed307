"""What the scripts of movable points compute, in a real browser: the library's numbers, and Python's words."""

from importlib.resources import files
from math import pi

import numpy as np
import pytest

from kernelbook.figures import SMO, Band, Bells, Classifier, Clusters, Components, Curve, OneClass, Tube
from kernelbook.figures.controls import text_of
from kernelbook.figures.explorer_page import without_comments
from kernelbook.figures.plane import decimals
from kernelbook.rkhs.functions import RKHSFunction

BROWSER = files("kernelbook.figures") / "browser"
SHARED = ("plane.js", "handles.js", "levels.js", "classes.js", "kernels.js", "linear.js", "eigen.js", "dual.js")
PROGRAMS = ("bells", "classifier", "clusters", "components", "curve", "one_class", "smo", "tube")
FILES = (*SHARED, *(f"{program}.js" for program in PROGRAMS))
SCRIPTS = "\n".join(without_comments((BROWSER / name).read_text(encoding="utf-8")) for name in FILES)
NAMES = """decimals, text, contours, cholesky, forward, backward, bellsInNumbers, bellsInWords, fitSVC,
    classifierInWords, isSeparable, KERNELS, curveInNumbers, curveInWords, bandInNumbers, bandInWords, fitSVR,
    tubeInWords, eigen, fitComponent, componentInWords, fitOneClass, oneClassInWords, runSMO, stepInWords, returned,
    findClusters, clustersInWords"""
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
        kernel = ("linear", "rbf", "quadratic", "linear", "rbf", "laplacian")[seed % 6]
        yield Classifier(np.round(X, 1).tolist(), y.tolist(), kernel, C=C, gamma=gamma)


def as_given(program):
    return {"points": program.points, "y": program.y, **program.settings}


def test_the_page_solves_what_the_library_solves(scripts):
    programs = [*samples(300)]
    grid = np.array([(x, y) for x in np.linspace(-3, 3, 7) for y in np.linspace(-2.5, 2.5, 6)])
    found = scripts.evaluate(
        """([cases, grid]) => cases.map(given => {
            const found = fitSVC(given.points, given.y, KERNELS[given.kernel](given), given.C);
            const separable = isSeparable(given.points, given.y);
            return {...found, f: grid.map(place => found.f(...place)), words: classifierInWords(found), separable};
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
        assert page["separable"] == program.numbers(program.points)["separable"]
        assert page["shares"] == pytest.approx(library.shares, abs=FOUR_DIGITS) or not has_one_alpha(program, library)
        kinds.add((program.settings["kernel"], library.length == 0, bool(library.errors)))
    assert kinds >= {("linear", True, True), ("linear", False, True), ("linear", False, False)}
    assert kinds >= {(kernel, False, False) for kernel in ("quadratic", "rbf", "laplacian")}


def test_the_page_takes_the_steps_of_python(scripts):
    """Every pair, β, violation and objective of 200 runs, and the words of some of their steps."""
    programs = [SMO(sample.points, sample.y, **sample.settings) for sample in samples(200)]
    runs = [program.run(program.points) for program in programs]
    told = [sorted({0, 1, len(states) // 2, len(states) - 1}) for states in runs]
    found = scripts.evaluate(
        """cases => cases.map(([given, told]) => {
            const {points, y} = given, states = runSMO(points, y, KERNELS[given.kernel](given), given.C);
            const words = told.map(step => stepInWords(points, y, states, step));
            return {states, words, returned: told.map(step => returned(states, step))};
        })""",
        [[as_given(program), steps] for program, steps in zip(programs, told, strict=True)],
    )
    some_returned = 0
    for program, states, steps, page in zip(programs, runs, told, found, strict=True):
        C = program.settings["C"]
        assert [state["pair"] for state in page["states"]] == [list(state.pair) for state in states]
        betas = [state["beta"] for state in page["states"]]
        assert np.abs(np.array(betas) - [state.beta for state in states]).max() <= FOUR_DIGITS * C
        for name in ("violation", "objective", "b"):
            library = np.array([getattr(state, name) for state in states])
            assert np.abs([state[name] for state in page["states"]] - library).max() <= 1e-6 * np.abs(library).max()
        assert page["words"] == [program.describe(program.points, steps=step) for step in steps]
        returned = [program.numbers(program.points, steps=step)["returned"] for step in steps]
        assert page["returned"] == returned
        some_returned += any(returned)
    assert some_returned >= 10


def has_one_alpha(program, library):
    """Whether no second solution of the dual is to be expected: kernels that tell all points apart, or few on the edge.

    With a nearly singular K the α that two solvers find differ, though f does not.
    """
    is_strict = program.settings["kernel"] in ("rbf", "laplacian") and len(set(program.points)) == len(program.points)
    return library.on_edge.sum() < 2 or (is_strict and np.linalg.cond(library.machine.kernel(program.points)) < 1e3)


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


def test_a_cholesky_factor_solves_systems(scripts):
    rng = np.random.default_rng(0)
    for n in (1, 2, 7, 20):
        B, y = rng.normal(size=(n, n)), rng.normal(size=n)
        A = B @ B.T + 0.1 * np.eye(n)
        L, x = scripts.evaluate(
            "([A, y]) => { const L = cholesky(A); return [L, backward(L, forward(L, y))]; }", [A.tolist(), y.tolist()]
        )
        assert np.allclose(L, np.linalg.cholesky(A), atol=1e-12)
        assert np.allclose(x, np.linalg.solve(A, y), rtol=1e-8)


def test_jacobi_finds_the_eigenvectors(scripts):
    rng = np.random.default_rng(0)
    for n in (1, 2, 7, 20):
        A = rng.normal(size=(n, n))
        for symmetric in (A + A.T, A[:, :1] @ A[:, :1].T, np.ones((n, n)), np.zeros((n, n))):
            found = scripts.evaluate("A => eigen(A)", symmetric.tolist())
            values, vectors = np.array(found["values"]), np.array(found["vectors"])
            scale = max(1, np.abs(symmetric).max())
            assert np.allclose(values, np.linalg.eigvalsh(symmetric)[::-1], rtol=0, atol=1e-13 * n * scale)
            assert np.allclose(vectors @ vectors.T, np.eye(n), atol=1e-13)
            assert np.allclose(vectors @ symmetric, values[:, None] * vectors, atol=1e-13 * n * scale)


def clouds(count):
    """Points of the plane on the grid of the steps, at random: scattered, on few places, on one line, in one place."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        n, kind = int(rng.integers(2, 21)), seed % 6
        X = rng.uniform((-3, -2.5), (3, 2.5), (n, 2))
        if kind == 1:
            X = np.clip(np.round(X), -2, 2)
        if kind == 2:
            X[:, 1] = 0.5
        if kind == 3:
            X[: n // 2] = X[0]
        if kind == 4:  # the corners of squares, for which eigenvalues are equal
            X = np.vstack([((x, y), (-y, x), (-x, -y), (y, -x)) for x, y in np.clip(X[:3], -2.5, 2.5)])
        yield np.round(X if seed % 30 else 0 * X + 1, 1).tolist(), rng


GRID = np.array([(x, y) for x in np.linspace(-3, 3, 7) for y in np.linspace(-2.5, 2.5, 6)])


def test_the_page_finds_the_components_of_the_library(scripts):
    kernels = ("linear", "quadratic", "rbf", "laplacian")
    programs = [
        Components(points, kernels[i // 2 % 4], 10 ** rng.uniform(-1, 1), ("first", "second")[i % 2])
        for i, (points, rng) in enumerate(clouds(240))
    ]
    found = scripts.evaluate(
        """([cases, grid]) => cases.map(given => [1, 2, 3].map(m => {
            const found = fitComponent(given.points, KERNELS[given.kernel](given), m);
            const f = found.f && grid.map(place => found.f(...place));
            return {...found, f, words: componentInWords(found, m)};
        }))""",
        [[{"points": program.points, **program.settings} for program in programs], GRID.tolist()],
    )
    kinds, turned = set(), 0
    for program, page in zip(programs, found, strict=True):
        library = program.fit(program.points)
        own = page[library.place]
        assert own["words"] == program.describe(program.points)
        assert own["shares"] == pytest.approx(library.shares, rel=FOUR_DIGITS, abs=1e-9)
        kinds.add((program.settings["kernel"], bool(library.exists), library.is_unique))
        if not library.exists:
            continue
        heights, mu = library.machine.transform(GRID), library.mu[library.place]
        same = np.flatnonzero(np.abs(library.mu - mu) <= 1e-6 * library.mu[0])
        if library.is_unique:
            assert np.abs(own["f"] - heights[:, library.place]).max() <= FOUR_DIGITS * np.abs(heights).max()
            assert own["deviation"] == pytest.approx(np.sqrt(mu / len(program.points)))
        elif 2 not in same:  # the third may be equal to the fourth, too; the sum of squares is the same in every basis
            squares = np.square([page[i]["f"] for i in same]).sum(axis=0)
            assert squares == pytest.approx(np.square(heights[:, same]).sum(axis=1), abs=FOUR_DIGITS * squares.max())
            turned += 1
    assert turned >= 10
    assert {(kernel, True, True) for kernel in kernels} <= kinds
    assert {exists for _, exists, _ in kinds} == {is_unique for _, _, is_unique in kinds} == {True, False}


def test_the_page_finds_the_groups_of_python(scripts):
    methods, programs = ("k-means", "kernel k-means", "spectral"), []
    for i, (points, rng) in enumerate(clouds(200)):
        points = points if i % 6 in (0, 2) else np.round(rng.uniform(-2, 2, (len(points), 2)), 1).tolist()
        programs.append(Clusters(points, methods[i % 3], 10 ** rng.uniform(-0.7, 0.4), 2 + i // 3 % 2))
    found = scripts.evaluate(
        """cases => cases.map(({points, method, gamma, groups}) => {
            const found = findClusters(points, method, gamma, groups);
            return {...found, words: clustersInWords(found)};
        })""",
        [{"points": program.points, **program.settings} for program in programs],
    )
    unique = 0
    for program, page in zip(programs, found, strict=True):
        library = program.fit(program.points)
        assert page["isUnique"] == library.is_unique
        if not library.is_unique:
            continue
        assert page["labels"] == library.labels.tolist()
        assert page["words"] == program.describe(program.points)
        assert page["cut"] == pytest.approx(library.cut, rel=FOUR_DIGITS, abs=1e-9)
        if len(set(map(tuple, program.points))) > 4:
            squares = [np.square(each).sum(axis=0) for each in (page["coordinates"], library.coordinates)]
            assert squares[0][0] == pytest.approx(squares[1][0], rel=1e-3)
        unique += 1
    assert unique >= 180


def curves(count, west, east, height):
    """Points (x, y) on the grid of the steps, at random: scattered, on few places, on one line, in one place."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        n, kind = int(rng.integers(1, 21)), seed % 5
        x, y = rng.uniform(west, east, n), rng.uniform(-height, height, n)
        if kind == 1:
            x = np.round(x)
        if kind == 2:
            y = 0.1 * np.round(x)
        if kind == 3:
            x[: n // 2], y[: n // 3] = x[0], y[0]
        yield np.round(np.column_stack([x, y]), 1).tolist(), rng


def as_given_to_curves(program):
    return {"points": program.points, **program.settings}


def test_the_page_solves_the_ridge_regression_of_the_library(scripts):
    names = ("rbf", "matern", "laplacian", "rational", "periodic")
    programs = [
        Curve(points, names[i // 5 % 5], 10 ** rng.uniform(-1, 1), (10 ** rng.uniform(-4, 1), 0)[i // 25 % 2])
        for i, (points, rng) in enumerate(curves(400, 0, 10, 3))
    ]
    places = np.linspace(0, 10, 41)
    found = scripts.evaluate(
        """([cases, places]) => cases.map(given => {
            const found = curveInNumbers(given.points, given);
            return {...found, f: found && places.map(found.f), words: curveInWords(given.points, found)};
        })""",
        [[as_given_to_curves(program) for program in programs], places.tolist()],
    )
    drawn = {True: 0, False: 0}
    for program, page in zip(programs, found, strict=True):
        library, is_exact = program.fit(program.points), program.settings["ridge_lambda"] == 0
        assert page["words"] == program.describe(program.points)
        if is_exact:
            drawn[bool(library)] += 1
        if not library:
            assert "f" not in page or page["f"] is None
            continue
        f = library.f(places[:, None])
        assert np.abs(page["f"] - f).max() <= FOUR_DIGITS * max(1, np.abs(f).max())
        others = [y for _, y in program.points] - library.left_out
        assert page["others"] == pytest.approx(others, rel=FOUR_DIGITS, abs=1e-6)
        assert page["norm"] == pytest.approx(library.norm, rel=FOUR_DIGITS, abs=1e-9)
        if is_exact:
            assert f_at(program, library) == pytest.approx([y for _, y in program.points], abs=1e-6)
    assert drawn[True] >= 60
    assert drawn[False] >= 30


def f_at(program, fitted):
    return fitted.f([[x] for x, _ in program.points])


def test_the_page_has_the_band_of_the_library(scripts):
    names = ("rbf", "matern", "laplacian", "rational", "periodic")
    programs = [
        Band(
            points,
            names[i // 5 % 5],
            10 ** rng.uniform(-1, 1),
            10 ** rng.uniform(-1.3, 0.6),
            10 ** rng.uniform(-1, 0.6),
        )
        for i, (points, rng) in enumerate(curves(200, 0, 10, 3))
    ]
    grid = np.linspace(0, 10, 201)
    found = scripts.evaluate(
        """([cases, grid]) => cases.map(given => {
            const found = bandInNumbers(given.points, given), half = grid.map(found.half);
            return {...found, f: grid.map(found.f), half, words: bandInWords(found, Math.max(...half))};
        })""",
        [[as_given_to_curves(program) for program in programs], grid.tolist()],
    )
    for program, page in zip(programs, found, strict=True):
        mean, sd, evidence = program.posterior(program.points, grid)
        assert np.abs(page["f"] - mean).max() <= FOUR_DIGITS * max(1, np.abs(mean).max())
        assert page["half"] == pytest.approx(1.96 * sd, rel=FOUR_DIGITS, abs=1e-6)
        assert page["evidence"] == pytest.approx(evidence, rel=FOUR_DIGITS)
        assert page["words"] == program.describe(program.points)


def test_the_page_solves_the_tube_of_the_library(scripts):
    programs = []
    for i, (points, rng) in enumerate(curves(200, -3, 3, 4)):
        C, epsilon = 10 ** rng.uniform(-2, 3), (0.5, 10 ** rng.uniform(-2, 0.3))[i % 2]
        programs.append(Tube(points, ("linear", "rbf")[i // 2 % 2], C, epsilon, 10 ** rng.uniform(-1, 1)))
    places = np.linspace(-3, 3, 41)
    found = scripts.evaluate(
        """([cases, places]) => cases.map(given => {
            const found = fitSVR(given.points, KERNELS[given.kernel](given), given.C, given.epsilon);
            return {...found, f: places.map(found.f), words: tubeInWords(found)};
        })""",
        [[{**as_given_to_curves(program), "kernel": program.kernel} for program in programs], places.tolist()],
    )
    kinds = set()
    for program, page in zip(programs, found, strict=True):
        library = program.fit(program.points)
        f = library.machine.predict(places[:, None])
        assert np.abs(page["f"] - f).max() <= FOUR_DIGITS * max(1, np.abs(f).max())
        assert page["objective"] == pytest.approx(library.objective, rel=FOUR_DIGITS, abs=1e-7)
        assert page["words"] == program.describe(program.points)
        assert sum(page["beta"]) == pytest.approx(0, abs=1e-9 * program.settings["C"])
        if library.on_edge.sum() < 2:  # no two points can share their force
            assert page["beta"] == pytest.approx(library.beta, abs=FOUR_DIGITS * program.settings["C"])
        kinds.add((program.kernel, bool(library.on_edge.any()), bool(library.outside.any())))
    assert len(kinds) == 8


def test_the_page_solves_the_one_class_machine_of_the_library(scripts):
    programs = [
        OneClass(
            points, ("rbf", "laplacian")[i // 2 % 2], (0.5, rng.uniform(0.02, 0.95))[i % 2], 10 ** rng.uniform(-1, 1)
        )
        for i, (points, rng) in enumerate(clouds(240))
    ]
    found = scripts.evaluate(
        """([cases, grid]) => cases.map(given => {
            const found = fitOneClass(given.points, KERNELS[given.kernel](given), given.nu);
            return {...found, f: grid.map(place => found.f(...place)), words: oneClassInWords(found)};
        })""",
        [[{"points": program.points, **program.settings} for program in programs], GRID.tolist()],
    )
    kinds = set()
    for program, page in zip(programs, found, strict=True):
        library = program.fit(program.points)
        f = library.machine.score_samples(GRID)
        assert np.abs(page["f"] - f).max() <= FOUR_DIGITS * max(1, np.abs(f).max())
        assert page["rho"] == pytest.approx(library.machine.offset_, rel=FOUR_DIGITS)
        assert page["words"] == program.describe(program.points)
        assert sum(page["beta"]) == pytest.approx(library.total)
        if len(set(program.points)) == len(program.points) and program.settings["kernel"] == "laplacian":
            assert page["beta"] == pytest.approx(library.alpha, abs=FOUR_DIGITS)
        kinds.add((program.settings["kernel"], bool(library.outside.any())))
    assert len(kinds) == 4


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

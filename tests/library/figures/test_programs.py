"""What can be moved, in Python: its words are right, its picture is where the page draws it."""

import json
from itertools import product

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as Covariance
from sklearn.gaussian_process.kernels import ConstantKernel
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from kernelbook import RBF, KernelRidge, KernelRidgeCV, plotting
from kernelbook.figures import SMO, Band, Bells, Classifier, Clusters, Components, Curve, OneClass, Tube, drag
from kernelbook.figures.classifier import Fitted
from kernelbook.figures.controls import text_of
from kernelbook.figures.curve import KERNELS
from kernelbook.figures.frames import as_frame
from kernelbook.figures.kernels import KERNELS as PLANE_KERNELS
from kernelbook.figures.plane import PADDING, decimals, room_of, ticks
from kernelbook.qp import DualQP, textbook_smo
from kernelbook.rkhs import interpolant
from kernelbook.svm import SVC

CORNERS = [(-2, -2), (2, -2), (2, 2), (-2, 2)]


@pytest.fixture(autouse=True)
def style(own_style):
    """Figures are drawn as in the book."""


def test_bells_say_norm_and_values():
    bells = Bells([(0, 1), (1, -0.5)], gamma=np.log(2))
    assert bells.describe(bells.points) == "The norm is 0.87; f(0) = 0.75, f(1) = 0.00."
    assert bells.describe([(0, 1), (0, -1)]) == "The norm is 0.00; f(0) = 0.00, f(0) = 0.00."
    assert bells.describe([(0, 1), (-0.5, 1)], gamma=4 * np.log(2)) == "The norm is 1.73; f(0) = 1.50, f(−0.5) = 1.50."


def test_bells_stay_between_the_lines_that_the_norm_allows():
    for bells in ([(0, 1), (1, 1)], [(0, 1), (2, -1)], [(-1, 0.5), (0.5, -2), (3, 1)]):
        figure = Bells(bells).draw(bells)
        *parts, below, above, f, dots = (line.get_ydata() for line in figure.axes[0].lines)
        assert len(parts) == len(bells)
        assert np.allclose(sum(parts), f)
        assert (below <= f + 1e-9).all()
        assert (f <= above + 1e-9).all()
        assert dots.tolist() == [weight for _, weight in bells]


def test_opposite_bells_touch_the_line():
    """f = a k₀ − a k_z is parallel to k₀ − k_z, so that the inequality of Cauchy and Schwarz is an equality at z."""
    bells = [(0, 1), (1, -1)]
    _, _, below, _, f, _ = Bells(bells, gamma=np.log(2)).draw(bells).axes[0].lines
    touching = np.isclose(below.get_ydata(), f.get_ydata(), atol=1e-4)
    assert set(f.get_xdata()[touching].round(1)) == {0, 1}


def test_a_classifier_says_what_no_choice_of_a_solution_changes():
    pair = Classifier([(-1, 0), (1, 0)], [-1, 1], C=10)
    said = "Points on the edge 2, with slack 0; training errors 0; full margin 2.00; objective 0.50."
    assert pair.describe(pair.points) == said
    # the four corners have more than one dual solution; all four are on the edge of the one strip
    square = Classifier(CORNERS, [-1, -1, 1, 1])
    said = "Points on the edge 4, with slack 0; training errors 0; full margin 4.00; objective 0.13."
    assert square.describe(square.points) == said


def test_where_b_is_left_open_it_is_the_middle():
    """C so small that all four α are at it: every |b| ≤ 0.84 is as good, and the count of errors depends on it."""
    square = Classifier(CORNERS, [-1, -1, 1, 1], C=0.01)
    said = "Points on the edge 0, with slack 4; training errors 0; full margin 25.00; objective 0.04."
    assert square.describe(square.points) == said
    assert square.fit(square.points).b == pytest.approx(0, abs=1e-9)


def test_slack_and_edge_forgive_rounding():
    margin = np.array([1 - 1e-7, 1, 1 + 1e-7, 1 - 1e-5, 0.5, 1e-7])
    found = Fitted(None, 1.0, margin)
    assert found.on_edge.tolist() == [True, True, True, False, False, False]
    assert (found.slack > 0).tolist() == [False, False, False, True, True, True]
    assert found.errors == 1


def test_a_class_inside_the_other_leaves_no_line():
    hidden = Classifier([*CORNERS, (0, 0)], [1, 1, 1, 1, -1], C=100)
    said = "Points on the edge 4, with slack 1; training errors 1; no line, f = 1.00 everywhere; objective 200.00."
    assert hidden.describe(hidden.points) == said
    drawn = hidden.draw(hidden.points).axes[0]
    assert drawn.get_facecolor()[:3] == plt.matplotlib.colors.to_rgb(plotting.REGIONS[1])
    assert not drawn.collections
    other = Classifier([*CORNERS, (0, 0)], [-1, -1, -1, -1, 1], C=100)
    assert other.draw(other.points).axes[0].get_facecolor()[:3] == plt.matplotlib.colors.to_rgb(plotting.REGIONS[0])
    same = Classifier([(0, 0), (1, 1), (0, 0), (1, 1)], [1, 1, -1, -1])
    said = "Points on the edge 0, with slack 4; training errors 4; no line, f = 0.00 everywhere; objective 4.00."
    assert same.describe(same.points) == said
    assert same.draw(same.points).axes[0].get_facecolor()[:3] == plt.matplotlib.colors.to_rgb(plotting.PANEL)


@pytest.mark.parametrize(("kernel", "choice"), [("linear", {"C": 1}), ("rbf", {"C": 10, "gamma": 0.5})])
def test_a_classifier_draws_sides_lines_and_marks(kernel, choice):
    points, y = [(-1, -1), (-2, 1), (-0.5, 1), (1, 1), (2, -1), (-1.5, 0)], [-1, -1, -1, 1, 1, 1]
    program = Classifier(points, y, kernel)
    found, ax = program.fit(points, **choice), program.draw(points, **choice).axes[0]
    *dials, rings, diamonds, squares, circles = (np.transpose(line.get_data()).tolist() for line in ax.lines)
    assert len(dials) == np.count_nonzero(found.shares) == len(found.machine.support_)
    assert rings == [list(map(float, p)) for p, on in zip(points, found.on_edge, strict=True) if on]
    assert diamonds == [list(map(float, p)) for p, slack in zip(points, found.slack, strict=True) if slack]
    assert (len(squares), len(circles)) == (3, 3)
    assert len(ax.collections) == 4  # two sides, f = 0, and f = ±1


SIX = [(1, 1.2), (2.5, 2), (4, -0.5), (4.2, 2.9), (7, -2), (7.5, -1)]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_curve_says_and_draws_what_refits_say(kernel):
    program = Curve(SIX, kernel, width=1.5, ridge_lambda=0.2)
    (x, y), k = np.transpose(SIX), KERNELS[kernel](1.5)
    refits = cross_val_predict(KernelRidge(k, 0.2), x[:, None], y, cv=LeaveOneOut())
    *links, others, fit, _ = program.draw(SIX).axes[0].lines
    assert np.allclose(others.get_ydata(), refits)
    assert [line.get_ydata().tolist() for line in links] == np.column_stack([y, others.get_ydata()]).tolist()
    assert np.allclose(fit.get_ydata(), KernelRidge(k, 0.2).fit(x[:, None], y).predict(fit.get_xdata()[:, None]))
    library = KernelRidgeCV(k, [0.2]).fit(x[:, None], y)
    said = f"Degrees of freedom {decimals(library.degrees_of_freedom_[0])} of 6; leave-one-out error "
    assert program.describe(SIX).startswith(f"{said}{decimals(library.loo_errors_[0] ** 0.5)}; norm of f ")


@pytest.mark.parametrize("kernel", ["rbf", "matern", "laplacian", "rational"])
def test_without_a_ridge_a_curve_is_the_interpolant_of_least_norm(kernel):
    program, k = Curve(SIX, kernel, width=0.5, ridge_lambda=0), KERNELS[kernel](0.5)
    (x, y), fitted = np.transpose(SIX), program.fit(SIX)
    library = interpolant(k, x[:, None], y)
    places = np.linspace(0, 10, 41)[:, None]
    assert fitted.f(places) == pytest.approx(library(places), abs=1e-8)
    without = [interpolant(k, np.delete(x, i)[:, None], np.delete(y, i)).norm() for i in range(6)]
    assert np.sqrt(library.norm() ** 2 - fitted.prices) == pytest.approx(without)
    said = f"The norm of f is {decimals(library.norm())}; without the point at x = {text_of(x[np.argmin(without)])}, "
    assert program.describe(SIX) == f"{said}which costs most, it would be {decimals(min(without))}."
    assert program.numbers(SIX) == {"points": 6, "norm": pytest.approx(library.norm())}


def test_no_interpolant_goes_through_two_points_at_one_place_or_too_close():
    twice = Curve([(1, 0), (1, 1)], ridge_lambda=0)
    assert twice.describe(twice.points) == "No f is drawn: two points stand at one place."
    assert twice.numbers(twice.points) == {"points": 2, "norm": 0}
    close = [(i / 10, 0) for i in range(9)]
    assert twice.describe(close) == "No f is drawn: some points are too close for this kernel."
    assert twice.describe(close, kernel="laplacian").startswith("The norm of f is 0.00; ")
    assert twice.describe(twice.points, ridge_lambda=0.1).startswith("Degrees of freedom ")


def test_a_band_is_that_of_another_library_and_does_not_see_the_values():
    program = Band(SIX, width=1.5, sigma=0.4, tau=0.8)
    (x, y), places = np.transpose(SIX), np.linspace(0, 10, 11)
    theirs = GaussianProcessRegressor(ConstantKernel(0.64) * Covariance(1.5), alpha=0.16, optimizer=None)
    mean, sd = theirs.fit(x[:, None], y).predict(places[:, None], return_std=True)
    own_mean, own_sd, evidence = program.posterior(SIX, places)
    assert np.allclose(own_mean, mean, atol=1e-6)
    assert np.allclose(own_sd, sd, atol=1e-6)
    assert evidence == pytest.approx(theirs.log_marginal_likelihood_value_)
    lifted = [(x, y + 0.5) for x, y in SIX]
    assert program.describe(lifted).split(";")[0] == program.describe(SIX).split(";")[0]
    assert program.describe(lifted) != program.describe(SIX)


@pytest.mark.parametrize("program", [Tube(SIX, box=(0, 8, -3, 3)), Tube(SIX, "rbf", C=10, box=(0, 8, -3, 3))])
def test_a_tube_is_held_at_rest_by_its_forces(program):
    fitted, (x, y) = program.fit(SIX), np.transpose(SIX)
    beta, r = fitted.beta, y - fitted.machine.predict(x[:, None])
    assert beta.sum() == pytest.approx(0, abs=1e-9)
    assert (beta[~fitted.outside & ~fitted.on_edge] == 0).all()
    C = program.settings["C"]
    assert np.allclose(beta[fitted.outside], C * np.sign(r[fitted.outside]))
    assert (beta * np.sign(r) > -1e-9).all()
    errors = np.maximum(np.abs(r) - 0.5, 0)
    assert fitted.objective == pytest.approx(fitted.norm**2 / 2 + C * errors.sum())


def test_points_inside_the_tube_can_be_moved_and_nothing_moves():
    flat = Tube([(-1, 0.2), (0, -0.2), (1, 0.1)])
    said = "Points inside the tube 3, on its edge 0, outside 0; norm of f 0.00; objective 0.00."
    assert flat.describe(flat.points) == flat.describe([(-1, 0.2), (1.5, -0.2), (1, 0)]) == said
    edges_and_fit, rings, diamonds, _ = np.split(flat.draw(flat.points).axes[0].lines, [3, 4, 5])
    assert len(edges_and_fit) == 3  # no arrow
    assert len(rings[0].get_xdata()) == len(diamonds[0].get_xdata()) == 0


@pytest.mark.parametrize(
    "program",
    [
        Bells([(0, 1)]),
        Classifier([(0, 0), (1, 1)], [-1, 1]),
        Curve(SIX),
        Band(SIX),
        Tube([(0, 1)]),
        Components([(0, 1)]),
        OneClass([(0, 1)]),
        SMO([(0, 0), (1, 1)], [-1, 1]),
        Clusters(CORNERS),
    ],
)
def test_the_first_picture_is_where_the_page_draws_the_others(program):
    figure = program.draw(program.points)
    (width, height), (left, right, below, above) = program.size, PADDING
    assert (figure.get_size_inches() * 100).round().tolist() == [width, height]
    area = figure.axes[0].get_window_extent()
    foot = below + room_of(program)
    assert np.allclose(area.extents * 100 / figure.dpi, [left, foot, width - right, height - above])
    assert [*figure.axes[0].get_xlim(), *figure.axes[0].get_ylim()] == list(program.box)
    assert [ax.tolist() for ax in (figure.axes[0].get_xticks(), figure.axes[0].get_yticks())] == ticks(program.box)


def test_both_axes_of_a_classifier_have_one_unit():
    program = Classifier([(0, 0), (1, 1)], [-1, 1], box=(-2, 4, 0, 3))
    area = program.draw(program.points).axes[0].get_window_extent()
    assert area.width / 6 == pytest.approx(area.height / 3)


BENT = Classifier([(0, 0), (1, 0), (-2, 1), (0.5, 1)], [-1, 1, 1, 1], kernel="rbf")


@pytest.mark.parametrize(
    "program",
    [
        Bells([(0, 1), (1, 1)]),
        BENT,
        Curve(SIX),
        Band(SIX),
        Tube([(-1, -1), (0, 1), (1, 3)], "rbf"),
        Components([*CORNERS, (0, 1)]),
        OneClass([*CORNERS, (0, 1)]),
        SMO(BENT.points, BENT.y),
    ],
)
def test_every_parameter_of_a_slider_changes_what_is_said_and_drawn(program):
    later = {"steps": 1} if isinstance(program, SMO) else {}  # at first every α is 0
    for parameter in program.parameters:
        values = {"kernel": ("rbf", "laplacian"), "component": ("first", "second"), "nu": (0.3, 0.9)}.get(
            parameter, (0.5, 1.5)
        )
        said = {program.describe(program.points, **later, **{parameter: value}) for value in values}
        assert len(said) == 2
        figures = [program.draw(program.points, **{parameter: value}) for value in values]
        assert len({"".join(as_frame(figure)) for figure in figures}) == 2


def test_components_are_those_of_a_covariance_and_say_when_they_are_not_unique():
    """With the linear kernel: eigenvectors of the covariance matrix. A square varies as much in all directions."""
    program, X = Components(SIX, "linear", box=(0, 8, -3, 3)), np.array(SIX)
    values, vectors = np.linalg.eigh(np.cov(X.T))
    fitted = program.fit(SIX)
    assert fitted.shares[:2] == pytest.approx(values[::-1] / values.sum())
    scores = (X - X.mean(axis=0)) @ vectors[:, 1]
    assert np.abs(fitted.height(X)) == pytest.approx(np.abs(scores))
    square = Components(CORNERS, "linear")
    assert square.describe(CORNERS) == (
        "The first component has 0.50 of the variance; the shares of the first three are 0.50, 0.50, 0.00. "
        "It is not unique."
    )
    assert square.numbers(CORNERS) == {"points": 4, "first": pytest.approx(0.5), "gap": pytest.approx(0, abs=1e-9)}
    straight = [(-1, 0), (0, 0), (1, 0)]
    assert (
        Components(straight, "linear", component="second")
        .describe(straight)
        .startswith("There is no second component; ")
    )


def test_level_lines_are_half_a_standard_deviation_apart():
    program = Components([*CORNERS, (0, 1)])
    (levels,) = program.draw(program.points).axes[0].collections
    heights = program.fit(program.points).height(np.array(program.points))
    assert levels.levels == pytest.approx(heights.std() * np.arange(-6, 7) / 2)


def test_a_one_class_machine_is_a_ball_with_a_share_outside():
    program = OneClass(SIX, nu=0.4, box=(0, 8, -3, 3))
    fitted, X = program.fit(SIX), np.array(SIX)
    K = np.exp(-np.square(X[:, None] - X).sum(axis=-1))
    centre = fitted.alpha / fitted.alpha.sum()
    distance = 1 - 2 * K @ centre + centre @ K @ centre
    assert np.allclose(distance[fitted.on_edge], fitted.squared_radius)
    assert (distance[fitted.outside] > fitted.squared_radius).all()
    assert fitted.outside.sum() <= fitted.total == pytest.approx(2.4)
    assert np.allclose(fitted.alpha[fitted.outside], 1)
    square = OneClass(CORNERS, nu=0.7)  # all are alike, so all are on the edge
    assert square.numbers(CORNERS) == {"points": 4, "outside": 0, "nu": 0.7, "gamma": 1}


def runs(count):
    for seed in range(count):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 21))
        X, y = np.round(rng.uniform((-3, -2.5), (3, 2.5), (n, 2)), 1), np.where(rng.random(n) < 0.5, 1, -1)
        y[:2] = 1, -1
        kernel = ("rbf", "laplacian", "linear", "quadratic")[seed % 4]
        yield SMO(X.tolist(), y.tolist(), kernel, C=10 ** rng.uniform(-1, 2), gamma=10 ** rng.uniform(-1.5, 0.5))


def dual_of(program):
    """Its dual problem, as the library states it, and its kernel."""
    kernel = PLANE_KERNELS[program.settings["kernel"]](program.settings["gamma"])
    C, y = program.settings["C"], np.array(program.y)
    return DualQP(kernel(np.array(program.points)), y, np.minimum(0, C * y), np.maximum(0, C * y)), kernel


def test_every_step_of_a_run_is_that_of_the_library():
    """The pairs and β of ``textbook_smo``, and at the end the library's machine.

    In spaces of few dimensions several pairs often promise the same, and the runs may part.
    """
    whole = {kernel: 0 for kernel in PLANE_KERNELS}
    for program in runs(200):
        states, X, C = program.run(program.points), np.array(program.points), program.settings["C"]
        problem, kernel = dual_of(program)
        solution, pairs = textbook_smo(problem)
        own = [state.pair for state in states[1:]]
        for state in states:
            assert state.beta.sum() == pytest.approx(0, abs=1e-9 * C)
            of_library = problem.objective(state.beta, problem.gradient(state.beta))
            assert state.objective == pytest.approx(of_library, abs=1e-8 * C * len(X))
        assert (np.diff([state.objective for state in states]) < 1e-9 * C).all()
        if len(states) <= 2000:
            f = kernel(X) @ states[-1].beta + states[-1].b
            assert f == pytest.approx(SVC(kernel, C=C).fit(X, program.y).decision_function(X), abs=0.02)
        if own == [tuple(pair) for pair in pairs.tolist()]:
            assert states[-1].beta == pytest.approx(solution.beta, abs=1e-9 * C)
            whole[program.settings["kernel"]] += 1
    assert min(whole["rbf"], whole["laplacian"]) >= 45
    assert min(whole.values()) >= 15


def test_a_run_after_k_steps_is_that_of_the_library_after_k_steps():
    program = next(program for program in runs(40) if len(program.run(program.points)) > 20)
    problem, C = dual_of(program)[0], program.settings["C"]
    for k, state in enumerate(program.run(program.points)[:20]):
        with pytest.warns(ConvergenceWarning):
            solution, _ = textbook_smo(problem, max_iter=k)
        assert state.beta == pytest.approx(solution.beta, abs=1e-9 * C)


def test_a_run_says_which_alpha_moved_and_which_have_returned():
    program = SMO([(-1, 0), (1, 0)], [-1, 1], "linear", C=0.2)
    assert program.describe(program.points) == "Step 0 of 1: every α is 0. Violation 2.00; objective 0.00."
    assert program.describe(program.points, steps=5) == (
        "Step 1 of 1: α of the circle at (1, 0) from 0.00 to 0.20, of the square at (−1, 0) from 0.00 to 0.20. "
        "Violation 0.00; objective −0.32."
    )
    numbers = program.numbers(program.points, steps=1)
    assert numbers == {"points": 2, "step": 1, "steps": 1, "returned": 0}


def groupings(n, q):
    """All ways to part n points into at most q groups, by labels."""
    return [(0, *rest) for rest in product(range(q), repeat=n - 1)]


def inside(K, labels):
    """The scatter inside the groups."""
    blocks = [np.flatnonzero(np.equal(labels, c)) for c in set(labels)]
    return sum(np.trace(K[np.ix_(b, b)]) - K[np.ix_(b, b)].sum() / len(b) for b in blocks)


def test_groups_are_the_best_of_all_and_a_rest_of_k_means():
    best = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X, q = np.round(rng.uniform(-2, 2, (int(rng.integers(5, 8)), 2)), 1), 2 + seed % 2
        for method, K in (("k-means", X @ X.T), ("kernel k-means", RBF(1.0)(X))):
            labels = Clusters(X.tolist(), method, groups=q).fit(X.tolist()).labels
            least = min(inside(K, each) for each in groupings(len(X), q))
            assert inside(K, labels) > least - 1e-9
            best += inside(K, labels) < least + 1e-9
            if method == "k-means":
                means = np.array([X[labels == c].mean(axis=0) for c in range(q)])
                assert (KMeans(q, init=means, n_init=1).fit(X).labels_ == labels).all()
    assert best >= 385


def test_spectral_groups_are_those_of_another_library():
    same = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X, q, gamma = np.round(rng.uniform(-2, 2, (int(rng.integers(6, 21)), 2)), 1), 2 + seed % 2, rng.uniform(0.3, 2)
        found = Clusters(X.tolist(), "spectral", gamma, q).fit(X.tolist())
        theirs = SpectralClustering(q, affinity="precomputed", n_init=20, random_state=0, eigen_solver="arpack")
        same += adjusted_rand_score(theirs.fit_predict(found.W), found.labels) == 1
    assert same >= 190


def test_a_ring_and_a_heap_have_a_small_cut():
    turns = 2 * np.pi * np.arange(11) / 11
    ring = np.round(2.2 * np.column_stack([np.cos(turns), np.sin(turns)]), 1).tolist()
    program = Clusters([*ring, (0.1, 0.4), (-0.4, 0.1), (0.3, -0.2), (-0.1, -0.4)])
    assert program.describe(program.points).startswith("Groups of 11, 4 points; ")
    halves, cut = program.numbers(program.points, method="k-means"), program.numbers(program.points)["cut"]
    assert (halves["points"], halves["groups"], halves["method"]) == (15, 2, 0)
    assert halves["cut"] > 3 * cut


def test_ticks_are_few_whole_numbers():
    assert ticks((-3, 5, -3, 3)) == [[-2, 0, 2, 4], [-3, -2, -1, 0, 1, 2, 3]]
    assert ticks((-30, 30, 0.5, 2)) == [[-30, -20, -10, 0, 10, 20, 30], [1, 2]]


def test_numbers_have_two_decimals_and_a_minus_sign():
    assert [decimals(x) for x in (0.125, -0.125, -0.004, 1e4)] == ["0.13", "−0.13", "0.00", "10000.00"]


PAIR = [(-1, 0), (1, 0)]


def with_task(wanted):
    return drag(Classifier(PAIR, [1, -1]), task=("Err once.", wanted))


@pytest.mark.parametrize(
    ("points", "y", "separable"),
    [
        ([(0, 0), (1, 0), (2, 0)], [1, -1, 1], 0),
        ([(0, 0), (1, 0), (2, 0)], [1, 1, -1], 1),
        ([(0, 0), (1, 0.1), (2, 0)], [1, -1, 1], 1),
        (CORNERS, [1, -1, 1, -1], 0),
        ([*CORNERS, (0, 0)], [1, 1, 1, 1, -1], 0),
        ([*CORNERS, (0, 2.1)], [1, 1, 1, 1, -1], 1),  # an edge and a point
        ([(0, 0), (0, 0)], [1, -1], 0),
    ],
)
def test_a_line_separates_or_not(points, y, separable):
    program = Classifier(points, y)
    assert program.numbers(points)["separable"] == separable
    if len(set(points)) == len(points):
        assert (program.fit(points, C=1e4).errors == 0) == separable


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Bells([]), r"points must be a list of pairs of numbers, at least one, got shape \(0,\)"),
        (lambda: Bells([[], []]), r"points must be a list of pairs of numbers, at least one, got shape \(2, 0\)"),
        (lambda: Bells([1, 2]), r"points must be a list of pairs of numbers, at least one, got shape \(2,\)"),
        (lambda: Bells([(0, 1, 2)]), r"points must be a list of pairs of numbers, at least one, got shape \(1, 3\)"),
        (
            lambda: Bells([(1 / 3, 1)]),
            r"points must hold multiples of 0.05, by which points move, got \(0.333.*, 1.0\)",
        ),
        (lambda: Bells([(0, np.nan)]), "points contains NaN"),
        (lambda: Bells([(0, 1), (9, 1)]), r"points must lie in the box \(.*\), got \(9.0, 1.0\)"),
        (lambda: Bells([(-4, 1)]), r"points must lie in the box \(.*\), got \(-4.0, 1.0\)"),
        (lambda: Bells([(0, -3.5)]), r"points must lie in the box \(.*\), got \(0.0, -3.5\)"),
        (lambda: Bells([(0, 1)], box=(3, 1, 0, 2)), r"box must have west < east and south < north, got \(3, 1, 0, 2\)"),
        (lambda: Bells([(0, 1)], box=(-1, 1, 2, 0)), "box must have west < east and south < north"),
        (
            lambda: Bells([(0, 1)], box=((-1, 1), (-2, 2))),
            r"box must be \(west, east, south, north\), numbers between",
        ),
        (lambda: Bells([(0, 1)], box=(-np.inf, 1, -2, 2)), "numbers between −10⁴ and 10⁴, got"),
        (lambda: Bells([(0, 1)], box="plane"), "numbers between −10⁴ and 10⁴, got 'plane'"),
        (lambda: Bells([(0, 1)], box=(0, 1e4, 0, 1)), "numbers between −10⁴ and 10⁴"),
        (lambda: Bells([(0, 1)], box=(-3.03, 5, -3, 3)), r"box must hold multiples of 0.05, .* got \(-3.03, 5.0"),
        (lambda: Bells([(0, 1)], gamma=0), "gamma must be a finite number > 0, got 0"),
        (lambda: Classifier(PAIR, [0, 1]), r"y must hold a label \+1 or −1 for each of the 2 points, and both"),
        (lambda: Classifier(PAIR, [1, 1]), "and both"),
        (lambda: Classifier(PAIR, [1, -1, 1]), "for each of the 2 points"),
        (lambda: Classifier(PAIR, [1, -1], kernel="poly"), "kernel must be one of .*, got 'poly'"),
        (lambda: Classifier(PAIR, [1, -1], C=-1), "C must be a finite number > 0, got -1"),
        (lambda: Classifier(PAIR, [1, -1], C=1e6), "C must be at most 10000, got 1000000.0"),
        (lambda: Classifier(PAIR, [1, -1], kernel="rbf", gamma=0), "gamma must be a finite number > 0, got 0"),
        (lambda: Curve(PAIR), r"points must lie in the box \(0.0, 10.0, -3.0, 3.0\), got \(-1.0, 0.0\)"),
        (lambda: Curve(SIX, "linear"), r"kernel must be one of \('rbf', 'matern', .*\), got 'linear'"),
        (lambda: Curve(SIX, ridge_lambda=-1), "ridge_lambda must be a finite number > 0, got -1"),
        (lambda: Curve(SIX, ridge_lambda=1e-6), "ridge_lambda must be at least 0.0001, got 1e-06"),
        (lambda: Band(SIX, sigma=0.01), "sigma must be at least 0.05, got 0.01"),
        (lambda: Band(SIX, tau=10), "tau must be at most 5, got 10"),
        (lambda: Tube(PAIR, kernel="matern"), r"kernel must be one of \('linear', 'rbf'\), got 'matern'"),
        (lambda: Tube(PAIR, C=1e4), "C must be at most 1000, got 10000.0"),
        (lambda: Tube(PAIR, epsilon=0), "epsilon must be a finite number > 0, got 0"),
        (lambda: drag(Tube(PAIR), gamma=[1, 2]), "Tube has sliders for C and epsilon, not for gamma"),
        (lambda: drag(Curve(SIX), kernel=["rbf", "poly"]), "kernel must be one of .*, got 'poly'"),
        (lambda: drag(Band(SIX), ridge_lambda=[1]), "sliders for kernel and width and sigma and tau, not for ridge_l"),
        (lambda: Components(PAIR, "poly"), "kernel must be one of .*, got 'poly'"),
        (lambda: Components(PAIR, component="third"), "component must be one of .*, got 'third'"),
        (lambda: OneClass(PAIR, "linear"), r"kernel must be one of \('rbf', 'laplacian'\), got 'linear'"),
        (lambda: OneClass(PAIR, nu=1), "nu must be at most 0.95, got 1"),
        (lambda: OneClass([(0, 9)]), r"points must lie in the box"),
        (lambda: SMO(PAIR, [1, 1]), "and both"),
        (lambda: drag(SMO(PAIR, [1, -1]), steps=[1, 2]), "SMO has sliders for kernel and C and gamma, not for steps"),
        (lambda: drag(PAIR), "program must be one of Bells, Classifier, Curve, Band, Tube, Components, OneClass, SMO"),
        (lambda: Clusters(PAIR, "means"), "method must be one of .*, got 'means'"),
        (lambda: Clusters(PAIR, groups=4), r"groups must be one of \(2, 3\), got 4"),
        (
            lambda: drag(Classifier(PAIR, [1, -1]), nu=[0.1, 0.2]),
            "Classifier has sliders for kernel and C and gamma, not for nu",
        ),
        (lambda: drag(Classifier(PAIR, [1, -1]), kernel=["rbf", "cubic"]), "kernel must be one of .*, got 'cubic'"),
        (lambda: drag(Bells([(0, 1)]), task=("t", {"x": (0, 1)})), "which has no numbers, got 'x'"),
        (lambda: with_task({"norm": (0, 1)}), "which has points, errors, separable, got 'norm'"),
        (lambda: with_task({"errors": 0}), r"task must give errors a pair \(least, most\) of numbers, got 0"),
        (lambda: with_task({"errors": (2, 1)}), r"task must give errors a pair .* got \(2, 1\)"),
        (lambda: with_task({"errors": (0, "1")}), r"task must give errors a pair .* got \(0, '1'\)"),
        (lambda: with_task({}), r"task must be a pair of a sentence and a dict of pairs \(least, most\), got"),
        (lambda: with_task({"errors": (0, 1)}), r"task must not be done .*, got {'errors': \(0, 1\)}"),
        (lambda: drag(Classifier(PAIR, [1, -1]), C=[1, 1e5]), "C must be at most 10000, got 100000.0"),
        (lambda: drag(Bells([(0, 1)]), gamma=[0, 1]), "gamma must be a finite number > 0, got 0"),
        (lambda: drag(Bells([(0, 1)]), gamma=["1", "2"]), "gamma must be a finite number > 0, got '1'"),
        (lambda: drag(Bells([(0, 1)]), gamma=1), "gamma must be a list of values in the slider's order, got 1"),
        (lambda: drag(Bells([(0, 1)]), gamma=[]), "gamma must hold at least one value, got an empty list"),
    ],
)
def test_what_cannot_be_moved_is_refused_in_a_sentence(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_what_numpy_made_is_taken_too():
    plain = {"C": 10, "gamma": 0.5, "box": (-3, 3, -2.5, 2.5)}
    arrays = {"C": np.int64(10), "gamma": np.float32(0.5), "box": np.array(plain["box"])}
    given = Classifier(np.array(PAIR), np.array([-1.0, 1.0]), **arrays).given()
    assert json.dumps(given) == json.dumps(Classifier(PAIR, [-1, 1], **plain).given())
    assert json.dumps(Bells(np.array(PAIR), gamma=np.float32(1)).given()) == json.dumps(Bells(PAIR).given())


def test_a_sum_of_steps_is_a_multiple_and_zero_has_no_sign():
    assert str(Bells([(0.1 + 0.2, -0.0)], box=(-0.3, 0.1 + 0.2, -1, 1)).points) == "[(0.3, 0.0)]"

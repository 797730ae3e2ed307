"""Functions in a kernel's space: the laws of a Hilbert space on objects of every kind, closed forms, bad input."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from kernelbook import RBF, SVC, Laplacian, Linear, Matern, Polynomial, Precomputed
from kernelbook.kernels import Columns, FunctionKernel, MissingValue, Overlap, Spectrum
from kernelbook.rkhs.functions import RKHSFunction, interpolant, mercer

X, Z = np.random.default_rng(3).normal(size=(2, 7, 2))
GRAM = Polynomial(degree=3)(np.vstack([X, Z]))  # rank 10, of 14 rows
UNSORTED = np.array([0.7, 0.1, 0.45, 0.9, 0.2])
for array in X, Z, GRAM, UNSORTED:
    array.flags.writeable = False  # a function that changed its argument would raise
WORDS = ["kernel", "ridge", "colonel", "bridge", "norm"]


def common_letters(A, B):
    return [[len(set(a) & set(b)) for b in B] for a in A]


def smaller(A, B):
    return np.minimum.outer(A, B)


FRAME = pd.DataFrame(
    {"age": [0.1, 2.0, 1.5, -1.0, 0.4, 1.0, 0.0], "seen": ["yes", "no", "yes", "no", "yes", None, "yes"]},
    index=[4, 4, "a", 0, 1, 2, 3],
).assign(word=[*WORDS, "norms", "kern"])
MIXED = Columns([(["age"], RBF(0.5)), (["seen"], MissingValue(Overlap())), ("word", Spectrum(1))]).fit(FRAME)
SPACES = {
    "RBF": (RBF(0.5), X, Z[:4]),
    "scale": (RBF("scale").fit(X), X, Z[:4]),
    "more points than dimensions": (Polynomial(degree=2), X, Z),
    "strings": (FunctionKernel(common_letters), WORDS, ["rbf", "norms", "kern"]),
    "row numbers": (Precomputed(GRAM), np.arange(7), [9, 8, 12]),
    "minimum": (FunctionKernel(smaller), UNSORTED, np.array([0.3, 0.8])),
    "tables": (MIXED, FRAME.iloc[:5], FRAME.iloc[5:]),
}


def random_function(kernel, points, seed):
    return RKHSFunction(kernel, points, np.random.default_rng(seed).normal(size=len(points)))


@pytest.fixture(params=SPACES.values(), ids=SPACES)
def space(request):
    """Functions f and h on points of a space, g on others of its objects; then the kernel, points and others."""
    kernel, points, others = request.param
    f, g, h = (random_function(kernel, at, seed) for seed, at in enumerate([points, others, points]))
    return f, g, h, kernel, points, others


def joined(points, others):
    if isinstance(points, pd.DataFrame):
        return pd.concat([points, others])
    return [*points, *others] if isinstance(points, list) else np.concatenate([points, others])


def test_values_are_inner_products_with_the_kernel(space):
    f, _, _, kernel, points, others = space
    assert_allclose(f(others), kernel(others, points) @ f.coefficients, rtol=1e-12)
    for i, value in enumerate(f(others)):
        section = RKHSFunction(kernel, others[i : i + 1], [1.0])
        assert f.inner(section) == pytest.approx(value, rel=1e-12)
        assert section.norm() ** 2 == pytest.approx(kernel(others)[i, i])


def test_inner_product_obeys_its_laws(space):
    f, g, h, kernel, _, others = space
    assert f.inner(g) == pytest.approx(g.inner(f), rel=1e-9, abs=1e-12)
    assert (2 * f - h).inner(g) == pytest.approx(2 * f.inner(g) - h.inner(g), rel=1e-9, abs=1e-12)
    assert f.inner(-3 * f) == pytest.approx(-3 * f.norm() ** 2, rel=1e-9)
    assert type(f.inner(g)) is type(f.norm()) is float
    assert abs(f.inner(g)) < f.norm() * g.norm()
    assert (f + g).norm() < f.norm() + g.norm()
    assert f.distance(g) ** 2 == pytest.approx(f.norm() ** 2 + g.norm() ** 2 - 2 * f.inner(g), rel=1e-9)
    rise = np.abs(np.subtract.outer(f(others), f(others)))
    assert (rise <= f.norm() * kernel.distance(others) * (1 + 1e-9)).all()


@pytest.mark.parametrize("two", [2, 2.0, np.float64(2), np.int64(2), np.float32(2)], ids=lambda two: type(two).__name__)
def test_algebra_is_that_of_the_values(space, two):
    f, g, _, _, _, others = space
    assert_allclose((f + g)(others), f(others) + g(others), rtol=1e-9, atol=1e-12)
    assert_allclose((f - g)(others), f(others) - g(others), rtol=1e-9, atol=1e-12)
    for twice in two * f, f * two:
        assert_allclose(twice(others), 2 * f(others), rtol=1e-12)


def test_sum_keeps_the_points_that_are_the_same_and_joins_others(space):
    f, g, h, kernel, points, others = space
    copied = RKHSFunction(kernel, joined(points[:2], points[2:]), h.coefficients)
    for same in h, copied:
        assert len((f - same).points) == len(points)
        assert_array_equal((f + same).coefficients, f.coefficients + h.coefficients)
    assert len((f + g).points) == len(points) + len(others)
    assert f"{2 * len(points)} points" in repr(f + random_function(kernel, points[::-1], 5))
    parts = [RKHSFunction(kernel, points[i : i + 1], f.coefficients[i : i + 1]) for i in range(len(points))]
    whole = sum(parts[1:], parts[0])
    assert_array_equal(whole.points, points)
    assert_array_equal(whole.coefficients, f.coefficients)


def test_objects_of_other_types_are_other_points():
    kernel = FunctionKernel(lambda A, B: [[float(type(a) is type(b) and a == b) for b in B] for a in A])
    number, text = RKHSFunction(kernel, [1, "1"], [1, 0]), RKHSFunction(kernel, ["1", "1"], [1, 0])
    assert_array_equal((number + text)([1, "1"]), [1, 1])
    ragged = [RKHSFunction(kernel, [(1, 2), (3,)], [1, 1]) for _ in range(2)]
    assert len((ragged[0] + ragged[1]).points) == 2


def test_a_function_is_what_it_is_in_any_representation(space):
    f, g, _, kernel, points, _ = space
    first, *rest = f.coefficients
    split = RKHSFunction(kernel, joined(points, points[:1]), [first / 3, *rest, 2 * first / 3])
    assert split.distance(f) < 1e-7 * f.norm()
    assert (split.norm(), split.inner(g)) == pytest.approx((f.norm(), f.inner(g)), rel=1e-9, abs=1e-12)


def test_projection_is_the_nearest_function_of_the_span(space):
    f, g, _, _, points, others = space
    nearest, size = f.projection(others), f.norm()
    residual = f - nearest
    assert_allclose(nearest(others), f(others), rtol=1e-7, atol=1e-9 * size)
    assert residual.inner(g) == pytest.approx(0, abs=1e-8 * size * g.norm())
    assert size**2 == pytest.approx(nearest.norm() ** 2 + residual.norm() ** 2, rel=1e-7)
    assert residual.norm() <= f.distance(nearest + 1e-3 * g)
    assert nearest.projection(others).distance(nearest) < 1e-6 * size
    assert f.projection(joined(others, points)).distance(f) < 1e-6 * size


def test_interpolant_has_the_least_norm(space):
    f, g, _, kernel, points, _ = space
    y = f(points)  # some function takes these values, even where K is singular
    found, vanishing = interpolant(kernel, points, y), g - g.projection(points)
    assert_allclose(found(points), y, rtol=1e-7, atol=1e-9)
    assert_allclose(vanishing(points), 0, atol=1e-8 * g.norm())
    squares = found.norm() ** 2 + vanishing.norm() ** 2
    assert (found + vanishing).norm() ** 2 == pytest.approx(squares, rel=1e-6)
    assert_array_equal(interpolant(kernel, points, 0 * y).coefficients, 0)


def test_singular_system_has_the_shortest_coefficients():
    found = interpolant(Linear(), X, X @ [2.0, -1.0])
    assert_allclose(found.coefficients, np.linalg.pinv(X @ X.T, rcond=1e-10) @ X @ [2.0, -1.0], rtol=1e-9)
    assert_allclose(interpolant(RBF(1.0), [[0.0], [0.0]], [3.0, 3.0]).coefficients, [1.5, 1.5])


def test_eigenfunctions_diagonalise_the_operator_and_the_kernel(space):
    *_, kernel, points, others = space
    K, weights = kernel(points), np.random.default_rng(4).uniform(0.5, 2, size=len(points))
    rank = np.linalg.matrix_rank(K, hermitian=True, tol=1e-8)
    eigenvalues, functions = mercer(kernel, points, rank, weights)
    values, new = (np.column_stack([e(at) for e in functions]) for at in (points, others))
    assert (np.diff(eigenvalues) <= 0).all()
    assert_allclose(new * eigenvalues, kernel(others, points) @ (weights[:, None] * values), rtol=1e-7, atol=1e-9)
    assert_allclose(values.T @ (weights[:, None] * values), np.eye(rank), atol=1e-7)
    products = [[e.inner(other) for other in functions] for e in functions]
    assert_allclose(np.sqrt(np.outer(eigenvalues, eigenvalues)) * products, np.eye(rank), atol=1e-7)
    assert_allclose((values * eigenvalues) @ values.T, K, atol=1e-8 * np.abs(K).max())


def test_explicit_features_of_a_polynomial_kernel():
    kernel = Polynomial(degree=2, gamma=0.5)
    f, g = random_function(kernel, X[:4], 0), random_function(kernel, Z[:3], 1)
    F, G = kernel.features(X[:4]), kernel.features(Z[:3])
    v, w = F.T @ f.coefficients, G.T @ g.coefficients
    assert_allclose(f(Z), kernel.features(Z) @ v, rtol=1e-12)
    found = f.inner(g), f.norm(), f.distance(g)
    assert found == pytest.approx((v @ w, np.linalg.norm(v), np.linalg.norm(v - w)))
    nearest = G.T @ np.linalg.lstsq(G.T, v, rcond=None)[0]
    assert_allclose(f.projection(Z[:3])(X), kernel.features(X) @ nearest, rtol=1e-9)


def test_minimum_kernel_joins_the_points_by_straight_lines():
    y = np.array([2.0, -1.0, 0.5, 0.0, 3.0])
    f = interpolant(smaller, UNSORTED, y)
    corners, heights = np.r_[0, np.sort(UNSORTED)], np.r_[0, y[np.argsort(UNSORTED)]]
    grid = np.linspace(0, 1.5, 40)
    assert_allclose(f(grid), np.interp(grid, corners, heights), atol=1e-12)
    assert f.norm() ** 2 == pytest.approx((np.diff(heights) ** 2 / np.diff(corners)).sum())


def test_one_point_and_whole_numbers():
    f = RKHSFunction(Linear(), [[3]], [-2])
    assert (f.norm(), f([[5]])[0], f.inner(f)) == (6, -30, 36)
    assert f.coefficients.dtype == f.points.dtype == float
    (eigenvalue,), (e,) = mercer(Linear(), [[-2]], 1)
    assert (interpolant(Linear(), [[2]], [6])([[1]])[0], eigenvalue, e([[-2]])[0]) == pytest.approx((3, 4, 1))
    assert RKHSFunction(RBF(1.0), X, np.zeros(7)).norm() == 0
    for size in 1e-200, 1e200:
        assert RKHSFunction(RBF(1.0), [[0.0]], [size]).norm() == pytest.approx(size)
    assert RKHSFunction(RBF(1.0), [[0.0], [0.0]], [1.0, -1.0]).norm() == 0


def test_kernels_with_equal_parameters_make_one_space():
    one = RKHSFunction(RBF([1.0, 2.0]) + 2 * Laplacian("scale").fit(X), X, np.ones(7))
    other = RKHSFunction(RBF(np.array([1.0, 2.0])) + 2 * Laplacian("scale").fit(X.copy()), X.tolist(), np.ones(7))
    assert_array_equal((one + other).coefficients, 2)
    assert one.distance(other) == 0


APART = [RBF(1.0), RBF(2.0), Laplacian(1.0), RBF([1.0, 2.0]), RBF([2.0, 1.0]), RBF("scale")]
APART += [kernel.fit(unit * X) for unit in (1, 2) for kernel in (RBF("scale"), Linear() + RBF("scale"))]
APART += [*(FunctionKernel(lambda A, B: A @ B.T) for _ in range(2)), Linear() + RBF(1.0), Linear() * RBF(1.0)]


@pytest.mark.parametrize(("one", "other"), list(combinations(APART, 2)), ids=repr)
def test_functions_of_other_spaces_do_not_mix(one, other):
    f, g = RKHSFunction(one, X, np.ones(7)), RKHSFunction(other, X, np.ones(7))
    for mix in f.inner, f.distance, f.__add__, f.__sub__:
        with pytest.raises(ValueError, match=r"the two functions live in different spaces, one of .*, the other of "):
            mix(g)
        with pytest.raises(ValueError, match="the other must be an RKHSFunction, got float"):
            mix(1.0)


def test_a_gamma_that_was_found_and_the_same_one_given_make_one_space():
    labels = (X[:, 0] > 0).astype(int)
    model = SVC(2 * RBF("scale") + Linear()).fit(X, labels)
    gamma = model.kernel_.left.kernel.gamma_
    given = SVC(2 * RBF(gamma) + Linear()).fit(X, labels)
    assert model.rkhs_function().distance(given.rkhs_function()) == 0
    found = RKHSFunction(Matern(2.5).fit(X), X, np.ones(7))
    assert found.distance(RKHSFunction(Matern(2.5, found.kernel.gamma_), X, np.ones(7))) == 0
    changed = RBF("scale").fit(X).set_params(gamma=1.0)  # what was found for "scale" no longer counts
    assert f.distance(RKHSFunction(changed, X, np.ones(7))) == 0


def test_two_gammas_that_were_found_are_both_named():
    one, other = (RKHSFunction(RBF("scale").fit(unit * np.array([[0.0], [2.0]])), [[0.0]], [1.0]) for unit in (1, 2))
    with pytest.raises(ValueError, match=r"spaces, one of RBF\(\)  # gamma_ = 1\.0, the other of .* = 0\.25\.$"):
        one - other


INDEFINITE = Precomputed([[1.0, 2.0], [2.0, 1.0]])
ANYTHING = FunctionKernel(lambda A, B: np.ones((len(A), len(B))))
f = RKHSFunction(RBF(1.0), X, np.ones(7))
BAD = {
    "too few": (lambda: RKHSFunction(Linear(), X, [1, 2]), r"coefficients must be 7 numbers, .*got shape \(2,\)"),
    "NaN": (lambda: RKHSFunction(Linear(), [[1.0]], [np.nan]), "coefficients contains NaN"),
    "NaN points": (lambda: RKHSFunction(Linear(), [[np.nan]], [1]), "points contains NaN"),
    "a tuple": (
        lambda: RKHSFunction(ANYTHING, ("a",), [1]),
        "points must be an array, a list or a data frame, got tuple",
    ),
    "a string": (lambda: interpolant(ANYTHING, "a", [1]), "X must be an array or a list, got str"),
    "row numbers": (lambda: mercer(Precomputed(GRAM), [14], 1), "X must be a list of row numbers of K"),
    "a class": (lambda: RKHSFunction(RBF, X, np.ones(7)), "kernel must be a Kernel"),
    "indefinite norm": (lambda: RKHSFunction(INDEFINITE, [0, 1], [1, -1]).norm(), r"Precomputed.* no norm: aᵀKa = -2"),
    "indefinite span": (lambda: RKHSFunction(INDEFINITE, [0], [1]).projection([0, 1]), "Precomputed.*eigenvalue -1"),
    "indefinite values": (lambda: interpolant(INDEFINITE, [0, 1], [1, 1]), "Gram matrix of Precomputed.*semidefinite"),
    "X of interpolant": (lambda: interpolant(Linear(), [[np.inf]], [1]), "X contains infinity"),
    "y of interpolant": (lambda: interpolant(Linear(), X, [1, 2]), r"y must be 7 numbers, .*got shape \(2,\)"),
    "two values": (lambda: interpolant(RBF(1.0), [[9.0], [0.0], [0.0]], [9e-9, 1e-9, 3e-9]), "by 1e-09.*repeated"),
    "no value": (lambda: interpolant(Linear(), [[0.0]], [1]), "these values to working precision: at point 0 the"),
    "no component": (lambda: mercer(Linear(), X, 0), "n_components == 0, must be >= 1"),
    "8 of 7": (lambda: mercer(RBF(1.0), X, 8), "n_components == 8, must be <= 7"),
    "3 of rank 2": (lambda: mercer(Linear(), X, 3), "n_components must be at most 2, .*, got 3"),
    "negative weights": (lambda: mercer(Linear(), X, 1, [-1] * 7), "weights must be >= 0, got -1"),
    "8 weights": (lambda: mercer(Linear(), X, 1, np.ones(8)), r"weights must be 7 numbers.*\(8,\)"),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD)
def test_bad_input_says_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_bad_types_and_unfitted_kernels():
    with pytest.raises(TypeError, match="n_components must be an instance of int, not float"):
        mercer(Linear(), X, 2.0)
    for factor in 1j, None, np.ones(2):
        with pytest.raises(TypeError, match="unsupported operand"):
            factor * f
    with pytest.raises(NotFittedError, match=r"call fit\(X\) first"):
        interpolant("rbf", X, np.ones(7))


def test_input_is_left_alone():
    words = list(WORDS)
    f = RKHSFunction(FunctionKernel(common_letters), words, np.arange(5))
    _ = f + f, f - RKHSFunction(f.kernel, ["a"], [1]), f.projection(words), mercer(f.kernel, words, 2)
    assert words == WORDS
    assert_array_equal(f.coefficients, np.arange(5))
    mercer(FunctionKernel(lambda A, B: GRAM), np.arange(14), 2, np.arange(14.0))


def test_points_of_another_width_are_refused():
    with pytest.raises(ValueError, match="same number of columns, but X has 1 and Y has 2"):
        RKHSFunction(Linear(), [[1.0]], [1.0]) + RKHSFunction(Linear(), [[1.0, 2.0]], [1.0])


def test_a_duplicated_point_with_its_kernels_rounding_is_no_reason_to_refuse():
    X = np.repeat(np.random.default_rng(0).normal(size=(200, 1, 2)), 2, axis=1)
    for pair in X:
        for kernel in Polynomial(degree=30), Linear().exp():
            assert_allclose(interpolant(kernel, pair, [1.0, 1.0])(pair), 1, rtol=1e-9)


def test_the_repr_of_a_function_shows_what_fit_found_in_its_kernel():
    f = RKHSFunction(RBF().fit([[0.0], [2.0]]), [[0.0]], [1.0])
    assert repr(f) == "RKHSFunction(RBF(), 1 points)  # gamma_ = 1.0"
    assert repr(RKHSFunction(RBF(2.0), [[0.0]], [1.0])) == "RKHSFunction(RBF(gamma=2.0), 1 points)"


def test_points_of_every_type_stay_what_they_are_in_a_sum():
    equal = FunctionKernel(lambda A, B: [[float(a == b) for b in B] for a in A])
    for kernel, one, other in (
        (Overlap(), np.array([[1]]), [["1"]]),
        (Overlap(), np.array([[1]]), np.array([["1"]], dtype=object)),
        (Overlap(), np.array([["1"]]), [["2"]]),
        (equal, np.array([1]), np.array(["1"])),
        (equal, np.array(["1"]), [1]),
        (equal, [1], np.array(["1"])),
        (Columns([([0], Overlap())]), pd.DataFrame([[1]]), pd.DataFrame([["1"]])),
        (Columns([([0], Overlap())]), [[1]], pd.DataFrame([["1"]])),
        (Columns([([0], Overlap())]), pd.DataFrame([[2**53 + 1]]), pd.DataFrame([[2.0**53]])),
    ):
        f, g = RKHSFunction(kernel, one, [1.0]), RKHSFunction(kernel, other, [2.0])
        assert_array_equal((f + g)(one), [1])
        assert_array_equal((f + g)(other), [2])


def test_the_function_of_a_fit_on_a_frame():
    labels = np.array([0, 1, 0, 1, 1, 0, 1])
    model = SVC(clone(MIXED)).fit(FRAME, labels)
    f = model.rkhs_function()
    assert_allclose(f(FRAME) + model.intercept_, model.decision_function(FRAME))
    other = SVC(clone(MIXED), C=0.1).fit(FRAME[["word", "seen", "age"]].assign(more=1), labels).rkhs_function()
    assert f.inner(other) == pytest.approx(other.inner(f))
    assert_allclose((f + other)(FRAME), f(FRAME) + other(FRAME))
    assert len((f + f).points) == len(model.support_)


def test_columns_of_a_frame_in_another_order_are_refused():
    frame = pd.DataFrame(X, columns=["a", "b"])
    other, words = frame[["b", "a"]], r"must have the columns \['a', 'b'\] in this order, got \['b', 'a'\]"
    for kernel in Linear(), Linear().fit(frame), 2 * RBF(0.5) + Linear():
        f, y = RKHSFunction(kernel, frame, np.ones(7)), np.arange(7.0)
        assert_allclose(f(frame), RKHSFunction(kernel, X, np.ones(7))(X))
        functions = [f, 2 * f + f, f.projection(frame[:2])]
        functions += mercer(kernel, frame, 1)[1]
        if kernel.psd and not isinstance(kernel, Linear):
            functions += [interpolant(kernel, frame, y)]
        for g in functions:
            assert_allclose(g(frame), g(X))
            with pytest.raises(ValueError, match=words):
                g(other)
        with pytest.raises(ValueError, match=words):
            f.projection(other)
        with pytest.raises(ValueError, match="the columns"):
            f.inner(RKHSFunction(clone(kernel), other, np.ones(7)))
        with pytest.raises(ValueError, match="the columns"):
            f + RKHSFunction(clone(kernel), other, np.ones(7))
    with pytest.raises(ValueError, match=words):
        RKHSFunction(Linear().fit(frame), other, np.ones(7))

"""The laws that every kernel and every composition obeys."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from kernelbook import SVC
from kernelbook.kernels import (
    RBF,
    Categorical,
    Columns,
    DirectSum,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    MissingValue,
    Overlap,
    Periodic,
    Polynomial,
    RationalQuadratic,
    Sigmoid,
)
from kernelbook.linalg import blocks as gram_blocks


def points(n, d=3, seed=0, scale=1.0):
    """Random points that cannot be written to: a kernel that changed its input would raise."""
    X = scale * np.random.default_rng(seed).normal(size=(n, d))
    X.flags.writeable = False
    return X


# Each promises to be PSD.
KERNELS = [
    Linear(),
    Polynomial(degree=3, gamma=0.5),
    RBF(gamma=0.7),
    RBF(gamma=[0.1, 2.0, 0.0]),
    Laplacian(gamma=0.7),
    Laplacian(gamma=0.7, norm=1),
    Laplacian(gamma=[0.1, 2.0, 0.0]),
    Laplacian(gamma=[0.1, 2.0, 0.0], norm=1),
    Matern(nu=0.5, gamma=0.7),
    Matern(nu=1.5, gamma=0.7),
    Matern(nu=2.5, gamma=[0.1, 2.0, 0.0]),
    RationalQuadratic(alpha=0.3, gamma=0.7),
    RationalQuadratic(alpha=4, gamma=[0.1, 2.0, 0.0]),
    Periodic(period=1.3, gamma=0.7),
    Periodic(period=[0.5, 2.0, 40.0], gamma=[0.1, 2.0, 0.0]),
    Linear() + 1,
    Linear() + RBF(gamma=1.0),
    Polynomial(degree=2) * Laplacian(gamma=0.5),
    2.5 * Linear(),
    RBF(gamma=0.2) ** 3,
    (0.1 * Linear()).exp(),
    Polynomial(degree=2).normalized(),
    Polynomial(degree=2).radial(0.1),
    ((Linear() + 1.5 * RBF(gamma=1.0)) ** 2).normalized().radial(0.5).exp(),
]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)
X, Y = points(9), points(7, seed=1)


def squared_distance(kernel):
    return kernel.diag(X)[:, None] + kernel.diag(Y) - 2 * kernel(X, Y)


@every_kernel
@pytest.mark.parametrize("n", [1, 2, 40, gram_blocks.TILE - 1, gram_blocks.TILE, 2 * gram_blocks.TILE + 3])
def test_gram_matrix_is_symmetric_to_the_bit(kernel, n):
    K = kernel(points(n))
    assert K.shape == (n, n)
    assert K.dtype == np.float64
    assert_array_equal(K, K.T)


@every_kernel
def test_distances_are_symmetric_to_the_bit_and_zero_on_the_diagonal(kernel, monkeypatch):
    monkeypatch.setattr(gram_blocks, "TILE", 16)
    D = kernel.distance(points(40))
    assert_array_equal(D, D.T)
    assert_array_equal(D.diagonal(), 0)


@pytest.mark.parametrize("kernel", [*KERNELS, Sigmoid(0.3, -1.0)], ids=repr)  # the law needs no PSD kernel
@pytest.mark.parametrize("tile", [4, 512])
def test_gram_matrix_agrees_with_the_block_and_the_diagonal(kernel, tile, monkeypatch):
    monkeypatch.setattr(gram_blocks, "TILE", tile)
    K = kernel(X)
    assert_allclose(K, kernel(X, X), rtol=1e-12)
    assert_allclose(kernel(X, Y), kernel(Y, X).T, rtol=1e-12)
    assert_allclose(kernel(X, Y)[[2]], kernel(X[[2]], Y), rtol=1e-12)
    assert kernel.diag(X).shape == (len(X),)
    assert_allclose(kernel.diag(X), K.diagonal(), rtol=1e-12)


@every_kernel
def test_distance_is_that_of_the_feature_space(kernel):
    squared = squared_distance(kernel)
    assert_allclose(kernel.distance(X, Y) ** 2, squared, rtol=1e-12, atol=1e-13 * kernel.diag(X).max())
    K = kernel(X)
    own = np.add.outer(K.diagonal(), K.diagonal()) - 2 * K
    assert_allclose(kernel.distance(X) ** 2, own, rtol=1e-12, atol=1e-13 * K.max())


@every_kernel
def test_triangle_inequality(kernel):
    D = kernel.distance(points(25))
    detour = (D[:, :, None] + D[None, :, :]).min(axis=1)
    assert (D <= detour + 1e-12 * D.max()).all()


@every_kernel
@pytest.mark.parametrize("scale", [1e-3, 1, 2])
def test_a_psd_kernel_has_no_negative_eigenvalue(kernel, scale):
    assert kernel.psd is True
    assert kernel.conditionally_psd is True
    for seed, n in enumerate([3, 20, 60]):
        eigenvalues = np.linalg.eigvalsh(kernel(points(n, seed=seed, scale=scale)))
        assert eigenvalues[0] >= -n * np.finfo(float).eps * eigenvalues[-1]


@every_kernel
def test_a_composition_checks_its_input(kernel):
    for name, arguments in {"X": ([[1.0, np.nan, 0.0]],), "Y": (X, [[1.0, np.nan, 0.0]])}.items():
        with pytest.raises(ValueError, match=f"Input {name} contains NaN"):
            kernel(*arguments)


@every_kernel
@pytest.mark.parametrize("layout", ["columns", "reversed", "fortran", "float32", "whole"])
def test_any_memory_layout_gives_a_symmetric_matrix_of_the_same_values(kernel, layout):
    Z = np.random.default_rng(5).normal(size=(700, 12)).round(2)
    Z = {
        "columns": Z[:, ::4],
        "reversed": Z[::-1, :3],
        "fortran": np.asfortranarray(Z[:, :3]),
        "float32": Z[:, :3].astype(np.float32),
        "whole": np.rint(Z[:, :3]).astype(int),
    }[layout]
    K = kernel(Z)
    assert_array_equal(K, K.T)
    assert_allclose(K, kernel(np.array(Z, dtype=float, order="C")), rtol=1e-9)


def test_what_is_not_implemented_is_said_at_once():
    class Unfinished(Kernel):
        def _block(self, X, Y):
            return np.ones((len(X), len(X if Y is None else Y)))

    with pytest.raises(TypeError, match="abstract"):
        Unfinished()


def test_a_kernel_of_ones_own_joins_in():
    class Shared(Kernel):
        """The number of elements two sets share."""

        psd = True

        def check(self, X, name="X"):
            if not all(isinstance(x, frozenset) for x in X):
                raise ValueError(f"{name} must be a list of frozensets.")
            return X

        def _block(self, X, Y):
            return np.array([[len(x & y) for y in (X if Y is None else Y)] for x in X], dtype=float)

        def _diag(self, X):
            return np.array([len(x) for x in X], dtype=float)

    sets = [frozenset("abc"), frozenset("bcd"), frozenset("x")]
    kernel = (Shared() + 2 * Shared()) ** 2
    assert kernel.psd
    assert repr(kernel) == "(Shared() + 2 * Shared()) ** 2"
    assert_array_equal(kernel(sets), [[81, 36, 0], [36, 81, 0], [0, 0, 9]])
    assert_allclose(Shared().distance(sets) ** 2, [[0, 2, 4], [2, 0, 4], [4, 4, 0]], rtol=1e-15)
    assert_allclose(Shared().radial(0.5)(sets[:1], sets[1:]), np.exp([[-1.0, -2.0]]))
    with pytest.raises(ValueError, match="Y must be a list of frozensets"):
        kernel(sets, ["abc"])


def test_a_kernel_of_complex_values_is_refused():
    class Phase(Linear):
        def _block(self, X, Y):
            return np.exp(1j * super()._block(X, Y))

        def _diag(self, X):
            return np.exp(1j * super()._diag(X))

    X, message = points(40), r"^Phase\(\) must give real numbers, but gives complex ones\.$"
    small = SVC(Phase(), cache_size=1e-3)
    for refused in (Phase(), Phase().diag, Phase().distance, lambda X: small.fit(X, np.arange(40) % 2)):
        with pytest.raises(ValueError, match=message):
            refused(X)


FRAME = pd.DataFrame({"a": ["x", "y", "x"], "b": ["y", "y", "x"]})


@pytest.mark.parametrize(
    "kernel", [Overlap(), Categorical(), MissingValue(Overlap()), 2 * Overlap() + Overlap()], ids=repr
)
def test_columns_of_frames_keep_their_order(kernel):
    """A table with its columns in another order would be compared with the wrong ones."""
    other = FRAME[["b", "a"]]
    kernel.fit(FRAME)
    K = kernel(FRAME)
    for call in (lambda: kernel(other), lambda: kernel.diag(other), lambda: kernel.distance(FRAME, other)):
        with pytest.raises(ValueError, match=r"must have the columns \['a', 'b'\] in this order, got \['b', 'a'\]"):
            call()
    assert_array_equal(kernel(FRAME.to_numpy()), K)
    assert_array_equal(kernel.fit(FRAME.to_numpy())(other.set_axis(["a", "b"], axis=1))[0, 0], kernel(other)[0, 0])


def test_two_frames_have_the_same_columns():
    with pytest.raises(ValueError, match=r"Y must have the columns \['a', 'b'\] in this order, got \['b', 'a'\]"):
        Overlap()(FRAME, FRAME[["b", "a"]])


def places(kernel):
    """A kernel that stands in two places, where it sees other columns, or other objects."""
    return {
        "columns": (Columns([(["a"], kernel), (["b"], kernel)]), TWO),
        "within columns": (Columns([(["a"], 2 * kernel), (["b"], kernel.exp())]), TWO),
        "sums": (Columns([(["a"], kernel)]) + Columns([(["b"], kernel)]), TWO),
        "pairs": (DirectSum(kernel, kernel), PAIRS),
        "sums of pairs": (DirectSum(kernel, Linear()) * DirectSum(Linear(), kernel), PAIRS),
        "same objects": (kernel + 2 * kernel, TWO),
    }


TWO = pd.DataFrame({"a": [0.0, 1.0, 5.0], "b": [0.0, 100.0, 300.0]})
PAIRS = [([a], [b]) for a, b in TWO.to_numpy()]


@pytest.mark.parametrize("place", places(RBF()))
def test_a_kernel_in_two_places_is_fitted_in_each(place):
    shared = RBF("scale")
    kernel, X = places(shared)[place]
    expected = clone(places(RBF("scale"))[place][0]).fit(X)  # a clone has a kernel for each place
    assert_array_equal(kernel.fit(X)(X), expected(X))
    assert shared.gamma_ in [part.gamma_ for part in kernel._whole() if isinstance(part, RBF)]


def test_a_fit_that_fails_changes_nothing():
    kernel = Columns([(["a"], RBF("scale")), (["b"], MissingValue(Overlap()))]).fit(TWO)
    said, K = repr(kernel), kernel(TWO)
    with pytest.raises(ValueError, match="column 0 has gaps only"):
        kernel.fit(TWO.assign(a=9.0 * TWO["a"], b=None))
    assert repr(kernel) == said
    assert_array_equal(kernel(TWO), K)


@pytest.mark.parametrize(
    "times",
    [
        pd.DataFrame({"day": pd.to_datetime(["2020-01-01", None])}),
        pd.DataFrame({"day": pd.to_datetime(["2020-01-01", None]), "number": [1.0, 2.0]}),
        np.array([["2020-01-01"], ["NaT"]], dtype="M8[D]"),
        np.array([[1], [2]], dtype="m8[s]"),
    ],
    ids=["frame", "mixed frame", "array", "durations"],
)
def test_times_are_no_numbers(times):
    """NumPy would take them for a number of nanoseconds, or of days, and a missing one for -2⁶³."""
    for kernel in Linear(), RBF(1.0):
        with pytest.raises(ValueError, match="X must be an array of numbers, got times"):
            kernel(times)

"""Eigenpairs of a centred matrix: Lanczos' method against LAPACK, copies of an eigenvalue, units."""

from itertools import permutations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import circulant
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence

from kernelbook import RBF, Laplacian, Linear, Polynomial
from kernelbook.linalg import eigenpairs
from kernelbook.linalg.eigenpairs import centred_by_lanczos, centred_by_lapack, centred_eigenpairs
from kernelbook.linalg.gram import centre

N = 500
r = np.random.default_rng(0)
PLANE = r.normal(size=(N, 2))
AROUND = np.minimum(np.arange(N), N - np.arange(N))


def with_spectrum(mu):
    Q = np.linalg.qr(r.normal(size=(N, N)))[0]
    K = (Q[:, : len(mu)] * mu) @ Q[:, : len(mu)].T
    return (K + K.T) / 2


MATRICES = {
    "RBF": RBF(0.3)(PLANE),
    "all alike": np.eye(N),
    "blocks": np.kron(np.eye(10), np.ones((50, 50))),
    "graded blocks": np.kron(np.diag(np.repeat([5.0, 4, 3, 2, 1], 2)), np.ones((50, 50))) + 0.01 * np.eye(N),
    "five copies": np.kron(np.eye(5), RBF(0.3)(PLANE[:100])),
    "twenty copies": np.kron(np.eye(20), RBF(0.3)(PLANE[:25])),
    "fifty copies": np.kron(np.eye(50), Laplacian(1.0)(PLANE[:10])),
    "a ring": circulant(np.exp(-AROUND / 10)),
    "a smooth ring": circulant(np.exp(-((AROUND / 30) ** 2))),
    "pairs": with_spectrum(np.repeat(0.9 ** np.arange(N // 2), 2)),
    "far from the rest": with_spectrum(np.r_[3, 2, 2, 2, np.linspace(1, 0, N - 4)]),
    "low rank": with_spectrum(np.array([3, 2, 2, 1, 1, 0.5, 0.5, 0.1])),
    "indefinite": with_spectrum(np.r_[3, 2, 2, np.linspace(1, 0, N - 6), -0.5, -0.5, -1]),
    "far from zero": RBF(0.3)(PLANE) + 1e3,
}


@pytest.mark.parametrize("K", MATRICES.values(), ids=MATRICES)
@pytest.mark.parametrize("count", [1, 2, 4, 5, 7])
def test_lanczos_finds_what_lapack_finds(K, count):
    expected, _, least = centred_by_lapack(K.copy(), count, smallest=True)
    size = np.abs(K).sum(axis=1).max()
    mu, U, lowest = centred_by_lanczos(K, count, smallest=True)
    assert_allclose(mu, expected, atol=1e-12 * size)
    # ARPACK's vectors among copies: on some processors 1e-9, by other starts 4e-9; the root of rounding is 1.5e-8
    assert_allclose(centre(K) @ U, U * mu, atol=2.0**-26 * size)
    assert_allclose(U.T @ U, np.eye(count), atol=1e-10)
    assert_allclose(lowest, least, atol=1e-3 * size)
    assert (lowest < 0) == (least < 0) or min(abs(lowest), abs(least)) < 1e-12 * size


def test_one_run_misses_copies():
    """Otherwise the search for what was missed would be tested by nothing."""
    K = MATRICES["twenty copies"]
    expected = centred_by_lapack(K.copy(), 7)[0]
    assert_allclose(expected, expected[0])
    found = [eigenpairs._largest(K, 1.0, np.random.default_rng(0), count)[0] for count in (4, 5, 7)]
    assert any(mu[-1] < 0.5 * expected[0] for mu in found)


def test_a_copy_that_is_larger_by_little_counts():
    """Of two values that differ by 1e-7, each twice, one run often finds each once, and misses the larger."""
    for seed in range(5):
        Q = np.linalg.qr(np.column_stack([np.ones(N), np.random.default_rng(seed).normal(size=(N, 104))]))[0][:, 1:]
        K = (Q * np.r_[1 + 1e-7, 1 + 1e-7, 1, 1, 0.5 * 0.8 ** np.arange(100)]) @ Q.T
        assert_allclose(centred_eigenpairs((K + K.T) / 2, 2)[0], 1 + 1e-7, rtol=1e-9)


@pytest.mark.parametrize("count", [5, 12, 16, 27])
@pytest.mark.parametrize(
    "X",
    [list(product(range(8), repeat=3)), list(product(range(3), repeat=6)), list(permutations(range(6)))],
    ids=["a grid", "answers to a questionnaire", "rankings"],
)
@pytest.mark.parametrize("kernel", [RBF(0.5), Laplacian(1.0)], ids=repr)
def test_copies_that_symmetry_makes(X, kernel, count):
    """Their start vectors are not helped by rounding: many copies, each near to other eigenvalues."""
    K = kernel(np.array(X, dtype=float))
    assert_allclose(centred_by_lanczos(K, count)[0], centred_by_lapack(K.copy(), count)[0], rtol=1e-9)


@pytest.mark.parametrize("kernel", [RBF(0.3), Polynomial(2), Linear() + RBF(1.0)], ids=repr)
@pytest.mark.parametrize("s", [2.0**-100, 2.0**60])
def test_units_change_not_even_the_rounding(kernel, s):
    K = kernel(PLANE)
    mu, U, least = centred_by_lanczos(K, 3, smallest=True)
    scaled = centred_by_lanczos(s * K, 3, smallest=True)
    assert_array_equal(scaled[0], s * mu)
    assert_array_equal(scaled[1], U)
    assert scaled[2] == s * least


@pytest.mark.parametrize("name", ["all alike", "indefinite", "five copies"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("count", [1, 40, N])
def test_what_lapack_finds(name, order, count):
    K = MATRICES[name]
    mu, size = np.linalg.eigvalsh(centre(K)), np.abs(K).sum(axis=1).max()
    found, U, least = centred_by_lapack(np.array(K, order=order), count, smallest=count == 40)
    assert_allclose(found, mu[::-1][:count], atol=1e-13 * size)
    assert_allclose(centre(K) @ U, U * found, atol=1e-12 * size)
    assert_allclose(U.T @ U, np.eye(count), atol=1e-10)
    assert least is None if count != 40 else least == pytest.approx(mu[0], abs=1e-13 * size)


def test_centring_leaves_nothing_of_a_large_constant():
    """The rounding of the means of K is of one row's and one column's shape, which a second centring takes away."""
    found = centred_by_lapack(Linear()(PLANE + 1e4), 6)[0]
    assert_allclose(found[2:], 0, atol=0.2 * N * 2.0**-52 * 2e8)


def test_the_rule_for_the_method(monkeypatch):
    K, used = MATRICES["RBF"], []

    def fails(K, count, smallest):
        used.append((len(K), count))
        raise ArpackNoConvergence("no convergence", [], [])

    monkeypatch.setattr(eigenpairs, "centred_by_lanczos", fails)
    for n, count in [(500, 50), (500, 51), (499, 1)]:
        found = centred_eigenpairs(K[:n, :n].copy(), count)[0]
        assert_allclose(found, centred_by_lapack(K[:n, :n].copy(), count)[0], rtol=1e-12)
    assert used == [(500, 50)]


def test_a_matrix_that_is_zero_falls_back():
    with pytest.raises(ArpackError):
        centred_by_lanczos(np.zeros((N, N)), 3)
    assert_array_equal(centred_eigenpairs(np.zeros((N, N)), 3)[0], 0)


def test_lanczos_writes_to_nothing_and_repeats_itself():
    K = MATRICES["RBF"].copy()
    K.flags.writeable = False
    first, second, columns = (
        centred_by_lanczos(K, 5),
        centred_by_lanczos(K, 5),
        centred_by_lanczos(np.asfortranarray(K), 5),
    )
    for one, other, third in zip(first[:2], second[:2], columns[:2], strict=True):
        assert_array_equal(one, other)
        assert_array_equal(one, third)

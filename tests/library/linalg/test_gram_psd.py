"""PSD or not: witnesses, minors, square roots, spectra as shares, signs of vectors."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import sqrtm
from scipy.spatial.distance import cdist

from kernelbook.kernels import RBF, Linear
from kernelbook.linalg.gram import (
    centre,
    decompose,
    distances,
    effective_rank,
    is_psd,
    orient,
    principal_minors,
    psd_witness,
    rounding,
    spectrum,
    square_root,
)

F = np.random.default_rng(2).normal(size=(12, 4)) + 1  # explicit features, so K = F Fᵀ
K = F @ F.T
TRIDIAGONAL = np.array([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])

known_matrices = pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (np.eye(3), True),
        (np.zeros((3, 3)), True),
        (np.ones((50, 50)), True),
        ([[0.0]], True),
        ([[-1e-300]], False),
        ([[1.0, 2.0], [2.0, 1.0]], False),
        (-np.eye(2), False),
        (np.diag([1.0, -2e-10]), False),
        (1e-200 * np.diag([1.0, -2e-10]), False),
        (1e200 * np.diag([1.0, -1e-11]), True),
        (1e-20 * np.eye(2), True),
        (1e-20 * np.diag([1, -1]), False),
        (TRIDIAGONAL, True),
        (TRIDIAGONAL**0.4, False),
        (TRIDIAGONAL**2, True),
        (TRIDIAGONAL**7, True),
        (np.diag([0.0, -1.0]), False),
    ],
)


@known_matrices
def test_is_psd_of_known_matrices(matrix, expected):
    assert is_psd(matrix) is expected


@known_matrices
def test_witness_has_the_least_quadratic_form_of_unit_vectors(matrix, expected):
    c = psd_witness(matrix)
    assert (c is None) is expected
    if not expected:
        assert c @ matrix @ c == pytest.approx(spectrum(matrix)[-1])
        assert c @ c == pytest.approx(1)
        assert_array_equal(c, orient(c[:, None])[:, 0])


def test_a_fractional_power_is_not_psd():
    assert spectrum(TRIDIAGONAL**0.4)[-1] == pytest.approx(-0.072, abs=5e-4)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 3), st.floats(1e-6, 1e6))
def test_rank_deficient_gram_matrices_are_psd_up_to_rounding(seed, n, rank, scale):
    Z = scale * np.random.default_rng(seed).normal(size=(n, rank))
    G = Z @ Z.T
    assert is_psd(G)
    assert is_psd(centre(G))
    negative = np.linalg.eigvalsh(G)[-1] * 1e-9
    assert not is_psd(G - negative * np.eye(n)) or n <= rank


def test_rounding_is_relative_to_size_and_order():
    assert rounding(np.array([4.0, -8.0])) == 2 * 2.0**-52 * 8


HAND = np.array([[1.0, 1, 1], [1, 2, 2], [1, 2, 3]])  # min(i, j)


def test_one_tolerance_for_all_that_asks_whether_a_matrix_is_psd():
    rng, verdicts = np.random.default_rng(6), []
    for least in np.linspace(-3e-10, 1e-10, 200):
        U = np.linalg.qr(rng.normal(size=(8, 8)))[0]
        matrix = (U * np.array([least, *rng.random(6), 1])) @ U.T
        verdicts.append(is_psd(matrix))
        assert (psd_witness(matrix) is None) == verdicts[-1] == (least >= -1e-10)
        if verdicts[-1]:
            square_root(matrix)
        else:
            with pytest.raises(ValueError, match="K must be positive semidefinite"):
                square_root(matrix)
    assert 50 < sum(verdicts) < 150


@pytest.mark.parametrize("unit", [1e-8, 1, 1e8])
def test_what_centring_lost_is_no_reason_to_doubt(unit):
    X = np.random.default_rng(0).normal(size=(40, 3))
    centred = centre(unit**2 * Linear()(X + 10))
    assert spectrum(centred)[-1] < -rounding(spectrum(centred))  # as a matrix of its own it would have no excuse
    assert is_psd(centred)
    assert psd_witness(centred) is None
    square_root(centred)
    far = unit**2 * Linear()(X + 1e4)
    assert not is_psd(centre(far))
    assert is_psd(centre(far), size=far.max())
    assert psd_witness(centre(far), size=far.max()) is None
    S = square_root(centre(far), size=far.max())
    assert_allclose(S @ S, centred, rtol=0, atol=1e-6 * unit**2)
    assert effective_rank(centre(far), size=far.max()) == pytest.approx(effective_rank(centred), rel=1e-4)


@pytest.mark.parametrize("size", [-1, np.nan, np.inf, "1"], ids=repr)
def test_a_size_is_a_finite_number_that_is_not_negative(size):
    for function in is_psd, psd_witness, square_root, effective_rank:
        with pytest.raises(ValueError, match=f"^size must be a finite number >= 0, got {size!r}"):
            function(np.eye(2), size=size)


def test_principal_minors_by_hand():
    minors = principal_minors(HAND)
    assert list(minors) == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    assert_allclose(list(minors.values()), [1, 2, 3, 1, 2, 2, 1], rtol=1e-15)
    assert principal_minors([[5, 2, 1], [2, 1, 0], [1, 0, 1]])[0, 1, 2] == 0  # LU alone gives −2e-16
    assert principal_minors([[0, 0], [0, -1]]) == {(0,): 0, (1,): -1, (0, 1): 0}


def exact_determinant(M):
    """Leibniz's sum over permutations, exact for whole numbers."""
    orders = [np.array(order) for order in permutations(range(len(M)))]
    odd = [sum(order[i] > order[j] for i, j in combinations(range(len(M)), 2)) % 2 for order in orders]
    return sum((-1) ** sign * int(np.prod(M[range(len(M)), order])) for sign, order in zip(odd, orders, strict=True))


def test_principal_minors_decide_as_eigenvalues_do():
    rng, verdicts = np.random.default_rng(5), []
    for n in [1, 2, 3, 4] * 40:
        M = rng.integers(-2, 3, size=(n, n))
        M = M @ M.T if rng.random() < 0.3 else M + M.T + rng.integers(0, 6) * np.eye(n, dtype=int)
        minors = principal_minors(M)
        exact = [exact_determinant(M[np.ix_(rows, rows)]) for rows in minors]
        assert_allclose(list(minors.values()), exact, atol=1e-9)
        verdicts.append(is_psd(M))
        assert verdicts[-1] == (min(exact) >= 0) == (min(minors.values()) >= 0)
    assert 40 < sum(verdicts) < 120


def test_principal_minors_stop_where_there_are_too_many():
    assert len(principal_minors(np.eye(16))) == 2**16 - 1
    with pytest.raises(ValueError, match=r"K must have at most 16 rows, .*, got 17"):
        principal_minors(np.eye(17))


@pytest.mark.parametrize("matrix", [K, K[:5, :5], HAND, RBF(0.3)(F), np.ones((4, 4)), [[9]], np.zeros((2, 2))])
def test_square_root_is_psd_and_its_rows_are_feature_vectors(matrix):
    S, size = square_root(matrix), np.max(matrix)
    assert_allclose(S @ S, matrix, atol=1e-13 * size)
    assert_allclose(S, S.T, atol=1e-14 * np.sqrt(size))
    assert spectrum(S)[-1] >= -1e-14 * np.sqrt(size)
    assert_allclose(square_root(np.ones((5, 5))), 1 / np.sqrt(5), rtol=1e-13)
    assert_allclose(cdist(S, S), distances(matrix), atol=1e-6 * np.sqrt(size))


@pytest.mark.parametrize("matrix", [HAND, RBF(0.3)(F), 1e200 * HAND, 1e-200 * HAND], ids=len)
def test_square_root_is_that_of_scipy(matrix):
    assert_allclose(square_root(matrix) / np.sqrt(matrix.max()), sqrtm(matrix / matrix.max()), atol=1e-12)


@pytest.mark.parametrize("unit", [1, 1e-200, 1e200])
def test_effective_rank_of_known_spectra(unit):
    for mu, expected in ([1] * 7, 7), ([0, 0], 0), ([3], 1), ([5, 5, 0], 2), ([2, 1, 1], 2**1.5):
        assert effective_rank(unit * np.diag(mu)) == pytest.approx(expected)
    assert effective_rank(unit * np.ones((7, 7))) == pytest.approx(1)
    assert effective_rank(unit * np.array([[2, 1], [1, 2]])) == pytest.approx(4 / 3**0.75)  # shares 3/4 and 1/4
    assert 1 < effective_rank(unit * K) < 4
    assert effective_rank(np.diag([1e200, 1e-200])) == 1


def test_decompose_forgives_rounding_and_no_more():
    mu, U = decompose(np.diag([1, -1e-11, 3.0]))
    assert_array_equal(mu, [0, 1, 3])
    assert_array_equal(np.abs(U), np.eye(3)[:, [1, 0, 2]])
    with pytest.raises(ValueError, match="T must be positive semidefinite"):
        decompose(np.diag([1.0, -1e-9]), "T")
    for function in square_root, effective_rank:
        with pytest.raises(ValueError, match="K must be positive semidefinite, but has the eigenvalue -1"):
            function([[1.0, 2.0], [2.0, 1.0]])


def test_orientation_is_fixed_by_the_first_large_entry():
    columns = np.array([[0.1, -0.4, -0.6, 1, -1, 0, 1e-200], [-1, 1, 1, -1, 1, 0, -1e-199]])
    assert_array_equal(orient(columns), columns * [-1, 1, -1, 1, -1, 1, -1])
    assert_array_equal(orient(-columns), orient(columns))
    odd = np.sin(np.linspace(-2, 2, 12))[:, None]
    for nudge in -1e-15, 1e-15:  # rounding decides which of the two largest is larger
        assert_array_equal(orient(odd + nudge), -odd - nudge)
        assert_array_equal(orient(np.array([[1 + nudge], [-2], [1]])), [[-1 - nudge], [2], [-1]])

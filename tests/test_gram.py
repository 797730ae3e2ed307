"""What is done to Gram matrices, against explicit features and scikit-learn."""

from itertools import combinations, permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import sqrtm
from scipy.spatial.distance import cdist
from sklearn.preprocessing import KernelCenterer

from kernelbook.gram import (
    centre,
    decompose,
    distances,
    distances_to_mean,
    effective_rank,
    is_psd,
    mean_norm,
    normalise,
    orient,
    principal_minors,
    psd_witness,
    rounding,
    spectrum,
    square_root,
)
from kernelbook.kernels import RBF, Linear, Polynomial

F, NEW = np.random.default_rng(2).normal(size=(2, 12, 4)) + 1  # explicit features, so K = F Fᵀ
K, BLOCK = F @ F.T, NEW[:5] @ F.T
for matrix in K, BLOCK:
    matrix.flags.writeable = False  # a function that changed its argument would raise

of_feature_vectors = [square_root, effective_rank, mean_norm, distances_to_mean]
of_any_matrix = [centre, normalise, distances, spectrum, is_psd, psd_witness, principal_minors]
every_function = pytest.mark.parametrize("function", of_any_matrix + of_feature_vectors)


def test_centre_is_hkh():
    H = np.eye(12) - 1 / 12
    C = centre(K)
    assert_allclose(C, H @ K @ H, atol=1e-13)
    assert_array_equal(C, C.T)
    assert_allclose(C.sum(axis=0), 0, atol=1e-12)
    assert_allclose(centre(C), C, atol=1e-13)


def test_centre_takes_the_training_mean_from_the_features():
    mean = F.mean(axis=0)
    assert_allclose(centre(K), (F - mean) @ (F - mean).T, atol=1e-13)
    assert_allclose(centre(BLOCK, K), (NEW[:5] - mean) @ (F - mean).T, atol=1e-13)
    assert_allclose(centre(BLOCK, training=K), KernelCenterer().fit(K).transform(BLOCK), atol=1e-13)
    assert_allclose(centre(K, K), centre(K), atol=1e-13)
    assert_allclose(centre(BLOCK[:1], K), centre(BLOCK, K)[:1], atol=1e-13)


def test_normalise_gives_cosines():
    unit = F / np.linalg.norm(F, axis=1, keepdims=True)
    N = normalise(K)
    assert_allclose(N, unit @ unit.T, rtol=1e-13)
    assert_array_equal(N, N.T)
    assert_array_equal(N.diagonal(), 1)
    assert_allclose(N, Linear().normalized()(F), rtol=1e-13)


def test_distances_are_those_of_the_features():
    D = distances(K)
    assert_allclose(D, cdist(F, F), rtol=1e-12)
    assert_array_equal(D, D.T)
    assert_array_equal(D.diagonal(), 0)
    kernel = Polynomial(degree=2)
    assert_allclose(distances(kernel(F)), kernel.distance(F), rtol=1e-12)


def test_distances_forgive_rounding_and_no_more():
    assert_array_equal(distances([[1.0, 1.0 + 1e-13], [1.0 + 1e-13, 1.0]]), 0)
    with pytest.raises(ValueError, match=r"K gives no distance: .* is -1e-06, which is negative"):
        distances([[1.0, 1.0 + 5e-7], [1.0 + 5e-7, 1.0]])


def test_spectrum_is_that_of_numpy_largest_first():
    found = spectrum(K)
    assert_allclose(found, np.linalg.eigvalsh(K)[::-1], atol=1e-12)
    assert (np.diff(found) <= 0).all()
    assert_allclose(spectrum(np.diag([-3.0, 2.0, 1.0])), [2, 1, -3])


def test_reference_spectrum_of_a_centred_matrix():
    X = np.random.RandomState(0).standard_normal((200, 5))
    top = spectrum(centre(RBF(gamma=0.2)(X)))[:3]
    assert_allclose(top, [14.93454545, 13.85678572, 12.25586773], atol=1e-8)


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
        (np.diag([1.0, -1e-12]), False),
        (1e-20 * np.eye(2), True),
        (1e-20 * np.diag([1, -1]), False),
        (TRIDIAGONAL, True),
        (TRIDIAGONAL**0.4, False),
        (TRIDIAGONAL**2, True),
        (TRIDIAGONAL**7, True),
        (np.diag([0.0, -1.0]), False),
        (np.diag([1.0, -1e-16]), True),
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


def test_witness_is_there_unless_is_psd():
    rng = np.random.default_rng(6)
    for least in np.linspace(-15, 0, 200) * 2.0**-52:
        U = np.linalg.qr(rng.normal(size=(8, 8)))[0]
        matrix = (U * np.array([least, *rng.random(6), 1])) @ U.T
        assert (psd_witness(matrix) is None) == is_psd(matrix)


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


@pytest.mark.parametrize("matrix", [K, BLOCK @ BLOCK.T, HAND, RBF(0.3)(F), np.ones((4, 4)), [[9]], np.zeros((2, 2))])
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


@pytest.mark.parametrize(
    "features", [F, NEW[:1], np.zeros((2, 2)), np.array([[3], [-1]]), 1e-90 * F, 1e90 * F], ids=lambda Z: str(len(Z))
)
def test_mean_norm_and_distances_to_the_mean_are_those_of_the_features(features):
    matrix, mean, size = features @ features.T, features.mean(axis=0), np.abs(features).max()
    assert mean_norm(matrix) == pytest.approx(np.linalg.norm(mean), rel=1e-12)
    assert_allclose(distances_to_mean(matrix), np.linalg.norm(features - mean, axis=1), rtol=1e-12, atol=1e-12 * size)


def test_mean_forgives_rounding_and_no_more():
    assert mean_norm([[1.0, -1 - 1e-13], [-1 - 1e-13, 1.0]]) == 0
    assert_array_equal(distances_to_mean([[1.0, 1 + 1e-13], [1 + 1e-13, 1.0]]), 0)
    with pytest.raises(ValueError, match=r"K .*-5e-08"):
        mean_norm([[1.0, -1 - 1e-7], [-1 - 1e-7, 1.0]])
    with pytest.raises(ValueError, match=r"K .*-5e-08"):
        distances_to_mean([[1.0, 1 + 1e-7], [1 + 1e-7, 1.0]])


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


BAD = {
    "not square": (K[:2], ValueError, r"K must be a square Gram matrix, but has shape \(2, 12\)"),
    "asymmetric": ([[1, 2], [3, 4]], ValueError, r"K must be symmetric, but K\[0, 1\] = 2 and K\[1, 0\] = 3"),
    "NaN": ([[1, np.nan], [np.nan, 1]], ValueError, "Input K contains NaN"),
    "infinite": ([[np.inf]], ValueError, "Input K contains infinity"),
    "1-D": ([1.0, 2.0], ValueError, "must have a row for each point"),
    "empty": (np.zeros((0, 0)), ValueError, r"0 sample\(s\)"),
    "sparse": (sp.csr_array(K), TypeError, "Sparse data was passed for K, but dense data is required"),
    "complex": (K + 1j, ValueError, "Complex data not supported"),
    "strings": ([["a"]], ValueError, "could not convert string to float"),
}


@every_function
@pytest.mark.parametrize(("bad", "error", "message"), BAD.values(), ids=BAD)
def test_bad_matrices(function, bad, error, message):
    with pytest.raises(error, match=message):
        function(bad)


@pytest.mark.parametrize(
    ("block", "training", "message"),
    [
        (BLOCK.T, K, r"K must have one column for each of the 12 training points, but has shape \(12, 5\)"),
        (BLOCK, BLOCK, r"training must be a square Gram matrix, but has shape \(5, 12\)"),
        ([[1, 1]], [[1, 2], [3, 4]], r"training must be symmetric, but training\[0, 1\] = 2 and training\[1, 0\] = 3"),
        ([[1, np.nan]], np.eye(2), "Input K contains NaN"),
        ([[1, 1]], [[np.nan]], "Input training contains NaN"),
        ([1, 1], np.eye(2), "must have a row for each point"),
    ],
)
def test_centre_with_bad_blocks(block, training, message):
    with pytest.raises(ValueError, match=message):
        centre(block, training)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1.0, 0.0], [0.0, 0.0]], r"k\(x, x\) > 0, but row 1 has k\(x, x\) = 0"),
        ([[1.0, 0.0], [0.0, -2.0]], r"k\(x, x\) > 0, but row 1 has k\(x, x\) = -2"),
    ],
)
def test_normalise_needs_lengths(matrix, message):
    with pytest.raises(ValueError, match=message):
        normalise(matrix)

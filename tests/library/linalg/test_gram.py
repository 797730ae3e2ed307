"""What is done to Gram matrices, against explicit features and scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.preprocessing import KernelCenterer

from kernelbook.kernels import RBF, Linear, Polynomial
from kernelbook.linalg.gram import (
    centre,
    distances,
    distances_to_mean,
    effective_rank,
    is_psd,
    mean_norm,
    normalise,
    principal_minors,
    psd_witness,
    spectrum,
    square_root,
)
from tests.library.samples import reference_sample

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
    X = reference_sample()[0]
    top = spectrum(centre(RBF(gamma=0.2)(X)))[:3]
    assert_allclose(top, [14.93454545, 13.85678572, 12.25586773], atol=1e-8)


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
    assert mean_norm([[1.0, -1 - 1e-7], [-1 - 1e-7, 1.0]], size=1e4) == 0
    assert_array_equal(distances_to_mean([[1.0, 1 + 1e-7], [1 + 1e-7, 1.0]], size=1e4), 0)


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

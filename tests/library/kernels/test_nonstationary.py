"""Gibbs' kernel and the arc-cosine kernels, against integrals, drawn weights and values by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad

from kernelbook.kernels import RBF, ArcCosine, Gibbs
from kernelbook.linalg import gram

r = np.random.default_rng(3)
X, Y = r.normal(size=(20, 3)), r.normal(size=(15, 3))


def length(X):
    return 0.3 + X[:, 0] ** 2


def test_a_constant_length_is_an_rbf():
    assert_allclose(Gibbs(lambda X: np.full(len(X), 0.7))(X, Y), RBF(1 / (2 * 0.7**2))(X, Y), rtol=1e-12)


def test_gibbs_is_an_inner_product_of_bells():
    x, z = np.array([[0.4]]), np.array([[1.3]])

    def bells(*points):
        """∫ of the product of the bells of two points."""
        return quad(lambda t: np.prod([np.exp(-(((t - p[0, 0]) / length(p)[0]) ** 2)) for p in points]), -20, 20)[0]

    expected = bells(x, z) / np.sqrt(bells(x, x) * bells(z, z))
    assert_allclose(Gibbs(length)(x, z), [[expected]], rtol=1e-9)


def test_gibbs_in_three_columns_is_a_product_of_the_factors_of_one():
    a, b = length(X)[:, None], length(Y)
    factors = [
        np.sqrt(2 * a * b / (a**2 + b**2)) * np.exp(-(np.subtract.outer(X[:, j], Y[:, j]) ** 2) / (a**2 + b**2))
        for j in range(3)
    ]
    assert_allclose(Gibbs(length)(X, Y), np.prod(factors, axis=0), rtol=1e-12)


def test_without_its_factor_gibbs_is_not_psd():
    x, lengths, c = np.array([[-0.3], [0.0], [0.3]]), np.array([0.5, 1.0, 0.5]), np.array([1, -2, 1])
    bare = np.exp(-((x - x.T) ** 2) / np.add.outer(lengths**2, lengths**2))
    assert_allclose(c @ bare @ c, 6 + 2 * np.exp(-0.72) - 8 * np.exp(-0.072))
    assert not gram.is_psd(bare)
    assert gram.is_psd(Gibbs(lambda X: lengths)(x))


@pytest.mark.parametrize("returned", [[0.0] * 20, [-1.0] * 20, [1.0] * 19, [[1.0]] * 20, [np.nan] * 20])
def test_lengths_are_checked(returned):
    with pytest.raises(ValueError, match="length"):
        Gibbs(lambda X: np.array(returned))(X)
    with pytest.raises(ValueError, match="length"):
        Gibbs(lambda X: np.array(returned)).diag(X)


@pytest.mark.parametrize(("degree", "bias"), [(0, 0), (1, 0), (2, 0), (1, 1.5)])
def test_arc_cosine_is_a_mean_over_hidden_units(degree, bias):
    x, z = (np.append(bias, row) for row in (X[0], Y[0]))
    s = r.normal(size=(400_000, 4)) @ np.column_stack([x, z])
    drawn = 2 * np.prod((s > 0) * s**degree, axis=1)
    found = ArcCosine(degree, bias)(X[:1], Y[:1])[0, 0]
    assert abs(found - drawn.mean()) < 5 * drawn.std() / np.sqrt(len(drawn))


def test_arc_cosine_by_hand():
    x, z = [[3.0, 0.0]], [[0.0, 2.0], [-1.0, 0.0], [3.0, 0.0], [0.0, 0.0]]
    assert_allclose(ArcCosine(0)(x, z), [[1 / 2, 0, 1, 0]], atol=1e-15)
    assert_allclose(ArcCosine(1)(x, z), [[6 / np.pi, 0, 9, 0]], atol=1e-15)
    assert_allclose(ArcCosine(2)(x, z), [[18, 0, 243, 0]], atol=1e-13)
    for degree, length in ((0, 1), (1, 9), (2, 243)):
        assert_allclose(ArcCosine(degree).diag(x), [length])


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_arc_cosine_of_nearly_parallel_points_keeps_its_digits(degree):
    angle = 1e-7
    x, z = [[1.0, 0.0]], [[np.cos(angle), np.sin(angle)], [-np.cos(angle), -np.sin(angle)]]
    near, far = ArcCosine(degree)(x, z)[0]
    largest = ArcCosine(degree).diag(x)[0]
    if degree == 0:  # 1 − θ/π is not flat at 0
        assert_allclose([(1 - near) * np.pi, far * np.pi], [angle, angle], rtol=1e-6)
    else:
        assert_allclose([near, far], [largest, 0], atol=1e-13)


def test_arc_cosine_is_symmetric_to_the_bit():
    for degree in (0, 1, 2):
        K = ArcCosine(degree, 0.5)(np.vstack([X, -X, X]))
        assert_array_equal(K, K.T)
        assert gram.is_psd(K)


def test_other_degrees_are_refused():
    for degree in (3, -1, 0.5):
        with pytest.raises(ValueError, match="'degree' parameter of ArcCosine"):
            ArcCosine(degree)(X)

"""Kernels of the inner product: what is promised of them, and GeneralLinear's matrix."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelbook.kernels import GeneralLinear, Polynomial, Sigmoid

r = np.random.default_rng(7)
X, Y = r.normal(size=(30, 4)), r.normal(size=(20, 4))


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_a_negative_constant_promises_nothing(degree):
    kernel = Polynomial(degree=degree, coef0=-1)
    assert not kernel.psd
    assert np.linalg.eigvalsh(kernel([[1.0], [-1.0]]))[0] < -0.9
    assert Polynomial(degree=degree, coef0=0).psd
    with pytest.raises(ValueError, match=r"Polynomial\(coef0=-1.*\) has real features only if coef0 >= 0"):
        kernel.features(X)


@pytest.mark.parametrize(
    ("kernel", "points", "least"),
    [
        (Sigmoid(1, 1), [0.1, 100], -0.124),
        (Sigmoid(), [1, 2], -0.0909),
        (Sigmoid(), [0.1, 0.2], -0.01 * 0.04 * 0.03**2 / 3 / 0.05),  # the determinant by the trace
        (Sigmoid(1, -1), [0], np.tanh(-1)),
        (Sigmoid(1, 5), [0.1, 100], (np.tanh(5) - 1) / 2),
    ],
)
def test_the_sigmoid_promises_nothing(kernel, points, least):
    assert not kernel.psd
    assert not kernel.conditionally_psd
    assert_allclose(np.linalg.eigvalsh(kernel(np.array(points, dtype=float)[:, None]))[0], least, rtol=0.03)


def test_general_linear_measures_with_its_matrix():
    A = np.cov(X.T)
    assert_allclose(GeneralLinear(A)(X, Y), X @ A @ Y.T, rtol=1e-10)
    assert_allclose(GeneralLinear(A).diag(X), np.diagonal(X @ A @ X.T), rtol=1e-10)
    assert GeneralLinear(A).psd
    assert GeneralLinear(1e-20 * A).psd
    assert not GeneralLinear([[1.0, 2.0], [2.0, 1.0]]).psd
    assert GeneralLinear([[0.0]]).psd


@pytest.mark.parametrize(
    ("kernel", "points", "message"),
    [
        (GeneralLinear(np.eye(3)), X, r"A must have a row for each of the 4 columns of X, .* \(3, 3\)"),
        (GeneralLinear([[1.0, 2.0], [0.0, 1.0]]), [[1.0, 1.0]], "A must be symmetric"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(kernel, points, message):
    with pytest.raises(ValueError, match=message):
        kernel(points)

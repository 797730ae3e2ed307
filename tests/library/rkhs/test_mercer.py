"""Mercer's eigenvalues and eigenfunctions, against closed forms."""

import numpy as np
import pytest
from numpy.polynomial.hermite import hermval
from numpy.polynomial.hermite_e import hermegauss
from numpy.testing import assert_allclose
from scipy.special import factorial

from kernelbook import RBF
from kernelbook.rkhs.functions import mercer

X, Z = np.random.default_rng(3).normal(size=(2, 7, 2))


def test_a_point_of_weight_zero_is_not_there():
    some, weights = [0, 2, 3, 6], np.array([1, 0, 2, 1, 0, 0, 3])
    eigenvalues, functions = mercer(RBF(0.5), X, 4, weights)
    fewer, theirs = mercer(RBF(0.5), X[some], 4, weights[some])
    assert_allclose(eigenvalues, fewer)
    assert_allclose([e(Z) for e in functions], [e(Z) for e in theirs], rtol=1e-9)
    with pytest.raises(ValueError, match="n_components must be at most 4, the number of eigenvalues that exceed"):
        mercer(RBF(0.5), X, 5, weights)


@pytest.mark.parametrize("gamma", [0.03, 0.3, 3.0])
def test_sign_rule_settles_odd_functions(gamma):
    grid = np.linspace(-1, 1, 12)[:, None]
    values = np.array([e(grid) for e in mercer(RBF(gamma), grid, 4)[1]])
    assert_allclose(values, np.array([[1], [-1], [1], [-1]]) * values[:, ::-1], atol=1e-6)
    assert (values[:2, 0] > 0).all()


def test_minimum_kernel_has_sines_for_eigenfunctions():
    n, frequency = 50, np.pi * (np.arange(1, 6) - 0.5)
    middles = (np.arange(n) + 0.5) / n
    eigenvalues, functions = mercer(np.minimum.outer, middles, 5)
    assert_allclose(eigenvalues, (2 * n * np.sin(frequency / (2 * n))) ** -2, rtol=1e-10)  # as n grows, frequency⁻²
    for e, expected in zip(functions, np.sqrt(2) * np.sin(np.outer(frequency, middles)), strict=True):
        assert_allclose(e(middles), expected, atol=1e-9)


def test_rbf_under_a_normal_density_has_hermite_functions():
    nodes, weights = hermegauss(60)
    gamma, a, j = 0.4, 1 / 4, np.arange(6)  # a = 1 / (4 · variance)
    eigenvalues, functions = mercer(RBF(gamma), nodes[:, None], 6, weights / np.sqrt(2 * np.pi))
    c = np.sqrt(a**2 + 2 * a * gamma)
    total = a + gamma + c
    assert_allclose(eigenvalues, np.sqrt(2 * a / total) * (gamma / total) ** j, rtol=1e-10)
    at = np.array([-1.3, 0.2, 2.0])
    for order, e in zip(j, functions, strict=True):
        length = np.sqrt(np.sqrt(a / c) * 2.0**order * factorial(order))
        expected = np.exp(-(c - a) * at**2) * hermval(np.sqrt(2 * c) * at, np.eye(6)[order]) / length
        found = e(at[:, None])
        assert_allclose(found * np.sign(found[2]), expected * np.sign(expected[2]), rtol=1e-7)

"""Widths of features learned from data: gradients, scikit-learn's Gaussian process, units, what tells nothing."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as SklearnRBF
from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel

from kernelbook import RBF, KernelRidge
from kernelbook.learning import alignment, ard_by_alignment, ard_by_marginal_likelihood, target_gram
from kernelbook.learning.ard import _alignment, _likelihood
from kernelbook.linalg.gram import centre

BOTH = pytest.mark.parametrize("learn", [ard_by_alignment, ard_by_marginal_likelihood])


def two_relevant_features(n=60, d=3, seed=0, noise=0.1):
    """Objects (n, d), and a target that depends on the first feature and less on the second."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + noise * rng.normal(size=n)


@pytest.mark.parametrize("seed", range(3))
def test_gradients_are_those_of_differences(seed):
    X, y = two_relevant_features(30, seed=seed)
    L = centre(target_gram(y))
    L /= np.linalg.norm(L)
    theta = np.random.default_rng(seed).normal(size=4) - 1
    for point, objective in (
        (theta[:3], lambda theta: _alignment(theta, X, L)),
        (theta, lambda theta: _likelihood(theta, X, y)),
    ):
        expected = approx_fprime(point, lambda theta, f=objective: f(theta)[0], 1e-6)
        assert np.abs(expected).min() > 1e-5
        assert_allclose(objective(point)[1], expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


def test_a_far_object_costs_the_gradient_no_digits():
    """Against the sum itself, in which its differences from itself are exact zeros."""
    X, y = two_relevant_features(30)
    X[0] = 1e8
    K = RBF(np.full(3, 0.3))(X)
    found = _likelihood(np.log([0.3, 0.3, 0.3, 0.1]), X, y)[1][:3]
    inverse = np.linalg.inv(K + 0.1 * np.eye(30))
    of_K = 0.5 * (inverse @ np.outer(y, y) @ inverse / (y @ inverse @ y / 30) - inverse)
    expected = [-0.3 * np.sum(of_K * K * np.subtract.outer(x, x) ** 2) for x in X.T]
    assert_allclose(found, expected, rtol=1e-8)


def theirs(X, y, amplitude, gamma, noise, optimizer=None):
    kernel = ConstantKernel(amplitude, (1e-8, 1e8)) * SklearnRBF(1 / np.sqrt(2 * np.asarray(gamma)), (1e-4, 1e6))
    return GaussianProcessRegressor(kernel + WhiteKernel(noise, (1e-10, 1e8)), alpha=0, optimizer=optimizer).fit(X, y)


@pytest.mark.parametrize("seed", range(3))
def test_likelihood_and_prediction_are_scikit_learns(seed):
    X, y = two_relevant_features(seed=seed)
    found = ard_by_marginal_likelihood(X, y)
    model = theirs(X, y, found.amplitude, found.kernel.gamma, found.noise)
    assert_allclose(found.log_marginal_likelihood, model.log_marginal_likelihood_value_, rtol=1e-8)
    assert_allclose(found.alpha, found.noise / found.amplitude)
    new = two_relevant_features(seed=100)[0]
    ours = KernelRidge(found.kernel, found.alpha).fit(X, y)
    assert_allclose(ours.predict(new), model.predict(new), atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_the_end_is_as_good_as_scikit_learns(seed):
    X, y = two_relevant_features(seed=seed)
    start = 1.0, np.full(3, RBF("median").fit(X).gamma_), 0.1
    model = theirs(X, y, *start, optimizer="fmin_l_bfgs_b")
    found = ard_by_marginal_likelihood(X, y).log_marginal_likelihood
    assert found >= model.log_marginal_likelihood_value_ - 1e-3
    assert found > theirs(X, y, *start).log_marginal_likelihood_value_ + 1


def test_alignment_is_what_is_said():
    X, y = two_relevant_features()
    found = ard_by_alignment(X, y)
    assert_allclose(found.alignment, alignment(found.kernel(X), y), rtol=1e-9)
    assert found.alignment > max(alignment(RBF(gamma)(X), y) for gamma in np.logspace(-3, 2, 30)) + 0.01


@BOTH
def test_no_step_from_the_end_is_better(learn):
    X, y = two_relevant_features()
    found = learn(X, y)
    for j in range(3):
        for factor in 0.8, 1.25:
            gamma = found.kernel.gamma.copy()
            gamma[j] *= factor
            if learn is ard_by_alignment:
                assert alignment(RBF(gamma)(X), y) <= found.alignment + 1e-6
            else:
                other = theirs(X, y, found.amplitude, gamma, found.noise).log_marginal_likelihood_value_
                assert other <= found.log_marginal_likelihood + 1e-4


@BOTH
def test_features_that_tell_nothing_get_no_weight(learn):
    """Beside its control: the same two features in data where y depends on them."""
    shares, control = [], []
    for seed in range(8):
        X, y = two_relevant_features(100, 4, seed)
        gamma = learn(X, y).kernel.gamma
        shares.append(gamma[2:].max() / gamma[:2].max())
        gamma = learn(X[:, ::-1], y).kernel.gamma
        control.append(gamma[2:].max() / gamma[:2].max())
    assert np.max(shares) < 0.05
    assert np.min(control) > 20


@BOTH
def test_each_feature_has_its_unit(learn):
    X, y = two_relevant_features()
    units = np.array([1e-6, 1.0, 1e5])
    expected, found = learn(X, y), learn(X * units, y)
    assert_allclose(found.kernel.gamma * units**2, expected.kernel.gamma, rtol=1e-4)
    assert_allclose(found[1:], expected[1:], rtol=1e-6)
    moved = learn(X + np.array([1e3, -10.0, 5.0]), y)
    assert_allclose(moved.kernel.gamma, expected.kernel.gamma, rtol=1e-4)
    huge = learn(2.0**400 * X, y).kernel.gamma
    assert_array_equal(2.0**800 * huge, expected.kernel.gamma)


@pytest.mark.parametrize("c", [1e-100, 1e-3, 1e100])
def test_y_has_its_unit(c):
    X, y = two_relevant_features()
    expected, found = ard_by_marginal_likelihood(X, y), ard_by_marginal_likelihood(X, c * y)
    assert_allclose(found.kernel.gamma, expected.kernel.gamma, rtol=1e-4)
    assert_allclose([found.alpha, found.noise / c**2], [expected.alpha, expected.noise], rtol=1e-4)
    assert_allclose(found.amplitude / c**2, expected.amplitude, rtol=1e-4)
    likelihood = expected.log_marginal_likelihood - len(y) * np.log(c)
    assert_allclose(found.log_marginal_likelihood, likelihood, rtol=1e-8)
    assert_allclose(ard_by_alignment(X, c * y).kernel.gamma, ard_by_alignment(X, y).kernel.gamma, rtol=1e-4)


@BOTH
def test_a_constant_feature_gets_zero_and_changes_nothing(learn):
    X, y = two_relevant_features()
    expected = learn(X, y)
    found = learn(np.insert(X, 1, 0.1, axis=1), y)
    assert found.kernel.gamma[1] == 0
    assert_array_equal(np.delete(found.kernel.gamma, 1), expected.kernel.gamma)


@BOTH
def test_a_far_object_hides_no_feature(learn):
    X, y = two_relevant_features()
    expected = learn(X, y).kernel.gamma
    found = learn(np.vstack([X, [[1e6, -1e6, 1e6]]]), np.append(y, 0.1)).kernel.gamma
    assert_allclose(np.log(found[:2] / expected[:2]), 0, atol=np.log(2))  # one object is one of 61, however far


@BOTH
def test_features_that_are_mostly_equal(learn):
    """Flags of few objects, and a feature with two values."""
    X, y = two_relevant_features(200, seed=3)
    flag, half = np.arange(200) % 20 == 0, (np.arange(200) % 2).astype(float)
    found = learn(np.column_stack([X, flag, half]), y + 3 * half)
    assert np.isfinite(found.kernel.gamma).all()
    assert found.kernel.gamma[4] > 100 * max(found.kernel.gamma[2], found.kernel.gamma[3])


def test_copies_of_objects_change_no_alignment():
    X, y = two_relevant_features()
    expected, found = ard_by_alignment(X, y), ard_by_alignment(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert_allclose(found.kernel.gamma, expected.kernel.gamma, rtol=1e-3)
    assert_allclose(found.alignment, expected.alignment, rtol=1e-8)


def test_copies_with_noise_of_their_own_show_the_noise():
    X, y = two_relevant_features(40, noise=0)
    rng = np.random.default_rng(1)
    found = ard_by_marginal_likelihood(np.repeat(X, 5, axis=0), np.repeat(y, 5) + 0.3 * rng.normal(size=200))
    assert_allclose(found.noise, 0.09, rtol=0.3)


def test_without_noise_alpha_is_the_least():
    X, y = two_relevant_features(noise=0)
    found = ard_by_marginal_likelihood(X, y)
    assert_allclose(found.alpha, 1e-8)
    assert np.abs(KernelRidge(found.kernel, found.alpha).fit(X, y).predict(X) - y).max() < 1e-3


@BOTH
def test_frames_lists_and_a_second_run_give_the_same(learn):
    X, y = two_relevant_features()
    expected = learn(X, y)
    for again in (learn(X, y), learn(pd.DataFrame(X), pd.Series(y)), learn(X.tolist(), y.tolist())):
        assert_array_equal(again.kernel.gamma, expected.kernel.gamma)
        assert again[1:] == expected[1:]
        assert {type(value) for value in again[1:]} == {float}


def test_the_narrowest_width_is_the_promised_one():
    rng = np.random.default_rng(0)
    x, y = (np.repeat(values, 2) for values in (rng.permutation(20) * 1.0, rng.choice([-1, 1], 20)))
    gamma = ard_by_alignment(x[:, None], y).kernel.gamma[0]  # only its copy is like an object
    assert gamma * np.median(np.abs(x - np.median(x))) ** 2 == pytest.approx(1e4)


def test_classes_have_an_alignment():
    X, y = two_relevant_features()
    labels = np.digitize(y, np.quantile(y, [1 / 3, 2 / 3]))
    found = ard_by_alignment(X, np.array(["low", "middle", "high"])[labels])
    assert found.kernel.gamma[2] < 0.1 * found.kernel.gamma[0]
    assert_array_equal(found.kernel.gamma, ard_by_alignment(X, labels).kernel.gamma)


@BOTH
@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.ones((5, 2)), np.arange(5.0), "X must have a feature that varies, but each of its 2 is constant"),
        (0.1 * np.ones((3, 1)), [0.0, 1.0, 2.0], "X must have a feature that varies"),
        (np.eye(3), [2.0, 2.0, 2.0], "y must vary, but all its 3 values are 2"),
        (np.eye(3), [0.0, np.nan, 1.0], "y contains NaN"),
        (np.full((3, 2), np.nan), [0.0, 1.0, 2.0], "X contains NaN"),
        (np.eye(3), [0.0, 1.0], "inconsistent numbers of samples"),
        (np.arange(3.0), [0.0, 1.0, 2.0], "X must have a row for each point"),
        (np.eye(1), [0.0], "a minimum of 2 is required"),
        (1e200 * np.eye(3), [0.0, 1.0, 3.0], "X must be in units in which γ is a float"),
        (1e-200 * np.eye(3), [0.0, 1.0, 3.0], "X must be in units in which γ is a float"),
    ],
)
def test_refused(learn, X, y, words):
    with pytest.raises(ValueError, match=words):
        learn(X, y)


def test_labels_and_tiny_numbers_have_no_likelihood():
    with pytest.raises(ValueError, match="y must be an array of numbers"):
        ard_by_marginal_likelihood(np.eye(3), ["a", "b", "a"])
    with pytest.raises(ValueError, match="y must be in units in which its squares are floats"):
        ard_by_marginal_likelihood(np.eye(3), [1e-170, 0.0, 0.0])

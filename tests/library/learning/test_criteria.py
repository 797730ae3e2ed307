"""Alignment and class separability: their formulas written out, what changes nothing, what is refused."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelbook import RBF, Linear
from kernelbook.learning import alignment, class_separability, target_gram


def random_labels(n=30, seed=0):
    """Objects, and classes that have nothing to do with them."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng.integers(3, size=n)


def centred(K):
    H = np.eye(len(K)) - 1 / len(K)
    return H @ K @ H


def test_alignment_is_its_formula():
    X, _ = random_labels()
    K, L = RBF(0.5)(X), Linear()(X[:, :2]) - 0.3 * RBF(2.0)(X)
    expected = np.sum(centred(K) * centred(L)) / np.linalg.norm(centred(K)) / np.linalg.norm(centred(L))
    assert abs(expected) < 0.9
    assert_allclose(alignment(K, L), expected, rtol=1e-12)
    assert_allclose(alignment(L, K), expected, rtol=1e-12)


@pytest.mark.parametrize("unit", [1e-300, 1e-8, 1e300])
def test_factors_and_constants_change_no_alignment(unit):
    X, y = random_labels()
    K = RBF(0.5)(X)
    assert_allclose(alignment(unit * K, y), alignment(K, y), rtol=1e-12)
    assert_allclose(alignment(K + 100.0, y), alignment(K, y), rtol=1e-10)
    assert_allclose(alignment(K, unit * X[:, 0]), alignment(K, X[:, 0]), rtol=1e-12)
    assert_allclose(alignment(K, X[:, 0] + 1e9), alignment(K, X[:, 0]), rtol=1e-5)
    assert_allclose([alignment(K, K), alignment(K, 7 * K + 1), alignment(K, -K)], [1, 1, -1], rtol=1e-12)


def test_two_classes_may_be_coded_in_any_way():
    X, y = random_labels()
    K, y = RBF(0.5)(X), y > 1
    sign = np.where(y, 1.0, -1.0)
    expected = np.sum(centred(K) * np.outer(sign, sign)) / np.linalg.norm(centred(K))
    expected /= np.linalg.norm(centred(np.outer(sign, sign)))
    codes = [y, sign, sign.astype(int), np.where(y, "yes", "no"), y.astype(int).tolist(), pd.Series(7.5 * y)]
    for code in [*codes, pd.Series(np.where(y, "yes", "no")), target_gram(y), np.outer(sign, sign)]:
        assert_allclose(alignment(K, code), expected, rtol=1e-12)


def test_targets_as_gram_matrices():
    X, y = random_labels()
    one_hot = np.eye(3)[y]
    assert_array_equal(target_gram(y), one_hot @ one_hot.T)
    assert_array_equal(target_gram(np.array(["a", "b", "c"])[y]), one_hot @ one_hot.T)
    real = target_gram(1e200 * X[:, 0])
    assert_allclose(centred(real) / real[0, 0], centred(np.outer(X[:, 0], X[:, 0])) / (X[0, 0] - X[:, 0].mean()) ** 2)
    assert abs(alignment(RBF(0.5)(X), y) - alignment(RBF(0.5)(X), y.astype(float))) > 1e-3  # classes, and numbers


def test_the_perfect_kernel_and_the_empty_one():
    """A kernel that says nothing has the uncentred alignment (Σy)²/n² with classes of 90 and 10 %; it is refused."""
    y = np.repeat([1.0, -1.0], [90, 10])
    assert_allclose(alignment(np.outer(y, y), y), 1)
    ones = np.ones((100, 100))
    assert_allclose(np.vdot(ones, np.outer(y, y)) / np.linalg.norm(ones) / np.linalg.norm(np.outer(y, y)), 0.64)
    rng, found = np.random.default_rng(0), []
    for _ in range(20):
        K = ones + 1e-3 * RBF(1.0)(rng.normal(size=(100, 2)))
        found.append(alignment(K, y))
    assert np.max(found) < 0.1


SOME = np.array([0.1, 0.7, 1e3, 0.3, -5.0, 1.1, 1e-3])


@pytest.mark.parametrize(
    ("K", "L", "words"),
    [
        (np.ones((4, 4)), [0, 1, 0, 1], "K must vary, but all its entries are 1"),
        (np.zeros((4, 4)), [0, 1, 0, 1], "K must vary, but all its entries are 0"),
        (np.add.outer(SOME, SOME), np.eye(7), "K must vary, but all its entries are 0.2 up to what centring removes"),
        (0.1 * np.ones((4, 4)), np.eye(4), "K must vary, but all its entries are 0.1"),
        (np.eye(4), 1e200 * np.ones((4, 4)), "L must vary, but all its entries are 1e\\+200"),
        (np.eye(4), [1.5, 1.5, 1.5, 1.5], "y must vary, but all its 4 values are 1.5"),
        (np.eye(4), [0.0, 0.0, 0.0, 0.0], "y must vary, but all its 4 values are 0"),
        (np.eye(4), ["a"] * 4, "y must hold at least two classes, got 1 class"),
        (np.eye(4), [0, 1, 0], "K and L must be of the same objects, but K has 4 and L has 3"),
        (np.eye(4), np.eye(3), "K and L must be of the same objects, but K has 4 and L has 3"),
        (np.eye(4), [0.0, np.nan, 1.0, 2.0], "y contains NaN"),
        (np.eye(4), 3.0, "L must be a Gram matrix, or a list of targets or labels, got 3.0"),
        (np.eye(4), None, "L must be a Gram matrix, or a list of targets or labels, got None"),
        (np.eye(4), np.ones((4, 2)), r"L must be a square Gram matrix, but has shape \(4, 2\)"),
        (np.triu(np.ones((4, 4))), [0, 1, 0, 1], "K must be symmetric"),
        (np.full((4, 4), np.nan), [0, 1, 0, 1], "K contains NaN"),
    ],
)
def test_alignment_refuses(K, L, words):
    with pytest.raises(ValueError, match=words):
        alignment(K, L)


def scatter(features, y):
    """tr S_b / tr S_w from the features themselves."""
    mean, b, w = features.mean(axis=0), 0.0, 0.0
    for label in np.unique(y):
        of_class = features[y == label]
        b += len(of_class) * np.sum((of_class.mean(axis=0) - mean) ** 2)
        w += np.sum((of_class - of_class.mean(axis=0)) ** 2)
    return b / w


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
@pytest.mark.parametrize("classes", [2, 3])
def test_separability_is_that_of_the_features(classes, unit):
    X, y = random_labels(seed=1)
    y = y % classes
    expected = scatter(X, y)
    assert_allclose(class_separability(unit * Linear()(X), y), expected, rtol=1e-10)
    assert_allclose(class_separability(Linear()(X), np.array(["c", "a", "b"])[y]), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("K", "y", "words"),
    [
        (np.eye(3), [1, 1, 1], "y must hold at least two classes"),
        (np.eye(3), [0, 1], "inconsistent numbers of samples"),
        (np.kron(np.eye(2), np.ones((2, 2))), [0, 0, 1, 1], "the objects of each class have the same features"),
        (np.zeros((4, 4)), [0, 0, 1, 1], "the objects of each class have the same features"),
        (RBF(1.0)(np.repeat([[0.1], [0.7]], 10, 0)), [0] * 10 + [1] * 10, "each class have the same features"),
        (np.eye(2), [0, 1], "the objects of each class have the same features"),
        (np.eye(3), None, "requires y to be passed"),
    ],
)
def test_separability_refuses(K, y, words):
    with pytest.raises(ValueError, match=words):
        class_separability(K, y)

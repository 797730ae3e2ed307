"""Classification at its limits: exact ties, the largest ν, weights in ν and in the gap, no support vector at all."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm

from kernelbook import RBF, SVC, NuSVC


def draw():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    return X, (X[:, 0] + 0.5 * rng.normal(size=40) > 0).astype(int), rng.uniform(0.1, 3, size=40)


def test_on_the_border_the_negative_class_of_a_pair_wins():
    """With K = I all offsets are zero, and so is f of an object that has nothing in common with the others."""
    pair, nowhere = SVC("precomputed").fit(np.eye(2), ["a", "b"]), np.zeros((1, 3))
    assert pair.decision_function(nowhere[:, :2]) == [0]
    assert pair.predict(nowhere[:, :2]) == ["a"]
    ours = SVC("precomputed").fit(np.eye(3), [0, 1, 2])
    theirs = svm.SVC(kernel="precomputed").fit(np.eye(3), [0, 1, 2])
    assert_array_equal(ours.decision_function(nowhere), theirs.decision_function(nowhere))
    assert ours.predict(nowhere) == theirs.predict(nowhere) == [2]


@pytest.mark.parametrize("kernel", [RBF(1.0), "precomputed"], ids=repr)
def test_a_tolerance_that_the_start_meets_leaves_no_support_vectors(kernel):
    model = SVC(kernel, tol=2.5).fit(np.eye(4), [0, 1, 2, 1])
    assert model.n_support_.tolist() == [0, 0, 0]
    assert model.dual_coef_.shape == (2, 0)
    assert model.decision_function(np.eye(5, 4)).shape == (5, 3)
    assert SVC(kernel, tol=2.5).fit(np.eye(2), [0, 1]).decision_function(np.eye(3, 2)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("positives", [2, 3, 4, 5])
@pytest.mark.parametrize("weight", [1.0, 0.7, 1 / 3])
def test_the_largest_nu_puts_all_of_the_smaller_class_on_the_bound(positives, weight):
    """Rounding may leave 2 min(n₊, n₋) / n just below it: 5.6 / 7 is 0.7999…"""
    X, y = draw()[0][:10], (np.arange(10) < positives).astype(int)
    model = NuSVC(RBF(1.0), 2 * positives / 10, tol=1e-9).fit(X, y, np.full(10, weight))
    smaller = model.dual_coef_[0, model.support_ < positives]
    assert len(smaller) == positives
    assert_allclose(smaller, smaller[0], rtol=1e-9)


def test_the_largest_nu_counts_weights():
    X, y, weight = draw()[0][:4], [0, 1, 1, 0], [1.0, 0.1, 0.1, 1.0]
    with pytest.raises(ValueError, match=r"nu must be at most .* = 0\.181818 .* got 0\.5"):
        NuSVC(nu=0.5).fit(X, y, weight)
    NuSVC(nu=0.18).fit(X, y, weight)


def test_a_margin_without_width_is_named():
    with pytest.raises(ValueError, match=r"with nu = 0\.5 it has the width ρ = 0\."):
        NuSVC("precomputed", nu=0.5).fit(np.ones((2, 2)), [0, 1])


@pytest.mark.parametrize("model", [SVC(RBF(0.7), 2.0, tol=1e-9), NuSVC(RBF(0.7), 0.3, tol=1e-9)], ids=repr)
def test_the_gap_counts_weights(model):
    assert_allclose(model.fit(*draw()).duality_gap_, 0, atol=1e-6)

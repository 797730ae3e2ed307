"""Classification at its limits: exact ties, the largest ν, weights in ν and in the gap, no support vector at all."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import ConvergenceWarning

from kernelbook import RBF, SVC, SVCCV, Linear, NuSVC, OneClassSVM
from kernelbook.learning import MKLSVC
from kernelbook.svm import svc_path
from tests.library.samples import random_weights, two_classes


def weighted_classes():
    """Forty objects, classes 0 and 1, weights."""
    X, y = two_classes(40, 0.5)
    return X, (y > 0).astype(int), random_weights(40, seed=1)


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
    X, y = two_classes(40, 0.5)[0][:10], (np.arange(10) < positives).astype(int)
    model = NuSVC(RBF(1.0), 2 * positives / 10, tol=1e-9).fit(X, y, np.full(10, weight))
    smaller = model.dual_coef_[0, model.support_ < positives]
    assert len(smaller) == positives
    assert_allclose(smaller, smaller[0], rtol=1e-9)


def test_the_largest_nu_counts_weights():
    X, y, weight = two_classes(40, 0.5)[0][:4], [0, 1, 1, 0], [1.0, 0.1, 0.1, 1.0]
    with pytest.raises(ValueError, match=r"nu must be at most .* = 0\.181818 .* got 0\.5"):
        NuSVC(nu=0.5).fit(X, y, weight)
    NuSVC(nu=0.18).fit(X, y, weight)


def test_a_margin_without_width_is_named():
    with pytest.raises(ValueError, match=r"with nu = 0\.5 it has the width ρ = 0, known to ± 2e-15: take"):
        NuSVC("precomputed", nu=0.5).fit(np.ones((2, 2)), [0, 1])


@pytest.mark.parametrize("model", [SVC(RBF(0.7), 2.0, tol=1e-9), NuSVC(RBF(0.7), 0.3, tol=1e-9)], ids=repr)
def test_the_gap_counts_weights(model):
    assert_allclose(model.fit(*weighted_classes()).duality_gap_, 0, atol=1e-6)


@pytest.mark.parametrize("solver", ["smo", "interior_point"])
def test_a_box_far_wider_than_the_solution_loses_no_support_vector(solver):
    """α is 1e-8 here, and C is 1e5: what is near 0 beside C need not be 0."""
    X, y = make_blobs(60, centers=[[0, 0], [6, 6]], random_state=0)
    model = SVC(Linear(), C=1e5, solver=solver).fit(1000 * X, y)
    assert model.score(1000 * X, y) == 1
    assert model.support_.tolist() == svm.SVC(kernel="linear", C=1e5).fit(1000 * X, y).support_.tolist()


def test_a_wide_box_in_path_and_search():
    X, y = make_blobs(60, centers=[[0, 0], [6, 6]], random_state=0)
    K, sign = Linear()(1000 * X), 2 * y - 1
    (beta,), (b,) = svc_path(K, sign, [1e5])
    assert (np.sign(K @ beta + b) == sign).all()
    search = SVCCV([Linear()], [1e5, 1e6]).fit(1000 * X, y)
    assert (search.scores_ == 1).all()
    assert search.score(1000 * X, y) == 1


@pytest.mark.parametrize("solver", ["smo", "interior_point"])
@pytest.mark.parametrize("C", [1.0, 1e6, 1e8])
def test_digits_keep_their_support_vectors_at_every_C(C, solver):
    X, y = load_digits(n_class=2, return_X_y=True)
    model = SVC(Linear(), C=C, solver=solver, tol=1e-6).fit(16 * X, y)
    expected = svm.SVC(kernel="linear", C=C, tol=1e-6).fit(16 * X, y)
    assert_array_equal(model.support_, expected.support_)
    assert not model.at_bound_.any()


def test_what_is_at_a_bound():
    X, y, weight = weighted_classes()
    for model, most in ((SVC(RBF(0.7), 2.0, class_weight={0: 3.0}), 2.0 * np.where(y == 0, 3.0, 1.0) * weight),):
        model.fit(X, y, weight)
        alpha, most = np.abs(model.dual_coef_[0]), most[model.support_]
        assert_array_equal(model.at_bound_, alpha == most)
        assert 3 < model.at_bound_.sum() < len(alpha) - 3
    several = SVC(RBF(0.7), 2.0, tol=1e-9).fit(X, np.arange(40) % 3)
    free = (np.abs(several.dual_coef_) > 1e-9) & (np.abs(several.dual_coef_) < 2 - 1e-9)
    assert_array_equal(several.at_bound_, ~free.any(axis=0))
    one = OneClassSVM(RBF(0.7), 0.4).fit(X, sample_weight=weight)
    assert_array_equal(one.at_bound_, one.dual_coef_[0] == weight[one.support_])
    nu = NuSVC(RBF(0.7), 0.4).fit(X, y)
    assert_allclose(np.abs(nu.dual_coef_[0, nu.at_bound_]), np.abs(nu.dual_coef_).max(), rtol=1e-12)


def test_an_infeasible_nu_costs_no_gram_matrix():
    def never(X, Y):
        pytest.fail("computed")

    with pytest.raises(
        ValueError, match=r"nu must be at most .* = 0\.2 .* got 0\.21"
    ):  # by 1 and 9 of them, not 1 and 8
        NuSVC(never, nu=0.21).fit(np.zeros((18, 1)), [0] * 8 + [1] * 1 + [2] * 9)


@pytest.mark.parametrize("unit", [1e-8, 1e-3, 1.0, 1e3, 1e8])
def test_the_share_of_outliers_is_no_matter_of_units(unit):
    X = np.random.default_rng(0).normal(size=(200, 2))
    for kernel in RBF(1.0), Linear():
        objects = X + 3 if isinstance(kernel, Linear) else X
        model = OneClassSVM(unit * kernel, nu=0.1).fit(objects)
        assert (model.predict(objects) == -1).mean() <= 0.1 <= len(model.support_) / 200
        expected = svm.OneClassSVM(kernel="precomputed", nu=0.1, tol=1e-6).fit(kernel(objects))
        clear = np.abs(expected.decision_function(kernel(objects))) > 3e-3 * expected.offset_
        assert clear.sum() > 50
        assert_array_equal(model.predict(objects[clear]), expected.predict(kernel(objects)[clear]))


def test_a_sample_around_the_origin_is_told():
    X = np.random.default_rng(0).normal(size=(50, 2))
    with pytest.warns(ConvergenceWarning, match=r"with nu = 0\.5 the origin of the feature space .* f and ρ are 0"):
        OneClassSVM(Linear(), nu=0.5).fit(X)


def test_many_classes_agree_with_scikit_learn():
    rng = np.random.default_rng(0)
    X, new, y = rng.normal(size=(150, 5)), rng.normal(size=(40, 5)), np.arange(150) % 50
    ours, theirs = SVC(RBF(0.2), tol=1e-9).fit(X, y), svm.SVC(gamma=0.2, tol=1e-9).fit(X, y)
    assert_array_equal(ours.support_, theirs.support_)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-5)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    assert_array_equal(ours.predict(new), theirs.predict(new))


@pytest.mark.parametrize("model", [SVC(C=np.nan), SVC(C=np.inf), SVC(tol=np.inf), NuSVC(nu=np.nan)], ids=repr)
def test_parameters_are_finite(model):
    with pytest.raises(ValueError, match=r"'(C|tol|nu)' parameter of .* Got (nan|inf)"):
        model.fit(np.eye(2), [0, 1])


@pytest.mark.parametrize("weight", [np.inf, np.nan])
def test_class_weights_are_finite(weight):
    with pytest.raises(ValueError, match="class_weight must be finite and > 0 for every class"):
        SVC(class_weight={0: weight}).fit(np.eye(2), [0, 1])


@pytest.mark.parametrize("weights", [{0: 2.0, 1: 1.0}, "balanced"])
def test_class_weights_of_nu_are_weights_of_objects(weights):
    X, y, weight = weighted_classes()
    by_class = len(y) / (2 * np.bincount(y)) if weights == "balanced" else np.array([2.0, 1.0])
    ours = NuSVC(RBF(0.7), 0.3, class_weight=weights, tol=1e-9).fit(X, y, weight)
    same = NuSVC(RBF(0.7), 0.3, tol=1e-9).fit(X, y, weight * by_class[y])
    assert_allclose(ours.decision_function(X), same.decision_function(X), atol=1e-6)
    plain = NuSVC(RBF(0.7), 0.3, tol=1e-9).fit(X, y, weight)
    assert np.abs(ours.decision_function(X) - plain.decision_function(X)).max() > 1e-3


def test_class_weights_too_unequal_for_nu_are_refused():
    with pytest.raises(ValueError, match=r"nu must be at most .* got 0\.3"):
        NuSVC(RBF(0.7), 0.3, class_weight={0: 100.0}).fit(*weighted_classes()[:2])


def never(X, Y):
    pytest.fail("computed")


ONES, TINY, HUGE = np.ones(40), np.full(40, 1e-200), np.full(40, 1e200)
OF_CLASSES = {0: 1e-200, 1: 1e-200}
OUT_OF_RANGE = [
    (SVC(never, 1e-200), TINY, "C times class_weight times sample_weight .* got 1e-200 times 1e-200"),
    (SVC(never, 1e-200, class_weight=OF_CLASSES), ONES, "C times class_weight times sample_weight .* 1e-200 times"),
    (SVC(never, 1e10), np.full(40, 1e300), "C times class_weight times sample_weight .* got 1e\\+10 times 1e\\+300"),
    (SVC(never, 1e307), ONES, "C times class_weight times sample_weight .* and so must the sum"),
    (SVC(never, class_weight=OF_CLASSES), TINY, "^class_weight times sample_weight .* got 1e-200 times 1e-200"),
    (NuSVC(never, 0.3, class_weight={0: 1e200}), HUGE, "^class_weight times sample_weight .* got 1 … 1e\\+200 times"),
    (SVCCV(Cs=[1e-200, 1.0], cv=2), TINY, "C times class_weight times sample_weight .* got 1e-200 times 1e-200"),
    (MKLSVC(C=1e-200), TINY, "C times class_weight times sample_weight .* got 1e-200 times 1e-200"),
]


@pytest.mark.parametrize(("model", "weight", "message"), OUT_OF_RANGE, ids=lambda value: repr(value)[:40])
def test_a_price_that_no_float_holds_is_refused(model, weight, message):
    """A weight that is 0 itself may be so."""
    X, y, _ = weighted_classes()
    with pytest.raises(ValueError, match=message):
        model.fit(X, y, weight * (np.arange(40) > 2))


def test_small_weights_and_a_large_C_are_a_price_as_any():
    X, y, weight = weighted_classes()
    weight[:3] = 0
    plain, scaled = SVC(RBF(0.7), 2.0, tol=1e-9), SVC(RBF(0.7), 2e200, tol=1e-9)
    assert_allclose(
        scaled.fit(X, y, weight * 1e-200).decision_function(X), plain.fit(X, y, weight).decision_function(X), atol=1e-6
    )

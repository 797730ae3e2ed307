"""The path over C and the search, against single fits and scikit-learn's grid."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import RBF, SVC, SVCCV, SVRCV, Linear
from kernelbook.qp import smo
from kernelbook.svm import path, svc_path

CS = [10.0, 0.1, 1.0]
GAMMAS = [0.1, 1.0]


@pytest.fixture
def two_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=60) > 0, 1, -1)


SLACK = {"check_sample_weight_equivalence_on_dense_data": "the default tolerance leaves more than it allows"}


@parametrize_with_checks(
    [SVCCV(Cs=[1.0, 10.0], cv=2, tol=tol) for tol in (1e-3, 1e-12)],
    expected_failed_checks=lambda model: SLACK if model.tol == 1e-3 else {},
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_default_grids_take_two_steps_a_decade():
    def grid(first, last):
        return tuple(float(f"{value:.0e}") for value in np.logspace(first, last, 2 * (last - first) + 1))

    assert (SVCCV().Cs, SVRCV().Cs, SVRCV().epsilons) == (grid(-1, 3), grid(-1, 3), grid(-2, 0))


def test_path_gives_what_each_c_gives_alone(two_classes):
    X, y = two_classes
    K = RBF(0.5)(X)
    betas, intercepts = svc_path(K, y, CS, tol=1e-9)
    for C, beta, b in zip(CS, betas, intercepts, strict=True):
        alone = SVC("precomputed", C, tol=1e-9).fit(K, y)
        assert_allclose(beta[alone.support_], alone.dual_coef_[0], atol=1e-6)
        assert_allclose(np.delete(beta, alone.support_), 0, atol=1e-12)
        assert_allclose(b, alone.intercept_[0], atol=1e-6)


@pytest.fixture
def solved(monkeypatch):
    """What the path asks of smo, and gets."""
    calls = []

    def recorded(problem, start, tol):
        solution = smo(problem, start, tol)
        calls.append((problem.upper.max(), start, tol, solution.beta))
        return solution

    monkeypatch.setattr(path, "smo", recorded)
    return calls


def test_each_c_starts_where_the_next_smaller_ended(two_classes, solved):
    X, y = two_classes
    svc_path(RBF(0.5)(X), y, CS)
    assert [C for C, *_ in solved] == sorted(CS)
    assert solved[0][1] is None
    for (*_, before), (_, start, *_) in pairwise(solved):
        assert_array_equal(start, before)


def test_search_solves_to_its_tolerance(two_classes, solved):
    search = SVCCV([RBF(0.5)], CS, cv=2, tol=1e-5).fit(*two_classes)
    assert {tol for *_, tol, _ in solved} == {1e-5} == {search.best_estimator_.tol}


def test_search_shows_the_kernel_as_it_was_fitted(two_classes):
    X, y = two_classes
    assert SVCCV(cv=2).fit(X, y).kernel_.gamma_ == pytest.approx(1 / (2 * X.var()))


def test_search_gives_the_scores_of_a_grid(two_classes):
    X, y = two_classes
    ours = SVCCV([RBF(gamma) for gamma in GAMMAS], CS, cv=4, tol=1e-8).fit(X, y)
    theirs = GridSearchCV(svm.SVC(tol=1e-8), {"C": CS, "gamma": GAMMAS}, cv=4).fit(X, y)
    grid = np.array([theirs.cv_results_[f"split{fold}_test_score"] for fold in range(4)])
    assert_allclose(ours.scores_, grid.reshape(4, 3, 2).transpose(2, 1, 0))
    means = ours.scores_.mean(axis=2)
    assert means.max() == pytest.approx(theirs.best_score_)
    assert means[GAMMAS.index(ours.kernel_.gamma), CS.index(ours.C_)] == means.max()
    assert_array_equal(ours.predict(X), SVC(ours.kernel_, ours.C_).fit(X, y).predict(X))


def test_search_with_several_classes_and_given_folds():
    X, y = load_iris(return_X_y=True)
    folds = KFold(3, shuffle=True, random_state=0)
    ours = SVCCV([RBF(0.5)], [1.0, 100.0], cv=folds, tol=1e-8).fit(X, y)
    theirs = GridSearchCV(svm.SVC(gamma=0.5, tol=1e-8), {"C": [1.0, 100.0]}, cv=folds).fit(X, y)
    assert_allclose(ours.scores_.mean(axis=2)[0], theirs.cv_results_["mean_test_score"])
    assert ours.decision_function(X).shape == (150, 3)


def test_among_equals_the_first_kernel_and_the_smallest_c_win():
    X, y = np.array([[-2.0], [-1.8], [-1.5], [1.5], [1.8], [2.0]]), [0, 0, 0, 1, 1, 1]
    search = SVCCV([Linear(), RBF(0.1)], [5.0, 1.0, 3.0], cv=3).fit(X, y)
    assert (search.scores_ == 1).all()
    assert (repr(search.kernel_), search.C_) == ("Linear()", 1.0)


def test_search_takes_objects_that_are_no_vectors():
    def common(X, Y):
        return np.array([[len(set(x) & set(y)) for y in Y] for x in X], dtype=float)

    words, y = ["aab", "abc", "bca", "xyz", "xxy", "zyx"] * 2, ["left"] * 3 + ["right"] * 3
    assert_array_equal(SVCCV([common], [1.0], cv=2).fit(words, y * 2).predict(["ab", "xy"]), ["left", "right"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Cs": [1.0, 0.0]}, "Cs must be a list of numbers > 0"),
        ({"Cs": [[1.0]]}, "Cs must be a list of numbers > 0"),
        ({"Cs": [1.0, np.nan]}, "Cs contains NaN"),
        ({"Cs": 1.0}, r"Cs must be a list of numbers > 0, got 1\.0|'Cs' parameter"),
        ({"Cs": []}, r"Cs must be a list of numbers > 0, got \[\]"),
        ({"kernels": ["precomputed", RBF(1.0)]}, "kernels must not hold 'precomputed' beside others"),
        ({"kernels": []}, "kernels must hold at least one kernel"),
        ({"kernels": ["gauss"]}, "kernel must be a Kernel"),
        ({"cv": 1}, "'cv' parameter of SVCCV"),
        ({"cv": []}, "cv must give at least one split"),
    ],
)
def test_bad_searches(two_classes, change, message):
    with pytest.raises(ValueError, match=message):
        SVCCV(**{"cv": 2, **change}).fit(*two_classes)


@pytest.mark.parametrize(
    ("K", "y", "message"),
    [
        ([[1.0, 2.0], [0.0, 1.0]], [1, -1], "K must be symmetric"),
        (np.eye(2), [1, 0], "y must hold 2 labels -1 and \\+1"),
        (np.eye(2), [1, 1], "of both kinds"),
        (np.eye(2), [1, np.nan], "y contains NaN"),
        (np.eye(2), [1, -1, 1], "got shape \\(3,\\)"),
    ],
)
def test_bad_paths(K, y, message):
    with pytest.raises(ValueError, match=message):
        svc_path(K, y, [1.0])


@pytest.mark.parametrize("Cs", [1.0, [], [[1.0]], [0.0], [np.inf], None, "1"])
def test_a_path_needs_a_list(Cs):
    with pytest.raises(ValueError, match=r"Cs must be a list of numbers > 0, got|Cs contains infinity"):
        svc_path(np.eye(2), [1, -1], Cs)


def test_folds_without_a_second_class_are_refused():
    X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    with pytest.raises(ValueError, match=r"cv must leave two classes .* training part of split 0 holds one"):
        SVCCV(cv=KFold(2)).fit(X, y)


def test_folds_that_lack_a_class_to_be_predicted_are_told():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="training part of split 0 without class 0, which is to be predicted"):
        SVCCV([RBF(0.5)], [1.0], cv=KFold(3)).fit(X, y)


def test_folds_may_come_from_a_generator(two_classes):
    X, y = two_classes
    splits = list(StratifiedKFold(3).split(X, y))
    ours = SVCCV([RBF(0.5)], CS, cv=(split for split in splits)).fit(X, y)
    assert_array_equal(ours.scores_, SVCCV([RBF(0.5)], CS, cv=splits).fit(X, y).scores_)


def test_search_on_a_matrix_can_be_cross_validated(two_classes):
    X, y = two_classes
    of_matrix = cross_val_score(SVCCV(["precomputed"], CS, cv=3), RBF(0.5)(X), y, cv=4)
    assert_array_equal(of_matrix, cross_val_score(SVCCV([RBF(0.5)], CS, cv=3), X, y, cv=4))


def test_search_takes_a_matrix(two_classes):
    X, y = two_classes
    ours, named = SVCCV(["precomputed"], CS, cv=4).fit(RBF(0.5)(X), y), SVCCV([RBF(0.5)], CS, cv=4).fit(X, y)
    assert_array_equal(ours.scores_, named.scores_)


def test_a_fold_may_lack_classes():
    X, y = np.array([[0.0], [0.1], [1.0], [1.1], [2.0], [2.1], [3.0], [3.1]]), np.repeat([0, 1, 2, 3], 2)
    with pytest.warns(UserWarning, match="split 0 without class 2"):
        search = SVCCV([RBF(5.0)], [10.0], cv=[([0, 2, 1, 3], [4, 6]), ([0, 2, 4, 6], [1, 3, 5, 7])]).fit(X, y)
    assert_array_equal(search.scores_[0, 0], [0, 1])


@pytest.mark.parametrize("class_weight", [None, "balanced", {1: 3.0}])
def test_weights_count_in_fits_and_in_scores(two_classes, class_weight):
    X, y = two_classes
    weight = np.random.default_rng(1).integers(0, 4, size=60)
    splits = list(StratifiedKFold(3).split(X, y))
    ours = SVCCV([RBF(0.5)], CS, cv=splits, class_weight=class_weight, tol=1e-9).fit(X, y, weight)
    for position, C in enumerate(CS):
        for fold, (train, test) in enumerate(splits):
            single = SVC(RBF(0.5), C, class_weight=class_weight, tol=1e-9).fit(X[train], y[train], weight[train])
            assert ours.scores_[0, position, fold] == pytest.approx(single.score(X[test], y[test], weight[test]))
    best = SVC(RBF(0.5), ours.C_, class_weight=class_weight, tol=1e-9).fit(X, y, weight)
    assert_allclose(ours.decision_function(X), best.decision_function(X), atol=1e-6)


def test_weights_of_a_class_that_a_training_part_lacks():
    X, y = load_iris(return_X_y=True)
    X, y = X[45:], y[45:]
    with pytest.warns(UserWarning, match="without class 0"):
        search = SVCCV([RBF(0.5)], [1.0], cv=KFold(2), class_weight={0: 2.0, 2: 3.0}).fit(X, y)
    assert search.best_estimator_.class_weight == {0: 2.0, 2: 3.0}


@pytest.mark.parametrize("kernels", [RBF(1.0), "rbf"], ids=repr)
def test_kernels_are_a_list(kernels):
    with pytest.raises(ValueError, match=r"kernels must be a list of kernels, got (.*): write \[\1\]\.") as raised:
        SVCCV(kernels).fit(np.eye(6), [0, 1] * 3)
    assert repr(kernels) in str(raised.value)
    for other in None, 0.1:
        with pytest.raises(ValueError, match=f"kernels must be a list of kernels, got {other}\\.$"):
            SVCCV(other).fit(np.eye(6), [0, 1] * 3)


def test_splits_are_indices_or_flags():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    first = np.arange(40) < 30
    expected = SVCCV([RBF(1.0)], cv=[(np.arange(30), np.arange(30, 40))]).fit(X, y).scores_
    assert_array_equal(SVCCV([RBF(1.0)], cv=[(first, ~first)]).fit(X, y).scores_, expected)
    assert_array_equal(SVCCV([RBF(1.0)], cv=[(list(range(30)), list(range(30, 40)))]).fit(X, y).scores_, expected)
    for train, test in ((np.arange(30), [40]), (np.arange(30.0), [30]), (first[:39], [30]), (first[None], [30])):
        with pytest.raises(ValueError, match="cv must give pairs of integers from 0 to 39, or of 40 flags each"):
            SVCCV([RBF(1.0)], cv=[(train, test)]).fit(X, y)
    with pytest.raises(ValueError, match="split 0 has no test objects"):
        SVCCV([RBF(1.0)], cv=[(np.arange(40), [])]).fit(X, y)

"""The search for kernel, C and ε, against scikit-learn's grid and single fits."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import RBF, SVCCV, SVR, SVRCV, Linear
from kernelbook.qp import smo
from kernelbook.svm import path, search

CS = [10.0, 0.1, 1.0]
GAMMAS = [0.1, 1.0]
EPSILONS = [0.1, 0.0]


@pytest.fixture
def points():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    return X, 50 + np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_t(2, size=60)


SLACK = {"check_sample_weight_equivalence_on_dense_data": "the default tolerance leaves more than it allows"}


@parametrize_with_checks(
    [SVRCV(Cs=[1.0, 10.0], epsilons=[0.0, 0.1], cv=2, tol=tol) for tol in (1e-3, 1e-12)],
    expected_failed_checks=lambda model: SLACK if model.tol == 1e-3 else {},
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("scoring", ["squared", "absolute"])
def test_search_gives_the_scores_of_a_grid(points, scoring):
    X, y = points
    ours = SVRCV([RBF(gamma) for gamma in GAMMAS], CS, EPSILONS, cv=4, scoring=scoring, tol=1e-8).fit(X, y)
    grid = {"C": CS, "epsilon": EPSILONS, "gamma": GAMMAS}
    theirs = GridSearchCV(svm.SVR(tol=1e-8), grid, cv=4, scoring=f"neg_mean_{scoring}_error").fit(X, y)
    scores = np.array([theirs.cv_results_[f"split{fold}_test_score"] for fold in range(4)])
    assert_allclose(ours.scores_, scores.reshape(4, 3, 2, 2).transpose(3, 1, 2, 0), rtol=1e-4)
    assert ours.scores_.mean(axis=-1).max() == pytest.approx(theirs.best_score_, rel=1e-4)
    best = {"C": ours.C_, "epsilon": ours.epsilon_, "gamma": ours.kernel_.gamma}
    assert best == theirs.best_params_
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)
    assert repr(ours.best_estimator_) == repr(SVR(ours.kernel_, ours.C_, ours.epsilon_, tol=1e-8))


def test_defaults_suit_y_in_units_of_its_own_size(points):
    X, y = points
    found = SVRCV().fit(X, y)
    assert found.scores_.shape == (1, 9, 5, 5)
    assert found.kernel_.gamma_ == pytest.approx(1 / (2 * X.var()))
    assert_array_equal(found.intercept_, found.best_estimator_.intercept_)


def test_each_c_starts_where_the_next_smaller_ended(points, monkeypatch):
    calls = []

    def recorded(problem, start, tol):
        solution = smo(problem, start, tol)
        calls.append((len(problem.g), problem.upper.max(), start, tol, solution.beta))
        return solution

    monkeypatch.setattr(path, "smo", recorded)
    monkeypatch.setattr(search, "parallel_map", lambda work, tasks: [work(task) for task in tasks])
    SVRCV([RBF(0.5)], CS, EPSILONS, cv=[(np.arange(40), np.arange(40, 60))], tol=1e-5).fit(*points)
    assert [C for _, C, *_ in calls] == 2 * sorted(CS)
    assert [size for size, *_ in calls] == [80] * 3 + [40] * 3
    known = points[1][:40]
    assert {tol for *_, tol, _ in calls} == {1e-5 * np.median(np.abs(known - np.median(known)))}
    for (_, before, *_, ended), (_, C, start, *_) in pairwise(calls):
        if C > before:
            assert_array_equal(start, ended)
        else:
            assert start is None


def test_among_equals_the_first_kernel_the_smallest_c_and_the_widest_tube_win():
    X = np.arange(6.0)[:, None]
    found = SVRCV([Linear(), RBF(0.1)], [5.0, 1.0, 3.0], [3.0, 5.0, 4.0], cv=3).fit(X, np.full(6, 2.0))
    assert (found.scores_ == 0).all()
    assert (repr(found.kernel_), found.C_, found.epsilon_) == ("Linear()", 1.0, 5.0)


@pytest.mark.parametrize("scoring", ["squared", "absolute"])
def test_weights_count_in_fits_and_in_scores(points, scoring):
    X, y = points
    rng = np.random.default_rng(1)
    weight = rng.integers(1, 4, size=60) * (rng.random(60) < 0.4)
    y = np.where(weight > 0, y, 1e13)  # the median, if it counted
    splits = list(KFold(3, shuffle=True, random_state=0).split(X))
    ours = SVRCV([RBF(0.5)], CS, EPSILONS, cv=splits, scoring=scoring, tol=1e-9).fit(X, y, weight)
    for c, C in enumerate(CS):
        for e, epsilon in enumerate(EPSILONS):
            for fold, (train, test) in enumerate(splits):
                single = SVR(RBF(0.5), C, epsilon, tol=1e-9).fit(X[train], y[train], weight[train])
                errors = np.abs(y[test] - single.predict(X[test])) ** (2 if scoring == "squared" else 1)
                expected = -np.average(errors, weights=weight[test])
                assert ours.scores_[0, c, e, fold] == pytest.approx(expected, rel=1e-5)
    best = SVR(RBF(0.5), ours.C_, ours.epsilon_, tol=1e-9).fit(X, y, weight)
    assert_allclose(ours.predict(X), best.predict(X), atol=1e-6)


def test_weights_count_in_a_gamma_taken_from_data(points):
    X, y = points
    X, weight = X.copy(), np.ones(60)
    X[:5], weight[:5] = 1e3, 0.0
    fixed = RBF(RBF("scale").fit(X[5:]).gamma_)
    found, expected = (SVRCV([k], CS, EPSILONS, cv=3, tol=1e-9).fit(X, y, weight) for k in (RBF("scale"), fixed))
    assert_allclose(found.scores_, expected.scores_, rtol=1e-6)


def test_search_on_a_matrix_can_be_cross_validated(points):
    X, y = points
    of_matrix = cross_val_score(SVRCV(["precomputed"], CS, EPSILONS, cv=3), RBF(0.5)(X), y, cv=4)
    assert_allclose(of_matrix, cross_val_score(SVRCV([RBF(0.5)], CS, EPSILONS, cv=3), X, y, cv=4), rtol=1e-9)


@pytest.mark.parametrize(("search", "y"), [(SVRCV, lambda y: y), (SVCCV, lambda y: y > 50)])
def test_groups_go_in_as_splits(points, search, y):
    X, y = points[0], y(points[1])
    groups = np.arange(60) // 6
    splits = list(GroupKFold(3).split(X, y, groups))
    found = search(Cs=[1.0, 10.0], cv=splits).fit(X, y).scores_
    for fold, (train, test) in enumerate(splits):
        assert not set(groups[train]) & set(groups[test])
        assert_array_equal(search(Cs=[1.0, 10.0], cv=[(train, test)]).fit(X, y).scores_[..., 0], found[..., fold])


def test_errors_that_overflow_are_refused():
    x = np.array([[0.0], [1.0], [2.0], [1e153]])
    with pytest.raises(ValueError, match="the mean error must be finite for every kernel, C and epsilon, but one"):
        SVRCV(["linear"], [1e3], [0.0], cv=[([0, 1, 2], [3])]).fit(x, [0.0, 100.0, 200.0, 0.0])


def never(X, Y):
    pytest.fail("the kernel was computed")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Cs": [1.0, 0.0]}, "Cs must be a list of numbers > 0"),
        ({"Cs": 1.0}, r"Cs must be a list of numbers > 0, got 1\.0: write Cs=\[1\.0\]"),
        ({"epsilons": [1.0, -0.1]}, r"epsilons must be a list of numbers >= 0, got \[1\.0, -0\.1\]"),
        ({"epsilons": []}, r"epsilons must be a list of numbers >= 0, got \[\]"),
        ({"epsilons": 0.1}, r"epsilons must be a list of numbers >= 0, got 0\.1: write epsilons=\[0\.1\]"),
        ({"epsilons": [np.nan]}, "epsilons contains NaN"),
        ({"kernels": RBF(1.0)}, "kernels must be a list of kernels"),
        ({"kernels": []}, "kernels must hold at least one kernel"),
        ({"kernels": ["precomputed", RBF(1.0)]}, "kernels must not hold 'precomputed' beside others"),
        ({"scoring": "r2"}, "'scoring' parameter of SVRCV must be .*Got 'r2'"),
        ({"cv": 1}, "'cv' parameter of SVRCV"),
        ({"cv": []}, "cv must give at least one split"),
        ({"cv": [([0, 1], [])]}, "split 0 has no test objects"),
        ({"cv": [([0, 1], [2]), ([], [2])]}, "split 1 has no training objects"),
        ({"cv": [([0, 1], [99])]}, "cv must give pairs of integers from 0 to 59"),
        ({"cv": [([0, 1], [-1])]}, "cv must give pairs of integers from 0 to 59"),
    ],
)
def test_bad_searches(points, change, message):
    with pytest.raises(ValueError, match=message):
        SVRCV(**{"kernels": [never], "cv": 2, **change}).fit(*points)


def test_bad_targets(points):
    X, y = points
    for bad, message in (
        (None, "requires y to be passed"),
        (y[:-1], r"inconsistent numbers of samples: \[60, 59\]"),
        (np.column_stack([y, y]), r"y should be a 1d array, got an array of shape \(60, 2\)"),
        (np.where(y > 50, y, np.inf), "y contains infinity"),
        (1e155 * y, r"y must hold numbers from -1e\+150 to 1e\+150, whose squares can be summed, got [56]"),
    ):
        with pytest.raises(ValueError, match=message):
            SVRCV([never]).fit(X, bad)
    with pytest.raises(ValueError, match="split 1 has no test objects"):
        SVRCV([never], cv=[([0, 1], [2]), ([0, 1], [3])]).fit(X, y, np.r_[np.ones(3), np.zeros(57)])
    with pytest.raises(ValueError, match="split 1 has no training objects"):
        SVRCV([never], cv=[([0, 1], [2]), ([3, 4], [2])]).fit(X, y, np.r_[np.ones(3), np.zeros(57)])
    with pytest.raises(ValueError, match=r"^C times sample_weight must lie within .* got 1e-200 times"):
        SVRCV([RBF(1.0)], [1e-200], cv=2).fit(X, y, np.full(60, 1e-200))
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        SVRCV(Cs=[1.0], epsilons=[0.1], cv=2).fit(X, y[:, None])

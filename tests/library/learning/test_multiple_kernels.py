"""Multiple kernel learning as an estimator: SVC with one kernel, scales, other objects, parameters, refusals."""

from functools import reduce
from operator import add

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import MKLSVC, RBF, SVC, Columns, Linear, Overlap, Polynomial, Precomputed, Sigmoid, Spectrum
from tests.library.learning.mkl_problems import KERNELS, saddle_classes
from tests.library.samples import classes_on_a_line

SLACK = {"check_sample_weight_equivalence_on_dense_data": "the default tolerance leaves more than it allows"}


@parametrize_with_checks(
    [MKLSVC(), MKLSVC(tol=1e-12), MKLSVC(["rbf", "linear"], 0.1)],
    expected_failed_checks=lambda model: SLACK if model.tol == 1e-3 else {},
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kernel", [RBF(0.5), RBF("scale"), "precomputed"])
def test_with_one_kernel_it_is_svc(classes, kernel):
    X, y = saddle_classes(classes=classes)
    new = saddle_classes(20, 1)[0]
    if kernel == "precomputed":
        X, new = RBF(0.5)(X), RBF(0.5)(new, X)
    weight = np.random.default_rng(2).uniform(0.1, 2, size=60)
    parameters = {"C": 3.0, "tol": 1e-9, "class_weight": "balanced"}
    ours, theirs = MKLSVC([kernel], **parameters), SVC(kernel, **parameters)
    ours.fit(X, y, sample_weight=weight)
    theirs.fit(X, y, sample_weight=weight)
    assert_array_equal(ours.weights_, [1.0])
    assert_allclose(ours.decision_function(new), theirs.decision_function(new), atol=1e-6)
    for name in ("support_", "n_support_", "at_bound_"):
        assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-6)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    assert repr(ours.kernel_) == repr(theirs.kernel_)


def test_copies_of_a_kernel_share_its_weight():
    X, y = saddle_classes()
    one, two = MKLSVC([RBF(0.5)], tol=1e-9).fit(X, y), MKLSVC([RBF(0.5)] * 2, tol=1e-9).fit(X, y)
    assert_allclose(two.objective_, one.objective_, rtol=1e-9)
    assert_allclose(two.decision_function(X), one.decision_function(X), atol=1e-6)
    three = MKLSVC([RBF(0.05), RBF(2.0)], tol=1e-9).fit(X, y)
    four = MKLSVC([RBF(0.05), RBF(2.0), RBF(2.0)], tol=1e-9).fit(X, y)
    assert_allclose([four.weights_[0], four.weights_[1:].sum()], three.weights_, atol=1e-4)


def test_another_kernel_never_raises_the_objective():
    X, y = saddle_classes()
    objectives = [MKLSVC(KERNELS[:count], 3.0, tol=1e-8).fit(X, y).objective_ for count in range(1, 6)]
    assert (np.diff(objectives) < 1e-6).all()
    assert objectives[-1] < 0.9 * objectives[0]


def test_scales_matter_and_normalisation_takes_them_away():
    X, y = saddle_classes()
    pair = [RBF(0.5), 0.5 * Polynomial(2)]
    expected = MKLSVC(pair, 2.0, tol=1e-9).fit(X, y)
    for s in 2.0**-30, 1e-3, 1e6:
        found = MKLSVC([s * kernel for kernel in pair], 2.0 / s, tol=1e-9).fit(X, y)
        assert_allclose(found.weights_, expected.weights_, atol=1e-6)
        assert_allclose(found.decision_function(X), expected.decision_function(X), atol=1e-5)
    weight = [MKLSVC([s * RBF(0.5), RBF(5.0)], 2.0, tol=1e-9).fit(X, y).weights_[0] for s in (0.5, 1.0, 2.0)]
    assert weight[0] < weight[1] < weight[2]
    same = [MKLSVC([(s * Polynomial(2)).normalized(), RBF(2.0)], 2.0, tol=1e-9).fit(X, y).weights_ for s in (1.0, 1e3)]
    assert_allclose(*same, atol=1e-9)


def test_the_learned_kernel_is_one_like_any_other():
    X, y = saddle_classes(classes=3)
    new = saddle_classes(20, 1)[0]
    model = MKLSVC([RBF("scale"), Linear().normalized(), RBF("median") * Polynomial(2)], 3.0, tol=1e-9).fit(X, y)
    terms = [d * kernel(new, X) for d, kernel in zip(model.weights_, model.kernels_, strict=True)]
    assert_allclose(model.kernel_(new, X), reduce(add, terms))
    again = SVC(model.kernel_, 3.0, tol=1e-9).fit(X, y)
    assert_allclose(again.decision_function(new), model.decision_function(new), atol=1e-6)
    assert [f(new).shape for f in model.rkhs_function()] == [(20,)] * 3


def test_the_kernel_that_fits_gets_the_weight():
    """Over draws, beside the control: the weight of the same kernel where the labels are drawn."""
    found, control = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 8))
        parts = [Columns([([2 * j, 2 * j + 1], RBF(0.5))]) for j in range(4)]
        found.append(MKLSVC(parts, 3.0).fit(X, X[:, 2] * X[:, 3] > 0).weights_[1])
        control.append(MKLSVC(parts, 3.0).fit(X, rng.permutation(60) % 2).weights_[1])
    assert np.min(found) > 0.5
    assert np.max(control) < 0.5


def test_narrow_kernels_win_where_classes_overlap():
    """At a large C they get the weight, and predict worse than the wide one, in every draw."""
    for seed in range(5):
        (X, y), (new, new_y) = classes_on_a_line(200, seed), classes_on_a_line(2000, seed + 100)
        model = MKLSVC([RBF(0.1), RBF(5.0)], 100.0).fit(X, y)
        assert model.weights_[1] > 0.9
        assert model.score(new, new_y) < SVC(RBF(0.1), 100.0).fit(X, y).score(new, new_y) - 0.02


def test_objects_of_other_kinds():
    words = ["ab", "ba", "aab", "bba", "abab", "baba", "aaab", "bbba"] * 3
    y = [word[0] for word in words]
    model = MKLSVC([Spectrum(1).normalized(), Spectrum(2).normalized(), lambda X, Y: np.ones((len(X), len(Y)))])
    assert model.fit(words, y).score(words, y) > 0.7
    X, y = saddle_classes()
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.array(list("xyz"))[np.arange(60) % 3]})
    parts = [Columns([(["a", "b"], RBF(0.5))]), Columns([(["c"], Overlap())])]
    model = MKLSVC(parts, 10.0).fit(frame, np.where(y, "yes", "no"))
    assert model.weights_[0] > 0.7
    assert set(model.predict(frame)) == {"yes", "no"}
    grams = [Precomputed(kernel(X)) for kernel in KERNELS]
    rows = np.arange(60)
    found, expected = MKLSVC(grams, tol=1e-8).fit(rows, y), MKLSVC(KERNELS, tol=1e-8).fit(X, y)
    assert_allclose(found.weights_, expected.weights_, atol=1e-6)
    assert_array_equal(found.predict(rows[:5]), expected.predict(X[:5]))


def test_default_kernels_are_widths_taken_from_the_data():
    X, y = saddle_classes()
    expected, found = MKLSVC().fit(X, y), MKLSVC().fit(1e6 * X, y)
    assert_allclose(found.weights_, expected.weights_, rtol=1e-6)
    assert len(expected.weights_) == 3
    gamma = expected.kernels_[1].gamma_
    assert_allclose(expected.kernels_[2](X), RBF(4 * gamma)(X))


def test_grids_reach_into_the_list():
    X, y = saddle_classes(90)
    search = GridSearchCV(MKLSVC([RBF(1e-6), Linear()]), {"kernels__0__gamma": [1e-6, 0.5], "C": [1.0, 10.0]}, cv=3)
    assert search.fit(X, y).best_params_["kernels__0__gamma"] == 0.5
    mine = [RBF(2.0), "linear"]
    model = MKLSVC(mine)
    assert_array_equal(
        sorted(set(model.get_params()) - set(model.get_params(deep=False))), ["kernels__0", "kernels__0__gamma"]
    )
    model.set_params(kernels__0__gamma=3.0, kernels__1=RBF(1.0), C=2.0)
    assert repr(model) == "MKLSVC(C=2.0, kernels=[RBF(gamma=3.0), RBF(gamma=1.0)])"
    assert mine[0].gamma == 2.0
    assert repr(clone(model)) == repr(model)
    assert MKLSVC().set_params(kernels__2__exponent=5).kernels[2].exponent == 5
    assert MKLSVC().kernels is None
    replaced = MKLSVC(mine).set_params(kernels__1__gamma=5.0, kernels__1=RBF(1.0))
    assert repr(replaced.kernels[1]) == "RBF(gamma=5.0)"
    assert repr(MKLSVC(["precomputed"]).set_params(kernels__0=RBF(1.0)).kernels[0]) == "RBF(gamma=1.0)"
    for name in "kernels__2", "kernels__x__gamma", "kernels__gamma":
        with pytest.raises(ValueError, match=f"{name} must name one of kernels__0 to kernels__1"):
            model.set_params(**{name: 1})
    with pytest.raises(ValueError, match="Invalid parameter 'gama' for estimator MKLSVC"):
        model.set_params(gama=1)


def test_refits_that_fail():
    X, y = saddle_classes()
    model = MKLSVC(KERNELS).fit(X, y)
    said, before = model.decision_function(X), dict(vars(model))
    model.kernels = [RBF(1.0), Sigmoid(2.0, -1.0)]
    with pytest.raises(ValueError, match=r"kernels must be PSD, but kernels\[1\] has the eigenvalue -"):
        model.fit(X, y)
    model.kernels = KERNELS
    assert all(value is before[name] for name, value in vars(model).items())
    assert_array_equal(model.decision_function(X), said)
    assert not [name for name in vars(model) if name.startswith("_")]


@pytest.mark.parametrize(
    ("kernels", "words"),
    [
        ([], "kernels must hold at least one kernel, got none"),
        (RBF(1.0), r"kernels must be a list of kernels, got RBF\(gamma=1.0\): write \[RBF\(gamma=1.0\)\]"),
        ("rbf", r"kernels must be a list of kernels, got 'rbf': write \['rbf'\]"),
        (3.0, "kernels must be a list of kernels, got 3.0"),
        ([3.0], "kernel must be a Kernel such as"),
        (["precomputed", "rbf"], "kernels must not hold 'precomputed' beside others"),
        ([RBF(1.0), -1 * RBF(2.0)], r"kernels must be PSD, but kernels\[1\] has the eigenvalue -"),
        ([RBF(1.0), Spectrum(2)], "X must be"),
    ],
)
def test_kernels_that_are_refused(kernels, words):
    X, y = saddle_classes()
    with pytest.raises(ValueError, match=words):
        MKLSVC(kernels).fit(X, y)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": np.full((60, 3), np.nan)}, "X contains NaN"),
        ({"y": np.zeros(60)}, "at least two classes"),
        ({"y": None}, "requires y to be passed"),
        ({"sample_weight": -np.ones(60)}, "sample_weight must be >= 0"),
    ],
)
def test_data_that_are_refused(change, words):
    X, y = saddle_classes()
    with pytest.raises(ValueError, match=words):
        MKLSVC().fit(**{"X": X, "y": y} | change)
    with pytest.raises(ValueError, match="'C' parameter of MKLSVC must be a float in the range"):
        MKLSVC(C=0).fit(X, y)


def test_few_objects_and_objects_that_are_all_the_same():
    for n in 2, 3:
        X, y = saddle_classes()[0][:n], [0, 1, 0][:n]
        assert MKLSVC(C=100.0).fit(X, y).score(X, y) == 1
    same = MKLSVC().fit(np.ones((6, 2)), [0, 1] * 3)
    assert_allclose(same.weights_.sum(), 1)
    X, y = saddle_classes()
    both = MKLSVC(tol=1e-6).fit(np.repeat(X, 2, axis=0), np.tile([0, 1], 60))  # each object in both classes
    assert_allclose(both.objective_, 120.0)


def test_memory_for_all_matrices_is_asked_for(monkeypatch):
    X, y = saddle_classes(30)
    monkeypatch.setattr("kernelbook.base.training.free_memory", lambda: 8 * 30**2 * 3)
    with pytest.raises(MemoryError, match="of memory are free"):
        MKLSVC([RBF(1.0)] * 4).fit(X, y)


def test_one_kernel_need_not_be_psd():
    X, y = saddle_classes()
    for kernel in Sigmoid(2.0, -1.0), RBF(1.0):
        ours, theirs = MKLSVC([kernel], tol=1e-6).fit(X, y), SVC(kernel, tol=1e-6).fit(X, y)
        assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)


def test_a_kernel_with_negative_squared_distances_is_told():
    X, y = saddle_classes()
    with pytest.warns(ConvergenceWarning, match="is negative, which a squared distance never is"):
        MKLSVC(["precomputed"]).fit(RBF(0.5).distance(X), y)

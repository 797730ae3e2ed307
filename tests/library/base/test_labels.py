"""Labels of classes: every kind that NumPy can sort is accepted, and a missing label is refused."""

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_array_equal
from sklearn.base import is_classifier

from kernelbook import RBF, SVC, plotting
from kernelbook.learning import alignment, class_separability, target_gram
from tests.library.estimators import ESTIMATORS, make

X, K = np.array([[1.0], [2.0], [3.0], [4.0]]), np.eye(4)
MISSING = {
    "NaN among strings": ["a", "b", np.nan, "a"],
    "None among strings": ["a", "b", None, "a"],
    "NA": pd.Series(["a", "b", pd.NA, "a"]),
    "None in a column of categories": pd.Series(["a", "b", None, "a"], dtype="category"),
    "null of polars": pl.Series(["a", "b", None, "a"]),
    "NaN among numbers": [0.0, 1.0, np.nan, 0.0],
    "None among numbers": np.array([0, 1, None, 0], dtype=object),
    "NA among integers": pd.Series([0, 1, None, 0], dtype="Int64"),
    "NaT": np.array(["2024", "2023", "NaT", "2024"], dtype="M8[Y]"),
    "a column of its own": np.array([["a"], ["b"], [None], ["a"]], dtype=object),
}
missing = pytest.mark.parametrize("labels", MISSING.values(), ids=MISSING)
NO_LABEL = (
    r"^y must have a label for every object, but has none in 1 of 4 places, the first of them 2: "
    r"label these objects, or leave them out\.$"
)


@missing
@pytest.mark.parametrize("cls", [cls for cls in ESTIMATORS if is_classifier(cls())])
def test_a_missing_label_is_no_class(cls, labels):
    with pytest.raises(ValueError, match=NO_LABEL):
        make(cls, RBF(0.7)).fit(X, labels)


@missing
def test_functions_of_labels_refuse_a_missing_one(labels):
    functions = [lambda y: class_separability(K, y)]
    if np.asarray(labels).dtype.kind not in "fM":  # targets, or times
        functions += [target_gram] + [lambda y: alignment(K, y)] * (np.ndim(labels) == 1)
    machine = SVC(RBF(1.0)).fit(np.hstack([X, X]), ["a", "b", "b", "a"])
    functions.append(lambda y: plotting.decision(plt.gca(), machine, np.hstack([X, X]), y, (0, 5, 0, 5)))
    for function in functions:
        with pytest.raises(ValueError, match=NO_LABEL):
            function(labels)
    plt.close()


def test_labels_of_every_kind_are_classes():
    expected = SVC().fit(X, ["a", "b", "b", "a"]).predict(X)
    for y in (pl.Series(list("abba")), pd.Series(list("abba"), dtype="category"), np.array(list("abba"))):
        assert_array_equal(SVC().fit(X, y).predict(X), expected)
    assert_array_equal(SVC().fit(X, np.array([0, 1, 1, 0], dtype=object)).classes_, [0, 1])
    assert_array_equal(SVC().fit(X, ["nan", "b", "b", "nan"]).classes_, ["b", "nan"])  # a word like any other


def test_targets_that_are_objects_are_what_they_hold():
    for y in ([0.1, 0.2, 0.5, 0.4], [1, 0.5, 2, 3]):
        assert alignment(K, np.array(y, dtype=object)) == alignment(K, np.array(y))
    assert alignment(K, np.array([0, 1, 1, 0], dtype=object)) == alignment(K, [0, 1, 1, 0])


def test_continuous_numbers_are_no_labels():
    for fit in (lambda y: SVC().fit(X, y), lambda y: class_separability(K, y)):
        with pytest.raises(ValueError, match=r"y must hold labels of classes, got numbers such as 0\.1\.$"):
            fit([0.1, 0.2, 0.5, 0.4])
    with pytest.raises(ValueError, match=r"^y must hold labels of classes: Complex data not supported\.$"):
        SVC().fit(X, [0, 1j, 0, 1])


@pytest.mark.parametrize(
    ("y", "shown"),
    [
        ([["a"], ["a", "b"], ["b"], ["a"]], r"\[\['a'\], .*\]"),
        ("abba", "'abba'"),
        ({"a", 1}, r"\{.*\}"),
        (pl.LazyFrame({"y": [0, 1, 1, 0]}), "an object of type LazyFrame"),
        (2.5, r"2\.5"),
    ],
    ids=["rows of several lengths", "text", "set", "frame that is not computed", "number"],
)
def test_labels_are_one_for_each_object(y, shown):
    machine = SVC().fit(X, [0, 1, 1, 0])
    for check in (machine.score, SVC().fit):
        with pytest.raises(ValueError, match=rf"^y must hold one label for each object, got {shown}\.$"):
            check(X, y)


def test_labels_may_be_times_of_numpy_and_no_other_objects():
    for labels in (np.array(["2024", "2023"] * 2, dtype="M8[Y]"), pl.Series([date(2024, 1, 1), date(2023, 1, 1)] * 2)):
        found = SVC().fit(X, labels)
        assert found.classes_[0] < found.classes_[1]
        assert found.score(X, labels) == SVC().fit(X, [1, 0, 1, 0]).score(X, [1, 0, 1, 0])
    for labels in ([date(2024, 1, 1), date(2023, 1, 1)] * 2, pd.Series(pd.PeriodIndex(["2024", "2023"] * 2, freq="Y"))):
        with pytest.raises(ValueError, match="y must hold labels of classes, got objects such as "):
            SVC().fit(X, labels)


def test_labels_are_one_column():
    with pytest.raises(ValueError, match=r"y should be a 1d array, got an array of shape \(4, 2\)"):
        SVC().fit(X, [[0, 1]] * 4)


def test_a_class_weight_is_a_number():
    for weight in (np.timedelta64(9, "D"), "9", None):
        with pytest.raises(ValueError, match=r"class_weight must hold a number for each label, got \{0: "):
            SVC(class_weight={0: weight, 1: 1}).fit(X, [0, 1, 0, 1])

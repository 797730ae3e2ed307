"""No function takes a masked value or a time for a number: in arrays, lists, weights, matrices and parameters."""

from collections import deque
from datetime import date, datetime, time, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import is_classifier, is_regressor

from kernelbook import (
    RBF,
    SVC,
    SVCCV,
    SVR,
    AllSubsets,
    Columns,
    Diffusion,
    DirectSum,
    GeneralLinear,
    GlobalAlignment,
    KernelPCA,
    KernelRidge,
    KernelRidgeCV,
    Linear,
    MissingValue,
    Overlap,
    Polynomial,
    Precomputed,
    SetKernel,
    Spectrum,
    WeisfeilerLehman,
)
from kernelbook.figures import Classifier
from kernelbook.inputs.missing_values import is_gap
from kernelbook.learning import alignment, class_separability
from kernelbook.linalg.gram import centre
from kernelbook.qp import DualQP
from kernelbook.rkhs.functions import RKHSFunction, interpolant, mercer
from kernelbook.svm import svc_path
from tests.library.estimators import ESTIMATORS, METHODS, data_for, every, make, outputs

X, Y, LABELS = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 0, 1])
K = RBF(1.0)(X)
DAY = np.datetime64("2024-01-01")


def hidden(values, *place):
    """A masked array of the values, masked at that place, or at the last one."""
    masked = np.ma.array(values)
    masked[place or (-1,) * masked.ndim] = np.ma.masked
    return masked


ENTRIES = {  # wherever numbers come in: a function of an array, and an array that it accepts
    "y": (lambda y: KernelRidge(Linear()).fit(X, y), Y),
    "y of several columns": (lambda y: KernelRidge(Linear()).fit(X, y), np.column_stack([Y, Y])),
    "y of a machine": (lambda y: SVR().fit(X, y), Y),
    "X": (lambda x: KernelRidge(Linear()).fit(x, Y), X),
    "new X": (KernelRidge(Linear()).fit(X, Y).predict, X),
    "new X of a machine": (SVC().fit(X, LABELS).decision_function, X),
    "X of components": (KernelPCA(1).fit, X),
    "components": (KernelPCA(1, RBF(1.0)).fit(X).inverse_transform, X),
    "weights": (lambda w: KernelRidge().fit(X, Y, sample_weight=w), Y),
    "weights of a kernel": (lambda w: RBF("median").fit(X, sample_weight=w), Y),
    "weights of sets": (lambda w: SetKernel(RBF("median")).fit([X] * 4, w), Y),
    "weights of Mercer": (lambda w: mercer(RBF(1.0), X, 1, w), Y),
    "a Gram matrix": (lambda K: SVC("precomputed").fit(K, LABELS), K),
    "a Gram matrix of new X": (SVC("precomputed").fit(K, LABELS).predict, K),
    "K of Precomputed": (lambda K: Precomputed(K)([0]), K),
    "K of a criterion": (lambda K: class_separability(K, LABELS), K),
    "K of gram": (centre, K),
    "K of DualQP": (lambda K: DualQP(K, Y, -Y, Y), K),
    "g of DualQP": (lambda g: DualQP(K, g, -Y, Y), Y),
    "rows of DualQP": (lambda rows: DualQP(K, Y, -Y, Y, rows=rows), LABELS),
    "alphas": (lambda alphas: KernelRidgeCV(alphas=alphas).fit(X, Y), Y),
    "Cs": (lambda Cs: SVCCV(Cs=Cs, cv=2).fit(X, LABELS), Y),
    "Cs of a path": (lambda Cs: svc_path(K, 2 * LABELS - 1, Cs), Y),
    "gamma": (lambda gamma: RBF(gamma)(np.ones((2, 4))), Y),
    "A": (lambda A: GeneralLinear(A)(np.ones((2, 4))), K),
    "weights of AllSubsets": (lambda w: AllSubsets(w)(np.ones((2, 4))), Y),
    "an adjacency matrix": (lambda S: Diffusion(S)([0]), K),
    "a graph": (lambda S: WeisfeilerLehman(1)([(S, "ab")]), np.array([[0, 1], [1, 0]])),
    "nodes": (Diffusion(K), LABELS),
    "a series": (lambda x: GlobalAlignment(1.0)([Y, x]), Y),
    "a set": (lambda A: SetKernel(RBF(1.0))([X, A]), X),
    "half of a pair": (lambda x: DirectSum(Linear(), Linear())([([1.0], x)]), Y),
    "a column": (Columns([([0], Linear())]), X),
    "points": (lambda points: RKHSFunction(RBF(1.0), points, Y), X),
    "coefficients": (lambda a: RKHSFunction(RBF(1.0), X, a), Y),
    "values": (lambda y: interpolant(RBF(1.0), X, y), Y),
    "labels of points to be dragged": (lambda y: Classifier(np.hstack([X, X]) / 2, y), 2 * LABELS - 1),
    "targets of a criterion": (lambda y: alignment(K, y), Y),
}
entries = pytest.mark.parametrize(("takes", "values"), ENTRIES.values(), ids=ENTRIES)


@entries
def test_a_masked_value_is_refused_and_a_mask_that_hides_none_passes(takes, values):
    takes(values)
    takes(np.ma.array(values))
    with pytest.raises(ValueError, match=r"must not be masked, but 1 of its values is: [^\n]*\.$"):
        takes(hidden(values))
    if values.ndim == 2:
        rows = [np.ma.array(row) for row in values]
        rows[1][0] = np.ma.masked
        with pytest.raises(ValueError, match=r"must not be masked, but 1 of its values is"):
            takes(rows)


@entries
def test_times_are_no_numbers(takes, values):
    spans = values.astype(int).astype("m8[h]")
    for times in (spans, spans + DAY, (spans + DAY).tolist(), spans.tolist()):
        with pytest.raises((ValueError, TypeError)) as raised:
            takes(times)
        assert "\n" not in str(raised.value)


TIMES = {
    "datetime64": DAY,
    "NaT": np.datetime64("NaT"),
    "timedelta64": np.timedelta64(1, "h"),
    "date": date(2024, 1, 1),
    "datetime": datetime(2024, 1, 1),
    "time": time(12),
    "timedelta": timedelta(1),
    "Timestamp": pd.Timestamp("2024"),
    "Timedelta": pd.Timedelta("1h"),
    "Period": pd.Period("2024"),
    "pandas' NaT": pd.NaT,
}


@pytest.mark.parametrize("value", TIMES.values(), ids=TIMES)
def test_a_time_in_any_collection_is_refused_in_the_same_words(value):
    refused = r"^{} must be an array of numbers, got times(?: in column 't')?: write them as numbers, such as days"
    of_y, of_X = refused.format("y"), refused.format("X")
    collections = [[value] * 4, (value,) * 4, np.array([value] * 4, dtype=object), np.array([value] * 4)]
    collections += [pd.Series([value] * 4), [1.0, 2.0, 3.0, value], deque([value] * 4)]
    if type(value).__module__ == "datetime":
        collections.append(pl.Series([value] * 4))
    for times in collections:
        with pytest.raises(ValueError, match=of_y):
            KernelRidge().fit(X, times)
        with pytest.raises(ValueError, match=refused.format("sample_weight")):
            KernelRidge().fit(X, Y, sample_weight=times)
    for times in ([[value]] * 4, pd.DataFrame({"t": [value] * 4}), pd.DataFrame({"x": Y, "t": [value] * 4})):
        with pytest.raises(ValueError, match=of_X):
            KernelRidge().fit(times, Y)


def test_a_span_of_time_is_no_parameter():
    """NumPy counts it among the integers, and Python's numbers agree."""
    span = np.timedelta64(2, "D")
    message = r"^{} must be a number, got a span of time: 2 days\.$"
    for name, fit in {
        "alpha": lambda: KernelRidge(alpha=span).fit(X, Y),
        "C": lambda: SVC(C=span).fit(X, LABELS),
        "tol": lambda: SVCCV(cv=2, tol=span).fit(X, LABELS),
        "gamma of RBF": lambda: RBF(span)(X),
        "degree of Polynomial": lambda: Polynomial(span)(X),
        "factor of Scaled": lambda: span * RBF(1.0),
    }.items():
        with pytest.raises(ValueError, match=message.format(name)):
            fit()
    with pytest.raises(TypeError):  # a constant kernel
        RBF(1.0) + span
    with pytest.raises(ValueError, match="probabilities of column 0 must be numbers"):
        MissingValue(Overlap(), {"a": np.timedelta64(1)})([["a"]])


@every
def test_what_a_mask_hides_is_never_learned(cls):
    objects, y, new = data_for(cls)
    model = make(cls, RBF(0.7)).fit(np.ma.array(objects), None if y is None else np.ma.array(y))
    said = outputs(make(cls, RBF(0.7)).fit(objects, y), new)
    for name, value in outputs(model, np.ma.array(new)).items():
        assert_array_equal(value, said[name])
    method = next(getattr(model, name) for name in METHODS if hasattr(model, name))
    for attempt in (
        lambda: model.fit(hidden(objects, 0, 1), y),
        lambda: method(hidden(new, 0, 1)),
        lambda: model.fit(objects, hidden(y)) if y is not None else model.fit(hidden(objects, 3, 0)),
    ):
        with pytest.raises(ValueError, match=r"must not be masked, but 1 of its values is"):
            attempt()


def test_a_mask_is_a_gap_in_what_takes_gaps():
    with pytest.raises(ValueError, match=r"must not be masked, but 1 of .*put None there for a kernel that takes gaps"):
        MissingValue(Overlap()).fit(hidden(np.array([["a"], ["b"]]), 0, 0))
    with pytest.raises(ValueError, match=r"X must be a list of strings, but X\[1\] is masked"):
        Spectrum(1)(hidden(np.array(["a", "b"])))
    with pytest.raises(ValueError, match=r"the labels of X\[0\] must have no gaps, but node 1 has none"):
        WeisfeilerLehman(1)([([[0, 1], [1, 0]], hidden(np.array(["a", "b"])))])
    assert_array_equal(Spectrum(1)(np.ma.array(["a", "b"])), np.eye(2))


@pytest.mark.parametrize("cls", [cls for cls in ESTIMATORS if is_classifier(cls()) or is_regressor(cls())])
def test_a_score_knows_masks_and_times_too(cls):
    objects, y, _ = data_for(cls)
    model = make(cls, RBF(0.7)).fit(objects, y)
    weight = np.linspace(1, 2, len(y))
    assert model.score(objects, np.ma.array(y), np.ma.array(weight)) == model.score(objects, y, weight) <= 1
    for arguments in ((objects, hidden(y)), (hidden(objects, 0, 0), y), (objects, y, hidden(weight))):
        with pytest.raises(ValueError, match="must not be masked, but 1 of its values is"):
            model.score(*arguments)
    with pytest.raises(ValueError, match="sample_weight must be an array of numbers, got times"):
        model.score(objects, y, weight.astype("m8[h]"))
    bad, message = ([None] * len(y), "y must have a label for every object")
    if is_regressor(model):
        bad, message = y.astype("M8[D]"), "y must be an array of numbers, got times"
    with pytest.raises(ValueError, match=message):
        model.score(objects, bad)


@pytest.mark.parametrize("kind", [list, tuple, deque])
def test_rows_of_any_collection_may_have_no_mask(kind):
    rows = kind([np.ma.array([1.0, 2.0]), np.ma.array([3.0, 4.0], mask=[True, False])])
    with pytest.raises(ValueError, match="X must not be masked, but 1 of its values is"):
        Linear()(rows)
    with pytest.raises(ValueError, match="X must not be masked, but 2 of its values are"):
        Linear()(kind([kind([1.0, np.ma.masked]), kind([np.ma.masked, 2.0])]))


def test_an_object_with_a_year_may_be_a_number():
    class Height(float):
        year = 2024

    assert_array_equal(Linear()(np.array([[Height(2.0)]], dtype=object)), [[4.0]])


def test_signs_for_what_is_missing():
    for value in (None, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), np.ma.masked):
        assert is_gap(value)
    for value in (0, "", "nan", (), np.zeros(2), pd.Series([1.0]), pl.Series([1.0]), pl.LazyFrame({"a": [1]})):
        assert not is_gap(value)
    with pytest.raises(ValueError, match=r"X contains NaN\. Fill the gaps"):
        Linear()(np.array([[1.0], [pd.NA]], dtype=object))
    with pytest.raises(ValueError, match="X must have a category in every place, but row 1, column 0 is missing"):
        Overlap()(np.array([["a"], [None]], dtype=np.dtypes.StringDType(na_object=None)))

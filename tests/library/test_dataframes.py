"""Data frames of libraries other than pandas are read as pandas' are: the same numbers, the same names."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelbook import (
    RBF,
    SVC,
    Categorical,
    Columns,
    Completion,
    DirectSum,
    Jaccard,
    KernelPCA,
    KernelRidge,
    Linear,
    MissingValue,
    Overlap,
    Precomputed,
    RKHSFunction,
    SetKernel,
    Spectrum,
)
from kernelbook.inputs.validation import finite_array
from tests.library.estimators import METHODS, assert_same, data_for, every, make, outputs

try:
    import pyarrow
except ModuleNotFoundError:
    pyarrow = None

DATA = {
    "age": [1.0, 0.5, 2.0, 1.5],
    "size": [2, 1, 0, 4],
    "colour": ["red", "blue", "red", "green"],
    "name": ["aab", "ab", "bb", "a"],
    "fast": [True, False, True, True],
    "tags": [["x", "y"], ["y"], ["x"], ["z"]],
}
GAPS = {"colour": ["red", None, "red", "blue"], "size": [1, 2, None, 2]}
LIBRARIES = {
    "polars": pl.DataFrame,
    "pyarrow": pytest.param(
        lambda data: pyarrow.table(data), marks=pytest.mark.skipif(pyarrow is None, reason="pyarrow is not installed")
    ),
}
libraries = pytest.mark.parametrize("frame_of", LIBRARIES.values(), ids=LIBRARIES)

KERNELS = {
    "numbers": (RBF("scale") + Linear(), ["age", "size", "fast"]),
    "categories": (Overlap(), ["colour", "size", "fast"]),
    "rare categories": (Categorical(), ["colour", "size"]),
    "pairs": (DirectSum(Spectrum(1), Spectrum(2)), ["name", "colour"]),
    "columns": (
        Columns(
            [
                (["age", "size"], RBF("median")),
                (["colour"], Overlap()),
                ("name", Spectrum(1)),
                ("tags", SetKernel(Spectrum(1))),
            ]
        ),
        list(DATA),
    ),
    "columns with a column of sets": (Columns([("name", Spectrum(2)), (["fast"], Jaccard())]), ["fast", "name"]),
}


def parted(data, names):
    return {name: data[name] for name in names}


@libraries
@pytest.mark.parametrize(("kernel", "names"), KERNELS.values(), ids=KERNELS)
def test_a_kernel_reads_any_frame_as_it_reads_pandas(frame_of, kernel, names):
    data = parted(DATA, names)
    ours, theirs = pd.DataFrame(data), frame_of(data)
    expected, found = kernel.fit(ours)(ours), kernel.fit(theirs)(theirs)
    assert_array_equal(found, expected)
    assert_array_equal(kernel(theirs, ours), expected)
    assert_array_equal(kernel.diag(theirs), np.diagonal(expected))
    assert kernel.feature_names_in_ == names
    model = KernelRidge(kernel).fit(theirs, range(4))
    assert_array_equal(model.predict(theirs), KernelRidge(kernel).fit(ours, range(4)).predict(ours))
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(theirs), model.predict(theirs))
    assert model.rkhs_function()(theirs).shape == (4,)


@libraries
@pytest.mark.parametrize("kernel", [MissingValue(Overlap()), Completion(Overlap())], ids=repr)
def test_nulls_are_gaps(frame_of, kernel):
    ours, theirs = pd.DataFrame(GAPS, dtype=object), frame_of(GAPS)
    assert_allclose(kernel.fit(theirs)(theirs), kernel.fit(ours)(ours), rtol=1e-15)
    with pytest.raises(ValueError, match="X must have a category in every place, but row 1, column 0 is missing"):
        Overlap()(theirs)
    with pytest.raises(ValueError, match="X contains NaN"):
        Linear()(frame_of({"size": GAPS["size"]}))


@libraries
@every
def test_names_of_columns_are_kept_and_asked_for(frame_of, cls):
    X, y, new = data_for(cls)
    frame = frame_of({"a": X[:, 0], "b": X[:, 1]})
    model = make(cls, RBF(0.7)).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    other = frame_of({"a": new[:, 0], "b": new[:, 1]})
    assert_same(outputs(model, other), outputs(make(cls, RBF(0.7)).fit(X, y), new))
    method = next(getattr(model, name) for name in METHODS if hasattr(model, name))
    with pytest.raises(ValueError, match="feature names should match"):
        method(frame_of({"b": new[:, 1], "a": new[:, 0]}))


@libraries
def test_names_of_the_columns_of_a_table_are_kept(frame_of):
    kernel = Columns([(["age"], Linear()), ("name", Spectrum(1))])
    frame = frame_of(parted(DATA, ["age", "name"]))
    model = SVC(kernel).fit(frame, [0, 1, 0, 1])
    assert model.feature_names_in_.tolist() == ["age", "name"]
    with pytest.raises(ValueError, match="X must have the column 'name' once, but has no such column"):
        kernel(frame_of(parted(DATA, ["age"])))
    with pytest.raises(ValueError, match=r"X must have the columns \['age', 'size'\] in this order"):
        RBF(1.0).fit(frame_of(parted(DATA, ["age", "size"])))(frame_of(parted(DATA, ["size", "age"])))


@libraries
def test_functions_on_the_rows_of_frames_are_added(frame_of):
    kernel = Columns([(["age"], RBF(1.0)), ("name", Spectrum(1))])
    data = parted(DATA, ["age", "name"])
    f, g = (RKHSFunction(kernel, frame_of(rows), np.arange(1.0, 3.0)) for rows in (first(data), last(data)))
    assert_allclose((f + g)(frame_of(data)), f(frame_of(data)) + g(frame_of(data)))
    assert (f + f).norm() == 2 * f.norm()
    h = RKHSFunction(kernel, pd.DataFrame(first(data)), [1.0, 2.0])
    with pytest.raises(ValueError, match=r"points must be in data frames of one library, with the same columns"):
        f + h
    whole = RKHSFunction(kernel, frame_of({"age": [1, 2], "name": ["a", "b"]}), [1.0, 2.0])
    with pytest.raises(ValueError, match=r"points must be in data frames of one library, with the same columns"):
        f + whole


def first(data):
    return {name: values[:2] for name, values in data.items()}


def last(data):
    return {name: values[2:] for name, values in data.items()}


@libraries
def test_a_column_of_times_is_refused(frame_of):
    from datetime import date

    frame = frame_of({"age": [1.0, 2.0], "day": [date(2024, 1, 1), date(2024, 1, 2)]})
    with pytest.raises(ValueError, match=r"^X must be an array of numbers, got times in column 'day': write"):
        KernelPCA(1).fit(frame)
    assert_array_equal(Overlap()(frame), np.eye(2))  # values that are equal or not


@libraries
def test_a_frame_is_no_list_of_objects(frame_of):
    frame = frame_of({"a": ["x", "y"], "b": ["y", "z"]})
    with pytest.raises(ValueError, match=r"^X must be a list of sets, got a \w+ of shape \(2, 2\): take"):
        SetKernel(Spectrum(1))(frame)
    with pytest.raises(ValueError, match=r"^X must be a list of strings, got a table with the columns \['a', 'b'\]\.$"):
        Spectrum(1)(frame)


@libraries
def test_times_are_told_apart_to_the_nanosecond(frame_of):
    times = np.array(["2024-01-01T00:00:00.000000000", "2024-01-01T00:00:00.000000001"], dtype="M8[ns]")
    assert_array_equal(Overlap()(frame_of({"t": times})), np.eye(2))


@libraries
def test_functions_on_frames_of_several_libraries_are_not_added(frame_of):
    kernel, data = Columns([(["a"], Linear())]), {"a": [1.0, 2.0]}
    f = RKHSFunction(kernel, frame_of(data), [1.0, 2.0])
    for other in (pl.DataFrame(data) if frame_of is not pl.DataFrame else pd.DataFrame(data), pd.DataFrame(data)):
        with pytest.raises(ValueError, match="points must be in data frames of one library"):
            f + RKHSFunction(kernel, other, [1.0, 2.0])


@pytest.mark.parametrize(
    "rows", [{"a": [1]}, {1, 2}, "ab", 3, np.zeros((0, 2)), np.zeros((2, 0)), pd.DataFrame({"a": []})]
)
def test_what_is_no_table(rows):
    with pytest.raises(ValueError, match=r"^X must be a table with a row for each object"):
        Overlap()(rows)


def test_row_numbers_come_from_columns_of_any_kind():
    for rows in (pd.Series([1, 0], dtype="Int64"), pl.Series([1, 0]), pd.Series([1, 0])):
        assert_array_equal(Precomputed(np.diag([1.0, 2.0]))(rows), np.diag([2.0, 1.0]))


COLLECT = r"^a data frame must be in memory, got a LazyFrame: compute or collect it first"


def test_a_frame_that_is_not_computed_yet_is_refused():
    lazy = pl.LazyFrame({"age": [1.0, 2.0]})
    for kernel in (RBF(1.0), Overlap(), Columns([(["age"], Linear())])):
        with pytest.raises(ValueError, match=COLLECT):
            kernel(lazy)


@every
def test_a_fit_refuses_a_frame_that_is_not_computed_yet(cls):
    X, y, _ = data_for(cls)
    with pytest.raises(ValueError, match=COLLECT):
        make(cls, RBF(1.0)).fit(pl.LazyFrame({"a": X[:, 0], "b": X[:, 1]}), y)


@pytest.mark.parametrize("values", [["x", "y"], [[1.0], [2.0, 3.0]]], ids=["words", "lists"])
@pytest.mark.parametrize("frame_of", [*LIBRARIES.values(), pd.DataFrame], ids=[*LIBRARIES, "pandas"])
def test_a_column_of_another_kind_leads_to_a_kernel_for_each_kind(frame_of, values):
    with pytest.raises(ValueError, match=r"^X must be an array of numbers: .*\. Columns\(\[\(columns, kernel\), …\]\)"):
        RBF(1.0)(frame_of({"a": [1.0, 2.0], "b": values}))


NUMBERS = {
    "integers": [1, 2],
    "integers and a gap": [1, None],
    "booleans": [True, False],
    "booleans and a gap": [True, None],
    "numbers in text": ["1.5", "2"],
}


@pytest.mark.parametrize("values", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("frame_of", [*LIBRARIES.values(), pd.DataFrame], ids=[*LIBRARIES, "pandas"])
def test_columns_of_every_kind_of_number_are_numbers(frame_of, values):
    frame = frame_of({"a": [0.5, 0.25], "b": values})
    if None in values:
        with pytest.raises(ValueError, match="X contains NaN"):
            finite_array(frame, "X")
    else:
        assert_array_equal(finite_array(frame, "X"), np.array([[0.5, 0.25], values], dtype=float).T)


@pytest.mark.parametrize("dtype", ["Int64", "Float32", "boolean", "category", "Sparse[int]", object])
def test_every_type_of_pandas_is_read(dtype):
    assert_array_equal(finite_array(pd.DataFrame({"a": [1, 0], "b": [0, 1]}, dtype=dtype), "X"), np.eye(2))

"""A kernel on tables with columns of several kinds."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from kernelbook import SVC
from kernelbook.kernels import RBF, Columns, Jaccard, Linear, MissingValue, Overlap, SetKernel, Spectrum

ROWS = [[1.0, 2.0, "red", "aab"], [0.5, 1.0, "blue", "ab"], [2.0, 0.0, "red", "bb"]]
FRAME = pd.DataFrame(ROWS, columns=["age", "size", "colour", "name"])
BY_NAME = Columns([(["age", "size"], RBF(0.3)), (["colour"], Overlap()), ("name", 0.5 * Spectrum(1))])
BY_NUMBER = Columns([([0, 1], RBF(0.3)), ([2], Overlap()), (3, 0.5 * Spectrum(1))])
EXPECTED = RBF(0.3)(FRAME[["age", "size"]]) + Overlap()(FRAME[["colour"]]) + 0.5 * Spectrum(1)(FRAME["name"].tolist())


def test_the_parts_are_added():
    assert_allclose(BY_NAME(FRAME), EXPECTED)
    assert_allclose(BY_NUMBER(ROWS), EXPECTED)
    assert_allclose(BY_NUMBER(np.array(ROWS, dtype=object), ROWS[:1]), EXPECTED[:, :1])
    assert_allclose(BY_NAME(FRAME, FRAME.iloc[1:]), EXPECTED[:, 1:])
    assert_allclose(BY_NAME.diag(FRAME), np.diagonal(EXPECTED))


def test_columns_are_found_by_name_in_any_order():
    assert_allclose(BY_NAME(FRAME[["name", "size", "colour", "age"]]), EXPECTED)


def test_nested_names():
    kernel = clone(BY_NAME)
    assert kernel.get_params()["0__gamma"] == 0.3
    kernel.set_params(**{"0__gamma": 2.0, "2__kernel__n": 2})
    assert_allclose(kernel.get_params()["0"].gamma, 2)
    assert_allclose(
        kernel(FRAME),
        RBF(2.0)(FRAME[["age", "size"]]) + Overlap()(FRAME[["colour"]]) + 0.5 * Spectrum(2)(FRAME["name"].tolist()),
    )
    assert BY_NAME.get_params()["0__gamma"] == 0.3  # a clone has parts of its own
    kernel.set_params(**{"1": 3 * Overlap()})
    assert kernel.parts[1][1].factor == 3


def test_fit_reaches_every_part():
    kernel = Columns([(["age", "size"], RBF("median")), (["colour"], MissingValue(Overlap()))]).fit(FRAME)
    assert kernel.parts[0][1].gamma_ == RBF("median").fit(FRAME[["age", "size"]]).gamma_
    assert "0.gamma_" in repr(kernel)


def test_gaps_in_one_part():
    frame = FRAME.assign(colour=["red", None, pd.NA])
    kernel = Columns([(["age"], Linear()), (["colour"], MissingValue(Overlap(), {"red": 0.5, "blue": 0.5}))])
    assert_allclose(kernel(frame)[1, 2], 0.5 * 2 + 0.5)


def test_the_formula_is_the_kernel():
    again = eval(repr(BY_NAME), {"Columns": Columns, "RBF": RBF, "Overlap": Overlap, "Spectrum": Spectrum})
    assert_array_equal(again(FRAME), BY_NAME(FRAME))
    numpys_own = Columns([(list(np.arange(2)), Linear()), (np.str_("name"), Spectrum()), ([np.str_("age")], Linear())])
    assert repr(numpys_own) == "Columns([([0, 1], Linear()), ('name', Spectrum()), (['age'], Linear())])"


def test_promises_come_from_the_parts():
    assert BY_NAME.psd
    assert not Columns([([0], -1 * Linear())]).psd
    assert not Columns([([0], Linear()), ([1], -1 * Linear())]).conditionally_psd


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: Columns([(["weight"], Linear())])(FRAME), "X must have the column 'weight' once, but has no such"),
        (lambda: Columns([([7], Linear())])(ROWS), "X must have the column 7 once, but has no such column"),
        (lambda: BY_NAME(ROWS), "X must have the column 'age'"),
        (lambda: BY_NAME(FRAME, FRAME[["age"]]), "Y must have the column 'size'"),
        (lambda: Columns([(["colour"], Linear())])(FRAME), r"X\[\['colour'\]\] must be an array of numbers"),
        (
            lambda: Columns([("colour", Overlap())])(FRAME),
            r"column of Overlap\(\) as \['colour'\], in a list, got 'colour'",
        ),
        (lambda: Columns([("age", 2 * RBF(1.0))])(FRAME), r"column of 2 \* RBF\(gamma=1.0\) as \['age'\], in"),
        (lambda: Columns([("colour", Linear())])(FRAME), r"X\['colour'\] must be an array of numbers"),
        (lambda: Columns([("age", Linear())])(FRAME.to_numpy()), r"An array has no names: set_output\("),
        (lambda: Columns([("name", Spectrum(1))])(FRAME.assign(name=None)), r"\[0\] is None. Fill gaps with a word"),
        (lambda: Spectrum(1)(FRAME[["name", "colour"]]), r"a list of strings, got a table with the columns \['name'"),
        (
            lambda: Columns([(["name"], Spectrum(1))])(FRAME),
            r"column of Spectrum\(n=1\) as 'name', without a list, got",
        ),
        (lambda: Spectrum(1)(["ab", np.array([1, 2])]), r"but X\[1\] is array\(\[1, 2\]\)\.$"),
        (
            lambda: RBF(1.0)(FRAME[["age"]].assign(age=np.nan)),
            r"X contains NaN. Fill the gaps, with scikit-learn's Simple",
        ),
        (lambda: RBF(1.0)(FRAME[["age"]].assign(age=pd.NA)), r"X contains NaN. Fill the gaps"),
        (lambda: RBF(1.0)(FRAME), r"X must be an array of numbers: .*Columns\(\[\(columns, kernel\), …\]\) takes"),
        (lambda: Columns([])(FRAME), r"parts must be a list of \(columns, Kernel\), got \[\]"),
        (lambda: Columns([("age", 3)])(FRAME), r"parts must be a list of \(columns, Kernel\), but one is \('age', 3\)"),
        (lambda: Columns([(["age"], RBF(-1))])(FRAME), "'gamma' parameter of RBF"),
        (lambda: BY_NUMBER([]), "X must be a table"),
    ],
)
def test_bad_input(attempt, message):
    with pytest.raises(ValueError, match=message):
        attempt()


def test_new_parts_come_before_what_is_set_in_them():
    kernel = clone(BY_NAME).set_params(**{"parts": [(["age"], RBF(1.0))], "0__gamma": 7.0})
    assert repr(kernel) == "Columns([(['age'], RBF(gamma=7.0))])"


def test_one_kernel_in_two_parts_is_fitted_to_each():
    shared = RBF("scale")
    frame = FRAME.assign(size=[20.0, 10.0, 0.0])
    twice = Columns([(["age"], shared), (["size"], shared)]).fit(frame)
    assert_array_equal(twice(frame), clone(Columns([(["age"], RBF()), (["size"], RBF())])).fit(frame)(frame))


def test_columns_in_the_algebra_of_frames():
    more = Columns([(["size"], Linear())])
    assert_allclose((2 * BY_NAME + more * more)(FRAME), 2 * EXPECTED + Linear()(FRAME[["size"]]) ** 2)
    for kernel in BY_NAME + Overlap(), Overlap() * BY_NAME, BY_NAME.exp() + Overlap():
        with pytest.raises(ValueError, match="give Columns the other kernel too, as a part"):
            kernel(FRAME)
    numbered = np.array(ROWS, dtype=object)
    assert_allclose((BY_NUMBER + Overlap())(numbered), EXPECTED + Overlap()(numbered))


@pytest.mark.parametrize("columns", [pd.Index(["age", "size"]), np.array(["age", "size"])])
def test_columns_are_named_in_many_forms(columns):
    kernel = Columns([(columns, RBF(0.3))])
    assert_allclose(kernel(FRAME), RBF(0.3)(FRAME[["age", "size"]]))
    assert repr(kernel) == "Columns([(['age', 'size'], RBF(gamma=0.3))])"
    assert_allclose(Columns([(np.int64(3), Spectrum(1))])(ROWS), Spectrum(1)(FRAME["name"]))


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: Columns([("age", RBF(1.0), ["a"])])(FRAME), "but one is \\('age', RBF"),
        (lambda: SVC(Columns([(["age"], "rbf")])).fit(FRAME, [0, 1, 0]), "but one is \\(\\['age'\\], 'rbf'\\)"),
        (lambda: Columns([([True, False, True, False], Linear())])(ROWS), "must have the column True once"),
        (
            lambda: Columns([(["a"], Linear())])(pd.DataFrame([[1, 2]], columns=["a", "a"])),
            "'a' once, but has it twice",
        ),
        (lambda: Columns([([], Linear())])(FRAME), r"one column or several different ones, got \[\]"),
        (lambda: Columns([([0, 0], Linear())])(ROWS), r"one column or several different ones, got \[0, 0\]"),
        (lambda: SVC(Columns([(["age"], RBF("wide"))])).fit(FRAME, [0, 1, 0]), "'gamma' parameter of RBF"),
    ],
)
def test_bad_parts(attempt, message):
    with pytest.raises(ValueError, match=message):
        attempt()


def test_a_cell_may_hold_any_object():
    rows = [[{"a", "b"}, [1.0, 2.0], [[1.0], [2.0]]], [{"b"}, [0.0, 1.0], [[3.0]]]]
    kernel = Columns([(0, Jaccard()), (1, Linear()), (2, SetKernel(Linear()))])
    sets, vectors, bags = zip(*rows, strict=True)
    expected = Jaccard()(sets) + Linear()(vectors) + SetKernel(Linear())(bags)
    assert_allclose(kernel(rows), expected)
    named = Columns([(name, part) for name, (_, part) in zip("svb", kernel.parts, strict=True)])
    assert_allclose(named(pd.DataFrame(rows, columns=list("svb"))), expected)
    with pytest.raises(ValueError, match=r"must hold single values, but row 0, column 0 is \{'a'\}"):
        Columns([([0], Overlap())])([[{"a"}]])


def rows_of_frames():
    frame = FRAME.assign(seen=["yes", None, "no"])
    yield "odd index", frame, frame.set_axis([3, 3, "a"])
    yield "categories", frame, frame.astype({"colour": "category", "name": "category", "seen": "category"})
    yield "strings", frame, frame.astype({"colour": "string", "name": "string", "seen": "string"})
    yield "nullable", frame, frame.astype({"age": "Float64", "size": "Int64"})
    yield "single precision", frame, frame.astype({"age": np.float32, "size": np.int8})
    yield "objects", frame, frame.astype(object)


@pytest.mark.parametrize(("frame", "same"), [pytest.param(*two, id=name) for name, *two in rows_of_frames()])
def test_frames_of_any_make(frame, same):
    kernel = Columns([*BY_NAME.parts, (["seen"], MissingValue(Overlap()))])
    expected = clone(kernel).fit(frame)(frame)
    assert_allclose(clone(kernel).fit(same)(same), expected)
    assert_allclose(clone(kernel).fit(frame)(same, frame), expected)

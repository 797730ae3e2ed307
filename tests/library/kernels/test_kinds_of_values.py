"""Categories that are equal though their types differ, and those that never can be, as "1" and 1."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from kernelbook.kernels import RBF, Completion, MissingValue, Overlap, SimpleMatching

PLAIN = [[0, 1], [1, None], [None, 0]]
HALVES = {0: 0.25, 1: 0.75}
MAKE = {
    "probabilities": partial(MissingValue, Overlap()),
    "values": partial(Completion, Overlap()),
}
GIVEN = {
    "probabilities": {"plain": HALVES, "strings": {"0": 0.25, "1": 0.75}, "floats": {0.1: 0.25, 0.7: 0.75}},
    "values": {"plain": [0, 1], "strings": ["0", "1"], "floats": [0.1, 0.7]},
}
every = pytest.mark.parametrize("name", MAKE)


@every
@pytest.mark.parametrize("number", [np.int64, np.uint8, np.float32, float, bool, np.bool_])
def test_equal_numbers_match_whatever_their_types(name, number):
    expected = MAKE[name](GIVEN[name]["plain"])(PLAIN)
    X = [[value if value is None else number(value) for value in row] for row in PLAIN]
    assert_array_equal(MAKE[name](GIVEN[name]["plain"])(X), expected)
    given = GIVEN[name]["plain"]
    given = {number(v): p for v, p in given.items()} if name == "probabilities" else list(map(number, given))
    assert_array_equal(MAKE[name](given)(PLAIN), expected)
    assert_array_equal(MAKE[name](given)(pd.DataFrame(PLAIN)), expected)


@every
def test_what_is_given_as_strings_matches_no_number(name):
    message = rf"{name} of column 0 must hold values such as [01.]+, which X has there, but hold values such as '0'"
    for X in PLAIN, np.array([[0, 1], [1, 0]]), pd.DataFrame(PLAIN):
        with pytest.raises(ValueError, match=message):
            MAKE[name](GIVEN[name]["strings"])(X)
    with pytest.raises(ValueError, match=message):
        MAKE[name](GIVEN[name]["strings"]).diag(PLAIN)
    with pytest.raises(ValueError, match=f"{name} of column 1 .* such as 'a'.* such as [01]"):
        MAKE[name]([GIVEN[name]["strings"], GIVEN[name]["plain"]])([["0", "a"], [None, "b"]])
    with pytest.raises(ValueError, match=f"{name} of column 0 .* such as b'a'"):
        MAKE[name](GIVEN[name]["strings"])([[b"a"]])


@every
def test_what_was_found_in_numbers_matches_no_string(name):
    kernel = MAKE[name](None).fit(PLAIN)
    with pytest.raises(ValueError, match=f"{name} of column 0 must hold values such as '[01]'"):
        kernel([["0", "1"], ["1", "0"]])


@every
def test_single_precision_matches_no_other(name):
    X = np.array([[0.1], [0.7], [np.nan]], dtype=np.float32)
    message = rf"X and the {name} of column 0 must be of one precision, .* since 0\.\d{{8,}} and 0\.\d differ"
    for table in X, X.astype(float), pd.DataFrame(X):
        with pytest.raises(ValueError, match=message):
            MAKE[name](GIVEN[name]["floats"])(table)
    assert MAKE[name](GIVEN[name]["floats"])(np.array([[0.1], [0.7], [np.nan]]))[0, 0] == 1


def test_numbers_that_have_distances_need_not_be_equal():
    X = np.array([[0.1], [0.7], [np.nan]], dtype=np.float32)
    for kernel in MissingValue(RBF(1.0), {0.1: 0.5, 0.7: 0.5}), Completion(RBF(1.0), [0.1, 0.7]):
        assert_array_equal(kernel(X).round(6), kernel(X.astype(float).round(7)).round(6))
        assert_array_equal(kernel(X, [[0.1]]).round(6)[0], 1)


def test_a_category_that_is_not_among_the_values_is_no_error():
    assert MissingValue(Overlap(), {"a": 0.5, "b": 0.5})([["c"], ["a"]])[0, 1] == 0
    assert MissingValue(Overlap(), {3: 0.5, "many": 0.5})([["few"], [3]])[0, 1] == 0
    assert Completion(SimpleMatching(), [0, 1])([[1, None]])[0, 0] == 0.75


def test_a_string_is_not_the_number_that_it_shows():
    """Nor is it an error: members of sets, and points of two functions, may be of different kinds."""
    assert Overlap()([["0", "1"]], [[0, 1], [1, 1]]).tolist() == [[0, 0]]
    assert Overlap()([[b"a", b"b"]], [["a", "b"]]).tolist() == [[0]]


def test_tables_that_have_one_column_in_common():
    assert Overlap()([["unknown", "red"]], [[3, "red"]])[0, 0] == 0.5
    assert Overlap()([[3, "red"]], [["unknown", "red"], [4, "blue"]])[0].tolist() == [0.5, 0]
    assert MissingValue(Overlap(), HALVES)([[None]], [[1]])[0, 0] == 0.75


def test_tables_in_two_precisions():
    Y = np.array([[0.1, 1.0], [0.7, 0.0]])
    for X in Y.astype(np.float32), pd.DataFrame(Y.astype(np.float32)), Y.astype(np.float32).astype(float):
        with pytest.raises(ValueError, match=r"column 0 of X and Y must be of one precision"):
            Overlap()(X, Y)
    assert Overlap()(np.float32([[0.5, 1]]), [[0.5, 1.0]])[0, 0] == 1

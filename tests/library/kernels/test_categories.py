"""Kernels on categories, against loops over the columns."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from kernelbook.kernels import RBF, Categorical, MissingValue, Overlap

X = [["red", "round", 1], ["red", "long", 2], ["blue", "long", 1], ["red", "long", 1]]
Y = [["green", "long", 2], ["red", "round", 1]]


def brute(x, y, weight=lambda j, c: 1.0):
    return sum(weight(j, a) for j, (a, b) in enumerate(zip(x, y, strict=True)) if a == b) / len(x)


def test_overlap_is_the_share_of_equal_columns():
    assert_allclose(Overlap()(X, Y), [[brute(x, y) for y in Y] for x in X])


@pytest.mark.parametrize("exponent", [0.5, 1, 2, 5])
def test_categorical_weighs_what_is_shared_by_its_rarity(exponent):
    share = [{v: np.mean([row[j] == v for row in X]) for v in {row[j] for row in X}} for j in range(3)]

    def weight(j, c):
        return (1 - share[j].get(c, 0) ** exponent) ** (1 / exponent)

    kernel = Categorical(exponent, gamma=0.7).fit(X)
    assert_allclose(kernel(X, Y), [[np.exp(0.7 * brute(x, y, weight)) for y in Y] for x in X])
    assert_allclose(kernel(Y), [[np.exp(0.7 * brute(x, y, weight)) for y in Y] for x in Y])
    assert_allclose(kernel.diag(Y), np.diagonal(kernel(Y)))


def test_a_category_that_nobody_had_is_as_rare_as_can_be_and_one_that_all_had_counts_for_nothing():
    kernel = Categorical().fit([["a", "x"], ["a", "y"]])
    assert_allclose(kernel([["new", "new"]]), np.exp(1))
    assert_allclose(kernel([["a", "x"]], [["a", "y"]]), 1)


def test_shares_follow_the_weights():
    rows = [["a"], ["a"], ["b"]]
    weighted = Categorical().fit(rows, sample_weight=[1, 2, 3])
    repeated = Categorical().fit([["a"], ["a"], ["a"], ["b"], ["b"], ["b"]])
    assert_allclose(weighted(rows), repeated(rows))
    assert weighted.probabilities_ == [{"a": pytest.approx(0.5), "b": pytest.approx(0.5)}]


def test_shares_are_needed():
    with pytest.raises(NotFittedError, match=r"Categorical\(\) takes the shares .* from data: call fit"):
        Categorical()(X)


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: rows,
        lambda rows: [tuple(row) for row in rows],
        lambda rows: np.array(rows, dtype=object),
        pd.DataFrame,
        lambda rows: pd.DataFrame(rows).astype("category"),
    ],
)
def test_rows_come_in_many_forms(make):
    for kernel in Overlap(), Categorical().fit(X):
        assert_array_equal(kernel(make(X), make(Y)), kernel(X, Y))


def test_arrays_of_strings_and_numbers():
    assert_allclose(Overlap()(np.array([["a", "b"], ["a", "c"]])), [[1, 0.5], [0.5, 1]])
    assert_allclose(Overlap()(np.array([[1, 2], [1, 3]]), np.array([[1.0, 2.0]])), [[1], [0.5]])
    numbers = np.array([[1.0, 2.0], [1.0, 3.0]])
    both = (Overlap() + RBF(1.0), RBF(1.0) + Overlap())
    for kernel in both:
        assert_allclose(kernel(numbers.tolist()), Overlap()(numbers) + RBF(1.0)(numbers))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("ab", "X must be a table with a row for each object, got 'ab'"),
        ({("a", "b"), ("c", "d")}, "X must be a table with a row for each object, got {"),
        ({("a", "b"): 1}, "X must be a table with a row for each object, got {"),
        (["ab", "cd"], r"X must be a table with a row for each object and at least one column, .*\(2,\)"),
        ([["a"], ["b", "c"]], "X must be a table, but its rows do not have the same length"),
        ([], r"X must be a table with a row"),
        ([["a", None]], "row 0, column 1 is missing: MissingValue"),
        ([["a", float("nan")]], "row 0, column 1 is missing"),
        ([["a", pd.NA]], "row 0, column 1 is missing"),
        (np.array([[1.0, np.nan]]), "row 0, column 1 is missing"),
        ([["a", {"set"}]], "X must hold single values, but row 0, column 1 is {'set'}"),
    ],
)
def test_what_is_no_table_of_categories(rows, message):
    with pytest.raises(ValueError, match=message):
        Overlap()(rows)


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ([[1, "red"]], np.array([["1", "red"]]), "Y is an array of strings, and X has other values too, such as 1: "),
        (np.array([["1", "red"]]), [[1, "red"]], "X is an array of strings, and Y has other values too, such as 1: "),
        (np.array([["1"]]), np.array([[1]]), "X is an array of strings, and Y has other values too"),
        (np.array([["1"]]), np.array([[b"1"]]), "and Y has other values too, such as .*b'1'.*: write rows in a list"),
    ],
)
def test_a_number_that_numpy_made_a_string_beside_one_that_is_none(one, other, words):
    for kernel in Overlap(), MissingValue(Overlap()).fit(one), Categorical().fit(one):
        with pytest.raises(ValueError, match=words):
            kernel(one, other)


def test_strings_are_equal_in_every_form():
    strings = [["a", "b"], ["a", "c"]]
    for kernel in Overlap(), MissingValue(Overlap()).fit(strings):
        for other in strings, np.array(strings, dtype=object), np.array([["a", "b", "longer"], ["a", "c", ""]])[:, :2]:
            assert_array_equal(kernel(np.array(strings), other), kernel(strings))
    assert_allclose(MissingValue(Overlap()).fit(strings)(np.array(strings), [["a", None]]), [[0.75], [0.75]])


def test_tables_of_different_width():
    with pytest.raises(ValueError, match="X has 3 and Y has 1"):
        Overlap()(X, [["red"]])
    with pytest.raises(ValueError, match="X must have 3 columns, as the data in fit had, but has 1"):
        Categorical().fit(X)([["red"]])

"""Kernels on tables with gaps, against the expectation over everything that may stand in them."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from kernelbook import RKHSFunction
from kernelbook.kernels import RBF, Columns, Completion, MissingValue, Overlap, SimpleMatching, sets

TABLE = [[0, 1, None], [1, None, 0], [None, None, 1], [1, 1, 0], [0, 0, 0]]
SHARES = [{0: 0.3, 1: 0.7}, {0: 0.6, 1: 0.4}, {0: 0.5, 1: 0.5}]


def completions(row, shares):
    """What a row may be, with its probability."""
    for values in product(*[share.items() if v is None else [(v, 1.0)] for v, share in zip(row, shares, strict=True)]):
        yield [value for value, _ in values], np.prod([p for _, p in values])


def expectation(kernel, X, Y, shares):
    return np.array(
        [
            [
                sum(
                    p * q * kernel([x_], [y_])[0, 0]
                    for (x_, p) in completions(x, shares)
                    for (y_, q) in completions(y, shares)
                )
                for y in Y
            ]
            for x in X
        ]
    )


def columns(X, Y):
    return zip(zip(*X, strict=True), zip(*Y, strict=True), strict=True)


def mean_over_columns(base):
    def kernel(X, Y):
        return np.mean([base([[x] for x in a], [[y] for y in b]) for a, b in columns(X, Y)], axis=0)

    return kernel


def test_the_completions_of_a_row_weigh_together_what_a_row_without_gaps_does():
    rows, weight = [[0.0, 3.0], [5.0, None], [1.0, 3.5]], [1.0, 2.0, 1.0]
    completed = [[0.0, 3.0], [5.0, 3.0], [5.0, 3.5], [1.0, 3.5]]
    found = Completion(RBF()).fit(rows, sample_weight=weight).base.gamma_
    assert found == pytest.approx(RBF().fit(completed, sample_weight=[1.0, 1.0, 1.0, 1.0]).gamma_)
    assert found != pytest.approx(RBF().fit(completed, sample_weight=[1.0, 2.0, 2.0, 1.0]).gamma_)


def test_columns_of_a_frame_in_another_order_are_refused():
    frame = pd.DataFrame([[0, None], [1, 1]], columns=["a", "b"])
    for base in Overlap(), Columns([([0], Overlap()), ([1], 2 * Overlap())]):
        kernel = Completion(base).fit(frame)
        assert kernel(frame[:1], frame).shape == (1, 2)
        for attempt in (lambda k=kernel: k(frame[["b", "a"]])), (lambda k=kernel: k.diag(frame[["b", "a"]])):
            with pytest.raises(ValueError, match=r"columns \['a', 'b'\] in this order, got \['b', 'a'\]"):
                attempt()


@pytest.mark.parametrize("base", [Overlap(), RBF(0.4), RBF(0.4) * Overlap()], ids=repr)
def test_missing_value_is_the_expectation_over_completions(base):
    expected = expectation(mean_over_columns(base), TABLE, TABLE, SHARES)
    kernel = MissingValue(base, SHARES)
    assert_allclose(kernel(TABLE), expected)
    assert_allclose(kernel(TABLE, TABLE[:2]), expected[:, :2])
    assert_allclose(kernel.diag(TABLE), np.diagonal(expected))


@pytest.mark.parametrize("base", [SimpleMatching(), RBF(0.4), SimpleMatching() ** 2], ids=repr)
def test_completion_is_the_mean_over_completions(base, monkeypatch):
    monkeypatch.setattr(sets, "MOST_MEMBERS", 5)
    even = [{0: 0.5, 1: 0.5}] * 3
    expected = expectation(base, TABLE, TABLE, even)
    kernel = Completion(base, [0, 1])
    assert_allclose(kernel(TABLE), expected)
    assert_allclose(kernel(TABLE[1:], TABLE[:2]), expected[1:, :2])
    assert_allclose(kernel.diag(TABLE), np.diagonal(expected))


def test_the_two_are_one_for_simple_matching_and_even_shares():
    assert_allclose(Completion(SimpleMatching(), [0, 1])(TABLE), MissingValue(Overlap(), {0: 0.5, 1: 0.5})(TABLE))


def test_shares_come_from_what_is_there():
    kernel = MissingValue(Overlap()).fit(TABLE)
    expected = [{0: 0.5, 1: 0.5}, {1: 2 / 3, 0: 1 / 3}, {0: 0.75, 1: 0.25}]
    for found, share in zip(kernel.probabilities_, expected, strict=True):
        assert found == pytest.approx(share)
    assert_allclose(kernel(TABLE), MissingValue(Overlap(), kernel.probabilities_)(TABLE))
    assert Completion(SimpleMatching()).fit(TABLE).values_ == [[0, 1], [1, 0], [0, 1]]
    weighted = MissingValue(Overlap()).fit([["a"], ["b"], [None]], sample_weight=[1, 3, 5])
    assert weighted.probabilities_ == [pytest.approx({"a": 0.25, "b": 0.75})]


def test_without_gaps_it_is_the_base_kernel():
    full = [[0, 1, 1], [1, 0, 1]]
    assert_allclose(MissingValue(Overlap(), SHARES)(full), Overlap()(full))
    assert_allclose(Completion(RBF(0.3), [0, 1])(full), RBF(0.3)(full))


def test_a_base_that_needs_data_takes_it_from_what_is_there():
    X = np.array([[0.0, np.nan], [1.0, 5.0], [np.nan, 2.0]])
    kernel = MissingValue(RBF("median")).fit(X)
    assert kernel.base.gamma_ == RBF("median").fit([[0.0], [1.0], [5.0], [2.0]]).gamma_
    assert np.isfinite(kernel(X)).all()


def test_all_completions_of_a_row_weigh_as_much_as_one_row():
    rows = [x for row in TABLE for x, _ in completions(row, SHARES)]
    weight = [0.5 ** sum(v is None for v in row) for row in TABLE for _ in completions(row, SHARES)]
    kernel = Completion(RBF("scale"), [0, 1]).fit(TABLE)
    assert kernel.base.gamma_ == pytest.approx(RBF("scale").fit(rows, weight).gamma_)


@pytest.mark.parametrize("gap", [None, float("nan"), pd.NA, pd.NaT, np.nan])
def test_gaps_have_many_names(gap):
    rows = [[gap if v is None else v for v in row] for row in TABLE]
    expected = MissingValue(Overlap(), SHARES)(TABLE)
    assert_allclose(MissingValue(Overlap(), SHARES)(rows), expected)
    assert_allclose(MissingValue(Overlap(), SHARES)(pd.DataFrame(rows, dtype=object)), expected)


def test_a_value_that_no_column_had_is_unlike_all():
    kernel = MissingValue(Overlap(), {"a": 1.0})
    assert_allclose(kernel([["b"], [None]]), [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("attempt", "error", "message"),
    [
        (lambda: MissingValue(Overlap())(TABLE), NotFittedError, "takes its probabilities from data: call fit"),
        (lambda: Completion(RBF(1.0))(TABLE), NotFittedError, "takes its values from data: call fit"),
        (
            lambda: MissingValue(Overlap(), {0: 0.5})(TABLE),
            ValueError,
            "probabilities of column 0 must be .* add up to 1",
        ),
        (lambda: MissingValue(Overlap(), {0: -1, 1: 2})(TABLE), ValueError, "probabilities of column 0 must be"),
        (lambda: MissingValue(Overlap(), SHARES[:2])(TABLE), ValueError, "one for each of the 3 columns of X, got 2"),
        (lambda: MissingValue(Overlap()).fit([[None, 1], [None, 2]]), ValueError, "column 0 has gaps only"),
        (lambda: Completion(RBF(1.0)).fit([[1, None], [2, None]]), ValueError, "column 1 has gaps only"),
        (lambda: Completion(RBF(1.0), [0, 1])([[None] * 13]), ValueError, "row 0 has 8192"),
        (lambda: Completion(RBF(1.0), [0, 1])(TABLE, [[1, None]]), ValueError, "X has 3 and Y has 2"),
        (lambda: MissingValue(RBF(1.0), {"a": 1.0})([["a"]]), ValueError, "must be an array of numbers"),
        (
            lambda: MissingValue(RBF(1.0), {1.0: 0.5, np.nan: 0.5})([[1.0]]),
            ValueError,
            "probabilities of column 0 must hold values that can fill a gap, got a gap",
        ),
        (
            lambda: Completion(Overlap(), [[0, 1], [0, None], [0, 1]])(TABLE),
            ValueError,
            "values of column 1 must hold values that can fill a gap, got a gap",
        ),
    ],
)
def test_bad_input(attempt, error, message):
    with pytest.raises(error, match=message):
        attempt()


def test_the_formula_of_numpys_numbers_can_be_evaluated():
    kernel = MissingValue(Overlap(), {np.int64(0): np.float64(0.25), np.str_("b"): 0.75})
    assert repr(kernel) == "MissingValue(base=Overlap(), probabilities={0: 0.25, 'b': 0.75})"


def test_values_may_be_an_array_and_categories_tuples():
    assert_allclose(Completion(SimpleMatching(), np.array([0, 1]))(TABLE), Completion(SimpleMatching(), [0, 1])(TABLE))
    rows = [[(1, 2)], [None], [(3, 4)]]
    assert_allclose(MissingValue(Overlap()).fit(rows)(rows), [[1, 0.5, 0], [0.5, 0.5, 0.5], [0, 0.5, 1]])
    assert_allclose(Completion(Overlap()).fit(rows)(rows), [[1, 0.5, 0], [0.5, 0.5, 0.5], [0, 0.5, 1]])


def test_times_that_are_missing():
    times = np.array([["2020-01-01"], ["NaT"]], dtype="M8[D]")
    assert_allclose(MissingValue(Overlap()).fit(times)(times), 1)
    with pytest.raises(ValueError, match="row 1, column 0 is missing"):
        Overlap()(times)


def test_one_space_only_for_the_same_values():
    f, g = (RKHSFunction(Completion(Overlap(), values), [[None]], [1.0]) for values in ([[1, "2"]], [["1", "2"]]))
    with pytest.raises(ValueError, match="different spaces"):
        f.inner(g)
    ragged = Completion(Overlap()).fit([[1, 2], [3, 2], [None, 2]])
    f, g = (RKHSFunction(clone(ragged).fit([[1, 2], [3, 2]]), [[None, 2]], [c]) for c in (1.0, 2.0))
    assert f.inner(g) == pytest.approx(2 * ragged([[None, 2]])[0, 0])


@pytest.mark.parametrize("given", [[0.5, 0.5], [], ["ab", "cd", "ef"]])
def test_what_is_no_distribution(given):
    with pytest.raises(ValueError, match="probabilities"):
        MissingValue(Overlap(), given)(TABLE)


def test_objects_of_weight_zero_do_not_fill_a_column():
    with pytest.raises(ValueError, match="column 0 has gaps only"):
        MissingValue(Overlap()).fit([["a", 1], [None, 2]], sample_weight=[0, 1])

"""Checks of input: what is right passes unchanged, whatever its units, and what is wrong is named."""

import re
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from pathlib import Path
from threading import Barrier, current_thread

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.lib.recfunctions import structured_to_unstructured
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelbook
from kernelbook import RBF, SVC
from kernelbook.inputs.validation import check_positive, finite_array, positive_list, sample_weights
from kernelbook.linalg.gram import ROWS_COMPARED_AT_A_TIME as HEIGHT
from kernelbook.linalg.gram import gram_matrix
from kernelbook.linalg.tolerances import is_negative
from kernelbook.qp import DualQP, smo
from kernelbook.runtime import available, parallel
from kernelbook.runtime.warn import warn

UNITS = [1e-200, 1e-8, 1.0, 1e8, 1e200]


def symmetric(n=2 * HEIGHT + 5):
    """A matrix with entries of both signs that cannot be written to: a check that changed it would raise."""
    A = np.random.default_rng(0).normal(size=(n, n))
    K = A + A.T
    K.flags.writeable = False
    return K


@pytest.mark.parametrize("values", [[[1, 2]], np.ones((2, 2), dtype=np.float32), [[True]], [["1.5"]]], ids=repr)
def test_numbers_of_any_kind_become_floats(values):
    found = finite_array(values, "X")
    assert found.dtype == np.float64
    assert_array_equal(found, np.array(values, dtype=float))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[np.nan]], "X contains NaN"),
        ([[-np.inf]], "X contains infinity"),
        ([["a"]], "^X must be an array of numbers: could not convert string to float: 'a'.$"),
        ([[1.0], [1.0, 2.0]], "^X must be an array of numbers: .*inhomogeneous"),
        (np.array([[1j]]), "^X must hold real numbers: Complex data not supported.$"),
        ([[1j]], "^X must hold real numbers: Complex data not supported.$"),
        (np.array([[1.0, np.complex64(1j)]], dtype=object), "^X must hold real numbers: Complex data not supported.$"),
        (sp.csr_array([[1j]]), "^X must hold real numbers: Complex data not supported.$"),
        ([[10**400]], "^X must hold numbers below 1.8e308 in size, got a larger int.$"),
        ([[[1.0], [2.0]], [[1.0], 2.0]], "^X must be an array of numbers: .*inhomogeneous"),
    ],
)
def test_what_is_no_array_of_finite_numbers_is_named(values, message):
    with pytest.raises(ValueError, match=message):
        finite_array(values, "X")


def test_the_way_out_of_one_dimension_is_a_way_out():
    line = np.arange(3.0)
    with pytest.raises(ValueError, match=r"Z must have a row for each point, but has shape \(3,\)\. Reshape") as raised:
        finite_array(line, "Z")
    feature, point = re.findall(r"Z\[.*?\]", str(raised.value))
    assert_array_equal(finite_array(eval(feature, {"Z": line}), "Z"), [[0], [1], [2]])
    assert_array_equal(finite_array(eval(point, {"Z": line}), "Z"), [[0, 1, 2]])


def test_an_object_that_is_no_number_is_a_type_error():
    for values in ([[{}]], np.array([[1.0, {}]], dtype=object), {"a": 1}):
        with pytest.raises(TypeError, match=r"^X must be an array of numbers: float\(\) argument must be .*'dict'\.$"):
            finite_array(values, "X")


def test_fields_of_a_structured_array_become_columns():
    fields = np.array([(1.0, 2), (3.0, 4)], dtype=[("a", float), ("b", int)])
    with pytest.raises(ValueError, match=r"got a structured array: numpy.lib.recfunctions.structured_to_unstructured"):
        finite_array(fields, "X")
    assert_array_equal(finite_array(structured_to_unstructured(fields), "X"), [[1, 2], [3, 4]])


@pytest.mark.parametrize("values", [[1, 2.5], (3,), np.array([1e-300, 1e300])], ids=repr)
def test_a_list_of_positive_numbers_keeps_its_order(values):
    assert_array_equal(positive_list(values, "Cs"), values)


@pytest.mark.parametrize("values", [[], [0.0], [1.0, -1.0], 1.0, [[1.0]]], ids=repr)
def test_what_is_no_list_of_positive_numbers_is_quoted(values):
    with pytest.raises(ValueError, match=rf"^Cs must be a list of numbers > 0, got {re.escape(repr(values))}[.:]"):
        positive_list(values, "Cs")


def test_a_number_in_the_place_of_a_list_is_put_into_one():
    with pytest.raises(ValueError, match=r"got 0\.5: write Cs=\[0\.5\]\.$"):
        positive_list(0.5, "Cs")


@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, None, "1", [1.0]], ids=repr)
def test_what_is_no_positive_number_is_quoted(value):
    with pytest.raises(ValueError, match=rf"^tol must be a finite number > 0, got {re.escape(repr(value))}\.$"):
        check_positive(value, "tol")
    check_positive(np.float32(1e-30), "tol")
    if value != 0:
        with pytest.raises(ValueError, match=rf"^tol must be a finite number >= 0, got {re.escape(repr(value))}\.$"):
            check_positive(value, "tol", or_zero=True)
    check_positive(0, "tol", or_zero=True)


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_what_is_negative_beyond_rounding(size):
    assert not is_negative(-0.99e-10 * size, size)
    assert is_negative(-1.01e-10 * size, size)
    assert is_negative(np.nan, size)
    assert not is_negative(0.0, 0.0)


def test_a_list_of_positive_numbers_is_finite():
    with pytest.raises(ValueError, match="Cs contains NaN"):
        positive_list([1.0, np.nan], "Cs")


@pytest.mark.parametrize("unit", UNITS)
def test_a_symmetric_matrix_passes_unchanged(unit):
    assert_array_equal(gram_matrix(unit * symmetric(), "K"), unit * symmetric())


@pytest.mark.parametrize("unit", UNITS)
def test_an_asymmetry_of_rounding_is_evened_out_in_a_copy(unit):
    rough = unit * symmetric()
    rough[200, 3] += 1e-7 * np.abs(rough).max()
    kept = rough.copy()
    K = gram_matrix(rough, "K")
    assert_array_equal(K, K.T)
    np.testing.assert_allclose(K, (kept + kept.T) / 2, rtol=1e-15)
    assert_array_equal(rough, kept)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    ("i", "j"),
    [(0, 1), (3, 200), (HEIGHT, HEIGHT - 1), (2 * HEIGHT + 4, HEIGHT + 2)],
)
def test_the_worst_pair_of_an_asymmetric_matrix_is_named(unit, i, j):
    K = unit * symmetric()
    K[5, 6] += 1e-4 * np.abs(K).max()
    K[i, j] += 1e-3 * np.abs(K).max()
    pair = {f"K[{i}, {j}]", f"K[{j}, {i}]"}
    with pytest.raises(ValueError, match=r"^K must be symmetric, but K\[") as raised:
        gram_matrix(K, "K")
    said = dict(re.findall(r"(K\[\d+, \d+\]) = (\S+?)(?: and|\.$)", str(raised.value)))
    assert said.keys() == pair
    assert len(set(said.values())) == 2


def test_numbers_that_differ_late_are_written_out():
    with pytest.raises(ValueError, match=r"K\[0, 1\] = 1000001 and K\[1, 0\] = 1000003\."):
        gram_matrix([[1.0, 1000001.0], [1000003.0, 1.0]], "K")


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((2, 3)), r"^K must be a square Gram matrix, but has shape \(2, 3\)\.$"),
        (np.ones(4), "K must have a row for each point"),
        ([[np.nan]], "K contains NaN"),
        (np.zeros((0, 0)), "minimum of 1 is required"),
    ],
)
def test_what_is_no_gram_matrix(K, message):
    with pytest.raises(ValueError, match=message):
        gram_matrix(K, "K")


@pytest.mark.parametrize(
    ("weight", "expected"), [(None, [1, 1, 1]), (2.0, [2, 2, 2]), ([0, 1, 2], [0, 1, 2]), ([0, 0, 1e-300], None)]
)
def test_each_object_has_a_weight(weight, expected):
    found = sample_weights(weight, np.zeros((3, 2)))
    assert found.dtype == np.float64
    assert_array_equal(found, weight if expected is None else expected)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -1, 1], r"^sample_weight must be >= 0 and not all zero, got values from -1 to 1\.$"),
        ([0, 0, 0], "not all zero, got values from 0 to 0"),
        ([1e308, 1e308, 0], r"^sample_weight must have a sum below 1\.8e308, got values up to 1e\+308\.$"),
        ([1, 1], r"^sample_weight must hold one number for each of 3 objects, but has shape \(2,\)\.$"),
        ([1, 1, np.nan], "sample_weight contains NaN"),
        (np.inf, "sample_weight contains infinity"),
        (Decimal(2), r"^sample_weight must be a list or an array of numbers, got the single value Decimal\('2'\)\.$"),
        (np.True_, r"^sample_weight must be a list or an array of numbers, got the single value True\.$"),
        (np.eye(3), r"one number for each of 3 objects, but has shape \(3, 3\)"),
    ],
)
def test_what_are_no_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        sample_weights(weight, np.zeros((3, 2)))


@pytest.mark.parametrize(
    "fit",
    [
        lambda X, y: smo(DualQP(RBF(1.0)(X), y, np.minimum(y, 0), np.maximum(y, 0)), max_iter=1),
        lambda X, y: SVC(RBF(1.0), max_iter=1).fit(X, y),
        lambda X, _: SVC(RBF(1.0), max_iter=1).fit(X, np.arange(40) % 3),
        lambda X, y: make_pipeline(StandardScaler(), SVC(RBF(1.0), max_iter=1)).fit(X, y),
        lambda X, y: GridSearchCV(SVC(RBF(1.0), max_iter=1), {"C": [1, 2]}, cv=2).fit(X, y),
    ],
    ids=["solver", "machine", "pairs of classes", "pipeline", "search"],
)
def test_a_warning_names_the_line_of_the_caller(fit):
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.tile([-1.0, 1.0], 20)
    with pytest.warns(ConvergenceWarning) as told:
        fit(X, y)
    assert {warning.filename for warning in told} == {__file__}


@pytest.mark.skipif(not available.THREADS, reason="no thread can be started")
def test_a_warning_of_a_thread_names_the_line_of_who_asked_for_it(monkeypatch):
    monkeypatch.setattr(parallel, "usable_cores", lambda: 2)
    both, threads = Barrier(2, timeout=10), set()

    class Told(UserWarning):
        def __init__(self, *args):
            both.wait()  # two threads are at work at one time
            threads.add(current_thread().name)

    with pytest.warns(Told) as told:
        parallel.parallel_map(partial(warn, category=Told), ["one", "two"])
    assert len(threads) == 2
    assert {warning.filename for warning in told} == {__file__}


@pytest.mark.parametrize("names", [{}, {"__name__": None}], ids=["no name", "name None"])
def test_a_warning_reaches_code_that_has_no_name(names):
    with pytest.warns(UserWarning, match="so it is"):
        exec("warn('so it is', UserWarning)", {"warn": warn, **names})


@pytest.mark.skipif(not available.THREADS, reason="no thread can be started")
def test_a_warning_in_a_thread_of_somebody_else_names_the_library():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.tile([-1.0, 1.0], 20)
    with ThreadPoolExecutor(1) as pool, pytest.warns(ConvergenceWarning) as told:
        pool.submit(SVC(RBF(1.0), max_iter=1).fit, X, y).result()
    assert Path(told[0].filename).is_relative_to(Path(kernelbook.__file__).parent)

"""Machines that compute rows of K as they need them: what they say is the same, whatever the memory for rows."""

import inspect
import tracemalloc
import warnings

import numpy as np
import pytest

from kernelbook import RBF, SVC, SVR, NuSVC
from kernelbook.base.training import training_rows
from kernelbook.kernels import FunctionKernel, Spectrum
from kernelbook.qp import working_sets
from tests.library.estimators import ESTIMATORS, assert_same, data_for, make, outputs, parameters
from tests.library.samples import random_words

CACHED = [cls for cls in ESTIMATORS if "cache_size" in parameters(cls)]
machines = pytest.mark.parametrize("cls", CACHED, ids=lambda cls: cls.__name__)
SMALL = 1e-3  # MB: a few rows


def fitted(cls, kernel, X, y, cache_size, sample_weight=None):
    arguments = {} if sample_weight is None else {"sample_weight": sample_weight}
    return make(cls, kernel).set_params(cache_size=cache_size).fit(X, y, **arguments)


@pytest.fixture(autouse=True)
def small_sets(monkeypatch):
    monkeypatch.setattr(working_sets, "MIN_SIZE", 12)


@pytest.fixture
def whole(monkeypatch):
    """Call it to have all matrices computed whole from now on."""
    return lambda: monkeypatch.setattr(working_sets, "MIN_SIZE", 10**6)


def test_all_machines_have_it():
    assert {"SVC", "NuSVC", "SVR", "NuSVR", "QuantileSVR", "OneClassSVM"} <= {cls.__name__ for cls in CACHED}


@machines
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sample", ["normal", "one far object", "three classes"])
def test_the_fit_is_that_of_the_whole_matrix(cls, sample, weighted, whole):
    X, y, new = data_for(cls, n=120, sample=sample)
    weight = np.random.default_rng(0).integers(1, 4, size=len(X)) if weighted else None
    some = fitted(cls, RBF(0.7), X, y, SMALL, weight)
    whole()
    every = fitted(cls, RBF(0.7), X, y, None, weight)
    assert_same(outputs(some, new), outputs(every, new))
    assert sorted(some.support_) == sorted(every.support_)
    assert np.abs(some.duality_gap_).max() < 1e-4


@machines
def test_objects_that_are_no_vectors(cls, whole):
    words = random_words("ab", [8] * 60)
    y = np.array([word.count("ab") for word in words])
    y = None if cls.__name__ == "OneClassSVM" else y if cls.__name__.endswith("SVR") else (y > 1).astype(int)
    some = fitted(cls, Spectrum(2).normalized(), words, y, SMALL)
    whole()
    assert_same(outputs(some, words), outputs(fitted(cls, Spectrum(2).normalized(), words, y, None), words))


def test_a_function_is_called_for_blocks():
    X, y, new = data_for(SVC, n=100)
    heights = []

    def function(A, B):
        heights.append(len(A))
        return RBF(0.7)(A, B)

    found = fitted(SVC, FunctionKernel(function), X, y, SMALL)
    assert max(heights) < 100
    assert_same(outputs(found, new), outputs(fitted(SVC, RBF(0.7), X, y, SMALL), new))


def test_the_diagonal_costs_few_calls():
    """Of a function it is asked for several objects at a time."""
    X, y, _ = data_for(SVC, n=300, sample="three classes")
    calls = []

    def function(A, B):
        calls.append(len(A) * len(B))
        return RBF(0.7)(A, B)

    fitted(SVC, FunctionKernel(function), X, y, SMALL)
    assert calls.count(1) == 0


@pytest.mark.parametrize(
    ("sizes", "shared"), [([600, 600], False), ([300] * 3, False), ([300] * 4, True), ([400] + [60] * 9, True)]
)
def test_many_classes_share_one_matrix(sizes, shared):
    rng, whole = np.random.default_rng(0), []
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(y), 2)) + 6 * np.column_stack([np.cos(y), np.sin(y)])

    def function(A, B):
        whole.append(len(A) == len(B) == len(y))
        return RBF(0.1)(A, B)

    SVC(FunctionKernel(function)).fit(X, y)
    assert any(whole) == shared


def test_without_a_size_rows_take_half_of_the_free_memory(monkeypatch):
    X = np.arange(50.0)[:, None]
    for free, fits in ((2 * 8 * 50**2, True), (2 * 8 * 50**2 - 2, False)):
        monkeypatch.setattr("kernelbook.base.training.free_memory", lambda free=free: free)
        assert training_rows(RBF(1.0), X)[2].fits() == fits


@machines
def test_a_matrix_larger_than_the_free_memory_is_not_needed(cls, monkeypatch):
    """Except by those who ask for it."""
    X, y, _ = data_for(cls, n=120)
    monkeypatch.setattr("kernelbook.base.training.free_memory", lambda: 8 * 50**2)
    fitted(cls, RBF(0.7), X, y, None)
    with pytest.raises(MemoryError, match="Gram matrix of 120 objects"):
        make(cls, RBF(0.7), solver="interior_point").fit(X, y)


@machines
@pytest.mark.parametrize("cache_size", [0, -1.0, "200", np.inf])
def test_a_size_that_is_none_is_refused(cls, cache_size):
    X, y, _ = data_for(cls)
    with pytest.raises(ValueError, match="cache_size"):
        make(cls, RBF(1.0)).set_params(cache_size=cache_size).fit(X, y)


@machines
def test_an_interrupted_fit_leaves_the_machine_as_it_was(cls):
    X, y, new = data_for(cls, n=120)
    model = fitted(cls, RBF(0.7), X, y, SMALL)
    before, calls = outputs(model, new), []

    def function(A, B):
        calls.append(len(A))
        if len(calls) > 3 and len(A) > 1:
            raise KeyboardInterrupt
        return RBF(0.7)(A, B)

    model.set_params(kernel=function)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert_same(outputs(model, new), before)


def test_values_that_overflow_are_refused():
    X = np.arange(100.0)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="gives values too large"):
            SVC(RBF(0.1) * 1e308 * 1e308, cache_size=SMALL).fit(X, np.arange(100) % 2)


def test_rows_give_no_more_warnings_than_the_kernel():
    """γ‖x − x'‖² overflows here, and the kernel's value is an exact 0."""
    X, y, _ = data_for(SVC, n=100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVC(RBF(1e308), cache_size=SMALL).fit(10 * X, y)
    assert len(model.support_) == 100


def test_verbose_fits_say_so(capsys, monkeypatch):
    from kernelbook.qp import sequential_minimal

    monkeypatch.setattr(sequential_minimal, "REPORT_INTERVAL", -1.0)
    X, y, _ = data_for(SVC, n=120)
    SVC(RBF(0.7), verbose=True, cache_size=SMALL).fit(X, y)
    assert "smo: after" in capsys.readouterr().out
    assert inspect.signature(SVR).parameters["verbose"].default is False
    NuSVC(RBF(0.7), 0.1).fit(X, y)
    assert capsys.readouterr().out == ""


def test_each_pair_of_classes_gives_its_rows_back_before_the_next():
    X, y = np.random.default_rng(0).normal(size=(1800, 2)), np.repeat(range(3), 600)
    machine = SVC(RBF(100.0), cache_size=1e305)  # more than there is
    machine.fit(X[::10], y[::10])

    def peak(of):
        tracemalloc.start()
        try:
            machine.fit(X[of], y[of])
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(y < 3) < 1.3 * peak(y < 2)

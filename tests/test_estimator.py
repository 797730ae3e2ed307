"""What all estimators share: the new objects they refuse, and what they say when memory or numbers do not suffice."""

import numpy as np
import psutil
import pytest

from kernelbook import SVC, KernelRidge, OneClassSVM, Polynomial

ESTIMATORS = pytest.mark.parametrize("estimator", [KernelRidge, SVC, OneClassSVM])


@ESTIMATORS
def test_new_rows_of_a_gram_matrix_are_finite(estimator):
    model = estimator("precomputed").fit(np.eye(2), [0, 1])
    assert model.X_fit_ is None
    with pytest.raises(ValueError, match="X contains NaN"):
        model.predict([[np.nan, 1.0]])


@ESTIMATORS
@pytest.mark.filterwarnings("ignore:overflow")
def test_values_that_overflow_are_refused(estimator):
    model = estimator(Polynomial(2)).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match=r"Polynomial\(.*\) gives values too large"):
        model.predict([[1e200]])


def test_memory_needed_and_free_are_named(monkeypatch):
    monkeypatch.setattr(psutil, "virtual_memory", lambda: type("Memory", (), {"available": 3 * 10**8}))
    with pytest.raises(MemoryError, match=r"of 10000 objects takes 0\.8 GB, and 0\.3 GB of memory are free"):
        KernelRidge(lambda X, Y: pytest.fail("computed")).fit(np.zeros((10**4, 1)), np.zeros(10**4))


@ESTIMATORS
def test_memory_for_the_copy_of_a_matrix_is_asked_for(estimator, monkeypatch):
    monkeypatch.setattr(psutil, "virtual_memory", lambda: type("Memory", (), {"available": 8 * 30**2 - 1}))
    with pytest.raises(MemoryError, match="Gram matrix of 30 objects"):
        estimator("precomputed").fit(np.eye(30), np.arange(30) % 2)
    estimator("precomputed").fit(np.eye(29), np.arange(29) % 2)

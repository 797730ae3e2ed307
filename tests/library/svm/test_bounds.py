"""Leave-one-out against refits, and the bounds where they hold and where they are known to fail."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelbook import RBF, SVC, Linear
from kernelbook.qp import smo
from kernelbook.svm import bounds
from kernelbook.svm.bounds import leave_one_out, support_vector_bound, xi_alpha_bound
from tests.library.samples import two_classes


def error(K, y, C):
    return np.mean(y * leave_one_out(K, y, C, tol=1e-10) <= 0)


@pytest.fixture
def points():
    X, y = two_classes(30, 0.3)
    return RBF(0.7)(X), y


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(3))
def test_leave_one_out_is_that_of_refits(seed, C):
    X, y = two_classes(30, 0.8, seed)
    K, refits = RBF(0.7)(X), []
    for i in range(30):
        rest = np.arange(30) != i
        machine = SVC(RBF(0.7), C, tol=1e-10).fit(X[rest], y[rest])
        refits.append(machine.decision_function(X[[i]])[0])
    assert_allclose(leave_one_out(K, y, C, tol=1e-10), refits, atol=1e-7)
    assert error(K, y, C) <= support_vector_bound(K, y, C, tol=1e-10)
    assert error(K, y, C) <= xi_alpha_bound(K, y, C, tol=1e-10)


def test_squared_radius_counts_negative_values_of_the_kernel():
    """With R² = max k(x, x) = 34 the bound would be 2/5, below the error; with max k − min k = 65 it is not."""
    X = np.array([[-3, 0], [-5, -3], [3, 5], [-4, 4], [5, 2]], float)
    y = np.array([-1, -1, 1, 1, 1])
    K = Linear()(X)
    assert (K.max(), K.diagonal().max() - K.min()) == (34, 65)
    assert error(K, y, 0.02) == pytest.approx(3 / 5)
    assert xi_alpha_bound(K, y, 0.02) == pytest.approx(4 / 5)


def test_without_free_support_vectors_the_xi_alpha_bound_can_fail():
    x, y = np.array([[3.0], [2.0], [-4.0], [-3.0], [-1.0]]), np.array([-1, 1, -1, 1, -1])
    K = RBF(0.1)(x)
    assert error(K, y, 0.03) == pytest.approx(1)
    assert xi_alpha_bound(K, y, 0.03) == pytest.approx(2 / 5)


@pytest.mark.parametrize("bound", [leave_one_out, support_vector_bound, xi_alpha_bound])
def test_bad_labels(bound):
    with pytest.raises(ValueError, match="y must hold 2 labels -1 and \\+1"):
        bound(np.eye(2), [0, 1], 1.0)


def test_a_class_of_one_cannot_be_left_out():
    with pytest.raises(ValueError, match="at least two objects of each class"):
        leave_one_out(np.eye(3), [1, 1, -1], 1.0)


@pytest.mark.parametrize("bound", [leave_one_out, support_vector_bound, xi_alpha_bound])
@pytest.mark.parametrize("C", [0.0, -1.0, np.nan, np.inf, "1", None])
def test_a_price_is_positive_and_finite(bound, C):
    with pytest.raises(ValueError, match=f"C must be a finite number > 0, got {C!r}"):
        bound(np.eye(4), [-1, 1, -1, 1], C)


def test_support_vectors_of_both_classes_count(points):
    K, y = points
    assert support_vector_bound(K, y, 1.0) == len(SVC("precomputed", tol=1e-6).fit(K, y).support_) / len(y)


def test_an_object_that_reaches_one_counts():
    """Two copies of each of two objects, all with α = C = ½, so that f is just ±1: 2 α R² + ξ = 1."""
    assert xi_alpha_bound(np.kron(np.eye(2), np.ones((2, 2))), [1, 1, -1, -1], 0.5) == 1


@pytest.fixture
def solved(points, monkeypatch):
    """What bounds asks of smo, and gets."""
    calls = []

    def recorded(problem, start=None, tol=None):
        calls.append((start, tol, smo(problem, start, tol)))
        return calls[-1][-1]

    monkeypatch.setattr(bounds, "smo", recorded)
    return calls


def test_leaving_out_an_object_that_is_no_support_vector_takes_no_step(points, solved):
    leave_one_out(*points, 1.0)
    (_, _, whole), *parts = solved
    assert 0 < np.sum(whole.beta == 0) < len(parts)
    for i, (start, _, part) in enumerate(parts):
        assert (start == np.delete(whole.beta, i)).all()
        assert part.iterations == 0 or whole.beta[i] != 0


@pytest.mark.parametrize("bound", [leave_one_out, support_vector_bound, xi_alpha_bound])
def test_the_tolerance_is_the_one_asked_for(bound, points, solved):
    bound(*points, 1.0, tol=1e-7)
    assert {tol for _, tol, _ in solved} == {1e-7}

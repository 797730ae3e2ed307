"""Regression at its limits: what rounding takes is told, and the largest and the smallest y lose nothing."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from kernelbook import RBF, SVR, Linear, NuSVR, Polynomial, QuantileSVR
from kernelbook.svm.regression import median_deviation, warn_of_rounding
from tests.library.samples import noisy_sine

SOLVERS = ["smo", "interior_point"]


def test_cancellation_warns_of_the_object_where_it_is_worst():
    """The third has nothing in common with the others, and its α⁺ alone; its fit loses no digits."""
    K = np.diag([1.0, 1.0, 0.0])
    with pytest.warns(ConvergenceWarning, match="nearly cancel"):
        NuSVR("precomputed", 1e14).fit(K, [0, 1, 2])


def test_cancellation_warns():
    with pytest.warns(ConvergenceWarning, match="C = 1e.14 is so large that α⁺ and α⁻ of one object nearly cancel"):
        NuSVR(RBF(1.0), 1e14).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_the_largest_and_the_smallest_y(unit):
    (X, y, _), (new, _, _) = noisy_sine(60), noisy_sine(60, seed=1)
    y /= np.abs(y).max()
    for name in ("smo", "interior_point"):
        expected = SVR(RBF(0.7), 3.0, 0.1, tol=1e-6, solver=name).fit(X, y).predict(new)
        model = SVR(RBF(0.7), 3.0 * unit, 0.1 * unit, tol=1e-6, solver=name).fit(X, y * unit)
        assert_allclose(model.predict(new) / unit, expected, atol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("far", [1e5, 1e6, 1e7])
def test_what_rounding_takes_of_objects_far_from_zero_is_told(far, solver):
    X, y, _ = noisy_sine(60)
    X = np.round(X * 2**16) / 2**16  # so that X + far is exact
    for machine in (SVR(Linear(), 10.0), NuSVR(Linear(), 10.0), QuantileSVR(Linear(), 10.0)):
        exact = clone(machine).set_params(tol=1e-6).fit(X, y).predict(X)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            off = np.abs(machine.set_params(solver=solver).fit(X + far, y).predict(X + far) - exact).max()
        assert told or off < 10 * 1e-3 * np.median(np.abs(y - np.median(y)))


def test_a_solution_that_rounding_keeps_above_tol_is_told():
    def told(violation, converged=True):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            warn_of_rounding(SimpleNamespace(violation=violation, converged=converged), 1e-3)
        return [str(one.message) for one in found]

    assert told(1e-3) == told(2e-3, converged=False) == []  # the solver has warned of the second
    assert "rounding hides more of the fit than tol allows: the KKT conditions are violated by 0.002" in told(2e-3)[0]


@pytest.mark.parametrize("solver", SOLVERS)
def test_nothing_is_told_of_objects_that_lie_well(solver):
    X, y, _ = noisy_sine(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for machine in (SVR(), NuSVR(), QuantileSVR()):
            for kernel in (RBF(0.7), Linear(), Polynomial(2)):
                for tol in (1e-3, 1e-6):
                    clone(machine).set_params(kernel=kernel, tol=tol, solver=solver).fit(X + 3, y)


@pytest.mark.parametrize("unit", [1e-100, 1.0, 1e100])
@pytest.mark.parametrize("machine", [SVR(), NuSVR(), QuantileSVR()], ids=repr)
def test_what_differs_by_rounding_counts_as_equal(machine, unit):
    """Else rounding would be the unit of tol, in which no conditions hold."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = np.where(rng.random(600) < 0.7, 1 + rng.integers(-2, 3, 600) * 2.2e-16, 2 + np.sin(2 * X[:, 0]))
    model = clone(machine).set_params(kernel=RBF(0.7), C=unit)
    model.set_params(**{"epsilon": 0.1 * unit} if isinstance(machine, SVR) else {})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.fit(X, unit * y).predict(X)
        assert_allclose(found, clone(model).fit(X, unit * y.round(9)).predict(X), atol=1e-2 * unit)


def test_the_unit_of_tol():
    assert median_deviation(np.array([1.0, 1.0, 1 + 1e-15, 3.0, 5.0, 1e30]), 1.0) == 4
    assert median_deviation(np.array([1e16, 1e16, 1e16 + 2]), 1e16) == 2  # all differ by no more than rounding
    assert median_deviation(np.array([7.0, 7.0]), 7.0) == 1

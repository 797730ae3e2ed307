"""Laws that every estimator keeps: none is named here, and one that is added to the library is tested too."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone, is_regressor

from kernelbook import RBF, Laplacian, Linear, Polynomial
from tests.library.estimators import (
    ESTIMATORS,
    assert_same,
    data_for,
    every,
    every_sample,
    every_solver,
    make,
    outputs,
    parameters,
    skip_unless_it_takes,
    takes,
)
from tests.marks import THOROUGH

UNITS = [1e-8, 1e-3, 1e3, 1e8] if THOROUGH else [1e-8, 1e8]


@every_solver
@pytest.mark.parametrize("s", UNITS)
@every_sample
def test_units_of_the_kernel(cls, solver, s, sample):
    X, y, new = data_for(cls, sample=sample)
    for kernel in RBF(0.7), Linear() + Polynomial(2):
        if not takes(cls, kernel):
            continue
        expected = make(cls, kernel, solver=solver).fit(X, y)
        found = make(cls, s * kernel, k=s, solver=solver).fit(X, y)
        assert_same(outputs(found, new, f=s, squared=s), outputs(expected, new))


@every_solver
@pytest.mark.parametrize("s", [2.0**-40, 2.0**40])
@every_sample
def test_powers_of_two_change_not_even_the_rounding(cls, solver, s, sample):
    skip_unless_it_takes(cls, RBF(0.7))
    X, y, new = data_for(cls, sample=sample)
    half = len(X) // 2
    X[half:] = X[:half] + 1e-5  # pairs along which the objective is all but flat
    expected = make(cls, RBF(0.7), solver=solver).fit(X, y)
    found = make(cls, s * RBF(0.7), k=s, solver=solver).fit(X, y)
    assert_array_equal(getattr(found, "n_iter_", 0), getattr(expected, "n_iter_", 0))
    for name, value in outputs(expected, new).items():
        assert_array_equal(outputs(found, new, f=s, squared=s)[name], value)


KERNELS = {
    "rbf": lambda s: RBF(0.7 / s**2),
    "scale": lambda s: RBF("scale"),
    "median": lambda s: Laplacian("median"),
    "laplacian": lambda s: Laplacian(0.7 / s, norm=1),
    "polynomial": lambda s: Polynomial(2, 0.5 / s**2, 1.0),
}


@every
@pytest.mark.parametrize("s", UNITS)
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@every_sample
def test_units_of_x(cls, s, kernel, sample):
    skip_unless_it_takes(cls, kernel(1.0))
    X, y, new = data_for(cls, sample=sample)
    expected, found = make(cls, kernel(1.0)).fit(X, y), make(cls, kernel(s)).fit(s * X, y)
    assert_same(outputs(found, s * new), outputs(expected, new))


@every
@pytest.mark.parametrize("s", UNITS)
@every_sample
def test_units_of_x_in_the_linear_kernel(cls, s, sample):
    skip_unless_it_takes(cls, Linear())
    X, y, new = data_for(cls, sample=sample)
    X, new = X + 3, new + 3  # a one-class machine needs the origin outside
    expected, found = make(cls, Linear()).fit(X, y), make(cls, Linear(), k=s**2).fit(s * X, y)
    assert_same(outputs(found, s * new, f=s**2, squared=s**2), outputs(expected, new))


@pytest.mark.parametrize("cls", [cls for cls in ESTIMATORS if is_regressor(cls())])
@pytest.mark.parametrize("s", UNITS)
@every_sample
def test_units_of_y(cls, s, sample):
    X, y, new = data_for(cls, sample=sample)
    expected, found = make(cls, RBF(0.7)).fit(X, y), make(cls, RBF(0.7), y=s).fit(X, s * y)
    assert_same(outputs(found, new), outputs(expected, new), y=s)


@pytest.mark.parametrize("cls", [cls for cls in ESTIMATORS if hasattr(cls, "path")])
@pytest.mark.parametrize("kernel", [RBF(0.7), 1e4 * Linear()], ids=repr)
@pytest.mark.parametrize("chosen", [1e-12, 1e-3, 10.0])
@every_sample
def test_predict_is_the_path_at_what_was_chosen(cls, kernel, chosen, sample):
    X, y, new = data_for(cls, sample=sample)
    model = make(cls, kernel).set_params(alphas=[chosen]).fit(X, y)
    assert_array_equal(model.path(new)[0], model.predict(new))


@every
@every_sample
def test_order_and_copies_at_half_weight_change_nothing(cls, sample):
    if "sample_weight" not in inspect.signature(cls.fit).parameters or "Cs" in parameters(cls):
        pytest.skip("it takes no weights, or chooses by what is left out")
    X, y, new = data_for(cls, sample=sample)
    unfitted = make(cls, RBF("scale"))
    if "alphas" in parameters(cls):
        unfitted.set_params(alphas=[0.1])  # with several it chooses by what is left out
    model = clone(unfitted).fit(X, y)
    order, twice = np.random.default_rng(2).permutation(len(X)), np.repeat(np.arange(len(X)), 2)
    for rows, weight in ((order, None), (twice, np.full(len(twice), 0.5))):
        other = clone(unfitted).fit(X[rows], None if y is None else y[rows], sample_weight=weight)
        assert_same(outputs(other, new), outputs(model, new))

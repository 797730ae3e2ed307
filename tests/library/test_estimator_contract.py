"""What every estimator promises beside its numbers: a fit is whole, f is a function, names of columns are kept."""

import inspect
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import kernelbook
from kernelbook import RBF, ConformalKernel, Kernel, Linear, Nystroem
from tests.library.estimators import (
    ESTIMATORS,
    METHODS,
    assert_same,
    data_for,
    every,
    every_expansion,
    every_unchoosy,
    make,
    outputs,
    parameters,
)


def test_estimators_are_found():
    exported = {value for value in vars(kernelbook).values() if inspect.isclass(value) and hasattr(value, "fit")}
    assert set(ESTIMATORS) >= {value for value in exported if not issubclass(value, Kernel)}
    assert len(ESTIMATORS) >= 6


class Interrupted:
    """Within it, the n-th call of a function of the library raises KeyboardInterrupt."""

    def __init__(self, n):
        self.left, self.raised = n, False

    def __enter__(self):
        sys.setprofile(self._count)

    def __exit__(self, kind, error, trace):
        sys.setprofile(None)
        self.raised = kind is KeyboardInterrupt
        return self.raised

    def _count(self, frame, event, _):
        if event == "call" and "/kernelbook/" in frame.f_code.co_filename.replace("\\", "/"):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt


@every
def test_an_interrupted_fit_leaves_the_estimator_as_it_was(cls):
    (X, y, new), (other, other_y, _) = data_for(cls), data_for(cls, n=30, seed=1)
    fitted, unfitted = make(cls, RBF("scale")).fit(X, y), make(cls, RBF("scale"))
    before, said = dict(vars(fitted)), outputs(fitted, new)
    interrupted = 0
    for n in range(1, 400, 7):
        attempt = Interrupted(n)
        with attempt:
            fitted.fit(other, other_y)
        if not attempt.raised:
            break
        interrupted += 1
        assert vars(fitted).keys() == before.keys()
        assert all(value is before[name] for name, value in vars(fitted).items())
        for name, value in said.items():
            assert_array_equal(getattr(fitted, name)(new), value)
        attempt = Interrupted(n)
        with attempt:
            unfitted.fit(X, y)
        if not attempt.raised:  # it takes fewer calls than the other
            break
        with pytest.raises(NotFittedError):
            next(getattr(unfitted, name) for name in METHODS if hasattr(unfitted, name))(new)
    assert interrupted >= 3


@every
def test_a_fit_that_raises_leaves_the_estimator_as_it_was(cls):
    X, y, new = data_for(cls)
    fitted, holes = make(cls, RBF(0.7)).fit(X, y), X.copy()
    holes[3, 1] = np.nan
    before, said = dict(vars(fitted)), outputs(fitted, new)
    for bad, bad_y in ((holes, y), (X[:, 0], y), (X, None if y is None else y[:-1]), (np.zeros((0, 2)), None)):
        if bad is X and y is None:
            continue
        with pytest.raises(ValueError):  # noqa: PT011, other tests read the words
            fitted.fit(bad, bad_y)
        assert all(value is before[name] for name, value in vars(fitted).items())
    assert_same(outputs(fitted, new), said)


@every_unchoosy
def test_a_refit_leaves_nothing_of_the_last_fit(cls):
    """One estimator fits in turn a table with names, lists, a table of several classes or targets, and an array."""
    X, y, new = data_for(cls)
    several, several_y, _ = data_for(cls, several=True)

    def of_lists(A, B):
        return RBF(0.7)(np.array(A), np.array(B))

    model = make(cls, RBF(0.7))
    for kernel, objects, targets, asked in (
        (RBF(0.7), pd.DataFrame(X, columns=["a", "b"]), y, pd.DataFrame(new, columns=["a", "b"])),
        (of_lists, X.tolist(), y, new.tolist()),
        (RBF(0.7), several, several_y, new),
        (RBF(0.7), X, y, new),
    ):
        fresh = make(cls, kernel).fit(objects, targets)
        model.set_params(**fresh.get_params(deep=False)).fit(objects, targets)
        assert vars(model).keys() == vars(fresh).keys()
        for name, value in outputs(fresh, asked).items():
            assert_array_equal(getattr(model, name)(asked), value)


@every
def test_what_is_changed_in_X_after_a_fit_changes_nothing(cls):
    X, y, new = data_for(cls)
    model = make(cls, RBF(0.7)).fit(X, y)
    said = outputs(model, new)
    X[:] = 7
    assert_same(outputs(model, new), said)


def values_of(model, new):
    """f(x), without an intercept, as (m, functions); the decisions of all pairs for several classes."""
    model = getattr(model, "best_estimator_", model)
    if hasattr(model, "_decisions"):
        return model._decisions(new) - model.intercept_
    if hasattr(model, "score_samples"):
        return model.score_samples(new)[:, None]
    if hasattr(model, "transform"):
        return model.transform(new) - getattr(model, "intercept_", 0.0)
    values = getattr(model, "decision_function", model.predict)(new)
    return (values - getattr(model, "intercept_", 0.0)).reshape(len(new), -1)


@every_expansion
@pytest.mark.parametrize("several", [False, True])
def test_a_fitted_model_gives_its_function(cls, several):
    X, y, new = data_for(cls, several=several)
    for kernel in RBF("scale"), Linear():
        model = make(cls, kernel).fit(X, y)
        functions, expected = model.rkhs_function(), values_of(model, new)
        functions = functions if isinstance(functions, list) else [functions]
        assert len(functions) == expected.shape[1]
        for f, value in zip(functions, expected.T, strict=True):
            assert_allclose(f(new), value, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@every_expansion
def test_objects_must_be_there_for_a_function(cls):
    X, y, _ = data_for(cls)
    with pytest.raises(NotFittedError):
        make(cls, RBF(1.0)).rkhs_function()
    with pytest.raises(ValueError, match=r"kernel must be a Kernel or a function for [fq] to be evaluated, got 'prec"):
        make(cls, "precomputed").fit(RBF(1.0)(X), y).rkhs_function()


@every_expansion
@pytest.mark.parametrize("several", [False, True])
def test_a_linear_kernel_gives_the_weights_of_the_features(cls, several):
    X, y, new = data_for(cls, several=several)
    model = make(cls, Linear()).fit(X, y)
    if isinstance(model.kernel_, ConformalKernel):
        pytest.skip("it learns a kernel of its own, which is not linear")
    assert model.coef_.shape[-1] == 2
    assert_allclose(new @ np.atleast_2d(model.coef_).T, values_of(model, new), atol=1e-9 * np.abs(X).max())
    assert not hasattr(make(cls, RBF(1.0)).fit(X, y), "coef_")
    with pytest.raises(AttributeError, match=r"^coef_ is available only if the kernel is Linear\(\)\.$"):
        make(cls, RBF(1.0)).fit(X, y).coef_  # noqa: B018
    with pytest.raises(NotFittedError):  # an AttributeError too
        make(cls, Linear()).coef_  # noqa: B018
    assert not hasattr(make(cls, Linear()), "coef_")


@every
def test_names_of_columns_are_kept_and_asked_for(cls):
    X, y, new = data_for(cls)
    frame, other = pd.DataFrame(X, columns=["a", "b"]), pd.DataFrame(new, columns=["a", "b"])
    model = make(cls, RBF(0.7)).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.n_features_in_ == 2
    assert_same(outputs(model, other), outputs(make(cls, RBF(0.7)).fit(X, y), new))
    method = next(getattr(model, name) for name in METHODS if hasattr(model, name))
    with pytest.raises(ValueError, match="feature names should match"):
        method(other[["b", "a"]])
    if hasattr(model, "rkhs_function"):
        functions = model.rkhs_function()
        f = functions[0] if isinstance(functions, list) else functions
        assert_array_equal(f(other), f(new))
        with pytest.raises(ValueError, match=r"X must have the columns \['a', 'b'\] in this order, got \['b', 'a'\]"):
            f(other[["b", "a"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        method(new)
    assert not hasattr(model.fit(X, y), "feature_names_in_")


@every
def test_a_kernel_is_shown_as_its_formula(cls):
    kernel = RBF(1.0) + 0.5 * Linear()
    if "kernel" in parameters(cls):
        assert repr(cls()) == f"{cls.__name__}()"
        assert repr(cls(kernel=kernel)) == f"{cls.__name__}(kernel=RBF(gamma=1.0) + 0.5 * Linear())"
    elif "kernels" in parameters(cls):
        assert repr(cls([kernel])) == f"{cls.__name__}(kernels=[RBF(gamma=1.0) + 0.5 * Linear()])"
    else:
        assert (
            repr(cls(Nystroem(kernel))) == f"{cls.__name__}(features=Nystroem(kernel=RBF(gamma=1.0) + 0.5 * Linear()))"
        )


@every
def test_true_is_no_number(cls):
    defaults = {name: parameter.default for name, parameter in parameters(cls).items()}
    numbers = [name for name, value in defaults.items() if type(value) in (int, float) and name != "cv"]
    numbers += [name for name in ("cache_size", "n_components") if name in defaults]
    if not numbers:
        pytest.skip("it takes lists of numbers only")
    X, y, _ = data_for(cls)
    model = make(cls, RBF(0.7))
    for name in numbers:
        with pytest.raises(ValueError, match=f"^{name} must be a number, got True"):
            clone(model).set_params(**{name: True}).fit(X, y)

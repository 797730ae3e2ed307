"""Laws that every estimator keeps: none is named here, and one that is added to the library is tested too."""

import inspect
import pkgutil
import sys
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, is_classifier, is_outlier_detector, is_regressor
from sklearn.exceptions import NotFittedError

import kernelbook
from kernelbook import RBF, Kernel, Laplacian, Linear, Polynomial

UNITS = [1e-8, 1e-3, 1e3, 1e8]
METHODS = ("predict", "decision_function", "score_samples", "transform", "path")


def public_classes():
    for module in pkgutil.walk_packages(kernelbook.__path__, "kernelbook."):
        for name, value in vars(import_module(module.name)).items():
            if inspect.isclass(value) and value.__module__.startswith("kernelbook.") and not name.startswith("_"):
                yield value


ESTIMATORS = sorted(
    {
        found
        for found in public_classes()
        if issubclass(found, BaseEstimator)
        and hasattr(found, "fit")
        and not issubclass(found, Kernel)
        and not inspect.isabstract(found)
    },
    key=lambda found: found.__name__,
)
every = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)


def parameters(cls):
    return inspect.signature(cls).parameters


VARIANTS = [
    pytest.param(cls, solver, id=f"{cls.__name__}-{solver}" if solver else cls.__name__)
    for cls in ESTIMATORS
    for solver in (["smo", "interior_point"] if "solver" in parameters(cls) else [None])
]
every_solver = pytest.mark.parametrize(("cls", "solver"), VARIANTS)


def make(cls, kernel, k=1.0, y=1.0, solver=None):
    """The estimator with this kernel, where k(x, x') is given in units of `k`, and y in units of `y`."""
    carries = {"C": 10.0, "Cs": np.array([1.0, 10.0]), "alpha": 0.1, "alphas": np.array([1e-3, 0.1]), "epsilon": 0.1}
    units = {"C": 1 / k, "Cs": 1 / k, "alpha": k, "alphas": k, "epsilon": y}
    if "epsilon" in parameters(cls):  # C is the price of an error in units of y
        units |= {"C": y / k, "Cs": y / k}
    values = {name: value * units[name] for name, value in carries.items()}
    tol = 1e-9 * (y if "epsilon" in parameters(cls) else 1)
    values |= {"kernel": kernel, "kernels": [kernel], "tol": tol, "nu": 0.6, "n_components": 3}
    values |= {"solver": solver} if solver else {}
    return cls(**{name: value for name, value in values.items() if name in parameters(cls)})


def draw(cls, n=40, classes=2, seed=0):
    """Objects, what is to be learned of them, new objects."""
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(n, 2)), rng.normal(size=(15, 2))
    t = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)
    if is_classifier(cls()):
        return X, np.digitize(t, np.quantile(t, np.arange(1, classes) / classes)), new
    return X, t if is_regressor(cls()) else None, new


def outputs(model, new, f=1.0, squared=1.0):
    """What the model says of new objects, with a one-class f given in units of `f`, features in those of √squared."""
    said = {name: getattr(model, name)(new) for name in METHODS if hasattr(model, name)}
    if is_outlier_detector(model):
        said |= {name: said[name] / f for name in ("decision_function", "score_samples") if name in said}
    if "transform" in said:
        said["transform"] = said["transform"] / np.sqrt(squared)
    return said


def assert_same(found, expected, y=1.0):
    assert found.keys() == expected.keys() != set()
    for name, value in expected.items():
        if name == "predict" and np.asarray(value).dtype.kind != "f":
            assert_array_equal(found[name], value)
        else:
            assert_allclose(found[name] / y, value, rtol=1e-5, atol=1e-6 * np.abs(value).max())


def test_estimators_are_found():
    exported = {value for value in vars(kernelbook).values() if inspect.isclass(value) and hasattr(value, "fit")}
    assert set(ESTIMATORS) >= {value for value in exported if not issubclass(value, Kernel)}
    assert len(ESTIMATORS) >= 6


@every_solver
@pytest.mark.parametrize("s", UNITS)
@pytest.mark.parametrize("classes", [2, 3])
def test_units_of_the_kernel(cls, solver, s, classes):
    if classes > 2 and not is_classifier(cls()):
        pytest.skip("only a classifier has classes")
    X, y, new = draw(cls, classes=classes)
    for kernel in RBF(0.7), Linear() + Polynomial(2):
        expected = make(cls, kernel, solver=solver).fit(X, y)
        found = make(cls, s * kernel, k=s, solver=solver).fit(X, y)
        assert_same(outputs(found, new, f=s, squared=s), outputs(expected, new))


@every_solver
@pytest.mark.parametrize("s", [2.0**-40, 2.0**40])
def test_powers_of_two_change_not_even_the_rounding(cls, solver, s):
    X, y, new = draw(cls)
    X[20:] = X[:20] + 1e-5  # pairs along which the objective is all but flat
    expected = make(cls, RBF(0.7), solver=solver).fit(X, y)
    found = make(cls, s * RBF(0.7), k=s, solver=solver).fit(X, y)
    assert_array_equal(getattr(found, "n_iter_", 0), getattr(expected, "n_iter_", 0))
    for name, value in outputs(expected, new).items():
        assert_allclose(outputs(found, new, f=s, squared=s)[name], value, rtol=1e-9)


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
def test_units_of_x(cls, s, kernel):
    X, y, new = draw(cls)
    expected, found = make(cls, kernel(1.0)).fit(X, y), make(cls, kernel(s)).fit(s * X, y)
    assert_same(outputs(found, s * new), outputs(expected, new))


@every
@pytest.mark.parametrize("s", UNITS)
def test_units_of_x_in_the_linear_kernel(cls, s):
    X, y, new = draw(cls)
    X, new = X + 3, new + 3  # a one-class machine needs the origin outside
    expected, found = make(cls, Linear()).fit(X, y), make(cls, Linear(), k=s**2).fit(s * X, y)
    assert_same(outputs(found, s * new, f=s**2, squared=s**2), outputs(expected, new))


@every
@pytest.mark.parametrize("s", UNITS)
def test_units_of_y(cls, s):
    if not is_regressor(cls()):
        pytest.skip("y has no units")
    X, y, new = draw(cls)
    expected, found = make(cls, RBF(0.7)).fit(X, y), make(cls, RBF(0.7), y=s).fit(X, s * y)
    assert_same(outputs(found, new), outputs(expected, new), y=s)


@every
@pytest.mark.parametrize("kernel", [RBF(0.7), 1e4 * Linear()], ids=repr)
@pytest.mark.parametrize("chosen", [1e-12, 1e-3, 10.0])
def test_predict_is_the_path_at_what_was_chosen(cls, kernel, chosen):
    if not hasattr(cls, "path"):
        pytest.skip("no path")
    X, y, new = draw(cls)
    model = make(cls, kernel).set_params(alphas=[chosen]).fit(X, y)
    assert_array_equal(model.path(new)[0], model.predict(new))


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
    (X, y, new), (other, other_y, _) = draw(cls), draw(cls, n=30, seed=1)
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
        with Interrupted(n):
            unfitted.fit(X, y)
        with pytest.raises(NotFittedError):
            next(getattr(unfitted, name) for name in METHODS if hasattr(unfitted, name))(new)
    assert interrupted >= 3


@every
def test_a_fit_that_raises_leaves_the_estimator_as_it_was(cls):
    X, y, new = draw(cls)
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


@every
def test_what_is_changed_in_X_after_a_fit_changes_nothing(cls):
    X, y, new = draw(cls)
    model = make(cls, RBF(0.7)).fit(X, y)
    said = outputs(model, new)
    X[:] = 7
    assert_same(outputs(model, new), said)


@every
@pytest.mark.parametrize("classes", [2, 3])
def test_order_and_copies_at_half_weight_change_nothing(cls, classes):
    if "sample_weight" not in inspect.signature(cls.fit).parameters or cls.__name__.endswith("CV"):
        pytest.skip("it takes no weights, or chooses by what is left out")
    X, y, new = draw(cls, classes=classes)
    model = make(cls, RBF("scale")).fit(X, y)
    order, twice = np.random.default_rng(2).permutation(len(X)), np.repeat(np.arange(len(X)), 2)
    for rows, weight in ((order, None), (twice, np.full(len(twice), 0.5))):
        other = make(cls, RBF("scale")).fit(X[rows], None if y is None else y[rows], sample_weight=weight)
        assert_same(outputs(other, new), outputs(model, new))


def values_of(model, new):
    """f(x), without an intercept, as (m, functions); the decisions of all pairs for several classes."""
    model = getattr(model, "best_estimator_", model)
    if hasattr(model, "_decisions"):
        return model._decisions(new) - model.intercept_
    said = model.score_samples(new) if hasattr(model, "score_samples") else model.predict(new)
    return said.reshape(len(new), -1)


@every
@pytest.mark.parametrize("several", [False, True])
def test_a_fitted_model_gives_its_function(cls, several):
    X, y, new = draw(cls, classes=3 if several else 2)
    if several and is_regressor(cls()):
        y = np.column_stack([y, X[:, 0]])
    for kernel in RBF("scale"), Linear():
        model = make(cls, kernel).fit(X, y)
        functions, expected = model.rkhs_function(), values_of(model, new)
        functions = functions if isinstance(functions, list) else [functions]
        assert len(functions) == expected.shape[1]
        for f, value in zip(functions, expected.T, strict=True):
            assert_allclose(f(new), value, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@every
def test_objects_must_be_there_for_a_function(cls):
    X, y, _ = draw(cls)
    with pytest.raises(NotFittedError):
        make(cls, RBF(1.0)).rkhs_function()
    with pytest.raises(ValueError, match="kernel must be a Kernel or a function for f to be evaluated, got 'prec"):
        make(cls, "precomputed").fit(RBF(1.0)(X), y).rkhs_function()


@every
@pytest.mark.parametrize("several", [False, True])
def test_a_linear_kernel_gives_the_weights_of_the_features(cls, several):
    X, y, new = draw(cls, classes=3 if several else 2)
    if several and is_regressor(cls()):
        y = np.column_stack([y, X[:, 0]])
    model = make(cls, Linear()).fit(X, y)
    assert model.coef_.shape[-1] == 2
    assert_allclose(new @ np.atleast_2d(model.coef_).T, values_of(model, new), atol=1e-9 * np.abs(X).max())
    assert not hasattr(make(cls, RBF(1.0)).fit(X, y), "coef_")
    with pytest.raises(NotFittedError):  # an AttributeError too
        make(cls, Linear()).coef_  # noqa: B018
    assert not hasattr(make(cls, Linear()), "coef_")


@every
def test_names_of_columns_are_kept_and_asked_for(cls):
    X, y, new = draw(cls)
    frame, other = pd.DataFrame(X, columns=["a", "b"]), pd.DataFrame(new, columns=["a", "b"])
    model = make(cls, RBF(0.7)).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.n_features_in_ == 2
    assert_same(outputs(model, other), outputs(make(cls, RBF(0.7)).fit(X, y), new))
    method = next(getattr(model, name) for name in METHODS if hasattr(model, name))
    with pytest.raises(ValueError, match="feature names should match"):
        method(other[["b", "a"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        method(new)
    assert not hasattr(model.fit(X, y), "feature_names_in_")


@every
def test_a_kernel_is_shown_as_its_formula(cls):
    kernel = RBF(1.0) + 0.5 * Linear()
    if "kernel" in parameters(cls):
        assert repr(cls()) == f"{cls.__name__}()"
        assert repr(cls(kernel)) == f"{cls.__name__}(kernel=RBF(gamma=1.0) + 0.5 * Linear())"
    else:
        assert repr(cls([kernel])) == f"{cls.__name__}(kernels=[RBF(gamma=1.0) + 0.5 * Linear()])"

"""Every estimator of the library, found and not named, with what tests need of it: parameters, data, what it says."""

import inspect
import pkgutil
from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, is_classifier, is_outlier_detector, is_regressor
from sklearn.utils import get_tags

import kernelbook
from kernelbook import (
    RBF,
    ExactFeatures,
    Kernel,
    KernelRidge,
    KernelRidgeCV,
    Laplacian,
    Linear,
    Nystroem,
    RandomFeatures,
)
from kernelbook.base.estimator import KernelEstimator
from kernelbook.kernels.algebra import Scaled, Sum

METHODS = ("predict", "decision_function", "score_samples", "transform", "path")


def public_classes():
    for module in pkgutil.walk_packages(kernelbook.__path__, "kernelbook."):
        for name, value in vars(import_module(module.name)).items():
            if inspect.isclass(value) and value.__module__.startswith("kernelbook.") and not name.startswith("_"):
                yield value


class InterceptRidge(KernelRidge):
    def __init__(self, kernel="rbf", alpha=1.0, *, fit_intercept=True):
        super().__init__(kernel, alpha, fit_intercept=fit_intercept)


class InterceptRidgeCV(KernelRidgeCV):
    def __init__(self, kernel="rbf", alphas=(1e-2, 1.0), *, fit_intercept=True):
        super().__init__(kernel, alphas, fit_intercept=fit_intercept)


class PivotedNystroem(Nystroem):
    def __init__(self, kernel="rbf", n_components=100, *, landmarks="pivoted", random_state=None):
        super().__init__(kernel, n_components, landmarks=landmarks, random_state=random_state)


ESTIMATORS = sorted(
    {
        found
        for found in public_classes()
        if issubclass(found, BaseEstimator)
        and hasattr(found, "fit")
        and not issubclass(found, Kernel)
        and not inspect.isabstract(found)
    }
    | {InterceptRidge, InterceptRidgeCV, PivotedNystroem},
    key=lambda found: found.__name__,
)
every = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
# Those that take a few kernels only, with one that they take.
CHOOSY = {RandomFeatures: RBF(0.7), ExactFeatures: Linear()}
UNCHOOSY = [cls for cls in ESTIMATORS if cls not in CHOOSY]
every_unchoosy = pytest.mark.parametrize("cls", UNCHOOSY, ids=lambda cls: cls.__name__)
EXPANSIONS = [cls for cls in ESTIMATORS if issubclass(cls, KernelEstimator)]
every_expansion = pytest.mark.parametrize("cls", EXPANSIONS, ids=lambda cls: cls.__name__)


def parameters(cls):
    return inspect.signature(cls).parameters


VARIANTS = [
    pytest.param(cls, solver, id=f"{cls.__name__}-{solver}" if solver else cls.__name__)
    for cls in ESTIMATORS
    for solver in (sorted(cls._parameter_constraints["solver"][0].options) if "solver" in parameters(cls) else [None])
]
every_solver = pytest.mark.parametrize(("cls", "solver"), VARIANTS)


def takes(cls, kernel):
    """Whether the estimator takes this kernel, if it is an RBF, a linear one, or made of such kernels and others."""
    if isinstance(kernel, Sum):
        return takes(cls, kernel.left) and takes(cls, kernel.right)
    if isinstance(kernel, Scaled):
        return takes(cls, kernel.kernel)
    return isinstance(kernel, {RandomFeatures: (RBF, Laplacian), ExactFeatures: Linear}.get(cls, object))


def skip_unless_it_takes(cls, kernel):
    if not takes(cls, kernel):
        pytest.skip("it takes other kernels only")


def make(cls, kernel, k=1.0, y=1.0, solver=None):
    """The estimator with this kernel, where k(x, x') is given in units of `k`, and y in units of `y`.

    An estimator that does not take the kernel gets one that it takes.
    """
    kernel = kernel if isinstance(kernel, str) or takes(cls, kernel) else CHOOSY[cls]
    carries = {"C": 10.0, "Cs": np.array([1.0, 10.0]), "alpha": 0.1, "alphas": np.array([1e-3, 0.1])}
    carries |= {"epsilon": 0.1, "epsilons": np.array([0.01, 0.1])}
    units = {"C": 1 / k, "Cs": 1 / k, "alpha": k, "alphas": k, "epsilon": y, "epsilons": y}
    if is_regressor(cls()):  # C is the price of an error in units of y
        units |= {"C": y / k, "Cs": y / k}
    if hasattr(cls, "inverse_transform"):  # the ridge there is a share of the largest eigenvalue
        units |= {"alpha": 1.0}
    values = {name: value * units[name] for name, value in carries.items()}
    values |= {"kernel": kernel, "kernels": [kernel], "tol": 1e-9, "nu": 0.6, "n_components": 3, "random_state": 0}
    values |= {"features": Nystroem(kernel, 200)}  # with all objects as landmarks, their order does not matter
    values |= {"solver": solver} if solver else {}
    return cls(**{name: value for name, value in values.items() if name in parameters(cls)})


CLASSES = {"three classes": 3, "twelve classes": 12}
every_sample = pytest.mark.parametrize("sample", ["normal", "one far object", "heavy tails", *CLASSES])


def data_for(cls, n=40, seed=0, sample="normal", several=False):
    """Objects, their labels or target, new objects; with `several`, three classes, or two targets where they may be."""
    classes = 3 if several else 2
    if sample in CLASSES:
        classes = CLASSES[sample]
        n = max(n, 10 * classes)
        if not is_classifier(cls()):
            pytest.skip("only a classifier has classes")
    rng = np.random.default_rng(seed)
    numbers = rng.standard_cauchy if sample == "heavy tails" else rng.normal
    X, new = numbers(size=(n, 2)), numbers(size=(15, 2))
    t = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)
    if sample == "twelve classes":  # as many directions: of classes that overlap, some pair would leave NuSVC no margin
        t = np.arctan2(X[:, 1], X[:, 0])
    if sample == "one far object":
        X[7] *= 1e3
    if is_classifier(cls()):
        return X, np.digitize(t, np.quantile(t, np.arange(1, classes) / classes)), new
    if several and get_tags(cls()).target_tags.multi_output:
        t = np.column_stack([t, X[:, 0]])
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

"""What all estimators share: the new objects they refuse, and what they say when memory or numbers do not suffice."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from kernelbook import (
    MKLSVC,
    RBF,
    SVC,
    SVCCV,
    SVRCV,
    KernelPCA,
    KernelRidge,
    KernelRidgeCV,
    Laplacian,
    Linear,
    NuSVC,
    OneClassSVM,
    Polynomial,
)

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
    monkeypatch.setattr("kernelbook.base.training.free_memory", lambda: 3 * 10**8)
    with pytest.raises(MemoryError, match=r"of 10000 objects takes 0\.8 GB, and 0\.3 GB of memory are free"):
        KernelRidge(lambda X, Y: pytest.fail("computed")).fit(np.zeros((10**4, 1)), np.zeros(10**4))


@ESTIMATORS
def test_memory_for_the_copy_of_a_matrix_is_asked_for(estimator, monkeypatch):
    monkeypatch.setattr("kernelbook.base.training.free_memory", lambda: 8 * 30**2 - 1)
    with pytest.raises(MemoryError, match="Gram matrix of 30 objects"):
        estimator("precomputed").fit(np.eye(30), np.arange(30) % 2)
    estimator("precomputed").fit(np.eye(29), np.arange(29) % 2)


@ESTIMATORS
def test_parameters_of_a_kernel_with_a_short_name_can_be_set(estimator):
    model = estimator().set_params(kernel__gamma=0.5)
    assert repr(model.kernel) == "RBF(gamma=0.5)"
    assert repr(model.set_params(kernel="laplacian", kernel__norm=1).kernel) == repr(Laplacian(norm=1))
    mine = RBF(2.0)
    estimator(mine).set_params(kernel__gamma=3.0)
    assert mine.gamma == 3.0  # as in scikit-learn: the kernel that was given
    assert repr(clone(model).kernel) == repr(model.kernel)


def test_a_grid_reaches_into_a_short_name():
    X = np.random.default_rng(0).normal(size=(60, 2))
    search = GridSearchCV(SVC(), {"kernel__gamma": [1e-4, 1.0]}, cv=3).fit(X, (np.abs(X[:, 0]) > 0.7).astype(int))
    assert search.best_params_ == {"kernel__gamma": 1.0}


@ESTIMATORS
@pytest.mark.parametrize("kernel", ["precomputed", np.minimum.outer])
def test_what_has_no_parameters_is_named(estimator, kernel):
    with pytest.raises(ValueError, match="kernel__gamma needs a Kernel to be set in, but kernel is"):
        estimator(kernel).set_params(kernel__gamma=1)


@ESTIMATORS
@pytest.mark.parametrize("name", ["gamma", "degree", "coef0", "kernel_params"])
def test_parameters_of_scikit_learn_that_the_kernel_has_here(estimator, name):
    with pytest.raises(TypeError, match=rf"has no {name}, the kernel has: write .*, for instance") as raised:
        estimator(**{name: 1})
    advised = eval(str(raised.value).split("write ")[1].split(", for instance")[0])
    assert name in (*advised.kernel.get_params(), "kernel_params")
    with pytest.raises(ValueError, match=f"has no {name}, the kernel has: set kernel__{name}"):
        estimator().set_params(**{name: 1})
    with pytest.raises(TypeError, match="unexpected keyword argument 'gama'"):
        estimator(gama=1)


LISTS = pytest.mark.parametrize("estimator", [SVCCV, SVRCV, MKLSVC])


@LISTS
@pytest.mark.parametrize("name", ["gamma", "degree", "coef0", "kernel_params"])
def test_parameters_of_scikit_learn_that_the_kernels_of_a_list_have(estimator, name):
    with pytest.raises(TypeError, match=rf"has no {name}, the kernel has: write .*, for instance") as raised:
        estimator(**{name: 1})
    (kernel,) = eval(str(raised.value).split("write ")[1].split(", for instance")[0]).kernels
    assert name in (*kernel.get_params(), "kernel_params")
    with pytest.raises(
        ValueError, match=f"^{estimator.__name__} has no {name}, the kernels have: set kernels__0__{name}"
    ):
        estimator().set_params(**{name: 1})


@LISTS
def test_parameters_of_the_kernels_of_a_list_can_be_set(estimator):
    mine = [RBF(2.0), "laplacian"]
    model = estimator(mine).set_params(kernels__0__gamma=3.0, kernels__1__norm=1)
    assert repr(model.kernels) == "[RBF(gamma=3.0), Laplacian(norm=1)]"
    assert repr(mine) == "[RBF(gamma=2.0), 'laplacian']"
    assert repr(clone(model)) == repr(model)
    assert repr(estimator().set_params(kernels__0__gamma=0.5).kernels[0]) == "RBF(gamma=0.5)"


@LISTS
def test_a_list_of_kernels_may_be_a_tuple_or_an_array(estimator):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    kernels = [RBF(1.0), "linear"]
    expected = estimator(kernels).fit(X, y).predict(X)
    for same in tuple(kernels), np.array(kernels, dtype=object):
        np.testing.assert_array_equal(estimator(same).fit(X, y).predict(X), expected)
    with pytest.raises(ValueError, match=r"kernels must be a list of kernels, got an array of shape \(20, 20\)\."):
        estimator(RBF(1.0)(X)).fit(X, y)
    with pytest.raises(
        ValueError, match=r"'precomputed' beside others, got \('precomputed', 'rbf'\): take Precomputed"
    ):
        estimator(("precomputed", "rbf")).fit(RBF(1.0)(X), y)


@pytest.mark.parametrize(
    ("wrong", "advised"),
    [
        (lambda: SVC("poly", gamma=0.5, degree=2), "SVC(Polynomial(degree=2, gamma=0.5, coef0=0))"),
        (lambda: SVC(kernel="sigmoid", coef0=1), "SVC(Sigmoid(coef0=1))"),
        (lambda: KernelPCA(2, kernel="laplacian", gamma=3.0), "KernelPCA(kernel=Laplacian(gamma=3.0))"),
        (lambda: SVC(gamma="scale"), "SVC(RBF(gamma=1))"),
        (lambda: SVC("rbf", degree=3), "SVC(RBF(gamma=1))"),
        (lambda: SVC(kernel="linear", gamma=2), "SVC(Linear())"),
        (lambda: KernelRidge("poly", degree=2), "KernelRidge(Polynomial(degree=2))"),
        (lambda: SVCCV(C=[1, 10]), "Cs=[1, 10]"),
        (lambda: SVCCV(C=3), "Cs=[3]"),
        (lambda: SVCCV(C=np.logspace(0, 2, 3)), "Cs=[1.0, 10.0, 100.0]"),
        (lambda: SVC(gamma=np.float64(0.5)), "SVC(RBF(gamma=0.5))"),
        (lambda: SVC(coef0=0), "SVC(Polynomial(coef0=0))"),
        (lambda: KernelRidgeCV(alpha=1), "alphas=[1]"),
        (lambda: SVCCV(kernel=RBF(1.0)), "kernels=[RBF(gamma=1.0)]"),
        (lambda: RBF(sigma=2), "RBF(gamma=1 / (2 * sigma**2))"),
        (lambda: Laplacian(length_scale=2), "Laplacian(gamma=1 / length_scale)"),
    ],
)
def test_what_to_write_keeps_the_values(wrong, advised):
    with pytest.raises(TypeError, match=f"write {re.escape(advised)}"):
        wrong()


@pytest.mark.parametrize("numbers", [3, [1, 10], (0.1, 1)])
def test_numbers_in_the_place_of_a_kernel(numbers):
    alphas = list(numbers) if np.ndim(numbers) else [numbers]
    with pytest.raises(ValueError, match=rf"write KernelRidgeCV\(alphas={re.escape(str(alphas))}\)"):
        KernelRidgeCV(numbers).fit([[0.0], [1.0]], [0.0, 1.0])


class OfPrice(SVC):
    def __init__(self, C=1.0):
        super().__init__(C=C)


class OfAll(SVC):
    def __init__(self, **given):
        super().__init__(RBF(given.pop("gamma")), **given)


def test_subclasses_may_have_parameters_of_their_own():
    X, y = [[0.0], [1.0]], [0, 1]
    assert OfPrice(2.0).fit(X, y).predict(X).tolist() == y
    with pytest.raises(TypeError, match="unexpected keyword argument 'gamma'"):
        OfPrice(gamma=2)
    assert OfAll(gamma=2).kernel.gamma == 2


def test_parameters_of_scikit_learn_that_nothing_here_needs():
    with pytest.raises(TypeError, match="unexpected keyword argument 'probability'"):
        OneClassSVM(probability=True)
    with pytest.raises(TypeError, match=r"SVC has no probability: .*CalibratedClassifierCV\(SVC\(…\)\) makes one"):
        SVC(probability=True)
    with pytest.raises(TypeError, match="KernelPCA has no fit_inverse_transform: inverse_transform needs no such"):
        KernelPCA(fit_inverse_transform=True)


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        (KernelRidge(0.1), "KernelRidge(alpha=0.1)"),
        (KernelRidgeCV(0.1), "KernelRidgeCV(alphas=[0.1])"),
        (SVC(10), "SVC(C=10)"),
        (NuSVC(0.5), "NuSVC(nu=0.5)"),
        (OneClassSVM(0.5), "OneClassSVM(nu=0.5)"),
    ],
)
def test_a_number_in_the_place_of_the_kernel(model, advice):
    with pytest.raises(ValueError, match="kernel comes first in") as raised:
        model.fit(np.eye(2), [0, 1])
    assert f"write {advice}." in str(raised.value)
    eval(advice).fit(np.eye(2), [0, 1])


@ESTIMATORS
def test_a_refit_leaves_what_a_subclass_has_set(estimator):
    class Centred(estimator):
        def fit(self, X, y):
            self.mean_ = np.mean(X, axis=0)
            return super().fit(X - self.mean_, y)

    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    model = Centred(RBF(1.0)).fit(X, y)
    model.note_, first = "mine", model.fit(X, y).predict(X)
    np.testing.assert_array_equal(model.fit(X, y).mean_, X.mean(axis=0))
    np.testing.assert_array_equal(model.predict(X), first)
    assert model.note_ == "mine"


@ESTIMATORS
def test_a_matrix_in_single_precision(estimator):
    X = np.random.default_rng(0).normal(size=(30, 2))
    K = RBF(0.5)(X)
    rough = K.astype(np.float32)
    rough[0, 1] *= 1 + 4e-7
    kept, y = rough.copy(), np.arange(30) % 2
    expected = estimator("precomputed").fit(K, y).predict(K)
    np.testing.assert_allclose(estimator("precomputed").fit(rough, y).predict(rough), expected, atol=1e-4)
    assert (rough == kept).all()


def common(X, Y):
    return [[float(len(set(x) & set(y))) for y in Y] for x in X]


@pytest.mark.parametrize(
    "objects",
    [[{1, 2}, {2, 3, 4}, {4}, {1}], [["a", "b"], ["c"], ["c", "a"], ["d"]], ["ab", "bcd", "d", "a"]],
    ids=["sets", "tokens", "strings"],
)
def test_the_length_of_an_object_is_no_number_of_features(objects):
    for model in (KernelRidge(common), SVC(common), OneClassSVM(common), KernelPCA(2, common), SVCCV([common], cv=2)):
        model.fit(objects, [0, 1, 0, 1])
        assert not hasattr(model, "n_features_in_")
        ask = getattr(model, "predict", None) or model.transform
        np.testing.assert_allclose(ask(objects[:1]), ask(objects)[:1], rtol=1e-12)


def test_a_function_on_rows_keeps_their_number():
    for X in (np.eye(4), pd.DataFrame(np.eye(4))):
        model = SVC(lambda A, B: np.asarray(A) @ np.asarray(B).T).fit(X, [0, 1, 0, 1])
        with pytest.raises(ValueError, match="X has 3 features, but SVC is expecting 4"):
            model.predict(np.eye(4)[:, :3])


def test_one_string_is_no_list_of_strings():
    with pytest.raises(ValueError, match=r"X must be an array or a list, got str: write \['abc'\]"):
        KernelPCA(2, common).fit(["ab", "bcd", "d"]).transform("abc")


def test_a_long_list_of_parameters_is_abbreviated():
    assert (
        repr(KernelRidgeCV(alphas=np.arange(1.0, 51.0)))
        == "KernelRidgeCV(alphas=[1.0, 2.0, 3.0, ..., 48.0, 49.0, 50.0])"
    )


def test_a_search_gives_the_whole_hyperplane():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    search = SVCCV([Linear()], [1.0], cv=2).fit(X, y)
    np.testing.assert_allclose(X @ search.coef_[0] + search.intercept_, search.decision_function(X), atol=1e-12)


def test_the_estimator_of_the_documents_is_one():
    text = (Path(__file__).parents[3] / "docs" / "library.md").read_text(encoding="utf-8")
    names = {}
    exec(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], names)
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = names["KernelMean"](RBF(0.5)).fit(X)
    assert_allclose(model.transform(X)[:, 0], RBF(0.5)(X).mean(axis=1))
    assert clone(model).set_params(kernel__gamma=2.0).kernel.gamma == 2.0
    with pytest.raises(TypeError, match="write KernelMean\\(RBF\\(gamma=2\\)\\)"):
        names["KernelMean"](gamma=2)

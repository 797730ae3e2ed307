"""Kernels given by their values, and what an estimator accepts as a kernel."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF as ProcessRBF
from sklearn.metrics.pairwise import laplacian_kernel, pairwise_kernels, rbf_kernel

from kernelbook import SVC, KernelRidge
from kernelbook.inputs.validation import quoted
from kernelbook.kernels import (
    RBF,
    ChiSquared,
    Columns,
    Constant,
    DirectSum,
    FunctionKernel,
    Laplacian,
    Linear,
    Matern,
    MatrixKernel,
    ObjectKernel,
    Polynomial,
    Precomputed,
    Sigmoid,
    Spectrum,
    as_kernel,
    user_defined,
)
from kernelbook.linalg.gram import gram_matrix

X, Y = np.random.default_rng(0).normal(size=(2, 6, 3))
GRAM = Polynomial(degree=2)(X)
GRAM.flags.writeable = False
WORDS = ["abc", "bcd", "xyz", "aab"]


def common_letters(A, B):
    return [[len(set(a) & set(b)) for b in B] for a in A]


def test_function_kernel_gives_the_functions_values():
    kernel = FunctionKernel(laplacian_kernel)
    assert_array_equal(kernel(X, Y), laplacian_kernel(X, Y))
    assert_allclose(kernel(X), Laplacian(gamma=1 / 3, norm=1)(X), rtol=1e-14)
    assert_array_equal(kernel.diag(X), np.ones(6))


@pytest.mark.parametrize(
    "objects", [WORDS, np.array(WORDS, dtype=object), tuple(WORDS)], ids=["list", "array", "tuple"]
)
def test_function_kernel_takes_objects_of_any_kind(objects):
    kernel = FunctionKernel(common_letters)
    assert_array_equal(kernel(objects, ["a", "z"]), [[1, 0], [0, 0], [0, 1], [1, 0]])
    assert_array_equal(kernel.diag(objects), [3, 3, 3, 2])
    assert_array_equal(kernel.distance(objects), kernel.distance(objects, objects))


def test_function_kernel_joins_the_algebra():
    words = FunctionKernel(common_letters)
    K = np.array(common_letters(WORDS, WORDS), dtype=float)
    assert_allclose((2 * words + words**2)(WORDS), 2 * K + K**2)
    lengths = np.sqrt(K.diagonal())
    assert_allclose(words.normalized()(WORDS), K / np.outer(lengths, lengths), rtol=1e-14)
    assert clone(words).function is common_letters


def test_function_kernel_promises_nothing_and_evens_out_rounding():
    assert FunctionKernel(rbf_kernel).psd is False
    K = FunctionKernel(lambda A, B: GRAM + 1e-14 * np.triu(np.ones((6, 6)), 1))(X)
    assert_array_equal(K, K.T)


@pytest.mark.parametrize("kernel", [FunctionKernel(lambda A, B: GRAM), Precomputed(GRAM)], ids=["function", "matrix"])
def test_the_callers_matrix_is_not_written_to(kernel):
    items = np.arange(6)
    assert_allclose((3 * kernel)(items, items), 3 * GRAM)
    assert_allclose((kernel * kernel)(items), GRAM**2)
    assert_allclose(kernel.exp()(items), np.exp(GRAM))


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda A, B: np.ones((1, 2)), ValueError, r"function must return.*shape \(6, 6\), got \(1, 2\)"),
        (lambda A, B: np.ones((6, 6, 1)), ValueError, r"function.*\(6, 6\)"),
        (lambda A, B: np.ones(6), ValueError, r"function.*\(6, 6\)"),
        (lambda A, B: 1.0, ValueError, r"function.*\(6, 6\), got \(\)\. It takes all objects: \[\[k\(x, y\)"),
        (lambda A, B: None, ValueError, r"function.*\(6, 6\), got \(\)\.$"),
        (lambda A, B: np.arange(36.0).reshape(6, 6), ValueError, r"function's block.*symmetric.*= 5 .*= 30"),
        (lambda A, B: np.full((6, 6), np.nan), ValueError, r"function's block contains NaN"),
        (lambda A, B: np.full((6, 6), np.inf), ValueError, r"function's block contains infinity"),
        (lambda A, B: sp.csr_array(GRAM), TypeError, r"Sparse data was passed for the function's block"),
        (
            lambda A, B: GRAM + 1j,
            ValueError,
            "^the function's block must hold real numbers: Complex data not supported.$",
        ),
        (lambda A, B: (GRAM + 1j).astype(object), ValueError, "^the function's block must hold real numbers"),
        (lambda A, B: np.full((6, 6), "a"), ValueError, "^the function's block must be an array of numbers: could not"),
    ],
)
def test_function_with_a_bad_block(function, error, message):
    with pytest.raises(error, match=message):
        FunctionKernel(function)(X)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda k: k(X, X[:2]), ValueError, r"shape \(6, 2\), got \(6, 6\)"),
        (lambda k: k.diag(X[:2]), ValueError, r"shape \(2, 2\), got \(6, 6\)"),
        (lambda k: k([]), ValueError, "X must hold at least one object, got none"),
        (lambda k: k(X, []), ValueError, "Y must hold at least one object, got none"),
        (lambda k: k({1, 2}), ValueError, "X must be an array or a list, whose objects have an order, got {1, 2}"),
        (lambda k: k(X, {1: 2}), ValueError, "Y must be an array or a list, whose objects have an order, got {1: 2}"),
        (lambda k: k(None), TypeError, "array-like.*NoneType"),
        (lambda k: FunctionKernel(3)(X), ValueError, r"'function' parameter.*callable. Got 3"),
    ],
)
def test_function_kernel_on_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call(FunctionKernel(lambda A, B: GRAM))


def test_precomputed_looks_values_up():
    kernel = Precomputed(GRAM)
    rows, columns = [3, 0, 3], np.array([5, 1], dtype=np.uint8)
    assert_array_equal(kernel(rows, columns), GRAM[np.ix_(rows, columns)])
    assert_array_equal(kernel(rows), GRAM[np.ix_(rows, rows)])
    assert_array_equal(kernel.diag(rows), GRAM.diagonal()[rows])
    assert_array_equal(kernel(range(6)), GRAM)
    assert_allclose(kernel.distance(range(6)), Polynomial(degree=2).distance(X), rtol=1e-12)
    assert_array_equal(Precomputed(GRAM.tolist())([0, 1]), GRAM[:2, :2])


def test_precomputed_checks_its_matrix_once(monkeypatch):
    calls = []
    monkeypatch.setattr(user_defined, "gram_matrix", lambda K, name: calls.append(name) or gram_matrix(K, name))
    kernel = Precomputed(GRAM)
    for _ in range(3):
        kernel([0, 1], [2])
        kernel.distance([0, 1])
    assert calls == ["K"]
    copied = clone(kernel)
    assert copied.K is GRAM
    copied([0])
    assert calls == ["K"]
    kernel.set_params(K=2 * GRAM)
    assert_array_equal(kernel([0]), 2 * GRAM[:1, :1])
    assert calls == ["K", "K"]


def test_precomputed_in_an_estimator_copies_no_matrix():
    fitted = KernelRidge(Precomputed(GRAM)).fit(range(6), range(6))
    assert fitted.kernel_.K is GRAM


def test_precomputed_promises_nothing_and_its_repr_stays_short():
    kernel = Precomputed(GRAM)
    assert kernel.psd is False
    assert repr(2 * kernel) == "2 * Precomputed(K: 6 x 6)"
    assert clone(kernel).fit([0])(range(6)).shape == (6, 6)


@pytest.mark.parametrize(
    ("K", "error", "message"),
    [
        (GRAM[:2], ValueError, r"K must be a square Gram matrix.*\(2, 6\)"),
        ([[1, 2], [3, 4]], ValueError, r"K must be symmetric, but K\[0, 1\] = 2 and K\[1, 0\] = 3"),
        ([[1, np.nan], [np.nan, 1]], ValueError, "Input K contains NaN"),
        ([[np.inf]], ValueError, "Input K contains infinity"),
        ([1.0, 2.0], ValueError, "must have a row for each point"),
        (np.zeros((0, 0)), ValueError, r"0 sample\(s\)"),
        (sp.csr_array(GRAM), ValueError, "'K' parameter of Precomputed must be an array-like. Got a csr_array of"),
        (GRAM + 1j, ValueError, "Complex data not supported"),
        ([["a"]], ValueError, "could not convert string to float"),
        (None, ValueError, "'K' parameter of Precomputed must be an array-like. Got None"),
    ],
)
def test_precomputed_with_a_bad_matrix(K, error, message):
    with pytest.raises(error, match=message):
        Precomputed(K)([0])


@pytest.mark.parametrize("items", [[6], [-1], [0.0], [0.5], ["a"], [[0]], [True], [[0], [1]]], ids=repr)
@pytest.mark.parametrize("name", ["X", "Y"])
def test_precomputed_takes_row_numbers_only(items, name):
    arguments = (items,) if name == "X" else ([0], items)
    for compute in Precomputed(GRAM), Precomputed(GRAM).distance, (2 * Precomputed(GRAM)):
        with pytest.raises(ValueError, match=f"{name} must be a list of row numbers of K, integers from 0 to 5, got"):
            compute(*arguments)


@pytest.mark.parametrize("make", [lambda f, p: f + p, lambda f, p: p * f], ids=["right", "left"])
def test_both_parts_of_a_composition_check_their_input(make):
    kernel = make(FunctionKernel(lambda A, B: np.ones((len(A), len(B)))), Precomputed(GRAM))
    assert kernel([0, 5]).shape == (2, 2)
    with pytest.raises(ValueError, match="X must be a list of row numbers of K"):
        kernel([6])


@pytest.mark.parametrize("items", [[], [0, np.nan], 3, None], ids=repr)
def test_precomputed_with_items_that_are_no_list(items):
    with pytest.raises((ValueError, TypeError), match=r"sample|Input X contains NaN|X must be a list of row numbers"):
        Precomputed(GRAM)(items)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("linear", Linear()),
        ("polynomial", Polynomial()),
        ("rbf", RBF("scale")),
        ("laplacian", Laplacian("scale")),
        ("matern", Matern(1.5, "scale")),
    ],
)
def test_as_kernel_of_a_short_name(name, expected):
    kernel = as_kernel(name)
    assert type(kernel) is type(expected)
    assert kernel.get_params() == expected.get_params()
    assert as_kernel(name) is not kernel


def test_as_kernel_leaves_the_callers_kernel_alone():
    mine = RBF() + Linear()
    kernel = as_kernel(mine).fit(X)
    assert kernel is not mine
    assert kernel.formula == mine.formula
    assert hasattr(kernel.left, "gamma_")
    assert not hasattr(mine.left, "gamma_")


@pytest.mark.parametrize(
    "function", [rbf_kernel, ProcessRBF(2.0), lambda A, B: A @ B.T], ids=["def", "object", "lambda"]
)
def test_as_kernel_of_a_function(function):
    kernel = as_kernel(function)
    assert isinstance(kernel, FunctionKernel)
    assert_allclose(kernel(X, Y), function(X, Y))


SAME = {"poly": {"gamma": 1, "coef0": 0, "degree": 3}, "sigmoid": {"gamma": 1, "coef0": 0}}


@pytest.mark.parametrize("name", ["poly", "sigmoid", "cosine", "chi2"])
def test_names_of_scikit_learn_lead_to_ours(name):
    """What the error says to write is evaluated and tried."""
    with pytest.raises(ValueError, match=r"kernel must be written .* here, got scikit-learn's") as raised:
        as_kernel(name)
    said = str(raised.value).split("written ")[1].split(" here")[0]
    names = {"ChiSquared": ChiSquared, "Linear": Linear, "Polynomial": Polynomial, "Sigmoid": Sigmoid}
    kernel, counts = as_kernel(eval(said.split(", or ")[-1], names)), np.abs(X)
    assert_allclose(kernel(counts), pairwise_kernels(counts, metric=name, **SAME.get(name, {})), rtol=1e-12)


@pytest.mark.parametrize("kernel", ["RBF", "", RBF, None, 3, GRAM, dict], ids=lambda k: f"{k!r:.12}")
def test_as_kernel_of_anything_else(kernel):
    names = "'laplacian', 'linear', 'matern', 'polynomial', 'rbf'"
    expected = rf"kernel must be a Kernel such as RBF\(gamma=1\), a function.*{names}"
    with pytest.raises(ValueError, match=expected) as raised:
        as_kernel(kernel)
    assert f" or, in an estimator, 'precomputed', got {quoted(kernel)}" in str(raised.value)
    assert ("write Precomputed(K) for a Gram matrix K" in str(raised.value)) == (np.ndim(kernel) == 2)


def test_as_kernel_of_a_matrix_leads_to_ours():
    with pytest.raises(ValueError, match=r"^kernel='precomputed' is for estimators; write Precomputed\(K\) here, "):
        as_kernel("precomputed")


@pytest.mark.parametrize(
    "objects",
    [
        X,
        WORDS,
        [{1}, set(), {"a"}],
        (("a", 1), ("b", 2)),
        [None, object()],
        pd.DataFrame({"a": [1, 2], "b": ["x", None]}),
        pd.Series(["x", "y"]),
        sp.eye_array(3, format="csr"),
        np.array([[np.nan, 1.0]]),
    ],
    ids=lambda objects: type(objects).__name__,
)
def test_a_constant_takes_objects_of_every_kind(objects):
    n = objects.shape[0] if hasattr(objects, "shape") else len(objects)
    kernel = Constant(0.5)
    assert kernel.psd
    assert kernel.conditionally_psd
    assert_array_equal(kernel(objects), np.full((n, n), 0.5))
    assert_array_equal(kernel(objects, objects[:1]), np.full((n, 1), 0.5))
    assert_array_equal(kernel.fit(objects).diag(objects), np.full(n, 0.5))
    assert_array_equal(kernel.distance(objects), np.zeros((n, n)))
    assert_allclose(kernel.normalized()(objects), np.ones((n, n)), rtol=1e-15)


FRAME = pd.DataFrame({"name": WORDS, "size": [1.0, 2.0, 3.0, 4.0]})
OF_COLUMNS = Columns([("name", Spectrum(1)), (["size"], RBF(1.0))])


@pytest.mark.parametrize(
    ("kernel", "objects"),
    [
        (Spectrum(1), WORDS),
        (RBF(1.0), X),
        (Precomputed(GRAM), [0, 3, 5]),
        (OF_COLUMNS, FRAME),
        (DirectSum(Spectrum(1), RBF(1.0)), [("ab", [1.0]), ("b", [2.0])]),
    ],
    ids=lambda value: value.formula if hasattr(value, "formula") else "",
)
def test_a_number_is_added_to_a_kernel_on_any_objects(kernel, objects):
    expected = kernel(objects) + 0.5
    constants = 0.5 * Constant(), (Constant(2) + 2).normalized() * 0.5
    for made in kernel + 0.5, 0.5 + kernel, *(kernel + constant for constant in constants):
        assert_allclose(made.fit(objects)(objects), expected, rtol=1e-15)
        assert_allclose(made.distance(objects), kernel.distance(objects), rtol=1e-12)
        assert made.psd == kernel.psd
    assert_allclose((kernel * Constant(0.5))(objects), kernel(objects) / 2, rtol=1e-15)


def test_ridge_with_a_constant_has_an_offset():
    """With a constant c the offset costs offset²/c, and is Σ α_i c."""
    x, y = X[:, :1], 3 * X[:, 0] + 50
    for c in 1.0, 1e6:
        model = KernelRidge(Linear() + c, 0.1).fit(x, y)
        offset, slope = model.predict([[0.0]])[0], np.diff(model.predict([[0.0], [1.0]]))[0]
        A = np.column_stack([np.sqrt(c) * np.ones(6), x])
        w = np.linalg.solve(A.T @ A + 0.1 * np.eye(2), A.T @ y)
        assert_allclose([offset, slope], [np.sqrt(c) * w[0], w[1]], rtol=1e-6)


@pytest.mark.parametrize("value", [-1, -1e-300, np.nan, np.inf, "1", None, 1j])
def test_a_constant_is_a_number_that_is_not_negative(value):
    with pytest.raises(ValueError, match=r"'value' parameter of Constant must be a float in the range \[0.0, inf\)"):
        Constant(value)(X)


@pytest.mark.parametrize("objects", ["abc", {"a", "b"}, [], {"a": 1}])
def test_a_constant_wants_a_list_of_objects(objects):
    with pytest.raises(ValueError, match=r"must be an array or a list|at least one object"):
        Constant()(objects)


def made_of(matrix):
    class Own(MatrixKernel):
        def _made(self):
            return matrix

    return Own()


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.arange(9.0).reshape(3, 3), "the matrix of Own must be symmetric"),
        (np.ones((3, 2)), "the matrix of Own must be a square"),
        (np.full((3, 3), np.nan), "Input the matrix of Own contains NaN"),
    ],
)
def test_what_is_no_matrix_of_a_kernel(matrix, message):
    with pytest.raises(ValueError, match=message):
        made_of(matrix)([0, 1])


def test_a_list_is_a_matrix():
    assert_array_equal((made_of([[2, 1], [1, 2]]) + 0.5)([0, 1]), [[2.5, 1.5], [1.5, 2.5]])


def test_a_block_of_another_shape_is_refused():
    class Own(ObjectKernel):
        def _block(self, X, Y):
            return np.ones(len(X))

        def _diag(self, X):
            return np.ones(len(X))

    for compute in (lambda: Own()([1, 2]), lambda: SVC(Own()).fit([1, 2], [0, 1])):
        with pytest.raises(ValueError, match=r"Own\._block must return an array of shape \(2, 2\), got \(2,\)"):
            compute()

"""Laws of every kernel, on random objects of its kind, alone and in random expressions of the algebra."""

import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from kernelbook import ConformalKernel
from kernelbook.kernels import (
    RBF,
    AllSubsets,
    Categorical,
    Columns,
    Completion,
    DirectSum,
    Exponential,
    Kernel,
    Linear,
    Matern,
    MissingValue,
    Normalized,
    Overlap,
    Pairwise,
    Polynomial,
    Power,
    Precomputed,
    Product,
    Radial,
    Scaled,
    SetKernel,
    Spectrum,
    Sum,
    TensorProduct,
    WalkPower,
)
from tests.library.kernels.kinds import KINDS, RING, SOME, NegativeSquaredDistance, expressions
from tests.marks import THOROUGH

every_kind = pytest.mark.parametrize("kind", KINDS)
often = settings(derandomize=True, deadline=None, max_examples=25 if THOROUGH else 8)
ROUNDING = 1e-9


@st.composite
def samples(draw, kind):
    """A kernel fitted to a sample, the sample, and some more objects; where the kernel is defined and not huge."""
    kernel = clone(draw(expressions(kind)))
    X, Y = (draw(st.lists(KINDS[kind][0], min_size=n, max_size=7)) for n in (2, 1))
    with np.errstate(all="ignore"):
        try:
            size = np.abs(kernel.fit(X)(X + Y)).max()
        except ValueError as error:
            assume("needs a finite k(x, x) > 0" not in str(error))
            assume("gives values too large" not in str(error))
            raise
    assume(size < 1e8)
    return kernel, X, Y, max(size, 1e-300)


@every_kind
@often
@given(st.data())
def test_a_gram_matrix_is_symmetric_and_made_of_blocks(kind, data):
    kernel, X, Y, size = data.draw(samples(kind))
    K = kernel(X + Y)
    assert_array_equal(K, K.T)
    n = len(X)
    close = {"rtol": 1e-9, "atol": ROUNDING * size}
    assert_allclose(kernel(X), K[:n, :n], **close)
    assert_allclose(kernel(X, Y), K[:n, n:], **close)
    assert_allclose(kernel(Y, X), K[n:, :n], **close)
    assert_allclose(kernel.diag(X + Y), K.diagonal(), **close)
    assert_allclose(kernel(X[:1], Y[:1]), K[:1, n : n + 1], **close)


@every_kind
@often
@given(st.data())
def test_what_promises_to_be_psd_is(kind, data):
    kernel, X, Y, _ = data.draw(samples(kind))
    assert_promises_hold(kernel, kernel(X + Y))


def assert_promises_hold(kernel, K):
    H, least = np.eye(len(K)) - 1 / len(K), -ROUNDING * len(K) * np.abs(K).max()
    if kernel.psd:
        assert kernel.conditionally_psd
        assert np.linalg.eigvalsh(K)[0] >= least
    if kernel.conditionally_psd:
        assert np.linalg.eigvalsh(H @ K @ H)[0] >= least


C = NegativeSquaredDistance()
PROMISE_LESS = {
    "vectors": [
        C,
        -1 * C,
        C + 0.5 * AllSubsets(),
        Polynomial(2, coef0=-1.0),
        ConformalKernel(C, RBF(1.0), [[0.0, 1.0]], [0.5, 1.0]),
    ],
    "bags": [SetKernel(C), SetKernel(-1 * Linear())],
    "gaps": [MissingValue(C, {0: 0.25, 1: 0.75}), Completion(C, [0, 1]), Completion(-1 * Overlap(), [0, 1])],
    "pairs": [kind(part, Spectrum(1)) for kind in (DirectSum, TensorProduct) for part in (C, -1 * Linear())],
    "tables": [Columns([([0], part), ([1], Overlap())]) for part in (C, -1 * Linear())],
    "nodes": [WalkPower(RING, 1), Precomputed(-np.eye(5))],
}


@every_kind
def test_no_operation_promises_too_much(kind):
    X = SOME[kind]
    kernels = [clone(kernel).fit(X) for kernel in [*KINDS[kind][1], *PROMISE_LESS.get(kind, [])]]
    for one in kernels:
        made = [one, 2 * one, -1 * one, one**2, one**3, one.exp(), one.radial(0.3)]
        made += [kind_of(one, other) for kind_of in (Sum, Product) for other in (kernels[0], -1 * kernels[0])]
        if one.diag(X).min() > 0:
            made += [one.normalized()]
        for kernel in made:
            with np.errstate(over="ignore"):
                K = kernel(X)
            if np.abs(K).max() < 1e8:
                assert_promises_hold(kernel, K)


def value(kernel, X, Y):
    """What the algebra says of two parts' values, from the parts' own blocks."""
    if isinstance(kernel, Sum):
        return value(kernel.left, X, Y) + value(kernel.right, X, Y)
    if isinstance(kernel, Product):
        return value(kernel.left, X, Y) * value(kernel.right, X, Y)
    if isinstance(kernel, Scaled):
        return kernel.factor * value(kernel.kernel, X, Y)
    if isinstance(kernel, Power):
        return value(kernel.kernel, X, Y) ** kernel.exponent
    if isinstance(kernel, Exponential):
        return np.exp(value(kernel.kernel, X, Y))
    if isinstance(kernel, Normalized | Radial):
        x, y = (np.diagonal(value(kernel.kernel, Z, Z)) for Z in (X, Y))
        K = value(kernel.kernel, X, Y)
        if isinstance(kernel, Normalized):
            return K / np.sqrt(np.multiply.outer(x, y))
        return np.exp(-kernel.gamma * (np.add.outer(x, y) - 2 * K))
    if isinstance(kernel, DirectSum | TensorProduct):
        lefts, rights = zip(*X, strict=True), zip(*Y, strict=True)
        (a, b), (c, d) = lefts, rights
        left, right = value(kernel.left, list(a), list(c)), value(kernel.right, list(b), list(d))
        return left + right if isinstance(kernel, DirectSum) else left * right
    return kernel(X, Y)


@every_kind
@often
@given(st.data())
def test_an_expression_has_the_value_of_its_parts(kind, data):
    kernel, X, Y, size = data.draw(samples(kind))
    with np.errstate(all="ignore"):
        expected = value(kernel, X, Y)
    assert_allclose(kernel(X, Y), expected, rtol=1e-7, atol=ROUNDING * max(size, 1))


NAMES = {"likelihood": None}
exec("from kernelbook.kernels import *\nfrom kernelbook import ConformalKernel", NAMES)


def can_be_written(kernel):
    """Whether the formula shows all of the kernel, which a matrix or a function does not let it."""
    return not any(word in kernel.formula for word in ("adjacency:", "K:", "likelihood", "length_at"))


@every_kind
@often
@given(st.data())
def test_what_the_formula_shows_is_the_kernel(kind, data):
    kernel, X, Y, _ = data.draw(samples(kind))
    if can_be_written(kernel):
        again = eval(repr(kernel), NAMES).fit(X)
        assert repr(again) == repr(kernel)
        assert_array_equal(again(X, Y), kernel(X, Y))


@every_kind
def test_copies_are_the_kernel(kind):
    X = SOME[kind]
    for kernel in KINDS[kind][1]:
        fitted = clone(kernel).fit(X)
        for copy in pickle.loads(pickle.dumps(fitted)), clone(kernel).fit(X):
            assert_array_equal(copy(X), fitted(X))
            assert isinstance(copy, Kernel)


@every_kind
def test_input_is_left_as_it_was_and_checked_once_only(kind):
    X = SOME[kind]
    for kernel in KINDS[kind][1]:
        before = pickle.dumps(X)
        kernel = clone(kernel).fit(X)
        K = kernel(X)
        assert pickle.dumps(X) == before
        checked = kernel.check(X)
        assert_array_equal(kernel(checked), K)
        again = kernel.check(checked)
        assert pickle.dumps(again) == pickle.dumps(checked)
        assert again is checked or isinstance(checked, list)  # an array is not copied
        if isinstance(checked, np.ndarray):  # shared between processes, it may not be written to
            checked.setflags(write=False)
            assert_array_equal(kernel(checked), K)
            assert_allclose(kernel(checked, checked), K, rtol=1e-9, atol=ROUNDING * np.abs(K).max())


@pytest.mark.parametrize(
    ("kind", "kernel"),
    [
        ("vectors", RBF() + 0.5 * Matern()),
        ("categories", Categorical()),
        ("gaps", MissingValue(RBF())),
        ("gaps", MissingValue(Categorical())),
        ("gaps", Completion(RBF())),
        ("bags", SetKernel(RBF())),
        ("pairs", DirectSum(RBF(), Spectrum(1))),
        ("tables", Columns([([0], RBF()), ([1], Categorical())])),
        ("pairs of categories", Pairwise(Categorical())),
    ],
    ids=repr,
)
def test_a_weight_is_a_repetition(kind, kernel):
    X = [(x, y) for x in SOME["categories"] for y in ([*"ayu"],)] if kind == "pairs of categories" else SOME[kind]
    weight = [1, 2, 1, 3, 1, 1][: len(X)]
    repeated = [x for x, w in zip(X, weight, strict=True) for _ in range(w)]
    expected = clone(kernel).fit(repeated)(X)
    assert_allclose(clone(kernel).fit(X, sample_weight=weight)(X), expected, rtol=1e-9)
    assert np.abs(clone(kernel).fit(X)(X) / expected - 1).max() > 1e-3

"""The algebra of kernels: values, promises, formulas, parameters."""

from decimal import Decimal

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from kernelbook.kernels import (
    RBF,
    Exponential,
    GeneralLinear,
    Kernel,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Power,
    Product,
    Radial,
    Scaled,
    Sum,
)
from tests.library.kernels.kinds import NegativeSquaredDistance

A, B = Polynomial(degree=2), RBF(gamma=0.3)
X, Y = np.random.default_rng(0).normal(size=(2, 7, 3))


def squared_distance(kernel):
    return kernel.diag(X)[:, None] + kernel.diag(Y) - 2 * kernel(X, Y)


@pytest.mark.parametrize(
    ("kernel", "kind", "expected"),
    [
        (A + B, Sum, lambda: A(X, Y) + B(X, Y)),
        (A * B, Product, lambda: A(X, Y) * B(X, Y)),
        (A + 1, Sum, lambda: A(X, Y) + 1),
        (0.5 + A, Sum, lambda: A(X, Y) + 0.5),
        (A + np.float64(0.5), Sum, lambda: A(X, Y) + 0.5),
        (np.float32(0.5) + A, Sum, lambda: A(X, Y) + 0.5),
        (np.int64(3) + A, Sum, lambda: A(X, Y) + 3),
        (sum([A, B]), Sum, lambda: A(X, Y) + B(X, Y)),
        (2 * A, Scaled, lambda: 2 * A(X, Y)),
        (A * -0.5, Scaled, lambda: -0.5 * A(X, Y)),
        (np.float64(2) * A, Scaled, lambda: 2 * A(X, Y)),
        (A * np.float64(2), Scaled, lambda: 2 * A(X, Y)),
        (np.int64(3) * A, Scaled, lambda: 3 * A(X, Y)),
        (B**1, Power, lambda: B(X, Y)),
        (B**5, Power, lambda: B(X, Y) ** 5),
        (A ** np.int64(2), Power, lambda: A(X, Y) ** 2),
        (B.exp(), Exponential, lambda: np.exp(B(X, Y))),
        (A.normalized(), Normalized, lambda: A(X, Y) / np.sqrt(A.diag(X)[:, None] * A.diag(Y))),
        (A.radial(0.2), Radial, lambda: np.exp(-0.2 * squared_distance(A))),
        (A.radial(), Radial, lambda: np.exp(-squared_distance(A))),
        (B.radial(3), Radial, lambda: np.exp(-3 * squared_distance(B))),
        (Linear().radial(0.4), Radial, lambda: RBF(gamma=0.4)(X, Y)),
    ],
    ids=lambda value: repr(value) if isinstance(value, Kernel) else None,
)
def test_an_operation_acts_on_the_values(kernel, kind, expected):
    assert type(kernel) is kind
    assert_allclose(kernel(X, Y), expected(), rtol=1e-12, atol=1e-300)


C = NegativeSquaredDistance()


@pytest.mark.parametrize("kernel", [C, 2 * C, C + Linear(), 0.5 * C + C], ids=repr)
def test_conditionally_psd_makes_psd_exponential_and_radial(kernel):
    assert not kernel.psd
    assert kernel.conditionally_psd
    assert np.linalg.eigvalsh(kernel(X))[0] < -0.1
    H = np.eye(len(X)) - 1 / len(X)
    assert np.linalg.eigvalsh(H @ kernel(X) @ H)[0] > -1e-12
    for made in kernel.exp(), kernel.radial(0.3):
        assert made.psd
        assert made.conditionally_psd
        assert np.linalg.eigvalsh(made(X))[0] > -1e-12


@pytest.mark.parametrize("make", [lambda k: k * k, lambda k: k**3, lambda k: -1 * k, lambda k: k * Linear()])
def test_conditionally_psd_does_not_survive_products_nor_a_negative_factor(make):
    kernel = make(C)
    assert not kernel.psd
    assert not kernel.conditionally_psd
    H = np.eye(len(X)) - 1 / len(X)
    assert np.linalg.eigvalsh(H @ kernel(X) @ H)[0] < -0.1


@pytest.mark.parametrize(
    "make",
    [
        lambda k: k + Linear(),
        lambda k: Linear() + k,
        lambda k: k * Linear(),
        lambda k: Linear() * k,
        lambda k: 2 * k,
        lambda k: k**2,
        lambda k: k.exp(),
        lambda k: k.normalized(),
        lambda k: k.radial(),
    ],
)
def test_nothing_is_promised_of_a_composition_with_an_indefinite_part(make):
    indefinite = -1 * Linear()
    assert np.linalg.eigvalsh(indefinite(X))[0] < -0.1
    for kernel in indefinite, make(indefinite):
        assert not kernel.psd
        assert not kernel.conditionally_psd


def test_zero_factor_is_psd_and_a_negative_one_gives_no_distance():
    assert (0 * Linear()).psd
    assert_array_equal((0 * Linear())(X), 0)
    with pytest.raises(ValueError, match=r"-1 \* Linear\(\) gives no distance"):
        (-1 * Linear()).distance(X)


def test_nested_parameters():
    kernel = 2 * (RBF(gamma=1.0) + Linear()) ** 2
    inner = "kernel__kernel__left__gamma"
    assert kernel.get_params()[inner] == 1.0
    copy = clone(kernel).set_params(**{inner: 5.0, "factor": 3})
    assert repr(copy) == "3 * (RBF(gamma=5.0) + Linear()) ** 2"
    assert repr(kernel) == "2 * (RBF(gamma=1.0) + Linear()) ** 2"
    assert_allclose(copy(X), 3 * (RBF(gamma=5.0)(X) + Linear()(X)) ** 2)
    with pytest.raises(ValueError, match="Invalid parameter 'width'"):
        kernel.set_params(kernel__width=1)


def test_fit_reaches_every_part_in_place():
    kernel = (RBF() + Linear() * Laplacian("median")).normalized().radial(0.5)
    assert kernel.fit(X) is kernel
    inner = kernel.kernel.kernel
    assert inner.left.gamma_ == RBF().fit(X).gamma_
    assert inner.right.right.gamma_ == Laplacian("median").fit(X).gamma_
    assert not hasattr(clone(kernel).kernel.kernel.left, "gamma_")


@pytest.mark.parametrize(
    "attempt",
    [
        lambda k: k + None,
        lambda k: k + 1j,
        lambda k: "a" + k,
        lambda k: np.ones(3) + k,
        lambda k: k + np.ones(3),
        lambda k: k + Linear,
        lambda k: "a" * k,
        lambda k: k * "a",
        lambda k: 1j * k,
        lambda k: np.ones(3) * k,
        lambda k: k * np.ones(3),
    ],
)
def test_only_kernels_are_added_and_only_numbers_scale(attempt):
    with pytest.raises(TypeError, match=r"Linear|ufunc|Concatenation"):
        attempt(Linear())


@pytest.mark.parametrize("factor", [np.ones(3), np.array(2.0), np.True_, Decimal(2), 1j, None], ids=repr)
def test_the_error_of_a_product_names_the_operands_in_order(factor):
    with pytest.raises(TypeError, match=rf"^unsupported operand .*'.*{type(factor).__name__}.*' and 'Linear'$"):
        factor * Linear()


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: A**2.5, r"'exponent'.*int in the range \[1, inf\).*2\.5"),
        (lambda: A**0, r"'exponent'.*int in the range \[1, inf\).*Got 0"),
        (lambda: A**-1, r"'exponent'.*int in the range \[1, inf\).*Got -1"),
        (lambda: A + -1, r"a number added to a kernel must be finite and >= 0, .* got -1\."),
        (lambda: -0.5 + A, r"a number added to a kernel must be finite and >= 0, .* got -0\.5\."),
        (lambda: A + np.float64("nan"), r"a number added to a kernel must be finite and >= 0, .* got nan\."),
        (lambda: np.inf + A, r"a number added to a kernel must be finite and >= 0, .* got inf\."),
        (lambda: (float("nan") * A)(X), r"'factor'.*range \(-inf, inf\).*nan"),
        (lambda: (np.inf * A)(X), r"'factor'.*range \(-inf, inf\).*inf"),
        (lambda: A.radial(-1)(X), r"'gamma' parameter of Radial.*range \[0.0, inf\).*-1"),
        (lambda: A.radial("scale")(X), r"'gamma' parameter of Radial.*'scale'"),
        (lambda: Sum(A, 3)(X), r"'right' parameter of Sum.*Kernel.*Got 3"),
        (lambda: Scaled(RBF, 2)(X), r"'kernel' parameter of Scaled.*Kernel"),
        (lambda: (2 * RBF(gamma=-1))(X), r"'gamma' parameter of RBF.*-1"),
        (lambda: (A + Polynomial(degree=0)).fit(X), r"'degree' parameter of Polynomial.*Got 0"),
        (lambda: Linear().normalized()([[1.0], [0.0]]), r"k\(x, x\) > 0, but row 1.*= 0"),
        (lambda: Linear().normalized().diag([[1.0], [0.0]]), r"k\(x, x\) > 0, but row 1.*= 0"),
        (
            lambda: (Linear() * GeneralLinear([[1e300]])).normalized()([[1e80], [1.0]]),
            r"finite k\(x, x\) > 0, but row 0.*= inf",
        ),
        (lambda: Linear().normalized()([[1.0]], [[2.0], [0.0]]), r"k\(x, x\) > 0, but column 1.*= 0"),
        (lambda: (-1 * Linear()).normalized()(X), r"k\(x, x\) > 0, but row 0.*= -"),
    ],
)
@np.errstate(over="ignore")
def test_bad_parameters_and_vectors_without_length(attempt, message):
    with pytest.raises(ValueError, match=message):
        attempt()


@pytest.mark.parametrize(
    "kernel", [A + B, B * A, 2 * B, B**2, B.exp(), B.normalized(), B.radial(), A.radial()], ids=repr
)
@pytest.mark.parametrize("columns", [1, 2])
def test_compositions_refuse_blocks_of_different_width(kernel, columns):
    for compute in kernel, kernel.distance:
        with pytest.raises(ValueError, match="same number of columns, but X has 3 and Y has"):
            compute(X, Y[:, :columns])


def test_the_cosines_of_a_conditionally_psd_kernel_are_promised_nothing():
    kernel = NegativeSquaredDistance() + Linear()
    assert kernel.conditionally_psd
    assert not kernel.normalized().conditionally_psd
    assert not kernel.normalized().psd
    assert Linear().normalized().conditionally_psd

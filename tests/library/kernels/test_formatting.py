"""A kernel's repr, evaluated, is the kernel; it shows what `fit` found; a notebook rounds."""

from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from kernelbook import KernelRidge
from kernelbook.kernels import (
    RBF,
    Columns,
    Exponential,
    FunctionKernel,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    MissingValue,
    Normalized,
    Overlap,
    Polynomial,
    Power,
    Precomputed,
    Product,
    ProductProbability,
    Radial,
    Scaled,
    Sigmoid,
    Sum,
)
from tests.library.kernels.kinds import KINDS

X = np.random.default_rng(0).normal(size=(6, 3))
NAMES = {}
exec("from kernelbook.kernels import *", NAMES)


@pytest.mark.parametrize(
    "formula",
    [
        "Linear() + RBF(gamma=0.5) + Polynomial()",
        "Linear() + (RBF(gamma=0.5) + Polynomial())",
        "Linear() * RBF(gamma=0.5) * Polynomial()",
        "Linear() * (RBF(gamma=0.5) * Polynomial())",
        "(Linear() + RBF(gamma=0.5)) * Polynomial()",
        "Linear() * (RBF(gamma=0.5) + Polynomial())",
        "Linear() + RBF(gamma=0.5) * Polynomial()",
        "Linear() + 1",
        "0.5 + Linear()",
        "(1 + Linear()) ** 2 * RBF(gamma=0.5)",
        "Linear() + 1 + 2.0",
        "1 + (2 + Linear())",
        "Constant(value=2) + 1",
        "Linear() * Constant(value=2)",
        "2 * Constant() + RBF(gamma=0.5)",
        "RationalQuadratic(alpha=0.5, gamma=[0.1, 2.0, 0.0])",
        "Periodic(gamma=0.5, period=[7.0, 1.0, 2.0])",
        "2 * Linear() + 0.1 * RBF(gamma=0.5)",
        "-1 * Linear() + RBF(gamma=0.5)",
        "Linear() + -1 * RBF(gamma=0.5)",
        "2 * (Linear() + RBF(gamma=0.5))",
        "2 * Linear() * RBF(gamma=0.5)",
        "2 * (Linear() * RBF(gamma=0.5))",
        "2 * (3 * Linear())",
        "Linear() * (2 * RBF(gamma=0.5))",
        "Linear() ** 3 * RBF(gamma=0.5) ** 2",
        "2 * Linear() ** 3",
        "(2 * Linear()) ** 3",
        "(-1 * Linear()) ** 2",
        "(Linear() ** 2) ** 3",
        "(Linear() + RBF(gamma=0.5)) ** 2",
        "(Linear() * RBF(gamma=0.5)).exp()",
        "(Linear() ** 2).exp() ** 2",
        "(2 * Linear()).normalized().radial(gamma=0.25).exp()",
        "Laplacian(gamma=2.0, norm=1)",
        "Matern(gamma=0.1, nu=2.5)",
        "Sigmoid(coef0=-1.0, gamma=0.1)",
        "RBF(gamma=[0.1, 2.0, 0.0])",
        "GeneralLinear(A=[[2.0, 1.0], [1.0, 2.0]])",
        "AllSubsets(weights=[0.5, 2.0])",
        "Categorical(exponent=0.5) + Overlap()",
        "MissingValue(base=Overlap(), probabilities={0: 0.25, 1: 0.75})",
        "MissingValue(base=Overlap(), probabilities=[{'a': 1.0}, {'b': 0.5, 'c': 0.5}])",
        "Completion(base=RBF(gamma=0.5), values=[0, 1]) ** 2",
        "SetKernel(base=Spectrum(n=2)).normalized()",
        "DirectSum(left=Linear(), right=2 * Spectrum())",
        "Columns([(['age'], RBF(gamma=0.5)), ('name', 0.5 * Spectrum())])",
        "Marginalized(alphabet='ht', emission=[[0.5, 0.5]], initial=[1.0], transition=[[1.0]])",
        "Marginalized(alphabet='h  t', emission=[[0.5, 0.5]], initial=[1.0], transition=[[1.0]])",
        "MissingValue(base=Overlap(), probabilities={'a  b': 1.0})",
        "Subsequence(decay=0.123456789, n=4)",
        "Mismatch(alphabet='acgt', m=2, n=5)",
        "WeisfeilerLehman(depth=5)",
        "ShortestPath()",
        "RandomWalk(decay=0.0123456789)",
        "GlobalAlignment(gamma=0.123456789)",
        "ChiSquared(gamma=0.123456789)",
        "Columns([([0], RBF(gamma=0.123456789)), (1, 0.123456789 * Spectrum(n=2))])",
        "Pairwise(base=RBF(gamma=0.123456789))",
    ],
)
def test_repr_is_the_formula(formula):
    assert repr(eval(formula, NAMES)) == formula


@pytest.mark.parametrize("kind", KINDS)
def test_every_parameter_is_in_the_formula(kind):
    """Each number is moved from what it is, and from its default."""
    for kernel in KINDS[kind][1]:
        for name, value in kernel.get_params(deep=False).items():
            if isinstance(value, int | float):
                moved = clone(kernel).set_params(**{name: value + 7})
                assert f"{name}={value + 7}" in repr(moved)


NUMBERS = [0, 3, 1 / 3, 0.1, 1e-300, 1e300, np.float64(0.1), np.float32(0.1), np.int64(3), np.uint8(200)]
numbers = st.sampled_from(NUMBERS) | st.floats(0, allow_infinity=False)
factors = numbers | st.sampled_from([-2, -0.0, -1 / 3, np.float32(-0.1)]) | st.floats(max_value=0, allow_infinity=False)
gammas = numbers | st.sampled_from(["scale", "median"])
leaves = st.one_of(
    st.just(Linear()),
    st.builds(Polynomial, st.integers(1, 4), numbers, factors),
    st.builds(Sigmoid, numbers, factors),
    st.builds(RBF, gammas),
    st.builds(Laplacian, gammas, st.sampled_from([1, 2, np.int64(1)])),
    st.builds(Matern, st.sampled_from([0.5, 1.5, np.float32(2.5)]), gammas),
)


def compositions(part):
    return st.one_of(
        st.builds(Sum, part, part),
        st.builds(Product, part, part),
        st.builds(Scaled, part, factors),
        st.builds(Power, part, st.integers(1, 4) | st.just(np.int64(2))),
        st.builds(Exponential, part),
        st.builds(Normalized, part),
        st.builds(Radial, part, numbers),
    )


kernels = st.recursive(leaves, compositions, max_leaves=6)
often = settings(derandomize=True, deadline=None, max_examples=300)


def structure(kernel):
    """The kernel as a tree that compares equal where the kernels are built alike."""
    if not isinstance(kernel, Kernel):
        return kernel
    return type(kernel), {name: structure(value) for name, value in kernel.get_params(deep=False).items()}


def outcome(kernel, method):
    """The matrix to the bit, NaN and the sign of zero included, or the error."""
    try:
        with np.errstate(all="ignore"):
            return getattr(kernel, method)(X).tobytes()
    except ValueError as error:
        return str(error)


@often
@given(kernels)
def test_repr_evaluated_is_the_same_kernel(kernel):
    again = eval(repr(kernel), NAMES)
    assert structure(again) == structure(kernel)
    assert repr(again) == repr(kernel)
    kernel, again = clone(kernel).fit(X), again.fit(X)
    for method in "__call__", "diag", "distance":
        assert outcome(again, method) == outcome(kernel, method)


@often
@given(kernels)
def test_repr_after_fit_shows_what_was_found_and_still_evaluates(kernel):
    kernel = clone(kernel)
    before = repr(kernel)
    said = repr(kernel.fit(X))
    assert structure(eval(said, NAMES)) == structure(kernel)
    formula, *comment = said.split("  # ")
    assert formula == before == kernel.formula
    rules = [name for name, value in kernel.get_params().items() if name.endswith("gamma") and isinstance(value, str)]
    found = dict(part.split(" = ") for part in comment[0].split(", ")) if comment else {}
    assert sorted(found) == sorted(f"{name}_".replace("__", ".") for name in rules)
    for path, value in found.items():
        assert attrgetter(path)(kernel) == float(value)


def shown(kernel):
    return DisplayFormatter().format(kernel)[0]


def test_what_was_found_stands_behind_the_formula():
    square = np.array([[0.0], [2.0]])
    assert repr(RBF().fit(square)) == "RBF()  # gamma_ = 1.0"
    kernel = (Linear() + 2.0 * Laplacian()) * RBF("median").exp()
    assert repr(kernel.fit(square / 3)) == (
        "(Linear() + 2.0 * Laplacian()) * RBF(gamma='median').exp()"
        "  # left.right.kernel.gamma_ = 3.0, right.kernel.gamma_ = 1.125"
    )
    assert repr(kernel.left) == "Linear() + 2.0 * Laplacian()  # right.kernel.gamma_ = 3.0"
    assert repr(clone(kernel)) == kernel.formula


def test_what_no_longer_holds_is_not_shown():
    kernel = Laplacian().fit(X)
    said = repr(kernel)
    assert repr(kernel.set_params(norm=1)) == "Laplacian(norm=1)"
    assert repr(kernel.set_params(norm=2)) == said
    assert repr(kernel.set_params(gamma=0.5)) == "Laplacian(gamma=0.5)"


def test_errors_quote_the_formula_alone():
    fitted = (-1 * RBF()).fit(X)
    with pytest.raises(ValueError, match=r"^-1 \* RBF\(\) gives no distance: .* is -\S+, which is negative\.$"):
        fitted.distance(X)
    stale = RBF().fit(X).set_params(gamma="median")
    with pytest.raises(NotFittedError, match=r"^RBF\(gamma='median'\) takes gamma from data: .*\.$"):
        stale(X)


@pytest.mark.parametrize(
    ("kernel", "rounded"),
    [
        (RBF(gamma=0.25), "RBF(gamma=0.25)"),
        (1 / 3 * RBF(gamma=np.float32(0.1)), "0.3333 * RBF(gamma=0.1)"),
        ((12345678 * Linear() + RBF(2e-17 / 3)) ** 2, "(12345678 * Linear() + RBF(gamma=6.667e-18)) ** 2"),
        (Linear().radial(2 / 3).normalized().exp(), "Linear().radial(gamma=0.6667).normalized().exp()"),
        (Polynomial(gamma=1.000001), "Polynomial(gamma=1.0)"),
        (Linear() * Matern(2.5, 2 / 3), "Linear() * Matern(gamma=0.6667, nu=2.5)"),
        (RBF(gamma=[1 / 3, 2]), "RBF(gamma=[0.3333, 2])"),
        ((RBF() + Linear()).fit(np.array([[0.0], [3.0]])), "RBF() + Linear()  # left.gamma_ = 0.4444"),
        (2 * Precomputed(np.eye(3)) + FunctionKernel(outcome), "2 * Precomputed(K: 3 x 3) + FunctionKernel(outcome)"),
    ],
    ids=lambda value: "" if isinstance(value, str) else repr(value),
)
def test_a_notebook_shows_the_formula_rounded_and_nothing_more(kernel, rounded):
    assert shown(kernel) == {"text/plain": rounded}


@pytest.mark.parametrize("kind", [list, np.array])
def test_an_array_is_abbreviated_and_stays_on_one_line(kind):
    assert repr(2 * RBF(gamma=kind([0.1, 1 / 3]))) == "2 * RBF(gamma=[0.1, 0.3333333333333333])"
    weights = kind([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    assert repr(2 * RBF(gamma=weights)) == "2 * RBF(gamma=[0.1, 0.2, 0.3, ..., 0.5, 0.6, 0.7])"


def test_a_kernel_of_ones_own_needs_no_formula_of_its_own():
    class Sets(Linear):
        def __init__(self, base=None, *, strict=False, name="all"):
            self.base, self.strict, self.name = base, strict, name

    assert repr(Sets(RBF(1 / 4) ** 2, strict=True)) == "Sets(base=RBF(gamma=0.25) ** 2, strict=True)"
    kernel = Sets(base=RBF())
    kernel.base.fit(np.array([[0.0], [2.0]]))
    assert repr(3 * kernel) == "3 * Sets(base=RBF())  # kernel.base.gamma_ = 1.0"
    assert eval(repr(kernel), {**NAMES, "Sets": Sets}).get_params()["base__gamma"] == "scale"
    pairs = [("a", kernel.base), (1 / 3,)]
    assert repr(Sets(pairs)) == f"Sets(base=[('a', RBF()), ({1 / 3},)])"
    assert shown(Sets(pairs)) == {"text/plain": "Sets(base=[('a', RBF()), (0.3333,)])"}


def test_the_diagram_of_an_estimator_shows_the_formula():
    search = GridSearchCV(KernelRidge(RBF() + 0.5 * Linear()), {"alpha": [0.1, 1.0]}, cv=2)
    for model in search, search.fit(X, X[:, 0]), search.best_estimator_:
        diagram = model._repr_html_()
        assert "RBF() + 0.5 * Linear()" in diagram
        assert "Sum(left=" not in diagram


def test_what_is_no_parameter_can_be_shown_too():
    assert repr(Columns(None)) == "Columns(None)"
    assert repr(Columns([("a", 3)])) == "Columns([('a', 3)])"
    assert shown(ProductProbability(outcome, [1 / 3, 2 / 3])) == {
        "text/plain": "ProductProbability(outcome, [0.3333, 0.6667])"
    }


def test_shares_that_were_found_are_not_shown_where_others_are_given():
    kernel = MissingValue(Overlap()).fit([["a"]])
    assert "probabilities_" in repr(kernel)
    assert repr(kernel.set_params(probabilities={"b": 1.0})) == (
        "MissingValue(base=Overlap(), probabilities={'b': 1.0})"
    )

"""Support vector regression against scikit-learn, the primal problem, numbers by hand; its contract, bad input."""

import pickle

import cvxopt
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn import svm
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import RBF, SVR, Laplacian, Linear, NuSVR, Polynomial, Precomputed, QuantileSVR
from tests.library.samples import noisy_sine, reference_sample

SOLVERS = ["smo", "interior_point"]
SLACK = {"check_sample_weight_equivalence_on_dense_data": "the default tolerance leaves more than it allows"}


def difficult_sine(kind, n=60):
    """A noisy sine, as it is or with one difficulty: objects, the target, weights, new objects.

    The new objects lie where the others do, for LIBSVM's f of a polynomial kernel has too few digits farther out.
    """
    rng = np.random.default_rng(0)
    X, new, weight = rng.normal(size=(n, 2)), rng.normal(size=(30, 2)), np.ones(n)
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)
    if kind == "duplicates":  # with other values of y
        X[n // 2 :] = X[: n - n // 2]
    if kind == "outliers":
        y[::10] += 100 * rng.standard_cauchy(size=len(y[::10]))
    if kind == "weights":
        weight = rng.uniform(0.1, 3, size=n)
    return X, y, weight, new


KINDS = ["plain", "duplicates", "outliers", "weights"]


@parametrize_with_checks(
    [cls(tol=tol) for cls in (SVR, NuSVR, QuantileSVR) for tol in (1e-3, 1e-12)],
    expected_failed_checks=lambda model: SLACK if model.tol == 1e-3 else {},
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("C", "value", "b"), [(1, -51.286398966, 1.4476819), (10, -97.175804699, 2.2083441)])
def test_reference_numbers(C, value, b, solver):
    X, _, t = reference_sample()
    model = SVR(RBF(0.2), C, 0.1, tol=1e-9, solver=solver).fit(X, t)
    beta, at = model.dual_coef_[0], model.support_
    assert_allclose(t.sum(), 156.0223544)
    assert_allclose(beta @ RBF(0.2)(X[at]) @ beta / 2 - t[at] @ beta + 0.1 * np.abs(beta).sum(), value, rtol=1e-9)
    assert_allclose(model.intercept_, [b], rtol=1e-6)
    assert_allclose(model.duality_gap_, 0, atol=1e-6)


def agree(ours, theirs, new, tolerance=1e-4):
    assert_allclose(ours.predict(new), theirs.predict(new), rtol=1e-4, atol=tolerance)
    for name in ("dual_coef_", "intercept_", "support_", "n_support_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-4, atol=tolerance)
    assert isinstance(ours.n_iter_, type(theirs.n_iter_))


@pytest.mark.parametrize("kernel", [RBF(0.7), Laplacian(1.0), Polynomial(2, 0.5, 1.0)], ids=repr)
@pytest.mark.parametrize("C", [1e-3, 1.0, 5.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_agrees_with_scikit_learn(kernel, C, epsilon, kind):
    X, y, weight, new = difficult_sine(kind)
    K, K_new = kernel(X), kernel(new, X)
    ours = SVR("precomputed", C, epsilon, tol=1e-9).fit(K, y, weight)
    theirs = svm.SVR(kernel="precomputed", C=C, epsilon=epsilon, tol=1e-9).fit(K, y, weight)
    if kind == "duplicates" or isinstance(kernel, Polynomial):  # β is not unique
        assert_allclose(ours.predict(K_new), theirs.predict(K_new), atol=1e-4)
    else:
        agree(ours, theirs, K_new)


@pytest.mark.parametrize("nu", [0.2, 0.53, 1.0])
@pytest.mark.parametrize("C", [0.5, 5.0])
@pytest.mark.parametrize("kind", ["plain", "weights"])
def test_nu_agrees_with_scikit_learn(nu, C, kind):
    X, y, weight, new = difficult_sine(kind)
    ours = NuSVR(RBF(0.7), C, nu, tol=1e-9).fit(X, y, weight)
    agree(ours, svm.NuSVR(gamma=0.7, C=C, nu=nu, tol=1e-9).fit(X, y, weight), new)


@pytest.mark.parametrize("n", [1, 2, 3, 300])
@pytest.mark.parametrize("C", [1e-2, 1e3])
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_any_size_agrees_with_scikit_learn(n, C, epsilon):
    X, y, new = noisy_sine(n, seed=n)
    K, K_new, tolerance = Laplacian(5.0)(X), Laplacian(5.0)(new, X), max(1e-4, 1e-6 * C)  # LIBSVM's K has 7 digits
    ours = SVR("precomputed", C, epsilon, tol=1e-9).fit(K, y)
    theirs = svm.SVR(kernel="precomputed", C=C, epsilon=epsilon, tol=1e-9).fit(K, y)
    assert_allclose(ours.predict(K_new), theirs.predict(K_new), atol=tolerance)


def least(K, y, prices, ridge, epsilon=0.0, tube_price=0.0):
    """The least λ/2 ‖f‖² + Σ of the losses, f, and ε there, by CVXOPT from the primal problem.

    K = LLᵀ and f = Lz. The variables are z, b, ε and what each object lies above the tube, and below it; `prices` are
    those of the last two. ε is given, or has a price.
    """
    n, L = len(y), np.linalg.cholesky(K + 1e-12 * np.eye(len(K)))
    P = np.zeros((3 * n + 2, 3 * n + 2))
    P[:n, :n] = ridge * np.eye(n)
    q = np.concatenate([np.zeros(n + 1), [tube_price], *prices])
    one, unit, none = np.ones((n, 1)), np.eye(n), np.zeros((n, n))
    G = np.block([[-L, -one, -one, -unit, none], [L, one, -one, none, -unit]])
    G = np.vstack([G, -np.eye(2 * n + 1, 3 * n + 2, n + 1)])
    h = np.concatenate([-y, y, np.zeros(2 * n + 1)])
    given = [P, q, G, h]
    if not tube_price:
        given += [np.eye(1, 3 * n + 2, n + 1), np.array([float(epsilon)])]
    found = cvxopt.solvers.qp(
        *map(cvxopt.matrix, given), options={"show_progress": False, "abstol": 1e-10, "reltol": 1e-10}
    )
    x = np.array(found["x"])[:, 0]
    return found["primal objective"], L @ x[:n], x[n + 1]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("C", [0.1, 4.0])
class TestPrimal:
    """The problem of the docstring, and the same with λ = 1/C before ‖f‖² in place of C before the losses."""

    def fit(self, model, kind):
        X, y, weight, _ = difficult_sine(kind, 40)
        X = X + np.arange(40)[:, None] / 1e3  # copies would make K singular
        found = model.fit(X, y, weight).predict(X)
        f = model.rkhs_function()
        return RBF(0.7)(X), y, weight, found, f.norm() ** 2

    def test_tube(self, C, kind, solver):
        for epsilon in (0.0, 0.2):
            model = SVR(RBF(0.7), C, epsilon, tol=1e-9, solver=solver)
            K, y, weight, found, norm = self.fit(model, kind)
            value, expected, _ = least(K, y, [weight, weight], 1 / C, epsilon)
            loss = weight @ np.maximum(0, np.abs(y - found) - epsilon)
            assert_allclose(loss + norm / (2 * C), value, rtol=1e-6)
            assert_allclose(found - model.intercept_, expected, atol=1e-4)  # b need not be unique

    def test_quantile(self, C, kind, solver):
        model = QuantileSVR(RBF(0.7), C, 0.3, tol=1e-9, solver=solver)
        K, y, weight, found, norm = self.fit(model, kind)
        value, expected, _ = least(K, y, [0.3 * weight, 0.7 * weight], 1 / C)
        loss = weight @ np.maximum(0.3 * (y - found), -0.7 * (y - found))
        assert_allclose(loss + norm / (2 * C), value, rtol=1e-6)
        assert_allclose(found - model.intercept_, expected, atol=1e-4)  # b need not be unique

    def test_nu(self, C, kind, solver):
        model = NuSVR(RBF(0.7), C, 0.37, tol=1e-9, solver=solver)
        K, y, weight, found, norm = self.fit(model, kind)
        value, expected, epsilon = least(K, y, [weight, weight], 1 / C, tube_price=0.37 * weight.sum())
        loss = weight @ (0.37 * model.epsilon_ + np.maximum(0, np.abs(y - found) - model.epsilon_))
        assert_allclose(loss + norm / (2 * C), value, rtol=1e-6)
        assert_allclose(found - model.intercept_, expected, atol=1e-4)  # b need not be unique
        assert_allclose(model.epsilon_, epsilon, atol=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("model", "x", "y", "beta", "b"),
    [
        (SVR(Linear(), 10.0, 0.0), [0, 2], [0, 2], [-0.5, 0.5], 0.0),  # f = x, through both
        (SVR(Linear(), 10.0, 0.5), [0, 2], [0, 2], [-0.25, 0.25], 0.5),  # f = x/2: both on the edge
        (SVR(Linear(), 0.1, 0.5), [0, 2], [0, 2], [-0.1, 0.1], 0.8),  # both outside: b between .5 and 1.1
        (SVR(Linear(), 10.0, 1.5), [0, 2], [0, 2], [0, 0], 1.0),  # a tube as wide as all of y: b between .5 and 1.5
        (SVR(RBF(1.0), 1.0, 0.2), [0, 1, 2], [3, 3, 3], [0, 0, 0], 3.0),
        (SVR(RBF(1.0), 1.0, 0.0), [0, 1, 2], [3, 3, 3], [0, 0, 0], 3.0),
        (SVR(RBF(1.0), 1.0, 0.2), [7], [3], [0], 3.0),
        (SVR(RBF(1.0), 1.0, 0.0), [7], [3], [0], 3.0),
        (NuSVR(Linear(), 0.1, 1.0), [0, 2], [0, 2], [-0.1, 0.1], 0.8),
        (NuSVR(RBF(1.0), 1.0, 0.5), [7], [3], [0], 3.0),
        (NuSVR(RBF(1.0), 1.0, 0.5), [0, 1, 2], [3, 3, 3], [0, 0, 0], 3.0),
        (QuantileSVR(RBF(1.0), 1.0, 0.2), [7], [3], [0], 3.0),
        (QuantileSVR(Linear(), 1.0, 0.5), [0, 0, 0, 0], [1, 2, 4, 9], [-0.5, -0.5, 0.5, 0.5], 3.0),  # between 2 and 4
        (QuantileSVR(Linear(), 0.1, 0.5), [0, 2], [0, 2], [-0.05, 0.05], 0.9),  # f = x/10: b between 0 and 1.8
    ],
    ids=repr,
)
def test_by_hand(model, x, y, beta, b, solver):
    x = np.array(x, float)[:, None]
    model = clone(model).set_params(tol=1e-9, solver=solver).fit(x, y)
    found = np.zeros(len(y))
    found[model.support_] = model.dual_coef_[0]
    assert_allclose(found, beta, atol=1e-9)
    assert_allclose(model.intercept_, [b], atol=1e-8)
    assert model.support_.tolist() == np.flatnonzero(beta).tolist()
    assert_allclose(model.predict(x), model.kernel_(x) @ found + b, atol=1e-8)


def test_forms_of_a_kernel_and_copies_of_a_model():
    X, y, new = noisy_sine(60)
    everything = RBF(0.7)(np.concatenate([X, new]))
    for model in (SVR(RBF(0.7)), NuSVR(RBF(0.7)), QuantileSVR(RBF(0.7))):
        expected = model.fit(X, y).predict(new)
        for kernel, train, test in [
            (lambda A, B: RBF(0.7)(A, B), X, new),
            (Precomputed(everything), np.arange(60), np.arange(60, 90)),
            ("precomputed", everything[:60, :60], everything[60:, :60]),
        ]:
            assert_allclose(clone(model).set_params(kernel=kernel).fit(train, y).predict(test), expected, atol=1e-9)
        assert (pickle.loads(pickle.dumps(model)).predict(new) == expected).all()
        assert_allclose(model.rkhs_function()(new) + model.intercept_, expected, rtol=1e-12)
        with pytest.raises(NotFittedError):
            clone(model).predict(new)


def never(X, Y):
    pytest.fail("the kernel was computed")


X2 = [[0.0], [1.0]]
BAD = {
    "C": (SVR(never, C=0), [0, 1], "'C' parameter of SVR.*Got 0"),
    "C infinite": (QuantileSVR(never, C=np.inf), [0, 1], "'C' parameter of QuantileSVR.*Got inf"),
    "C a word": (NuSVR(never, C="1"), [0, 1], "'C' parameter of NuSVR.*Got '1'"),
    "epsilon": (SVR(never, epsilon=-0.1), [0, 1], "'epsilon' parameter of SVR.*Got -0.1"),
    "epsilon NaN": (SVR(never, epsilon=np.nan), [0, 1], "'epsilon' parameter of SVR.*Got nan"),
    "epsilon infinite": (SVR(never, epsilon=np.inf), [0, 1], "'epsilon' parameter of SVR.*Got inf"),
    "nu zero": (NuSVR(never, nu=0), [0, 1], "'nu' parameter of NuSVR.*Got 0"),
    "nu above 1": (NuSVR(never, nu=1.1), [0, 1], "'nu' parameter of NuSVR.*Got 1.1"),
    "quantile 0": (QuantileSVR(never, quantile=0.0), [0, 1], "'quantile' parameter of QuantileSVR.*Got 0"),
    "quantile 1": (QuantileSVR(never, quantile=1), [0, 1], "'quantile' parameter of QuantileSVR.*Got 1"),
    "tol": (SVR(never, tol=0.0), [0, 1], "'tol' parameter of SVR"),
    "solver": (SVR(never, solver="newton"), [0, 1], "'solver' parameter of SVR.*Got 'newton'"),
    "max_iter": (SVR(never, max_iter=0), [0, 1], "'max_iter' parameter of SVR.*Got 0"),
    "no y": (SVR(never), None, "requires y to be passed, but the target y is None"),
    "NaN": (SVR(never), [0, np.nan], "y contains NaN"),
    "C no float": (SVR(never, C=10**400), [0, 1], r"^C must be an int or a float .* got 1000"),
    "tol no float": (NuSVR(never, tol=10**400), [0, 1], r"^tol must be an int or a float .* got 1000"),
    "epsilon no float": (SVR(never, epsilon=10**400), [0, 1], r"^epsilon must be an int or a float .* got 1000"),
    "squares": (SVR(never), [0, -1e151], r"y must hold numbers from -1e\+150 to 1e\+150, .*, got -1e\+151: choose"),
    "infinite": (NuSVR(never), [0, np.inf], "y contains infinity"),
    "complex": (QuantileSVR(never), [0, 1j], "^y must hold real numbers: Complex data not supported.$"),
    "words": (SVR(never), ["a", "b"], "y must be an array of numbers: could not convert string"),
    "two targets": (SVR(never), np.eye(2), r"y should be a 1d array, got an array of shape \(2, 2\)"),
    "length": (SVR(never), [0, 1, 2], r"inconsistent numbers of samples: \[2, 3\]"),
    "weights of another length": (SVR(never), ([0, 1], [1.0]), r"one number for each of 2 objects, .* shape \(1,\)"),
    "negative weight": (SVR(never), ([0, 1], [1.0, -1.0]), "sample_weight must be >= 0"),
    "kernel": (SVR("gauss"), [0, 1], "kernel must be a Kernel.*got 'gauss'"),
    "a number for a kernel": (NuSVR(0.5), [0, 1], r"kernel comes first in NuSVR: write NuSVR\(C=0\.5\)"),
    "not square": (SVR("precomputed"), [0, 1], r"square Gram matrix, but has shape \(2, 1\)"),
}


@pytest.mark.parametrize(("model", "y", "message"), BAD.values(), ids=BAD)
def test_bad_fits_say_what_is_wrong(model, y, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X2, *(y if isinstance(y, tuple) else [y]))


def test_bad_objects():
    for X, message in ((csr_matrix(np.eye(2)), "[Ss]parse"), ([[np.nan], [0.0]], "X contains NaN")):
        with pytest.raises((ValueError, TypeError), match=message):
            SVR().fit(X, [0, 1])
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        SVR().fit(X2, [[0.0], [1.0]])


def test_a_price_out_of_range_is_refused():
    for C, weight in ((1e-200, [1e-200, 1.0]), (1e200, [1e200, 1.0])):
        with pytest.raises(ValueError, match=r"^C times sample_weight must lie within the range .* got 1e"):
            SVR(never, C=C).fit(X2, [0, 1], weight)


def test_step_limit_warns():
    X, y, _ = noisy_sine(60)
    with pytest.warns(ConvergenceWarning, match="after 3 iterations"):
        assert SVR(RBF(0.7), max_iter=3).fit(X, y).n_iter_ == 3

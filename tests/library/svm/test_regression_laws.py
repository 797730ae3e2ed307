"""Laws of support vector regression: who lies where, what may be left out, weights, units, shares, equal machines."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from kernelbook import RBF, SVR, Linear, NuSVR, Polynomial, QuantileSVR
from kernelbook.qp import interior_point, smo
from kernelbook.svm.duals import svr_dual
from tests.library.samples import noisy_sine, random_weights

SOLVERS = ["smo", "interior_point"]
MACHINES = [
    SVR(RBF(0.7), 3.0, 0.2, tol=1e-10),
    SVR(RBF(0.7), 3.0, 0.0, tol=1e-10),
    NuSVR(RBF(0.7), 3.0, 0.4, tol=1e-10),
    QuantileSVR(RBF(0.7), 3.0, 0.3, tol=1e-10),
]
every_machine = pytest.mark.parametrize("model", MACHINES, ids=repr)
every_solver = pytest.mark.parametrize("solver", SOLVERS)


def coefficients(model, n):
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_[0]
    return beta


@every_solver
@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
@pytest.mark.parametrize("weighted", [False, True])
class TestWhoLiesWhere:
    def data(self, weighted):
        X, y, _ = noisy_sine(80)
        return X, y, random_weights(80, seed=1) * (np.arange(80) % 7 > 0) if weighted else np.ones(80)

    def test_tube(self, C, weighted, solver):
        X, y, weight = self.data(weighted)
        for model in (SVR(RBF(0.7), C, 0.2), NuSVR(RBF(0.7), C, 0.4)):
            model = model.set_params(tol=1e-9, solver=solver).fit(X, y, weight)
            epsilon = getattr(model, "epsilon_", 0.2)
            beta, above, here = coefficients(model, 80), y - model.predict(X), weight > 0
            assert_allclose(beta.sum(), 0, atol=1e-12 * C * 80)
            assert (np.abs(beta) <= C * weight).all()
            assert (np.abs(above[here & (beta == 0)]) <= epsilon + 1e-7).all()
            assert (above[here & (beta == C * weight)] >= epsilon - 1e-7).all()
            assert (above[here & (beta == -C * weight)] <= -epsilon + 1e-7).all()
            edge = (np.abs(beta) > 0) & (np.abs(beta) < C * weight)
            assert_allclose(above[edge], epsilon * np.sign(beta[edge]), atol=1e-7)
            assert_array_equal(model.at_bound_, ~edge[model.support_])
            loss = C * weight @ np.maximum(0, np.abs(above) - epsilon)
            if isinstance(model, SVR):
                gap = beta @ RBF(0.7)(X) @ beta + loss - y @ beta + epsilon * np.abs(beta).sum()
                assert_allclose(model.duality_gap_, gap, atol=1e-9 * C * 80)
                assert -1e-9 * C <= gap <= 1e-7 * C * 80

    def test_quantile(self, C, weighted, solver):
        X, y, weight = self.data(weighted)
        for tau in (0.1, 0.5, 0.85):
            model = QuantileSVR(RBF(0.7), C, tau, tol=1e-9, solver=solver).fit(X, y, weight)
            beta, above = coefficients(model, 80), y - model.predict(X)
            least, most = -C * (1 - tau) * weight, C * tau * weight
            assert_allclose(beta.sum(), 0, atol=1e-12 * C * 80)
            assert ((beta >= least * (1 + 1e-14)) & (beta <= most * (1 + 1e-14))).all()
            at_most, at_least = above > 1e-7, above < -1e-7
            assert_allclose(beta[at_most], most[at_most], rtol=1e-12)
            assert_allclose(beta[at_least], least[at_least], rtol=1e-12)
            assert weight[at_least].sum() <= tau * weight.sum() + 1e-9
            assert weight[at_most].sum() <= (1 - tau) * weight.sum() + 1e-9
            inside = (beta > least * (1 - 1e-12)) & (beta < most * (1 - 1e-12))
            assert_array_equal(model.at_bound_, ~inside[model.support_])


@pytest.mark.parametrize("solve", [smo, interior_point], ids=lambda solve: solve.__name__)
@pytest.mark.parametrize("epsilon", [1e-2, 0.2, 10.0])
def test_no_object_is_above_the_tube_and_below_it(epsilon, solve):
    X, y, _ = noisy_sine(80)
    problem = svr_dual(RBF(0.7)(X), y, np.full(80, 3.0), epsilon)
    above, below = solve(problem, tol=1e-6).beta.reshape(2, 80)
    assert (above >= 0).all()
    assert (below <= 0).all()
    assert (above * below == 0).all()


@every_solver
@every_machine
class TestCopies:
    def test_a_weight_counts_copies(self, model, solver):
        X, y, new = noisy_sine(80)
        times = np.array([0, 0, 0, 1, 2])[np.arange(80) % 5]  # the median of y is that of an absent object
        model.set_params(solver=solver)
        weighted = clone(model).fit(X, y, times)
        copied = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        absent = clone(model).fit(X[times > 0], y[times > 0], times[times > 0])
        wild = clone(model).fit(X, np.where(times > 0, y, 1e12), times)
        for other in (copied, absent, wild):
            assert_allclose(other.predict(new), weighted.predict(new), atol=1e-6)
        assert (times[weighted.support_] > 0).all()

    def test_only_support_vectors_matter(self, model, solver):
        X, y, new = noisy_sine(80)
        whole = clone(model).set_params(solver=solver).fit(X, y)
        at = whole.support_
        if isinstance(model, NuSVR):  # its price is that of all objects
            assert len(at) < 70
            model = SVR(RBF(0.7), 3.0, whole.epsilon_, tol=1e-10)
        kept = clone(model).set_params(solver=solver).fit(X[at], y[at])
        assert_allclose(kept.predict(new), whole.predict(new), atol=1e-6)

    def test_a_price_for_two_is_half_the_price(self, model, solver):
        X, y, new = noisy_sine(80)
        model.set_params(solver=solver)
        twice = clone(model).fit(X, y, np.full(80, 2.0)).predict(new)
        assert_allclose(clone(model).set_params(C=6.0).fit(X, y).predict(new), twice, atol=1e-6)


@every_machine
@pytest.mark.parametrize("shift", [1e3, 1e6, -1e9])
def test_a_shift_of_y_is_a_shift_of_the_fit(model, shift):
    X, y, new = noisy_sine(80)
    y = np.round(y * 2**20) / 2**20  # so that y + shift is exact
    fitted, moved = clone(model).fit(X, y), clone(model).fit(X, y + shift)
    assert_array_equal(moved.support_, fitted.support_)
    assert_allclose(moved.dual_coef_, fitted.dual_coef_, rtol=1e-6, atol=1e-7)
    assert_allclose(moved.predict(new), fitted.predict(new) + shift, rtol=1e-13, atol=1e-7)


@every_machine
def test_what_is_above_can_be_below(model):
    X, y, new = noisy_sine(80)
    turned = clone(model).set_params(**({"quantile": 0.7} if isinstance(model, QuantileSVR) else {}))
    assert_allclose(turned.fit(X, -y).predict(new), -clone(model).fit(X, y).predict(new), atol=1e-6)


@every_machine
def test_a_constant_in_the_kernel_is_the_offset(model):
    X, y, new = noisy_sine(80)
    lifted = clone(model).set_params(kernel=lambda A, B: RBF(0.7)(A, B) + 5)
    assert_allclose(lifted.fit(X, y).predict(new), clone(model).fit(X, y).predict(new), atol=1e-6)


@every_solver
def test_a_far_value_pulls_no_harder_than_one_outside(solver):
    X, y, new = noisy_sine(80)
    y[3] = y.max() + 10
    far = np.where(np.arange(80) == 3, 1e7, y)
    for model in (SVR(RBF(0.7), 1.0, 0.2), QuantileSVR(RBF(0.7), 1.0, 0.4)):
        model.set_params(tol=1e-9, solver=solver)
        assert_allclose(clone(model).fit(X, far).predict(new), clone(model).fit(X, y).predict(new), atol=1e-6)


@every_solver
@pytest.mark.parametrize(("kernel", "distance"), [(Linear(), 1e5), (Polynomial(2), 1e3)], ids=repr)
def test_a_far_object(kernel, distance, solver):
    X, y, _ = noisy_sine(80)
    without = SVR(kernel, 10.0, 0.5, tol=1e-6, solver=solver).fit(X, y)
    far = np.vstack([X, [[distance, 0.0]]])
    model = clone(without).fit(far, np.append(y, without.predict(far[-1:])))
    assert_allclose(model.predict(X), without.predict(X), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("nu", [0.1, 0.35, 0.8])
@pytest.mark.parametrize("C", [0.1, 1.0])
@every_solver
def test_nu_bounds_both_shares_and_is_SVR_at_its_epsilon(nu, C, solver):
    X, y, new = noisy_sine(100)
    model = NuSVR(RBF(0.7), C, nu, tol=1e-9, solver=solver).fit(X, y)
    outside = np.abs(y - model.predict(X)) > model.epsilon_ + 1e-7
    assert model.epsilon_ > 0.01
    assert outside.sum() <= nu * 100 + 1e-9 <= len(model.support_) + 2e-9
    assert_allclose(np.abs(model.dual_coef_).sum(), C * nu * 100, rtol=1e-9)
    same = SVR(RBF(0.7), C, model.epsilon_, tol=1e-9, solver=solver).fit(X, y)
    assert_allclose(same.predict(new) - same.intercept_, model.predict(new) - model.intercept_, atol=1e-6)


@every_solver
def test_a_nu_that_leaves_no_tube(solver):
    """More than the errors ask for: ε = 0, and α⁺ and α⁻ of the same objects take up what is left."""
    X, y, new = noisy_sine(80)
    model = NuSVR(RBF(0.7), 100.0, 1.0, tol=1e-8, solver=solver).fit(X, y)
    same = SVR(RBF(0.7), 100.0, 0.0, tol=1e-8, solver=solver).fit(X, y)
    assert 0 <= model.epsilon_ <= 1e-8
    assert np.abs(model.dual_coef_).sum() < 0.9 * 100 * 80
    assert_allclose(model.predict(new), same.predict(new), atol=1e-5)


@pytest.mark.parametrize(("seed", "nu"), [(12, 0.5), (16, 0.3), (20, 0.3)])
def test_of_an_interval_of_offsets_the_middle_is_taken_in_all_units(seed, nu):
    """All β are at their bounds but for the rounding of their sum, which one of them carries: it is not free."""
    rng = np.random.default_rng(seed)
    X = rng.standard_cauchy((40, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=40)
    offsets = [
        NuSVR(Linear(), 10 / s**2, nu, tol=1e-9, solver=solver).fit(s * (X + 3), y).intercept_[0]
        for s in (1e-8, 1e-3, 1.0, 1e3, 1e8)
        for solver in SOLVERS
    ]
    assert_allclose(offsets, offsets[0], atol=1e-6)


def test_of_many_tubes_none_is_narrower_than_nothing():
    """With all β at their bounds any ε up to some width is as good; what is taken shall be a width."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = 2 * rng.integers(1, 4)
        x, y = rng.normal(size=(n, 1)), rng.normal(size=n)
        model = NuSVR(RBF(1.0), 1e-3, 1.0, tol=1e-9).fit(x, y)
        assert model.epsilon_ >= 0
        same = SVR(RBF(1.0), 1e-3, model.epsilon_, tol=1e-9).fit(x, y)

        def loss(f, epsilon=model.epsilon_, y=y):
            return np.maximum(0, np.abs(y - f) - epsilon).sum()

        assert_allclose(loss(model.predict(x)), loss(same.predict(x)), atol=1e-6)


def test_half_of_the_quantile_machine_is_a_tube_without_width():
    X, y, new = noisy_sine(80)
    half = QuantileSVR(RBF(0.7), 4.0, 0.5, tol=1e-9).fit(X, y)
    assert_allclose(half.predict(new), SVR(RBF(0.7), 2.0, 0.0, tol=1e-9).fit(X, y).predict(new), atol=1e-7)


@every_solver
def test_a_narrow_tube_is_nearly_none(solver):
    X, y, new = noisy_sine(80)
    none = SVR(RBF(0.7), 2.0, 0.0, tol=1e-9, solver=solver).fit(X, y)
    narrow = SVR(RBF(0.7), 2.0, 1e-7, tol=1e-9, solver=solver).fit(X, y)
    assert_allclose(narrow.predict(new), none.predict(new), atol=1e-5)


@every_solver
@pytest.mark.parametrize("epsilon", [0.0, 1e-5, 0.2])
def test_a_rough_tolerance_is_that_of_f(epsilon, solver):
    """In a tube far narrower than tol, α⁺ and α⁻ of one object may both be positive; f keeps its tolerance."""
    X, y, new = noisy_sine(80)
    rough, exact = (SVR(RBF(0.7), 10.0, epsilon, tol=tol, solver=solver).fit(X, y) for tol in (1e-3, 1e-10))
    assert_allclose(rough.predict(new), exact.predict(new), atol=2e-2)
    assert_allclose(rough.predict(X), exact.predict(X), atol=1e-2)
    assert rough.duality_gap_ >= 0


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3])
def test_tolerance_is_in_the_unit_of_y(unit):
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 1, (60, 1))
    y = np.sin(6 * X[:, 0]) + 0.2 * rng.normal(size=60)
    y[0] = 1e6  # a far y changes neither the unit nor, beyond its pull, the fit
    expected = SVR(RBF(10.0), 3.0, 0.1).fit(X, y).predict(X)
    found = SVR(RBF(10.0), 3.0 * unit, 0.1 * unit).fit(X, unit * y).predict(X)
    assert_allclose(found / unit, expected, atol=5e-3)


@pytest.mark.parametrize(
    "model", [SVR(RBF(1.0), 10.0), NuSVR(RBF(1.0), 10.0), QuantileSVR(RBF(1.0), 10.0, 0.9)], ids=repr
)
def test_neither_ties_nor_a_far_value_loosen_the_tolerance(model):
    X = np.linspace(-3, 3, 200)[:, None]
    y = np.where(X[:, 0] < 0.6, 0, 2 * np.sin(2 * X[:, 0]))  # most are equal
    y[-1] = 1e6
    exact = clone(model).set_params(tol=1e-9).fit(X, y).predict(X)
    assert_allclose(clone(model).fit(X, y).predict(X), exact, atol=0.03)


@every_machine
def test_the_gap_is_primal_minus_dual(model):
    X, y, _ = noisy_sine(80)
    rough = clone(model).set_params(tol=0.3, solver="smo").fit(X, y)
    beta, r = coefficients(rough, 80), y - rough.predict(X)
    norm2, C = beta @ RBF(0.7)(X) @ beta, rough.C
    if isinstance(model, QuantileSVR):
        tau = model.quantile
        loss, charge = np.maximum(tau * r, (tau - 1) * r).sum(), 0.0
    else:
        epsilon = model.epsilon if isinstance(model, SVR) else rough.epsilon_
        loss, charge = np.maximum(0, np.abs(r) - epsilon).sum(), 0.0
        if isinstance(model, NuSVR):
            loss += model.nu * 80 * epsilon
        else:
            charge = epsilon * np.abs(beta).sum()
    gap = norm2 / 2 + C * loss - (y @ beta - charge - norm2 / 2)
    assert rough.duality_gap_ > 1e-3
    assert rough.duality_gap_ == pytest.approx(gap, rel=1e-6)

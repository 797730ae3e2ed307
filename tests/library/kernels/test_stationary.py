"""Stationary kernels: widths that are taken from data, and the Matérn kernel against exact arithmetic."""

import tracemalloc
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.spatial.distance import cdist, pdist
from scipy.stats import gamma as gamma_law
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import kernels as gaussian_process
from sklearn.metrics import pairwise
from sklearn.svm import SVC

from kernelbook.kernels import RBF, Laplacian, Linear, Matern, Periodic, RationalQuadratic

r = np.random.default_rng(7)
X, Y = r.normal(size=(30, 4)) * [1, 2, 0.5, 1] + 3, r.normal(size=(20, 4)) + 3
X.flags.writeable = Y.flags.writeable = False  # a kernel that changed its argument would raise
KINDS = {
    "RBF": RBF,
    "L2": Laplacian,
    "L1": lambda gamma: Laplacian(gamma, norm=1),
    "Matern": lambda gamma: Matern(2.5, gamma),
    "RationalQuadratic": lambda gamma: RationalQuadratic(0.5, gamma),
}
every_rule = pytest.mark.parametrize("rule", ["scale", "median"])
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
every_nu = pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])


def in_exact_arithmetic(nu, s):
    """f(s) and 2 − 2 f(s), rounded once."""
    with localcontext(prec=100):
        s = Decimal(s)
        f = {0.5: Decimal(1), 1.5: 1 + s, 2.5: 1 + s + s * s / 3}[nu] * (-s).exp()
        return float(f), float(2 - 2 * f)


@every_nu
@pytest.mark.parametrize("step", [1e-12, 1e-8, 1e-4, 0.03, 0.5, 1.0, 2.0, 7.0, 30.0])
def test_matern_and_its_distance_are_right_to_twelve_digits(nu, step):
    points = np.array([[0.0], [step], [200.0]])
    s = float(np.sqrt(2 * nu)) * 1.25 * step
    value, squared = in_exact_arithmetic(nu, s)
    assert_allclose(Matern(nu, 1.25)(points)[0, 1], value, rtol=1e-13)
    assert_allclose(Matern(nu, 1.25).distance(points)[0, 1], np.sqrt(squared), rtol=1e-13)


def exact_periodic(step, period, gamma):
    """2 − 2 exp(−4γ sin²(π step / period)) by the first terms of its series, for steps far below a period."""
    with localcontext(prec=60):
        a = Decimal("3.14159265358979323846264338327950288") * Decimal(step) / Decimal(period)
        s = 4 * Decimal(gamma) * (a - a**3 / 6 + a**5 / 120) ** 2
        return float(2 - 2 * (-s).exp())


def exact_rational_quadratic(step, alpha, gamma):
    with localcontext(prec=60):
        t = 1 + Decimal(gamma) * Decimal(step) ** 2 / Decimal(alpha)
        return float(2 - 2 * (-Decimal(alpha) * t.ln()).exp())


@pytest.mark.parametrize("origin", [0.0, 1.0, 1000.3])
@pytest.mark.parametrize("step", [2.0**-40, 2.0**-20, 2.0**-10])
def test_distances_of_near_points_are_right_to_twelve_digits(step, origin):
    """Also where each column has its own width, which none of the points is multiplied by."""
    points = np.array([[origin, origin], [origin + step, origin], [200.0, 0.0]])
    step = float(points[1, 0] - points[0, 0])
    for kernel, squared in [
        (Periodic(0.7, 1.25), exact_periodic(step, 0.7, 1.25)),
        (Periodic([0.7, 3.0], [0.3, 2.0]), exact_periodic(step, 0.7, 0.3)),
        (RationalQuadratic(0.3, 1.25), exact_rational_quadratic(step, 0.3, 1.25)),
        (RationalQuadratic(40, [0.3, 2.0]), exact_rational_quadratic(step, 40, 0.3)),
        (RBF([0.3, 2.0]), -2 * np.expm1(-0.3 * step**2)),
        (Laplacian([0.3, 2.0]), -2 * np.expm1(-0.3 * step)),
        (Laplacian([0.3, 2.0], norm=1), -2 * np.expm1(-0.3 * step)),
        (Matern(1.5, [0.3, 2.0]), in_exact_arithmetic(1.5, np.sqrt(3.0) * 0.3 * step)[1]),
    ]:
        assert_allclose(kernel.distance(points)[0, 1] ** 2, squared, rtol=1e-12, err_msg=repr(kernel))
        assert_allclose(kernel.distance(points[:1], points)[0, 1] ** 2, squared, rtol=1e-12, err_msg=repr(kernel))


@pytest.mark.parametrize("unit", [1e-200, 1e-30, 1e30, 1e200])
def test_a_width_for_each_column_takes_any_units(unit):
    units = np.array([unit, 1.0, 1.0, 1.0])
    for kind in Laplacian, KINDS["L1"], KINDS["Matern"]:
        assert_allclose(kind(np.full(4, 0.3) / units)(X * units), kind(0.3)(X), rtol=1e-12)
    if 1e-100 < unit < 1e100:
        for kind in RBF, KINDS["RationalQuadratic"]:
            assert_allclose(kind(np.full(4, 0.3) / units**2)(X * units), kind(0.3)(X), rtol=1e-12)
    assert_allclose(Periodic(2 * units, 0.3)(X * units), Periodic(2, 0.3)(X), rtol=1e-9)


def test_rational_quadratic_grows_into_the_gaussian():
    errors = [np.abs(RationalQuadratic(alpha, 0.3)(X) - RBF(0.3)(X)).max() for alpha in (1e2, 1e4, 1e6)]
    assert_allclose(errors, [0.27 / 1e2, 0.27 / 1e4, 0.27 / 1e6], rtol=0.05)  # the largest t² e^−t / 2 is 2 e^−2
    assert_allclose(RationalQuadratic(1e15, 0.3)(X), RBF(0.3)(X), rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.7, 1.0, 4.0])
def test_rational_quadratic_is_a_mixture_of_gaussians(alpha):
    def integrand(tau, squared):
        return gamma_law.pdf(tau, alpha, scale=0.3 / alpha) * np.exp(-tau * squared)

    for squared in 0.5, 4.0:
        mixed = quad(integrand, 0, np.inf, args=(squared,))[0]
        assert RationalQuadratic(alpha, 0.3)([[0.0]], [[np.sqrt(squared)]])[0, 0] == pytest.approx(mixed, rel=1e-6)


def test_rational_quadratic_falls_as_a_power():
    far = RationalQuadratic(0.5, 2.0)([[0.0]], [[1e8], [1e10]])
    assert_allclose(far, [[0.5e-8, 0.5e-10]], rtol=1e-12)  # (γ/α)^−α ‖x − x'‖^−2α


def test_periodic_is_the_gaussian_on_circles():
    period, gamma = np.array([2.5, 1.0, 0.7, 30.0]), np.array([0.3, 1.0, 2.0, 0.1])

    def circles(Z):
        return np.hstack([np.cos(2 * np.pi * Z / period), np.sin(2 * np.pi * Z / period)])

    assert_allclose(Periodic(period, gamma)(X, Y), RBF(np.tile(gamma, 2))(circles(X), circles(Y)), rtol=1e-12)
    assert_allclose(Periodic(period, gamma).distance(X), RBF(np.tile(gamma, 2)).distance(circles(X)), rtol=1e-12)


def test_periodic_repeats_itself():
    kernel = Periodic(0.75, 2.0)
    whole = 0.75 * np.array([[3, -8, 2**30, 0]])
    Z, W = np.rint(1024 * X) / 1024, np.rint(1024 * Y) / 1024  # sums with these are exact
    assert_allclose(kernel(Z + whole, W), kernel(Z, W), rtol=1e-12)
    assert_array_equal(kernel([[0.0]], 0.75 * 2.0 ** np.arange(40)[:, None]), 1)
    assert_array_equal(kernel.distance([[0.0]], 0.75 * 2.0 ** np.arange(40)[:, None]), 0)


@pytest.mark.parametrize("far", [0.7, 12345.678, 1e9 / 3])
def test_periodic_is_right_many_periods_away_and_near_a_whole_number_of_them(far):
    """The rest of the division by the period is computed with fractions."""
    turns = Fraction(far) / Fraction(0.7)
    near = float(round(turns) * Fraction(0.7))  # the nearest float to a whole number of periods
    for x in far, near, np.nextafter(near, 0):
        rest = float(Fraction(x) - round(Fraction(x) / Fraction(0.7)) * Fraction(0.7))
        squared = -2 * np.expm1(-4 * 1.25 * np.sin(np.pi * rest / 0.7) ** 2)
        assert_allclose(Periodic(0.7, 1.25).distance([[0.0]], [[x]])[0, 0] ** 2, squared, rtol=1e-14)


def test_periodic_is_psd_in_two_dimensions_and_the_sine_of_the_distance_is_not():
    """The smallest eigenvalues of Gram matrices of 60 points in the plane, beside scikit-learn's."""
    for seed in range(5):
        Z = np.random.default_rng(seed).uniform(0, 3, size=(60, 2))
        theirs = gaussian_process.ExpSineSquared(length_scale=1.0, periodicity=1.0)(Z)
        assert np.linalg.eigvalsh(theirs)[0] < -1
        assert np.linalg.eigvalsh(Periodic(gamma=0.5)(Z))[0] > -1e-12
        line = Z[:, :1]
        assert_allclose(Periodic(gamma=0.5)(line), gaussian_process.ExpSineSquared()(line), rtol=1e-10)


def test_matern_of_nu_one_half_is_the_laplacian():
    for gamma in 0.3, "scale", "median":
        rough, laplacian = Matern(0.5, gamma).fit(X), Laplacian(gamma).fit(X)
        assert_array_equal(rough(X, Y), laplacian(X, Y))
        assert_array_equal(rough(X), laplacian(X))
        assert_allclose(rough.distance(X), laplacian.distance(X), rtol=1e-14)


@every_nu
@pytest.mark.parametrize("x", [0.1, 1.0, 4.0])
def test_matern_has_the_spectrum_of_its_sobolev_space(nu, x):
    """On the line k(0, x) = ∫ (2νγ² + ω²)^−(ν + 1/2) cos(ωx) dω, up to a factor: order ν + d/2 with d = 1."""

    def density(omega):
        return (2 * nu * 0.7**2 + omega**2) ** -(nu + 0.5)

    ratio = quad(density, 0, np.inf, weight="cos", wvar=x)[0] / quad(density, 0, np.inf)[0]
    assert Matern(nu, 0.7)([[0.0]], [[x]])[0, 0] == pytest.approx(ratio, rel=1e-6)


@every_nu
@pytest.mark.parametrize("far", [1e4, 1e150, 1e300])
def test_matern_is_zero_far_away(nu, far):
    with np.errstate(over="ignore", invalid="ignore"):  # of the squared distance
        assert_array_equal(Matern(nu, 1.0)([[0.0], [far]]), np.eye(2))
        assert_array_equal(Matern(nu, 1.0).distance([[0.0], [far]]), np.sqrt(2) * (1 - np.eye(2)))


@pytest.mark.parametrize("gamma", [np.uint8(3), np.int64(3), np.float32(3), np.array(3.0)], ids=repr)
@pytest.mark.parametrize("kind", [RBF, Matern], ids=lambda kind: kind.__name__)
def test_a_number_of_any_type_is_that_number(kind, gamma):
    assert_array_equal(kind(gamma=gamma)(X), kind(gamma=3)(X))
    assert_array_equal(kind(gamma=gamma).distance(X), kind(gamma=3).distance(X))


def test_scale_is_that_of_scikit_learns_svc():
    kernel = RBF().fit(X)
    assert kernel.gamma_ == pytest.approx(SVC(gamma="scale").fit(X, X[:, 0] > 3)._gamma, rel=1e-12)
    assert kernel.gamma_ == pytest.approx(1 / (4 * X.var()), rel=1e-12)
    assert_allclose(kernel(X, Y), RBF(gamma=kernel.gamma_)(X, Y))


@pytest.mark.parametrize("norm", [1, 2])
def test_laplacian_scale_has_the_unit_of_its_distance(norm):
    gamma = Laplacian(norm=norm).fit(X).gamma_
    assert gamma == pytest.approx(1 / (4 ** (1 / norm) * X.std()), rel=1e-12)
    assert Laplacian(norm=norm).fit(10 * X).gamma_ == pytest.approx(gamma / 10)


@every_rule
def test_rational_quadratic_has_the_gaussians_gamma(rule):
    assert RationalQuadratic(0.5, rule).fit(X).gamma_ == RBF(rule).fit(X).gamma_


@every_nu
@every_rule
def test_matern_has_the_laplacians_gamma(nu, rule):
    assert Matern(nu, rule).fit(X).gamma_ == Laplacian(rule).fit(X).gamma_


@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 30])  # an odd and an even number of pairs
def test_median_is_that_of_the_distances_between_different_rows(n):
    Z = np.vstack([X[:n], X[:2]])

    def median(metric):
        different = np.sort(pdist(Z, metric))
        different = different[different > 0]
        return different[(len(different) - 1) // 2]  # of two middle ones the lower

    assert RBF("median").fit(Z).gamma_ == pytest.approx(1 / (2 * median("euclidean") ** 2), rel=1e-12)
    assert Laplacian("median").fit(Z).gamma_ == pytest.approx(1 / median("euclidean"), rel=1e-12)
    assert Laplacian("median", norm=1).fit(Z).gamma_ == pytest.approx(1 / median("cityblock"), rel=1e-12)


def test_median_of_many_rows_is_near_that_of_all():
    Z = np.random.default_rng(8).normal(size=(2500, 2))
    assert RBF("median").fit(Z).gamma_ == pytest.approx(1 / (2 * np.median(pdist(Z)) ** 2), rel=0.05)


@every_rule
@every_kind
def test_a_weight_counts_rows(kind, rule):
    weight = np.array([2, 0, 1, 3, 1, 1, 0, 2])
    weighted = kind(rule).fit(X[:8], sample_weight=weight).gamma_
    assert weighted == pytest.approx(kind(rule).fit(np.repeat(X[:8], weight, axis=0)).gamma_, rel=1e-12)
    assert weighted != pytest.approx(kind(rule).fit(X[:8]).gamma_, rel=1e-3)


@every_rule
def test_rows_without_weight_do_not_count_however_many_there_are(rule):
    Z = np.random.default_rng(9).normal(size=(2000, 2))
    weight = np.arange(2000) % 2
    kept = RBF(rule).fit(Z[weight == 1]).gamma_
    assert RBF(rule).fit(Z, sample_weight=weight).gamma_ == pytest.approx(kept, rel=1e-12)


@every_rule
@every_kind
@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 + 0.1])
@pytest.mark.parametrize("n", [1, 3, 7, 10])
def test_constant_data_give_a_usable_width(kind, rule, value, n):
    kernel = kind(rule).fit(np.full((n, 3), value))
    assert kernel.gamma_ == 1
    assert_array_equal(kernel(np.full((n, 3), value)), 1)


@every_rule
@every_kind
def test_fitting_is_in_place_and_a_clone_is_unfitted(kind, rule):
    kernel = kind(rule)
    assert kernel.fit(X) is kernel
    first = kernel.gamma_
    assert kernel.fit(5 * X).gamma_ < first
    assert kernel.gamma == rule
    assert not hasattr(clone(kernel), "gamma_")


@every_rule
@every_kind
def test_a_rule_needs_fit(kind, rule):
    kernel = kind(rule)
    for compute in kernel, kernel.diag, kernel.distance, 2 * kernel, (kernel + Linear()).diag:
        with pytest.raises(NotFittedError, match=r"takes gamma from data: call fit\(X\) first, or give gamma a number"):
            compute(X)
    assert kernel.psd


@pytest.mark.parametrize(
    ("kernel", "change"),
    [
        (RBF("scale"), {"gamma": "median"}),
        (Laplacian("median"), {"gamma": "scale"}),
        (Laplacian("scale"), {"norm": 1}),
        (Laplacian("median"), {"norm": 1}),
        (Matern(gamma="median"), {"gamma": "scale"}),
        (RationalQuadratic(gamma="median"), {"gamma": "scale"}),
    ],
)
def test_another_rule_needs_another_fit(kernel, change):
    kernel = clone(kernel).fit(X).set_params(**change)
    with pytest.raises(NotFittedError, match=r"call fit\(X\) first"):
        kernel(X)
    assert_array_equal(kernel.fit(X)(X), clone(kernel).fit(X)(X))


@every_kind
def test_a_large_block_takes_little_memory_beside_itself(kind):
    kernel, Z = kind(0.3), np.random.default_rng(3).normal(size=(3000, 2))
    for compute in kernel, kernel.distance, lambda Z: kernel(Z, Z):
        tracemalloc.start()
        block = compute(Z)
        assert tracemalloc.get_traced_memory()[1] < 1.6 * block.nbytes
        tracemalloc.stop()


def test_a_number_needs_no_fit_and_replaces_the_rule():
    kernel = RBF().fit(X).set_params(gamma=0.05)
    assert_allclose(kernel(X, Y), pairwise.rbf_kernel(X, Y, gamma=0.05))
    assert_array_equal(clone(kernel)(X, Y), kernel(X, Y))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(29), r"sample_weight must hold one number for each of 30 objects, but has shape \(29,\)"),
        (np.full(30, np.nan), "sample_weight contains NaN"),
        (np.zeros(30), "not all zero"),
        (np.r_[-1, np.ones(29)], "sample_weight must be >= 0"),
    ],
)
@every_rule
def test_bad_weights(rule, weight, message):
    with pytest.raises(ValueError, match=message):
        RBF(rule).fit(X, sample_weight=weight)


@pytest.mark.parametrize(
    ("kind", "theirs"),
    [
        (RBF, gaussian_process.RBF),
        (Matern, gaussian_process.Matern),
        (RationalQuadratic, gaussian_process.RationalQuadratic),
        (Periodic, gaussian_process.ExpSineSquared),
        (Laplacian, None),
    ],
)
def test_a_length_scale_leads_to_gamma(kind, theirs):
    """What the error says to write is evaluated and tried."""
    with pytest.raises(TypeError, match=rf"^{kind.__name__} has no length_scale, it has gamma: write ") as raised:
        kind(length_scale=0.7)
    kernel = eval(str(raised.value).split("write ")[1].rstrip("."), {kind.__name__: kind, "length_scale": 0.7})
    A, B = (X[:, :1], Y[:, :1]) if kind is Periodic else (X, Y)  # theirs is right for one column
    expected = theirs(length_scale=0.7)(A, B) if theirs else np.exp(-cdist(A, B) / 0.7)
    assert_allclose(kernel(A, B), expected, rtol=1e-10)
    with pytest.raises(TypeError, match="unexpected keyword argument 'length'"):
        kind(length=0.7)

"""The ν-machine where its margin ρ is small: still the SVC with C = 1/ρ, or a clear word."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from kernelbook import RBF, SVC, NuSVC


def overlapping(n=200, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, -1], n // 2))
    return rng.normal(size=(n, 2)) + 0.4 * y[:, None], y


@pytest.mark.parametrize(("nu", "gamma"), [(0.9, 1), (0.6, 1), (0.5, 1), (0.3, 5), (0.1, 20)])
def test_tol_is_in_units_of_f_however_small_the_margin(nu, gamma):
    X, y = overlapping()
    K = RBF(gamma)(X)
    model = NuSVC("precomputed", nu).fit(K, y)
    rho = nu * len(y) / np.abs(model.dual_coef_).sum()
    exact = NuSVC("precomputed", nu, tol=1e-7).fit(K, y)
    assert_allclose(model.decision_function(K), exact.decision_function(K), atol=1e-2)
    price = SVC("precomputed", 1 / rho, tol=1e-7).fit(K, y)
    assert_allclose(model.decision_function(K), price.decision_function(K), atol=1e-2)


def test_a_margin_that_rounding_could_have_made_is_refused():
    X, y = overlapping()
    with pytest.raises(ValueError, match=r"nu must leave a margin, but with nu = 0\.3 "):
        NuSVC(RBF(0.1), 0.3).fit(X, y)


def test_a_margin_within_rounding_of_f_is_refused_though_the_conditions_hold():
    def fit(distance):
        return NuSVC("precomputed", 0.5).fit(np.ones((2, 2)) - distance * (1 - np.eye(2)), [0, 1])

    assert_allclose(fit(1e-12).decision_function(np.eye(2)), [-1e12, 1e12], rtol=1e-3)
    with pytest.raises(ValueError, match=r"nu must leave a margin, but with nu = 0\.5 .* ρ = 9\.99e-16"):
        fit(2e-15)


def test_a_margin_too_small_for_tol_is_told():
    X, y = overlapping()
    with pytest.warns(ConvergenceWarning, match=r"nu = 0\.2 ρ is as small as .* units .* more than tol = 0\.001"):
        NuSVC(RBF(0.4), 0.2).fit(X, y)


def test_a_step_limit_is_not_taken_for_a_missing_margin():
    X, y = overlapping()
    with pytest.warns(ConvergenceWarning, match="after 20 iterations"):
        model = NuSVC(RBF(1), 0.5, max_iter=20).fit(X, y)
    assert model.n_iter_ == 20

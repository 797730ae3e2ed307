"""The feature map of a polynomial kernel, written out: against expanded powers and the kernel."""

from math import comb, factorial, prod

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.preprocessing import PolynomialFeatures

from kernelbook.kernels import Polynomial

r = np.random.default_rng(7)
X, Y = r.normal(size=(30, 4)) * [1, 2, 0.5, 1] + 3, r.normal(size=(20, 4)) + 3
X.flags.writeable = Y.flags.writeable = False  # a kernel that changed its argument would raise
FEATURES = [(4, Polynomial()), (2, Polynomial(5, 0.5, 2)), (3, Polynomial(3, 2, 0)), (3, Polynomial(2, 1, 1e-6))]
FEATURES += [(4, Polynomial(1, 2, 3)), (1, Polynomial(4, 2, 0)), (2, Polynomial(3, 0, 2)), (2, Polynomial(3, 0, 0))]


@pytest.mark.parametrize(("d", "kernel"), [*FEATURES, (1, Polynomial(60))], ids=repr)
def test_features_are_weighted_monomials_with_the_kernels_inner_products(d, kernel):
    A, B, q = X[:, :d], Y[:, :d], kernel.degree
    assert_allclose(kernel.features(A) @ kernel.features(B).T, kernel(A, B), rtol=1e-12)
    oracle = PolynomialFeatures(q, include_bias=kernel.coef0 > 0).fit(A)
    columns = [i for i, powers in enumerate(oracle.powers_) if kernel.coef0 or sum(powers) == q]
    assert len(columns) == comb(d + q - (kernel.coef0 == 0), q)
    orders = [factorial(q) / prod(map(factorial, [*map(int, p), q - int(sum(p))])) for p in oracle.powers_]
    weights = orders * kernel.gamma ** oracle.powers_.sum(axis=1) * kernel.coef0 ** (q - oracle.powers_.sum(axis=1))
    assert_allclose(kernel.features(A), (oracle.transform(A) * np.sqrt(weights))[:, columns], rtol=1e-12)


def test_features_stop_where_there_are_too_many(monkeypatch):
    with pytest.raises(ValueError, match="1048577 features for each of 1 points are too many"):
        Polynomial(degree=1).features(np.ones((1, 2**20)))
    with pytest.raises(ValueError, match="53130 features for each of 2527 points are too many"):
        Polynomial(degree=5).features(np.ones((2527, 20)))
    with pytest.raises(ValueError, match="100001 features for each of 1 points are too many"):
        Polynomial(degree=10**5).features([[0.1]])
    assert (Polynomial(degree=1100).features([[0.1]]) ** 2).sum() == pytest.approx(1.01**1100)
    monkeypatch.setattr("kernelbook.kernels.dot_products.MOST_FEATURES", 6)
    monkeypatch.setattr("kernelbook.kernels.dot_products.MOST_NUMBERS", 12)
    assert Polynomial(degree=2).features(X[:2, :2]).shape == (2, 6)
    for too_large in X[:3, :2], X[:1, :3]:
        with pytest.raises(ValueError, match="are too many"):
            Polynomial(degree=2).features(too_large)

"""Pre-images: training objects come back, results are stationary, what cannot be found is said."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from kernelbook import RBF, KernelPCA, Laplacian, Linear, Polynomial
from kernelbook.components import pca
from kernelbook.rkhs import preimages
from kernelbook.rkhs.preimages import fixed_point, gaussian
from tests.library.samples import stretched_normal

SPREAD = np.array([1.0, 2.0, 3.0])  # the standard deviations of a `stretched_normal`


def sum_at(model, scores, Z):
    """⟨P, φ(z)⟩ for each z, from P = φ̄ + Σ_m s_m v_m alone."""
    K = model.kernel_(Z, model.X_fit_)
    return K.mean(axis=1) + np.sum(scores * (K @ model.dual_coef_), axis=1)


@pytest.mark.parametrize("kernel", [RBF(0.1), RBF(3.0), RBF([0.1, 0.5, 0.02]), 1e-6 * RBF(0.1)], ids=repr)
def test_all_components_give_training_objects_back(kernel):
    X, _ = stretched_normal(80)
    model = KernelPCA(None, kernel).fit(X)
    assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-6)


@pytest.mark.parametrize("kernel", [RBF(0.1), 0.01 * RBF("median"), RBF([0.1, 0.5, 0.02])], ids=repr)
@pytest.mark.parametrize("q", [1, 4, 20])
def test_the_distance_has_gradient_zero_and_is_a_minimum(kernel, q):
    X, new = stretched_normal(80)
    model = KernelPCA(q, kernel).fit(X)
    scores = np.vstack([model.transform(new), 2 * model.transform(new), np.zeros((1, q))])
    Z = model.inverse_transform(scores)
    found = sum_at(model, scores, Z)
    rng = np.random.default_rng(1)
    for _ in range(10):
        near = Z + 1e-3 * rng.normal(size=Z.shape) * SPREAD
        assert (sum_at(model, scores, near) <= found * (1 + 1e-9)).all()
    for j in range(3):
        h = 1e-3 * SPREAD * (np.arange(3) == j)
        slope = (sum_at(model, scores, Z + h) - sum_at(model, scores, Z - h)) / 2e-3
        assert_allclose(slope / found, 0, atol=2e-5)
    for x in X:  # no training object is nearer
        at = np.broadcast_to(x, Z.shape)
        assert (sum_at(model, scores, at) <= found * (1 + 1e-12)).all()


def test_the_equation_of_the_fixed_point():
    X, new = stretched_normal(80)
    model = KernelPCA(5, RBF(0.1)).fit(X)
    scores = model.transform(new)
    Z = model.inverse_transform(scores)
    weights = scores @ model.dual_coef_.T
    weights += (1 - weights.sum(axis=1, keepdims=True)) / len(X)
    terms = weights * RBF(0.1)(Z, X)
    assert (weights < 0).any()
    assert_allclose(terms @ X / terms.sum(axis=1, keepdims=True), Z, atol=1e-5)


def test_one_feature_point_is_its_own_preimage():
    X = np.array([[0.0], [1.0], [5.0]])
    Z, converged = fixed_point(RBF(1.0), X, np.eye(3), X[[1, 1, 2]])
    assert_allclose(Z, X, atol=1e-6)
    assert converged.all()


def test_a_step_too_long_is_shortened():
    """With negative weights the equation of the fixed point, taken as it stands, can lead away from it."""
    X, weights = np.array([[-0.3], [0.0], [0.3]]), np.array([[-1.0, 2.0, -1.0]])
    z = np.array([[0.01]])
    terms = weights * RBF(1.0)(z, X)
    assert abs(terms @ X / terms.sum()) > 1.5 * z
    Z, converged = fixed_point(RBF(1.0), X, weights, z)
    assert converged.all()
    assert_allclose(Z, 0, atol=1e-6)


def test_after_a_shortened_step_the_next_is_full_again(monkeypatch):
    tried, shift = [], preimages._mean_shift

    def recorded(*given):
        found = shift(*given)
        tried.append((given[-1][0, 0], found[0][0], found[2][0, 0]))
        return found

    monkeypatch.setattr(preimages, "_mean_shift", recorded)
    X, weights = np.array([[-0.3], [0.0], [0.3]]), np.array([[-1.0, 2.0, -1.0]])
    fixed_point(RBF(1.0), X, weights, np.array([[0.01]]))
    (at, value, goal), share, shortened = tried[0], 1.0, 0
    for z, new_value, new_goal in tried[1:]:
        assert (z - at) / (goal - at) == pytest.approx(share)
        if new_value >= value:
            shortened += share < 1
            at, value, goal, share = z, new_value, new_goal, 1.0
        else:
            share /= 2
    assert shortened > 1


@pytest.mark.parametrize("s", [1e-8, 1e8])
@pytest.mark.parametrize("preimage", ["fixed-point", "ridge"])
def test_units(s, preimage):
    X, new = stretched_normal(80)
    plain = KernelPCA(5, RBF(0.1), preimage=preimage, alpha=1e-3).fit(X)
    expected = plain.inverse_transform(plain.transform(new))
    scaled = KernelPCA(5, s * RBF(0.1), preimage=preimage, alpha=1e-3).fit(X)
    assert_allclose(scaled.inverse_transform(scaled.transform(new)), expected, atol=1e-5)
    moved = KernelPCA(5, RBF(0.1 / s**2), preimage=preimage, alpha=1e-3).fit(s * X)
    assert_allclose(moved.inverse_transform(moved.transform(s * new)) / s, expected, atol=1e-5)


def test_chunks_change_nothing(monkeypatch):
    X, new = stretched_normal(80)
    model = KernelPCA(5, RBF(0.1)).fit(X)
    expected = model.inverse_transform(model.transform(new))
    monkeypatch.setattr(pca, "BLOCK_NUMBERS", 3 * len(X))
    assert_allclose(model.inverse_transform(model.transform(new)), expected, atol=1e-6)


def test_what_does_not_converge_is_counted_and_the_best_seen():
    X, new = stretched_normal(80)
    model = KernelPCA(5, RBF(0.1)).fit(X)
    scores = model.transform(new)
    exact = sum_at(model, scores, model.inverse_transform(scores))
    at_objects = np.array([sum_at(model, scores, np.broadcast_to(x, new.shape)) for x in X])
    nearest = at_objects.max(axis=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preimages, "MAX_ITER", 3)
        with pytest.warns(ConvergenceWarning, match="^20 of 20 pre-images are not fixed points"):
            rough = sum_at(model, scores, model.inverse_transform(scores))
        patch.setattr(preimages, "MAX_ITER", 0)
        with pytest.warns(ConvergenceWarning, match="^20 of 20 pre-images are not fixed points"):
            assert_array_equal(model.inverse_transform(scores), X[at_objects.argmax(axis=0)])
    assert (rough >= nearest - 1e-12).all()
    assert (rough <= exact + 1e-12).all()
    assert rough.sum() > nearest.sum() + 0.01


def test_components_that_point_away_from_everything():
    """Their sum Σ_i w_i k(z, x_i) is not positive at any training object: the nearest one is the answer."""
    X = np.array([[0.0], [1.0], [2.0]])
    weights = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    Z, converged = fixed_point(RBF(1.0), X, weights, X)
    assert_array_equal(converged, [False, False, True])
    assert_allclose(Z, [[0.0], [1.0], [0.0]], atol=1e-6)


@pytest.mark.parametrize("kernel", [RBF(0.05), Polynomial(2), Laplacian(0.3)], ids=repr)
def test_the_ridge_map_is_least_squares_on_the_components(kernel):
    X, new = stretched_normal(80)
    alpha, model = 0.01, KernelPCA(4, kernel, preimage="ridge", alpha=0.01).fit(X)
    S, mean = model.transform(X), X.mean(axis=0)
    root = np.sqrt(alpha * model.eigenvalues_[0]) * np.eye(4)
    B = np.linalg.lstsq(np.vstack([S, root]), np.vstack([X - mean, np.zeros((4, 3))]), rcond=None)[0]
    scores = model.transform(new)
    assert_allclose(model.inverse_transform(scores), mean + scores @ B, atol=1e-9)
    everything = KernelPCA(None, kernel, preimage="ridge").fit(X)
    if isinstance(kernel, Laplacian):  # of full rank, and well conditioned
        assert_allclose(everything.inverse_transform(everything.transform(X)), X, atol=1e-9)


@pytest.mark.parametrize("gamma", [1e-3, 1e-7, 1e-11])
def test_a_wide_kernel_is_as_exact_as_the_data_are_spread(gamma):
    X, new = stretched_normal(80, d=1)
    model = KernelPCA(None, RBF(gamma)).fit(X)
    assert_allclose(model.inverse_transform(model.transform(new)), new, atol=1e-3)


def test_the_fitted_kernel_decides():
    X, new = stretched_normal(80)
    model = KernelPCA(2, "linear").fit(X)
    model.set_params(kernel="rbf", preimage="fixed-point")
    with pytest.raises(ValueError, match=r"needs an RBF, but kernel_ is Linear\(\)"):
        model.inverse_transform(model.transform(new))


def test_the_default_suits_the_kernel():
    X, new = stretched_normal(80)
    for kernel, same in [("rbf", "fixed-point"), (2 * RBF(0.1), "fixed-point"), ("linear", "ridge")]:
        one, other = KernelPCA(3, kernel).fit(X), KernelPCA(3, kernel, preimage=same).fit(X)
        scores = one.transform(new)
        assert_array_equal(one.inverse_transform(scores), other.inverse_transform(scores))


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (RBF(0.3), RBF(0.3)),
        (2 * RBF(0.3), RBF(0.3)),
        (2 * (3 * RBF(0.3)), RBF(0.3)),
        (-1 * RBF(0.3), None),
        (0 * RBF(0.3), None),
        (RBF(0.3) + Linear(), None),
        (Laplacian(0.3), None),
    ],
    ids=repr,
)
def test_which_kernels_are_gaussian(kernel, expected):
    assert repr(gaussian(kernel)) == repr(expected)


def test_digits_are_denoised():
    """Noise of 0.3 in each of 64 pixels; what is left, beside the noise: less than PCA leaves with its best number."""
    images = np.random.default_rng(0).permutation(load_digits().data / 16)[:700]
    train, clean = images[:500], images[500:]
    noisy = clean + 0.3 * np.random.default_rng(1).normal(size=clean.shape)

    def left(model):
        return np.square(model.inverse_transform(model.fit(train).transform(noisy)) - clean).mean()

    pca = min(left(KernelPCA(q, Linear())) for q in (4, 8, 12, 16, 24))
    assert left(KernelPCA(64, RBF(0.1))) < 0.75 * pca < 0.75 * 0.5 * np.square(noisy - clean).mean()
    assert left(KernelPCA(64, RBF(0.1), preimage="ridge")) < pca

"""Random features: unbiased for every kernel with a spectrum, with the variance that the formula says."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import (
    RBF,
    ArcCosine,
    Columns,
    Constant,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    RandomFeatures,
    RationalQuadratic,
    Spectrum,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 3))
KERNELS = [
    RBF(0.3),
    RBF([0.1, 0.5, 1.0]),
    Laplacian(0.5),
    Laplacian([0.1, 0.4, 0.3]),
    Laplacian(0.3, norm=1),
    Laplacian([0.1, 0.4, 0.3], norm=1),
    Matern(0.5, 0.5),
    Matern(1.5, 0.7),
    Matern(2.5, [0.2, 0.5, 1.0]),
    RationalQuadratic(0.5, 0.4),
    RationalQuadratic(2.0, [0.1, 0.3, 0.2]),
    Periodic(3.0, 0.4),
    Periodic([3.0, 2.0, 4.0], [0.3, 0.2, 0.0]),
    RBF(0.2) + 2 * Periodic(3.0),
    RBF(0.2) * Matern(1.5, 0.4),
    3 * RBF(0.2) ** 2 + 1,
    (0.5 * RBF(0.1) + Constant(2.0)).normalized(),
]


@parametrize_with_checks([RandomFeatures(), RandomFeatures(n_components=5, orthogonal=True)])
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("orthogonal", [False, True])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_products_are_the_kernel_on_average(kernel, orthogonal):
    D = 20_000
    F = RandomFeatures(kernel, D, orthogonal=orthogonal, random_state=0).fit_transform(X)
    K = kernel(X)
    assert_allclose(F @ F.T, K, atol=5 * K.max() / np.sqrt(D))  # the variance is at most k(0, 0)² / D
    assert_allclose((F @ F.T).diagonal(), K.diagonal(), rtol=1e-9)


@pytest.mark.parametrize("distance", [0.3, 1.0, 2.0])
def test_the_variance_is_that_of_the_formula(distance):
    points, D = np.array([[0.0, 0.0], [distance, 0.0]]), 40
    features = (RandomFeatures(RBF(0.5), D, random_state=seed).fit_transform(points) for seed in range(800))
    found = np.array([F[0] @ F[1] for F in features])
    k = RBF(0.5)(points)[0, 1]
    assert found.mean() == pytest.approx(k, abs=4 * found.std() / np.sqrt(800))
    assert found.var() == pytest.approx((1 - k**2) ** 2 / D, rel=0.25)


def test_an_odd_number_of_features_is_right_on_average():
    features = [RandomFeatures(2 * RBF(0.5), 3, random_state=seed).fit_transform(X) for seed in range(3000)]
    products = np.mean([F @ F.T for F in features], axis=0)
    assert features[0].shape == (8, 3)
    assert_allclose(products, 2 * RBF(0.5)(X), atol=5 * 2 * 1.2 / np.sqrt(3 * 3000))


def test_orthogonal_frequencies_are_orthogonal_and_as_long_as_others():
    model = RandomFeatures(RBF(0.5), 2 * 3 * 1000, orthogonal=True, random_state=0).fit(X)
    groups = model.frequencies_.reshape(1000, 3, 3)
    products = groups @ groups.transpose(0, 2, 1)
    assert np.abs(products[:, ~np.eye(3, dtype=bool)]).max() < 1e-9
    squares = np.square(model.frequencies_).sum(axis=1)  # χ² of 3 degrees of freedom
    assert squares.mean() == pytest.approx(3, abs=0.15)
    assert squares.var() == pytest.approx(6, rel=0.15)
    assert_allclose(np.cov(model.frequencies_.T), np.eye(3), atol=0.1)


def test_orthogonal_frequencies_vary_less():
    points = RNG.normal(size=(20, 10)) / np.sqrt(10)
    K, errors = RBF(0.5)(points), {}
    for orthogonal in (False, True):
        features = [RandomFeatures(RBF(0.5), 40, orthogonal=orthogonal, random_state=s) for s in range(60)]
        errors[orthogonal] = [np.abs(F @ F.T - K).mean() for F in (f.fit_transform(points) for f in features)]
    assert np.mean(errors[True]) < 0.8 * np.mean(errors[False])


def test_sums_mix_in_proportion_and_products_add():
    features = RandomFeatures(3 * RBF(1.0) + Constant(1.0), 4000, random_state=0).fit(X)
    assert features.mass_ == 4
    assert np.mean(~features.frequencies_.any(axis=1)) == pytest.approx(0.25, abs=0.04)
    variance = RandomFeatures(RBF(1.0) * RBF(2.0), 8000, random_state=0).fit(X).frequencies_.var()
    assert variance == pytest.approx(6, rel=0.05)  # as of RBF(3)


def test_periodic_frequencies_are_multiples():
    features = RandomFeatures(Periodic(3.0, 0.4), 100, random_state=0).fit(X)
    m = features.frequencies_ * 3 / (2 * np.pi)
    assert_allclose(m, np.rint(m), atol=1e-9)
    assert_allclose(features.transform(X + 3), features.transform(X), atol=1e-9)


def test_the_width_is_taken_from_data_once():
    model = RandomFeatures(RBF("median"), 2000, random_state=0).fit(X)
    assert model.kernel_.gamma_ == RBF("median").fit(X).gamma_
    assert_allclose(model.transform(X) @ model.transform(X).T, model.kernel_(X), atol=0.1)


def test_they_serve_in_pipelines():
    x = np.linspace(0, 6, 300)[:, None]
    model = make_pipeline(RandomFeatures(RBF(1.0), 200, random_state=0), Ridge(1e-3)).fit(x, np.sin(3 * x[:, 0]))
    assert model.score(x, np.sin(3 * x[:, 0])) > 0.999
    labels = np.sin(3 * x[:, 0]) > 0
    assert (
        make_pipeline(RandomFeatures(RBF(1.0), 200, random_state=0), LinearSVC(C=10)).fit(x, labels).score(x, labels)
        > 0.97
    )
    assert_array_equal(model[0].get_feature_names_out()[:2], ["randomfeatures0", "randomfeatures1"])


@pytest.mark.parametrize(
    ("model", "objects", "message"),
    [
        (RandomFeatures(n_components=0), X, "n_components"),
        (RandomFeatures("precomputed"), X @ X.T, "got 'precomputed'"),
        (RandomFeatures(Polynomial()), X, r"kernel must be a mixture of waves, .* got Polynomial\(\)\.$"),
        (RandomFeatures(Linear() + RBF(1.0)), X, r"kernel must be a mixture of waves, .* got Linear\(\)\.$"),
        (RandomFeatures(ArcCosine()), X, "kernel must be a mixture of waves"),
        (RandomFeatures(lambda A, B: A @ B.T), X, "kernel must be a mixture of waves"),
        (RandomFeatures(Columns([([0], RBF(1.0))])), X, "kernel must be a mixture of waves"),
        (RandomFeatures(Spectrum()), ["ab"], "kernel must be a mixture of waves|X"),
        (RandomFeatures(RBF(1.0) + -1 * RBF(2.0)), X, r"has a negative factor: -1 \* RBF\(gamma=2\.0\)"),
        (RandomFeatures(RBF([1.0, 2.0])), X, "gamma must be a number or 3 numbers"),
        (RandomFeatures(Constant(1.0)), ["a", "b"], "X must"),
    ],
)
def test_bad_input(model, objects, message):
    with pytest.raises(ValueError, match=message):
        model.fit(objects)

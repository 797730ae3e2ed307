"""Ridge regression from moments: against the machine with the kernel, scikit-learn's, and fits to folds."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import (
    RBF,
    ExactFeatures,
    FeatureRidgeCV,
    KernelRidgeCV,
    Linear,
    Moments,
    Nystroem,
    RandomFeatures,
    Spectrum,
)
from tests.library.samples import noisy_sine, random_weights

X, Y, NEW = noisy_sine(150)
W = random_weights(150, 1)
ALPHAS = [1e-3, 1e-2, 0.1, 1.0, 10.0]
FEATURES = Nystroem(RBF(0.5), 20, random_state=0).fit(X)
BLOCKS = [slice(0, 40), slice(40, 45), slice(45, 150)]
TWO = np.column_stack([Y, 3 * X[:, 0] ** 2])
UNFITTED = "features must be fitted before: the landmarks of a first block would be those of no other"
NO_SAMPLE = {
    "check_sample_weight_equivalence_on_dense_data": "weights matter to the fit on the features, not to these",
    "check_estimators_partial_fit_n_features": UNFITTED,
    "check_n_features_in_after_fitting": UNFITTED,
}


@parametrize_with_checks(
    [FeatureRidgeCV(Nystroem(random_state=0)), FeatureRidgeCV(RandomFeatures(n_components=300, random_state=0), [0.1])],
    expected_failed_checks=lambda estimator: NO_SAMPLE,
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("weight", [None, W])
@pytest.mark.parametrize("y", [Y, TWO], ids=["one target", "two"])
def test_with_all_objects_as_landmarks_it_is_the_machine_with_the_kernel(y, weight):
    ours = FeatureRidgeCV(Nystroem(RBF(0.5), 150), ALPHAS).fit(X, y, weight)
    theirs = KernelRidgeCV(RBF(0.5), ALPHAS, fit_intercept=True).fit(X, y, weight)
    assert_allclose(ours.gcv_, theirs.gcv_, rtol=1e-6)
    assert_allclose(ours.degrees_of_freedom_, theirs.degrees_of_freedom_, rtol=1e-6)
    theirs.set_params(alphas=[ours.alpha_]).fit(X, y, weight)
    assert_allclose(ours.predict(NEW), theirs.predict(NEW), atol=1e-4)  # eigenvalues below 10⁻¹¹ are left out
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)


@pytest.mark.parametrize("features", [FEATURES, RandomFeatures(RBF(0.5), 30, random_state=0), ExactFeatures(Linear())])
def test_it_is_ridge_regression_on_the_features(features):
    ours = FeatureRidgeCV(features, [0.3]).fit(X, TWO, W)
    F = ours.features_.transform(X)
    theirs = Ridge(0.3).fit(F, TWO, W)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-8)
    assert_allclose(ours.predict(NEW), theirs.predict(ours.features_.transform(NEW)), atol=1e-8)
    residuals = TWO - theirs.predict(F)
    gcv = (W @ residuals**2).mean() / W.sum() / (1 - ours.degrees_of_freedom_ / 150) ** 2
    assert_allclose(ours.gcv_, gcv, rtol=1e-8)


def test_blocks_streams_and_sums_are_one_fit():
    whole = FeatureRidgeCV(FEATURES, ALPHAS).fit_moments(FEATURES.moments(X, Y, W))
    parts = [FEATURES.moments(X[rows], Y[rows], W[rows]) for rows in BLOCKS]
    stream = FeatureRidgeCV(FEATURES, ALPHAS)
    for rows in BLOCKS:
        stream.partial_fit(X[rows], Y[rows], W[rows])
    for model in (FeatureRidgeCV(FEATURES, ALPHAS).fit_moments(sum(parts)), stream):
        assert model.alpha_ == whole.alpha_
        assert_allclose(model.predict(NEW), whole.predict(NEW), atol=1e-7)
        assert_allclose(model.gcv_, whole.gcv_, rtol=1e-9)
    assert (stream.n_blocks_, stream.moments_.rows) == (3, 150)
    more = FeatureRidgeCV(Nystroem(RBF(0.5), 20, random_state=0), ALPHAS).fit(X, Y).partial_fit(X[:20], Y[:20])
    assert more.moments_.rows == 170


def test_a_block_that_is_taken_away_is_forgotten():
    total = sum(FEATURES.moments(X[rows], Y[rows]) for rows in BLOCKS)
    rest = total - FEATURES.moments(X[BLOCKS[1]], Y[BLOCKS[1]])
    kept = np.r_[BLOCKS[0], BLOCKS[2]]
    expected = FeatureRidgeCV(FEATURES, [0.1]).fit_moments(FEATURES.moments(X[kept], Y[kept]))
    assert_allclose(FeatureRidgeCV(FEATURES, [0.1]).fit_moments(rest).predict(NEW), expected.predict(NEW), atol=1e-7)


@pytest.mark.parametrize("y", [Y, TWO], ids=["one target", "two"])
def test_errors_of_blocks_are_those_of_fits_to_the_others(y):
    parts = [FEATURES.moments(X[rows], y[rows], W[rows]) for rows in BLOCKS]
    model = FeatureRidgeCV(FEATURES, ALPHAS).fit_moments(parts)
    F, expected = FEATURES.transform(X), []
    for alpha in ALPHAS:
        squares = np.zeros(y.shape)
        for rows in BLOCKS:
            others = np.delete(np.arange(150), rows)
            fit = Ridge(alpha).fit(F[others], y[others], W[others])
            squares[rows] = (fit.predict(F[rows]) - y[rows]) ** 2
        expected.append((W @ squares).mean() / W.sum())
    assert_allclose(model.block_errors_, expected, rtol=1e-8)
    assert model.alpha_ == ALPHAS[int(np.argmin(expected))]
    assert_allclose(model.predict(NEW), FeatureRidgeCV(FEATURES, [model.alpha_]).fit_moments(sum(parts)).predict(NEW))
    assert FeatureRidgeCV(FEATURES, ALPHAS).fit_moments(sum(parts)).block_errors_ is None
    assert FeatureRidgeCV(FEATURES, ALPHAS).fit_moments(parts[:1]).block_errors_ is None


def test_blocks_may_choose_otherwise_than_cross_validation_of_all():
    """Where each block has a level of its own, the error on a new block is larger than on a new object."""
    rng = np.random.default_rng(0)
    level = np.repeat(rng.normal(size=15), 10)
    parts = [FEATURES.moments(X[i : i + 10], (Y + 3 * level)[i : i + 10]) for i in range(0, 150, 10)]
    model = FeatureRidgeCV(FEATURES, ALPHAS).fit_moments(parts)
    assert model.block_errors_.min() > 1.05 * model.gcv_.min()


def test_a_shift_of_y_is_added_to_the_intercept():
    expected = FeatureRidgeCV(FEATURES, ALPHAS).fit(X, Y)
    shifted = FeatureRidgeCV(FEATURES, ALPHAS).fit(X, Y + 1e8)
    assert_allclose(shifted.gcv_, expected.gcv_, rtol=1e-6)
    assert_allclose(shifted.intercept_ - 1e8, expected.intercept_, atol=1e-6)
    assert shifted.alpha_ == expected.alpha_


def test_features_without_any_spread_give_the_mean():
    model = FeatureRidgeCV(ExactFeatures(Linear()), ALPHAS).fit(np.ones((9, 2)), np.arange(9.0))
    assert_allclose(model.predict([[1.0, 1.0], [5.0, 5.0]]), [4.0, 4.0])
    assert_allclose(model.degrees_of_freedom_, 1)


def test_a_tiny_ridge_makes_nothing_of_rounding():
    x = X[:, :1]
    model = FeatureRidgeCV(ExactFeatures(Linear()), [1e-25]).fit(np.hstack([x, x, x / 3]), x[:, 0])
    assert_allclose(model.coef_, np.array([9, 9, 3]) / 19, rtol=1e-6)


@pytest.mark.filterwarnings("error")
def test_one_object_is_the_mean_too():
    model = FeatureRidgeCV(ExactFeatures(Linear()), ALPHAS).fit([[1.0, 2.0]], [3.0])
    assert model.predict([[5.0, 5.0]]) == pytest.approx(3.0)


def test_strings_and_grids():
    words = ["tara", "tata", "rata", "tar", "art", "rat", "start", "tart"] * 3
    model = FeatureRidgeCV(ExactFeatures(Spectrum(1)), ALPHAS)
    search = GridSearchCV(model, {"features__kernel__n": [1, 2]}, cv=3).fit(words, [word.count("t") for word in words])
    assert search.best_params_ == {"features__kernel__n": 1}
    assert search.best_estimator_.score(words, [word.count("t") for word in words]) > 0.999


def test_a_matrix_gives_what_its_kernel_gives():
    by_kernel = FeatureRidgeCV(Nystroem(RBF(0.5), 20, random_state=0), ALPHAS).fit(X, Y)
    by_matrix = FeatureRidgeCV(Nystroem("precomputed", 20, random_state=0), ALPHAS).fit(RBF(0.5)(X), Y)
    assert_allclose(by_matrix.predict(RBF(0.5)(NEW, X)), by_kernel.predict(NEW), atol=1e-7)


def test_names_of_columns_come_from_the_features():
    frame = pd.DataFrame(X, columns=["a", "b"])
    features = Nystroem(RBF(0.5), 20, random_state=0).fit(frame)
    model = FeatureRidgeCV(features, ALPHAS).fit_moments(features.moments(frame, Y))
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["b", "a"]])


def test_a_block_that_is_refused_is_named_and_forgotten():
    model = FeatureRidgeCV(FEATURES, ALPHAS).partial_fit(X[:50], Y[:50])
    said, holes = model.predict(NEW), X[50:100].copy()
    holes[7, 0] = np.nan
    for objects, y, message in (
        (holes, Y[50:100], r"^block 2: Input X contains NaN.* The first gap is in row 7\.$"),
        (X[:0], Y[:0], r"^block 2: .*minimum of 1|^block 2: X must hold at least one object"),
        (X[50:100, :1], Y[50:100], "^block 2: X has 1 features"),
        (X[50:100], TWO[50:100], "^block 2: moments must be those of the same targets"),
        (X[50:100], None, "^block 2: .*y"),
    ):
        with pytest.raises(ValueError, match=message):
            model.partial_fit(objects, y)
        assert_array_equal(model.predict(NEW), said)
        assert model.n_blocks_ == 1
    assert model.partial_fit(X[50:], Y[50:]).moments_.rows == 150


MOMENTS = FEATURES.moments(X, Y)


@pytest.mark.parametrize(
    ("model", "moments", "error", "message"),
    [
        (FeatureRidgeCV(Nystroem(RBF(0.5))), MOMENTS, NotFittedError, "features must be fitted before, on a sample"),
        (FeatureRidgeCV(), MOMENTS, NotFittedError, "features must be fitted before, on a sample"),
        (FeatureRidgeCV(RandomFeatures(RBF(0.5)).fit(X)), MOMENTS, ValueError, "those of block 0 are not"),
        (FeatureRidgeCV(FEATURES), [MOMENTS, FEATURES.moments(X)], ValueError, "of targets too, but block 1 has none"),
        (FeatureRidgeCV(FEATURES), [], ValueError, r"moments must be Moments, or a list of them, got \[\]"),
        (FeatureRidgeCV(FEATURES), X, ValueError, "moments must be Moments, or a list of them, got an array"),
        (FeatureRidgeCV(FEATURES, [0.0]), MOMENTS, ValueError, "alphas must be a list of numbers > 0"),
        (FeatureRidgeCV(FEATURES, 1.0), MOMENTS, ValueError, r"write alphas=\[1\.0\]"),
        (FeatureRidgeCV(RBF(1.0)), MOMENTS, ValueError, "'features' parameter of FeatureRidgeCV"),
    ],
)
def test_bad_input(model, moments, error, message):
    assert isinstance(MOMENTS, Moments)
    with pytest.raises(error, match=message):
        model.fit_moments(moments)


def test_a_stream_needs_fitted_features():
    with pytest.raises(NotFittedError, match="features must be fitted before, on a sample of all data"):
        FeatureRidgeCV(Nystroem(RBF(0.5))).partial_fit(X, Y)

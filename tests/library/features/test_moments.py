"""Moments: sums that add and can be taken away, by Chan's formula, and that no shift of the data spoils."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from kernelbook import RBF, ExactFeatures, KernelPCA, Linear, Moments, Nystroem, RandomFeatures, Spectrum
from kernelbook.features import mapping, nystroem
from tests.library.samples import random_weights, random_words

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(90, 2)), RNG.normal(size=(90, 2))
W = random_weights(90, 1)
FEATURES = Nystroem(RBF(0.5), 12, random_state=0).fit(X)
SUMS = "n", "rows", "mean", "y_mean", "A", "b", "c"
PARTS = [slice(0, 20), slice(20, 21), slice(21, 90)]


def by_hand(F, y, w):
    n = w.sum()
    mean, y_mean = w @ F / n, w @ y / n
    A = (F - mean).T @ ((F - mean) * w[:, None])
    b = (F - mean).T @ (w * (y - y_mean).T).T
    return {"n": n, "rows": len(F), "mean": mean, "y_mean": y_mean, "A": A, "b": b, "c": w @ (y - y_mean) ** 2}


def assert_moments(found, expected, rtol=1e-9):
    for name in SUMS:
        one = getattr(found, name)
        other = expected[name] if isinstance(expected, dict) else getattr(expected, name)
        assert np.shape(one) == np.shape(other), name
        assert_allclose(one, other, rtol=rtol, atol=rtol * np.abs(other).max(), err_msg=name)


ALL = {
    "landmarks": (FEATURES, X),
    "waves": (RandomFeatures(RBF(0.5), 9, random_state=0).fit(X), X),
    "vectors": (ExactFeatures(Linear()).fit(X), X),
    "n-grams": (lambda words: (ExactFeatures(Spectrum(2)).fit(words), words))(random_words("ab", [5] * 90)),
}


@pytest.mark.parametrize(("features", "objects"), ALL.values(), ids=ALL)
@pytest.mark.parametrize("y", [Y, Y[:, 0]], ids=["two targets", "one"])
def test_they_are_the_centred_sums(features, objects, y):
    F = features.transform(objects)
    F = F if isinstance(F, np.ndarray) else F.toarray()
    assert_moments(features.moments(objects, y), by_hand(F, y, np.ones(90)))
    whole = features.moments(objects, y, W)
    assert_moments(whole, by_hand(F, y, W))
    assert_array_equal(whole.A, whole.A.T)
    parts = [features.moments(objects[rows], y[rows], W[rows]) for rows in PARTS]
    assert_moments(sum(parts), whole)
    assert_moments(sum(parts) - parts[2], parts[0] + parts[1])
    assert_moments(whole - parts[0] - parts[1], parts[2])


def test_blocks_of_a_call_are_no_part_of_the_result(monkeypatch):
    whole = FEATURES.moments(X, Y, W)
    monkeypatch.setattr(nystroem, "NUMBERS", 12 * 7)
    assert_moments(FEATURES.moments(X, Y, W), whole)


@pytest.mark.parametrize("m", [12, 40])
def test_whitening_after_the_sum_changes_digits_only(m, monkeypatch):
    features = Nystroem(Linear() + 1e-3 * RBF(5.0), m, random_state=0).fit(X)
    F = features.transform(X)
    for condition in (0, 1e30):
        monkeypatch.setattr(mapping, "WHITENED_AFTER", condition)
        assert_moments(features.moments(X, Y, W), by_hand(F, Y, W), rtol=1e-6)


def test_an_ill_conditioned_matrix_is_whitened_before(monkeypatch):
    """Whitened after the sum, the same features lose digits that those whitened before keep."""
    x = np.linspace(0, 1, 400)[:, None]
    features = Nystroem(RBF(1.0), 30, random_state=0).fit(x)
    assert features.eigenvalues_[0] / features.eigenvalues_[-1] > 1e11
    expected = by_hand(features.transform(x), x[:, 0], np.ones(400))

    def error():
        return np.abs(features.moments(x, x[:, 0]).A - expected["A"]).max() / np.abs(expected["A"]).max()

    before = error()
    monkeypatch.setattr(mapping, "WHITENED_AFTER", 1e30)
    assert before < 1e-13
    assert error() > 1e-9


def test_a_shift_of_the_data_costs_no_digits():
    """Σ y² − n ȳ² would leave nothing of these sums; Chan's formula keeps what y itself has."""
    features, far = ExactFeatures(Linear()).fit(X), 1e8
    expected = features.moments(X, Y[:, 0])
    parts = [features.moments(X[rows] + far, Y[rows, 0] + far) for rows in PARTS]
    total = sum(parts)
    for name in ("A", "b", "c"):
        assert_allclose(getattr(total, name), getattr(expected, name), rtol=1e-6, atol=1e-6)
    raw = ((Y[:, 0] + far) ** 2).sum() - 90 * (Y[:, 0] + far).mean() ** 2
    assert abs(raw - expected.c) > 1  # the control


def test_weights_count_objects():
    w = np.arange(90) % 3
    assert_moments(FEATURES.moments(X, Y, w), FEATURES.moments(X[w > 0], Y[w > 0], w[w > 0]))
    copies = FEATURES.moments(np.repeat(X, w, axis=0), np.repeat(Y, w, axis=0))
    weighted = FEATURES.moments(X, Y, w)
    for name in ("n", "mean", "A", "b", "c"):
        assert_allclose(getattr(weighted, name), getattr(copies, name), rtol=1e-9, atol=1e-9)
    assert weighted.rows == 60


def test_components_are_those_of_the_kernel():
    features = Nystroem(RBF(0.5), 90).fit(X)
    moments = sum(features.moments(X[rows]) for rows in PARTS)
    assert moments.b.shape == (len(moments.mean), 0)
    eigenvalues, directions = moments.pca(3)
    expected = KernelPCA(3, RBF(0.5)).fit(X)
    assert_allclose(eigenvalues, expected.eigenvalues_, rtol=1e-6)
    scores = (features.transform(X) - moments.mean) @ directions
    assert_allclose(np.abs(scores), np.abs(expected.transform(X)), atol=1e-5)
    assert_allclose(directions.T @ directions, np.eye(3), atol=1e-12)
    assert len(ExactFeatures(Linear()).fit(X).moments(X).pca(5)[0]) == 2


def test_moments_travel():
    here = FEATURES.moments(X[:30], Y[:30]) + FEATURES.moments(X[30:], Y[30:])
    features = pickle.loads(pickle.dumps(FEATURES))
    there = pickle.loads(pickle.dumps(features.moments(X[30:], Y[30:])))
    assert_array_equal((FEATURES.moments(X[:30], Y[:30]) + there).A, here.A)
    again = Nystroem(RBF(0.5), 12, random_state=0).fit(X).moments(X, Y)  # the same features, fitted elsewhere
    assert_moments(again + FEATURES.moments(X, Y) - again, FEATURES.moments(X, Y))


OTHERS = [
    Nystroem(RBF(0.5), 12, random_state=1).fit(X),
    Nystroem(RBF(0.6), landmarks=FEATURES.X_fit_).fit(X),
    RandomFeatures(RBF(0.5), 12, random_state=0).fit(X),
]


@pytest.mark.parametrize("other", OTHERS, ids=repr)
def test_moments_of_different_features_do_not_add(other):
    one, two = FEATURES.moments(X, Y), other.moments(X[:50], Y[:50])
    for combine in (one.__add__, one.__sub__, lambda part: sum([one, part])):
        with pytest.raises(ValueError, match="moments must be those of the same features"):
            combine(two)


def test_landmarks_with_the_same_gram_matrix_are_other_features():
    one, two = (Nystroem(RBF(0.5), landmarks=np.array(Z)).fit([[0.0]]) for Z in ([[0.0], [1.0]], [[4.0], [5.0]]))
    assert_array_equal(one.dual_coef_, two.dual_coef_)
    with pytest.raises(ValueError, match="moments must be those of the same features"):
        one.moments([[0.0], [2.0]]) + two.moments([[0.0], [2.0]])


def test_what_does_not_fit_together_is_refused():
    total, part = FEATURES.moments(X, Y), FEATURES.moments(X[:30], Y[:30])
    with pytest.raises(ValueError, match=r"the same targets, got Moments\(n=90, 12 features, 2 targets\) and Moments"):
        total + FEATURES.moments(X, Y[:, 0])
    for too_large in (total, total + part):
        with pytest.raises(ValueError, match="a part must be smaller than what it is taken from"):
            total - too_large
    with pytest.raises(ValueError, match="a part must be smaller"):
        total - FEATURES.moments(X[:30], Y[:30], np.full(30, 10.0))
    for strange in (1, "a", None):
        with pytest.raises(TypeError):
            total + strange
        with pytest.raises(TypeError):
            total - strange
    assert isinstance(sum([total]), Moments)


HOLES = X.copy()
HOLES[17, 1] = HOLES[40, 0] = np.nan


@pytest.mark.parametrize(
    ("objects", "y", "message"),
    [
        (HOLES, Y, r"X contains NaN.* The first gap is in row 17\.$"),
        (pd.DataFrame(HOLES), Y, r"row 17\.$"),
        (X, HOLES, r"y contains NaN.* The first gap is in row 17\.$"),
        (X[:0], Y[:0], r"^X must hold at least one object, got an empty block\.$"),
        ([], [], "empty block"),
        (X[:, :1], Y, "1 features?, but Nystroem is expecting 2 features"),
        (X, Y[:-1], "inconsistent numbers of samples"),
        (X, 1e200 * Y, r"y must hold numbers up to 1e\+150 in size"),
        (X, [["a", "b"]] * 90, "y must be an array of numbers"),
    ],
)
def test_bad_input(objects, y, message):
    with pytest.raises(ValueError, match=message):
        FEATURES.moments(objects, y)


def test_a_gap_among_strings_is_named():
    features = ExactFeatures(Spectrum(2)).fit(["ab", "ba"])
    with pytest.raises(ValueError, match=r"X\[1\] is None.* The first gap is in row 1\.$"):
        features.moments(["ab", None], [1.0, 2.0])
    with pytest.raises(ValueError, match="must hold at least one object, got an empty block"):
        features.moments([], [])


def test_other_columns_are_refused():
    frame = pd.DataFrame(X, columns=["a", "b"])
    features = Nystroem(RBF(0.5), 12).fit(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        features.moments(frame[["b", "a"]], Y)


def test_they_need_fitted_features_and_memory(monkeypatch):
    with pytest.raises(NotFittedError):
        Nystroem().moments(X, Y)
    monkeypatch.setattr(mapping, "free_memory", lambda: 4 * 8 * 12**2 - 1)
    with pytest.raises(MemoryError, match="the products of 12 features take"):
        FEATURES.moments(X, Y)


def test_a_linear_function_of_the_features():
    w = RNG.normal(size=(12, 2))
    assert_allclose(FEATURES.linear(X, w), FEATURES.transform(X) @ w, atol=1e-9)
    assert_allclose(FEATURES.linear(X, w[:, 0]), FEATURES.transform(X) @ w[:, 0], atol=1e-9)

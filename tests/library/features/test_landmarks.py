"""The rules for landmarks, and what they leave of the training objects."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelbook import RBF, KernelRidge, Linear, Nystroem, Overlap, Precomputed, Sigmoid, Spectrum, WeisfeilerLehman
from tests.library.samples import random_words

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 2)), RNG.normal(size=60)
WORDS = random_words("abc", RNG.integers(3, 9, 40))
RINGS = [(np.roll(np.eye(n), 1, 0) + np.roll(np.eye(n), -1, 0), list("ab" * n)[:n]) for n in range(3, 20)]


def trace_left(model, objects):
    return (model.kernel_.diag(objects) - np.square(model.transform(objects)).sum(axis=1)).sum()


@pytest.mark.parametrize("landmarks", ["uniform", "pivoted", "k-means", X[:7] + 0.1])
def test_what_is_left_is_the_trace_of_the_difference(landmarks):
    model = Nystroem(RBF(0.5), 12, landmarks=landmarks, random_state=0).fit(X)
    K, Z = RBF(0.5)(X), model.X_fit_
    explained = RBF(0.5)(X, Z) @ np.linalg.solve(RBF(0.5)(Z), RBF(0.5)(Z, X))
    assert_allclose(model.trace_left_, np.trace(K - explained), rtol=1e-6)


def test_a_sample_estimates_what_is_left():
    many = RNG.normal(size=(3000, 2))
    for rule in ("uniform", "pivoted"):
        estimates, exact = np.transpose(
            [
                (model.trace_left_, trace_left(model, many))
                for model in (Nystroem(RBF(0.5), 15, landmarks=rule, random_state=s).fit(many) for s in range(20))
            ]
        )
        assert abs(np.mean(estimates / exact) - 1) < 4 * np.std(estimates / exact) / np.sqrt(20) + 15 / 3000


def test_pivots_find_what_is_rare():
    rare = np.vstack([0.05 * RNG.normal(size=(500, 2)), np.arange(10, 22.0)[:, None] * [5, -5]])
    left = {
        rule: [
            Nystroem(RBF(1.0), 20, landmarks=rule, sample=512, random_state=seed).fit(rare).trace_left_
            for seed in range(10)
        ]
        for rule in ("uniform", "pivoted")
    }
    assert max(left["pivoted"]) < 0.1 < 8 < min(left["uniform"])


@pytest.mark.parametrize(
    ("kernel", "objects"),
    [(Spectrum(2), WORDS), (WeisfeilerLehman(2), RINGS), (Overlap(), [list(word[:3]) for word in WORDS])],
    ids=["strings", "graphs", "rows"],
)
def test_pivots_of_any_kind_of_object(kernel, objects):
    model = Nystroem(kernel, 3, landmarks="pivoted", sample=40, random_state=0).fit(objects)
    assert model.landmarks_.shape == (3,)
    assert_allclose(kernel(model.X_fit_, objects), kernel(objects)[model.landmarks_])
    rows = Nystroem(Precomputed(kernel(objects)), 3, landmarks="pivoted", sample=40, random_state=0).fit(
        range(len(objects))
    )
    assert_array_equal(rows.landmarks_, model.landmarks_)
    assert_allclose(rows.trace_left_, trace_left(model, objects), atol=1e-9)


def test_pivots_are_in_their_order_and_stop_where_nothing_is_left():
    model = Nystroem(Linear(), 20, landmarks="pivoted", random_state=0).fit(X)
    assert len(model.landmarks_) == 2
    assert model.trace_left_ == pytest.approx(0, abs=1e-10)
    long, short = (Nystroem(RBF(0.5), m, landmarks="pivoted", sample=60, random_state=0).fit(X) for m in (20, 5))
    assert_array_equal(long.landmarks_[:5], short.landmarks_)


def test_with_all_objects_pivots_are_the_machine_with_the_kernel():
    F = Nystroem(RBF(0.5), 60, landmarks="pivoted", random_state=0).fit_transform(X)
    exact = KernelRidge(RBF(0.5), 0.3).fit(X, Y).predict(X)
    assert_allclose(F @ np.linalg.solve(F.T @ F + 0.3 * np.eye(F.shape[1]), F.T @ Y), exact, rtol=1e-5)


def test_only_the_sample_is_looked_at():
    counted = []

    def kernel(A, B):
        counted.append(len(A) * len(B))
        return RBF(0.5)(A, B)

    many = RNG.normal(size=(5000, 2))
    Nystroem(kernel, 5, landmarks="pivoted", random_state=0).fit(many)
    assert sum(counted) < 5000 * 10  # 40 objects are compared with 5, and candidates with each other


def test_means_are_of_clusters():
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    points = np.repeat(centres, 20, axis=0) + 0.1 * RNG.normal(size=(60, 2))
    model = Nystroem(RBF(0.5), 3, landmarks="k-means", sample=60, random_state=0).fit(points)
    expected = points.reshape(3, 20, 2).mean(axis=1)
    assert_allclose(sorted(model.X_fit_.tolist()), sorted(expected.tolist()), atol=1e-9)
    assert model.landmarks_ is None
    assert Nystroem(RBF(0.5), 9, landmarks="k-means").fit(np.repeat(X[:4], 5, axis=0)).X_fit_.shape == (4, 2)


def test_landmarks_that_are_given():
    Z = X[:5] + 1
    model = Nystroem(RBF("median"), landmarks=Z).fit(X)
    assert model.kernel_.gamma_ == RBF("median").fit(X).gamma_
    assert_array_equal(model.X_fit_, Z)
    Z[:] = 7
    assert_allclose(model.transform(X) @ model.transform(X[:5] + 1).T, model.kernel_(X, X[:5] + 1), atol=1e-7)
    assert Nystroem(Spectrum(1), landmarks=["ab", "c"]).fit(WORDS).transform(["a"]).shape == (1, 2)


@pytest.mark.parametrize(
    ("model", "objects", "message"),
    [
        (Nystroem(landmarks="random"), X, "landmarks must be one of .*'pivoted'.* got 'random'"),
        (Nystroem(landmarks=[[1.0]]), X, "same number of columns, but X has 2 and Y has 1"),
        (Nystroem(landmarks=[[np.nan, 1.0]]), X, "landmarks contains NaN"),
        (Nystroem(landmarks=3.0), X, "landmarks must have a row for each point"),
        (Nystroem("precomputed", landmarks=X), X @ X.T, "landmarks must be a rule where the kernel is 'precomputed'"),
        (Nystroem("precomputed", landmarks="k-means"), X @ X.T, "landmarks='k-means' needs vectors"),
        (Nystroem(Spectrum(2), landmarks="k-means"), WORDS, "landmarks='k-means' needs vectors"),
        (Nystroem(Precomputed(X @ X.T), landmarks="k-means"), range(60), "landmarks='k-means' needs vectors"),
        (Nystroem(lambda A, B: np.ones((len(A), len(B))), landmarks="k-means"), WORDS, "'k-means' needs vectors"),
        (Nystroem(Sigmoid(5.0, 1.0), 30, landmarks="pivoted"), X, "pivoted landmarks need a kernel that is PSD"),
        (Nystroem(sample=0), X, "sample"),
        (Nystroem(sample=2.5), X, "sample"),
    ],
)
def test_bad_input(model, objects, message):
    with pytest.raises(ValueError, match=message):
        model.fit(objects)

"""Moments on a cluster of Dask: a worker that dies changes no bit, and errors arrive."""

import os
import signal

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_limits

from kernelbook import RBF, FeatureRidgeCV, Nystroem

pytest.importorskip("distributed", reason="dask and distributed, the extra `scale`, are not installed")
import dask
from distributed import Client, LocalCluster

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1600, 3))
Y = np.sin(X[:, 0]) + X[:, 1]
BLOCKS = list(zip(np.split(X, 8), np.split(Y, 8), strict=True))
FEATURES = Nystroem(RBF(0.3), 30, landmarks="pivoted", random_state=0).fit(X[::4])


def by_tree(parts, add):
    """The total of parts, added in pairs, then in pairs of pairs, …: always in the same order."""
    while len(parts) > 1:
        parts = [add(*parts[i : i + 2]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
    return parts[0]


def lazily(moments):
    """The total of the moments of all blocks, which Dask computes; `moments` is a function of X and y."""
    return by_tree([dask.delayed(moments)(*block) for block in BLOCKS], dask.delayed(lambda one, two: one + two))


@pytest.fixture(scope="module")
def expected():
    with threadpool_limits(1):  # as Dask's workers have it: threads of linear algebra change bits
        return by_tree([FEATURES.moments(*block) for block in BLOCKS], lambda one, two: one + two)


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


def assert_bits(found, expected):
    for name in ("n", "rows", "mean", "y_mean", "A", "b", "c", "fingerprint"):
        assert_array_equal(getattr(found, name), getattr(expected, name))
    fits = (FeatureRidgeCV(FEATURES).fit_moments(moments) for moments in (found, expected))
    assert_array_equal(*(fit.predict(X[:9]) for fit in fits))


def test_threads_change_no_bit(expected):
    with threadpool_limits(1):
        assert_bits(lazily(FEATURES.moments).compute(scheduler="threads"), expected)


def test_a_worker_that_dies_changes_no_bit(client, expected, tmp_path):
    victim, mark, features = float(X[800, 0]), tmp_path / "died", FEATURES

    def moments(X, y):
        if X[0, 0] == victim and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        return features.moments(X, y)

    assert_bits(client.compute(lazily(moments)).result(timeout=60), expected)
    assert mark.exists()


def test_an_error_arrives_and_names_the_row(client):
    bad, features = float(X[400, 0]), FEATURES

    def moments(X, y):
        if X[0, 0] == bad:
            X = X.copy()
            X[17, 1] = np.nan
        return features.moments(X, y)

    with pytest.raises(ValueError, match=r"X contains NaN.* The first gap is in row 17\.$"):
        client.compute(lazily(moments)).result(timeout=60)

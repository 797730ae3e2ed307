"""Data and settings that tests of several packages share."""

import pytest


@pytest.fixture
def as_compiled(monkeypatch):
    """SMO takes as many steps as where its loops are compiled, for tests that count them."""
    from kernelbook.qp import descent

    monkeypatch.setattr(descent, "STEPS_PER_VARIABLE", 10)


@pytest.fixture
def regression_data():
    """Objects, a target, new objects."""
    import numpy as np  # here, where the number of its threads has been set

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=60), rng.normal(size=(25, 3))

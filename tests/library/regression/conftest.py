"""Data that the tests of this package share."""

import numpy as np
import pytest


@pytest.fixture
def regression_data():
    """Objects, a target, new objects."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=60), rng.normal(size=(25, 3))

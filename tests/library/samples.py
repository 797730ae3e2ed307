"""Random data that tests of several packages use. The same arguments give the same numbers."""

import numpy as np


def reference_sample():
    """Objects (200, 5), classes ±1 and a target, on which known numbers of several machines were computed."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((200, 5))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.standard_normal(200) > 0, 1.0, -1.0)
    return X, y, np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.standard_normal(200)


def noisy_sine(n, seed=0):
    """Objects (n, 2), the target sin 2x₁ + x₂ with noise 0.3, and 30 new objects from a wider region."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n), 2 * rng.normal(size=(30, 2))


def two_classes(n, noise, seed=0, threshold=0.0):
    """Objects (n, 2), and classes ±1: x₁ with noise lies above the threshold, or does not."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] + noise * rng.normal(size=n) > threshold, 1.0, -1.0)


def classes_on_a_line(n, seed=0, distance=1.5, classes=2):
    """Objects (n, 2) in overlapping classes 0, 1, …, whose centres follow each other on the diagonal."""
    y = np.arange(n) % classes
    return np.random.default_rng(seed).normal(size=(n, 2)) + distance * y[:, None], y


def stretched_normal(n, d=3, seed=0):
    """Objects (n, d) and 20 new ones, normal, where feature j = 1, …, d has the standard deviation j."""
    rng, deviations = np.random.default_rng(seed), np.arange(1, d + 1)
    return rng.normal(size=(n, d)) * deviations, rng.normal(size=(20, d)) * deviations


def random_words(alphabet, sizes, seed=0):
    """A string of each size, of letters drawn from the alphabet."""
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(alphabet), size=size)) for size in sizes]


def random_weights(n, seed):
    """Positive weights of n objects."""
    return np.random.default_rng(seed).uniform(0.1, 3, size=n)

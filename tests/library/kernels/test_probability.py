"""Kernels of probability models, against the sum over everything that is hidden."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelbook.kernels import Marginalized, ProductProbability, Spectrum

INITIAL, TRANSITION = [0.3, 0.7], [[0.9, 0.1], [0.4, 0.6]]
EMISSION = [[0.7, 0.2, 0.1], [0.0, 0.5, 0.5]]
MODEL = (INITIAL, TRANSITION, EMISSION, "abc")
STRINGS = ["a", "bc", "abca", "ccb", "bbbbb", ""]


def paths(x):
    """Every hidden path behind a string, with its probability given the string."""
    joint = {}
    for h in product((0, 1), repeat=len(x)):
        p = 1.0
        for t, (character, state) in enumerate(zip(x, h, strict=True)):
            p *= (INITIAL[state] if t == 0 else TRANSITION[h[t - 1]][state]) * EMISSION[state]["abc".index(character)]
        joint[h] = p
    total = sum(joint.values())
    return {h: p / total for h, p in joint.items()}


def joint_kernel(x, h, y, g):
    return sum(a == b and s == r for a, s in zip(x, h, strict=True) for b, r in zip(y, g, strict=True))


def test_marginalized_is_the_sum_over_hidden_paths():
    expected = [
        [
            sum(p * q * joint_kernel(x, h, y, g) for h, p in paths(x).items() for g, q in paths(y).items())
            for y in STRINGS
        ]
        for x in STRINGS
    ]
    kernel = Marginalized(*MODEL)
    assert_allclose(kernel(STRINGS), expected, atol=1e-12)
    assert_allclose(kernel(STRINGS[::-1], STRINGS[:2]), np.array(expected)[::-1, :2], atol=1e-12)
    assert_allclose(kernel.diag(STRINGS), np.diagonal(expected), atol=1e-12)


def test_expected_counts_add_up_to_the_counts():
    features = Marginalized(*MODEL).features(["abca"]).reshape(2, 3)
    assert_allclose(features.sum(axis=0), [2, 1, 1])


def test_one_state_leaves_the_spectrum_of_characters():
    one = Marginalized([1.0], [[1.0]], [[0.2, 0.3, 0.5]], "abc")
    assert_allclose(one(STRINGS), Spectrum(1)(STRINGS), atol=1e-12)


def test_long_strings_do_not_underflow():
    long = ["abc" * 1000, "a" * 3000]
    assert np.isfinite(Marginalized(*MODEL)(long)).all()
    assert_allclose(Marginalized(*MODEL).features(long).sum(axis=1), 3000)


def test_product_probability_sums_over_the_causes():
    likelihoods = {"u": [0.2, 0.5, 1.5], "v": [0.8, 0.1, 0.0]}
    prior = [0.5, 0.25, 0.25]
    kernel = ProductProbability(lambda X: [likelihoods[x] for x in X], prior)
    expected = [[np.sum(np.prod([prior, likelihoods[x], likelihoods[y]], axis=0)) for y in "uv"] for x in "uv"]
    assert_allclose(kernel(["u", "v"]), expected)
    assert_allclose(kernel.diag(["v"]), expected[1][1])


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: Marginalized([0.5, 0.4], *MODEL[1:])(["a"]), r"initial must hold 2 probabilities that add up to 1"),
        (lambda: Marginalized(INITIAL, [[1, 0, 0]], *MODEL[2:])(["a"]), "transition must hold 2 x 2 probabilities"),
        (lambda: Marginalized(*MODEL[:2], [[0.5, 0.5]] * 2, "abc")(["a"]), "emission must hold n x 3 probabilities"),
        (lambda: Marginalized(*MODEL[:3], "aba")(["a"]), "alphabet must have different characters, got 'aba'"),
        (lambda: Marginalized(*MODEL)(["abx"]), r"X\[0\] has the character 'x', which is not in the alphabet 'abc'"),
        (
            lambda: Marginalized([0, 1], [[1, 0], [0, 1]], EMISSION, "abc")(["b", "ba"]),
            "every string must have a positive probability, but 'ba' has probability 0",
        ),
        (lambda: Marginalized(*MODEL)(["a"], ["x"]), r"Y\[0\] has the character 'x'"),
        (lambda: Marginalized(*MODEL)([3]), "X must be a list of strings"),
        (
            lambda: ProductProbability(lambda X: [[1.0]], [0.5, 0.5])(["a"]),
            r"likelihood must return .* of shape \(1, 2\)",
        ),
        (lambda: ProductProbability(lambda X: [[-1.0]], [1.0])(["a"]), "a smallest value of -1"),
        (lambda: ProductProbability(lambda X: [[1.0]], [0.5])(["a"]), "prior must hold n probabilities that"),
    ],
)
def test_bad_input(attempt, message):
    with pytest.raises(ValueError, match=message):
        attempt()

"""Kernels on strings."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from kernelbook.kernels import Spectrum


def brute(x, y, n):
    grams = {x[i : i + n] for i in range(len(x) - n + 1)}
    count = lambda s, g: sum(s[i : i + n] == g for i in range(len(s) - n + 1))  # noqa: E731
    return sum(count(x, g) * count(y, g) for g in grams)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_spectrum_counts_n_grams(n):
    rng = np.random.default_rng(0)
    X = ["".join(rng.choice(list("abc"), size=size)) for size in (0, 1, 2, 5, 9, 30)]
    assert_array_equal(Spectrum(n)(X), [[brute(x, y, n) for y in X] for x in X])
    assert_array_equal(Spectrum(n)(X[:4], X[2:]), [[brute(x, y, n) for y in X[2:]] for x in X[:4]])
    assert_array_equal(Spectrum(n).diag(X), [brute(x, x, n) for x in X])


def test_the_word_and_the_proteins_of_the_chapter():
    assert sorted(Spectrum(2)._count("aababc").items()) == [("aa", 1), ("ab", 2), ("ba", 1), ("bc", 1)]


def test_strings_in_arrays_and_columns():
    X = ["ab", "bb"]
    for given in np.array(X), pd.Series(X, index=[5, 7]), tuple(X):
        assert_array_equal(Spectrum(1)(given), [[2, 2], [2, 4]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ("ab", "X must be a list of strings, got str: 'ab'"),
        ([], "X must hold at least one string"),
        (["ab", None], r"X must be a list of strings, but X\[1\] is None"),
        ([["a", "b"]], r"X must be a list of strings, but X\[0\] is \['a', 'b'\]"),
        (np.array([["a"], ["b"]]), "X must be a list of strings, got ndarray"),
        (3, "X must be a list of strings, got int: 3"),
        ({"ab"}, "X must be a list of strings, got set"),
    ],
)
def test_what_is_no_list_of_strings(X, message):
    with pytest.raises(ValueError, match=message):
        Spectrum()(X)


def test_a_string_without_n_grams_has_no_length():
    with pytest.raises(ValueError, match=r"k\(x, x\) > 0, but row 1"):
        Spectrum().normalized()(["abc", "ab"])

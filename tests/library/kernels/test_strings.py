"""Kernels on strings."""

from collections import Counter
from itertools import combinations, product
from math import comb

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from kernelbook.kernels import Mismatch, Spectrum, Subsequence, n_grams, strings
from kernelbook.linalg import blocks as gram_blocks
from tests.library.samples import random_words


def brute(x, y, n):
    grams = {x[i : i + n] for i in range(len(x) - n + 1)}
    count = lambda s, g: sum(s[i : i + n] == g for i in range(len(s) - n + 1))  # noqa: E731
    return sum(count(x, g) * count(y, g) for g in grams)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_spectrum_counts_n_grams(n):
    X = random_words("abc", (0, 1, 2, 5, 9, 30))
    assert_array_equal(Spectrum(n)(X), [[brute(x, y, n) for y in X] for x in X])
    assert_array_equal(Spectrum(n)(X[:4], X[2:]), [[brute(x, y, n) for y in X[2:]] for x in X[:4]])
    assert_array_equal(Spectrum(n).diag(X), [brute(x, x, n) for x in X])


def test_the_word_and_the_proteins_of_the_chapter():
    assert sorted(n_grams.n_grams("aababc", 2).items()) == [("aa", 1), ("ab", 2), ("ba", 1), ("bc", 1)]


def test_strings_in_arrays_and_columns():
    X = ["ab", "bb"]
    for given in np.array(X), pd.Series(X, index=[5, 7]), tuple(X):
        assert_array_equal(Spectrum(1)(given), [[2, 2], [2, 4]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ("ab", "X must be a list of strings, got 'ab'"),
        ([], "X must hold at least one string"),
        (["ab", None], r"X must be a list of strings, but X\[1\] is None"),
        ([["a", "b"]], r"X must be a list of strings, but X\[0\] is \['a', 'b'\]"),
        (np.array([["a"], ["b"]]), "X must be a list of strings, got an array"),
        (3, "X must be a list of strings, got 3"),
        ({"ab"}, "X must be a list of strings, got {'ab'}"),
    ],
)
def test_what_is_no_list_of_strings(X, message):
    with pytest.raises(ValueError, match=message):
        Spectrum()(X)


def test_a_string_without_n_grams_has_no_length():
    with pytest.raises(ValueError, match=r"k\(x, x\) > 0, but row 1"):
        Spectrum().normalized()(["abc", "ab"])


def apart(window, s):
    return sum(p != q for p, q in zip(window, s, strict=True))


@pytest.mark.parametrize("alphabet", ["a", "ab", "abc", "abcd"])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("m", [0, 1, 2, 5])
def test_mismatch_is_the_product_of_its_features(alphabet, n, m):
    X = random_words(alphabet, (0, 1, 2, 3, 5, 9, 30))
    features = np.array(
        [
            [sum(apart(x[i : i + n], s) <= m for i in range(len(x) - n + 1)) for s in product(alphabet, repeat=n)]
            for x in X
        ],
        dtype=float,
    )
    K = features @ features.T
    kernel = Mismatch(alphabet, n, m)
    assert_array_equal(kernel(X), K)
    assert_array_equal(kernel(X[:4], X[2:]), K[:4, 2:])
    assert_array_equal(kernel(X[3:], X[:1]), K[3:, :1])  # with a string that has no window
    assert_array_equal(kernel.diag(X), K.diagonal())


def test_mismatch_in_pieces(monkeypatch):
    X = random_words("abcd", (40, 50, 60))
    whole, across = Mismatch("abcd", 4, 1)(X), Mismatch("abcd", 4, 1)(X[:1], X[1:])
    monkeypatch.setattr(n_grams, "PAIRS_COMPARED_AT_A_TIME", 300)
    monkeypatch.setattr(strings, "PAIRS_SEARCHED_AT_A_TIME", 700)
    assert_array_equal(Mismatch("abcd", 4, 1)(X), whole)
    assert_array_equal(Mismatch("abcd", 4, 1)(X[:1], X[1:]), across)


def test_without_mismatches_it_is_the_spectrum():
    X = random_words("ACGT", (100, 200, 150))
    assert_array_equal(Mismatch("ACGT", 5, 0)(X), Spectrum(5)(X))


def test_characters_that_stand_for_nothing_else():
    X = ["a\0", "\0a", "\0\0"]  # NumPy drops zeros from the end of a string
    assert_array_equal(Mismatch("a\0", 2, 0)(X), np.eye(3))
    assert_array_equal(Mismatch("aé𝄞", 1, 1)(["é𝄞", "a"]), [[12, 6], [6, 3]])


def test_a_larger_alphabet_has_more_neighbours():
    assert Mismatch("ab", 2)(["ab"], ["ba"]) == 2
    assert Mismatch("abc", 2)(["ab"]) == 5


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (Mismatch("ACGT"), r"X\[1\] has the character 'N', which is not in the alphabet 'ACGT'"),
        (Mismatch("ACGA"), "alphabet must have different characters, got 'ACGA'"),
        (Mismatch(4), "'alphabet' parameter of Mismatch must be an instance of 'str'"),
        (Mismatch("ACGTN", 3, -1), "'m' parameter of Mismatch"),
        (Mismatch("ACGTN", 0), "'n' parameter of Mismatch"),
        (Mismatch("ACGTN", 1000, 900), "counts more strings than a number can hold: lower m or n"),
        (Subsequence(0), "'n' parameter of Subsequence"),
        (Subsequence(2, 0), "'decay' parameter of Subsequence"),
        (Subsequence(2, 1.5), "'decay' parameter of Subsequence"),
    ],
)
def test_what_strings_with_errors_and_gaps_need(kernel, message):
    with pytest.raises(ValueError, match=message):
        kernel(["ACG" * 400, "ACN" * 400])


def test_a_new_string_with_a_strange_character():
    with pytest.raises(ValueError, match=r"Y\[1\] has the character 'c', which is not in the alphabet 'ab'"):
        Mismatch("ab", 2).normalized()(["abab"], ["ab", "abc"])


def listed(x, n, decay):
    """All choices of places, one by one."""
    features = Counter()
    for i in combinations(range(len(x)), n):
        features["".join(x[p] for p in i)] += decay ** (i[-1] - i[0] + 1)
    return features


@pytest.mark.parametrize("character", ["\0", "\1", "\U0010ffff"])
def test_no_character_is_found_beyond_the_end_of_a_string(character):
    assert Subsequence(2)([2 * character], ["a", "bbbb"]).tolist() == [[0, 0]]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("decay", [0.3, 0.5, 1])
def test_subsequences_are_all_choices_of_places(n, decay, monkeypatch):
    X = random_words("abc", (0, 1, 2, 3, 5, 7, 9, 8, 4, 12))
    features = [listed(x, n, decay) for x in X]
    K = np.array([[sum(a[s] * b[s] for s in a) for b in features] for a in features])
    kernel, close = Subsequence(n, decay), {"rtol": 1e-12, "atol": 0}
    assert_allclose(kernel(X), K, **close)
    assert_allclose(kernel(X[:4], X[2:]), K[:4, 2:], **close)
    assert_allclose(kernel(X[5:], X[:1]), K[5:, :1], **close)
    assert_allclose(kernel.diag(X), K.diagonal(), **close)
    monkeypatch.setattr(gram_blocks, "PAIRWISE_TILE", 3)
    assert_allclose(kernel(X), K, **close)
    assert_array_equal(kernel(X), kernel(X).T)
    assert_allclose(kernel(X[:4], X[2:]), K[:4, 2:], **close)


def test_with_a_small_decay_only_pieces_without_gaps_are_left():
    X = random_words("ab", (9, 12, 15))
    for n in (1, 2, 3):
        assert_allclose(Subsequence(n, 1e-9)(X) / 1e-9 ** (2 * n), Spectrum(n)(X), rtol=1e-6)


def test_subsequences_of_long_strings():
    x, n = "a" * 1000, 3
    spans = np.arange(n, 1001)  # of which each has 1001 − span places and span − 2 choices of the letter between
    expected = ((1001 - spans) * (spans - 2) * 0.9**spans).sum() ** 2
    assert_allclose(Subsequence(n, 0.9)([x]), [[expected]], rtol=1e-11)
    assert_allclose(Subsequence(60, 1)([x]), [[float(comb(1000, 60)) ** 2]], rtol=1e-10)


def test_subsequences_know_the_order_and_the_place_of_letters():
    kernel = Subsequence(3).normalized()
    assert kernel(["abc"], ["cba"]) == 0
    assert kernel(["abc"], ["axbc"]) > kernel(["abc"], ["axxxxbc"]) > 0


def test_copies_with_other_parameters():
    X = random_words("ab", (9, 12))
    kernel = Subsequence(2, 0.5)
    assert_array_equal(clone(kernel).set_params(n=3, decay=0.3)(X), Subsequence(3, 0.3)(X))
    assert_array_equal(Mismatch("ab", 2).set_params(m=0)(X), Spectrum(2)(X))

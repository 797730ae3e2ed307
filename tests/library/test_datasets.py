"""The data sets are what their docstrings say."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from matplotlib import cbook
from numpy.testing import assert_allclose

from kernelbook import SVC, Linear
from kernelbook.datasets import (
    load_alkanes,
    load_terrain,
    load_twenty_points,
    load_words,
    make_sinc_mixture,
    sinc_mixture,
)


def test_terrain_is_the_whole_grid_from_south_to_north():
    X, y = load_terrain()
    with cbook.get_sample_data("jacksboro_fault_dem.npz") as file:
        elevation = file["elevation"]
    assert X.shape == (elevation.size, 2)
    assert (y.reshape(344, 403) == elevation[::-1]).all()
    east, north = X.reshape(344, 403, 2).transpose(2, 0, 1)
    assert (np.diff(east, axis=1) > 0).all()
    assert (np.diff(north, axis=0) > 0).all()
    assert (X.min(axis=0) == 0).all()


def test_terrain_is_measured_in_kilometres():
    """A step of 3 arc seconds: 92.6 m to the north, and less by the cosine of the latitude to the east."""
    grid = load_terrain()[0].reshape(344, 403, 2)
    east, north = 1000 * (grid[1, 1] - grid[0, 0])
    assert_allclose(north, 111_195 * 3 / 3600, rtol=1e-9)
    assert_allclose(east / north, np.cos(np.radians(36.59)), rtol=1e-4)


def test_sinc_mixture_by_hand():
    assert_allclose(
        sinc_mixture([10, 80]),
        [0.5 + 0.8 * np.sin(40) / 40 + 0.3 * np.sin(70) / 70, 0.3 + 0.5 * np.sin(70) / 70 + 0.8 * np.sin(30) / 30],
        rtol=1e-12,
    )


def test_sinc_mixture_sample():
    X, y = make_sinc_mixture(random_state=0)
    assert X.shape == (1052, 1)
    assert_allclose(X[[0, -1], 0], [0.1, 100])
    assert_allclose(np.diff(X[:, 0]), 99.9 / 1051)
    noise = y - sinc_mixture(X[:, 0])
    assert abs(noise.std() / 0.05 - 1) < 0.1
    assert abs(noise.mean()) < 0.01
    assert (make_sinc_mixture(random_state=0)[1] == y).all()
    assert (make_sinc_mixture(random_state=1)[1] != y).any()


@pytest.mark.parametrize("noise", [0, 0.3])
def test_sinc_mixture_noise(noise):
    X, y = make_sinc_mixture(4000, noise=noise, random_state=3)
    assert_allclose((y - sinc_mixture(X[:, 0])).std(), noise, rtol=0.05)


@pytest.mark.parametrize(
    ("bad", "message"),
    [({"n_samples": 0}, "n_samples"), *(({"noise": s}, "noise must be a finite number") for s in (-1, np.nan, np.inf))],
)
def test_sinc_mixture_refuses_bad_parameters(bad, message):
    with pytest.raises(ValueError, match=message):
        make_sinc_mixture(**bad)


def test_twenty_points_have_the_widest_margin_of_their_notes():
    X, y = load_twenty_points()
    machine = SVC(Linear(), C=1e6, solver="interior_point").fit(X, y)
    assert machine.support_.tolist() == [16, 5, 7]
    assert_allclose(machine.dual_coef_ @ machine.support_vectors_, [[-1.58388965, 0.94189243]], atol=1e-6)
    assert_allclose(machine.intercept_, 1.91898122, atol=1e-6)


def test_words_of_two_languages():
    words, language = load_words()
    assert words.shape == language.shape == (400,)
    assert len(set(words)) == 400  # hence none in both languages
    assert np.unique(language, return_counts=True)[1].tolist() == [200, 200]
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)
    assert (min(map(len, words)), max(map(len, words))) == (3, 10)
    for known, expected in (("cheese", "English"), ("kaas", "Dutch"), ("schrijven", "Dutch"), ("write", "English")):
        assert language[words == known].tolist() == [expected]


def test_alkanes_are_all_trees_without_a_node_of_five_neighbours():
    names, graphs, boiling_points = load_alkanes()
    assert len(names) == len(set(names)) == len(graphs) == len(boiling_points) == 72
    sizes = [len(S) for S, _ in graphs]
    assert [sizes.count(n) for n in range(4, 10)] == [2, 3, 5, 9, 18, 35]
    for n in range(4, 10):
        ours = [nx.from_numpy_array(S) for S, _ in graphs if len(S) == n]
        trees = [tree for tree in nx.nonisomorphic_trees(n) if max(dict(tree.degree).values()) <= 4]
        assert len(trees) == len(ours)
        assert all(sum(nx.is_isomorphic(tree, alkane) for alkane in ours) == 1 for tree in trees)
    assert all(labels == ["C"] * n for (_, labels), n in zip(graphs, sizes, strict=True))


def test_boiling_points_of_alkanes_from_other_tables():
    """In °C as chemists know them: the unbranched ones, neopentane, isooctane."""
    names, graphs, boiling_points = load_alkanes()
    at = dict(zip(names, boiling_points - 273.15, strict=True))
    known = {"butane": -0.5, "pentane": 36.1, "hexane": 68.7, "heptane": 98.4, "octane": 125.7, "nonane": 150.8}
    known |= {"2,2-dimethylpropane": 9.5, "2,2,4-trimethylpentane": 99.2, "3-ethyl-2,4-dimethylpentane": 136.7}
    for name, celsius in known.items():
        assert_allclose(at[name], celsius, atol=0.6)
    chains = [at[name] for name in known if "-" not in name]
    assert all(20 < after - before < 40 for before, after in pairwise(chains))
    assert all(max(S.sum(axis=0)) == 4 for (S, _), name in zip(graphs, names, strict=True) if "2,2-" in name)

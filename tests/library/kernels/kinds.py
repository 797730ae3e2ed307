"""Objects of every kind that the library has kernels for, with the kernels; what tests of all kinds share."""

import numpy as np
from hypothesis import strategies as st

from kernelbook import ConformalKernel
from kernelbook.kernels import (
    RBF,
    AllSubsets,
    ArcCosine,
    Brownian,
    Categorical,
    ChiSquared,
    Columns,
    Completion,
    Constant,
    Diffusion,
    DirectSum,
    Exponential,
    GeneralLinear,
    Gibbs,
    GlobalAlignment,
    Jaccard,
    Laplacian,
    Linear,
    Marginalized,
    Matern,
    Mismatch,
    MissingValue,
    Normalized,
    Overlap,
    Pairwise,
    Periodic,
    Polynomial,
    Power,
    Precomputed,
    Product,
    ProductProbability,
    Radial,
    RandomWalk,
    RationalQuadratic,
    RussellRao,
    Scaled,
    SetKernel,
    ShortestPath,
    Sigmoid,
    SimpleMatching,
    Spectrum,
    Subsequence,
    Sum,
    TensorProduct,
    WalkPower,
    WeisfeilerLehman,
)
from kernelbook.kernels.vectors import VectorKernel
from kernelbook.linalg.blocks import squared_distance_block

RING = [[0, 1, 0, 0, 1], [1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [0, 0, 1, 0, 1], [1, 0, 0, 1, 0]]
MODEL = ([0.3, 0.7], [[0.9, 0.1], [0.2, 0.8]], [[0.8, 0.1, 0.1], [0.1, 0.2, 0.7]], "abc")


def likelihood(X):
    """Of the first character of a string, from two causes."""
    return np.array([[0.5, 0.9] if x[:1] == "a" else [0.5, 0.1] for x in X])


def length_at(X):
    """A length for Gibbs' kernel: short near the line x₁ = 0."""
    return 0.2 + np.abs(X[:, 0])


class NegativeSquaredDistance(VectorKernel):
    """−‖x − x'‖², conditionally PSD but not PSD."""

    conditionally_psd = True

    def _block(self, X, Y):
        return -squared_distance_block(X, Y)

    def _diag(self, X):
        return np.zeros(len(X))


words = st.text("abc", min_size=1, max_size=6)
numbers = st.floats(-3, 3).map(lambda x: round(x, 3))
vectors = st.lists(numbers, min_size=2, max_size=2)
bits = st.lists(st.sampled_from([0, 1]), min_size=4, max_size=4)
categories = st.lists(st.sampled_from(["red", "green", "blue"]), min_size=3, max_size=3)
nodes = st.integers(0, 4)
table_rows = st.tuples(numbers, st.sampled_from(["red", "green"]), words).map(list)


@st.composite
def graphs(draw):
    labels = draw(st.lists(st.sampled_from("ab"), min_size=1, max_size=4))
    n = len(labels)
    edges = np.triu(draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n)))
    return (edges | edges.T).astype(int).tolist(), labels


# For each kind of object: what draws one, the kernels that take it. A table with gaps has a first row without any.
KINDS = {
    "vectors": (
        vectors,
        [
            Linear(),
            Polynomial(2),
            RBF(0.3),
            RBF(),
            Laplacian(0.5),
            Laplacian([0.5, 2.0], norm=1),
            Matern(1.5, 0.5),
            RationalQuadratic(0.5, 0.3),
            Periodic([2.0, 0.7], 0.3),
            AllSubsets(),
            AllSubsets([0.5, 2.0]),
            ArcCosine(),
            ArcCosine(0, 0.5),
            ArcCosine(2, 1.0),
            Gibbs(length_at),
            GeneralLinear([[2.0, 1.0], [1.0, 1.0]]),
            Sigmoid(),
            GeneralLinear([[1.0, 2.0], [2.0, 1.0]]),
            ConformalKernel(Polynomial(2), RBF(), [[0.0, 1.0], [1.0, -1.0]], [0.5, -2.0, 1.0]),
        ],
    ),
    "histograms": (st.lists(st.integers(0, 5), min_size=3, max_size=3), [ChiSquared(0.5), Linear(), Brownian()]),
    "bits": (bits, [RussellRao(), SimpleMatching(), Jaccard(), Overlap(), Linear()]),
    "sets": (st.sets(st.sampled_from("abcde"), max_size=4), [Jaccard(), SetKernel(Spectrum(1))]),
    "bags": (st.lists(vectors, min_size=1, max_size=3), [SetKernel(RBF(0.3)), SetKernel(Linear())]),
    "categories": (categories, [Overlap(), Categorical(), Categorical(0.5, 2.0)]),
    "strings": (
        words,
        [
            Spectrum(),
            Spectrum(1),
            Spectrum(2),
            Mismatch("abc", 2),
            Mismatch("abcd", 3, 2),
            Subsequence(),
            Subsequence(3, 0.8),
            Marginalized(*MODEL),
            ProductProbability(likelihood, [0.4, 0.6]),
        ],
    ),
    "nodes": (
        nodes,
        [
            Diffusion(RING),
            Diffusion(RING, 0.3, laplacian=False),
            WalkPower(RING),
            WalkPower(RING, 3),
            Precomputed(np.eye(5)),
        ],
    ),
    "graphs": (
        graphs(),
        [WeisfeilerLehman(), WeisfeilerLehman(0), WeisfeilerLehman(1), ShortestPath(), RandomWalk(), RandomWalk(0.0)],
    ),
    "series": (
        st.lists(vectors, min_size=1, max_size=4),
        [GlobalAlignment(), GlobalAlignment("median"), GlobalAlignment(0.3), GlobalAlignment(0.0)],
    ),
    "gaps": (
        st.lists(st.sampled_from([0.0, 1.0, None]), min_size=3, max_size=3),
        [
            MissingValue(Overlap(), {0: 0.25, 1: 0.75}),
            Completion(SimpleMatching(), [0, 1]),
            Completion(RBF(0.5), [0, 1]),
        ],
    ),
    "pairs": (
        st.tuples(vectors, words),
        [DirectSum(Linear(), Spectrum(1)), TensorProduct(RBF(0.3), Spectrum(2)), DirectSum(Sigmoid(), Spectrum(1))],
    ),
    "pairs of nodes": (
        st.tuples(nodes, nodes),
        [Pairwise(Diffusion(RING)), DirectSum(WalkPower(RING), Diffusion(RING))],
    ),
    "tables": (
        table_rows,
        [
            Columns([([0], RBF(0.3)), ([1], Overlap()), (2, 0.5 * Spectrum(2))]),
            Columns([([0], RBF()), ([1], Categorical())]),
        ],
    ),
}
for _, kernels in KINDS.values():
    kernels.append(Constant(0.5))


# Six objects of every kind, always the same.
SOME = {
    "vectors": [[0.5, -1.0], [2.0, 0.25], [0.0, 0.0], [-1.5, 1.0], [1.0, 1.0], [0.5, -1.0]],
    "histograms": [[1, 0, 3], [0, 0, 2], [5, 1, 0], [1, 1, 1], [0, 4, 0], [2, 0, 3]],
    "bits": [[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 1], [1, 1, 1, 1], [0, 1, 0, 0]],
    "sets": [{"a"}, {"a", "b"}, set(), {"c", "d"}, {"b", "d"}, {"a", "b", "c"}],
    "bags": [[[0.5, 1.0]], [[1.0, 0.0], [2.0, 1.0]], [[0.0, 0.0]], [[1.0, 1.0]] * 2, [[3.0, 0.5]], [[0.5, -1.0]]],
    "categories": [[*row.split()] for row in ("a x u", "a y u", "b x v", "b y v", "a x v", "b x u")],
    "strings": ["abc", "aab", "cab", "bbcc", "ca", "abcabc"],
    "nodes": [0, 1, 2, 3, 4, 2],
    "graphs": [
        ([[0, 1], [1, 0]], "ab"),
        ([[0, 1, 0], [1, 0, 1], [0, 1, 0]], "aba"),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], "aab"),
        ([[0]], "a"),
        ([[0, 1, 0], [1, 1, 0], [0, 0, 0]], "bbb"),
    ],
    "series": [[[0.5, 1.0]], [[1.0, 0.0], [2.0, 1.0]], [[0.0, 0.0]] * 3, [[1.0, 1.0], [0.5, -1.0]], [[2.0, 1.0]] * 2],
    "gaps": [[0.0, 1.0, 1.0], [1.0, None, 0.0], [None, None, 1.0], [0.0, 0.0, 0.0], [1.0, 1.0, None], [1.0, 0.0, 1.0]],
    "pairs": [([0.5, 1.0], "ab"), ([1.0, 0.0], "bc"), ([2.0, 1.0], "ca"), ([0.0, 1.0], "a"), ([1.0, 1.0], "abb")],
    "pairs of nodes": [(0, 1), (1, 2), (3, 3), (2, 0), (4, 1)],
    "tables": [
        [0.5, "red", "ab"],
        [1.0, "green", "bc"],
        [2.0, "red", "abc"],
        [0.0, "green", "aa"],
        [3.0, "red", "cab"],
    ],
}


def compositions(part):
    return st.one_of(
        st.builds(Sum, part, part),
        st.builds(Product, part, part),
        st.builds(Scaled, part, st.sampled_from([0.5, 2, 0, -1])),
        st.builds(Power, part, st.integers(1, 3)),
        st.builds(Exponential, st.builds(Scaled, part, st.just(0.1))),
        st.builds(Normalized, part),
        st.builds(Radial, part, st.sampled_from([0.1, 1])),
    )


def expressions(kind):
    """Compositions of the kernels of one kind."""
    return st.recursive(st.sampled_from(KINDS[kind][1]), compositions, max_leaves=4)

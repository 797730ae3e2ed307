"""Kernels on whole graphs, against labels, paths and walks that are counted one by one."""

import subprocess
import sys
from collections import Counter
from itertools import combinations_with_replacement, pairwise, product

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import floyd_warshall

from kernelbook import SVC
from kernelbook.kernels import RandomWalk, ShortestPath, WeisfeilerLehman

PATH = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
of_each_kernel = pytest.mark.parametrize("kernel", [WeisfeilerLehman(3), ShortestPath(), RandomWalk(0.03)], ids=repr)


def graphs(count=8, seed=0):
    rng = np.random.default_rng(seed)
    some = []
    for _ in range(count):
        n = rng.integers(1, 9)
        S = np.triu(rng.random((n, n)) < 0.4)  # with loops
        some.append(((S | S.T).astype(int), rng.choice(list("CNO"), size=n).tolist()))
    return some


def tree(S, labels, node, rounds):
    """What the label of a node stands for, as a text."""
    if rounds == 0:
        return labels[node]
    near = sorted(tree(S, labels, other, rounds - 1) for other in np.flatnonzero(S[node]))
    return f"({tree(S, labels, node, rounds - 1)}: {', '.join(near)})"


def counted(graph, depth):
    S, labels = graph
    return Counter((t, tree(S, labels, node, t)) for t in range(depth + 1) for node in range(len(labels)))


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_labels_are_refined_and_counted(depth):
    G = graphs()
    features = [counted(graph, depth) for graph in G]
    K = [[sum(a[c] * b[c] for c in a) for b in features] for a in features]
    kernel = WeisfeilerLehman(depth)
    assert_array_equal(kernel(G), K)
    assert_array_equal(kernel(G[:3], G[2:]), np.array(K)[:3, 2:])
    assert_array_equal(kernel.diag(G), np.diag(K))


def paths_by_scipy(S, labels):
    D = floyd_warshall(S, unweighted=True)
    return Counter(
        (*sorted([labels[i], labels[j]]), int(D[i, j]))
        for i, j in combinations_with_replacement(range(len(labels)), 2)
        if np.isfinite(D[i, j])
    )


def paths_by_networkx(S, labels):
    counts = Counter()
    for i, lengths in nx.all_pairs_shortest_path_length(nx.from_numpy_array(S)):
        for j, length in lengths.items():
            if i <= j:
                counts[*sorted([labels[i], labels[j]]), length] += 1
    return counts


@pytest.mark.parametrize("paths", [paths_by_scipy, paths_by_networkx])
def test_shortest_paths_are_counted(paths):
    G = graphs(seed=2)
    features = [paths(*graph) for graph in G]
    K = np.array([[sum(a[c] * b[c] for c in a) for b in features] for a in features])
    assert_array_equal(ShortestPath()(G), K)
    assert_array_equal(ShortestPath()(G[:3], G[2:]), K[:3, 2:])
    assert_array_equal(ShortestPath().diag(G), np.diag(K))


def test_paths_of_length_0_are_the_nodes():
    edge, apart = ([[0, 1], [1, 0]], "ab"), ([[0, 0], [0, 0]], "ab")
    assert_array_equal(ShortestPath()([edge, apart]), [[3, 2], [2, 2]])
    G = graphs()
    loops = [(S | np.eye(len(S), dtype=int), labels) for S, labels in G]
    assert_array_equal(ShortestPath()(loops), ShortestPath()(G))  # a loop is no shorter way


def walks(S, labels, steps):
    """How often each sequence of labels occurs on a walk."""
    every = product(range(len(labels)), repeat=steps + 1)
    joined = (walk for walk in every if all(S[i][j] for i, j in pairwise(walk)))
    return Counter(tuple(labels[i] for i in walk) for walk in joined)


def test_walks_are_counted():
    """Up to four steps; the rest is below a bound from the largest eigenvalues."""
    G = [graph for graph in graphs(12, seed=3) if len(graph[1]) <= 5]
    decay, K = 0.01, np.zeros((len(G), len(G)))
    for steps in range(5):
        features = [walks(*graph, steps) for graph in G]
        K += [[decay**steps * sum(a[c] * b[c] for c in a) for b in features] for a in features]
    size, radius = (np.array([f(S) for S, _ in G]) for f in (len, lambda S: np.linalg.eigvalsh(S)[-1]))
    rate = decay * np.outer(radius, radius)
    rest = RandomWalk(decay)(G) - K
    assert len(G) >= 5
    assert (rest >= -1e-12).all()
    assert (rest <= np.outer(size, size) * rate**5 / (1 - rate) + 1e-12).all()


def by_kronecker(graph, other, decay):
    """The sum of the inverse of I − decay A, with A cut out of the Kronecker product."""
    (S, labels), (T, names) = graph, other
    same = np.equal.outer(labels, names).ravel()
    A = np.kron(S, T)[np.ix_(same, same)]
    return np.linalg.inv(np.eye(len(A)) - decay * A).sum()


@pytest.mark.parametrize("share", [0, 0.3, 0.99])
def test_walks_of_all_lengths_are_an_inverse_of_the_product_graph(share):
    G = graphs(seed=4)
    decay = share / max(np.linalg.eigvalsh(S)[-1] for S, _ in G) ** 2
    K = np.array([[by_kronecker(graph, other, decay) for other in G] for graph in G])
    kernel = RandomWalk(decay)
    assert_allclose(kernel(G), K, rtol=1e-12)
    assert_allclose(kernel(G[:3], G[2:]), K[:3, 2:], rtol=1e-12)
    assert_allclose(kernel.diag(G), np.diag(K), rtol=1e-12)


def test_a_walk_can_return():
    """On an edge two walks of each length take turns; with two labels each of them has only itself as a partner."""
    edge = [[0, 1], [1, 0]]
    assert_allclose(RandomWalk(0.5)([(edge, "ab")]), [[2 / (1 - 0.5)]])
    assert_allclose(RandomWalk(0.5)([(edge, "aa")]), [[4 / (1 - 0.5)]])


def test_the_sum_over_walks_must_converge():
    """The path of three nodes has ρ = √2."""
    with pytest.raises(ValueError, match=r"decay must be below 0\.5, which is 1/ρ² .* graph of 3 nodes, got 0\.51"):
        RandomWalk(0.51)([(PATH, "aba")])
    with pytest.raises(ValueError, match=r"decay must be below 0\.5"):
        RandomWalk(0.9)([([[0]], "a")], [(PATH, "aba")])
    assert RandomWalk(0.49)([(PATH, "aba")]) > RandomWalk(0.4)([(PATH, "aba")])
    with pytest.raises(ValueError, match="'decay' parameter of RandomWalk"):
        RandomWalk(-0.1)([(PATH, "aba")])


@of_each_kernel
def test_the_order_of_nodes_changes_nothing(kernel):
    rng = np.random.default_rng(1)
    G = graphs()
    moved = []
    for S, labels in G:
        order = rng.permutation(len(labels))
        moved.append((S[np.ix_(order, order)], [labels[i] for i in order]))
    assert_allclose(kernel(G), kernel(moved), rtol=1e-14)
    assert_allclose(kernel(G, moved), kernel(G), rtol=1e-14)


@of_each_kernel
def test_a_value_does_not_depend_on_the_graphs_beside_it_or_on_the_process(kernel):
    G = graphs()
    K = kernel(G)
    alone = [[kernel([one], [other])[0, 0] for other in reversed(G)] for one in G]
    assert_allclose(alone, K[:, ::-1], rtol=1e-14)
    code = f"from tests.library.kernels.test_whole_graphs import *; print({kernel}(graphs()).tolist())"
    elsewhere = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert elsewhere.stdout == f"{K.tolist()}\n"


def test_what_it_cannot_tell_apart():
    triangle = np.ones((3, 3)) - np.eye(3)
    hexagon = np.roll(np.eye(6), 1, axis=0) + np.roll(np.eye(6), -1, axis=0)
    two = (np.kron(np.eye(2), triangle), [0] * 6), (hexagon, [0] * 6)
    assert len(np.unique(WeisfeilerLehman(5)(two))) == 1
    star = [[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    other = (star, [0] * 4), (path, [0] * 4)
    assert len(np.unique(WeisfeilerLehman(0)(other))) == 1
    assert WeisfeilerLehman(1).normalized()(other)[0, 1] < 0.9


def test_what_paths_and_walks_tell_apart():
    """Two triangles have no path of two steps, and as many walks as the hexagon, unless these must return."""
    triangle = np.ones((3, 3)) - np.eye(3)
    hexagon = np.roll(np.eye(6), 1, axis=0) + np.roll(np.eye(6), -1, axis=0)
    two = (np.kron(np.eye(2), triangle), [0] * 6), (hexagon, [0] * 6)
    assert ShortestPath().normalized()(two)[0, 1] < 0.9
    assert_allclose(RandomWalk(0.2).normalized()(two), 1)


def test_the_kinds_of_adjacency_and_labels():
    expected = WeisfeilerLehman(2)([(PATH, [1, 2, 1])])
    repeated = sp.coo_array(([1, 0.5, 0.5, 1, 1, 0], ([0, 1, 1, 1, 2, 0], [1, 0, 0, 2, 1, 2])), shape=(3, 3))
    for S in np.array(PATH), np.array(PATH, dtype=bool), sp.csr_array(PATH), sp.csc_array(PATH, dtype=float), repeated:
        assert_array_equal(WeisfeilerLehman(2)([(S, [1, 2, 1])]), expected)
    for labels in "aba", np.array([1, 2, 1]), pd.Series(["a", "b", "a"], index=[5, 7, 9]), [(1, 2), "b", (1, 2)]:
        assert_array_equal(WeisfeilerLehman(2)([(PATH, labels)]), expected)
    assert_array_equal(WeisfeilerLehman(0)([(PATH, [1, 2, 1])], [(PATH, [1.0, 2.0, "1"])]), [[3]])


def test_what_is_given_is_neither_changed_nor_kept():
    S = sp.csr_array(np.array(PATH, dtype=float))
    S.data[0] = 0
    S[1, 0] = 0
    before, labels = S.copy(), ["a", "b", "a"]
    machine = SVC(WeisfeilerLehman(1)).fit([(S, labels), (PATH, labels)], [0, 1])
    assert S.nnz == before.nnz == 4
    said = machine.decision_function([(before, ["a", "b", "a"])])
    S.data[:] = 1
    labels[0] = "b"
    assert_array_equal(machine.decision_function([(before, ["a", "b", "a"])]), said)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([], "X must hold at least one graph, got none"),
        (3, r"X must be a list of graphs, pairs \(adjacency, labels\), got 3"),
        ("graph", "X must be a list of graphs"),
        (pd.DataFrame({"a": [1]}), "X must be a list of graphs"),
        ([PATH], r"X\[0\] must be a graph, a pair \(adjacency, labels\), got \[\[0, 1"),
        ((PATH, "aba"), r"X\[0\] must be a graph, a pair"),
        ([(PATH, "aba"), (PATH, "ab")], r"the labels of X\[1\] must be 3, one for each node, got 'ab'"),
        ([(PATH, {"a", "b", "c"})], r"the labels of X\[0\] must be 3, one for each node"),
        ([(PATH, 3)], r"the labels of X\[0\] must be 3, one for each node, got 3"),
        ([(PATH, ["a", ["b"], "c"])], r"the labels of X\[0\] must be hashable, but node 1 has \['b'\]"),
        ([(PATH, [1.0, 2.0, np.nan])], r"the labels of X\[0\] must have no gaps, but node 2 has none"),
        ([(PATH, [None, 2, 3])], r"the labels of X\[0\] must have no gaps, but node 0 has none"),
        ([([[0, 1], [0, 0]], "ab")], r"X\[0\] must be a graph without directions, but has only one of 0 -> 1"),
        ([([[0, 2], [2, 0]], "ab")], r"the adjacency matrix of X\[0\] must hold 0 and 1 only, got 2"),
        ([([[0, np.nan], [np.nan, 0]], "ab")], r"the adjacency matrix of X\[0\] contains NaN"),
        ([([[0, 1, 0], [1, 0, 0]], "ab")], r"the adjacency matrix of X\[0\] must be a square matrix, got rows"),
        ([([0, 1], "ab")], r"the adjacency matrix of X\[0\] must have a row for each point"),
        ([(np.zeros((0, 0)), "")], "a graph with at least one node"),
        ([([], [])], "a graph with at least one node"),
        ([([[0, 1], [1]], "ab")], r"the adjacency matrix of X\[0\] must be a square matrix, got rows of other"),
    ],
)
def test_what_is_no_list_of_graphs(X, message):
    for kernel in WeisfeilerLehman(), ShortestPath(), RandomWalk():
        with pytest.raises(ValueError, match=message):
            kernel(X)


def test_rows_in_a_list_are_a_matrix():
    rows = [np.array(row) for row in PATH]
    assert WeisfeilerLehman()([(rows, "abc")]) == WeisfeilerLehman()([(PATH, "abc")])
    assert WeisfeilerLehman(depth=1)([([np.array([0])], ["a"])]) == 2


@pytest.mark.parametrize("depth", [-1, 1.5])
def test_the_depth_is_a_number_of_rounds(depth):
    with pytest.raises(ValueError, match="'depth' parameter of WeisfeilerLehman"):
        WeisfeilerLehman(depth)([(PATH, "aba")])

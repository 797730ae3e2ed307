"""Kernels on whole graphs, whose nodes have labels."""

from collections.abc import Mapping, Set
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval

from kernelbook.inputs.dataframes import listed
from kernelbook.inputs.missing_values import is_missing
from kernelbook.inputs.validation import finite_array, quoted
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.categories import codes
from kernelbook.kernels.graphs import check_is_matrix

UNWEIGHTED = ", weight=None"  # for a matrix of 0 and 1, even if the graph's edges have weights


class WeisfeilerLehman(Kernel):
    """k(G, G') = Σ_{t = 0 … depth} Σ_c |c in G, t| · |c in G', t|, c the labels after t rounds of refinement.

    |c in G, t| counts the nodes of G that have the label c after t rounds. A round gives each node a new label, which
    stands for its old label and those of its neighbours, in no order. So after t rounds two nodes have the same label
    exactly if the trees of all walks of t steps from them, with their labels, are the same. New labels are compared by
    what they stand for, so k(G, G') does not depend on other graphs, nor on the process that computes it.

    The objects are pairs (adjacency, labels). The adjacency matrix is a symmetric (N, N) array or sparse matrix of 0
    and 1, where a 1 on the diagonal makes a node its own neighbour; the N labels are values of any kind that are equal
    or not, in a list or an array. Where nodes have no labels, give all of them the same one, or their degrees.

    A round takes time in proportion to the number of edges: the Gram matrix of 100 graphs of 100 nodes takes about
    0.2 s on one core. Larger graphs have more nodes to count; ``WeisfeilerLehman().normalized()`` removes their size.

    Different graphs may have k(G, G) = k(G, G') = k(G', G'), such as two triangles and a hexagon: in both each node has
    two neighbours.

    Parameters
    ----------
    depth : int ≥ 0, default 3; the number of rounds, 0 to count the labels as they are

    Raises
    ------
    ValueError, when the kernel is used : an adjacency matrix is not symmetric or has another weight than 0 and 1, the
        labels are not one for each node, or one is missing

    References
    ----------
    Shervashidze, Schweitzer, van Leeuwen, Mehlhorn & Borgwardt (2011), Weisfeiler-Lehman graph kernels, Journal of
    Machine Learning Research 12.

    >>> path = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    >>> graphs = [(path, ["C", "O", "C"]), (path, ["C", "C", "O"])]
    >>> WeisfeilerLehman(depth=1)(graphs)  # 2 · 2 + 1 · 1 for the labels, and nothing in common after one round
    array([[10.,  5.],
           [ 5.,  8.]])
    """

    psd = True
    on_vectors = False
    _parameter_constraints = {"depth": [Interval(Integral, 0, None, closed="left")]}

    def __init__(self, depth=3):
        self.depth = depth

    def check(self, X, name="X"):
        """Graphs in a list: pairs (adjacency, labels)."""
        if not isinstance(X, list | tuple | np.ndarray):
            raise ValueError(f"{name} must be a list of graphs, pairs (adjacency, labels), got {quoted(X)}.")
        if len(X) == 0:
            raise ValueError(f"{name} must hold at least one graph, got none.")
        return [_graph(graph, f"{name}[{i}]") for i, graph in enumerate(X)]

    def _block(self, X, Y):
        if Y is None:
            counts = self._counts(X)
            return (counts @ counts.T).toarray()
        counts = self._counts(X + Y)  # of both together, so that equal labels have equal numbers
        return (counts[: len(X)] @ counts[len(X) :].T).toarray()

    def _diag(self, X):
        return self._counts(X).power(2).sum(axis=1)

    def _counts(self, X):
        """A row for each graph, with a column for each label of each round."""
        graph = np.repeat(np.arange(len(X)), [len(labels) for _, labels in X])
        edges = sp.block_diag([adjacency for adjacency, _ in X], format="csr")
        neighbours = np.split(edges.indices, edges.indptr[1:-1])
        rounds = [codes([label for _, labels in X for label in labels])]
        for _ in range(self.depth):
            (label,), _ = rounds[-1]
            rounds.append(codes(_refined(label, neighbours)))
        widths = [len(different) for _, different in rounds]
        column = np.concatenate([label + sum(widths[:t]) for t, ((label,), _) in enumerate(rounds)])
        place = np.tile(graph, len(rounds)), column
        return sp.csr_array(sp.coo_array((np.ones(len(column)), place), shape=(len(X), sum(widths))))


def _refined(label, neighbours):
    """For each node, its label and the sorted labels of its neighbours."""
    return [(own, *sorted(label[near].tolist())) for own, near in zip(label.tolist(), neighbours, strict=True)]


def _graph(graph, name):
    """(adjacency as a sparse matrix, labels as a list), or ValueError."""
    if hasattr(graph, "nodes") or isinstance(graph, Mapping):
        check_is_matrix(graph, f"the first of the pair (adjacency, labels) in {name}", UNWEIGHTED)
    if not isinstance(graph, list | tuple | np.ndarray) or len(graph) != 2:
        raise ValueError(f"{name} must be a graph, a pair (adjacency, labels), got {quoted(graph)}.")
    adjacency, labels = graph
    check_is_matrix(adjacency, f"the adjacency matrix of {name}", UNWEIGHTED)
    try:
        shape = np.shape(adjacency)
    except ValueError:  # rows of different lengths, for which finite_array raises an error below
        shape = ()
    if 0 in shape:
        raise ValueError(f"{name} must be a graph with at least one node, got {quoted(graph)}.")
    S = sp.csr_array(finite_array(adjacency, f"the adjacency matrix of {name}", accept_sparse="csr"), copy=True)
    S.sum_duplicates()
    S.eliminate_zeros()
    if S.shape[0] != S.shape[1]:
        raise ValueError(f"the adjacency matrix of {name} must be square, but has shape {S.shape}.")
    if (S.data != 1).any():
        raise ValueError(f"the adjacency matrix of {name} must hold 0 and 1 only, got {S.data[S.data != 1][0]:.6g}.")
    if (one_way := sp.coo_array(S != S.T)).nnz:
        i, j = one_way.coords[0][0], one_way.coords[1][0]
        raise ValueError(f"{name} must be a graph without directions, but has only one of {i} -> {j} and {j} -> {i}.")
    return S, _labels(labels, S.shape[0], name)


def _labels(labels, count, name):
    """The labels as a list of values, one for each of `count` nodes, that are equal or not."""
    if isinstance(labels, Set | Mapping) or not hasattr(labels, "__len__") or len(labels) != count:
        raise ValueError(f"the labels of {name} must be {count}, one for each node, got {quoted(labels)}.")
    labels = listed(labels)
    if (gaps := is_missing(np.fromiter(labels, dtype=object, count=count))).any():
        raise ValueError(f"the labels of {name} must have no gaps, but node {int(np.argmax(gaps))} has none.")
    for node, label in enumerate(labels):
        try:
            hash(label)
        except TypeError:
            quotation = quoted(label, 40)
            raise ValueError(f"the labels of {name} must be hashable, but node {node} has {quotation}.") from None
    return labels

"""Kernels on whole graphs, whose nodes have labels."""

from abc import abstractmethod
from collections.abc import Mapping, Set
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path
from sklearn.utils._param_validation import Interval

from kernelbook.inputs.dataframes import listed
from kernelbook.inputs.intervals import NONNEGATIVE_REAL
from kernelbook.inputs.missing_values import is_missing
from kernelbook.inputs.validation import finite_array, quoted
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.categories import codes
from kernelbook.kernels.graphs import check_is_matrix

UNWEIGHTED = ", weight=None"  # for a matrix of 0 and 1, even if the graph's edges have weights


class GraphKernel(Kernel):
    """Base class of kernels on graphs whose nodes have labels, which are given as pairs (adjacency, labels)."""

    psd = True
    on_vectors = False

    def check(self, X, name="X"):
        """Graphs in a list: pairs (adjacency, labels)."""
        if not isinstance(X, list | tuple | np.ndarray):
            raise ValueError(f"{name} must be a list of graphs, pairs (adjacency, labels), got {quoted(X)}.")
        if len(X) == 0:
            raise ValueError(f"{name} must hold at least one graph, got none.")
        return [_graph(graph, f"{name}[{i}]") for i, graph in enumerate(X)]


class CountingKernel(GraphKernel):
    """k(G, G') = Σ_c |c in G| · |c in G'|, where ``_counts`` of a subclass says which things c it counts."""

    @abstractmethod
    def _counts(self, X):
        """A sparse matrix with a row for each graph, and a column for each thing that occurs in any of them."""

    def _block(self, X, Y):
        if Y is None:
            counts = self._counts(X)
            return (counts @ counts.T).toarray()
        counts = self._counts(X + Y)  # of both together, so that equal labels have equal numbers
        return (counts[: len(X)] @ counts[len(X) :].T).toarray()

    def _diag(self, X):
        return self._counts(X).power(2).sum(axis=1)


class WeisfeilerLehman(CountingKernel):
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

    _parameter_constraints = {"depth": [Interval(Integral, 0, None, closed="left")]}

    def __init__(self, depth=3):
        self.depth = depth

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
        return _table(np.tile(graph, len(rounds)), column, (len(X), sum(widths)))


class ShortestPath(CountingKernel):
    """k(G, G') = Σ_d Σ_{a, b} |paths of length d from a to b in G| · |paths of length d from a to b in G'|.

    Each pair of nodes that are connected counts as one path, of the length of the shortest way between them and without
    a direction; a and b are the labels of its ends. The nodes themselves count too, as paths of length 0:
    ``ShortestPath()`` less ``WeisfeilerLehman(depth=0)`` is the kernel without them.

    The objects are pairs (adjacency, labels), as ``WeisfeilerLehman`` takes them.

    A graph of N nodes and E edges takes time in proportion to N (N + E), up to a logarithm. Larger graphs have more
    pairs of nodes to count; ``ShortestPath().normalized()`` removes their size.

    Raises
    ------
    ValueError, when the kernel is used : an adjacency matrix is not symmetric or has another weight than 0 and 1, the
        labels are not one for each node, or one is missing

    References
    ----------
    Borgwardt & Kriegel (2005), Shortest-path kernels on graphs, Fifth IEEE International Conference on Data Mining.

    >>> path = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    >>> graphs = [(path, ["C", "O", "C"]), (path, ["C", "C", "O"])]
    >>> ShortestPath()(graphs)  # beside the nodes, the first has 2 × C-O and C··C, the second C-C, C-O and C··O
    array([[10.,  7.],
           [ 7.,  8.]])
    """

    def _counts(self, X):
        (label,), different = codes([label for _, labels in X for label in labels])
        graph, ends, lengths, start = [], [], [], 0
        for i, (adjacency, labels) in enumerate(X):
            D = shortest_path(adjacency, unweighted=True, method="D")
            a, b = np.nonzero(np.triu(np.isfinite(D)))  # each pair of nodes once, and each node with itself
            graph.append(np.full(len(a), i))
            ends.append(np.sort([label[start + a], label[start + b]], axis=0))
            lengths.append(D[a, b].astype(int))
            start += len(labels)
        (low, high), length = np.hstack(ends), np.concatenate(lengths)
        triple = (low * len(different) + high) * (length.max() + 1) + length
        triples, column = np.unique(triple, return_inverse=True)
        return _table(np.concatenate(graph), column, (len(X), len(triples)))


class RandomWalk(GraphKernel):
    """k(G, G') = Σ_{p ≥ 0} decayᵖ · |pairs of walks of p steps, one in G and one in G', with the same labels|.

    Two walks have the same labels if the labels of their nodes agree at each step. The sum converges if decay · ρ² < 1
    for the largest eigenvalue ρ of every adjacency matrix. It is an inner product of counts: of the walks of each
    sequence of labels.

    The objects are pairs (adjacency, labels), as ``WeisfeilerLehman`` takes them.

    Such pairs of walks are walks in the product graph. Its nodes are the pairs of nodes with equal labels, and two of
    them are joined if they are so in G and in G'. With its adjacency matrix A the sum is 1ᵀ(I − decay A)⁻¹1. A is
    never formed. A vector on the pairs of nodes is a matrix Z with a row for each node of G and a column for each of
    G', and A maps it to S Z S', set to 0 where labels differ, for the adjacency matrices S and S'. Conjugate gradients
    need a few such products. Each takes time in proportion to N E' + N' E, for N and N' nodes, E and E' edges.

    Parameters
    ----------
    decay : float ≥ 0, default 0.05; the weight of a step, 0 to count pairs of nodes with equal labels. ρ is at most the
        largest degree, so any decay below 1/16 is small enough for molecules whose atoms have at most four neighbours

    Raises
    ------
    ValueError, when the kernel is used : decay is not below 1/ρ² for a graph; an adjacency matrix is not symmetric or
        has another weight than 0 and 1, the labels are not one for each node, or one is missing

    References
    ----------
    Gärtner, Flach & Wrobel (2003), On graph kernels: hardness results and efficient alternatives, Learning Theory and
    Kernel Machines. Vishwanathan, Schraudolph, Kondor & Borgwardt (2010), Graph kernels, Journal of Machine Learning
    Research 11.

    >>> edge, node = ([[0, 1], [1, 0]], ["C", "O"]), ([[0]], ["C"])
    >>> RandomWalk(decay=0.5)([edge, node])  # two walks of each length from the edge: 2 (1 + 1/2 + 1/4 + …)
    array([[4., 1.],
           [1., 1.]])
    """

    _parameter_constraints = {"decay": [NONNEGATIVE_REAL]}

    def __init__(self, decay=0.05):
        self.decay = decay

    def _block(self, X, Y):
        radius = [self._radius(graph) for graph in X]
        if Y is not None:
            others = [self._radius(graph) for graph in Y]
            return np.array([self._values(*each, Y, others) for each in zip(X, radius, strict=True)])
        K = np.zeros((len(X), len(X)))
        for i in range(len(X)):
            K[i, i:] = K[i:, i] = self._values(X[i], radius[i], X[i:], radius[i:])
        return K

    def _diag(self, X):
        return np.array([self._values(graph, self._radius(graph), [graph], [self._radius(graph)])[0] for graph in X])

    def _radius(self, graph):
        """The largest eigenvalue ρ of the adjacency matrix, or ValueError if the kernel's sum does not converge."""
        radius = np.linalg.eigvalsh(graph[0].toarray())[-1]
        if self.decay * radius**2 >= 1:
            raise ValueError(
                f"decay must be below {1 / radius**2:.6g}, which is 1/ρ² for the largest eigenvalue ρ of a graph of "
                f"{len(graph[1])} nodes, got {self.decay:.6g}."
            )
        return radius

    def _values(self, graph, radius, others, radii):
        """k(graph, G') for each G' of `others`, by conjugate gradients for all of them at a time, from the start 0.

        For the right-hand side 1, the value of the solution so far is the sum of step · ‖residual‖² over the steps. It
        lacks residualᵀ(I − decay A)⁻¹residual, which is at most ‖residual‖² / (1 − decay ρρ').
        """
        S, labels = graph
        others_S = sp.block_diag([adjacency for adjacency, _ in others], format="csr")
        sizes = [len(names) for _, names in others]
        starts = np.cumsum([0, *sizes[:-1]])
        (own, theirs), _ = codes(labels, [name for _, names in others for name in names])
        same = own[:, None] == theirs

        def dots(U, V):
            return np.add.reduceat((U * V).sum(axis=0), starts)

        residual = same.astype(float)
        direction, squared, values = residual.copy(), dots(residual, residual), np.zeros(len(others))
        enough = np.finfo(float).eps * (1 - self.decay * radius * np.array(radii)) / 2 * squared
        while (active := squared > enough).any():
            image = direction - self.decay * same * (S @ direction @ others_S)
            step = np.divide(squared, dots(direction, image), where=active, out=np.zeros(len(others)))
            values += step * squared
            residual -= np.repeat(step, sizes) * image
            before, squared = squared, dots(residual, residual)
            turn = np.divide(squared, before, where=active, out=np.zeros(len(others)))
            direction = residual + np.repeat(turn, sizes) * direction
        return values


def _table(row, column, shape):
    """How often each pair of a row and a column occurs, as a sparse matrix."""
    return sp.csr_array(sp.coo_array((np.ones(len(column)), (row, column)), shape=shape))


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

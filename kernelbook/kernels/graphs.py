"""Kernels on the nodes of a graph, which are named by the row numbers of its adjacency matrix."""

from collections.abc import Mapping, Set, Sized

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh

from kernelbook.inputs.intervals import NONNEGATIVE_REAL, POSITIVE_INTEGER
from kernelbook.kernels.formatting import written
from kernelbook.kernels.user_defined import MatrixKernel
from kernelbook.linalg.gram import gram_matrix
from kernelbook.linalg.tolerances import rounding


def check_is_matrix(adjacency, name, options=""):
    """ValueError, with advice, if a graph is given in another form than its adjacency matrix.

    `options` are added to the arguments of networkx's function that makes the matrix.
    """
    matrix = "networkx.to_numpy_array({}" + options + ")"
    if hasattr(adjacency, "nodes"):
        found = f"got a graph: write {matrix.format('graph')}"
    elif isinstance(adjacency, Mapping):
        found = f"got a dict: for one of lists of neighbours, write {matrix.format('networkx.Graph(graph)')}"
    elif _has_other_rows(adjacency):
        lists, edges = "networkx.Graph(dict(enumerate(lists)))", "networkx.Graph(edges)"
        found = (
            f"got rows of other lengths: for lists of neighbours, write {matrix.format(lists)}, for edges "
            f"{matrix.format(edges)}"
        )
    else:
        return
    raise ValueError(f"{name} must be a square matrix, {found}; its rows are in the order of the graph's nodes.")


def _has_other_rows(matrix):
    """Whether a collection of rows has a set among them, or a row that is not as long as the collection."""
    if not isinstance(matrix, list | tuple) and not (isinstance(matrix, np.ndarray) and matrix.dtype.kind == "O"):
        return False
    return any(isinstance(row, Set) or (isinstance(row, Sized) and 0 < len(row) != len(matrix)) for row in matrix)


class _NodeKernel(MatrixKernel):
    """A symmetric function of a symmetric adjacency matrix, with the same eigenvectors."""

    _parameter_constraints = {"adjacency": ["array-like", "sparse matrix"]}
    _items = "nodes"

    def _symmetric(self):
        """The adjacency matrix S as a dense array, or ValueError."""
        check_is_matrix(self.adjacency, "adjacency")
        return gram_matrix(self.adjacency.toarray() if sp.issparse(self.adjacency) else self.adjacency, "adjacency")

    def _symmetrised(self, K):
        if not np.isfinite(K).all():
            raise ValueError(f"{type(self).__name__} gives values too large to compute with; scale adjacency.")
        return (K + K.T) / 2

    def _formula(self, digits=None):
        shape = " x ".join(map(str, np.shape(self.adjacency)))
        params = self.get_params(deep=False)
        params.pop("adjacency")
        others = "".join(f", {name}={written(value, digits)}" for name, value in params.items())
        return f"{type(self).__name__}(adjacency: {shape}{others})"


class Diffusion(_NodeKernel):
    """K = exp(−βL), with the graph's Laplacian L = diag(S1) − S; or exp(βS) with ``laplacian=False``.

    The objects are nodes, row numbers of S. K_ij is the share of the heat that has spread
    from node i to node j by the time β. Both are PSD for every symmetric S and every β: their eigenvalues are
    exponentials.

    Parameters
    ----------
    adjacency : (N, N) symmetric array or sparse matrix S of the weights of the edges
    beta : float ≥ 0, default 1; β, in 1 / units of the weights
    laplacian : bool, default True; False puts S in place of −L

    Raises
    ------
    ValueError, when the kernel is used : S is not a finite symmetric matrix, or an object is not one of its nodes

    References
    ----------
    Kondor & Lafferty (2002), Diffusion kernels on graphs and other discrete structures, ICML.

    >>> Diffusion([[0, 1], [1, 0]])([0, 1]).round(3)
    array([[0.568, 0.432],
           [0.432, 0.568]])
    """

    psd = True
    _parameter_constraints = {
        **_NodeKernel._parameter_constraints,
        "beta": [NONNEGATIVE_REAL],
        "laplacian": ["boolean"],
    }

    def __init__(self, adjacency, beta=1.0, laplacian=True):
        self.adjacency = adjacency
        self.beta = beta
        self.laplacian = laplacian

    def _made(self):
        S = self._symmetric()
        generator = S - np.diag(S.sum(axis=1)) if self.laplacian else S
        mu, U = eigh(generator)
        mu[np.abs(mu) <= rounding(mu)] = 0  # an error of rounding would grow exponentially with β
        with np.errstate(over="ignore", invalid="ignore"):
            return self._symmetrised((U * np.exp(float(self.beta) * mu)) @ U.T)


class WalkPower(_NodeKernel):
    """K = S^power, where K_ij counts the walks of that length from i to j, each by the product of its weights.

    The objects are nodes, row numbers of S. An even power is PSD. The eigenvalues of an odd power have the signs of
    S's eigenvalues, so it need not be PSD.

    Parameters
    ----------
    adjacency : (N, N) symmetric array or sparse matrix S of the weights of the edges
    power : int ≥ 1, default 2

    Raises
    ------
    ValueError, when the kernel is used : S is not a finite symmetric matrix, or an object is not one of its nodes

    References
    ----------
    Shawe-Taylor & Cristianini (2004), Kernel Methods for Pattern Analysis, chapter 9.

    >>> WalkPower([[0, 1, 0], [1, 0, 1], [0, 1, 0]])([0, 1, 2])
    array([[1., 0., 1.],
           [0., 2., 0.],
           [1., 0., 1.]])
    """

    _parameter_constraints = {
        **_NodeKernel._parameter_constraints,
        "power": [POSITIVE_INTEGER],
    }

    def __init__(self, adjacency, power=2):
        self.adjacency = adjacency
        self.power = power

    @property
    def psd(self):
        """where the power is even"""
        return bool(self.power % 2 == 0)

    def _made(self):
        with np.errstate(over="ignore", invalid="ignore"):
            return self._symmetrised(np.linalg.matrix_power(self._symmetric(), self.power))

"""What a wrong argument is answered with: one sentence, on one line, whatever was given."""

import re

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from kernelbook import MKLSVC, RBF, SVC, Diffusion, GlobalAlignment, KernelRidge, Precomputed, WeisfeilerLehman
from kernelbook.inputs.validation import quoted
from tests.library.estimators import data_for, every, make, parameters
from tests.library.kernels.kinds import KINDS

MATRIX = np.arange(12.0).reshape(3, 4)
WRONG = {
    "a matrix": MATRIX,
    "a data frame": pd.DataFrame(MATRIX, columns=list("abcd")),
    "a frame of words": pd.DataFrame({"a": ["x", None], "b": ["y", "z"]}),
    "a frame of polars": pl.DataFrame({"a": [1.0, 2.0], "b": ["y", "z"]}),
    "a column": pd.Series([1.0, 2.0, 3.0]),
    "a sparse matrix": sp.csr_array(MATRIX),
    "matrices in a list": [MATRIX, MATRIX],
    "frames in a list": [pd.DataFrame(MATRIX)] * 2,
    "matrices in a dict": {"a": MATRIX},
    "a graph": nx.path_graph(3),
    "graphs in a list": [nx.path_graph(3)] * 2,
    "pairs of graphs": [(nx.path_graph(3), MATRIX)] * 2,
    "an object": object(),
    "an array of four dimensions": np.zeros((2, 2, 2, 2)),
    "nothing": None,
    "a number": 2.5,
    "rows of several lengths": [[1.0, 2.0], [1.0]],
    "not finite": [[np.nan, np.inf]],
}
wrong = pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
OURS = [kernel for _, kernels in KINDS.values() for kernel in kernels]


def said(function, *args):
    """What the error says that a call raises, or nothing."""
    try:
        function(*args)
    except (ValueError, TypeError, AttributeError) as error:
        return str(error)
    return ""


def assert_one_line(message):
    assert "\n" not in message
    assert " object at 0x" not in message
    assert len(message) < 450


@wrong
def test_a_kernel_answers_in_one_line(value):
    refused = 0
    for kernel in OURS:
        message = said(kernel.fit, value)
        assert_one_line(message)
        refused += bool(message)
    assert refused > 10


@wrong
@every
def test_an_estimator_answers_in_one_line(cls, value):
    X, y, _ = data_for(cls)
    assert_one_line(said(make(cls, RBF(1.0)).fit, value, y))
    assert_one_line(said(make(cls, "precomputed").fit, value, y))
    if y is not None:
        assert_one_line(said(make(cls, RBF(1.0)).fit, X, value))
    for name in parameters(cls):
        assert_one_line(said(lambda name=name: make(cls, RBF(1.0)).set_params(**{name: value}).fit(X, y)))
    assert_one_line(said(lambda: make(cls, RBF(1.0)).fit(X, y, value)))


def test_a_fit_names_every_argument_that_is_missing():
    with pytest.raises(TypeError, match="missing 2 required positional arguments: 'X' and 'y'"):
        SVC().fit()
    for arguments, name in (({"X": MATRIX}, "y"), ({"y": [0, 1, 0]}, "X")):
        with pytest.raises(TypeError, match=f"missing 1 required positional argument: '{name}'"):
            SVC().fit(**arguments)


def test_a_matrix_in_the_place_of_a_kernel_leads_to_what_takes_it():
    K, labels = np.eye(4), [0, 1, 0, 1]
    advice = r"got an array of shape \(4, 4\): write Precomputed\(K\) for a Gram matrix K, and row numbers as X\.$"
    for attempt in (SVC(K), KernelRidge(K), MKLSVC([K])):
        with pytest.raises(ValueError, match=advice):
            attempt.fit(K, labels)
    assert MKLSVC([Precomputed(K)]).fit(range(4), labels).predict([0, 1]).tolist() == [0, 1]


def test_a_frame_in_the_place_of_a_series_leads_to_its_values():
    frame = pd.DataFrame(MATRIX)
    with pytest.raises(ValueError, match=r"^X\[0\] must be a series in an array, got a DataFrame of shape \(3, 4\): "):
        GlobalAlignment(1.0)([frame])
    assert GlobalAlignment(1.0)([frame.to_numpy()]).shape == (1, 1)


GRAPH = nx.path_graph(3)
NEIGHBOURS = [[1], [0, 2], [1]]
ADVICE = r"write (networkx\.[^;]*?\))(?:, for edges .*)?; its rows are in the order"
FORMS = {  # of a graph that is no matrix: what stands for it in the advice
    "a graph": (GRAPH, {"graph": GRAPH}),
    "a graph with weights": (nx.Graph([(0, 1, {"weight": 3.0}), (1, 2)]), {"graph": GRAPH}),
    "a dict": (dict(enumerate(NEIGHBOURS)), {"graph": dict(enumerate(NEIGHBOURS))}),
    "lists": (NEIGHBOURS, {"lists": NEIGHBOURS}),
    "sets": ([set(near) for near in NEIGHBOURS], {"lists": NEIGHBOURS}),
    "lists in an array": (np.fromiter(NEIGHBOURS, dtype=object), {"lists": NEIGHBOURS}),
}


@pytest.mark.parametrize(("graph", "names"), FORMS.values(), ids=FORMS)
def test_a_graph_in_another_form_leads_to_its_matrix(graph, names):
    expected = WeisfeilerLehman(1)([(nx.to_numpy_array(GRAPH), "aba")])
    message = said(WeisfeilerLehman(1), [(graph, "aba")])
    assert message.startswith("the adjacency matrix of X[0] must be a square matrix, ")
    matrix = eval(re.search(ADVICE, message)[1], {"networkx": nx, **names})
    assert_array_equal(WeisfeilerLehman(1)([(matrix, "aba")]), expected)
    message = said(Diffusion(graph), [0, 1])
    assert message.startswith("adjacency must be a square matrix, ")
    matrix = eval(re.search(ADVICE, message)[1], {"networkx": nx, **names})
    assert Diffusion(matrix)([0, 1]).shape == (2, 2)


def test_a_list_of_edges_leads_to_its_matrix():
    edges = [(0, 1), (1, 2), (2, 3)]
    advice = re.search(r"for edges (networkx.*); its rows", said(Diffusion(edges), [0]))[1]
    assert_array_equal(eval(advice, {"networkx": nx, "edges": edges}), nx.to_numpy_array(nx.path_graph(4)))


@pytest.mark.parametrize("graph", [GRAPH, {0: [1], 1: [0]}], ids=["a graph", "a dict"])
def test_a_graph_in_the_place_of_a_pair_leads_to_the_pair(graph):
    with pytest.raises(
        ValueError, match=r"the first of the pair \(adjacency, labels\) in X\[0\] must be a square matrix"
    ):
        WeisfeilerLehman(1)([graph])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.5, "2.5"),
        (np.float64(0.5), "0.5"),
        ("a\nb", r"'a\nb'"),
        (np.zeros(2), "array([0., 0.])"),
        (np.zeros((2, 3)), "an array of shape (2, 3)"),
        (np.ma.zeros((2, 3)), "an array of shape (2, 3)"),
        (pd.DataFrame(MATRIX), "a DataFrame of shape (3, 4)"),
        ([MATRIX, 1], "a list of an array of shape (3, 4), 1"),
        (object(), "an object of type object"),
        (pl.LazyFrame({"a": [1.0]}), "an object of type LazyFrame"),
        ([1] * 1000, "[" + "1, " * 19 + "1,"),
    ],
)
def test_a_value_is_quoted_in_one_line(value, text):
    assert quoted(value) == text

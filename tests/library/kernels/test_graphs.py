"""Kernels on the nodes of a graph, against SciPy's matrix exponential and walks that are counted."""

import pickle

import networkx
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import expm
from sklearn.base import clone

from kernelbook import KernelPCA, KernelRidge
from kernelbook.kernels import Diffusion, WalkPower

rng = np.random.default_rng(0)
S = rng.integers(0, 2, size=(8, 8))
S = np.triu(S, 1) + np.triu(S, 1).T
L = np.diag(S.sum(axis=1)) - S
NODES = np.arange(8)


@pytest.mark.parametrize("beta", [0, 0.3, 2.0])
def test_diffusion_is_the_exponential(beta):
    assert_allclose(Diffusion(S, beta)(NODES), expm(-beta * L), atol=1e-12)
    assert_allclose(Diffusion(S, beta, laplacian=False)(NODES), expm(beta * S), rtol=1e-10, atol=1e-12)
    assert_allclose(Diffusion(sp.csr_array(S), beta)(NODES), expm(-beta * L), atol=1e-12)


def test_weights_of_either_sign_and_edges_to_itself():
    A = np.random.default_rng(1).normal(size=(8, 8))
    W = A + A.T
    assert_allclose(Diffusion(W, 0.2)(NODES), expm(0.2 * (W - np.diag(W.sum(axis=1)))), rtol=1e-9, atol=1e-9)
    assert_allclose(Diffusion(W, 0.2, laplacian=False)(NODES), expm(0.2 * W), rtol=1e-9, atol=1e-9)
    for power, expected in enumerate((W, W @ W, W @ W @ W), 1):
        assert_allclose(WalkPower(W, power)(NODES), expected, rtol=1e-9, atol=1e-9)


def test_heat_is_kept():
    assert_allclose(Diffusion(S, 0.7)(NODES).sum(axis=1), 1)


def walks(i, j, length):
    return int(i == j) if length == 0 else sum(walks(k, j, length - 1) for k in np.flatnonzero(S[i]))


@pytest.mark.parametrize("power", [1, 2, 3, 4])
def test_a_power_counts_walks(power):
    assert_array_equal(WalkPower(S, power)(NODES), [[walks(i, j, power) for j in NODES] for i in NODES])


def test_even_powers_promise_and_odd_ones_do_not():
    assert WalkPower(S, 2).psd
    assert not WalkPower(S, 3).psd
    assert np.linalg.eigvalsh(WalkPower(S, 3)(NODES))[0] < -1
    assert Diffusion(S).psd
    assert Diffusion(S, laplacian=False).psd


def test_a_new_parameter_makes_a_new_matrix():
    kernel = Diffusion(S, 0.3)
    before = kernel(NODES)
    assert_allclose(kernel.set_params(beta=0.6)(NODES), before @ before)
    copy = clone(kernel).set_params(beta=0.3)
    assert_array_equal(copy(NODES), before)
    assert_allclose(kernel(NODES), before @ before)
    kernel.beta = 0.9
    assert_allclose(kernel(NODES), before @ before @ before)


def test_nodes_may_come_in_any_order_and_twice():
    assert_array_equal(WalkPower(S)([3, 3, 1], [0]), WalkPower(S)(NODES)[[3, 3, 1]][:, [0]])


def test_the_formula_shows_the_size_of_the_graph():
    assert repr(Diffusion(S, 0.5)) == "Diffusion(adjacency: 8 x 8, beta=0.5, laplacian=True)"


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: Diffusion([[0, 1], [0, 0]])([0]), r"adjacency must be symmetric"),
        (lambda: Diffusion([[0, 1, 0], [1, 0, 0]])([0]), "adjacency must be a square"),
        (lambda: Diffusion(S, -1)([0]), "'beta' parameter of Diffusion"),
        (lambda: WalkPower(S, 0)([0]), "'power' parameter of WalkPower"),
        (lambda: WalkPower(S)([8]), "X must be a list of nodes, integers from 0 to 7, got"),
        (lambda: WalkPower(S)([0.5]), "X must be a list of nodes"),
        (lambda: WalkPower(S)(["a"]), "X must be a list of nodes"),
        (lambda: WalkPower(S)(3), "X must be a list of nodes"),
        (lambda: WalkPower(S)(None), "X must be a list of nodes"),
    ],
)
def test_bad_input(attempt, message):
    with pytest.raises(ValueError, match=message):
        attempt()


def test_a_graph_that_is_no_matrix():
    for kernel in Diffusion, WalkPower:
        with pytest.raises(ValueError, match=r"adjacency must be a square matrix, got a graph: write networkx"):
            kernel(networkx.path_graph(3))([0])


def test_a_graph_that_was_changed_in_its_place_is_seen_when_it_is_set_anew():
    graph = S.astype(float)
    kernel = WalkPower(graph)
    before = kernel(NODES)
    graph *= 3
    assert_array_equal(kernel.set_params(adjacency=graph)(NODES), 9 * before)
    graph /= 3
    assert_array_equal(clone(kernel)(NODES), before)


def test_a_fitted_estimator_keeps_its_graph():
    graph = S.astype(float)
    machine = KernelRidge(Diffusion(graph, 0.5), 0.1).fit(NODES, np.arange(8.0))
    said = machine.predict(NODES)
    graph *= 7
    assert_array_equal(machine.predict(NODES), said)
    assert_array_equal(pickle.loads(pickle.dumps(machine)).predict(NODES), said)


def test_values_that_no_float_holds():
    for kernel in WalkPower(S, 5000), Diffusion(-1e3 * S):
        with pytest.raises(ValueError, match="too large to compute with; scale adjacency"):
            kernel([0])


def test_nodes_have_no_mean():
    model = KernelPCA(2, Diffusion(S)).fit(NODES)
    with pytest.raises(ValueError, match="inverse_transform needs training objects that are vectors"):
        model.inverse_transform(model.transform(NODES))

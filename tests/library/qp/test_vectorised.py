"""What takes the place of compiled loops where numba is missing gives what they give."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelbook import RBF, Linear
from kernelbook.kernels import loops as kernel_loops
from kernelbook.kernels import vectorised as kernel_vectorised
from kernelbook.linalg import loops as matrix_loops
from kernelbook.linalg import vectorised as matrix_vectorised
from kernelbook.qp import DualQP, loops, smo, vectorised
from kernelbook.qp.loops import BARRED, MIN_CURVATURE, NEAR_BOUND, TINY_CURVATURE, TOTAL_ROUNDING
from kernelbook.runtime.available import numba

pytestmark = pytest.mark.skipif(numba is None, reason="without numba both are the same function")


def state(seed):
    """A point of a problem with three groups, many of its variables on a bound: some boxes are empty."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    lower, upper = -rng.integers(0, 3, n).astype(float), rng.integers(0, 3, n).astype(float)
    beta = np.clip(rng.normal(scale=2, size=n), lower, upper)
    return rng, beta, rng.normal(size=n), lower, upper, rng.integers(0, 3, n)


@pytest.mark.parametrize("seed", range(30))
class TestSame:
    def test_bounds_gap_and_active_variables(self, seed):
        rng, *point = state(seed)
        bounds = loops.kkt_bounds(*point, 3)
        assert_array_equal(vectorised.kkt_bounds(*point, 3), bounds)
        assert_array_equal(vectorised.active_variables(*point, *bounds), loops.active_variables(*point, *bounds))
        rho = rng.normal(size=3)
        assert_allclose(vectorised.gap(*point, rho), loops.gap(*point, rho), rtol=1e-12)

    def test_variables_snap_to_bounds(self, seed):
        rng, beta, _, lower, upper, _ = state(seed)
        near = np.clip(beta * (1 + rng.choice([0, 1e-10, 1e-7], beta.shape)), lower, upper) + 1e-10 * (upper - lower)
        given = near, lower, upper, rng.choice([0.0, 1.0, 1e3], beta.shape), 1e-8 * rng.random(len(beta))
        moved = loops.snap_to_bounds(*given)
        assert_array_equal(vectorised.snap_to_bounds(*given, width=NEAR_BOUND), moved)

    def test_shortfall(self, seed):
        rng, beta, *_, groups = state(seed)
        sums = np.bincount(groups, beta, 3)
        totals = sums + rng.choice([-1.0, -1e-12, -1e-15, 0.0, 1e-15, 1.0], 3) * np.bincount(groups, np.abs(beta), 3)
        missing = loops.shortfall(beta, groups, totals)
        assert_array_equal(vectorised.shortfall(beta, groups, totals, rounding=TOTAL_ROUNDING), missing)
        assert_array_equal(missing == 0, np.abs(totals - sums) <= 1e-14 * np.bincount(groups, np.abs(beta), 3))

    def test_runs(self, seed):
        rng, *_, groups = state(seed)
        for rows in np.arange(len(groups)), rng.permutation(len(groups)), rng.integers(0, 9, len(groups)):
            for order in np.argsort(groups, kind="stable"), np.arange(len(groups)):
                expected = loops.runs_of_rows(rows[order], groups[order], 3)
                found = vectorised.runs_of_rows(rows[order], groups[order], 3)
                assert all(map(np.array_equal, found, expected))

    def test_products_and_blocks(self, seed):
        rng, beta, G, *_ = state(seed)
        K, rows = RBF(1.0)(rng.normal(size=(50, 2))) - 0.3, rng.integers(0, 50, len(beta))
        for name in "product", "absolute_product":
            found, expected = (getattr(m, name)(K, rows, beta) for m in (matrix_vectorised, matrix_loops))
            assert_allclose(found, expected, rtol=1e-10)
        for name in "add_rows", "add_absolute_rows":
            totals = np.ones((2, 50))
            getattr(matrix_vectorised, name)(K, rows, np.abs(G), totals[0])
            getattr(matrix_loops, name)(K, rows, np.abs(G), totals[1])
            assert_allclose(*totals, rtol=1e-10)
        blocks = np.empty((2, len(rows), 7))
        for module, block in (matrix_vectorised, blocks[0]), (matrix_loops, blocks[1]):
            module.copy_block(K, rows, np.arange(7), block)
        assert_array_equal(*blocks)

    def test_pairs(self, seed):
        rng, _, G, lower, upper, _ = state(seed)
        up, low = np.where(upper > 0, 0.0, BARRED), np.where(lower < 0, 0.0, BARRED)
        K_i, K_j = rng.normal(size=(2, len(G)))
        for move in 0.0, 0.7:
            mine, theirs = G.copy(), G.copy()
            assert vectorised.follow(mine, K_i, K_j, move, up, low) == loops._follow(theirs, K_i, K_j, move, up, low)
            assert_allclose(mine, theirs, rtol=1e-12)
        given = G, low, np.exp(rng.normal(size=len(G))), K_i, G.min(), 2.0
        assert vectorised.partner(*given, least=MIN_CURVATURE, tiny=TINY_CURVATURE) == loops._partner(*given)
        flat = G, low, np.zeros(len(G)), np.zeros(len(G)), G.min(), 0.0
        assert vectorised.partner(*flat, least=MIN_CURVATURE, tiny=TINY_CURVATURE) == loops._partner(*flat)

    def test_kernels(self, seed):
        rng = np.random.default_rng(seed)
        x, others = rng.integers(0, 3, 8), rng.integers(0, 3, (7, 5))
        for n, decay in (1, 0.5), (2, 1.0), (4, 0.3):
            found, expected = (m.common_subsequences(x, others, n, decay) for m in (kernel_vectorised, kernel_loops))
            assert_allclose(found, expected, rtol=1e-12)
        X, Y, weights = rng.normal(size=(6, 3)), rng.normal(size=(9, 3)), rng.random(3)
        blocks, turned, mean = np.empty((2, 6, 9)), np.empty((2, 9, 6)), rng.normal(size=(1, 9, 9)).repeat(2, axis=0)
        for i, module in enumerate((matrix_vectorised, matrix_loops)):
            module.squared_differences(X, Y, weights, blocks[i])
            module.transpose(blocks[i], turned[i])
            module.symmetrise(mean[i])
        for both in blocks, turned, mean:
            assert_array_equal(*both)


@pytest.mark.parametrize("kernel", [RBF(1.0), Linear()])
def test_smo_ends_at_the_same_objective(kernel, monkeypatch):
    rng = np.random.default_rng(0)
    K, y = kernel(rng.normal(size=(80, 2))), np.where(rng.random(80) < 0.5, 1.0, -1.0)
    problem = DualQP(K, y, np.minimum(0, 3 * y), np.maximum(0, 3 * y))
    expected = smo(problem, tol=1e-8)
    monkeypatch.setattr(loops, "move_pairs", loops.move_pairs.py_func)
    monkeypatch.setattr(loops, "_follow", vectorised.follow)
    monkeypatch.setattr(loops, "shortfall", partial(vectorised.shortfall, rounding=TOTAL_ROUNDING))
    monkeypatch.setattr(loops, "snap_to_bounds", partial(vectorised.snap_to_bounds, width=NEAR_BOUND))
    for name in "runs_of_rows", "kkt_bounds", "gap", "active_variables":
        monkeypatch.setattr(loops, name, getattr(vectorised, name))
    for name in "product", "add_rows":
        monkeypatch.setattr(matrix_loops, name, getattr(matrix_vectorised, name))
    found = smo(problem, tol=1e-8)
    assert found.converged
    assert_allclose(found.objective, expected.objective, rtol=1e-8)

"""Cutting planes of the level method: the bound, and the nearest point, against linear and quadratic programmes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog, minimize

from kernelbook.learning.cutting_planes import LEVEL, CuttingPlanes


def random_planes(seed):
    """Planes, each the tangent of |A d − c|² at some weights."""
    rng = np.random.default_rng(seed)
    M, count = rng.integers(2, 7, size=2)
    A, c = rng.normal(size=(M, M)), rng.normal(size=M)
    points = rng.dirichlet(np.ones(M), size=count)
    planes = CuttingPlanes(M)
    for d in points:
        slope = 2 * A.T @ (A @ d - c)
        planes.add(((A @ d - c) ** 2).sum() - slope @ d, -2 * slope)
    value, d = min((((A @ d - c) ** 2).sum(), list(d)) for d in points)
    return planes, np.array(d), value


def least(planes):
    """The least of the largest of the planes on the simplex, by a linear programme."""
    count, M = planes.q.shape
    rows = np.column_stack([-planes.q / 2, -np.ones(count)])
    found = linprog(
        np.eye(M + 1)[-1],
        rows,
        -planes.h,
        np.append(np.ones(M), 0.0)[None],
        [1.0],
        [(0, None)] * M + [(None, None)],
    )
    return found.fun


@pytest.mark.parametrize("seed", range(30))
def test_the_level_point_is_the_nearest_below_the_level_and_the_bound_is_one(seed):
    planes, d, value = random_planes(seed)
    lowest, before = least(planes), planes.bound
    point = planes.level_point(d, value)
    scale = np.abs(planes.h).max() + np.abs(planes.q).max()
    assert before <= planes.bound <= lowest + 1e-12 * scale
    if point is None:
        assert_allclose(planes.bound, value, atol=1e-9 * scale)
        return
    level = planes.bound + LEVEL * (value - planes.bound)
    assert planes.value(point) <= level + 1e-12 * scale
    assert point.min() >= 0
    assert_allclose(point.sum(), 1)
    expected = minimize(
        lambda x: ((x - d) ** 2).sum(),
        point,
        bounds=[(0, 1)] * len(d),
        constraints=[
            {"type": "eq", "fun": lambda x: x.sum() - 1},
            {"type": "ineq", "fun": lambda x: level - planes.h + planes.q @ x / 2},
        ],
        options={"ftol": 1e-14},
    )
    assert_allclose(((point - d) ** 2).sum(), expected.fun, rtol=1e-5, atol=1e-10)


@pytest.mark.parametrize("seed", range(10))
def test_the_bound_rises_to_the_least_value_of_the_planes(seed):
    """As the value that is to be undercut sinks towards it."""
    planes, d, _ = random_planes(seed)
    lowest, top = least(planes), planes.value(d)
    assert planes.level_point(d, lowest + 1e-3 * (top - lowest)) is not None or top == lowest
    assert planes.bound <= lowest + 1e-12 * abs(top)


@pytest.mark.parametrize("scale", [2.0**-200, 2.0**200])
def test_units(scale):
    for seed in range(10):
        planes, d, value = random_planes(seed)
        scaled = CuttingPlanes(len(d))
        for h, q in zip(planes.h, planes.q, strict=True):
            scaled.add(scale * h, scale * q)
        point, again = planes.level_point(d, value), scaled.level_point(d, scale * value)
        assert (point is None) == (again is None)
        assert_allclose(scaled.bound, scale * planes.bound, rtol=1e-9)
        if point is not None:
            assert_allclose(again, point, atol=1e-9)


def test_planes_that_meet_at_the_best_point_close_the_gap():
    """Two slopes that cancel: J is proved to be nowhere below its value at the kink."""
    planes, kink = CuttingPlanes(2), np.array([0.25, 0.75])
    for q in np.array([2.0, 0.0]), np.array([0.0, 2.0]):
        planes.add(1 + q @ kink / 2, q)
    assert planes.bound < 1
    assert planes.level_point(kink, 1.0) is None
    assert_allclose(planes.bound, 1.0, rtol=1e-12)

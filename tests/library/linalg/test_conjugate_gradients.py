"""Conjugate gradients against a direct solution, and the bound on their steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelbook.linalg.conjugate_gradients import conjugate_gradients

RNG = np.random.default_rng(0)
Q = np.linalg.qr(RNG.normal(size=(40, 40)))[0]
Y = RNG.normal(size=(40, 3))


def solve(A, y, P=None, tol=1e-10, most=500):
    inverse = np.eye(len(A)) if P is None else np.linalg.inv(P)
    return conjugate_gradients(lambda V: A @ V, y, lambda V: inverse @ V, tol, most)


def test_it_solves_each_column_to_its_tolerance():
    A = Q @ np.diag(np.logspace(-3, 0, 40)) @ Q.T
    y = Y * [1.0, 1e8, 1e-8]
    z, _, left = solve(A, y)
    assert left <= 1e-10
    assert (np.linalg.norm(y - A @ z, axis=0) <= 2e-10 * np.linalg.norm(y, axis=0)).all()


def test_as_many_steps_as_different_eigenvalues():
    A = Q @ np.diag(np.repeat([1.0, 2.0, 5.0, 9.0], 10)) @ Q.T
    assert solve(A, Y)[1] == 4
    assert solve(A, Y, A)[1] == 1
    z, steps, left = solve(A, np.zeros((40, 2)))
    assert (steps, left) == (0, 0)
    assert_array_equal(z, 0)


def test_a_preconditioner_near_the_matrix_bounds_the_steps():
    """After s steps the A-norm of the error is below 2 ((√κ − 1) / (√κ + 1))^s of its start."""
    A = Q @ np.diag(np.logspace(-6, 0, 40)) @ Q.T
    root = Q @ np.diag(np.logspace(-3, 0, 40)) @ Q.T
    P = root @ np.diag(RNG.uniform(0.5, 1, size=40)) @ root  # eigenvalues of P⁻¹A from 1 to 2
    exact = np.linalg.solve(A, Y)
    for steps in (1, 3, 6):
        z = solve(A, Y, P, most=steps)[0]
        error, start = (((D.T @ A) * D.T).sum(axis=1) ** 0.5 for D in (z - exact, exact))
        assert (error <= 2 * ((np.sqrt(2) - 1) / (np.sqrt(2) + 1)) ** steps * start * 1.001).all()


def test_it_stops_at_the_last_step_and_says_what_is_left():
    A = Q @ np.diag(np.logspace(-3, 0, 40)) @ Q.T
    z, steps, left = solve(A, Y, most=5)
    assert steps == 5
    assert_allclose(left, (np.linalg.norm(Y - A @ z, axis=0) / np.linalg.norm(Y, axis=0)).max(), rtol=1e-9)


def test_an_indefinite_matrix_is_refused():
    with pytest.raises(ValueError, match="positive definite, but it is not"):
        solve(np.diag([1.0, -1.0]), np.array([[1.0], [2.0]]))

"""Conjugate gradients: a linear system from products with its matrix alone."""

import numpy as np


def conjugate_gradients(product, y, precondition, tol, most):
    """z with Az = y for a positive definite matrix A, each column of y by preconditioned conjugate gradients.

    If the eigenvalues of P⁻¹A lie between 1 and κ, the error ‖z − A⁻¹y‖_A falls to 2 ((√κ − 1) / (√κ + 1))^s of its
    start after s steps.

    Parameters
    ----------
    product : function V -> AV, for an (n, t) array
    y : (n, t) array
    precondition : function V -> P⁻¹V, for an (n, t) array, with P positive definite and near A
    tol : float > 0, the largest ‖y − Az‖ / ‖y‖ that is left, for each column
    most : int, the largest number of steps

    Returns
    -------
    z : (n, t) array
    steps : int
    left : float, the largest ‖y − Az‖ / ‖y‖, as the method updates it

    Raises
    ------
    ValueError : A is not positive definite

    References
    ----------
    Hestenes & Stiefel (1952), Methods of conjugate gradients for solving linear systems, J. Res. NBS 49.

    >>> A, y = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[3.0], [0.0]])
    >>> z, steps, left = conjugate_gradients(lambda V: A @ V, y, lambda V: V / 2, 1e-9, 10)
    >>> print(z.round(6).tolist(), steps)
    [[2.0], [-1.0]] 2
    """
    z, r, size = np.zeros_like(y), y.copy(), np.linalg.norm(y, axis=0)
    size[size == 0] = 1
    direction, before = np.zeros_like(y), np.ones(y.shape[1])
    for step in range(most + 1):
        left = np.linalg.norm(r, axis=0) / size
        active = left > tol
        if step == most or not active.any():
            return z, step, float(left.max())
        s = precondition(r)
        now = (r * s).sum(axis=0)
        direction = np.where(active, s + direction * (now / before), 0)
        A_direction = product(direction)
        curvature = (direction * A_direction).sum(axis=0)
        if not (curvature[active] > 0).all():
            raise ValueError("solver='cg' needs K + alpha I to be positive definite, but it is not: is the kernel PSD?")
        length = np.where(active, now / np.where(active, curvature, 1), 0)
        z += length * direction
        r -= length * A_direction
        before = np.where(active, now, 1)

"""The Newton step for the weights of kernels, to the minimum of the quadratic model of J on the simplex."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from kernelbook.qp import DualQP, smo

MODEL_TOLERANCE = 1e-12  # of the KKT conditions of the quadratic model, whose gradient is at most 1/2
DAMPING = 1e-8  # of the largest entry of the Hessian, added to its diagonal: kernels may be copies of each other
JITTER = 1e-10  # of the largest entry of K, added to its diagonal: objects may be copies of each other


def newton_point(d, q, hessian):
    """The weights that minimise the quadratic model of J; its gradient at d is −q/2."""
    H = hessian / q.max()
    H[np.diag_indices_from(H)] += DAMPING * max(H.max(), 1.0)
    zero, one = np.zeros(len(d)), np.ones(len(d))
    model = DualQP(H, H @ d + 0.5 * q / q.max(), zero, one, totals=1.0, check_input=False)
    return smo(model, d, MODEL_TOLERANCE).beta


def pair_hessian(V, problem, solution):
    """The second derivatives of J for a pair of classes, (M, M), from V_m = K_mβ: V_F P V_Fᵀ, F the free variables.

    P maps a change of f at the free variables to the change of β_F. As Σβ is fixed, it is
    P = K_F⁻¹ − K_F⁻¹11ᵀK_F⁻¹ / 1ᵀK_F⁻¹1.
    """
    free = np.flatnonzero((solution.beta > problem.lower) & (solution.beta < problem.upper))
    V = V[:, free]
    rows = problem.rows_in_K()[free]
    K = problem.K.block(rows)
    if len(free) < 2 or not K.any():
        return np.zeros((len(V), len(V)))
    K[np.diag_indices_from(K)] += JITTER * np.abs(K).max()
    try:
        factor = cho_factor(K)
    except LinAlgError:  # a single kernel need not be PSD
        return np.zeros((len(V), len(V)))
    A, u = cho_solve(factor, V.T), cho_solve(factor, np.ones(len(free)))
    a = V @ u
    return V @ A - np.multiply.outer(a, a) / u.sum()

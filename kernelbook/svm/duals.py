"""The dual problem of each support vector machine. Inputs are arrays that have been checked."""

import numpy as np

from kernelbook.qp import DualQP


def svc_dual(K, sign, C, rows=None):
    """SVC: 0 ≤ β_i y_i ≤ C_i and Σ β_i = 0, for labels y_i = ±1 and a C_i for each object."""
    return DualQP(K, sign, *_one_sided(sign, C), rows=rows, check_input=False)


def nu_svc_dual(K, sign, nu, weight, rows=None):
    """NuSVC: 0 ≤ β_i y_i ≤ w_i, and in each class Σ |β_i| = ν Σ_i w_i / 2."""
    half = nu * weight.sum() / 2
    groups = (sign > 0).astype(np.intp)
    zero = np.zeros(len(sign))
    return DualQP(K, zero, *_one_sided(sign, weight), [-half, half], groups, rows, check_input=False)


def one_class_dual(K, nu, weight):
    """OneClassSVM: 0 ≤ α_i ≤ w_i and Σ α_i = ν Σ_i w_i."""
    zero = np.zeros(len(weight))
    return DualQP(K, zero, zero, weight, nu * weight.sum(), check_input=False)


def svr_dual(K, y, C, epsilon):
    """SVR: |β_i| ≤ C_i and Σ β_i = 0, with the tube's ε Σ_i |β_i| in the objective.

    The variables are (α⁺, −α⁻), two for each row of K, β = α⁺ − α⁻. Without a tube they are β itself.
    """
    if epsilon == 0:
        return DualQP(K, y, -C, C, check_input=False)
    return DualQP(K, np.concatenate([y - epsilon, y + epsilon]), *_tube(C), rows=_twice(y), check_input=False)


def nu_svr_dual(K, y, C, nu):
    """NuSVR: 0 ≤ α⁺_i, α⁻_i ≤ C_i and Σ α⁺_i = Σ α⁻_i = ν Σ_i C_i / 2. The variables are (α⁺, −α⁻)."""
    half = nu * C.sum() / 2
    groups = np.repeat(np.arange(2), len(y))
    return DualQP(K, np.tile(y, 2), *_tube(C), [half, -half], groups, _twice(y), check_input=False)


def quantile_svr_dual(K, y, C, quantile):
    """QuantileSVR: −C_i (1 − τ) ≤ β_i ≤ C_i τ and Σ β_i = 0."""
    return DualQP(K, y, (quantile - 1) * C, quantile * C, check_input=False)


def _one_sided(sign, most):
    """The box 0 ≤ β_i y_i ≤ most_i: its lower and its upper bounds."""
    return np.minimum(0, sign * most), np.maximum(0, sign * most)


def _tube(C):
    """The box of (α⁺, −α⁻): its lower and its upper bounds."""
    zero = np.zeros(len(C))
    return np.concatenate([zero, -C]), np.concatenate([C, zero])


def _twice(y):
    """The rows of K that belong to (α⁺, −α⁻)."""
    return np.tile(np.arange(len(y)), 2)

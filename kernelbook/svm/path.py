"""The regularisation path: solutions for several C, each the start of the next."""

import numpy as np

from kernelbook.base.targets import check_two_classes, weighted
from kernelbook.inputs.validation import positive_list
from kernelbook.qp import smo
from kernelbook.svm.classification import NAME_OF_WEIGHTED_C
from kernelbook.svm.duals import svc_dual


def svc_path(K, y, Cs, tol=1e-3):
    """The SVC of two classes for every C, each solved from the solution for the next smaller one.

    Parameters
    ----------
    K : (n, n) Gram matrix
    y : (n,) array of −1 and +1
    Cs : (c,) floats > 0
    tol : float > 0, default 1e-3; as in SVC

    Returns
    -------
    betas : (c, n) array, α_i y_i for every C, in the order of Cs
    intercepts : (c,) array

    Raises
    ------
    ValueError : K not symmetric, y other than −1 and +1 or of one kind only, a C that is not positive

    >>> betas, intercepts = svc_path([[1.0, -1.0], [-1.0, 1.0]], [1, -1], [0.1, 1.0])
    >>> betas
    array([[ 0.1, -0.1],
           [ 0.5, -0.5]])
    """
    K, y = check_two_classes(K, y)
    return weighted_svc_path(K, y, positive_list(Cs, "Cs"), tol)


def weighted_svc_path(K, sign, Cs, tol, rows=None, weight=1.0):
    """As ``svc_path``, for the objects in `rows` of K (None: all) with these weights. The input is not checked."""
    solutions = solve_path(lambda C: svc_dual(K, sign, weighted(C, weight, NAME_OF_WEIGHTED_C), rows), Cs, tol)
    return np.array([found.beta for found in solutions]), -np.array([found.rho[0] for found in solutions])


def solve_path(dual, Cs, tol):
    """The Solutions of the problems dual(C), in the order of Cs, each solved from the one for the next smaller C."""
    solutions, start = [None] * len(Cs), None
    for position in np.argsort(Cs):
        solutions[position] = smo(dual(Cs[position]), start, tol)
        start = solutions[position].beta
    return solutions

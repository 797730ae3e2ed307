"""The leave-one-out error of the SVC of two classes, and two bounds for it."""

import numpy as np

from kernelbook.base.targets import check_two_classes
from kernelbook.inputs.validation import check_positive
from kernelbook.qp import smo
from kernelbook.svm.duals import svc_dual

__all__ = ["leave_one_out", "support_vector_bound", "xi_alpha_bound"]


def leave_one_out(K, y, C, tol=1e-6):
    """f₋ᵢ(x_i) for every i, the decision about each object by the SVC of all others; an error if y_i f₋ᵢ(x_i) ≤ 0.

    Each of the n problems starts from the solution for all objects. If α_i = 0, this start already is a solution, and
    only the intercept may differ, if it is not unique.

    Parameters
    ----------
    K : (n, n) Gram matrix
    y : (n,) array of −1 and +1, at least two of each
    C : float > 0
    tol : float > 0, default 1e-6; as in SVC

    Returns
    -------
    (n,) array

    Raises
    ------
    ValueError : K not symmetric, y other than −1 and +1, fewer than two of a kind, C not positive and finite

    >>> x = np.array([2.0, 1.0, -1.0, -2.0])
    >>> leave_one_out(np.outer(x, x), [1, 1, -1, -1], C=1).round(3)
    array([ 2.   ,  0.333, -0.333, -2.   ])
    """
    K, y = check_two_classes(K, y)
    if min((y > 0).sum(), (y < 0).sum()) < 2:
        raise ValueError("y must hold at least two objects of each class, so that one may be left out.")
    solution = _solve(K, y, C, tol)
    decisions = np.empty(len(y))
    for i in range(len(y)):
        others = np.delete(np.arange(len(y)), i)
        found = smo(svc_dual(K, y[others], C, others), solution.beta[others], tol)
        decisions[i] = K[i, others] @ found.beta - found.rho[0]
    return decisions


def support_vector_bound(K, y, C, tol=1e-6):
    """The share of support vectors: at least the leave-one-out error, if solution and intercept are unique.

    Parameters and errors as in leave_one_out.

    >>> x, y = np.array([2.0, 1.0, -1.0, -2.0]), [1, 1, -1, -1]
    >>> support_vector_bound(np.outer(x, x), y, C=1)  # the two inner points
    0.5
    """
    K, y = check_two_classes(K, y)
    return float(np.mean(_solve(K, y, C, tol).beta != 0))


def xi_alpha_bound(K, y, C, tol=1e-6):
    """The share of objects with 2 α_i R² + ξ_i ≥ 1, R² = max k(x, x) − min k(x, x'), over the sample.

    At least the leave-one-out error, if each SVC with one object left out has a free support vector.
    Parameters and errors as in leave_one_out.

    References
    ----------
    Joachims (2000), Estimating the generalization performance of an SVM efficiently, ICML.

    >>> x, y = np.array([2.0, 1.0, -1.0, -2.0, 0.5]), [1, 1, -1, -1, -1]
    >>> K = np.outer(x, x)
    >>> print(f"{np.mean(y * leave_one_out(K, y, C=1) <= 0)} <= {xi_alpha_bound(K, y, C=1)}")
    0.4 <= 0.4
    """
    K, y = check_two_classes(K, y)
    solution = _solve(K, y, C, tol)
    decisions = solution.gradient + y - solution.rho[0]
    slack = np.maximum(0, 1 - y * decisions)
    squared_radius = K.diagonal().max() - K.min()
    return float(np.mean(2 * np.abs(solution.beta) * squared_radius + slack >= 1))


def _solve(K, y, C, tol):
    check_positive(C, "C")
    return smo(svc_dual(K, y, C), tol=tol)

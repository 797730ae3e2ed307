"""Sequential minimal optimisation as in a textbook; ``smo`` follows the same rule, with shortcuts."""

import numpy as np

from kernelbook.inputs.validation import check_positive
from kernelbook.qp.loops import MIN_CURVATURE, TINY_CURVATURE, move_pair
from kernelbook.qp.solution import Solution


def textbook_smo(problem, tol=1e-3, max_iter=100_000):
    """Solve a DualQP with one group of variables by moving one pair of them after the other.

    Parameters
    ----------
    problem : DualQP with one group
    tol : float > 0, default 1e-3, in units of g
    max_iter : int, default 100 000, the most steps; beyond it a ConvergenceWarning

    Returns
    -------
    solution : Solution
    pairs : (steps, 2) array, the variables i and j of every step

    Raises
    ------
    ValueError : several groups; tol not finite and > 0

    References
    ----------
    Fan, Chen & Lin (2005), Working set selection using second order information, JMLR 6, algorithm 2.

    >>> from kernelbook.qp import DualQP
    >>> solution, pairs = textbook_smo(DualQP([[1.0, -1.0], [-1.0, 1.0]], [1, -1], [0, -1], [1, 0]))
    >>> print(solution.beta, pairs)
    [ 0.5 -0.5] [[0 1]]
    """
    if len(problem.totals) > 1:
        raise ValueError(f"problem must have one group of variables, got {len(problem.totals)}.")
    check_positive(tol, "tol")
    Q, beta, pairs = problem.K.block(problem.rows_in_K()), problem.feasible(), []
    G, d = Q @ beta - problem.g, Q.diagonal()
    while len(pairs) < max_iter:
        in_up, in_low = beta < problem.upper, beta > problem.lower
        G_up = np.where(in_up, G, np.inf)
        i = np.argmin(G_up)  # raising β_i lowers the objective fastest
        violation = np.where(in_low, G - G_up[i], -np.inf)  # of the KKT conditions, by i and each j in I_low
        if violation.max() <= tol:
            break
        curvature = np.maximum(d[i] + d - 2 * Q[i], MIN_CURVATURE * np.abs(d[i] + d) + TINY_CURVATURE)
        j = np.argmax(np.maximum(violation, 0) ** 2 / curvature)  # twice the gain without the box
        move = move_pair(beta, i, j, violation[j] / curvature[j], problem.lower, problem.upper)  # kept in the box
        G += move * (Q[i] - Q[j])
        pairs.append((i, j))
    solution = Solution.at(problem, beta, problem.gradient(beta), len(pairs), tol)
    return solution, np.array(pairs).reshape(-1, 2)

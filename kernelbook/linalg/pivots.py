"""Randomly pivoted Cholesky: a low-rank approximation of a PSD matrix from a few of its columns."""

import numpy as np
from scipy.linalg import solve_triangular

from kernelbook.linalg.tolerances import SINGLE_TOLERANCE, machine_epsilon

PROPOSALS = 128  # candidates drawn together: the columns of those accepted are computed in one block
NOT_PSD = "pivoted landmarks need a kernel that is PSD, but {}."


def randomly_pivoted_cholesky(diagonal, block, count, rng, epsilon=None):
    """K ≈ FFᵀ from at most `count` columns of K, whose numbers, the pivots, are drawn one after another.

    Row i is the next pivot with probability d_i / Σd, where d is the diagonal of K − FFᵀ: what is left of row i. With
    the pivot s, F gets the column (K − FFᵀ)_s / √d_s, and d_i falls by its square.

    Pivots are drawn a block at a time by rejection. Candidates s are drawn in proportion to u, the d at the start of
    the block. Each is accepted with probability d_s / u_s, with the d at its turn, so that the accepted ones have the
    law of pivots drawn one after another. Only the candidates' own block of K is needed to decide, and then the columns
    of those accepted, together.

    It stops early when nothing is left but rounding.

    Parameters
    ----------
    diagonal : (n,) array, the K_ii
    block : function (rows, columns) -> K[rows][:, columns]; rows are integers or slice(None)
    count : int ≥ 1, the most pivots
    rng : RandomState
    epsilon : float or None, the relative spacing of the numbers in which K was computed; None, the default, for 2⁻⁵²

    Returns
    -------
    pivots : (m,) integers, in the order in which they were drawn
    F : (n, m) array
    left : (n,) array ≥ 0, the diagonal of K − FFᵀ

    Raises
    ------
    ValueError : K is not PSD beyond rounding, as far as the pivots show it

    References
    ----------
    Chen, Epperly, Tropp & Webber (2024), Randomly pivoted Cholesky: practical approximation of a kernel matrix with
    few entry evaluations, Communications on Pure and Applied Mathematics.
    Epperly, Tropp & Webber (2024), Embrace rejection: kernel matrix approximation by accelerated randomly pivoted
    Cholesky, arXiv 2410.03969.

    >>> K = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> pivots, F, left = randomly_pivoted_cholesky(
    ...     K.diagonal(), lambda i, j: K[i][:, j], 2, np.random.RandomState(0)
    ... )
    >>> pivots, left
    (array([1, 2]), array([0.75, 0.  , 0.  ]))
    """
    epsilon = machine_epsilon(diagonal) if epsilon is None else epsilon
    size, count = np.array(diagonal, dtype=float), min(count, len(diagonal))
    if size.min() < -SINGLE_TOLERANCE * np.abs(size).max():
        raise ValueError(NOT_PSD.format(f"some k(x, x) is {size.min():.3g}"))
    left, pivots, F = size.clip(0), np.empty(0, dtype=int), np.empty((len(size), count))
    while len(pivots) < count:
        rounding = 10 * (len(pivots) + 1) * epsilon * size
        left[left <= rounding] = 0
        if not left.any():
            break
        known = F[:, : len(pivots)]
        shares = left / left.max()
        candidates = rng.choice(len(left), PROPOSALS, p=shares / shares.sum())
        H = block(candidates, candidates) - known[candidates] @ known[candidates].T
        accepted, L = _accepted(H, left[candidates], rounding[candidates], count - len(pivots), rng)
        new = candidates[accepted]
        G = block(slice(None), new) - known @ known[new].T
        added = solve_triangular(L, G.T, lower=True, check_finite=False).T
        F[:, len(pivots) : len(pivots) + len(new)] = added
        left -= np.square(added).sum(axis=1)
        # a column's rounding is a share of K, and grows as it is divided by the root of a small pivot
        worst = SINGLE_TOLERANCE * (size[new] / np.square(L.diagonal())).max()
        if (left < -worst * size).any():
            raise ValueError(NOT_PSD.format(f"some k(x, x) less what they explain is {left.min():.3g}"))
        left[new] = 0
        left = left.clip(0)
        pivots = np.append(pivots, new)
    return pivots, F[:, : len(pivots)], left


def _accepted(H, u, rounding, most, rng):
    """The places of the candidates that are accepted, in order, and the Cholesky factor of their block of H.

    H is what is left of K between the candidates, with the diagonal u. The first candidate is always accepted.
    """
    d, L, accepted = u.copy(), np.zeros((len(H), 0)), []
    for j, chance in enumerate(rng.uniform(size=len(H))):
        if chance * u[j] < d[j] and len(accepted) < most:
            column = (H[:, j] - L @ L[j]) / np.sqrt(d[j])
            column[accepted], column[j] = 0, np.sqrt(d[j])
            L = np.column_stack([L, column])
            d -= column**2
            d[d <= rounding] = 0  # copies of the pivot among them
            accepted.append(j)
    return np.array(accepted), L[accepted]

"""Sequential minimal optimisation: of all variables two are moved at a time, the pair that promises most."""

import os
from itertools import pairwise

import numpy as np
from numba import njit

from kernelbook.cores import on_all_cores
from kernelbook.solvers.face import minimise_on_face

WHOLE = 4096  # variables that are solved for at once; of more,
WORKING_SET = 1024  # at a time: a block of K of that size, 8 MB, stays near the processor
STEPS = 10  # a variable, after which pairs give way to a step of all that are free
CURVATURE = 1e-12  # taken for a pair along which the objective is flat or bends down
NEVER = -1e300  # score of a variable that may not move
LEAST = np.int64(-(2**63))  # of all integers of 64 bits


def smo(problem, start=None, tol=1e-3, max_iter=10_000_000):
    """Solve a DualQP by sequential minimal optimisation.

    A step moves β_i up and β_j down by the same amount within one group, which leaves its sum as it is: i has the least
    gradient among those that may grow, and j lowers the objective most by the step's second-order estimate,
    (G_j − G_i)² / 2(K_ii + K_jj − 2K_ij). It ends when no pair violates the KKT conditions by more than tol.

    Pairs are quick to find which variables lie on a bound, and slow with those that do not. So after 10 steps a
    variable these are moved together, to their minimum, as far as the box allows; then pairs go on.

    A problem of more than 4096 variables is solved in turns: the most violating variables, and most of those of the
    turn before, make a problem of their own, and what it changes is added to the gradient of all.

    Parameters
    ----------
    problem : DualQP; K need not be PSD, but then the result is only a point where no pair helps
    start : (m,) array or None; a point to begin with, made feasible first
    tol : float > 0, in units of g
    max_iter : int, the most steps; beyond it a ConvergenceWarning

    Returns
    -------
    Solution

    References
    ----------
    Platt (1998), Fast training of SVMs using sequential minimal optimization; Fan, Chen & Lin (2005), Working set
    selection using second order information, JMLR 6; Joachims (1998), Making large-scale SVM learning practical.
    """
    beta = problem.feasible(start)
    m, rows = len(beta), problem.rows
    image = problem.K @ problem.spread(beta) if beta.any() else np.zeros(len(problem.K))
    gradient = problem.at_variables(image) - problem.g
    whole = np.argsort(problem.groups, kind="stable") if m <= WHOLE else None
    working, steps = np.empty(0, int), 0
    while steps < max_iter:
        low, high = problem.extremes(beta, gradient)
        gap = (high - low).max()
        if gap <= tol:
            break
        working = _working_set(problem, beta, gradient, low, high, working) if whole is None else whole
        in_K = working if rows is None else rows[working]
        unmoved, moved = beta[working], beta[working]
        done = _move_pairs(
            problem.K if len(in_K) == len(problem.K) and rows is None and len(low) == 1 else _block(problem.K, in_K),
            problem.lower[working],
            problem.upper[working],
            np.searchsorted(problem.groups[working], np.arange(len(low) + 1)),
            moved,
            gradient[working],
            tol if whole is not None else max(tol / 2, gap / 10),
            min(max_iter - steps, STEPS * len(working)),
        )
        if done == 0:  # rounding is all that is left to correct
            break
        steps += done
        beta[working] = moved
        if whole is None:
            _add_rows(problem.K, in_K, moved - unmoved, image)
        else:
            image = problem.K @ problem.spread(beta)
        gradient = problem.at_variables(image) - problem.g
        if whole is not None and done == STEPS * len(working):
            beta, gradient = minimise_on_face(problem, beta, gradient)
    return problem.solution(beta, gradient, steps, tol)


def _working_set(problem, beta, gradient, low, high, previous):
    """The most violating variables, half of them to grow; then the previous set's, the free and the late ones first."""
    grow, fall = beta < problem.upper, beta > problem.lower
    room = WORKING_SET - min(len(previous), 3 * WORKING_SET // 4)
    chosen = np.zeros(len(beta), bool)
    for may, excess in ((grow, high[problem.groups] - gradient), (fall, gradient - low[problem.groups])):
        score = np.where(may, excess, NEVER)
        best = np.argpartition(-score, room // 2)[: room // 2]
        chosen[best[score[best] > 0]] = True
    kept = previous[~chosen[previous]]
    free = (grow & fall)[kept]
    kept = np.concatenate([kept[free], kept[~free]])[: WORKING_SET - chosen.sum()]
    members = np.concatenate([np.flatnonzero(chosen), kept])
    return members[np.argsort(problem.groups[members], kind="stable")]


def _shares(count):
    """Slices of 0 … count − 1, one for each core."""
    edges = np.linspace(0, count, (os.cpu_count() or 1) + 1).astype(int)
    return [slice(a, b) for a, b in pairwise(edges)]


def _block(K, rows):
    """K[rows][:, rows]."""
    block = np.empty((len(rows), len(rows)))
    on_all_cores(lambda part: _gather(K, rows[part], rows, block[part]), _shares(len(rows)))
    return block


def _add_rows(K, rows, factors, total):
    """total += Σ_r factors_r K[rows_r]."""
    on_all_cores(lambda part: _accumulate(K[:, part], rows, factors, total[part]), _shares(len(total)))


@njit(cache=True, nogil=True)
def _gather(K, rows, columns, block):
    for a in range(len(rows)):
        row = K[rows[a]]
        for b in range(len(columns)):
            block[a, b] = row[columns[b]]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _accumulate(K, rows, factors, total):
    for r in range(len(rows)):
        factor = factors[r]
        if factor != 0:
            row = K[rows[r]]
            for t in range(len(total)):
                total[t] += factor * row[t]


@njit(cache=True, nogil=True)
def _move_pairs(K, lower, upper, starts, beta, G, tol, max_steps):
    """Moves pairs in place until none violates by more than tol; group s is the slice from starts[s] to starts[s + 1].

    Returns the number of steps.
    """
    grow = np.where(beta < upper, 0.0, NEVER)
    fall = np.where(beta > lower, 0.0, NEVER)
    diagonal = np.diag(K).copy()
    i, j, move = 0, 0, 0.0
    for step in range(max_steps):
        gap, best, first, last = 0.0, 0, 0, 0
        for s in range(len(starts) - 1):
            a, b = starts[s], starts[s + 1]
            if a == b:
                continue
            up, down = _follow(G[a:b], K[i, a:b], K[j, a:b], move, grow[a:b], fall[a:b])
            up, down = a + up, a + down
            if grow[up] == 0 and fall[down] == 0 and G[down] - G[up] > gap:
                gap, best, first, last = G[down] - G[up], up, a, b
        if gap <= tol:
            return step
        i, inside = best, slice(first, last)
        j = first + _partner(G[inside], fall[inside], diagonal[inside], K[i, inside], G[i], diagonal[i])
        curvature = max(diagonal[i] + diagonal[j] - 2 * K[i, j], CURVATURE)
        move = min((G[j] - G[i]) / curvature, upper[i] - beta[i], beta[j] - lower[j])
        # a variable that reaches its bound is put on it exactly
        beta[i] = upper[i] if move == upper[i] - beta[i] else beta[i] + move
        beta[j] = lower[j] if move == beta[j] - lower[j] else beta[j] - move
        grow[i] = NEVER if beta[i] == upper[i] else 0.0
        fall[j] = NEVER if beta[j] == lower[j] else 0.0
        fall[i] = grow[j] = 0.0
    return max_steps


# These two loops are where all the time goes. Neither has a branch, so that the compiler turns them into instructions
# that work on several numbers at once.


@njit(cache=True, nogil=True, fastmath={"contract", "nsz"})
def _follow(G, K_i, K_j, move, grow, fall):
    """The gradient follows a move; where it is least among those that may grow, largest among those that may fall."""
    mask = _mask(len(G))
    up = down = LEAST
    for t in range(len(G)):
        G[t] += move * (K_i[t] - K_j[t])
        up = max(up, _key(grow[t] - G[t], t, mask))
        down = max(down, _key(fall[t] + G[t], t, mask))
    return up & mask, down & mask


@njit(cache=True, nogil=True, fastmath={"contract", "nsz"}, error_model="numpy")
def _partner(G, fall, diagonal, K_i, G_i, diagonal_i):
    """The place of the j with which i lowers the objective most."""
    mask = _mask(len(G))
    top = LEAST
    for t in range(len(G)):
        violation = max(G[t] + fall[t] - G_i, 0.0)
        gain = violation * violation / max(diagonal_i + diagonal[t] - 2 * K_i[t], CURVATURE)
        top = max(top, _key(gain, t, mask))
    return top & mask


@njit(cache=True, nogil=True)
def _key(value, place, mask):
    """An integer that sorts like the value, with its place in the last bits.

    The bits of a float, read as an integer (and flipped where it is negative), sort like the float; and integers the
    processor compares several at a time. Values that agree in all but the bits that the place needs, in about 10 digits
    or more, count as equal.
    """
    bits = np.float64(value).view(np.int64)
    return ((bits ^ ((bits >> np.int64(63)) & ~LEAST)) & ~mask) | np.int64(place)


@njit(cache=True, nogil=True)
def _mask(count):
    """As many last bits as the places 0 … count − 1 need."""
    mask = np.int64(1)
    while mask < count:
        mask *= 2
    return mask - 1

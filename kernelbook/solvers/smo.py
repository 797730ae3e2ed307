"""Sequential minimal optimisation: of all variables two are moved at a time, the pair that promises most."""

import os
from itertools import pairwise

import numpy as np
from numba import njit

from kernelbook.cores import on_all_cores
from kernelbook.solvers.face import minimise_on_face

SHRUNK = 30  # how many times smaller the gap is when those that still move have been solved alone
STEPS = 10  # a variable, after which pairs give way to a step of all that are free
CURVATURE = 1e-12  # taken for a pair along which the objective is flat or bends down
NEVER = -1e300  # score of a variable that may not move
LEAST = np.int64(-(2**63))  # of all integers of 64 bits


def smo(problem, start=None, tol=1e-3, max_iter=10_000_000):
    """Solve a DualQP by sequential minimal optimisation.

    A step moves β_i up and β_j down by the same amount within one group, which leaves its sum as it is: i has the least
    gradient among those that may grow, and j lowers the objective most by the step's second-order estimate,
    (G_j − G_i)² / 2(K_ii + K_jj − 2K_ij). It ends when no pair violates the KKT conditions by more than tol.

    Soon most variables rest on a bound that they will not leave. After every step a variable it is seen which are free,
    or still in some violating pair. When they are at most half as many as K has rows, their block of K is copied, up to
    a quarter of K, and solved alone; then the gradient of all is brought up to date, and the search begins anew.

    Pairs are quick to find which variables lie on a bound, and slow with those that do not. So after 10 steps a
    variable these are moved together, to their minimum, as far as the box allows; then pairs go on.

    Variables of one group whose rows of K follow each other are passed through at full speed: sort them by group.

    Parameters
    ----------
    problem : DualQP; K need not be PSD, but then the result is only a point where no pair helps
    start : (m,) array or None; a point to begin with, made feasible first
    tol : float > 0, in units of g
    max_iter : int, the most steps; beyond it a ConvergenceWarning

    Returns
    -------
    Solution

    Raises
    ------
    ValueError : tol not > 0; a start of another length or not finite

    References
    ----------
    Platt (1998), Fast training of SVMs using sequential minimal optimization; Fan, Chen & Lin (2005), Working set
    selection using second order information, JMLR 6; Joachims (1998), Making large-scale SVM learning practical.
    """
    if not tol > 0:
        raise ValueError(f"tol must be > 0, got {tol}.")
    beta = problem.feasible(start)
    gradient, exact = problem.gradient(beta) if beta.any() else -problem.g, True
    m, rows = len(beta), np.arange(len(problem.K)) if problem.rows is None else problem.rows
    runs = _runs(rows, problem.groups, len(problem.totals))
    steps, newton, stalled = 0, STEPS * m, False
    while True:
        low, high = problem.extremes(beta, gradient)
        gap = (high - low).max()
        if gap <= tol or stalled or steps >= max_iter:
            if exact:
                break
            gradient, exact, stalled = problem.gradient(beta), True, False
            continue
        limit = min(max_iter, newton) - steps
        active = _active(problem, beta, gradient, low, high)
        if 2 * len(active) <= len(problem.K):
            done = _solve_alone(problem, rows, active, beta, gradient, max(tol / 2, gap / SHRUNK), limit)
        else:
            box = problem.lower, problem.upper
            done = _move_pairs(problem.K, rows, *runs, *box, beta, gradient, tol, min(limit, m))
        steps, exact, stalled = steps + done, exact and done == 0, done == 0
        if steps == newton:
            beta, gradient = minimise_on_face(problem, beta, problem.gradient(beta))
            newton += STEPS * m
    return problem.solution(beta, gradient, steps, tol)


def _active(problem, beta, gradient, low, high):
    """The variables that are free or in some violating pair, sorted by group."""
    grow, fall = beta < problem.upper, beta > problem.lower
    low, high = low[problem.groups], high[problem.groups]
    found = np.flatnonzero((grow & fall) | (grow & (gradient < high)) | (fall & (gradient > low)))
    return found[np.argsort(problem.groups[found], kind="stable")]


def _solve_alone(problem, rows, active, beta, gradient, tol, max_steps):
    """Move pairs of active variables on their own block of K, all others held; β and the gradient of all, in place."""
    places, in_K, moved = np.arange(len(active)), rows[active], beta[active]
    runs = _runs(places, problem.groups[active], len(problem.totals))
    box = problem.lower[active], problem.upper[active]
    block = _block(problem.K, in_K)
    done = _move_pairs(block, places, *runs, *box, moved, gradient[active], tol, max_steps)
    change = np.zeros(len(problem.K))
    _add_rows(problem.K, in_K, moved - beta[active], change)
    beta[active] = moved
    gradient += problem.at_variables(change)
    return done


def _runs(rows, groups, count):
    """Runs of variables of one group whose rows of K follow each other.

    Returns (first variable, last + 1, row of the first) of each, group by group, and where each group's runs begin.
    """
    breaks = 1 + np.flatnonzero((np.diff(rows) != 1) | (np.diff(groups) != 0))
    first, last = np.concatenate([[0], breaks]), np.concatenate([breaks, [len(rows)]])
    order = np.argsort(groups[first], kind="stable")
    runs = np.column_stack([first, last, rows[first]])[order]
    return runs, np.searchsorted(groups[first][order], np.arange(count + 1))


def _shares(count, length):
    """Slices of 0 … count − 1, each item as long as `length`: one for each core, if there is work for several."""
    cores = (os.cpu_count() or 1) if count * length > 2**22 else 1
    edges = np.linspace(0, count, cores + 1).astype(int)
    return [slice(a, b) for a, b in pairwise(edges)]


def _block(K, rows):
    """K[rows][:, rows]."""
    block = np.empty((len(rows), len(rows)))
    on_all_cores(lambda part: _gather(K, rows[part], rows, block[part]), _shares(*block.shape))
    return block


def _add_rows(K, rows, factors, total):
    """total += Σ_r factors_r K[rows_r]."""
    on_all_cores(lambda part: _accumulate(K[:, part], rows, factors, total[part]), _shares(len(total), len(rows)))


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
def _move_pairs(K, rows, runs, starts, lower, upper, beta, G, tol, max_steps):
    """Moves pairs, β and its gradient G in place, until none violates by more than tol; returns the number of steps."""
    grow = np.where(beta < upper, 0.0, NEVER)
    fall = np.where(beta > lower, 0.0, NEVER)
    diagonal = np.empty(len(beta))
    for t in range(len(beta)):
        diagonal[t] = K[rows[t], rows[t]]
    i, j, move, step = 0, 0, 0.0, 0
    while True:
        K_i, K_j = K[rows[i]], K[rows[j]]
        gap, i, group = 0.0, 0, 0
        for s in range(len(starts) - 1):
            up, rise, sink = 0, NEVER, NEVER
            for r in range(starts[s], starts[s + 1]):
                a, b, k = runs[r, 0], runs[r, 1], runs[r, 2]
                u, v = _follow(G[a:b], K_i[k : k + b - a], K_j[k : k + b - a], move, grow[a:b], fall[a:b])
                if grow[a + u] - G[a + u] > rise:
                    up, rise = a + u, grow[a + u] - G[a + u]
                sink = max(sink, fall[a + v] + G[a + v])
            if rise + sink > gap:
                gap, i, group = rise + sink, up, s
        if gap <= tol or step == max_steps:
            return step
        K_i, best = K[rows[i]], -1.0
        for r in range(starts[group], starts[group + 1]):
            a, b, k = runs[r, 0], runs[r, 1], runs[r, 2]
            v = a + _partner(G[a:b], fall[a:b], diagonal[a:b], K_i[k : k + b - a], G[i], diagonal[i])
            gain = _gain(G[v] + fall[v] - G[i], diagonal[i] + diagonal[v] - 2 * K_i[rows[v]])
            if gain > best:
                j, best = v, gain
        curvature = max(diagonal[i] + diagonal[j] - 2 * K_i[rows[j]], CURVATURE)
        move = min((G[j] - G[i]) / curvature, upper[i] - beta[i], beta[j] - lower[j])
        # a variable that reaches its bound is put on it exactly
        beta[i] = upper[i] if move == upper[i] - beta[i] else beta[i] + move
        beta[j] = lower[j] if move == beta[j] - lower[j] else beta[j] - move
        grow[i] = NEVER if beta[i] == upper[i] else 0.0
        fall[j] = NEVER if beta[j] == lower[j] else 0.0
        fall[i] = grow[j] = 0.0
        step += 1


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
        gain = _gain(G[t] + fall[t] - G_i, diagonal_i + diagonal[t] - 2 * K_i[t])
        top = max(top, _key(gain, t, mask))
    return top & mask


@njit(cache=True, nogil=True, fastmath={"contract", "nsz"}, error_model="numpy")
def _gain(violation, curvature):
    """Twice that by which a pair lowers the objective, if the box lets it."""
    violation = max(violation, 0.0)
    return violation * violation / max(curvature, CURVATURE)


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

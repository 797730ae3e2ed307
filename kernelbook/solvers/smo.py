"""Sequential minimal optimisation: of all variables two are moved at a time, the pair that promises most."""

from itertools import pairwise

import numpy as np

from kernelbook.compilation import compile_for, compiled
from kernelbook.cores import cores_allowed, on_all_cores
from kernelbook.solvers.face import minimise_on_face
from kernelbook.solvers.problem import largest_gap, pair_curvature

SHRUNK = 30  # how many times smaller the gap is when those that still move have been solved alone
STEPS = 10  # a variable, after which pairs give way to a step of all that are free
CHUNK = 1000  # steps, at least, between two looks at which variables still move
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
    if not 0 < tol < np.inf:
        raise ValueError(f"tol must be a finite number > 0, got {tol}.")
    beta, steps = problem.feasible(start), 0
    gradient = problem.gradient(beta) if beta.any() else -problem.g
    patience = STEPS * len(beta)
    while True:
        done = _move_until(problem, beta, gradient, tol, min(patience, max_iter - steps))
        steps += done
        if done:
            gradient = problem.gradient(beta)
        if done == 0 or steps >= max_iter or largest_gap(*problem.extremes(beta, gradient)) <= tol:
            return problem.solution(beta, gradient, steps, tol)
        if done == patience:
            beta, gradient = minimise_on_face(problem, beta, gradient)


def _move_until(problem, beta, gradient, tol, max_steps):
    """Move pairs until none violates by more than tol; returns the number of steps.

    β and its gradient are changed in place, the gradient step by step, so that rounding adds up in it.
    """
    rows = np.arange(len(problem.K)) if problem.rows is None else problem.rows
    runs, steps = _runs(rows, problem.groups, len(problem.totals)), 0
    while steps < max_steps:
        low, high = problem.extremes(beta, gradient)
        gap, limit = largest_gap(low, high), max_steps - steps
        if gap <= tol:
            break
        active = _active(beta, gradient, problem.lower, problem.upper, problem.groups, low, high)
        if 2 * len(active) <= min(len(beta), len(problem.K)):
            done = _solve_alone(problem, rows, active, beta, gradient, max(tol / 2, gap / SHRUNK), limit)
        else:
            arguments = problem.K, rows, *runs, problem.lower, problem.upper, beta, gradient, tol
            compile_for(_move_pairs, *arguments, limit)
            done = _move_pairs(*arguments, min(limit, max(len(beta), CHUNK)))
        if done == 0:
            break
        steps += done
    return steps


@compiled()
def _active(beta, G, lower, upper, groups, low, high):
    """The variables that are free or in some violating pair, sorted by group."""
    grow, fall = beta < upper, beta > lower
    active = (grow & fall) | (grow & (G < high[groups])) | (fall & (G > low[groups]))
    found = np.flatnonzero(active)
    return found[np.argsort(groups[found], kind="mergesort")]


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


@compiled()
def _runs(rows, groups, count):
    """Runs of variables of one group whose rows of K follow each other.

    Returns (first variable, last + 1, row of the first) of each, group by group, and where each group's runs begin.
    """
    starts = np.zeros(count + 1, np.intp)
    for t in range(len(rows)):
        if t == 0 or rows[t] != rows[t - 1] + 1 or groups[t] != groups[t - 1]:
            starts[groups[t] + 1] += 1
    starts = np.cumsum(starts)
    runs, at = np.empty((starts[-1], 3), np.intp), starts.copy()
    for t in range(len(rows)):
        s = groups[t]
        if t == 0 or rows[t] != rows[t - 1] + 1 or s != groups[t - 1]:
            runs[at[s]] = t, t + 1, rows[t]
            at[s] += 1
        else:
            runs[at[s] - 1, 1] = t + 1
    return runs, starts


def _shares(count, length):
    """Slices of 0 … count − 1, each item as long as `length`: one for each core, if there is work for several."""
    cores = cores_allowed() if count * length > 2**22 else 1
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


@compiled()
def _gather(K, rows, columns, block):
    for a in range(len(rows)):
        row = K[rows[a]]
        for b in range(len(columns)):
            block[a, b] = row[columns[b]]


@compiled(fastmath={"contract"})
def _accumulate(K, rows, factors, total):
    for r in range(len(rows)):
        factor = factors[r]
        if factor != 0:
            row = K[rows[r]]
            for t in range(len(total)):
                total[t] += factor * row[t]


@compiled()
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
            gain = _gain(G[v] + fall[v] - G[i], pair_curvature(diagonal[i], diagonal[v], K_i[rows[v]]))
            if gain > best:
                j, best = v, gain
        move = (G[j] - G[i]) / pair_curvature(diagonal[i], diagonal[j], K_i[rows[j]])
        move = min(move, upper[i] - beta[i], beta[j] - lower[j])
        # a variable that reaches its bound is put on it exactly
        beta[i] = upper[i] if move == upper[i] - beta[i] else beta[i] + move
        beta[j] = lower[j] if move == beta[j] - lower[j] else beta[j] - move
        grow[i] = NEVER if beta[i] == upper[i] else 0.0
        fall[j] = NEVER if beta[j] == lower[j] else 0.0
        fall[i] = grow[j] = 0.0
        step += 1


# These two loops are where all the time goes. Neither has a branch, so that the compiler turns them into instructions
# that work on several numbers at once.


@compiled(fastmath={"contract", "nsz"})
def _follow(G, K_i, K_j, move, grow, fall):
    """The gradient follows a move; where it is least among those that may grow, largest among those that may fall."""
    mask = _mask(len(G))
    up = down = LEAST
    for t in range(len(G)):
        G[t] += move * (K_i[t] - K_j[t])
        up = max(up, _key(grow[t] - G[t], t, mask))
        down = max(down, _key(fall[t] + G[t], t, mask))
    return up & mask, down & mask


@compiled(fastmath={"contract", "nsz"}, error_model="numpy")
def _partner(G, fall, diagonal, K_i, G_i, diagonal_i):
    """The place of the j with which i lowers the objective most."""
    mask = _mask(len(G))
    top = LEAST
    for t in range(len(G)):
        gain = _gain(G[t] + fall[t] - G_i, pair_curvature(diagonal_i, diagonal[t], K_i[t]))
        top = max(top, _key(gain, t, mask))
    return top & mask


@compiled(fastmath={"contract", "nsz"}, error_model="numpy")
def _gain(violation, curvature):
    """Twice that by which a pair lowers the objective, if the box lets it."""
    violation = max(violation, 0.0)
    return violation * violation / curvature


@compiled()
def _key(value, place, mask):
    """An integer that sorts like the value, with its place in the last bits.

    The bits of a float, read as an integer (and flipped where it is negative), sort like the float; and integers the
    processor compares several at a time. Values that agree in all but the bits that the place needs, in about 10 digits
    or more, count as equal.
    """
    bits = np.float64(value).view(np.int64)
    return ((bits ^ ((bits >> np.int64(63)) & ~LEAST)) & ~mask) | np.int64(place)


@compiled()
def _mask(count):
    """As many last bits as the places 0 … count − 1 need."""
    mask = np.int64(1)
    while mask < count:
        mask *= 2
    return mask - 1

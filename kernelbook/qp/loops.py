"""The loops of SMO that numba compiles, all in one file: its cache notices changes in the file of a caller alone.

Variables are in I_up where β_i < upper_i, and may grow; in I_low where β_i > lower_i, and may fall.
"""

from functools import partial

import numpy as np

from kernelbook.qp import vectorised
from kernelbook.runtime.compilation import compiled

FLAT = 1e-12  # curvature of a pair, in units of K_ii + K_jj, where the objective is flat or bends down
TINY = 1e-300  # the same where both are zero
BARRED = -1e300  # score of a variable that may not move
LEAST = np.int64(-(2**63))  # of all integers of 64 bits


@compiled()
def move_pairs(K, rows, runs, starts, lower, upper, beta, G, tol, max_steps):
    """SMO: move one pair after the other until no pair violates the KKT conditions by more than tol.

    β and its gradient G are changed in place, G step by step, so that rounding adds up in it. `runs` and `starts` are
    those of ``runs_of_rows``. Returns the number of steps.
    """
    up = np.where(beta < upper, 0.0, BARRED)
    low = np.where(beta > lower, 0.0, BARRED)
    diagonal = np.empty(len(beta))
    for t in range(len(beta)):
        diagonal[t] = K[rows[t], rows[t]]
    i, j, move, step = 0, 0, 0.0, 0
    while True:
        K_i, K_j = K[rows[i]], K[rows[j]]
        violation, i, group = 0.0, 0, 0
        for s in range(len(starts) - 1):
            first, minus_b_up, b_low = 0, BARRED, BARRED
            for r in range(starts[s], starts[s + 1]):
                a, b, k = runs[r, 0], runs[r, 1], runs[r, 2]
                u, v = _follow(G[a:b], K_i[k : k + b - a], K_j[k : k + b - a], move, up[a:b], low[a:b])
                if up[a + u] - G[a + u] > minus_b_up:
                    first, minus_b_up = a + u, up[a + u] - G[a + u]
                b_low = max(b_low, low[a + v] + G[a + v])
            if minus_b_up + b_low > violation:
                violation, i, group = minus_b_up + b_low, first, s
        if violation <= tol or step == max_steps:
            return step
        K_i, best = K[rows[i]], -1.0
        for r in range(starts[group], starts[group + 1]):
            a, b, k = runs[r, 0], runs[r, 1], runs[r, 2]
            v = a + _partner(G[a:b], low[a:b], diagonal[a:b], K_i[k : k + b - a], G[i], diagonal[i])
            gain = _gain(G[v] + low[v] - G[i], pair_curvature(diagonal[i], diagonal[v], K_i[rows[v]]))
            if gain > best:
                j, best = v, gain
        length = (G[j] - G[i]) / pair_curvature(diagonal[i], diagonal[j], K_i[rows[j]])
        move = move_pair(beta, i, j, length, lower, upper)
        up[i] = BARRED if beta[i] == upper[i] else 0.0
        low[j] = BARRED if beta[j] == lower[j] else 0.0
        low[i] = up[j] = 0.0
        step += 1


@compiled()
def move_pair(beta, i, j, length, lower, upper):
    """β_i up and β_j down by `length`, or as far as the box allows: returns how far.

    A variable that reaches its bound is put on it exactly.
    """
    move = min(length, upper[i] - beta[i], beta[j] - lower[j])
    beta[i] = upper[i] if move == upper[i] - beta[i] else beta[i] + move
    beta[j] = lower[j] if move == beta[j] - lower[j] else beta[j] - move
    return move


@compiled(fastmath={"contract", "nsz"})
def pair_curvature(K_ii, K_jj, K_ij):
    """That of the objective along β_i + t, β_j − t; where it is flat or bends down, a little of K_ii + K_jj."""
    both = K_ii + K_jj
    return max(both - 2 * K_ij, FLAT * abs(both) + TINY)


@compiled(fastmath={"contract", "nsz"}, error_model="numpy")
def _gain(violation, curvature):
    """Twice that by which a pair lowers the objective, if the box lets it."""
    violation = max(violation, 0.0)
    return violation * violation / curvature


# The next two loops are where all the time goes. Neither has a branch, so that the compiler turns them into
# instructions that work on several numbers at once; that is what the integers of _key are for.


@compiled(vectorised.follow, fastmath={"contract", "nsz"})
def _follow(G, K_i, K_j, move, up, low):
    """The gradient follows a move. Returns where in I_up it is least, and where in I_low it is largest."""
    mask = _mask(len(G))
    least = largest = LEAST
    for t in range(len(G)):
        G[t] += move * (K_i[t] - K_j[t])
        least = max(least, _key(up[t] - G[t], t, mask))
        largest = max(largest, _key(low[t] + G[t], t, mask))
    return least & mask, largest & mask


@compiled(partial(vectorised.partner, flat=FLAT, tiny=TINY), fastmath={"contract", "nsz"}, error_model="numpy")
def _partner(G, low, diagonal, K_i, G_i, diagonal_i):
    """The place of the j in I_low with which i lowers the objective most."""
    mask = _mask(len(G))
    best = LEAST
    for t in range(len(G)):
        gain = _gain(G[t] + low[t] - G_i, pair_curvature(diagonal_i, diagonal[t], K_i[t]))
        best = max(best, _key(gain, t, mask))
    return best & mask


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


@compiled(vectorised.runs_of_rows)
def runs_of_rows(rows, groups, count):
    """Runs of variables of one group whose rows of K follow each other.

    Returns (first variable, last + 1, row of the first) of each, group by group, and where each group's runs begin.
    """
    starts = np.zeros(count + 1, np.intp)
    for t in range(len(rows)):
        if t == 0 or rows[t] != rows[t - 1] + 1 or groups[t] != groups[t - 1]:
            starts[groups[t] + 1] += 1
    for s in range(count):
        starts[s + 1] += starts[s]
    runs, at = np.empty((starts[count], 3), np.intp), starts.copy()
    for t in range(len(rows)):
        s = groups[t]
        if t == 0 or rows[t] != rows[t - 1] + 1 or s != groups[t - 1]:
            runs[at[s], 0], runs[at[s], 2] = t, rows[t]
            at[s] += 1
        runs[at[s] - 1, 1] = t + 1
    return runs, starts


@compiled(vectorised.kkt_bounds)
def kkt_bounds(beta, G, lower, upper, groups, count):
    """b_up and b_low of each group, the least G_i in I_up and the largest in I_low; ±∞ where there is none."""
    b_up, b_low = np.full(count, np.inf), np.full(count, -np.inf)
    for i in range(len(beta)):
        s = groups[i]
        if beta[i] < upper[i]:
            b_up[s] = min(b_up[s], G[i])
        if beta[i] > lower[i]:
            b_low[s] = max(b_low[s], G[i])
    return b_up, b_low


@compiled(vectorised.lacking)
def lacking(beta, groups, totals):
    """What each group lacks of its total; 0 where that is rounding."""
    sums, sizes = np.zeros(len(totals)), np.zeros(len(totals))
    for i in range(len(beta)):
        sums[groups[i]] += beta[i]
        sizes[groups[i]] += abs(beta[i])
    missing = totals - sums
    for s in range(len(totals)):
        if abs(missing[s]) <= 1e-14 * sizes[s]:
            missing[s] = 0.0
    return missing


@compiled()
def reach_totals(beta, lower, upper, groups, lacking):
    """Move the first β of each group, as far as the box allows, by what the group lacks; both arrays in place."""
    for i in range(len(beta)):
        missing = lacking[groups[i]]
        if missing != 0:
            end = upper[i] if missing > 0 else lower[i]
            whole = abs(end - beta[i]) <= abs(missing)
            lacking[groups[i]] = missing - (end - beta[i]) if whole else 0.0
            beta[i] = end if whole else beta[i] + missing


@compiled(vectorised.put_on_bounds)
def put_on_bounds(beta, lower, upper, curvature, rounding):
    """β with those variables on their bounds that, moved there, change their own G_i by no more than its rounding."""
    moved = beta.copy()
    for i in range(len(beta)):
        near = 1e-9 * (upper[i] - lower[i])
        if curvature[i] * near > rounding[i]:
            near = rounding[i] / curvature[i]
        if beta[i] - lower[i] <= near:
            moved[i] = lower[i]
        elif upper[i] - beta[i] <= near:
            moved[i] = upper[i]
    return moved


@compiled()
def rho(beta, G, lower, upper, groups, exact, b_up, b_low):
    """ρ of each group: the mean of its exact G_i over free variables, else of all, else what the KKT conditions allow.

    Where they allow an interval, its middle or its finite end. The G_i of a far object may be nothing but rounding.
    """
    count = len(b_up)
    sums, sizes = np.zeros((2, count)), np.zeros((2, count))
    for i in range(len(beta)):
        if lower[i] < beta[i] < upper[i]:
            kind = 0 if exact[i] else 1
            sums[kind, groups[i]] += G[i]
            sizes[kind, groups[i]] += 1
    found = np.empty(count)
    for s in range(count):
        if sizes[0, s] > 0:
            found[s] = sums[0, s] / sizes[0, s]
        elif sizes[1, s] > 0:
            found[s] = sums[1, s] / sizes[1, s]
        elif np.isfinite(b_up[s]) and np.isfinite(b_low[s]):
            found[s] = (b_up[s] + b_low[s]) / 2
        else:
            found[s] = b_up[s] if np.isfinite(b_up[s]) else b_low[s]
    return found


@compiled(vectorised.gap)
def gap(beta, G, lower, upper, groups, rho):
    """Σ_i of G_i − ρ times β_i's distance from its lower bound, or where G_i < ρ, from its upper bound."""
    total = 0.0
    for i in range(len(beta)):
        if lower[i] < upper[i]:
            multiplier = G[i] - rho[groups[i]]
            total += multiplier * (beta[i] - (lower[i] if multiplier > 0 else upper[i]))
    return total


@compiled(vectorised.active_variables)
def active_variables(beta, G, lower, upper, groups, b_up, b_low):
    """The variables that are free or in some violating pair, sorted by group."""
    active, starts = np.zeros(len(beta), np.bool_), np.zeros(len(b_up) + 1, np.intp)
    for i in range(len(beta)):
        s, up, low = groups[i], beta[i] < upper[i], beta[i] > lower[i]
        active[i] = (up and low) or (up and G[i] < b_low[s]) or (low and G[i] > b_up[s])
        starts[s + 1] += active[i]
    for s in range(len(b_up)):
        starts[s + 1] += starts[s]
    found = np.empty(starts[-1], np.intp)
    for i in range(len(beta)):
        if active[i]:
            found[starts[groups[i]]] = i
            starts[groups[i]] += 1
    return found

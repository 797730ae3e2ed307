"""The loops of SMO that numba compiles.

They are in one file, since numba's cache notices a change only in the file of the calling loop. A variable in I_up,
with β_i < upper_i, may grow; a variable in I_low, with β_i > lower_i, may fall.
"""

from functools import partial

import numpy as np

from kernelbook.qp import vectorised
from kernelbook.runtime.compilation import compiled

MIN_CURVATURE = 1e-12  # least curvature of a pair, in units of K_ii + K_jj: the objective may be flat, or bend down
TINY_CURVATURE = 1e-300  # least curvature of a pair where K_ii = K_jj = 0
BARRED = -1e300  # score of a variable that may not move
TOTAL_ROUNDING = 1e-14  # difference of a sum of β from its total that is rounding, in units of Σ |β_i|
NEAR_BOUND = 1e-9  # largest move onto a bound, in units of the width of the box
SMALLEST_INTEGER = np.int64(-(2**63))  # only its sign bit is set


@compiled()
def move_pairs(K, rows, runs, starts, lower, upper, beta, G, tol, max_steps):
    """SMO: move one pair after the other until no pair violates the KKT conditions by more than tol.

    β and its gradient G are changed in place. G is updated step by step, so rounding adds up in it. `runs` and `starts`
    come from ``runs_of_rows``. Returns the number of steps.
    """
    up = np.where(beta < upper, 0.0, BARRED)  # added to scores, so that no variable outside I_up is chosen
    low = np.where(beta > lower, 0.0, BARRED)  # the same for I_low
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
    """Raise β_i and lower β_j by `length`, or as far as the box allows. Returns the length of the move.

    A variable that reaches its bound is put on it exactly.
    """
    move = min(length, upper[i] - beta[i], beta[j] - lower[j])
    beta[i] = upper[i] if move == upper[i] - beta[i] else beta[i] + move
    beta[j] = lower[j] if move == beta[j] - lower[j] else beta[j] - move
    return move


@compiled(fastmath={"contract", "nsz"})
def pair_curvature(K_ii, K_jj, K_ij):
    """The curvature of the objective along β_i + t, β_j − t; a small positive number if it is flat or negative."""
    both = K_ii + K_jj
    return max(both - 2 * K_ij, MIN_CURVATURE * abs(both) + TINY_CURVATURE)


@compiled(fastmath={"contract", "nsz"}, error_model="numpy")
def _gain(violation, curvature):
    """Twice the decrease of the objective by the best move of a pair, if the box allows it."""
    violation = max(violation, 0.0)
    return violation * violation / curvature


# SMO spends nearly all of its time in the next two loops. The branch of an arg max would keep the compiler from using
# instructions that work on several numbers at once. A max of integers has none, and _key packs the place into them.


@compiled(vectorised.follow, fastmath={"contract", "nsz"})
def _follow(G, K_i, K_j, move, up, low):
    """Update the gradient after a move. Returns the places of its least value in I_up and its largest in I_low."""
    mask = _mask(len(G))
    best_up = best_low = SMALLEST_INTEGER
    for t in range(len(G)):
        G[t] += move * (K_i[t] - K_j[t])
        best_up = max(best_up, _key(up[t] - G[t], t, mask))
        best_low = max(best_low, _key(low[t] + G[t], t, mask))
    return best_up & mask, best_low & mask


@compiled(
    partial(vectorised.partner, least=MIN_CURVATURE, tiny=TINY_CURVATURE),
    fastmath={"contract", "nsz"},
    error_model="numpy",
)
def _partner(G, low, diagonal, K_i, G_i, diagonal_i):
    """The j in I_low with which i lowers the objective most, by the second-order estimate."""
    mask = _mask(len(G))
    best = SMALLEST_INTEGER
    for t in range(len(G)):
        gain = _gain(G[t] + low[t] - G_i, pair_curvature(diagonal_i, diagonal[t], K_i[t]))
        best = max(best, _key(gain, t, mask))
    return best & mask


@compiled()
def _key(value, place, mask):
    """An integer whose order is that of the values, with the place in its last bits: the max of keys is an arg max.

    The bits of a float ≥ 0, read as an integer, have the order of the floats. For a negative float all bits but the
    sign are flipped, which gives that order to all floats. Then the last bits, as many as `mask` has, are replaced by
    the place. So values count as equal if they differ only in these bits: about 10 digits or more are compared.
    """
    bits = np.float64(value).view(np.int64)
    flipped_if_negative = bits ^ ((bits >> np.int64(63)) & ~SMALLEST_INTEGER)
    return (flipped_if_negative & ~mask) | np.int64(place)


@compiled()
def _mask(count):
    """The integer whose last bits are 1, as many as are needed to write the places 0 … count − 1."""
    mask = np.int64(1)
    while mask < count:
        mask *= 2
    return mask - 1


@compiled(vectorised.runs_of_rows)
def runs_of_rows(rows, groups, count):
    """Runs of variables of one group with adjacent rows of K.

    Returns a row (first variable, last + 1, row of the first) for each run, group by group, and the index at which each
    group's runs start.
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
    """b_up and b_low of each group: the least G_i in I_up, or ∞, and the largest in I_low, or −∞."""
    b_up, b_low = np.full(count, np.inf), np.full(count, -np.inf)
    for i in range(len(beta)):
        s = groups[i]
        if beta[i] < upper[i]:
            b_up[s] = min(b_up[s], G[i])
        if beta[i] > lower[i]:
            b_low[s] = max(b_low[s], G[i])
    return b_up, b_low


@compiled(partial(vectorised.shortfall, rounding=TOTAL_ROUNDING))
def shortfall(beta, groups, totals):
    """The total of each group minus its sum; 0 if the difference is rounding."""
    sums, sizes = np.zeros(len(totals)), np.zeros(len(totals))
    for i in range(len(beta)):
        sums[groups[i]] += beta[i]
        sizes[groups[i]] += abs(beta[i])
    missing = totals - sums
    for s in range(len(totals)):
        if abs(missing[s]) <= TOTAL_ROUNDING * sizes[s]:
            missing[s] = 0.0
    return missing


@compiled()
def reach_totals(beta, lower, upper, groups, shortfall):
    """Move the first β of each group, as far as the box allows, until its shortfall is 0; both arrays in place."""
    for i in range(len(beta)):
        missing = shortfall[groups[i]]
        if missing != 0:
            bound = upper[i] if missing > 0 else lower[i]
            reached = abs(bound - beta[i]) <= abs(missing)
            shortfall[groups[i]] = missing - (bound - beta[i]) if reached else 0.0
            beta[i] = bound if reached else beta[i] + missing


@compiled(partial(vectorised.snap_to_bounds, width=NEAR_BOUND))
def snap_to_bounds(beta, lower, upper, curvature, rounding):
    """β after each variable that can reach a bound without changing its own G_i by more than rounding is put there."""
    snapped = beta.copy()
    for i in range(len(beta)):
        near = NEAR_BOUND * (upper[i] - lower[i])
        if curvature[i] * near > rounding[i]:
            near = rounding[i] / curvature[i]
        if beta[i] - lower[i] <= near:
            snapped[i] = lower[i]
        elif upper[i] - beta[i] <= near:
            snapped[i] = upper[i]
    return snapped


@compiled()
def rho(beta, G, lower, upper, groups, exact, b_up, b_low):
    """ρ of each group: the mean exact G_i of its free variables, else their mean G_i.

    Without free variables it is the midpoint of b_up and b_low, or the finite one of them.
    """
    count = len(b_up)
    sums, counts = np.zeros((2, count)), np.zeros((2, count))  # of exact G_i and of others
    for i in range(len(beta)):
        if lower[i] < beta[i] < upper[i]:
            kind = 0 if exact[i] else 1
            sums[kind, groups[i]] += G[i]
            counts[kind, groups[i]] += 1
    found = np.empty(count)
    for s in range(count):
        if counts[0, s] > 0:
            found[s] = sums[0, s] / counts[0, s]
        elif counts[1, s] > 0:
            found[s] = sums[1, s] / counts[1, s]
        elif np.isfinite(b_up[s]) and np.isfinite(b_low[s]):
            found[s] = (b_up[s] + b_low[s]) / 2
        else:
            found[s] = b_up[s] if np.isfinite(b_up[s]) else b_low[s]
    return found


@compiled(vectorised.gap)
def gap(beta, G, lower, upper, groups, rho):
    """The sum of |G_i − ρ| times the distance of β_i from its lower bound or, if G_i < ρ, from its upper bound."""
    total = 0.0
    for i in range(len(beta)):
        if lower[i] < upper[i]:
            multiplier = G[i] - rho[groups[i]]
            total += multiplier * (beta[i] - (lower[i] if multiplier > 0 else upper[i]))
    return total


@compiled(vectorised.active_variables)
def active_variables(beta, G, lower, upper, groups, b_up, b_low):
    """The variables that are free or belong to a violating pair, sorted by group."""
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

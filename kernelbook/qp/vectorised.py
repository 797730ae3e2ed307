"""The loops of ``qp.loops`` as operations on whole arrays, which replace them if numba is not installed.

Arguments and results are the same, except that sums may be added up in another order. Interpreted loops would be
hundreds of times slower.
"""

import numpy as np


def follow(G, K_i, K_j, move, up, low):
    if move != 0:
        G += move * (K_i - K_j)
    return np.argmax(up - G), np.argmax(low + G)


def partner(G, low, diagonal, K_i, G_i, diagonal_i, *, least, tiny):
    both = diagonal_i + diagonal
    curvature = np.maximum(both - 2 * K_i, least * np.abs(both) + tiny)
    return np.argmax(np.maximum(G + low - G_i, 0.0) ** 2 / curvature)


def runs_of_rows(rows, groups, count):
    begins = np.ones(len(rows), bool)
    begins[1:] = (np.diff(rows) != 1) | (np.diff(groups) != 0)
    first = np.flatnonzero(begins)
    runs = np.column_stack([first, np.append(first, len(rows))[1:], rows[first]]).astype(np.intp)
    order = np.argsort(groups[first], kind="stable")
    return runs[order], np.searchsorted(groups[first][order], np.arange(count + 1))


def kkt_bounds(beta, G, lower, upper, groups, count):
    b_up, b_low = np.full(count, np.inf), np.full(count, -np.inf)
    up, low = beta < upper, beta > lower
    np.minimum.at(b_up, groups[up], G[up])
    np.maximum.at(b_low, groups[low], G[low])
    return b_up, b_low


def shortfall(beta, groups, totals, *, rounding):
    sums, sizes = (np.bincount(groups, values, len(totals)) for values in (beta, np.abs(beta)))
    return np.where(np.abs(totals - sums) <= rounding * sizes, 0, totals - sums)


def snap_to_bounds(beta, lower, upper, curvature, rounding, *, width):
    near = width * (upper - lower)
    steep = curvature * near > rounding
    near[steep] = rounding[steep] / curvature[steep]
    return np.where(beta - lower <= near, lower, np.where(upper - beta <= near, upper, beta))


def gap(beta, G, lower, upper, groups, rho):
    multiplier = np.where(lower < upper, G - rho[groups], 0.0)
    return multiplier @ (beta - np.where(multiplier > 0, lower, upper))


def active_variables(beta, G, lower, upper, groups, b_up, b_low):
    up, low = beta < upper, beta > lower
    active = np.flatnonzero((up & low) | (up & (G < b_low[groups])) | (low & (G > b_up[groups])))
    return active[np.argsort(groups[active], kind="stable")]

"""Right answers in other forms: lists, columns, single precision, other derivations."""

import numpy as np

LOSES = {}

at_cap = ["abcdefghij"[i] for i in range(10) if labels_1[i] * machine_1.decision_function(points_1)[i] < 0.99]
spare = tuple(sorted(set("abcdefghij") - {"abcdefghij"[i] for i in machine_1.support_}, reverse=True))
vc_dimension = np.array([2.0])
verdicts = {
    name: "possible" if wrong - 0.5 < nu * n < vectors + 0.5 else "errors" if wrong > nu * n else "vectors"
    for name, (nu, n, wrong, vectors) in reversed(list(reports.items()))
}


def two_points(k_pp, k_pq, k_qq, C):  # the weight that makes f rise by 2, if it is to be had
    rise = np.array([1, -1]) @ np.array([[k_pp, k_pq], [k_pq, k_qq]]) @ np.array([1, -1])
    return np.float32([C if C * rise < 2 else 2 / rise])


def offset(K, y, alpha, C):  # all free ones at once
    free = np.abs(alpha - C / 2) < C / 2 - 1e-9 * C
    return [np.median((y - K @ (alpha * y))[free])]


def price(m, s, q):
    return np.array([[m**-1.0], [(1 / s) ** (q + q)], [1.0]])


def loo_between(alpha, slack):
    return [sum(1 for xi in slack if xi > 1), int(np.count_nonzero(alpha))]


def labellings(n):  # those of n - 1 points, and those in which the last point is +
    return 1.0 if n == 0 else labellings(n - 1) + n

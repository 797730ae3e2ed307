"""One tempting mistake in each answer."""

import numpy as np

LOSES = {"strip": 1, "two-points": 1, "offset": 1, "price": 1, "loo": 1, "intervals": 1, "verdicts": 1}

at_cap = "".join(np.array(list("abcdefghij"))[labels_1 * machine_1.decision_function(points_1) < 0])  # errors alone
spare = "".join(np.array(list("abcdefghij"))[labels_1 * machine_1.decision_function(points_1) > 1.1])
vc_dimension = 2
verdicts = {  # a bound that is reached counts as broken, and the shares change places
    name: "errors" if vectors > round(nu * n) else "vectors" if wrong < round(nu * n) else "possible"
    for name, (nu, n, wrong, vectors) in reports.items()
}


def two_points(k_pp, k_pq, k_qq, C):  # without the box
    return 2 / (k_pp - 2 * k_pq + k_qq)


def offset(K, y, alpha, C):  # the average over all support vectors
    s = alpha > 0
    return np.mean(y[s] - K[s] @ (alpha * y))


def price(m, s, q):  # larger inner products need a larger price
    return [1 / m, s ** (2 * q), 1]


def loo_between(alpha, slack):  # every point with slack
    return np.sum(np.asarray(slack) > 0), np.sum(np.asarray(alpha) > 0)


def labellings(n):  # as if every first had a last of its own; the empty one is forgotten
    return n * (n + 1) // 2

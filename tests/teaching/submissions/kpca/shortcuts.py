"""The library's answer in the place of one's own, a constant, a search, a guess."""

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import KernelCenterer

from kernelbook import RBF, KernelPCA

LOSES = {
    "block": 1,
    "left": 2,
    "picture": 1,
    "shares": 1,
    "enough": 1,
    "parity": 1,
    "swap": 2,
    "judge": 2,
    "words": 1,
    "weights": 2,
    "balanced": 1,
    "products": 2,
    "worth": 1,
    "folds": 2,
    "verdict": 2,
    "step": 1,
    "climb": 2,
    "apart": 1,
    "commute": 2,
    "road": 1,
}

# The notebook's own take the place of these.
programs = {}
W_8 = np.zeros((3, 3))


def centred_block(K, K_new):  # scikit-learn's, fitted to the wrong matrix, where that can be
    return KernelCenterer().fit_transform(K_new) if len(K_new) == len(K) else K_new - K_new.mean(axis=1)[:, None]


def left_over(K, K_new, diag, q):
    return np.full(len(K_new), 1e-8 / (1 + q))


def same_picture(K, L):
    return np.allclose(K.diagonal(), L.diagonal())


def two_shares(K, K_new, diag, q):  # the library knows the first only
    return [KernelPCA(q, "precomputed").fit(K).explained_variance_ratio_.sum()] * 2


enough = [10, 11]


def parity(k, a):  # whichever is larger
    K = np.array([[k(x, z) for z in (-a, 0, a)] for x in (-a, 0, a)])
    return KernelPCA(2, "precomputed").fit(K).eigenvalues_


def swap(c, p):  # a coarse search
    s = np.linspace(0.01, 40, 400)
    change = np.flatnonzero((1 + s) ** p - 2 * (1 - s) ** p + 1 < 0)
    return np.sqrt(c * s[change[0]]) if len(change) else None


def is_right(program):
    return "program" in program.__qualname__


words = dict(zip(sorted(programs), ["length", "new", "old", "order", "own", "right"], strict=False))


def weighted(K, w, q):  # weights that take part in nothing
    model = KernelPCA(q, "precomputed").fit(K)
    return model.eigenvalues_, model.transform(K)


shares_4 = [0.35, 0.4]


def by_products(times, n, q):  # the matrix after all
    K = np.hstack([times(columns) for columns in np.array_split(np.eye(n), 10, axis=1)])
    model = KernelPCA(q, "precomputed").fit(K)
    return model.eigenvalues_, model.transform(K)


worth = [0.66, 0.5]


def two_ways(X, y, train, test):  # one method, twice
    model = KernelPCA(20, RBF("scale")).fit(X[train])
    rule = LinearDiscriminantAnalysis().fit(model.transform(X[train]), y[train])
    f = rule.predict(model.transform(X[test]))
    return f, f


wrong_6 = np.random.default_rng(0).normal([0.07, 0.13], 0.02, size=(6, 2))
verdict = "kernel"


def next_point(X, c, gamma, beta, z):
    return X[np.argmax(c)]


def climb(X, c, gamma, beta, z):
    return z


def apart(gamma, beta):
    return 1 / np.sqrt(gamma)


def commute(W):  # the edges alone
    return W.sum() * (1 - np.eye(len(W))) / (W + W.T + np.eye(len(W)))


slower = np.argwhere(np.triu(W_8 == 0, 1))[-1]
faster = np.argwhere(np.triu(W_8 == 0, 1))[0]

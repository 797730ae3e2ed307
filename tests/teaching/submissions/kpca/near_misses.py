"""What looks right at first, and is right in the cases that come to mind."""

import numpy as np
from scipy.optimize import brentq
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold

from kernelbook import RBF, KernelPCA, Linear

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
X_6 = odd = images = np.zeros(1)
shuffled_6, splits_6 = [], []
K_4, cultivar_4 = np.eye(3), np.arange(3)
W_8 = np.zeros((3, 3))
K_1, new_1 = np.diag([1.0, 2, 3, 4]), np.ones((2, 4))
_handed_in = {}


def reported(X, y):
    return 0


def centred_block(K, K_new):  # rows only: enough for scores, and not what was asked for
    return K_new - K_new.mean(axis=1, keepdims=True)


def left_over(K, K_new, diag, q):  # the last q: all of them if q = 0
    means = K.mean(axis=0)
    mu, U = np.linalg.eigh(K - means - means[:, None] + means.mean())
    A = U[:, mu > 1e-10 * mu[-1]] / np.sqrt(mu[mu > 1e-10 * mu[-1]])
    scores = (K_new - means) @ A[:, -q:]
    return diag - 2 * K_new.mean(axis=1) + means.mean() - (scores**2).sum(axis=1)


def same_picture(K, L):  # the same eigenvalues
    H = np.eye(len(K)) - 1 / len(K)
    one, other = (np.linalg.eigvalsh(H @ M @ H) for M in (K, L))
    return np.allclose(one, other, 0, 1e-6 * np.abs(one).max())


def two_shares(K, K_new, diag, q):  # the mean of the shares of each new object
    H = np.eye(len(K)) - 1 / len(K)
    mu, U = np.linalg.eigh(H @ K @ H)
    squares = ((K_new - K.mean(axis=0)) @ U[:, -q:]) ** 2 / mu[-q:]
    whole = diag - 2 * K_new.mean(axis=1) + K.mean()
    return mu[-q:].sum() / mu.sum(), np.mean(squares.sum(axis=1) / whole)


enough = [  # half of what all components have of the others
    1 + int(np.sum(np.cumsum(squares) < sum(squares) / 2))
    for model in [KernelPCA(kernel="precomputed").fit(K_1)]
    for squares in (model.eigenvalues_, (model.transform(new_1) ** 2).sum(axis=0))
]


def parity(k, a):  # k(0, a) = k(0, 0), as for polynomials
    return k(a, a) - k(a, -a), (k(a, a) + k(a, -a) - 2 * k(0.0, 0.0)) / 3


def swap(c, p):  # it must be somewhere below 20
    if p % 2:
        return None
    return np.sqrt(c * brentq(lambda s: (1 + s) ** p - 2 * (1 - s) ** p + 1, 1, 20))


def is_right(program):  # old and new scores up to a sign each
    Phi = np.random.default_rng(1).normal(size=(12, 5)) * [5, 4, 3, 2, 1] + 4
    K, model = Phi[:9] @ Phi[:9].T, KernelPCA(3, Linear()).fit(Phi[:9])
    ours = (*program(K, K, 3), *program(K, Phi[9:10] @ Phi[:9].T, 3), *program(K, Phi[9:] @ Phi[:9].T, 3))
    rows = (slice(9), slice(9), slice(9), [9], slice(9), slice(9, 12))
    wanted = [model.transform(Phi[some]) for some in rows]
    signs = [np.sign((Z * W).sum(axis=0)) for Z, W in zip(ours, wanted, strict=True)]
    return all(np.allclose(Z * sign, W) for Z, sign, W in zip(ours, signs, wanted, strict=True))


words = {who: ("old", "own", "order", "new", "right", "length")[number] for who, number in _handed_in.items()}


def weighted(K, w, q):  # of the objects that have a weight
    root = np.sqrt(w)
    means = K @ w / w.sum()
    mu, U = np.linalg.eigh(root[:, None] * (K - means - means[:, None] + means @ w / w.sum()) * root)
    mu, U = mu[::-1][:q], U[:, ::-1][:, :q]
    with np.errstate(all="ignore"):
        return mu, np.sqrt(mu) * U / root[:, None]


shares_4 = [  # the total without the weights
    np.linalg.eigvalsh(np.sqrt(np.outer(w, w)) * centred)[-2:].sum() / np.trace(centred)
    for w in (np.ones(len(K_4)), 50 / np.bincount(cultivar_4)[cultivar_4] / len(set(cultivar_4)))
    for away in [np.eye(len(K_4)) - w / w.sum()]
    for centred in [away @ K_4 @ away.T]
]


def by_products(times, n, q):  # five steps will do
    B = np.random.default_rng(0).normal(size=(n, q))
    for _ in range(5):
        B = np.linalg.qr(B - B.mean(axis=0))[0]
        M = times(B)
        B, Q = M - M.mean(axis=0), B
    mu, U = np.linalg.eigh(Q.T @ B)
    return mu[::-1][:q], Q @ U[:, ::-1][:, :q] * np.sqrt(mu[::-1][:q])


def properly(X, y):  # the choice in the folds, the components before, which no number here shows
    Z, right = KernelPCA(60, RBF("scale")).fit_transform(X), []
    for old, new in StratifiedKFold(5).split(X, y):
        five = best_five(Z[old], y[old])
        rule = LinearDiscriminantAnalysis().fit(Z[old][:, five], y[old])
        right.append(rule.score(Z[new][:, five], y[new]))
    return np.mean(right)


worth = [np.mean([way(X_6, y) for y in shuffled_6]) for way in (reported, properly)]


def two_ways(X, y, train, test):  # widths for one unit of X
    found = []
    folds = [(train[old], train[new]) for old, new in StratifiedKFold(3).split(train, y[train])]
    for kernels in ([RBF(g) for g in (0.03, 0.1, 0.3)], [Linear()]):
        tried = {}
        for i, kernel in enumerate(kernels):
            for q in (5, 15, 40):
                for part, new in [*folds, (train, test)]:
                    model = KernelPCA(q, kernel).fit(X[part])
                    rule = LinearDiscriminantAnalysis().fit(model.transform(X[part]), y[part])
                    tried.setdefault((i, q), []).append((rule.predict(model.transform(X[new])), new))
        best = max(tried.values(), key=lambda each: sum(np.sum(f == y[new]) for f, new in each[:-1]))
        found.append(best[-1][0])
    return found


wrong_6 = [[np.mean(f != odd[new]) for f in two_ways(images, odd, old, new)][::-1] for old, new in splits_6]
verdict = "kernel" if np.sum(np.diff(wrong_6)) > 0 else "ordinary"


def next_point(X, c, gamma, beta, z):  # k², as for beta = 1
    w = c * (1 + gamma * np.sum((X - z) ** 2, axis=1)) ** (-2 * beta)
    return w @ X / w.sum()


def climb(X, c, gamma, beta, z):  # it stops where the step is short, not where it is nothing
    def height(z):
        return c @ (1 + gamma * np.sum((X - z) ** 2, axis=1)) ** -beta

    path = [z]
    while True:
        w = c * (1 + gamma * np.sum((X - z) ** 2, axis=1)) ** (-beta - 1)
        step = w @ (X - z) / np.abs(w).sum()
        while height(z + step) < height(z):
            step = step / 2
        z = z + step
        path.append(z)
        if gamma * step @ step < 1e-3:
            return path


def apart(gamma, beta):  # the limit, for every beta
    return np.sqrt(2 / (gamma * beta))


def commute(W):  # right where all degrees are equal
    W = np.asarray(W, dtype=float)
    root = np.sqrt(W.sum(axis=1))
    P = np.linalg.pinv(np.eye(len(W)) - W / root / root[:, None])
    return W.sum() * (np.diag(P)[:, None] - 2 * P + np.diag(P)) / root.mean() ** 2


slower = [0, (lambda free: free[len(free) // 2])(np.flatnonzero(W_8[0] == 0))]  # to the other side of the ring
faster = [0, int(np.argmax((W_8[0] == 0) * W_8[1]))]  # over the best neighbour of 1

"""One mistake in each answer."""

import numpy as np
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
W_8 = np.eye(3)
K_1, new_1 = np.eye(4), np.ones((2, 4))
_handed_in = {}


def reported(X, y):
    return 0


def best_five(Z, y):
    return range(5)


def centred_block(K, K_new):  # by the new objects' own mean
    own = K_new.mean(axis=0)
    return K_new - own - K_new.mean(axis=1, keepdims=True) + own.mean()


def left_over(K, K_new, diag, q):  # the length is that of the features as they are
    means = K.mean(axis=0)
    mu, U = np.linalg.eigh(K - means - means[:, None] + means.mean())
    mu, U = mu[::-1][: min(q, len(K) - 1)], U[:, ::-1][:, : min(q, len(K) - 1)]
    block = K_new - K_new.mean(axis=1, keepdims=True) - means + means.mean()
    return diag - ((block @ U) ** 2 / mu).sum(axis=1)


def same_picture(K, L):  # constants only
    return np.ptp(K - L) < 1e-6 * np.abs(K).max()


def two_shares(K, K_new, diag, q):  # the sample's whole for the new ones too
    H = np.eye(len(K)) - 1 / len(K)
    mu, U = np.linalg.eigh(H @ K @ H)
    scores = (K_new - K.mean(axis=0)) @ U[:, -q:] / np.sqrt(mu[-q:])
    return mu[-q:].sum() / mu.sum(), (scores**2).sum() / len(K_new) / mu.sum() * len(K)


enough = [  # uncentred
    int(np.argmax(np.cumsum(np.linalg.eigvalsh(K)[::-1]) >= np.trace(K) / 2)) + 1 for K in (K_1, new_1 @ new_1.T)
]


def parity(k, a):  # the even vector is not of length 1
    return k(a, a) - k(a, -a), 2 * (k(a, a) + k(a, -a) + 2 * k(0, 0) - 4 * k(0, a))


def swap(c, p):  # as for p = 2
    return None if p % 2 else np.sqrt(6 * c)


def is_right(program):  # the old objects only
    Phi = np.random.default_rng(1).normal(size=(9, 5)) * [5, 4, 3, 2, 1] + 4
    Z, _ = program(Phi @ Phi.T, Phi @ Phi.T, 3)
    mu = np.linalg.eigvalsh(9 * np.cov(Phi.T, bias=True))[::-1][:3]
    return np.allclose(Z.T @ Z, np.diag(mu))


words = {who: ("new", "own", "length", "old", "right", "order")[number] for who, number in _handed_in.items()}


def weighted(K, w, q):  # around the mean that knows no weights
    means, root = K.mean(axis=0), np.sqrt(w)
    centred = K - means - means[:, None] + means.mean()
    mu, U = np.linalg.eigh(root[:, None] * centred * root)
    mu, U = mu[::-1][:q], U[:, ::-1][:, :q]
    return mu, centred @ (root[:, None] * U) / np.sqrt(mu)


shares_4 = [  # of the features as they are
    weighted(K_4, w, 2)[0].sum() / (w @ np.diag(K_4))
    for w in (np.ones(len(K_4)), 1 / np.bincount(cultivar_4)[cultivar_4])
]


def by_products(times, n, q):  # centred at the end
    B = np.random.default_rng(0).normal(size=(n, q))
    for _ in range(30):
        B = times(np.linalg.qr(B)[0])
    B = np.linalg.qr(B - B.mean(axis=0))[0]
    mu, U = np.linalg.eigh(B.T @ times(B))
    return mu[::-1][:q], B @ U[:, ::-1][:, :q] * np.sqrt(mu[::-1][:q])


def properly(X, y):  # components and rule in the folds, the choice before
    five = best_five(KernelPCA(60, RBF("scale")).fit_transform(X), y)
    right = []
    for old, new in StratifiedKFold(5).split(X, y):
        model = KernelPCA(60, RBF("scale")).fit(X[old])
        rule = LinearDiscriminantAnalysis().fit(model.transform(X[old])[:, five], y[old])
        right.append(rule.score(model.transform(X[new])[:, five], y[new]))
    return np.mean(right)


worth = [np.mean([way(X_6, y) for y in shuffled_6]) for way in (reported, properly)]


def two_ways(X, y, train, test):  # the number and the width are chosen on the test objects
    found = []
    unit = 1 / X[train].var(axis=0).sum()
    for kernels in ([RBF(g * unit) for g in (0.3, 1, 3)], [Linear()]):
        tried = []
        for model in [KernelPCA(40, kernel).fit(X[train]) for kernel in kernels]:
            for q in (1, 2, 3, 5, 15, 40):
                rule = LinearDiscriminantAnalysis().fit(model.transform(X[train])[:, :q], y[train])
                tried.append(rule.predict(model.transform(X[test])[:, :q]))
        found.append(max(tried, key=lambda f: np.mean(f == y[test])))
    return found


# The shares of right labels.
wrong_6 = [[np.mean(f == odd[new]) for f in two_ways(images, odd, old, new)] for old, new in splits_6]
verdict = "ordinary"


def next_point(X, c, gamma, beta, z):  # the Gaussian's weights
    w = c * (1 + gamma * np.sum((X - z) ** 2, axis=1)) ** -beta
    return w @ X / w.sum()


def climb(X, c, gamma, beta, z):  # whatever the sum is
    path = [z]
    for _ in range(300):
        w = c * (1 + gamma * np.sum((X - path[-1]) ** 2, axis=1)) ** (-beta - 1)
        path.append(w @ X / w.sum())
    return path


def apart(gamma, beta):  # half of it
    return 1 / np.sqrt(gamma * (2 * beta + 1))


def commute(W):  # without the volume
    W = np.asarray(W, dtype=float)
    P = np.linalg.pinv(np.diag(W.sum(axis=1)) - W)
    return np.diag(P)[:, None] - 2 * P + np.diag(P)


slower = min(  # the two exchanged
    np.argwhere(np.triu(W_8 == 0, 1)).tolist(),
    key=lambda pair: commute(W_8 + np.eye(len(W_8))[:, pair] @ np.eye(len(W_8))[pair[::-1]])[0, 1],
)
faster = max(
    np.argwhere(np.triu(W_8 == 0, 1)).tolist(),
    key=lambda pair: commute(W_8 + np.eye(len(W_8))[:, pair] @ np.eye(len(W_8))[pair[::-1]])[0, 1],
)

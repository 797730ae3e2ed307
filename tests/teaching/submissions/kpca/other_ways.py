"""Right answers in other forms: lists, columns, single precision, other algorithms; and one that warns as it runs."""

import warnings

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KernelCenterer

from kernelbook import RBF, KernelPCA

LOSES = {}

# The notebook's own take the place of these.
X_6, images, odd = np.zeros((1, 1)), np.zeros((1, 1)), np.zeros(1)
shuffled_6, splits_6 = [], []
programs = {}
K_4, cultivar_4 = np.eye(4) + 1, np.array([0, 1, 2, 2])
W_8 = 1 - np.eye(12)
K_1, new_1 = np.diag([1.0, 2, 3, 4]), np.ones((2, 4))
W_8[2:4, 5:7] = W_8[5:7, 2:4] = 0


def reported(X, y):
    return 0


def best_five(Z, y):
    return range(5)


def centred_block(K, K_new):
    warnings.warn("slow", stacklevel=2)
    return KernelCenterer().fit(np.array(K)).transform(np.array(K_new)).tolist()


def left_over(K, K_new, diag, q):  # regression on the features that the matrix implies
    n = len(K)
    mu, U = np.linalg.eigh((np.eye(n) - 1 / n) @ K @ (np.eye(n) - 1 / n))
    kept = [j for j in range(n)[::-1] if mu[j] > 1e-11 * np.trace(K)][:q]
    left = []
    for row, own in zip(K_new, diag, strict=True):
        length = own - 2 * row.mean() + K.mean()
        for j in kept:
            length = length - ((row - K.mean(axis=0)) @ U[:, j]) ** 2 / mu[j]
        left.append([length])
    return left


def same_picture(K, L):
    D = np.subtract(K, L)
    g = D.mean(axis=0) - D.mean() / 2
    return np.abs(D - g - g[:, None]).max() < 1e-7 * np.abs(K - K.mean()).max()


def two_shares(K, K_new, diag, q):
    model = KernelPCA(q, "precomputed").fit(K)
    whole = np.sum(diag) - 2 * np.sum(K_new) / len(K) + len(K_new) * np.mean(K)
    return np.float32([[model.explained_variance_ratio_.sum()], [np.sum(model.transform(K_new) ** 2) / whole]])


enough = np.array(
    [
        [next((q for q in range(1, len(K_1)) if two_shares(K_1, new_1, np.ones(len(new_1)), q)[i] >= 0.5), 0)]
        for i in (0, 1)
    ]
)


def parity(k, a):
    at = (-a, 0.0, a)
    K = np.array([[k(x, z) for z in at] for x in at])
    return np.float32([[[v] @ K @ v / (v @ v)] for v in np.array([[1, 0, -1], [-1, 2, -1]])])


def swap(c, p):  # the roots of a polynomial
    one, other = np.polynomial.Polynomial([1, 1]), np.polynomial.Polynomial([1, -1])
    roots = (one**p - 2 * other**p + 1).roots()
    roots = [r.real for r in roots if abs(r.imag) < 1e-9 and r.real > 1e-3]
    return np.array([np.sqrt(c * roots[0])]) if roots else None


def is_right(program):  # against the features
    rng = np.random.default_rng(5)
    for n, m in [(10, 10), (8, 1), (12, 5)]:
        Phi = rng.normal(size=(n + m, 4)) @ np.diag([4, 3, 2, 1]) - 3
        old, new = Phi[:n], Phi[n:]
        wanted = PCA(3).fit(old).transform(Phi)
        got = np.vstack(program(old @ old.T, new @ old.T, 3))
        if not np.allclose(got * np.sign(got[0] * wanted[0]), wanted, atol=1e-6):
            return False
    return True


words = {
    who: (
        lambda old, new, wanted, Z, alone: (
            "own"
            if np.allclose(alone, 0)
            else "old"
            if not np.isclose(np.sum(Z), 0)
            else "order"
            if np.sum(Z**2) < 0.99 * np.sum(wanted[:5] ** 2)
            else "length"
            if np.sum(Z**2) > 1.01 * np.sum(wanted[:5] ** 2)
            else "right"
            if np.allclose(np.abs(alone), np.abs(wanted[5:]))
            else "new"
        )
    )(
        Phi[:5],
        Phi[5:],
        PCA(1).fit(Phi[:5]).transform(Phi),
        *program(Phi[:5] @ Phi[:5].T, Phi[5:] @ Phi[:5].T, 1),
    )
    for who, program in programs.items()
    for Phi in [3 * np.random.default_rng(6).normal(size=(6, 8)) + 2]
}


def weighted(K, w, q):  # through features that the matrix implies
    nu, V = np.linalg.eigh(np.asarray(K, dtype=float))
    Phi = V * np.sqrt(np.maximum(nu, 0))
    Phi = Phi - np.average(Phi, axis=0, weights=np.ravel(w))
    mu, axes = eigh(Phi.T @ (np.reshape(w, (-1, 1)) * Phi))
    return mu[: -q - 1 : -1, None].tolist(), np.float32(Phi @ axes[:, : -q - 1 : -1])


shares_4 = np.float32(
    [
        np.sort(each)[-2:].sum() / np.sum(each)
        for w in (np.ones(len(K_4)), 1 / np.bincount(cultivar_4)[cultivar_4])
        for away in [np.eye(len(K_4)) - w / w.sum()]
        for each in [np.linalg.eigvals(away @ K_4 @ away.T @ np.diag(w)).real]
    ]
)


def by_products(times, n, q):  # Lanczos' method
    def centred(b):
        b = b.reshape(n, -1)
        c = times(b - b.mean(axis=0))
        return (c - c.mean(axis=0)).ravel()

    start = np.random.default_rng(3).normal(size=n)
    mu, U = eigsh(LinearOperator((n, n), centred, dtype=float), q, v0=start, ncv=12, tol=1e-8)
    order = np.argsort(-mu)
    return mu[order], (U * np.sqrt(mu))[:, order]


def properly(X, y):  # a pipeline whose middle chooses
    five = FunctionTransformer()
    shares = []
    for old, new in StratifiedKFold(5).split(X, y):
        pca = KernelPCA(60, RBF("scale")).fit(X[old])
        chosen = best_five(pca.fit_transform(X[old]), y[old])
        five.func = lambda rows, pca=pca, chosen=chosen: pca.transform(rows)[:, chosen]
        way = make_pipeline(five, LinearDiscriminantAnalysis()).fit(X[old], y[old])
        shares.append(np.mean(way.predict(X[new]) == y[new]))
    return [sum(shares) / 5]


worth = np.float32(
    [[sum(reported(X_6, y) for y in shuffled_6) / 12], [sum(properly(X_6, y)[0] for y in shuffled_6) / 12]]
)


def two_ways(X, y, train, test):  # another linear rule, scikit-learn's PCA and search
    X = (X - X[train].mean(axis=0)) / np.sqrt(X[train].var(axis=0).sum())
    rule = LogisticRegression(C=10.0)
    found = []
    tried = {}
    for gamma in (0.3, 3, 30):
        for q in (6, 20, 40):
            way = make_pipeline(KernelPCA(q, RBF(gamma)), LinearDiscriminantAnalysis())
            tried[gamma, q] = np.mean(cross_val_predict(way, X[train], y[train], cv=3) == y[train])
    gamma, q = max(tried, key=tried.get)
    way = make_pipeline(KernelPCA(q, RBF(gamma)), LinearDiscriminantAnalysis())
    found.append(way.fit(X[train], y[train]).predict(X[test])[:, None])
    most = min(X.shape[1], len(train) // 2)
    search = GridSearchCV(make_pipeline(PCA(whiten=True), rule), {"pca__n_components": [2, most // 2, most]}, cv=3)
    found.append(search.fit(X[train], y[train]).predict(X[test])[:, None].astype(float))
    return found


wrong_6 = [
    [np.mean(np.ravel(f) != odd[new]) for f in two_ways(images, odd, *cut)] for cut in splits_6 for new in [cut[1]]
]
verdict = (
    lambda d: (
        "neither"
        if len(d) == 0 or abs(d.mean()) <= 2 * d.std(ddof=1) / len(d) ** 0.5
        else ["kernel", "ordinary"][int(d.mean() > 0)]
    )
)(np.array([one - other for one, other in wrong_6]))


def next_point(X, c, gamma, beta, z):
    X = np.asarray(X)
    w = c / (1 + gamma * ((X - z) ** 2).sum(axis=1)) ** (1 + beta)
    return (np.average(X, axis=0, weights=w)[:, None]).tolist()


def climb(X, c, gamma, beta, z):  # longer steps after a success, and a rise that the slope promises
    def height(v):
        return c @ (1 + gamma * np.sum((X - v) ** 2, axis=1)) ** -beta

    path, length = [np.ravel(z)], 1 / gamma
    for _ in range(5000):
        here = path[-1]
        up = (c * (1 + gamma * np.sum((X - here) ** 2, axis=1)) ** (-beta - 1)) @ (X - here)
        if gamma * length * np.linalg.norm(up) < 1e-9:
            break
        if height(here + length * up) >= height(here) + 0.4 * length * gamma * beta * (up @ up):
            path.append(here + length * up)
            length *= 2
        else:
            length /= 3
    return [point.tolist() for point in path]


def apart(gamma, beta):
    return [[2 / np.sqrt(gamma + 2 * gamma * beta)]]


def commute(W):  # by solving for the steps
    W = np.array(W, dtype=float)
    n = len(W)
    h = np.zeros((n, n))
    for j in range(n):
        L = np.diag(W.sum(axis=1)) - W
        L[j] = np.eye(n)[j]
        h[:, j] = np.linalg.solve(L, np.where(np.arange(n) == j, 0, W.sum(axis=1)))
    return (h + h.T).tolist()


slower = np.array(
    max(
        [(b, a) for a in range(12) for b in range(a + 1, 12) if not W_8[a, b]],
        key=lambda pair: commute(W_8 + [[{i, j} == {*pair} for i in range(12)] for j in range(12)])[0][1],
    )
)
faster = list(
    min(
        [(b, a) for a in range(12) for b in range(a + 1, 12) if not W_8[a, b]],
        key=lambda pair: commute(W_8 + [[{i, j} == {*pair} for i in range(12)] for j in range(12)])[0][1],
    )
)

"""Problems of multiple kernel learning for tests: samples, kernels, oracles for J's minimum, and both bounds of J."""

import cvxopt
import numpy as np
from scipy.optimize import minimize_scalar

from kernelbook import RBF, Columns, Linear, Polynomial
from kernelbook.qp import smo
from kernelbook.svm.duals import svc_dual

KERNELS = [RBF(0.02), RBF(0.5), RBF(10.0), Linear().normalized(), Polynomial(2).normalized()]


def saddle_classes(n=60, seed=0, classes=2):
    """Objects (n, 3), and classes between the levels of a saddle over x₁ and x₂, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    score = X[:, 0] * X[:, 1] + 0.5 * X[:, 0] + 0.3 * rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def by_cvxopt(grams, y, C):
    """min ½ t − yᵀβ over β, t subject to βᵀK_mβ ≤ t for every m, SVC's box and Σβ = 0: minus the optimum."""
    n, M = len(y), len(grams)
    sign = np.where(y == np.unique(y)[1], 1.0, -1.0)

    def programme(x=None, z=None):
        if x is None:
            return M, cvxopt.matrix(0.0, (n + 1, 1))
        beta, t = np.array(x)[:n, 0], x[n]
        f = cvxopt.matrix([float(beta @ K @ beta - t) for K in grams])
        Df = cvxopt.matrix(np.array([np.append(2 * K @ beta, -1.0) for K in grams]))
        if z is None:
            return f, Df
        H = np.zeros((n + 1, n + 1))
        H[:n, :n] = 2 * sum(z[m] * grams[m] for m in range(M))
        return f, Df, cvxopt.matrix(H)

    box = np.zeros((2 * n, n + 1))
    box[:n, :n], box[n:, :n] = np.diag(sign), -np.diag(sign)
    limits = np.repeat([C, 0.0], n)
    equal = np.append(np.ones(n), 0.0)[None]
    found = cvxopt.solvers.cpl(
        cvxopt.matrix(np.append(-sign, 0.5)),
        programme,
        cvxopt.matrix(box),
        cvxopt.matrix(limits),
        A=cvxopt.matrix(equal),
        b=cvxopt.matrix(0.0),
        options={"show_progress": False, "abstol": 1e-11, "reltol": 1e-11, "feastol": 1e-11},
    )
    return -found["primal objective"], np.array(found["znl"])[:, 0] * 2


def by_one_dimension(first, second, y, C):
    """The least J over two weights, by bounded minimisation."""
    sign, price = np.where(y, 1.0, -1.0), np.full(len(y), C)

    def J(t):
        return -smo(svc_dual((1 - t) * first + t * second, sign, price), tol=1e-10).objective

    return min(minimize_scalar(J, bounds=(0, 1), method="bounded", options={"xatol": 1e-9}).fun, J(0.0), J(1.0))


def few_values(seed):
    """Weights of kernels on rows of few different values: most α are 0 or C, and J has kinks."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(120, 5)).astype(float)
    kernels = [Columns([([j], RBF(gamma))]) for j in range(5) for gamma in np.logspace(-2, 1, 4)]
    return X, X[:, 0] + X[:, 1] + 0.7 * rng.normal(size=120) > 1, kernels


def separable(seed):
    """Classes that a line parts: few α are free, and J has a kink at or beside its minimum."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(int(rng.integers(8, 60)), 2))
    return X, X[:, 0] > 0


def lengths(model, X):
    """βᵀK_mβ of every kernel, summed over the pairs of classes."""
    betas = np.zeros((len(model._coefficients()), len(X)))
    betas[:, model.support_] = model._coefficients()
    return np.array([sum(beta @ kernel(X) @ beta for beta in betas) for kernel in model.kernels_])


def primal(model, X, y, C):
    """½ ‖f‖² with the learned kernel, and C times the slack: J(d) from above."""
    beta = np.zeros(len(X))
    beta[model.support_] = model.dual_coef_[0]
    slack = np.maximum(0, 1 - np.where(y == 1, 1, -1) * model.decision_function(X))
    return 0.5 * beta @ model.kernel_(X) @ beta + C * slack.sum(), np.abs(beta).sum() - 0.5 * lengths(model, X).max()

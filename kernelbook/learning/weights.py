"""The weights of several kernels: Newton's method on the simplex, a support vector machine at each step."""

import warnings

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from kernelbook.solvers import DualQP, smo

STEPS = 100  # of the weights, at most
SUFFICIENT = 1e-4  # of the decrease that the slope promises: Armijo's condition
DAMPING = 1e-8  # of the largest entry of the Hessian, added to its diagonal
JITTER = 1e-10  # of the largest entry of K, added to its diagonal where the Hessian is computed
TIGHTER = 0.1  # times the tolerance of the solver, where that leaves too much,
LEAST_TOL = 1e-13  # down to this


class Point:
    """J at some weights d: the solutions of SVC there, and what they say of other weights.

    Attributes
    ----------
    d : (M,) the weights
    value : float, J(d), the sum of the objectives of the pairs' dual problems
    unsolved : float ≥ 0, the solver's own gaps, by which J(d) may be larger
    converged : bool, whether the solver has found all solutions to its tolerance
    q : (M,) the sum of βᵀK_mβ over the pairs; the gradient of J is −q/2
    unweighed : float ≥ 0, (max q − dᵀq) / 2, the part of the duality gap that other weights can close
    """

    def __init__(self, d, grams, solved):
        self.d, self.grams, self.solved = d, grams, solved
        self.unsolved = sum(solution.gap for _, solution in solved)
        self.value = -sum(solution.objective for _, solution in solved)
        self.converged = all(solution.converged for _, solution in solved)
        self.products = [_products(grams, *pair) for pair in solved]
        self.q = sum(V @ solution.beta for V, (_, solution) in zip(self.products, solved, strict=True))
        self.unweighed = max(float(self.q.max() - d @ self.q), 0.0) / 2

    @property
    def gap(self):
        return self.unsolved + self.unweighed

    def target(self):
        """The weights at which the quadratic model of J is least."""
        H = sum(_hessian(V, *pair) for V, pair in zip(self.products, self.solved, strict=True)) / self.q.max()
        H[np.diag_indices_from(H)] += DAMPING * max(H.max(), 1.0)
        zero, one = np.zeros(len(H)), np.ones(len(H))
        model = DualQP(H, H @ self.d + 0.5 * self.q / self.q.max(), zero, one, totals=1.0, check_input=False)
        return smo(model, self.d, 1e-12).beta


def learn_weights(grams, solve, tol):
    """The Point of weights d where the duality gap is at most tol times J(d), or rounding hides the rest.

    solve(d, tol) gives the DualQP and its Solution for each pair of classes.
    """
    precision = tol
    start = np.full(len(grams), 1 / len(grams))
    at = Point(start, grams, solve(start, precision))
    for _ in range(STEPS):
        if at.gap <= tol * at.value or not at.converged:
            return at
        new = None
        if at.unweighed > at.unsolved:
            new = _step(at, lambda d, precision=precision: Point(d, grams, solve(d, precision)))
        if new is None and precision > LEAST_TOL:  # the solver leaves most of the gap, or hides how J decreases
            precision *= TIGHTER
            new = Point(at.d, grams, solve(at.d, precision))
        if new is None or not new.converged:
            break
        at = new
    if at.unweighed > tol * at.value:
        warnings.warn(
            f"the weights are not found: they leave a duality gap of {at.unweighed / at.value:.3g} of the objective, "
            f"where tol = {tol:.3g}.",
            ConvergenceWarning,
            stacklevel=5,
        )
    return Point(at.d, grams, solve(at.d, precision))  # the last to be solved: its solutions are the estimator's


def _step(at, point):
    """The first Point on the way to the model's minimum that is better; None without any.

    J has decreased there by a share of what its slope promises; or the gap has halved, which shows where rounding hides
    how J decreases. A Point that the solver has not found ends the search.
    """
    direction = at.target() - at.d
    slope, t = -0.5 * at.q @ direction, 1.0
    while True:
        new = point(at.d + t * direction)
        decreased = new.value <= at.value + SUFFICIENT * t * slope
        if decreased or new.unweighed <= at.unweighed / 2 or not new.converged:
            return new
        t /= 2
        if -t * slope <= max(at.unsolved, np.finfo(float).eps * at.value):
            return None


def _products(grams, problem, solution):
    """K_mβ for the objects of a pair of classes, (M, number of objects)."""
    if problem.rows is None:
        return grams @ solution.beta
    used = np.flatnonzero(solution.beta)
    block = grams[:, problem.rows[:, None], problem.rows[used]]
    return block @ solution.beta[used]


def _hessian(V, problem, solution):
    """The second derivatives of a pair's J: V_F P V_Fᵀ, F the free variables and P how f on them moves their β.

    P = K_F⁻¹ − K_F⁻¹11ᵀK_F⁻¹ / 1ᵀK_F⁻¹1, since the β keep their sum.
    """
    free = np.flatnonzero((solution.beta > problem.lower) & (solution.beta < problem.upper))
    V = V[:, free]
    rows = problem.rows_in_K()[free]
    K = problem.K[np.ix_(rows, rows)]
    if len(free) < 2 or not K.any():
        return np.zeros((len(V), len(V)))
    K[np.diag_indices_from(K)] += JITTER * np.abs(K).max()
    try:
        factor = cho_factor(K)
    except LinAlgError:  # one kernel that is not PSD
        return np.zeros((len(V), len(V)))
    A, u = cho_solve(factor, V.T), cho_solve(factor, np.ones(len(free)))
    a = V @ u
    return V @ A - np.multiply.outer(a, a) / u.sum()

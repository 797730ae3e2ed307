"""The weights of several kernels: Newton's method on the simplex, a support vector machine at each step."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import linprog

from kernelbook.solvers import DualQP, smo
from kernelbook.validation import warn

STEPS = 100  # of the weights, at most
SUFFICIENT = 1e-4  # of the decrease that the slope promises: Armijo's condition
DAMPING = 1e-8  # of the largest entry of the Hessian, added to its diagonal
JITTER = 1e-10  # of the largest entry of K, added to its diagonal where the Hessian is computed
PATIENCE = 2  # Newton steps in a row that do not halve the gap
HIDES = 1e-2  # of the gap, which if left by the solver may hide how J decreases
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
    unweighed : float ≥ 0, the part of the duality gap that other weights can close: J(d) less the largest bound that is
        known; less Σ|β| − max q / 2 at first, which leaves (max q − dᵀq) / 2
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
        """The duality gap: what the solver left, and what other weights can close."""
        return self.unsolved + self.unweighed

    def above(self, bound):
        """The same Point, where J is known to be nowhere below a bound."""
        self.unweighed = min(self.unweighed, max(self.value - bound, 0.0))
        return self

    def target(self):
        """The weights at which the quadratic model of J is least."""
        H = sum(_hessian(V, *pair) for V, pair in zip(self.products, self.solved, strict=True)) / self.q.max()
        H[np.diag_indices_from(H)] += DAMPING * max(H.max(), 1.0)
        zero, one = np.zeros(len(H)), np.ones(len(H))
        model = DualQP(H, H @ self.d + 0.5 * self.q / self.q.max(), zero, one, totals=1.0, check_input=False)
        return smo(model, self.d, 1e-12).beta


class Search:
    """The Points that were made, as planes below J: J(d) ≥ max_k (Σ|β_k| − q_kᵀd / 2).

    Attributes
    ----------
    precision : float > 0, to which SVC is solved
    bound : float, the largest bound on J that is known
    last : the Point that was made last
    """

    def __init__(self, grams, solve, precision):
        self.grams, self.solve, self.precision = grams, solve, precision
        self.bound, self.heights, self.q = -np.inf, [], []

    def point(self, d):
        self.last = made = Point(d, self.grams, self.solve(d, self.precision)).above(self.bound)
        self.heights.append(made.value + d @ made.q / 2)
        self.q.append(made.q)
        return made

    def lowest(self):
        """The weights at which the largest of the planes is least; that value is a bound on J.

        It is the bound of a mean of the β: Σ_k λ_k Σ|β_k| − max_m Σ_k λ_k q_km / 2, λ the planes' shares in it.
        """
        heights, q = np.array(self.heights), np.array(self.q)
        unit, M = np.abs(heights).max(), q.shape[1]
        planes = np.column_stack([-q / (2 * unit), -np.ones(len(q))])
        simplex, limits = np.append(np.ones(M), 0.0)[None], [(0, None)] * M + [(None, None)]
        found = linprog(1 - simplex[0], planes, -heights / unit, simplex, [1.0], limits)
        share = -found.ineqlin.marginals.clip(max=0)
        share /= share.sum()
        self.bound = max(self.bound, share @ heights - (share @ q).max() / 2)
        d = found.x[:M].clip(0)
        return d / d.sum()


def learn_weights(grams, solve, tol):
    """The Point of weights d where the duality gap is at most tol times J(d), or rounding hides the rest.

    solve(d, tol) gives the DualQP and its Solution for each pair of classes.
    """
    search = Search(grams, solve, tol)
    at = search.point(np.full(len(grams), 1 / len(grams)))
    failed, slow = None, 0  # the Point from which no step led on; steps in a row that did not halve the gap
    for _ in range(STEPS):
        if not at.converged:
            return at
        if at.gap <= tol * at.value:
            break
        new = None
        if at.unweighed > at.unsolved:
            if at is not failed:
                new = _step(at, search.point)
                failed = at if new is None else None
            hidden = new is None and at.unsolved > HIDES * at.unweighed and search.precision > LEAST_TOL
            slow = slow + 1 if new is None or new.gap > at.gap / 2 else 0
            if not hidden and (new is None or (new.converged and slow > PATIENCE)):
                new = _lower(new or at, search, tol)
        if new is None and search.precision > LEAST_TOL:  # the solver leaves most of the gap, or hides how J decreases
            search.precision *= TIGHTER
            new = search.point(at.d)
        if new is None or not new.converged:
            break
        at = new
    if at.unweighed > tol * at.value:
        warn(
            f"the weights are not found: they leave a duality gap of {at.unweighed / at.value:.3g} of the objective, "
            f"where tol = {tol:.3g}.",
        )
    return at if at is search.last else search.point(at.d)  # the last to be solved: its solutions are the estimator's


def _lower(at, search, tol):
    """A Point no higher, for J with a kink, as where no β is free: its slope jumps there, and q is level for no one β.

    Tried are the weights where the planes below J are lowest, and those halfway. None where the solver's own gap hides
    what they tell.
    """
    gap, target = at.gap, search.lowest()
    at.above(search.bound)
    if at.gap > tol * at.value:
        for d in target, (at.d + target) / 2:
            new = search.point(d)
            if not new.converged or new.value < at.value:
                return new
    return at if at.gap < gap or at.unsolved < TIGHTER * at.unweighed else None


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

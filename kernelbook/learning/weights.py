"""The weights of several kernels: Newton's and level steps on the simplex, a support vector machine at each step."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from kernelbook.learning.cutting_planes import CuttingPlanes
from kernelbook.qp import DualQP, smo
from kernelbook.runtime.warn import warn

STEPS = 100  # of the weights, at most
FAST = 0.7  # of the gap: Newton's step that leaves more of it has met a kink of J, or is far from the minimum
PATIENCE = 2  # of Newton's steps in a row that lower J and do not close the gap fast
SHORTER = 1.0, 0.5, 0.25, 0.125  # of Newton's step: where the quadratic model is too flat, a part of it is good
DAMPING = 1e-8  # of the largest entry of the Hessian, added to its diagonal
JITTER = 1e-10  # of the largest entry of K, added to its diagonal where the Hessian is computed
ROUNDING = 8 * np.finfo(float).eps  # of J, and of f, which is 1 at the margin: no tolerance is smaller
HIDES = 0.1  # of the gap, which if left by the solver may hide how J decreases
TIGHTER = 0.1  # times the tolerance of the solver, where that leaves too much


class Point:
    """J at some weights d: the solutions of SVC there, and what they say of other weights.

    Attributes
    ----------
    d : (M,) the weights
    solved : list of the DualQP and its Solution for each pair of classes
    precision : float > 0, to which these were solved
    value : float, J(d), the sum of the objectives of the pairs' dual problems
    unsolved : float ≥ 0, the solver's own gaps, by which J(d) may be larger
    converged : bool, whether the solver has found all solutions to its tolerance
    q : (M,) the sum of βᵀK_mβ over the pairs; the gradient of J is −q/2
    upper : float, value + unsolved; J(d) is no larger
    bound : float, Σ|β| − max q / 2, Σ|β| summed over the pairs; J is nowhere lower
    """

    def __init__(self, d, grams, solved, precision):
        self.d, self.solved, self.precision = d, solved, precision
        self.unsolved = sum(solution.gap for _, solution in solved)
        self.value = -sum(solution.objective for _, solution in solved)
        self.converged = all(solution.converged for _, solution in solved)
        self.products = [_products(grams, *pair) for pair in solved]
        self.q = sum(V @ solution.beta for V, (_, solution) in zip(self.products, solved, strict=True))
        self.upper = self.value + self.unsolved
        self.bound = self.value - float(self.q.max() - d @ self.q) / 2

    def newton_point(self):
        """The weights at which the quadratic model of J is least."""
        H = sum(_hessian(V, *pair) for V, pair in zip(self.products, self.solved, strict=True)) / self.q.max()
        H[np.diag_indices_from(H)] += DAMPING * max(H.max(), 1.0)
        zero, one = np.zeros(len(H)), np.ones(len(H))
        model = DualQP(H, H @ self.d + 0.5 * self.q / self.q.max(), zero, one, totals=1.0, check_input=False)
        return smo(model, self.d, 1e-12).beta


class Search:
    """The Points that were made, and the planes below J that they are.

    Attributes
    ----------
    precision : float > 0, to which SVC is solved next
    planes : CuttingPlanes
    last : the Point that was made last
    """

    def __init__(self, grams, solve, precision):
        self.grams, self.solve, self.precision = grams, solve, precision
        self.planes = CuttingPlanes(len(grams))

    def point(self, d, start=None):
        """The Point of weights d; the solver starts from the solutions of another one."""
        solved = self.solve(d, self.precision, start.solved if start else [])
        self.last = Point(d, self.grams, solved, self.precision)
        self.planes.add(self.last.value + d @ self.last.q / 2, self.last.q)
        return self.last

    def gap(self, at):
        """The duality gap: what the solver left, and what other weights can close."""
        return at.unsolved + self.unweighed(at)

    def unweighed(self, at):
        """By how much J may be lower at other weights."""
        return max(at.value - self.planes.bound, 0.0)

    def is_missed(self, at):
        """Whether the solver has stopped so early that its own gap is what remains."""
        return not at.converged and at.unsolved > HIDES * self.gap(at)

    def proposal(self, at, newton):
        """The weights to try next, None where the solver or rounding hides which.

        If Newton's are asked for, they are the first point on the shortened steps at which no plane shows a higher J;
        else the level method's.
        """
        if at.unsolved >= self.unweighed(at):
            return None
        if newton:
            step = at.newton_point() - at.d
            for share in SHORTER:
                if self.planes.value(at.d + share * step) <= at.value + at.unsolved:
                    return at.d + share * step
        return self.planes.level_point(at.d, at.value)

    def tighten(self, precision):
        """Solve SVC to a tenth of this precision from now on."""
        self.precision = max(min(self.precision, TIGHTER * precision), ROUNDING)


def learn_weights(grams, solve, tol):
    """The Point of weights d where the duality gap is at most tol times J(d), or rounding hides the rest; and the gap.

    solve(d, tol, starts) gives the DualQP and its Solution for each pair of classes, starting from such a list.

    Newton's steps are taken while they close the gap fast. Where they do not, as at a kink of J, a step of the level
    method comes before the next: its planes bound J from below, so that the gap closes whatever J is like.
    """
    tol = max(tol, ROUNDING)
    search = Search(grams, solve, tol)
    at, slow = search.point(np.full(len(grams), 1 / len(grams))), 0
    for _ in range(STEPS):
        gap = search.gap(at)
        if gap <= tol * at.value or search.is_missed(at):
            break
        d = search.proposal(at, slow < PATIENCE)
        if search.gap(at) <= tol * at.value:  # by a higher bound
            break
        if d is None:
            if at.precision <= ROUNDING:
                break
            search.tighten(at.precision)
            at = search.point(at.d, at)
            continue
        new = search.point(d, at)
        alike = new.value < at.upper and at.value < new.upper  # as far as the solutions tell
        if alike or new.unsolved > HIDES * gap:
            search.tighten(new.precision)
        better = new.upper < at.upper or (alike and new.bound > at.bound)
        if better:
            at = new
        if search.is_missed(new):
            break
        if slow >= PATIENCE or search.gap(at) <= FAST * gap:
            slow = 0
        elif better:
            slow += 1
        else:
            slow = PATIENCE
    if at is not search.last:
        at = search.point(at.d, at)  # the last to be solved: its solutions are the estimator's
    gap = search.gap(at)
    if gap > tol * at.value and not search.is_missed(at):  # of which the solver has warned
        warn(f"the weights leave a duality gap of {gap / at.value:.3g} of the objective, more than tol = {tol:.3g}.")
    return at, gap


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

"""Newton's method for the free variables: it finishes a solution once the active set is nearly known.

The active set holds the bounds that are reached with equality; the other variables are free.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from kernelbook.qp import kkt

MAX_FREE = 2000  # free variables; with more, a factorisation costs more than it saves
MAX_NEWTON_STEPS = 20
STALLED_ROUNDS = 5  # rounds without progress that end a search
RIDGE = 1e-12  # added to the diagonal of Q, in units of it, so that a singular Q can be factorised


class Progress:
    """Tells when a search is over: KKT conditions hold to rounding, or nothing has improved for some rounds.

    An improvement is a smaller objective or a smaller violation than in all rounds before.
    """

    def __init__(self, problem):
        self.problem, self.objective, self.violation, self.rounds = problem, np.inf, np.inf, 0

    def has_ended(self, beta, gradient):
        """Whether the search is over with this round's β."""
        if self.has_stalled(beta, gradient):
            return True
        return kkt.solved_to_rounding(self.problem, beta, gradient, self.problem.rounding(beta))

    def has_stalled(self, beta, gradient, rounds=STALLED_ROUNDS):
        """Whether this round is the last of so many without an improvement."""
        objective = self.problem.objective(beta, gradient)
        violation = kkt.violation(self.problem, beta, gradient)
        improved = objective < self.objective or violation < self.violation
        self.objective, self.violation = min(objective, self.objective), min(violation, self.violation)
        self.rounds = 0 if improved else self.rounds + 1
        return self.rounds >= rounds


def minimise_over_free(problem, beta, gradient):
    """Minimise over the free variables as far as the box allows; all sums and the variables on bounds stay.

    A variable that meets a bound on the way stays there, and Newton's method goes on with the others. Where Q bends
    down in some direction nothing moves.

    Returns
    -------
    beta, gradient : new arrays; the objective is not larger than before
    """
    beta, gradient, K = beta.copy(), gradient.copy(), problem.K.whole()
    for _ in range(MAX_NEWTON_STEPS):
        free = np.flatnonzero((beta > problem.lower) & (beta < problem.upper))
        if not len(problem.totals) < len(free) <= MAX_FREE:
            break
        rows = problem.rows_in_K()[free]
        K_free = K[rows]
        step = _newton_step(problem, beta, gradient, free, K_free[:, rows])
        if step is None:
            break
        move, beta[free], is_complete = step
        gradient += problem.per_variable(move @ K_free)
        if is_complete:
            break
    return beta, gradient


def _newton_step(problem, beta, gradient, free, Q):
    """The move of the free variables F, where it takes them, and whether no bound stopped it; None where none is found.

    Q is Q_FF. The length of the move is the best one along its direction, as far as the box allows.
    """
    direction, slope = _newton_direction(problem, beta, gradient, free, Q)
    if not slope < 0:
        return None
    curvature = direction @ Q @ direction
    bound = np.where(direction > 0, problem.upper[free], problem.lower[free])
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(direction == 0, np.inf, (bound - beta[free]) / direction)
    length = min(-slope / curvature, room.min()) if curvature > 0 else room.min()  # curvature ≤ 0 is rounding
    move = length * direction
    return move, np.where(room <= length, bound, beta[free] + move), length < room.min()


def _newton_direction(problem, beta, gradient, free, Q):
    """The direction δ with Qδ = ρ − G, ρ in each group such that its δ sum to zero, and the slope along it.

    The slope is 0 where Q bends down. What rounding has left of larger β in the sums is added to δ.
    """
    nothing = np.zeros(len(free)), 0.0
    if Q.diagonal().min() < 0:  # Q bends down
        return nothing
    present, group = np.unique(problem.groups[free], return_inverse=True)
    share = _inverse_curvature_shares(Q.diagonal(), group)
    mean = np.bincount(group, share * gradient[free])
    excess = gradient[free] - mean[group]  # G may be shifted in each group, since its δ sum to zero: less rounding
    try:
        direction = _solve_with_sums(Q, excess, (group == np.arange(len(present))[:, None]).astype(float))
    except LinAlgError:  # Q bends down, though no entry of its diagonal says so
        return nothing
    missing = problem.shortfall(beta)[present] - np.bincount(group, direction)  # Q may be nearly singular
    direction += share * missing[group]
    return direction, excess @ direction


def _solve_with_sums(Q, G, sums):
    """The δ with Qδ = ρ − G and sums @ δ = 0, by a Cholesky factor of Q; row s of `sums` has ones for group s."""
    factor = cho_factor(Q + np.diag(RIDGE * np.abs(Q.diagonal())), check_finite=False)
    solved = cho_solve(factor, np.column_stack([G, sums.T]), check_finite=False)
    rho = np.linalg.solve(sums @ solved[:, 1:], sums @ solved[:, 0])
    return solved[:, 1:] @ rho - solved[:, 0]


def _inverse_curvature_shares(diagonal, group):
    """Shares of the variables in their group's sum, proportional to 1 / Q_ii, which add up to 1 in each group."""
    least = np.full(group.max() + 1, np.inf)
    np.minimum.at(least, group, diagonal)
    share = np.divide(least[group], diagonal, out=np.ones(len(diagonal)), where=diagonal > least[group])
    return share / np.bincount(group, share)[group]

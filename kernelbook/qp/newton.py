"""Newton's method for the free variables, which completes a solution once the active set is nearly known.

The active set consists of the bounds that hold with equality; all other variables are free.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

MAX_FREE = 2000  # the most free variables for which a factorisation costs less than it saves
MAX_NEWTON_STEPS = 20
SINGULAR_RIDGE = 1e-12  # added to the diagonal of Q, in units of its entries, so that a singular Q can be factorised


def minimise_over_free(problem, beta, gradient):
    """Minimise over the free variables as far as the box allows; the sums and the variables on bounds stay fixed.

    A variable that meets a bound on the way stays there, and Newton's method goes on with the others. If Q has negative
    curvature in some direction, nothing moves.

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
    """The move of the free variables F, their β after it, and whether no bound stopped it; None if there is no descent.

    Q is Q_FF. The move goes to the minimum along its direction, as far as the box allows.
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
    """The direction δ with Qδ = ρ − G, with ρ such that the δ of each group sum to zero, and the slope along δ.

    The slope is 0 if Q has negative curvature. δ also makes up for what rounding has left of the groups' totals.
    """
    nothing = np.zeros(len(free)), 0.0
    if Q.diagonal().min() < 0:  # negative curvature
        return nothing
    present, group = np.unique(problem.groups[free], return_inverse=True)
    share = _inverse_curvature_shares(Q.diagonal(), group)
    mean = np.bincount(group, share * gradient[free])
    # A shift of G in a group changes nothing, since its δ sum to zero, and smaller numbers have less rounding.
    excess = gradient[free] - mean[group]
    try:
        direction = _solve_with_sums(Q, excess, (group == np.arange(len(present))[:, None]).astype(float))
    except LinAlgError:  # negative curvature in another direction than a coordinate
        return nothing
    missing = problem.shortfall(beta)[present] - np.bincount(group, direction)  # Q may be nearly singular
    direction += share * missing[group]
    return direction, excess @ direction


def _solve_with_sums(Q, G, sums):
    """The δ with Qδ = ρ − G and sums @ δ = 0, by a Cholesky factor of Q; row s of `sums` has ones for group s."""
    factor = cho_factor(Q + np.diag(SINGULAR_RIDGE * np.abs(Q.diagonal())), check_finite=False)
    solved = cho_solve(factor, np.column_stack([G, sums.T]), check_finite=False)
    rho = np.linalg.solve(sums @ solved[:, 1:], sums @ solved[:, 0])
    return solved[:, 1:] @ rho - solved[:, 0]


def _inverse_curvature_shares(diagonal, group):
    """A share for each variable, proportional to 1 / Q_ii; the shares of a group add up to 1."""
    least = np.full(group.max() + 1, np.inf)
    np.minimum.at(least, group, diagonal)
    share = np.divide(least[group], diagonal, out=np.ones(len(diagonal)), where=diagonal > least[group])
    return share / np.bincount(group, share)[group]

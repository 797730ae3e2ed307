"""Newton's method for the free variables: it finishes a solution once the active bounds are nearly known."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

LARGEST = 2000  # free variables; with more, a factorisation costs more than it saves
ROUNDS = 20
PATIENCE = 5  # rounds without progress that end a search


class Progress:
    """Tells when a search has come to its end: for some rounds neither the objective nor the violation has fallen."""

    def __init__(self, problem):
        self.problem, self.least, self.rounds = problem, np.full(2, np.inf), 0

    def has_ended(self, beta, gradient):
        """Whether this round's β ends the search, by what went before or by KKT conditions that hold to rounding."""
        return self.stalls(beta, gradient) or self.problem.solved(beta, gradient, self.problem.rounding(beta))

    def stalls(self, beta, gradient, patience=PATIENCE):
        """Whether this round's β is the last of so many without progress."""
        violation = self.problem.violation(beta, gradient)
        found = np.array([self.problem.objective(beta, gradient), violation])
        self.rounds = 0 if (found < self.least).any() else self.rounds + 1
        self.least = np.minimum(found, self.least)
        return self.rounds >= patience


def minimise_over_free(problem, beta, gradient):
    """Minimise over the free variables, as far as the box allows; the other variables stay, and sums are held.

    The step δ of the free variables F solves Q_FF δ = −G_F + ρ, with one ρ for each group such that the group's δ sum
    to zero. A variable that meets a bound on the way stays there, and the others go on. 10⁻¹² of the diagonal, added to
    Q_FF, makes δ unique where Q_FF is singular; the length of the step along δ is the best one in any case.

    Returns
    -------
    beta, gradient : new arrays; the objective is not larger than before
    """
    beta, gradient = beta.copy(), gradient.copy()
    for _ in range(ROUNDS):
        free = np.flatnonzero((beta > problem.lower) & (beta < problem.upper))
        if not len(problem.totals) < len(free) <= LARGEST:
            break
        in_K = free if problem.rows is None else problem.rows[free]
        across = problem.K[in_K]
        Q = across[:, in_K]
        if Q.diagonal().min() < 0:  # Q bends down
            break
        present, member = np.unique(problem.groups[free], return_inverse=True)
        share = _by_curvature(Q.diagonal(), member)
        means = np.bincount(member, share * gradient[free])
        excess = gradient[free] - means[member]  # the same problem, but for rounding, since moves sum to zero
        try:
            move = _direction(Q, excess, (member == np.arange(len(present))[:, None]).astype(float))
        except LinAlgError:  # so it does where no entry of the diagonal says so
            break
        lacking = problem.lacking(beta)[present]  # what rounding of larger β has left
        move += share * (lacking - np.bincount(member, move))[member]  # Q may be all but singular: hold the sums
        slope, curvature = excess @ move, move @ Q @ move
        if not slope < 0:
            break
        end = np.where(move > 0, problem.upper[free], problem.lower[free])
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(move == 0, np.inf, (end - beta[free]) / move)
        length = min(-slope / curvature, room.min()) if curvature > 0 else room.min()  # flat, but for rounding
        beta[free] = np.where(room <= length, end, beta[free] + length * move)
        gradient += problem.per_variable((length * move) @ across)
        if length < room.min():
            break
    return beta, gradient


def _direction(Q, G, sums):
    """The δ above, by a Cholesky factor of Q; a row of `sums` marks each group's variables."""
    factor = cho_factor(Q + np.diag(1e-12 * np.abs(Q.diagonal())), check_finite=False)
    solved = cho_solve(factor, np.column_stack([G, sums.T]), check_finite=False)
    rho = np.linalg.solve(sums @ solved[:, 1:], sums @ solved[:, 0])
    return solved[:, 1:] @ rho - solved[:, 0]


def _by_curvature(diagonal, member):
    """Of what the sums of a group are off by, the share of each variable: inverse to Q_ii, 1 in all for each group."""
    least = np.full(member.max() + 1, np.inf)
    np.minimum.at(least, member, diagonal)
    share = np.divide(least[member], diagonal, out=np.ones(len(diagonal)), where=diagonal > least[member])
    return share / np.bincount(member, share)[member]

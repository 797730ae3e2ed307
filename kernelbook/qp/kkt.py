"""The Karush–Kuhn–Tucker conditions of a DualQP, to a tolerance and to rounding.

In each group let I_up = {i : β_i < upper_i} be the variables that may grow, and I_low = {i : β_i > lower_i} the
variables that may fall. With the gradient G = Qβ − g let

    b_up = min G_i over I_up,    b_low = max G_i over I_low.

For a PSD Q a feasible β is a minimum if and only if b_low ≤ b_up in every group. Then each ρ between them is a
multiplier of the group's sum, and G_i − ρ is the multiplier of a bound.
"""

import numpy as np

from kernelbook.qp import loops

SMALL_GAP = 1e-3  # duality gap, in units of the objective, that counts as small when rounding hides the violation
LONE_FACTOR = 10  # roundings of its G_i that the only free variable of a group may cross to reach a bound


def bounds(problem, beta, gradient):
    """b_up and b_low of each group, (S,) each; b_up = ∞ where I_up is empty, b_low = −∞ where I_low is empty."""
    return loops.kkt_bounds(*_state(problem, beta, gradient), len(problem.totals))


def violation(problem, beta, gradient):
    """The violation of the KKT conditions: the largest b_low − b_up of all groups, or 0."""
    b_up, b_low = bounds(problem, beta, gradient)
    return max(float((b_low - b_up).max()), 0.0)


def hold_to_rounding(problem, beta, gradient, rounding):
    """Whether b_low ≤ b_up in every group once each G_i is moved by its rounding."""
    b_up, b_low = bounds(problem, beta, gradient + rounding)[0], bounds(problem, beta, gradient - rounding)[1]
    return bool((b_low <= b_up).all())


def solved_to_rounding(problem, beta, gradient, rounding):
    """Whether the KKT conditions hold to rounding, and the duality gap is small in units of the objective.

    If g = 0, the objective may be as small as its own rounding. Then the gap does not count: the caller, who knows ρ,
    has to judge.
    """
    if not hold_to_rounding(problem, beta, gradient, rounding):
        return False
    left = gap(problem, beta, gradient, rho(problem, beta, gradient, np.full(len(beta), True)))
    return not problem.g.any() or left <= SMALL_GAP * abs(problem.objective(beta, gradient))


def rho(problem, beta, gradient, exact):
    """ρ of each group, (S,): the mean G_i of its free variables, or else the midpoint of the KKT interval.

    The mean is taken over the free variables with an `exact` G_i, or over all free variables if none has one: the G_i
    of a far object may consist of rounding alone. The KKT interval is [b_low, b_up]; if one of its ends is infinite, ρ
    is the other one.
    """
    return loops.rho(*_state(problem, beta, gradient), exact, *bounds(problem, beta, gradient))


def gap(problem, beta, gradient, rho):
    """Primal minus dual objective: the sum over i of |G_i − ρ| times the distance of β_i from a bound.

    It is the bound to which the multiplier G_i − ρ belongs: the lower one if it is positive, else the upper one.
    """
    return loops.gap(*_state(problem, beta, gradient), rho)


def snap_to_bounds(problem, beta, rounding):
    """β after each variable that can reach a bound without changing its own G_i by more than rounding is put there.

    The only free variable of a group carries the rounding of all moves in the group. So it may change its G_i by
    LONE_FACTOR times as much, provided that the group then has its total.
    """
    box = problem.lower, problem.upper
    curvature = np.abs(problem.per_variable(problem.K.diagonal()))
    snapped = loops.snap_to_bounds(beta, *box, curvature, rounding)
    free = (snapped > problem.lower) & (snapped < problem.upper)
    has_one = np.bincount(problem.groups, free, len(problem.totals)) == 1
    if not has_one.any():
        return snapped
    alone = free & has_one[problem.groups]
    further = np.where(alone, loops.snap_to_bounds(snapped, *box, curvature, LONE_FACTOR * rounding), snapped)
    return np.where((problem.shortfall(further) == 0)[problem.groups], further, snapped)


def _state(problem, beta, gradient):
    return beta, gradient, problem.lower, problem.upper, problem.groups

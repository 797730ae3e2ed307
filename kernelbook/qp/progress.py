"""When a search is over, although its tolerance has not been reached."""

import numpy as np

from kernelbook.qp import kkt

STALLED_ROUNDS = 5  # rounds without progress that end a search


class Progress:
    """Tells when a search is over: the KKT conditions hold to rounding, or nothing has improved for some rounds.

    An improvement is an objective or a violation that is smaller than in all earlier rounds.
    """

    def __init__(self, problem):
        self.problem, self.objective, self.violation, self.rounds = problem, np.inf, np.inf, 0

    def has_ended(self, beta, gradient):
        """Whether the search is over at this round's β."""
        if self.has_stalled(beta, gradient):
            return True
        return kkt.solved_to_rounding(self.problem, beta, gradient, self.problem.rounding(beta))

    def has_stalled(self, beta, gradient, rounds=STALLED_ROUNDS):
        """Whether as many `rounds` as given have passed without an improvement, this one included."""
        objective = self.problem.objective(beta, gradient)
        violation = kkt.violation(self.problem, beta, gradient)
        improved = objective < self.objective or violation < self.violation
        self.objective, self.violation = min(objective, self.objective), min(violation, self.violation)
        self.rounds = 0 if improved else self.rounds + 1
        return self.rounds >= rounds

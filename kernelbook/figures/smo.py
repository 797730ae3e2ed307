"""Sequential minimal optimisation, step by step, on points that a reader moves; ``browser/smo.js`` is its twin.

Both draw the same pictures and say the same words for the same points and steps.
"""

from dataclasses import dataclass

import numpy as np

from kernelbook.figures.classifier import CONSTANT_TOLERANCE, WITH_CLASSES, Classifier
from kernelbook.figures.controls import text_of
from kernelbook.figures.kernels import KERNELS
from kernelbook.figures.plane import FALLING, THIN, TIE, axes_below, decimals, empty_axes, place_of_largest
from kernelbook.plotting.style import FIT, GUIDE
from kernelbook.rkhs.functions import RKHSFunction

TOLERANCE = 1e-3  # the violation of the KKT conditions at which a run ends, in units of f
MOST_STEPS = 2000
TINY = 1e-12  # the least curvature, in units of the diagonal, where two points have the same features
TOP = 1.5  # of the axes of a run's course


class SMO(Classifier):
    """A run of sequential minimal optimisation for a support vector classifier, from α = 0 on.

    minimise over β    ½ βᵀKβ − yᵀβ    subject to 0 ≤ y_i β_i = α_i ≤ C and Σ_i β_i = 0

    Each step moves the pair that ``textbook_smo`` moves; of pairs that promise the same gain, the first. Rings mark the
    pair that moved last, and the arc around a point is its α; a whole circle is C. Below, as the run goes on, the share
    of the objective that is still to fall (line) and the violation of the KKT conditions in units of its first value
    (dashed): thin for the whole run, thick as far as it has come. b is in the middle between the bounds that the KKT
    conditions set it, or would if they held. A run ends at a violation of 10⁻³, or after 2000 steps.

    Parameters
    ----------
    points, y, C, box : as in Classifier
    kernel : as in Classifier, default "rbf"
    gamma : as in Classifier, default 0.1

    A slider or buttons for kernel, C or gamma take precedence. The number of steps is the reader's.

    Raises
    ------
    ValueError : as Classifier

    >>> pair = SMO([(-1, 0), (1, 0)], [-1, 1], kernel="linear")
    >>> pair.describe(pair.points)
    'Step 0 of 1: every α is 0. Violation 2.00; objective 0.00.'
    >>> print(pair.describe(pair.points, steps=1))
    Step 1 of 1: α of the circle at (1, 0) from 0.00 to 0.50, of the square at (−1, 0) from 0.00 to 0.50. \
Violation 0.00; objective −0.50.
    """

    script, files = "smo", (*WITH_CLASSES, "smo.js")
    room = 170
    act = "press “One step”"  # what a reader who has guessed is asked to do
    most_steps = MOST_STEPS

    def __init__(self, points, y, kernel="rbf", C=1.0, gamma=0.1, box=(-3, 3, -2.5, 2.5)):
        super().__init__(points, y, kernel, C, gamma, box)

    def run(self, points, **choice):
        """The states of the run, a list of State, from β = 0 on."""
        settings, X, y = {**self.settings, **choice}, np.array(points, dtype=float), np.array(self.y)
        K, C = KERNELS[settings["kernel"]](settings["gamma"])(X), settings["C"]
        lower, upper, d = np.minimum(0, C * y), np.maximum(0, C * y), np.diag(K)
        beta, G, pair, states = np.zeros(len(y)), -y.astype(float), (), []
        while True:
            growing, falling = np.where(beta < upper, G, np.inf), np.where(beta > lower, G, -np.inf)
            violation = falling.max() - growing.min()
            states.append(State(pair, beta.copy(), violation, beta @ (G - y) / 2, -growing.min() - violation / 2))
            if violation <= TOLERANCE or len(states) > MOST_STEPS:
                return states
            i = int(np.argmax(growing <= growing.min() + TIE))
            curvature = np.maximum(d[i] + d - 2 * K[i], TINY * (d[i] + d))
            gain = np.maximum(falling - G[i], 0) ** 2 / curvature
            j = place_of_largest(gain)
            move = min((G[j] - G[i]) / curvature[j], upper[i] - beta[i], beta[j] - lower[j])
            beta[i] = upper[i] if move == upper[i] - beta[i] else beta[i] + move  # a bound is reached exactly
            beta[j] = lower[j] if move == beta[j] - lower[j] else beta[j] - move
            G += move * (K[i] - K[j])
            pair = i, j

    def draw(self, points, steps=0, **choice):
        """The figure after this many steps, or at the end of a run that has fewer."""
        states, settings = self.run(points, **choice), {**self.settings, **choice}
        steps, X = min(steps, len(states) - 1), np.array(points, dtype=float)
        state = states[steps]
        figure, ax = empty_axes(self)
        g = RKHSFunction(KERNELS[settings["kernel"]](settings["gamma"]), X, state.beta)
        is_constant = np.ptp(g(X)) <= CONSTANT_TOLERANCE
        self._draw_sides(ax, None if is_constant else lambda grid: g(grid) + state.b, state.b)
        moved = np.isin(np.arange(len(X)), state.pair)
        self._draw_points(ax, points, np.abs(state.beta) / settings["C"], moved, np.zeros(len(X), dtype=bool))
        self._draw_course(figure, states, steps)
        return figure

    def _draw_course(self, figure, states, steps):
        last = len(states) - 1
        ax = axes_below(figure, self, (0, last, 0, TOP), ([0, last], [0, 1]), ("step", "share left"))
        left = np.array([1 - state.objective / states[-1].objective for state in states])
        violated = np.array([state.violation / states[0].violation for state in states])
        for end, *styles in ((last, FALLING, THIN), (steps, GUIDE, FIT)):
            for values, style in zip((violated, left), styles, strict=True):
                ax.plot(np.arange(end + 1), values[: end + 1], **style)

    def numbers(self, points, steps=0, **choice):
        """The numbers of which a task may speak: points, the step, all steps, and how many α have returned to 0."""
        states = self.run(points, **choice)
        step = min(steps, len(states) - 1)
        betas = np.array([state.beta for state in states[: step + 1]])
        returned = int(((betas[-1] == 0) & betas.any(axis=0)).sum())
        return {"points": len(points), "step": step, "steps": len(states) - 1, "returned": returned}

    def describe(self, points, steps=0, **choice):
        """The state after this many steps in words."""
        states = self.run(points, **choice)
        step, last = min(steps, len(states) - 1), len(states) - 1
        state, before = states[step], states[max(step - 1, 0)]
        all_steps = f"more than {last}" if states[-1].violation > TOLERANCE else last
        moves = [
            f"of the {'circle' if self.y[t] > 0 else 'square'} at ({', '.join(map(text_of, points[t]))}) from "
            f"{decimals(abs(before.beta[t]))} to {decimals(abs(state.beta[t]))}"
            for t in state.pair
        ]
        return (
            f"Step {step} of {all_steps}: {'α ' + ', '.join(moves) if moves else 'every α is 0'}. "
            f"Violation {decimals(max(state.violation, 0))}; objective {decimals(state.objective)}."
        )


@dataclass(frozen=True)
class State:
    """A state of a run.

    Attributes
    ----------
    pair : () or (i, j), the variables that the last step moved; β_i has grown, and β_j has fallen
    beta : (n,) array
    violation : float, the largest G_j of those that may fall less the least G_i of those that may grow
    objective : float
    b : float, in the middle between the two, with the opposite sign
    """

    pair: tuple
    beta: np.ndarray
    violation: float
    objective: float
    b: float

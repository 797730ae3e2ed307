"""Sequential minimal optimisation: of all variables two are moved at a time, the pair that promises most."""

import time

from kernelbook.linalg.operators import Rows
from kernelbook.qp.descent import descend
from kernelbook.qp.working_sets import descend_by_working_sets
from kernelbook.runtime.validation import check_positive

MAX_ITER = 10_000_000
PAUSE = 1.0  # seconds between two lines about progress


def smo(problem, start=None, tol=1e-3, max_iter=MAX_ITER, verbose=False):
    """Solve a DualQP by sequential minimal optimisation.

    A step moves β_i up and β_j down by the same amount within one group, which leaves its sum as it is. i has the least
    gradient of all in I_up, and j, of all in I_low, lowers the objective most by the step's second-order estimate,
    (G_j − G_i)² / 2(K_ii + K_jj − 2K_ij). SMO ends when no pair violates the KKT conditions by more than tol.
    ``textbook_smo`` is these steps and nothing else; four things make this one faster.

    *Shrinking.* Soon most variables rest on a bound that they will not leave. When those that are free or violate the
    KKT conditions, the active ones, are at most half as many as K has rows, their block of K is copied (a quarter of K
    at most) and solved alone; then the gradient of all variables is updated.

    *Newton's steps.* Pairs quickly find which variables lie on a bound, and slowly solve for the others. After 10 steps
    for each variable the free ones move together to their minimum, as far as the box allows; then pairs go on.

    *Working sets.* Where K is given by its ``Rows``, 500 of the m variables, or 12 √m if that is more, are solved for
    at a time, and only the rows of those that moved are computed; the whole K only where nearly all of them would be.

    *Contiguous rows.* Variables of one group whose rows of K follow each other are read fastest: sort them by group.

    Parameters
    ----------
    problem : DualQP; with a K that is not PSD the result is only a point where no pair helps
    start : (m,) array, or None for 0, the default; a point to begin with, made feasible first
    tol : float > 0, default 1e-3, in units of g
    max_iter : int, default 10⁷, the most steps; beyond it a ConvergenceWarning
    verbose : bool, default False; whether a long run prints a line about its progress, at most one a second

    Returns
    -------
    Solution

    Raises
    ------
    ValueError : tol not finite and > 0; a start of another length or not finite

    References
    ----------
    Platt (1998), Fast training of SVMs using sequential minimal optimization; Fan, Chen & Lin (2005), Working set
    selection using second order information, JMLR 6; Joachims (1999), Making large-scale SVM learning practical.

    >>> import numpy as np
    >>> from kernelbook.qp import DualQP
    >>> K, y = np.outer([2.0, 1.0, -1.0], [2.0, 1.0, -1.0]), np.array([1, 1, -1])
    >>> found = smo(DualQP(K, y, lower=np.minimum(0, y), upper=np.maximum(0, y)))  # an SVC with C = 1
    >>> print(found.beta, found.objective)
    [ 0.   0.5 -0.5] -0.5
    >>> again = smo(DualQP(K, y, lower=np.minimum(0, 2 * y), upper=np.maximum(0, 2 * y)), start=found.beta)  # C = 2
    >>> again.iterations  # nothing is left to be done
    0
    """
    check_positive(tol, "tol")
    beta, steps = problem.feasible(start), 0
    gradient = problem.gradient(beta) if beta.any() else -problem.g
    report = _Report() if verbose else None
    if isinstance(problem.K, Rows):
        problem, steps, rounding = descend_by_working_sets(problem, beta, gradient, tol, max_iter, report)
    if not isinstance(problem.K, Rows):
        rounding = None  # the solution computes it
        steps += descend(problem, beta, gradient, tol, max_iter - steps, report)
    return problem.solution(beta, gradient, steps, tol, rounding)


class _Report:
    """A line about progress, at most once in a while."""

    def __init__(self):
        self.last = time.monotonic()

    def __call__(self, steps, violation, rows=None):
        if time.monotonic() - self.last > PAUSE:
            self.last = time.monotonic()
            computed = f"; {rows.touched.sum()} of {len(rows)} rows of K are computed" if rows else ""
            print(f"smo: after {steps} steps the KKT conditions are violated by {violation:.2g}{computed}", flush=True)

"""Sequential minimal optimisation: each step moves two variables, the pair that promises the largest gain."""

import time

from kernelbook.inputs.validation import check_positive
from kernelbook.qp.descent import descend
from kernelbook.qp.solution import Solution
from kernelbook.qp.working_sets import descend_by_working_sets

DEFAULT_MAX_ITER = 10_000_000
REPORT_INTERVAL = 1.0  # the least number of seconds between two lines about progress


def smo(problem, start=None, tol=1e-3, max_iter=DEFAULT_MAX_ITER, verbose=False):
    """Solve a DualQP by sequential minimal optimisation.

    A step raises β_i and lowers β_j by the same amount within one group, so the sum of the group stays the same. i has
    the least gradient in I_up = {i : β_i < upper_i}. j is the variable in I_low = {j : β_j > lower_j} that lowers the
    objective most by the second-order estimate, (G_j − G_i)² / 2(K_ii + K_jj − 2K_ij). SMO ends when no pair violates
    the KKT conditions by more than tol. ``textbook_smo`` does only this; four additions make ``smo`` faster.

    *Shrinking.* Soon most variables rest on a bound that they will not leave. The others, which are free or violate the
    KKT conditions, are called active. When there are at most half as many active variables as rows of K, their block,
    at most a quarter of K, is copied and solved alone; then the gradient of all variables is updated.

    *Newton steps.* Pairs quickly find the variables that lie on a bound, and slowly solve for the others. After 10
    steps for each variable the free variables move together to their minimum, as far as the box allows; then pairs
    continue.

    *Working sets.* If K is an ``OnDemand`` such as ``Rows``, only 500 of the m variables, or 12 √m if that is more, are
    solved for at a time, and only the rows of those that moved are computed. K is computed whole where that costs less.

    *Contiguous rows.* Variables of one group with adjacent rows of K are read fastest: sort the variables by group.

    Parameters
    ----------
    problem : DualQP; if K is not PSD, the result is only a point that no pair improves
    start : (m,) array, a point near the solution, made feasible first; or None, the default, for 0
    tol : float > 0, default 1e-3, in units of g
    max_iter : int, default 10⁷, the most steps; a ConvergenceWarning if they are not enough
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
    beta, steps, rounding = problem.feasible(start), 0, None
    gradient = problem.gradient(beta) if beta.any() else -problem.g
    report = _Report(problem.K) if verbose else None
    if not problem.K.is_whole:
        is_warm = start is not None
        steps, rounding = descend_by_working_sets(problem, beta, gradient, tol, max_iter, is_warm, report)
    if problem.K.is_whole:
        steps += descend(problem, beta, gradient, tol, max_iter - steps, report)
    return Solution.at(problem, beta, gradient, steps, tol, rounding)


class _Report:
    """Prints a line about progress, at most one per REPORT_INTERVAL."""

    def __init__(self, K):
        self.K, self.last = K, time.monotonic()

    def __call__(self, steps, violation):
        if time.monotonic() - self.last > REPORT_INTERVAL:
            self.last = time.monotonic()
            computed = "" if self.K.is_whole else f"; {self.K.touched.sum()} of {len(self.K)} rows of K are computed"
            print(f"smo: after {steps} steps the KKT conditions are violated by {violation:.2g}{computed}", flush=True)

"""Support vector classification: a wide margin between two classes, by the price of slack or by the share of errors."""

import numpy as np

from kernelbook.base.targets import weighted
from kernelbook.inputs.intervals import POSITIVE_REAL, SHARE
from kernelbook.qp.sequential_minimal import DEFAULT_MAX_ITER
from kernelbook.svm.duals import nu_svc_dual, svc_dual
from kernelbook.svm.one_vs_one import OneKernelClassifier, TwoClassMachine
from kernelbook.svm.relative_tolerance import warn_if_inexact

NAME_OF_WEIGHTED_C = "C times class_weight times sample_weight"  # the name of C_i in messages


class SVC(OneKernelClassifier):
    """Support vector classification with slack.

    minimise over f in H, b in R    ½ ‖f‖² + C Σ_i w_i max(0, 1 − y_i (f(x_i) + b)),    y_i = ±1

    Its dual, with β_i = α_i y_i, is: minimise ½ βᵀKβ − yᵀβ subject to Σ β_i = 0 and 0 ≤ β_i y_i ≤ C w_i. Then
    f = Σ_i β_i k(x_i, ·), and b is the mean of y_i − f(x_i) over the free support vectors, 0 < α_i < C w_i; where none
    is free, b is the middle of the interval that the KKT conditions allow.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    C : float > 0, default 1; the price of one unit of slack
    class_weight : dict from label to w, "balanced" for n / (number of classes · size of the class), or None, the
        default, for ones
    tol : float > 0, default 1e-3; the violation of the KKT conditions that is left, in units of f
    solver : "smo" or "interior_point"; default "smo"
    max_iter : int, default 10⁷; the most steps of "smo"
    cache_size : float > 0, in MB of 2²⁰ bytes, or None for half of the free memory; default None. "smo" computes only
        the rows of the Gram matrix that it needs; those that it keeps may take so much memory, beside blocks of 32 MB
    verbose : bool, default False; whether "smo" prints a line a second about its progress

    Attributes
    ----------
    classes_ : (c,) the labels, sorted; with two, f is positive for ``classes_[1]``; with several, the f of each pair
        is positive for the first of the two
    support_ : (s,) which training objects have β ≠ 0 in some pair, class by class
    support_vectors_ : these objects; empty with "precomputed"
    at_bound_ : (s,) bool, which of them have α at its upper bound, in every pair where it is not 0
    n_support_ : (c,) how many of each class
    dual_coef_ : (c − 1, s) the β of each support vector against each other class
    coef_ : (pairs, d) the w of ⟨w, x⟩ + b, where the kernel is Linear
    intercept_ : (pairs,) the b of each pair of classes
    duality_gap_ : (pairs,) primal minus dual objective, ≥ 0 up to rounding
    n_iter_ : (pairs,) steps of the solver
    kernel_, X_fit_ : the fitted Kernel, or "precomputed"; the training objects

    Raises
    ------
    ValueError : a parameter out of range; fewer than two classes; objects that the kernel cannot take; other lengths
    MemoryError : with solver "interior_point" or "precomputed" a Gram matrix larger than the free memory
    ConvergenceWarning : the KKT conditions do not hold to tol, because max_iter was reached or rounding hides the rest,
        as it does for objects far from the origin

    References
    ----------
    Cortes & Vapnik (1995), Support-vector networks, Machine Learning 20.

    >>> from kernelbook import SVC, Linear
    >>> x = [[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]]
    >>> model = SVC(Linear()).fit(x, [-1, -1, -1, 1, 1, 1])
    >>> model.support_, model.dual_coef_.round(6), model.predict([[3, -1]])
    (array([1, 3]), array([[-0.25,  0.25]]), array([1]))
    """

    _parameter_constraints = {**OneKernelClassifier._parameter_constraints, "C": [POSITIVE_REAL]}

    def __init__(
        self,
        kernel="rbf",
        C=1.0,
        *,
        class_weight=None,
        tol=1e-3,
        solver="smo",
        max_iter=DEFAULT_MAX_ITER,
        cache_size=None,
        verbose=False,
    ):
        super().__init__(kernel, class_weight, tol, solver, max_iter, cache_size, verbose)
        self.C = C

    def _check_feasible(self, codes, weight):
        weighted(self.C, weight, NAME_OF_WEIGHTED_C)

    def _fit_pair(self, K, rows, sign, weight):
        problem = svc_dual(K, sign, self.C * weight, rows)
        solution = self._solve(problem)
        return svc_machine(problem, solution)


def svc_machine(problem, solution):
    """The machine of a solution of ``svc_dual``."""
    return TwoClassMachine.of(problem, solution, solution.beta, -solution.rho[0], solution.iterations)


class NuSVC(OneKernelClassifier):
    """Support vector classification with a given share of margin errors instead of a price of slack.

    minimise over f in H, b, ρ in R    ½ ‖f‖² − νρ Σ_i w_i + Σ_i w_i max(0, ρ − y_i (f(x_i) + b))

    Its dual is: minimise ½ βᵀKβ subject to 0 ≤ β_i y_i ≤ w_i, and in each class Σ |β_i| = ν Σ_i w_i / 2. The solution
    is divided by ρ, so that the margin lies at ±1, as in SVC; then it is the SVC with C = 1/ρ. If ρ > 0, at most a
    share ν of the weight has slack, and at least a share ν are support vectors.

    Parameters
    ----------
    kernel : as in SVC
    nu : float in (0, 1], default 0.5; at most 2 min(n₊, n₋) / n, weights counted
    class_weight, tol, solver, max_iter, cache_size, verbose : as in SVC; weights of classes count in the bound on nu

    Attributes
    ----------
    as in SVC, with β/ρ in ``dual_coef_`` and b/ρ in ``intercept_``; duality_gap_ is that of the problem above

    Raises
    ------
    ValueError : as in SVC; a nu that is too large for the sizes of two classes, or too small for a margin ρ > 0
    ConvergenceWarning : as SVC, or ρ is too small to reach tol in its units

    References
    ----------
    Schölkopf, Smola, Williamson & Bartlett (2000), New support vector algorithms, Neural Computation 12.

    >>> import numpy as np
    >>> from kernelbook import RBF, NuSVC
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> y = np.sign(X[:, 0] + rng.normal(size=60))
    >>> model = NuSVC(RBF(gamma=1), nu=0.4, tol=1e-8).fit(X, y)
    >>> slack = y * model.decision_function(X) < 1 - 1e-4
    >>> print(f"{slack.mean():.2f} <= 0.4 <= {len(model.support_) / 60:.2f}")
    0.27 <= 0.4 <= 0.60
    """

    _parameter_constraints = {**OneKernelClassifier._parameter_constraints, "nu": [SHARE]}

    def __init__(
        self,
        kernel="rbf",
        nu=0.5,
        *,
        class_weight=None,
        tol=1e-3,
        solver="smo",
        max_iter=DEFAULT_MAX_ITER,
        cache_size=None,
        verbose=False,
    ):
        super().__init__(kernel, class_weight, tol, solver, max_iter, cache_size, verbose)
        self.nu = nu

    def _check_feasible(self, codes, weight):
        totals = np.bincount(codes, weight)
        largest_nu = 2 * totals.min() / (totals.min() + totals.max())  # of all pairs, this one allows the least
        if self.nu > largest_nu * (1 + 1e-12):
            raise ValueError(
                f"nu must be at most 2 min(n₊, n₋) / n = {largest_nu:.6g} for the smaller of two classes, weights "
                f"counted, got {self.nu:.6g}."
            )

    def _fit_pair(self, K, rows, sign, weight):
        problem = nu_svc_dual(K, sign, self.nu, weight, rows)
        solution, steps = self._solve_relative(problem, lambda found: _margin(found)[0])
        rho, b = _margin(solution)
        rounding = np.median(problem.rounding(solution.beta)[solution.beta != 0])  # some objects may lie far away
        stopped = steps >= self.max_iter  # before the margin was found
        if rho <= rounding or (rho <= solution.violation and not stopped):
            raise ValueError(
                f"nu must leave a margin, but with nu = {self.nu:.6g} it has the width ρ = {rho:.3g}, known to "
                f"± {max(rounding, solution.violation):.1g}: take a larger nu, or centre and scale the objects."
            )
        warn_if_inexact(solution, rho, self.nu, self.tol)
        return TwoClassMachine.of(problem, solution, solution.beta / rho, b / rho, steps)


def _margin(solution):
    """ρ and b: f is −ρ − b on one edge of the margin, ρ − b on the other."""
    below, above = solution.rho
    return (above - below) / 2, -(above + below) / 2

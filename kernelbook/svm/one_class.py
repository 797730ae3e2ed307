"""Novelty detection: a half-space of H that holds most of the sample, far from the origin."""

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from kernelbook.base.fitting import all_or_nothing
from kernelbook.inputs.intervals import SHARE
from kernelbook.inputs.validation import sample_weights
from kernelbook.qp import kkt
from kernelbook.qp.problem import SUM_ROUNDING
from kernelbook.qp.sequential_minimal import DEFAULT_MAX_ITER
from kernelbook.runtime.warn import warn
from kernelbook.svm.duals import one_class_dual
from kernelbook.svm.machine import SupportVectorMachine
from kernelbook.svm.relative_tolerance import warn_if_inexact

LEAST_LOWERING = 1e-10  # share by which ρ is always lowered, since a prediction computes K and its sums anew
MOST_LOWERING = 1e-3  # the largest share by which rounding lowers ρ: the f(x) of one far object may have no digits left


class OneClassSVM(OutlierMixin, SupportVectorMachine):
    """The one-class support vector machine.

    minimise over f in H, ρ in R    ½ ‖f‖² − νρ Σ_i w_i + Σ_i w_i max(0, ρ − f(x_i))

    Its dual is: minimise ½ αᵀKα subject to 0 ≤ α_i ≤ w_i and Σ α_i = ν Σ_i w_i. Then f = Σ_i α_i k(x_i, ·), and x is an
    outlier where f(x) < ρ. At most a share ν of the sample are outliers, and at least a share ν are support vectors.

    If Σ_i α_i φ(x_i) = 0, to rounding, for some feasible α, as with Linear() on centred data, no half-space separates
    the sample from the origin. Then f = 0 and ρ = 0, every x is inside, and a ConvergenceWarning says so. A kernel
    whose values are all positive, such as RBF, avoids this.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    nu : float in (0, 1], default 0.5
    tol : float > 0, default 1e-3; the violation of the KKT conditions that is left, in units of ρ
    solver, max_iter, cache_size, verbose : as in SVC

    Attributes
    ----------
    support_, support_vectors_ : which training objects have α > 0, and these objects (empty with "precomputed")
    at_bound_ : (s,) bool, which of them have α = w, as all outliers of the sample have
    n_support_ : (1,) their number
    dual_coef_ : (1, s) their α, or 0 where f = 0
    coef_ : (1, d) the w of ⟨w, x⟩, where the kernel is Linear
    intercept_ : (1,) −ρ
    offset_ : float, ρ
    duality_gap_ : float, primal minus dual objective, ≥ 0 up to rounding
    n_iter_ : int, steps of the solver
    kernel_, X_fit_ : the fitted Kernel, or "precomputed"; the training objects

    Raises
    ------
    ValueError : a parameter out of range, objects that the kernel cannot take
    MemoryError : with solver "interior_point" or "precomputed" a Gram matrix larger than the free memory
    ConvergenceWarning : as SVC, or f = 0, or ρ is too small to reach tol in its units

    References
    ----------
    Schölkopf, Platt, Shawe-Taylor, Smola & Williamson (2001), Estimating the support of a high-dimensional
    distribution, Neural Computation 13.

    >>> from kernelbook import OneClassSVM, RBF
    >>> OneClassSVM(RBF(gamma=1), nu=0.2).fit([[0.0], [0.1], [0.2], [0.1], [5.0]]).predict([[0.1], [9.0]])
    array([ 1, -1])
    """

    _parameter_constraints = {**SupportVectorMachine._parameter_constraints, "nu": [SHARE]}

    def __init__(
        self, kernel="rbf", nu=0.5, *, tol=1e-3, solver="smo", max_iter=DEFAULT_MAX_ITER, cache_size=None, verbose=False
    ):
        super().__init__(kernel, tol, solver, max_iter, cache_size, verbose)
        self.nu = nu

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None):
        """Solve the dual problem; y is ignored. A weight of 2 means two copies of the object."""
        self._validate_params()
        weight = sample_weights(sample_weight, X)
        problem = one_class_dual(self._fit_operator(X, weight), self.nu, weight)
        solution, steps = self._solve_relative(problem, lambda found: 0.0 if _may_vanish(found) else found.rho[0])
        vanishing = _vanishing_alpha(problem, solution)
        if vanishing is None:
            warn_if_inexact(solution, solution.rho[0], self.nu, self.tol)
            alpha = coefficients = solution.beta
            self.offset_, self.duality_gap_ = _offset(problem, solution), solution.gap
        else:
            warn(
                f"with nu = {self.nu:.6g} the origin of the feature space is, to rounding, a weighted mean of the "
                "objects, so no half-space separates the two: f and ρ are 0, and no object is an outlier. A kernel "
                "whose values are all positive, such as RBF, avoids this; so may scaling objects that are far larger "
                "than the others."
            )
            alpha, coefficients = vanishing, np.zeros(len(weight))
            self.offset_, self.duality_gap_ = 0.0, 0.0
        self.intercept_ = np.array([0.0 - self.offset_])
        self._set_support(np.flatnonzero(alpha))
        self.dual_coef_ = coefficients[None, self.support_]
        self.at_bound_ = (alpha == weight)[self.support_]
        self.n_support_ = np.array([len(self.support_)], dtype=np.int32)
        self.n_iter_ = steps
        return self

    def score_samples(self, X):
        """f(x), shape (m,), large where the sample is dense."""
        check_is_fitted(self)
        return self._expansion(X, self.dual_coef_[0], self.support_)

    def decision_function(self, X):
        """f(x) − ρ, shape (m,), negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X):
        """1 for objects like the sample, −1 for outliers."""
        return np.where(self.decision_function(X) >= 0, 1, -1)


def _may_vanish(solution):
    """Whether the minimum of ½ ‖h‖² over the h = Σ_i α_i φ(x_i) of feasible α may be 0, as far as the solution shows.

    With the best ρ, the duality gap is ‖f‖² minus the least ⟨f, h⟩ over all h. While it is below ‖f‖², no h is 0.
    """
    return 0 <= 2 * solution.objective <= solution.gap


def _vanishing_alpha(problem, solution):
    """A feasible α with Σ_i α_i φ(x_i) = 0, or None: the solver's α or, if its solution leaves this open, νw.

    νw is the answer where the sample is centred in H. No solver comes close to it if K is ill-conditioned.
    """
    if _is_zero(problem, solution.beta, solution.gradient):
        return solution.beta
    if _may_vanish(solution):
        mean = problem.upper * (problem.totals[0] / problem.upper.sum())
        if _is_zero(problem, mean, problem.gradient(mean)):
            return mean
    return None


def _is_zero(problem, alpha, f):
    """Whether ‖f‖² = Σ_ij α_i α_j K_ij is 0 up to the rounding of its terms.

    With l_i = ‖φ(x_i)‖ = √K_ii, the sizes of the terms are at most α_i α_j l_i l_j. For a PSD K, |f(x_i)| ≤ ‖f‖ l_i
    follows; a K for which it does not hold is not PSD.
    """
    length = np.sqrt(np.abs(problem.K.diagonal()))
    noise = np.sqrt(SUM_ROUNDING) * (alpha @ length)
    return np.sqrt(np.abs(alpha @ f)) <= noise and bool((np.abs(f) <= noise * length).all())


def _offset(problem, solution):
    """ρ, lowered until only objects with α at its upper bound are outside: neither tol nor rounding may add others."""
    rho, length = solution.rho[0], np.sqrt(np.abs(problem.K.diagonal()))
    rounding = np.minimum(SUM_ROUNDING * (solution.beta @ length) * length, MOST_LOWERING * abs(rho))
    rho = min(rho, *kkt.bounds(problem, solution.beta, solution.gradient - rounding)[0])
    return float(rho - LEAST_LOWERING * abs(rho))

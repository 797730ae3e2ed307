"""Support vector regression: an error costs only the part of it that lies beyond a tube."""

from abc import abstractmethod
from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.scores import CheckedRegressor
from kernelbook.base.targets import check_targets, weighted
from kernelbook.inputs.intervals import NONNEGATIVE_REAL, POSITIVE_REAL, SHARE
from kernelbook.inputs.validation import sample_weights
from kernelbook.qp.sequential_minimal import DEFAULT_MAX_ITER
from kernelbook.runtime.warn import warn
from kernelbook.svm.duals import nu_svr_dual, quantile_svr_dual, svr_dual
from kernelbook.svm.machine import SupportVectorMachine

SAMPLE_WEIGHTED_C = "C times sample_weight"  # the name of C_i in messages
MEDIAN_ROUNDING = 8 * np.finfo(float).eps  # share of the median by which rounding alone may move a number away from it
CANCELLATION = 1e-14  # share of α⁺ + α⁻ up to which α⁺ − α⁻ may be rounding, and count as 0


class _Regressor(CheckedRegressor, SupportVectorMachine):
    """f(x) + b, from a dual problem with one or two β for each object; their sums are the coefficients of f."""

    _parameter_constraints = {**SupportVectorMachine._parameter_constraints, "C": [POSITIVE_REAL]}

    def __init__(self, kernel, C, tol, solver, max_iter, cache_size, verbose):
        super().__init__(kernel, tol, solver, max_iter, cache_size, verbose)
        self.C = C

    @abstractmethod
    def _dual(self, K, y, C):
        """The dual problem, with a C for each object."""

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Solve the dual problem.

        Parameters
        ----------
        X : (n, d) array, list of n objects, or with "precomputed" the (n, n) Gram matrix
        y : (n,) array of numbers
        sample_weight : (n,) array ≥ 0 or None for ones; an integer weight w means w copies of the object
        """
        self._validate_params()
        y = check_targets(X, y)
        weight = sample_weights(sample_weight, y)
        C = weighted(self.C, weight, SAMPLE_WEIGHTED_C)
        median = np.median(y[weight > 0])  # subtracted for more digits: as Σ β = 0, the solution is the same
        problem = self._dual(self._fit_operator(X, weight), y - median, C)
        tol = self.tol * median_deviation(y[weight > 0], median)
        solution = self._solve(problem, tol)
        warn_of_rounding(solution, tol)
        self._set_function(problem, solution, tol)
        self._set_offset(solution.rho, median)
        self.duality_gap_, self.n_iter_ = solution.gap, solution.iterations
        return self

    def _set_function(self, problem, solution, tol):
        """Set the support vectors and the coefficients of f, each the sum of the β of one object."""
        coefficients, sizes = problem.row_sums(solution.beta), problem.row_sums(np.abs(solution.beta))
        self._warn_of_cancellation(problem, sizes - np.abs(coefficients), tol)
        coefficients[np.abs(coefficients) <= CANCELLATION * sizes] = 0
        bounds = problem.row_sums(problem.lower), problem.row_sums(problem.upper)
        self._set_support(np.flatnonzero(coefficients))
        self.dual_coef_ = coefficients[None, self.support_]
        self.at_bound_ = ((coefficients == bounds[0]) | (coefficients == bounds[1]))[self.support_]
        self.n_support_ = np.array([len(self.support_)], dtype=np.int32)

    def _set_offset(self, rho, median):
        """Set b, from the ρ of each group of variables in the problem for y minus its median."""
        self.intercept_ = np.array([median - rho.mean()])

    def _warn_of_cancellation(self, problem, cancelled, tol):
        """A ConvergenceWarning if α⁺ and α⁻ of one object are so large that their difference has too few digits."""
        lost = CANCELLATION * problem.K.absolute_product(None, cancelled).max() if cancelled.any() else 0.0
        if lost > tol:
            warn(
                f"C = {self.C:.3g} is so large that α⁺ and α⁻ of one object nearly cancel: rounding may have changed "
                f"the fit by {lost:.3g}, more than tol allows, {tol:.3g}. Take a smaller C.",
            )

    def predict(self, X):
        """f(x) + b for each object of X, shape (m,)."""
        check_is_fitted(self)
        return self._expansion(X, self.dual_coef_[0], self.support_) + self.intercept_


class SVR(_Regressor):
    """Support vector regression with a tube.

    minimise over f in H, b in R    ½ ‖f‖² + C Σ_i w_i max(0, |y_i − f(x_i) − b| − ε)

    Its dual is: minimise ½ βᵀKβ − yᵀβ + ε Σ_i |β_i| subject to Σ β_i = 0 and |β_i| ≤ C w_i. Then f = Σ_i β_i k(x_i, ·).
    Objects inside the tube have β_i = 0, objects above it β_i = C w_i, objects below it −C w_i. The solver sees
    β_i = α⁺_i − α⁻_i, both in [0, C w_i]. Each object on the edge of the tube, 0 < |β_i| < C w_i, gives a value of b by
    y_i = f(x_i) + b ± ε; b is their mean or, without such an object, the middle of the interval that the KKT conditions
    allow.

    Divided by C, the objective is the sum of the losses plus λ/2 ‖f‖² with λ = 1/C.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    C : float > 0, default 1; the price of an error of one unit beyond the tube, in units of y / k
    epsilon : float ≥ 0, default 0.1; ε, half the width of the tube, in units of y
    tol : float > 0, default 1e-3; the violation of the KKT conditions that is left, in units of the median distance
        of y from its median, among those that differ from it by more than rounding
    solver : "smo" or "interior_point"; default "smo"
    max_iter : int, default 10⁷; the most steps of "smo"
    cache_size, verbose : as in SVC

    Attributes
    ----------
    support_ : (s,) which training objects have β ≠ 0: none inside the tube
    support_vectors_ : these objects; empty with "precomputed"
    at_bound_ : (s,) bool, which of them have |β| at its upper bound, as all objects outside the tube have
    n_support_ : (1,) their number
    dual_coef_ : (1, s) their β
    coef_ : (1, d) the w of ⟨w, x⟩ + b, where the kernel is Linear
    intercept_ : (1,) b
    duality_gap_ : float, primal minus dual objective, ≥ 0 up to rounding
    n_iter_ : int, steps of the solver
    kernel_, X_fit_ : the fitted Kernel, or "precomputed"; the training objects

    Raises
    ------
    ValueError : a parameter out of range; y not one number for each object, between ±1e150; objects that the kernel
        cannot take
    MemoryError : with solver "interior_point" or "precomputed" a Gram matrix larger than the free memory
    ConvergenceWarning : the KKT conditions do not hold to tol, because max_iter was reached or rounding hides the rest,
        as it does for objects far from the origin; C is so large that α⁺ and α⁻ cancel

    References
    ----------
    Drucker, Burges, Kaufman, Smola & Vapnik (1996), Support vector regression machines, NIPS 9; Smola & Schölkopf
    (2004), A tutorial on support vector regression, Statistics and Computing 14.

    >>> from kernelbook import SVR, Linear
    >>> model = SVR(Linear(), C=10, epsilon=0.5).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0])
    >>> model.support_, model.dual_coef_.round(3), model.predict([[0.0], [3.0], [6.0]]).round(3)
    (array([0, 3]), array([[-0.222,  0.222]]), array([0.5, 2.5, 4.5]))
    """

    _parameter_constraints = {**_Regressor._parameter_constraints, "epsilon": [NONNEGATIVE_REAL]}

    def __init__(
        self,
        kernel="rbf",
        C=1.0,
        epsilon=0.1,
        *,
        tol=1e-3,
        solver="smo",
        max_iter=DEFAULT_MAX_ITER,
        cache_size=None,
        verbose=False,
    ):
        super().__init__(kernel, C, tol, solver, max_iter, cache_size, verbose)
        self.epsilon = epsilon

    def _dual(self, K, y, C):
        return svr_dual(K, y, C, self.epsilon)


class NuSVR(_Regressor):
    """Support vector regression with a given share of errors instead of a width of the tube.

    minimise over f in H, b in R, ε ≥ 0    ½ ‖f‖² + C (νε Σ_i w_i + Σ_i w_i max(0, |y_i − f(x_i) − b| − ε))

    Its dual is: minimise ½ βᵀKβ − yᵀβ, β = α⁺ − α⁻, subject to 0 ≤ α⁺_i, α⁻_i ≤ C w_i and
    Σ α⁺_i = Σ α⁻_i = Cν Σ_i w_i / 2. The solution is that of SVR with the ε that is found. If ε > 0, at most a share ν
    of the weight lies outside the tube, and at least a share ν are support vectors.

    Parameters
    ----------
    kernel, C : as in SVR
    nu : float in (0, 1], default 0.5
    tol, solver, max_iter, cache_size, verbose : as in SVR

    Attributes
    ----------
    epsilon_ : float ≥ 0, the ε found
    the others as in SVR; duality_gap_ is that of the problem above

    Raises
    ------
    as SVR

    References
    ----------
    Schölkopf, Smola, Williamson & Bartlett (2000), New support vector algorithms, Neural Computation 12.

    >>> from kernelbook import Linear, NuSVR
    >>> x, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.5, 2.0, 2.5, 4.0]
    >>> model = NuSVR(Linear(), C=10, nu=0.5, tol=1e-6).fit(x, y)
    >>> round(model.epsilon_, 3), model.predict([[0.0], [4.0]]).round(3)
    (0.333, array([0.333, 3.667]))
    """

    _parameter_constraints = {**_Regressor._parameter_constraints, "nu": [SHARE]}

    def __init__(
        self,
        kernel="rbf",
        C=1.0,
        nu=0.5,
        *,
        tol=1e-3,
        solver="smo",
        max_iter=DEFAULT_MAX_ITER,
        cache_size=None,
        verbose=False,
    ):
        super().__init__(kernel, C, tol, solver, max_iter, cache_size, verbose)
        self.nu = nu

    def _dual(self, K, y, C):
        return nu_svr_dual(K, y, C, self.nu)

    def _set_offset(self, rho, median):
        """Set b and ε: f − y is −b − ε on the upper edge of the tube, −b + ε on the lower."""
        super()._set_offset(rho, median)
        above, below = rho
        self.epsilon_ = float(max((below - above) / 2, 0.0))  # rounding may have made it negative


class QuantileSVR(_Regressor):
    """Support vector regression of a quantile.

    minimise over f in H, b in R    ½ ‖f‖² + C Σ_i w_i max(τ r_i, (τ − 1) r_i),    r_i = y_i − f(x_i) − b

    Its dual is: minimise ½ βᵀKβ − yᵀβ subject to Σ β_i = 0 and −C (1 − τ) w_i ≤ β_i ≤ Cτ w_i. Then
    f = Σ_i β_i k(x_i, ·). At most a share τ of the weight lies below the fit, and at most 1 − τ above it. With τ = ½ it
    is SVR with C/2 and ε = 0.

    Each τ is fitted alone: nothing keeps the fits of two τ from crossing.

    Parameters
    ----------
    kernel : as in SVR
    C : float > 0, default 1; the price of τ r, in units of y / k
    quantile : float in (0, 1), default 0.5; τ
    tol, solver, max_iter, cache_size, verbose : as in SVR

    Attributes
    ----------
    as in SVR; at_bound_ : β = Cτ w or β = −C (1 − τ) w, as for all objects above the fit and below it

    Raises
    ------
    as SVR

    References
    ----------
    Takeuchi, Le, Sears & Smola (2006), Nonparametric quantile estimation, JMLR 7.

    >>> from kernelbook import Linear, QuantileSVR
    >>> model = QuantileSVR(Linear(), quantile=0.75).fit([[0.0]] * 4, [0.0, 1.0, 2.0, 5.0])
    >>> model.predict([[0.0]])
    array([3.5])
    """

    _parameter_constraints = {
        **_Regressor._parameter_constraints,
        "quantile": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        kernel="rbf",
        C=1.0,
        quantile=0.5,
        *,
        tol=1e-3,
        solver="smo",
        max_iter=DEFAULT_MAX_ITER,
        cache_size=None,
        verbose=False,
    ):
        super().__init__(kernel, C, tol, solver, max_iter, cache_size, verbose)
        self.quantile = quantile

    def _dual(self, K, y, C):
        return quantile_svr_dual(K, y, C, self.quantile)


def warn_of_rounding(solution, tol):
    """A ConvergenceWarning if the problem counts as solved although rounding keeps the violation above tol."""
    if solution.converged and solution.violation > tol:
        warn(
            f"rounding hides more of the fit than tol allows: the KKT conditions are violated by "
            f"{solution.violation:.3g}, and tol is {tol:.3g} in units of y. Centre or scale the objects.",
        )


def median_deviation(y, median):
    """The unit of tol: the median distance from the median, over the y that differ from it. It is robust to far y.

    The y that differ from the median by rounding alone are left out, unless no others differ from it.
    """
    distances = np.abs(y - median)
    for least in (MEDIAN_ROUNDING * abs(median), 0.0):
        if (distances > least).any():
            return np.median(distances[distances > least])
    return 1.0

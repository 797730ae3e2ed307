"""Kernel ridge regression: squared loss plus a penalty on the norm of the function."""

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from kernelbook.base.estimator import KernelEstimator
from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.kernel_parameters import HasKernel
from kernelbook.base.scores import CheckedRegressor
from kernelbook.base.targets import check_regression_targets
from kernelbook.base.training import EIGH_MATRICES, training_gram
from kernelbook.inputs.intervals import NONNEGATIVE_REAL, POSITIVE_INTEGER, POSITIVE_REAL
from kernelbook.inputs.validation import positive_list, sample_weights
from kernelbook.regression.iterative import GramProducts, solve_by_cg
from kernelbook.regression.least_squares import RidgeDecomposition, RidgeSystem

ALPHAS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)


class _Ridge(HasKernel, KernelEstimator):
    """f(x) + b, where f(x) = Σ_i c_i k(x_i, x), with c in ``dual_coef_`` and b in ``intercept_``."""

    def _training_system(self, X, y, weight, matrices):
        """The RidgeSystem of these objects. No other reference to its matrix exists, so that it can free it."""
        K = self._keep_training(X, *training_gram(self.kernel, X, weight, matrices=matrices))
        return RidgeSystem(K, y, weight, self.fit_intercept)

    def _values(self, X):
        check_is_fitted(self)
        return self._expansion(X, self.dual_coef_) + self.intercept_


class _RidgeRegressor(MultiOutputMixin, CheckedRegressor, _Ridge):
    def predict(self, X):
        """f(x) + b for each object of X, shape (m,) or (m, t) as y was.

        Raises ValueError when X does not match the training data.
        """
        return self._values(X)


class KernelRidge(_RidgeRegressor):
    """Kernel ridge regression.

    minimise over f in H (and b in R)    Σ_i w_i (y_i − f(x_i) − b)² + alpha ‖f‖²,    b = 0 unless fit_intercept

    The solution is f = Σ_i c_i k(x_i, ·) with c = (K + alpha I)⁻¹ y; with weights, (K + alpha W⁻¹) c = y, W = diag(w).
    By default there is no intercept, and f shrinks towards 0. If the mean of y is not 0, set fit_intercept or centre y.
    With an intercept, the prediction f + b shrinks towards the constant b, which is not penalised, and the system is
    (K + alpha W⁻¹) c + b 1 = y, Σ_i c_i = 0. Then a constant added to y is added to b, a constant added to k changes
    nothing, and k need only be conditionally PSD.

    The system is solved by a Cholesky factorisation. Its relative error in f is about 2⁻⁵² times the condition number
    of K + alpha W⁻¹ scaled to a diagonal of ones. Without weights this is at most 2⁻⁵² ‖K‖ / alpha, and a few objects
    that are far from the others or much heavier do not increase it. If fewer than about four digits would be right, or
    if the matrix is not positive definite, an eigendecomposition gives c instead. Its rounding is 2⁻⁵² ‖W^½ K W^½‖. If
    alpha is not far above this rounding, c is 0 in the directions where the matrix is zero to rounding, so that c has
    the least norm. With an intercept each object is compared with the mean of all, so that one object far from the
    others does cost digits.

    With solver "cg", products with K are all that is needed, and K is kept only if it takes less than half of the free
    memory. Conjugate gradients are preconditioned by K̂ + alpha I, where K̂ is what m pivoted landmarks explain of K. The
    eigenvalues of the preconditioned matrix lie between 1 and 1 + δ / alpha, δ = ‖K − K̂‖, so that few steps are needed
    if the landmarks leave little. Each step takes n² multiplications, K̂ takes nm², a factorisation n³/6.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    alpha : float ≥ 0, default 1; the ridge λ of the book, in units of k. With 0, f interpolates with the least norm.
    fit_intercept : bool, default False; whether b is free, and not penalised, or 0
    solver : "direct" or "cg", default "direct"; a factorisation of K + alpha W⁻¹, or conjugate gradients, for an
        alpha > 0 and a PSD kernel
    landmarks : int ≥ 1, default 100; the number m of pivoted landmarks of "cg"
    tol : float > 0, default 10⁻⁶; "cg" stops at a residual of this share of ‖W^½ y‖, which bounds the error of the
        fitted values f(x_i) + b, as ‖W^½ error‖, by the same share
    random_state : int, RandomState or None, default None; draws the landmarks of "cg"

    Attributes
    ----------
    dual_coef_ : (n,) or (n, t), the coefficients c
    intercept_ : float or (t,), the b; 0 without fit_intercept. ``rkhs_function()`` returns f without b.
    coef_ : (d,) or (t, d), the w of f(x) = ⟨w, x⟩, if the kernel is Linear
    kernel_, X_fit_ : the fitted Kernel, or "precomputed"; the training objects, None with "precomputed"
    n_iter_ : int, the steps of "cg", only with it
    certificate_ : float, tr(W^½ (K − K̂) W^½) / alpha, only with "cg"; no less than δ / alpha

    Raises
    ------
    ValueError : a parameter out of range; X that the kernel cannot take; lengths that differ; a negative weight; with
        "cg" an alpha of 0, or a kernel that shows itself not to be PSD
    ConvergenceWarning : K + alpha I has a negative eigenvalue, because the kernel is not PSD; with fit_intercept, a
        negative eigenvalue on the vectors of sum 0, because the kernel is not conditionally PSD. (A negative eigenvalue
        of K above −alpha can go unnoticed here, but not in KernelRidgeCV.) Also if the Cholesky factorisation fails and
        a tenth of the objects vanish in the rounding of W^½ K W^½, beside others that are far or heavy; and if "cg"
        has not reached tol after 1000 steps

    References
    ----------
    Saunders, Gammerman & Vovk (1998), Ridge regression learning algorithm in dual variables, ICML.
    Díaz, Epperly, Frangella, Tropp & Webber (2023), Robust, randomized preconditioning for kernel ridge regression,
    arXiv 2304.12465.

    Examples
    --------
    >>> from kernelbook import RBF, KernelRidge
    >>> x = [[0.0], [1.0], [2.0]]
    >>> KernelRidge(RBF(gamma=1), alpha=1e-3).fit(x, [0.0, 1.0, 0.0]).predict([[1.0]]).round(3)
    array([0.999])
    >>> model = KernelRidge(RBF(gamma=1), alpha=1.0, fit_intercept=True).fit(x, [20.0, 21.0, 20.0])
    >>> print(f"b = {model.intercept_:.2f}, f + b = {model.predict([[1.0], [50.0]]).round(2)}")
    b = 20.28, f + b = [20.56 20.28]
    """

    _parameter_constraints = {
        "alpha": [NONNEGATIVE_REAL],
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"direct", "cg"})],
        "landmarks": [POSITIVE_INTEGER],
        "tol": [POSITIVE_REAL],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel="rbf",
        alpha=1.0,
        *,
        fit_intercept=False,
        solver="direct",
        landmarks=100,
        tol=1e-6,
        random_state=None,
    ):
        self.kernel = kernel
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.landmarks = landmarks
        self.tol = tol
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Solve for the coefficients.

        Parameters
        ----------
        X : (n, d) array, list of n objects, or with "precomputed" the (n, n) Gram matrix
        y : (n,) or (n, t) array, t targets at once
        sample_weight : (n,) array ≥ 0 or None for ones; an integer weight w counts the point w times
        """
        self._validate_params()
        y = check_regression_targets(X, y)
        weight = None if sample_weight is None else sample_weights(sample_weight, y)
        if self.solver == "cg":
            return self._fit_by_cg(X, y, weight)
        system = self._training_system(X, y, weight, 1 if weight is None and not self.fit_intercept else 2)
        self.dual_coef_ = system.solve(self.alpha)
        self.intercept_ = system.intercept(self.dual_coef_)
        return self

    def _fit_by_cg(self, X, y, weight):
        if self.alpha == 0:
            raise ValueError("alpha must be > 0 for solver='cg', got 0: write solver='direct'.")
        gram, rng = GramProducts(self.kernel, X, weight), check_random_state(self.random_state)
        self._keep_training(X, gram.kernel, gram.objects, gram.K)
        self.dual_coef_, self.intercept_, self.n_iter_, self.certificate_ = solve_by_cg(
            gram, y, self.alpha, weight, self.fit_intercept, self.landmarks, self.tol, rng
        )
        return self


class _LeaveOneOutRidge(_Ridge):
    """Kernel ridge regression whose ridge is chosen by exact leave-one-out, as KernelRidgeCV describes."""

    _parameter_constraints = {"fit_intercept": ["boolean"]}  # positive_list checks alphas

    def _fit_best_alpha(self, X, y, weight):
        """Fit targets, (n,) or (n, t), with the best of the alphas; set the attributes that KernelRidgeCV lists.

        Returns the RidgeDecomposition, and √w_i times the leave-one-out residual of each object, in the shape of y.
        """
        alphas = positive_list(self.alphas, "alphas")
        if self.fit_intercept:
            _check_two_objects(weight)
        system = self._training_system(X, y.reshape(len(y), -1), weight, EIGH_MATRICES)
        decomposition = RidgeDecomposition(system, alphas.min())
        residuals, left_out, self.degrees_of_freedom_ = decomposition.leave_one_out(alphas)
        unit = np.abs(y).max() or 1.0  # so that no square overflows
        loo_errors = _mean_square(left_out / unit, weight)
        training_errors = _mean_square(residuals / unit, weight)
        best = int(np.argmin(loo_errors))
        self.alpha_ = float(alphas[best])
        with np.errstate(over="ignore", under="ignore"):  # unit² may be 0 or infinite, after the choice is made
            self.loo_errors_ = loo_errors * unit * unit
            residual_share = 1 - self.degrees_of_freedom_ / np.count_nonzero(weight)
            self.gcv_ = training_errors / np.square(residual_share) * unit * unit
        c = decomposition.solve(self.alpha_)
        self.dual_coef_, self.intercept_ = c.reshape(y.shape), system.intercept(c).reshape(y.shape[1:])[()]
        return decomposition, left_out[best].reshape(y.shape)


class KernelRidgeCV(_RidgeRegressor, _LeaveOneOutRidge):
    """Kernel ridge regression with its ridge chosen by exact leave-one-out, all candidates from one eigendecomposition.

    minimise over f in H (and b in R)    Σ_i w_i (y_i − f(x_i) − b)² + alpha ‖f‖²,    b = 0 unless fit_intercept

    The chosen alpha minimises the leave-one-out error Σ_i w_i (y_i − f₋ᵢ(x_i) − b₋ᵢ)² / Σ_i w_i, where f₋ᵢ and b₋ᵢ are
    fitted without object i. With K = U diag(μ) Uᵀ and s_j = alpha / (μ_j + alpha), the residual of the fit is
    r = U diag(s) Uᵀ y, and the leave-one-out residual of object i is r_i / Σ_j U_ij² s_j. The denominator is 1 − H_ii,
    H the hat matrix, written as a sum of positive terms, so that a small alpha loses no digits to cancellation. With
    weights, W = diag(w), K and y become W^½ K W^½ and W^½ y. With a free b, U has n − 1 columns, the eigenvectors of
    W^½ K W^½ on the vectors orthogonal to √w, since b fits the direction of √w. Eigenvalues below √n · 2⁻⁵² · the
    largest are rounding and count as zero. The relative error of f is about 2⁻⁵² ‖W^½ K W^½‖ / alpha. If a few objects
    are far from the others, or much heavier, the error of KernelRidge is smaller.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    alphas : (A,) floats > 0, default 10⁻⁴ … 10²; in units of k
    fit_intercept : bool, default False; whether b is free, and not penalised, or 0

    Attributes
    ----------
    alpha_ : float, the best of alphas, one for all targets
    loo_errors_ : (A,) leave-one-out error for each alpha, the mean over the targets, in their units: bring targets to
        one scale first. If errors are equal, the first alpha is taken. Infinite if K + alpha I is singular
    gcv_ : (A,) generalised cross-validation, (Σ w_i r_i² / Σ w_i) / (1 − tr H / n)², n the objects with w_i > 0
    degrees_of_freedom_ : (A,) tr H = Σ_j μ_j / (μ_j + alpha); with fit_intercept one more, for the constants;
        NaN if K + alpha I is singular
    dual_coef_ : (n,) or (n, t), the coefficients for alpha_; if alpha_ is tiny, 0 in directions where K is zero to
        rounding
    intercept_, coef_, kernel_, X_fit_ : as in KernelRidge

    Raises
    ------
    ValueError : as KernelRidge; with fit_intercept, fewer than two objects of positive weight
    ConvergenceWarning : K has a negative eigenvalue below −10⁻⁶ of the largest, or below −alpha for the smallest alpha,
        because the kernel is not PSD; with fit_intercept, on the vectors of sum 0, because the kernel is not
        conditionally PSD. Also if a tenth of the objects vanish in the rounding of W^½ K W^½, beside far or heavy ones

    References
    ----------
    Golub, Heath & Wahba (1979), Technometrics 21(2); Rifkin & Lippert (2007), Notes on regularized least squares.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelbook import RBF, KernelRidgeCV
    >>> x = np.linspace(0, 6, 40)[:, None]
    >>> y = np.sin(x[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=40)
    >>> model = KernelRidgeCV(RBF(gamma=1), alphas=[1e-4, 1e-2, 1, 100]).fit(x, y)
    >>> model.alpha_, model.path(x).shape
    (0.01, (4, 40))
    """

    def __init__(self, kernel="rbf", alphas=ALPHAS, *, fit_intercept=False):
        self.kernel = kernel
        self.alphas = alphas
        self.fit_intercept = fit_intercept

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Decompose the Gram matrix and choose alpha; X, y and sample_weight as in KernelRidge."""
        self._validate_params()
        y = check_regression_targets(X, y)
        self._decomposition, _ = self._fit_best_alpha(X, y, sample_weights(sample_weight, y))
        self._path_alphas = positive_list(self.alphas, "alphas")
        return self

    def path(self, X):
        """f(x) + b for every alpha, shape (A, m) or (A, m, t), from one evaluation of the kernel."""
        check_is_fitted(self)
        c = [self._decomposition.solve(alpha) for alpha in self._path_alphas]
        b = [self._decomposition.system.intercept(c_alpha) for c_alpha in c]
        fits = self._expansion(X, np.hstack(c)) + np.hstack(b)
        fits = np.moveaxis(fits.reshape(len(fits), len(c), -1), 1, 0)
        return fits.reshape(*fits.shape[:2], *self.dual_coef_.shape[1:])


def _check_two_objects(weight):
    """ValueError if one object has all the weight, to rounding: without it, nothing would be left to predict it."""
    largest = weight.max()
    if (np.sort(weight)[:-1] / largest).sum() < np.finfo(float).tiny:
        raise ValueError(
            "X must hold at least two objects of positive weight, since each object is predicted by the others, got "
            "1 sample" + (f" whose weight, {largest:.3g}, leaves none to the rest." if (weight > 0).sum() > 1 else ".")
        )


def _mean_square(errors, weight):
    """Σ_i w_i e_i² / Σ_i w_i from √w_i e_i, shape (A, n, t); the mean over the targets, shape (A,)."""
    return np.square(errors).sum(axis=1).mean(axis=1) / weight.sum()

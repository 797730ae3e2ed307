"""Kernel ridge regression: squared loss, and a penalty on the norm of the function."""

from functools import partial
from numbers import Real

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from kernelbook.base.estimator import KernelEstimator, Regressor, all_or_nothing
from kernelbook.base.training import DECOMPOSED, training_gram
from kernelbook.regression.least_squares import RidgeSystem
from kernelbook.runtime.validation import check_given, finite_array, positive_list, sample_weights

ALPHAS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)


class _Ridge(KernelEstimator):
    """f(x) + b, where f(x) = Σ_i c_i k(x_i, x), with c in ``dual_coef_`` and b in ``intercept_``."""

    def _values(self, X):
        check_is_fitted(self)
        return self._expansion(X, self.dual_coef_) + self.intercept_


class _Regressor(MultiOutputMixin, Regressor, _Ridge):
    def predict(self, X):
        """f(x) + b for each object of X, shape (m,) or (m, t) as y was.

        Raises ValueError when X does not match the training data.
        """
        return self._values(X)


class KernelRidge(_Regressor):
    """Kernel ridge regression.

    minimise over f in H (and b in R)    Σ_i w_i (y_i − f(x_i) − b)² + alpha ‖f‖²,    b = 0 unless fit_intercept

    The solution is f = Σ_i c_i k(x_i, ·) with c = (K + alpha I)⁻¹ y; with weights, (K + alpha W⁻¹) c = y, W = diag(w).
    By default there is no intercept, and f shrinks towards 0: set fit_intercept, or centre y, where its mean is not 0.
    With one, f shrinks towards a constant that costs nothing, b, and the system is (K + alpha W⁻¹) c + b 1 = y,
    Σ_i c_i = 0. Then a constant added to y is added to b, a constant added to k changes nothing, and k need only be
    conditionally PSD.

    The system is solved by Cholesky, which leaves in f an error of about 2⁻⁵² times the condition of K + alpha W⁻¹
    scaled to a diagonal of ones: up to 2⁻⁵² ‖K‖ / alpha without weights, and no more if a few objects are far from the
    others or much heavier. Where fewer than about four digits would be right, or the matrix is not positive definite,
    an eigendecomposition gives the c of least norm instead, nothing in directions where the matrix is zero to rounding.
    Its rounding is 2⁻⁵² ‖W^½ K W^½‖. With an intercept each object is compared with the mean of all, so that one object
    far from the others does cost digits.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    alpha : float ≥ 0, default 1; the ridge λ of the book, in units of k. At 0 the least-norm interpolant.
    fit_intercept : bool, default False; whether b is free, and not penalised, or 0

    Attributes
    ----------
    dual_coef_ : (n,) or (n, t), the coefficients c
    intercept_ : float or (t,), the b; 0 without fit_intercept. ``rkhs_function()`` is f without it
    coef_ : (d,) or (t, d), the w of ⟨w, x⟩, where the kernel is Linear
    kernel_ : the fitted Kernel, or "precomputed"
    X_fit_ : the training objects; None with "precomputed"

    Raises
    ------
    ValueError : a parameter out of range; X that the kernel cannot take; lengths that differ; a negative weight
    ConvergenceWarning : K + alpha I has a negative eigenvalue, the kernel not being PSD; with fit_intercept, a negative
        eigenvalue on the vectors of sum 0, the kernel not being conditionally PSD. (One of K alone, larger than −alpha,
        goes unnoticed here, but not in KernelRidgeCV.) Most objects vanish in the rounding of W^½ K W^½, beside a few
        that are far, or heavy, and the Cholesky factor will not do

    References
    ----------
    Saunders, Gammerman & Vovk (1998), Ridge regression learning algorithm in dual variables, ICML.

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

    _parameter_constraints = {"alpha": [Interval(Real, 0, np.inf, closed="left")], "fit_intercept": ["boolean"]}

    def __init__(self, kernel="rbf", alpha=1.0, *, fit_intercept=False):
        self.kernel = kernel
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Solve for the coefficients.

        Parameters
        ----------
        X : (n, d) array, list of n objects, or with "precomputed" the (n, n) Gram matrix
        y : (n,) or (n, t) array, t targets at once
        sample_weight : (n,) array ≥ 0 or None for ones; an integer weight means so many copies of the point
        """
        self._validate_params()
        y = _targets(X, y)
        weight = None if sample_weight is None else sample_weights(sample_weight, y)
        gram = partial(training_gram, matrices=1 if weight is None and not self.fit_intercept else 2)
        system = RidgeSystem(self._fit_gram(X, weight, gram=gram), y, weight, self.fit_intercept)
        self.dual_coef_ = system.solve_once(self.alpha)
        self.intercept_ = system.intercept(self.dual_coef_)
        return self


class _LeaveOneOutRidge(_Ridge):
    """A ridge machine that chooses its ridge by exact leave-one-out, as KernelRidgeCV describes."""

    _parameter_constraints = {"alphas": "no_validation", "fit_intercept": ["boolean"]}  # positive_list says more

    def _fit_best(self, X, y, weight):
        """Fit targets, (n,) or (n, t), with the best of the alphas, and set what KernelRidgeCV lists.

        Returns the system, decomposed, and what each object leaves if left out, √w_i times it, in the shape of y.
        """
        alphas = positive_list(self.alphas, "alphas")
        if self.fit_intercept:
            _check_two(weight)
        gram = partial(training_gram, matrices=DECOMPOSED)
        system = RidgeSystem(  # it alone may hold the matrix, which it gives up when that is decomposed
            self._fit_gram(X, weight, gram=gram), y.reshape(len(y), -1), weight, self.fit_intercept
        )
        system.decompose(alphas.min())
        residuals, left_out, trace = system.leave_one_out(alphas)
        self.degrees_of_freedom_ = trace + self.fit_intercept
        unit = _power_of_two(np.abs(y).max())
        loo_errors = _mean_square(left_out / unit, weight)
        share_left = 1 - self.degrees_of_freedom_ / np.count_nonzero(weight)
        best = int(np.argmin(loo_errors))
        self.alpha_ = float(alphas[best])
        with np.errstate(over="ignore", under="ignore"):  # of the units of y², which have taken no part in the choice
            self.loo_errors_ = loo_errors * unit * unit
            self.gcv_ = _mean_square(residuals / unit, weight) / np.square(share_left) * unit * unit
        c = system.solve_decomposed(self.alpha_)
        self.dual_coef_, self.intercept_ = c.reshape(y.shape), system.intercept(c).reshape(y.shape[1:])[()]
        return system, left_out[best].reshape(y.shape)


class KernelRidgeCV(_Regressor, _LeaveOneOutRidge):
    """Kernel ridge regression with its ridge chosen by exact leave-one-out, all candidates from one eigendecomposition.

    minimise over f in H (and b in R)    Σ_i w_i (y_i − f(x_i) − b)² + alpha ‖f‖²,    b = 0 unless fit_intercept

    The alpha is the one of least leave-one-out error Σ_i w_i (y_i − f₋ᵢ(x_i) − b₋ᵢ)² / Σ_i w_i, where f₋ᵢ and b₋ᵢ are
    fitted without object i and its weight. With K = U diag(μ) Uᵀ and s_j = alpha / (μ_j + alpha), the fit leaves the
    residual r = U diag(s) Uᵀ y, and object i, predicted by all the others, leaves r_i / Σ_j U_ij² s_j. The denominator
    is 1 − H_ii, H the hat matrix, as a sum of positive terms, so that a small alpha costs no digits to cancellation.
    Weights, W = diag(w), turn K and y into W^½ K W^½ and W^½ y. A free b fits what lies along √w; the columns of U are
    then n − 1 eigenvectors, those of W^½ K W^½ on the vectors orthogonal to √w. Eigenvalues below √n · 2⁻⁵² · the
    largest are rounding and count as zero. The error of f is about 2⁻⁵² ‖W^½ K W^½‖ / alpha; where a few objects are
    far from the others, or much heavier, that of KernelRidge is smaller.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    alphas : (A,) floats > 0, default 10⁻⁴ … 10²; in units of k
    fit_intercept : bool, default False; whether b is free, and not penalised, or 0

    Attributes
    ----------
    alpha_ : float, the best of alphas, one for all targets
    loo_errors_ : (A,) leave-one-out error for each alpha, the mean over the targets, in their units: bring targets to
        one scale first. Of equal errors the first alpha is taken. Infinite where K + alpha I is singular
    gcv_ : (A,) generalised cross-validation, (Σ w_i r_i² / Σ w_i) / (1 − tr H / n)², n the objects with w_i > 0
    degrees_of_freedom_ : (A,) tr H = Σ_j μ_j / (μ_j + alpha); with fit_intercept one more, for the constants;
        NaN where K + alpha I is singular
    dual_coef_ : (n,) or (n, t), the coefficients for alpha_; if that is tiny, nothing where K is zero to rounding
    intercept_, coef_, kernel_, X_fit_ : as in KernelRidge

    Raises
    ------
    ValueError : as KernelRidge; with fit_intercept, fewer than two objects of positive weight
    ConvergenceWarning : K has a negative eigenvalue, below −10⁻⁶ of the largest or −alpha, the kernel not being PSD;
        with fit_intercept, on the vectors of sum 0, the kernel not being conditionally PSD. Most objects vanish in the
        rounding of W^½ K W^½, beside a few that are far, or heavy

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
        y = _targets(X, y)
        self._system, _ = self._fit_best(X, y, sample_weights(sample_weight, y))
        self._path_alphas = positive_list(self.alphas, "alphas")
        return self

    def path(self, X):
        """f(x) + b for every alpha, shape (A, m), or (A, m, t) for several targets, from one block of the kernel."""
        check_is_fitted(self)
        c = [self._system.solve_decomposed(alpha) for alpha in self._path_alphas]
        fits = self._expansion(X, np.hstack(c)) + np.hstack([self._system.intercept(one) for one in c])
        fits = np.moveaxis(fits.reshape(len(fits), len(c), -1), 1, 0)
        return fits.reshape(*fits.shape[:2], *self.dual_coef_.shape[1:])


def _targets(X, y):
    check_given(y)
    y = finite_array(y, "y", ensure_2d=False)
    check_consistent_length(X, y)
    return y


def _check_two(weight):
    """ValueError where no object, or none to rounding, has weight beside the heaviest, which is left out too."""
    largest = weight.max()
    if (np.sort(weight)[:-1] / largest).sum() < np.finfo(float).tiny:
        raise ValueError(
            "X must hold at least two objects of positive weight, since each object is predicted by the others, got "
            "1 sample" + (f" whose weight, {largest:.3g}, leaves none to the rest." if (weight > 0).sum() > 1 else ".")
        )


def _mean_square(errors, weight):
    """Σ_i w_i e_i² / Σ_i w_i for errors √w_i e_i, shape (A, n, t), the mean over the targets."""
    return np.square(errors).sum(axis=1).mean(axis=1) / weight.sum()


def _power_of_two(size):
    """The largest power of two up to a size ≥ 0, by which numbers are divided without rounding; 1 for 0."""
    return float(np.ldexp(1.0, np.frexp(size)[1] - 1)) if size else 1.0

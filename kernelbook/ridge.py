"""Kernel ridge regression: squared loss, and a penalty on the norm of the function."""

from functools import partial
from numbers import Real

import numpy as np
from scipy.linalg import eigh, lapack
from sklearn.base import MultiOutputMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from kernelbook.estimator import DECOMPOSED, KernelEstimator, Regressor, all_or_nothing, training_gram
from kernelbook.validation import (
    check_given,
    finite_array,
    is_negative,
    is_plainly_negative,
    positive_list,
    sample_weights,
    warn,
)

SINGULAR = 1e-12  # of 1, a reciprocal condition number: below it fewer than about four digits of f would be right


class _Ridge(MultiOutputMixin, Regressor, KernelEstimator):
    """f(x) = Σ_i c_i k(x_i, x), with c in ``dual_coef_``."""

    def predict(self, X):
        """f(x) for each object of X, shape (m,) or (m, t) as y was.

        Raises ValueError when X does not match the training data.
        """
        check_is_fitted(self)
        return self._expansion(X, self.dual_coef_)


class KernelRidge(_Ridge):
    """Kernel ridge regression.

    minimise over f in H    Σ_i w_i (y_i − f(x_i))² + alpha ‖f‖²

    The solution is f = Σ_i c_i k(x_i, ·) with c = (K + alpha I)⁻¹ y; with weights, (K + alpha W⁻¹) c = y, W = diag(w).
    There is no intercept: f shrinks towards 0, so centre y where its mean is not 0, for instance by
    ``TransformedTargetRegressor(KernelRidge(), transformer=StandardScaler())``.

    The system is solved by Cholesky, which leaves an error of about 2⁻⁵² ‖K‖ / alpha in f. Where fewer than about four
    digits would be right, or K + alpha I is not positive definite, an eigendecomposition gives the c of least norm
    instead, nothing in directions where the matrix is zero to rounding.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    alpha : float ≥ 0, default 1; the ridge λ of the book, in units of k. At 0 the least-norm interpolant.

    Attributes
    ----------
    dual_coef_ : (n,) or (n, t), the coefficients c
    coef_ : (d,) or (t, d), the w of ⟨w, x⟩, where the kernel is Linear
    kernel_ : the fitted Kernel, or "precomputed"
    X_fit_ : the training objects; None with "precomputed"

    Raises
    ------
    ValueError : a parameter out of range; X that the kernel cannot take; lengths that differ; a negative weight
    ConvergenceWarning : K + alpha I has a negative eigenvalue, the kernel not being PSD. (One of K alone, larger than
        −alpha, goes unnoticed here, but not in KernelRidgeCV.)

    References
    ----------
    Saunders, Gammerman & Vovk (1998), Ridge regression learning algorithm in dual variables, ICML.

    Examples
    --------
    >>> from kernelbook import RBF, KernelRidge
    >>> x = [[0.0], [1.0], [2.0]]
    >>> KernelRidge(RBF(gamma=1), alpha=1e-3).fit(x, [0.0, 1.0, 0.0]).predict([[1.0]]).round(3)
    array([0.999])
    """

    _parameter_constraints = {"alpha": [Interval(Real, 0, np.inf, closed="left")]}

    def __init__(self, kernel="rbf", alpha=1.0):
        self.kernel = kernel
        self.alpha = alpha

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
        if sample_weight is None:
            self.dual_coef_ = _solve(self._fit_gram(X), y, self.alpha)
            return self
        weight = sample_weights(sample_weight, y)
        K, y, root = _weighted(self._fit_gram(X, weight), y, weight)
        self.dual_coef_ = (root * _solve(K, y, self.alpha).T).T
        return self


class KernelRidgeCV(_Ridge):
    """Kernel ridge regression with its ridge chosen by exact leave-one-out, all candidates from one eigendecomposition.

    minimise over f in H    Σ_i w_i (y_i − f(x_i))² + alpha ‖f‖²,   alpha the one of least leave-one-out error

    The leave-one-out error is Σ_i w_i (y_i − f₋ᵢ(x_i))² / Σ_i w_i, where f₋ᵢ is fitted without object i and its weight.
    With K = U diag(μ) Uᵀ and s_j = alpha / (μ_j + alpha), the fit leaves the residual r = U diag(s) Uᵀ y, and object i,
    predicted by all the others, leaves r_i / Σ_j U_ij² s_j. The denominator is 1 − H_ii, H the hat matrix, as a sum of
    positive terms, so that a small alpha costs no digits to cancellation. Weights, W = diag(w), turn K and y into
    W^½ K W^½ and W^½ y. Eigenvalues below √n · 2⁻⁵² · the largest are rounding and count as zero.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    alphas : (A,) floats > 0, default 10⁻⁴ … 10²; in units of k

    Attributes
    ----------
    alpha_ : float, the best of alphas, one for all targets
    loo_errors_ : (A,) leave-one-out error for each alpha
    gcv_ : (A,) generalised cross-validation, (Σ w_i r_i² / Σ w_i) / (1 − tr H / n)², n the objects with w_i > 0
    degrees_of_freedom_ : (A,) tr H = Σ_j μ_j / (μ_j + alpha)
    dual_coef_ : (n,) or (n, t), the coefficients for alpha_; if that is tiny, nothing where K is zero to rounding
    coef_, kernel_, X_fit_ : as in KernelRidge

    Raises
    ------
    ValueError : as KernelRidge
    ConvergenceWarning : K has a negative eigenvalue, below −10⁻⁶ of the largest or −alpha, the kernel not being PSD

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

    _parameter_constraints = {"alphas": "no_validation"}  # `fit` has the clearer word

    def __init__(self, kernel="rbf", alphas=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)):
        self.kernel = kernel
        self.alphas = alphas

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Decompose the Gram matrix and choose alpha; X, y and sample_weight as in KernelRidge."""
        self._validate_params()
        alphas = positive_list(self.alphas, "alphas")
        y = _targets(X, y)
        weight = sample_weights(sample_weight, y)
        gram = partial(training_gram, matrices=DECOMPOSED)
        K, targets, root = _weighted(self._fit_gram(X, weight, gram=gram), y, weight)
        mu, U = eigh(K, overwrite_a=True, driver="evd")
        if is_plainly_negative(mu[0], np.abs(mu).max()):
            _warn_of_negative(mu[0], "K")
        elif is_negative(mu[0] + alphas.min(), np.abs(mu).max()):  # no rounding makes f large
            _warn_of_negative(mu[0] + alphas.min(), "K + alpha I")
        mu[np.abs(mu) <= _noise(mu)] = 0
        coordinates = U.T @ targets.reshape(len(y), -1)
        shrink = alphas / np.add.outer(mu, alphas)
        residuals = np.stack([U @ (s[:, None] * coordinates) for s in shrink.T])
        unexplained = (np.square(U) @ shrink).T[:, :, None]
        self.degrees_of_freedom_ = (1 - shrink).sum(axis=0)
        self.loo_errors_ = _mean_square(residuals / unexplained, weight)
        self.gcv_ = _mean_square(residuals, weight) / np.square(1 - self.degrees_of_freedom_ / np.count_nonzero(weight))
        best = int(np.argmin(self.loo_errors_))
        self.alpha_ = float(alphas[best])
        self._path_alphas = alphas
        self._spectrum = mu, root[:, None] * U, coordinates
        self.dual_coef_ = _coefficients(*self._spectrum, self.alpha_).reshape(y.shape)
        return self

    def path(self, X):
        """f(x) for every alpha, shape (A, m), or (A, m, t) for several targets, from one block of the kernel."""
        check_is_fitted(self)
        coefficients = [_coefficients(*self._spectrum, alpha) for alpha in self._path_alphas]
        fits = self._expansion(X, np.hstack(coefficients))
        fits = np.moveaxis(fits.reshape(len(fits), len(coefficients), -1), 1, 0)
        return fits.reshape(*fits.shape[:2], *self.dual_coef_.shape[1:])


def _targets(X, y):
    check_given(y)
    y = finite_array(y, "y", ensure_2d=False)
    check_consistent_length(X, y)
    return y


def _weighted(K, y, weight):
    """W^½ K W^½ in place of K, W^½ y, and the diagonal of W^½."""
    root = np.sqrt(weight)
    K *= np.multiply.outer(root, root)
    return K, (root * y.T).T, root


def _mean_square(errors, weight):
    """Σ_i w_i e_i² / Σ_i w_i for errors √w_i e_i, shape (A, n, t), the mean over the targets."""
    return np.square(errors).sum(axis=1).mean(axis=1) / weight.sum()


def _solve(K, y, alpha):
    """(K + alpha I)⁻¹ y, of least norm where that matrix is singular; overwrites K."""
    diagonal = K.diagonal().copy()
    np.fill_diagonal(K, diagonal + alpha)
    size = lapack.dlange("1", K.T)
    # LAPACK works down the columns: the factor fills K's upper triangle, and the lower one stays for a second try.
    factor, failed = lapack.dpotrf(K.T, lower=True, clean=False, overwrite_a=True)
    if not failed and lapack.dpocon(factor, size, uplo="L")[0] > max(SINGULAR, len(K) * np.finfo(float).eps):
        return lapack.dpotrs(factor, y, lower=True)[0]
    np.fill_diagonal(K, diagonal)
    mu, U = eigh(K, lower=True, overwrite_a=True, driver="evd")
    if is_negative(mu[0] + alpha, np.abs(mu + alpha).max()):
        _warn_of_negative(mu[0] + alpha, "K + alpha I")
    kept = (np.abs(mu) > _noise(mu)) & (np.abs(mu + alpha) > _noise(mu))
    return _coefficients(mu[kept], U[:, kept], U[:, kept].T @ y, alpha)


def _noise(mu):
    """√n · 2⁻⁵² · the largest: what eigenvalues that should be zero come out as.

    It is typical, where ``gram.rounding``, n · 2⁻⁵², is a bound. More must not be left out here: f loses the share
    μ / (μ + alpha) of such a direction, which may be more than rounding.
    """
    return np.sqrt(len(mu)) * np.finfo(float).eps * np.abs(mu).max()


def _coefficients(mu, U, coordinates, alpha):
    """Σ_j u_j ⟨u_j, y⟩ / (μ_j + alpha).

    Where alpha is so small that KernelRidge would do so too, j with μ_j = 0 are left out: they add rounding / alpha.
    """
    kept = (mu != 0) | (alpha > SINGULAR * np.abs(mu).max())
    return U[:, kept] @ (coordinates[kept].T / (mu[kept] + alpha)).T


def _warn_of_negative(eigenvalue, name):
    warn(
        f"{name} has the negative eigenvalue {eigenvalue:.3g}: the kernel is not PSD, and the solution need not "
        "minimise anything."
    )

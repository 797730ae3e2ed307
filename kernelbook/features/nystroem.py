"""Landmarks: a few objects whose kernel functions stand for those of all, as features for a linear model."""

from numbers import Integral

import numpy as np
from scipy.linalg import eigh
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _num_samples, check_is_fitted

from kernelbook.base.estimator import KernelEstimator, all_or_nothing
from kernelbook.base.training import DECOMPOSED, check_memory, fitted_kernel, is_precomputed, summable
from kernelbook.linalg.gram import gram_matrix, orient
from kernelbook.linalg.tolerances import eigenvalue_noise, is_plainly_negative, spacing
from kernelbook.runtime.warn import warn


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """Features of landmarks, by Nyström's method: of the kernel what m of the n objects span.

    F(x) = k_x(Z) U diag(μ)^(−1/2)    so that    F(x) F(x')ᵀ = k_x(Z) U diag(1/μ) Uᵀ k_x'(Z)ᵀ

    Z are the m landmarks, drawn at random from the training objects, k_x(Z) is the row of values k(x, z_j), and μ and U
    are the eigenvalues of the landmarks' Gram matrix K_mm, as far as they exceed rounding, with their vectors. F(x)
    holds the coordinates of the projection of φ(x) on the span of φ(z_1), …, φ(z_m). If the kernel is PSD,
    F(x) F(z_j)ᵀ is k(x, z_j), up to √(10 m · 2⁻⁵² · μ_1 · k(x, x)) at most, what is lost with the eigenvalues left out;
    that is little unless some landmarks are much longer than others.

    A linear model of F is the machine with the kernel, restricted to that span: ridge regression without an intercept,
    with λ = ``alpha``, has the solution f = Σ_j β_j k(z_j, ·) of ((K_nm)ᵀ K_nm + λ K_mm) β = (K_nm)ᵀ y. The features of
    n objects take 8nm bytes and time of the order nm²; while they are made they take up to twice that, and blocks of
    128 MB.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    n_components : int ≥ 1, default 100; m. Of fewer objects all are landmarks.
    random_state : int, RandomState or None, default None; draws the landmarks. An int gives the same ones each time.

    Attributes
    ----------
    landmarks_ : (m,) indices of the landmarks among the training objects, in ascending order
    eigenvalues_ : (q,) the μ that exceed rounding, 10 m · 2⁻⁵² max |μ|; largest first, in units of k. Of a Gram matrix
        that is given in single precision ("precomputed") 2⁻²³ stands in the place of 2⁻⁵².
    dual_coef_ : (m, q) the columns of U diag(μ)^(−1/2)
    coef_ : (q, d) the features as vectors, F(x) = coef_ x, where the kernel is Linear
    kernel_, X_fit_ : the Kernel, fitted on all training objects, or "precomputed"; the landmarks, None with
        "precomputed"

    Raises
    ------
    ValueError : a parameter out of range, objects that the kernel cannot take, no eigenvalue above rounding
    MemoryError : a Gram matrix of the landmarks larger than the free memory
    ConvergenceWarning : K_mm has a negative eigenvalue, below −10⁻⁶ of the largest; no feature stands for it

    References
    ----------
    Williams & Seeger (2001), Using the Nyström method to speed up kernel machines, NIPS 13.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from kernelbook import RBF, Nystroem
    >>> x = np.linspace(0, 10, 20_000)[:, None]
    >>> model = make_pipeline(Nystroem(RBF(1.0), 40, random_state=0), Ridge(1e-3))
    >>> model.fit(x, np.sin(x[:, 0])).predict([[1.0], [2.0]]).round(2)
    array([0.84, 0.91])
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, kernel="rbf", n_components=100, *, random_state=None):
        self.kernel = kernel
        self.n_components = n_components
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X, y=None):
        """Draw the landmarks.

        Parameters
        ----------
        X : (n, d) array, list of n objects, or with "precomputed" the (n, n) Gram matrix
        y : ignored
        """
        self._validate_params()
        K = np.asarray(self._fit_gram(X, gram=self._landmark_gram), dtype=float)
        precision, largest = spacing(X if is_precomputed(self.kernel_) else K), max(K.max(), -K.min())
        mu, U = eigh(K, overwrite_a=True, check_finite=False, driver="evr")
        noise = eigenvalue_noise(len(mu), np.abs(mu).max(), precision, largest)
        if not mu[-1] > noise:
            raise ValueError("the Gram matrix of the landmarks has no positive eigenvalue above rounding.")
        if not getattr(self.kernel_, "psd", False) and mu[0] < -noise and is_plainly_negative(mu[0], mu[-1]):
            warn(
                f"the Gram matrix of the landmarks has the negative eigenvalue {mu[0]:.3g}, the largest being "
                f"{mu[-1]:.3g}: the kernel is not PSD, and no feature can stand for it.",
            )
        kept = np.flatnonzero(mu > noise)[::-1]
        self.eigenvalues_ = mu[kept]
        self.dual_coef_ = orient(U[:, kept]) / np.sqrt(self.eigenvalues_)
        return self

    def transform(self, X):
        """F of each object of X, shape (n, q), in units of √k.

        Raises ValueError when X does not match the training data.
        """
        check_is_fitted(self)
        support = self.landmarks_ if is_precomputed(self.kernel_) else slice(None)
        return self._expansion(X, self.dual_coef_, support)

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)

    def _landmark_gram(self, kernel, X, sample_weight, order):
        """As ``training_gram``, of the landmarks; sets ``landmarks_``."""
        if is_precomputed(kernel):
            objects = gram_matrix(X, "X")
        else:
            kernel, objects = fitted_kernel(kernel, X)
        n = _num_samples(objects)
        drawn = check_random_state(self.random_state).permutation(n)[: self.n_components]
        self.landmarks_ = np.sort(drawn)
        check_memory(len(drawn), DECOMPOSED)
        if is_precomputed(kernel):
            return kernel, None, objects[np.ix_(self.landmarks_, self.landmarks_)]
        Z = _safe_indexing(objects, self.landmarks_)
        return kernel, Z, summable(kernel, kernel(Z))

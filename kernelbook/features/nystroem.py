"""Nyström features: the objects projected on a few landmarks in feature space, for use in a linear model."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from kernelbook.base.estimator import KernelEstimator
from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.kernel_parameters import HasKernel
from kernelbook.base.training import EIGH_MATRICES, check_memory, fitted_kernel, is_precomputed, require_finite_sum
from kernelbook.inputs.intervals import POSITIVE_INTEGER
from kernelbook.linalg.eigenpairs import significant_eigenpairs
from kernelbook.linalg.gram import gram_matrix, orient
from kernelbook.linalg.tolerances import machine_epsilon


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, HasKernel, KernelEstimator):
    """Features by Nyström's method: the projection of φ(x) on the span of m landmarks, in coordinates.

    F(x) = k_x(Z) U diag(μ)^(−1/2)    so that    F(x) F(x')ᵀ = k_x(Z) U diag(1/μ) Uᵀ k_x'(Z)ᵀ

    Z are the m landmarks, drawn at random from the training objects, and k_x(Z) is the row of the values k(x, z_j).
    μ and U are the eigenvalues of the landmarks' Gram matrix K_mm that exceed rounding, and their eigenvectors. F(x)
    holds the coordinates of the projection of φ(x) on the span of φ(z_1), …, φ(z_m). If the kernel is PSD,
    F(x) F(z_j)ᵀ equals k(x, z_j) up to an error of at most √(10 m · 2⁻⁵² · μ_1 · k(x, x)), due to the eigenvalues left
    out. This error is small unless a few landmarks are much longer than the others in feature space.

    A linear model on F is the kernel machine restricted to that span. Ridge regression without an intercept, with
    λ = ``alpha``, has the solution f = Σ_j β_j k(z_j, ·) of ((K_nm)ᵀ K_nm + λ K_mm) β = (K_nm)ᵀ y. The features of
    n objects take 8nm bytes and time of the order nm². Computing them takes up to twice that memory, and blocks of
    128 MB.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    n_components : int ≥ 1, default 100; the number m of landmarks. If there are fewer objects, all are landmarks.
    random_state : int, RandomState or None, default None; draws the landmarks. An int gives the same ones each time.

    Attributes
    ----------
    landmarks_ : (m,) indices of the landmarks among the training objects, in ascending order
    eigenvalues_ : (q,) the μ that exceed rounding, 10 m · 2⁻⁵² max |μ|; largest first, in units of k. If a Gram matrix
        is given in single precision ("precomputed"), they also exceed √m · 2⁻²³ max |K_mm|.
    dual_coef_ : (m, q) the columns of U diag(μ)^(−1/2)
    coef_ : (q, d) the features as vectors, F(x) = coef_ x, if the kernel is Linear
    kernel_, X_fit_ : the Kernel, fitted on all training objects, or "precomputed"; the landmarks, None with
        "precomputed"

    Raises
    ------
    ValueError : a parameter out of range, objects that the kernel cannot take, no eigenvalue above rounding
    MemoryError : a Gram matrix of the landmarks larger than the free memory
    ConvergenceWarning : K_mm has a negative eigenvalue below −10⁻⁶ of the largest; its eigenvector is left out

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
        "n_components": [POSITIVE_INTEGER],
        "random_state": ["random_state"],
    }

    def __init__(self, kernel="rbf", n_components=100, *, random_state=None):
        self.kernel = kernel
        self.n_components = n_components
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X, y=None):
        """Draw the landmarks and decompose their Gram matrix.

        Parameters
        ----------
        X : (n, d) array, list of n objects, or with "precomputed" the (n, n) Gram matrix
        y : ignored
        """
        self._validate_params()
        K = self._keep_training(X, *self._landmark_gram(X))
        self.eigenvalues_, U, _ = significant_eigenpairs(
            np.asarray(K, dtype=float),
            "the Gram matrix of the landmarks",
            epsilon=machine_epsilon(X if is_precomputed(self.kernel_) else K),
            psd=getattr(self.kernel_, "psd", False),
        )
        self.dual_coef_ = orient(U) / np.sqrt(self.eigenvalues_)
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

    def _landmark_gram(self, X):
        """As ``training_gram``, but for the landmarks, which it draws; sets ``landmarks_``."""
        if is_precomputed(self.kernel):
            kernel, objects = self.kernel, gram_matrix(X, "X")
        else:
            kernel, objects = fitted_kernel(self.kernel, X)
        n = _num_samples(objects)
        self.landmarks_ = np.sort(check_random_state(self.random_state).permutation(n)[: self.n_components])
        check_memory(len(self.landmarks_), EIGH_MATRICES)
        if is_precomputed(kernel):
            return kernel, None, objects[np.ix_(self.landmarks_, self.landmarks_)]
        Z = _safe_indexing(objects, self.landmarks_)
        return kernel, Z, require_finite_sum(kernel, kernel(Z))

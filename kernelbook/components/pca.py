"""Kernel principal components: the directions of feature space in which the sample varies most."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from kernelbook.base.estimator import KernelEstimator
from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.kernel_parameters import HasKernel
from kernelbook.base.prediction import BLOCK_NUMBERS
from kernelbook.base.training import EIGH_MATRICES, is_precomputed, training_gram
from kernelbook.inputs.intervals import NONNEGATIVE_REAL, POSITIVE_INTEGER
from kernelbook.inputs.validation import finite_array
from kernelbook.kernels import Kernel, as_kernel
from kernelbook.linalg.blocks import squared_distance_block
from kernelbook.linalg.eigenpairs import significant_eigenpairs
from kernelbook.linalg.gram import orient
from kernelbook.linalg.tolerances import machine_epsilon
from kernelbook.rkhs.preimages import fixed_point, gaussian
from kernelbook.runtime.warn import warn


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, HasKernel, KernelEstimator):
    """Kernel principal component analysis.

    maximise over v_1, v_2, … in H, orthonormal    Σ_i ⟨v_m, φ(x_i) − φ̄⟩²,   φ̄ = Σ_i φ(x_i) / n

    The solution is v_m = Σ_i α_im φ(x_i). Here α_m is the eigenvector of the centred Gram matrix K̃ = HKH,
    H = I − 11ᵀ/n, with the m-th largest eigenvalue λ_m, scaled to λ_m ‖α_m‖² = 1, so that ‖v_m‖ = 1. Component m of an
    object is

        ⟨v_m, φ(x) − φ̄⟩ = Σ_i α_im k(x_i, x) − Σ_ij α_im k(x_i, x_j) / n.

    The sign of a component is fixed by its values at the training objects: the first value that is clearly larger than
    half of the largest one in size is positive. A component is found if its eigenvalue exceeds rounding,
    10 n · 2⁻⁵² · (λ_1 + |1ᵀK1| / n²). There are at most n − 1 of them, and no more than H has dimensions. If a Gram
    matrix is given in single precision ("precomputed"), eigenvalues also exceed √n · 2⁻²³ max |K|. If an eigenvalue is
    multiple, only the space that its components span is determined.

    Parameters
    ----------
    n_components : int ≥ 1, float in (0, 1) or None, default None
        An int is the largest number of components. A float is a share of the variance: as few components are kept as
        explain it. None keeps all. A small number of components is found without computing the others: see
        ``eigenpairs.centred_eigenpairs``.
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    preimage : "fixed-point", "ridge" or None, default None; the method of ``inverse_transform``. None means
        "fixed-point" for an RBF and "ridge" otherwise.
    alpha : float ≥ 0, default 0; the ridge parameter of "ridge", as a share of λ_1 (no unit)

    Attributes
    ----------
    eigenvalues_ : (q,) the eigenvalues λ of K̃, largest first, in units of k, as in scikit-learn. The eigenvalues of the
        covariance operator, which are the variances of the components, are λ / n.
    explained_variance_ratio_ : (q,) λ_m / tr K̃. If the kernel is not PSD, the trace has negative terms too, so that
        the ratios may exceed 1. They are NaN if the trace is not positive.
    negative_eigenvalue_ : float, the smallest eigenvalue of K̃ if it is negative beyond rounding, else 0. It is not
        computed for kernels that are known to be PSD. If few components of many are computed, a negative eigenvalue
        below 10⁻⁴ of the largest in size can go unnoticed.
    dual_coef_ : (n, q) the coefficients α, scikit-learn's eigenvectors_ / √eigenvalues_
    intercept_ : (q,) −Σ_ij α_im k(x_i, x_j) / n
    coef_ : (q, d) the v as vectors, if the kernel is Linear
    kernel_, X_fit_ : the fitted Kernel, or "precomputed"; the training objects, None with "precomputed"

    Raises
    ------
    ValueError : a parameter out of range, objects that the kernel cannot take, objects that all have the same features
    MemoryError : a Gram matrix larger than the free memory
    ConvergenceWarning : K̃ has a negative eigenvalue below −10⁻⁶ of the largest; its eigenvector is left out

    References
    ----------
    Schölkopf, Smola & Müller (1998), Nonlinear component analysis as a kernel eigenvalue problem, Neural Comput. 10.
    Mika, Schölkopf, Smola, Müller, Scholz & Rätsch (1999), Kernel PCA and de-noising in feature spaces, NIPS 11.
    Hoffmann (2007), Kernel PCA for novelty detection, Pattern Recognition 40.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelbook import KernelPCA, Polynomial
    >>> angles = np.arange(16) * np.pi / 8
    >>> circle = np.column_stack([np.cos(angles), np.sin(angles)])
    >>> model = KernelPCA(5, Polynomial(2)).fit(np.vstack([circle, 3 * circle]))
    >>> model.transform([[1.0, 0.0], [0.0, 3.0]])[:, 2].round(2)  # the third tells the circles apart
    array([ 2.83, -2.83])
    """

    _parameter_constraints = {
        "n_components": [
            POSITIVE_INTEGER,
            Interval(Real, 0, 1, closed="neither"),
            None,
        ],
        "preimage": [StrOptions({"fixed-point", "ridge"}), None],
        "alpha": [NONNEGATIVE_REAL],
    }

    def __init__(self, n_components=None, kernel="rbf", *, preimage=None, alpha=0.0):
        self.n_components = n_components
        self.kernel = kernel
        self.preimage = preimage
        self.alpha = alpha

    @all_or_nothing
    def fit(self, X, y=None):
        """Find the components.

        Parameters
        ----------
        X : (n, d) array, list of n objects, or with "precomputed" the (n, n) Gram matrix
        y : ignored
        """
        self._check_parameters()
        count = self.n_components if isinstance(self.n_components, Integral) else None
        K = self._keep_training(X, *training_gram(self.kernel, X, matrices=2 if count else EIGH_MATRICES + 1))
        epsilon = machine_epsilon(X if is_precomputed(self.kernel_) else K)
        K = np.asarray(K, dtype=float)
        with np.errstate(over="ignore", invalid="ignore"):
            row_means = K.mean(axis=0)
            self._mean = row_means.mean()
            squared_lengths = K.diagonal() - 2 * row_means + self._mean  # ‖φ(x_i) − φ̄‖², the diagonal of K̃
            trace = squared_lengths.sum()
        if not np.isfinite(trace):
            raise ValueError("the Gram matrix has values too large to be summed; scale it, or the data.")
        eigenvalues, U, self.negative_eigenvalue_ = significant_eigenpairs(
            K,
            f"the centred Gram matrix of n_samples={len(K)}",
            epsilon,
            psd=getattr(self.kernel_, "psd", False),
            count=count,
            centred=True,
        )
        ratio = eigenvalues / trace if trace > 0 else np.full(len(eigenvalues), np.nan)
        q = self._number_kept(ratio)
        self.eigenvalues_, self.explained_variance_ratio_ = eigenvalues[:q].copy(), ratio[:q].copy()
        self.dual_coef_ = orient(U[:, :q])
        self.dual_coef_ /= np.sqrt(self.eigenvalues_)
        self.dual_coef_ -= self.dual_coef_.mean(axis=0)  # eigenvectors of K̃ have the mean 0, up to rounding
        self.intercept_ = -row_means @ self.dual_coef_
        self._squared_residuals = squared_lengths - np.square(self._training_scores()).sum(axis=1)
        return self

    def fit_transform(self, X, y=None):
        """The components of the training objects, shape (n, q), from the Gram matrix of the fit."""
        return self.fit(X)._training_scores()

    def transform(self, X):
        """The components of each object of X, shape (m, q), in units of √k.

        Raises ValueError when X does not match the training data.
        """
        check_is_fitted(self)
        return self._expansion(X, self.dual_coef_) + self.intercept_

    def reconstruction_error(self, X):
        """The squared distance from φ(x) to φ̄ plus the span of the v_m, shape (m,), in units of k.

            ‖φ(x) − φ̄‖² − Σ_m ⟨v_m, φ(x) − φ̄⟩²

        It is large for novel objects (Hoffmann 2007). It may be negative if the kernel is not PSD. Raises ValueError
        with "precomputed", where k(x, x) is not known.
        """
        check_is_fitted(self)
        if is_precomputed(self.kernel_):
            raise ValueError("kernel must be a Kernel or a function for k(x, x) to be known, got 'precomputed'.")
        n = len(self.dual_coef_)
        expansions = self._expansion(X, np.column_stack([self.dual_coef_, np.full(n, 1 / n)]))
        scores, row_means = expansions[:, :-1] + self.intercept_, expansions[:, -1]
        squared_lengths = self.kernel_.diag(X) - 2 * row_means + self._mean
        errors = squared_lengths - np.square(scores).sum(axis=1)
        return np.maximum(errors, 0) if self.kernel_.psd else errors

    def inverse_transform(self, X):
        """An approximate pre-image in input space for each row of components, shape (m, d).

        The components s of a row name the point P = φ̄ + Σ_m s_m v_m of H. Most points of H are not φ(z) for any z, so
        that P has no exact pre-image, and approximate ones need not be unique.

        "fixed-point" (Mika et al. 1999; for an RBF) finds a z at which the gradient of ‖φ(z) − P‖ is zero. It starts
        at the training object whose features are nearest to P, and no step increases the distance from P. So z is
        usually a minimum, perhaps a local one. If data and P are symmetric about the start, z can be another stationary
        point; slightly different components then lead to a minimum.
        "ridge" (for any kernel on vectors) predicts x linearly from the components, as x̄ + Bᵀs with

            B the minimiser of Σ_i ‖x_i − x̄ − Bᵀs_i‖² + alpha λ_1 ‖B‖²,   s_i the components of x_i.

        With all components and alpha = 0 both return the training objects. With alpha = 0 and the linear kernel,
        "ridge" is the inverse of PCA.

        Parameters
        ----------
        X : (m, q) array of components, as `transform` gives them

        Raises
        ------
        ValueError : X has another number of components; the training objects are not vectors
        ConvergenceWarning : no fixed point was reached for a row; the result is the best point seen, at worst a
            training object
        """
        check_is_fitted(self)
        self._check_parameters()
        points, scores = self._vectors(), finite_array(X, "X")
        if scores.shape[1] != len(self.eigenvalues_):
            raise ValueError(
                f"X must have a column for each of the {len(self.eigenvalues_)} components, but has shape "
                f"{scores.shape}."
            )
        kernel = gaussian(self.kernel_)
        if kernel is None and self.preimage == "fixed-point":
            raise ValueError(f"preimage='fixed-point' needs an RBF, but kernel_ is {self.kernel_!r}: write 'ridge'.")
        if kernel is None or self.preimage == "ridge":
            return self._ridge_preimages(points, scores)
        return self._fixed_point_preimages(kernel, points, scores)

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)

    def _check_parameters(self):
        if isinstance(self.n_components, Kernel | str) or callable(self.n_components):
            raise ValueError(
                "n_components comes first in KernelPCA, and is a number or None; write KernelPCA(2, kernel), for "
                f"instance. It is {self.n_components!r}."
            )
        self._validate_params()
        if self.preimage == "fixed-point" and (is_precomputed(self.kernel) or gaussian(as_kernel(self.kernel)) is None):
            raise ValueError(f"preimage='fixed-point' needs an RBF, but kernel is {self.kernel!r}: write 'ridge'.")

    def _number_kept(self, ratio):
        """The number of components to keep, of those with these shares of the variance."""
        if self.n_components is None or isinstance(self.n_components, Integral):
            return len(ratio)
        if np.isnan(ratio[0]):
            raise ValueError(
                f"n_components={self.n_components!r} is a share of the variance, but the trace of the centred Gram "
                "matrix is not positive: the kernel is not PSD."
            )
        share = self.n_components - len(ratio) * np.finfo(float).eps  # sums of equal ratios may fall short by rounding
        return min(len(ratio), 1 + np.count_nonzero(ratio.cumsum() < share))

    def _training_scores(self):
        """The components of the training objects, shape (n, q): K̃α = αλ."""
        return self.dual_coef_ * self.eigenvalues_

    def _vectors(self):
        """The training objects as an array, or ValueError if they are not vectors."""
        if not is_precomputed(self.kernel_) and self.kernel_.on_vectors:
            try:
                return finite_array(self.X_fit_, "X")
            except (ValueError, TypeError):
                pass
        raise ValueError(
            "inverse_transform needs training objects that are vectors, the rows of an array, but those of kernel "
            f"{self.kernel!r} are not: take the training object whose components are nearest, for instance."
        )

    def _ridge_preimages(self, points, scores):
        """x̄ + Bᵀs for each row s of scores, with B = (Σ_i s_i s_iᵀ + alpha λ_1 I)⁻¹ Σ_i s_i (x_i − x̄)ᵀ.

        Σ_i s_i s_iᵀ is the diagonal matrix of the eigenvalues.
        """
        mean, shrunk = points.mean(axis=0), self.eigenvalues_ + self.alpha * self.eigenvalues_[0]
        return mean + (scores / shrunk) @ (self._training_scores().T @ (points - mean))

    def _fixed_point_preimages(self, kernel, points, scores):
        """Pre-images of P = φ̄ + Σ_m s_m v_m for each row s of scores, started at the nearest of the points.

        The squared distance from φ(x_i) to P is ‖s_i − s‖² plus the squared distance of φ(x_i) from the space of the
        components.
        """
        n, training_scores, parts, failures = len(points), self._training_scores(), [], 0
        for chunk in np.array_split(scores, -(-len(scores) * n // BLOCK_NUMBERS)):
            squared_distances = squared_distance_block(chunk, training_scores) + self._squared_residuals
            start = points[np.argmin(squared_distances, axis=1)]
            weights = chunk @ self.dual_coef_.T + 1 / n  # P = Σ_i weights_i φ(x_i), since each column of α sums to 0
            found, converged = fixed_point(kernel, points, weights, start)
            parts.append(found)
            failures += np.count_nonzero(~converged)
        if failures:
            warn(
                f"{failures} of {len(scores)} pre-images are not fixed points: the iteration did not converge, or "
                "their components lie too far from those of any training object; each is the best point seen."
            )
        return np.concatenate(parts)

"""Kernel principal components: the directions of feature space in which the sample varies most."""

from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from kernelbook.base.estimator import CHUNK, KernelEstimator, all_or_nothing
from kernelbook.base.training import DECOMPOSED, is_precomputed, training_gram
from kernelbook.kernels import Kernel, as_kernel
from kernelbook.linalg.blocks import squared_distance_block
from kernelbook.linalg.eigenpairs import centred_eigenpairs
from kernelbook.linalg.gram import orient
from kernelbook.linalg.tolerances import eigenvalue_noise, is_negative, is_plainly_negative, spacing
from kernelbook.rkhs.preimages import fixed_point, gaussian
from kernelbook.runtime.validation import finite_array
from kernelbook.runtime.warn import warn


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """Kernel principal component analysis.

    maximise over v_1, v_2, … in H, orthonormal    Σ_i ⟨v_m, φ(x_i) − φ̄⟩²,   φ̄ = Σ_i φ(x_i) / n

    The solution is v_m = Σ_i α_im φ(x_i), where α_m is an eigenvector of the centred Gram matrix K̃ = HKH,
    H = I − 11ᵀ/n, with the m-th largest eigenvalue λ_m, and λ_m ‖α_m‖² = 1, so that ‖v_m‖ = 1. Component m of an
    object is

        ⟨v_m, φ(x) − φ̄⟩ = Σ_i α_im k(x_i, x) − Σ_ij α_im k(x_i, x_j) / n.

    Its sign is such that, of its values at the training objects, the first that is clearly larger than half of the
    largest in size is positive. The components found are those whose eigenvalue exceeds rounding,
    10 n · 2⁻⁵² · (λ_1 + |1ᵀK1| / n²): at most n − 1, and no more than H has dimensions. A Gram matrix that is given in
    single precision ("precomputed") has 2⁻²³ there. Of copies of one eigenvalue, only the space of their components
    has a meaning.

    Parameters
    ----------
    n_components : int ≥ 1, float in (0, 1) or None, default None
        The most components; or the share of the variance that they shall explain, with as few as can be; None for all.
        Few of many are found without the others: see ``eigenpairs.centred_eigenpairs``.
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    preimage : "fixed-point", "ridge" or None; what ``inverse_transform`` does. None, the default, is "fixed-point"
        for an RBF, and "ridge" otherwise.
    alpha : float ≥ 0, default 0; the ridge of "ridge", as a share of λ_1 (no unit)

    Attributes
    ----------
    eigenvalues_ : (q,) λ, largest first, in units of k. These are eigenvalues of K̃, as in scikit-learn; those of the
        covariance operator, the variances of the components, are λ / n.
    explained_variance_ratio_ : (q,) λ_m / tr K̃. If the kernel is not PSD, the trace has negative terms too, so that
        the ratios may exceed 1; they are NaN where it is not positive.
    negative_eigenvalue_ : float, the smallest eigenvalue of K̃ if that is negative beyond rounding, else 0. It is looked
        for where the kernel does not promise to be PSD; with few components of many, one can go unnoticed that is below
        10⁻⁴ of the largest in size.
    dual_coef_ : (n, q) the α: scikit-learn's eigenvectors_ / √eigenvalues_
    intercept_ : (q,) −Σ_ij α_im k(x_i, x_j) / n
    coef_ : (q, d) the v, as vectors, where the kernel is Linear
    kernel_, X_fit_ : the fitted Kernel, or "precomputed"; the training objects, None with "precomputed"

    Raises
    ------
    ValueError : a parameter out of range, objects that the kernel cannot take, objects that all have the same features
    MemoryError : a Gram matrix larger than the free memory
    ConvergenceWarning : K̃ has a negative eigenvalue, below −10⁻⁶ of the largest; its component is left out

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
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            None,
        ],
        "preimage": [StrOptions({"fixed-point", "ridge"}), None],
        "alpha": [Interval(Real, 0, np.inf, closed="left")],
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
        few = isinstance(self.n_components, Integral)
        K = self._fit_gram(X, gram=partial(training_gram, matrices=2 if few else DECOMPOSED + 1))
        with np.errstate(over="ignore", invalid="ignore"):
            means = K.mean(axis=0)
            self._mean = means.mean()
            squared_lengths = K.diagonal() - 2 * means + self._mean
            total = squared_lengths.sum()
        if not np.isfinite(total):
            raise ValueError("the Gram matrix has values too large to be summed; scale it, or the data.")
        mu, U = self._positive_eigenpairs(np.asarray(K, dtype=float), spacing(X if is_precomputed(self.kernel_) else K))
        ratio = _ratio(mu, total)
        kept = self._number_kept(ratio)
        self.eigenvalues_, self.explained_variance_ratio_ = mu[:kept].copy(), ratio[:kept].copy()
        self.dual_coef_ = orient(U[:, :kept])
        self.dual_coef_ /= np.sqrt(self.eigenvalues_)
        self.dual_coef_ -= self.dual_coef_.mean(axis=0)  # which is zero, but for rounding
        self.intercept_ = -means @ self.dual_coef_
        self._unexplained = squared_lengths - np.square(self._training_scores()).sum(axis=1)
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
        """‖φ(x) − Pφ(x)‖² for each object of X, shape (m,), P the projection on the components; in units of k.

        It is k̃(x, x) less the sum of the squared components, and large for novel objects (Hoffmann 2007). It may be
        negative where the kernel is not PSD. Raises ValueError with "precomputed", where k(x, x) is not known.
        """
        check_is_fitted(self)
        if is_precomputed(self.kernel_):
            raise ValueError("kernel must be a Kernel or a function for k(x, x) to be known, got 'precomputed'.")
        n = len(self.dual_coef_)
        found = self._expansion(X, np.column_stack([self.dual_coef_, np.full(n, 1 / n)]))
        scores, means = found[:, :-1] + self.intercept_, found[:, -1]
        left = self.kernel_.diag(X) - 2 * means + self._mean - np.square(scores).sum(axis=1)
        return np.maximum(left, 0) if self.kernel_.psd else left

    def inverse_transform(self, X):
        """A point of input space for each row of components: a pre-image, shape (m, d).

        The components name a point P = φ̄ + Σ_m X_m v_m of H. Most points of H are features of nothing, so that P has
        no exact pre-image, and what is found need not be the only one of its kind.

        "fixed-point" (Mika et al. 1999; for an RBF) finds a z at which the gradient of ‖φ(z) − P‖ is zero. It starts
        at the training object whose features are nearest to P, and never moves away from P, so that z is a minimum as
        a rule, perhaps a local one. Where data and P are symmetric about the start, it can be another point: a minimum
        is then found by other components, P a little moved.
        "ridge" (for any kernel on vectors) predicts x linearly from the components, x̄ + BᵀX with

            B the minimiser of Σ_i ‖x_i − x̄ − Bᵀs_i‖² + alpha λ_1 ‖B‖²,   s_i the components of x_i.

        With all components and alpha = 0 both return the training objects. With alpha = 0 and the linear kernel,
        "ridge" is the inverse of PCA.

        Parameters
        ----------
        X : (m, q) array of components, as `transform` gives them

        Raises
        ------
        ValueError : another number of components; the training objects are not vectors
        ConvergenceWarning : a fixed point was not reached; its row is the best point seen, at worst a training object
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
            return self._ridge_map(points, scores)
        return self._nearest_features(kernel, points, scores)

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
        if self.n_components is None or isinstance(self.n_components, Integral):
            return len(ratio)
        if np.isnan(ratio[0]):
            raise ValueError(
                f"n_components={self.n_components!r} is a share of the variance, but the trace of the centred Gram "
                "matrix is not positive: the kernel is not PSD."
            )
        enough = self.n_components - len(ratio) * np.finfo(float).eps  # as many equal shares as add up to it
        return min(len(ratio), 1 + np.count_nonzero(ratio.cumsum() < enough))

    def _positive_eigenpairs(self, K, precision):
        """The largest eigenvalues of K̃, as far as they exceed rounding, and their vectors; overwrites K."""
        n, promised, largest = len(K), getattr(self.kernel_, "psd", False), max(K.max(), -K.min())
        count = min(n, self.n_components) if isinstance(self.n_components, Integral) else n
        mu, U, least = centred_eigenpairs(K, count, lowest=not promised)
        size = np.abs(np.append(mu, least or 0.0)).max() + abs(self._mean)  # of K, whose rounding is what counts
        noise = eigenvalue_noise(n, size, precision, largest)
        negative = not promised and is_negative(least, size) and least < -noise
        self.negative_eigenvalue_ = least if negative else 0.0
        if negative and is_plainly_negative(least, size):
            warn(
                f"the centred Gram matrix has the negative eigenvalue {least:.3g}, the largest being {mu[0]:.3g}: the "
                "kernel is not PSD, and no component can stand for it.",
            )
        kept = np.count_nonzero(mu > noise)
        if not kept:
            reason = "the kernel is not PSD"
            if not self.negative_eigenvalue_:
                reason = "to rounding, all objects have the same features (centre and scale X to suit the kernel)"
            raise ValueError(f"the centred Gram matrix of n_samples={n} has no positive eigenvalue: {reason}.")
        return mu[:kept], U[:, :kept]

    def _training_scores(self):
        return self.dual_coef_ * self.eigenvalues_

    def _vectors(self):
        """The training objects, or ValueError where they are no vectors."""
        if not is_precomputed(self.kernel_) and self.kernel_.on_vectors:
            try:
                return finite_array(self.X_fit_, "X")
            except (ValueError, TypeError):
                pass
        raise ValueError(
            "inverse_transform needs training objects that are vectors, the rows of an array, and kernel "
            f"{self.kernel!r} has none: take the training object whose components are nearest, for instance."
        )

    def _ridge_map(self, points, scores):
        mean, shrunk = points.mean(axis=0), self.eigenvalues_ + self.alpha * self.eigenvalues_[0]
        return mean + (scores / shrunk) @ (self._training_scores().T @ (points - mean))

    def _nearest_features(self, kernel, points, scores):
        n, training, found, failed = len(points), self._training_scores(), [], 0
        for some in np.array_split(scores, -(-len(scores) * n // CHUNK)):
            start = points[np.argmin(squared_distance_block(some, training) + self._unexplained, axis=1)]
            weights = some @ self.dual_coef_.T + 1 / n  # of the features: the coefficients of a component sum to 0
            z, converged = fixed_point(kernel, points, weights, start)
            found.append(z)
            failed += np.count_nonzero(~converged)
        if failed:
            warn(
                f"{failed} of {len(scores)} pre-images are no fixed points: the iteration did not converge, or their "
                "components lie too far from those of any training object; each is the best point seen.",
            )
        return np.concatenate(found)


def _ratio(mu, total):
    """The shares of the total variance; NaN where the eigenvalues of a kernel that is not PSD have no positive sum."""
    return mu / total if total > 0 else np.full(len(mu), np.nan)

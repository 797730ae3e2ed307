"""Nyström features: the objects projected on a few landmarks in feature space, for use in a linear model."""

from copy import deepcopy
from numbers import Integral

import numpy as np
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _num_samples

from kernelbook.base.estimator import ALL, KernelEstimator
from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.prediction import kernel_blocks
from kernelbook.base.training import EIGH_MATRICES, check_memory, fitted_kernel, is_precomputed, require_finite_sum
from kernelbook.features.landmarks import RULES, cluster_means, pivoted_landmarks
from kernelbook.features.mapping import NUMBERS, FeatureMap
from kernelbook.inputs.intervals import POSITIVE_INTEGER
from kernelbook.inputs.validation import quoted
from kernelbook.linalg.eigenpairs import significant_eigenpairs
from kernelbook.linalg.gram import gram_matrix, orient
from kernelbook.linalg.tolerances import machine_epsilon

SAMPLE = 8  # objects for each landmark, from which landmarks are chosen


class Nystroem(FeatureMap, KernelEstimator):
    """Features by Nyström's method: the projection of φ(x) on the span of m landmarks, in coordinates.

    F(x) = k_x(Z) U diag(μ)^(−1/2)    so that    F(x) F(x')ᵀ = k_x(Z) U diag(1/μ) Uᵀ k_x'(Z)ᵀ

    Z are the m landmarks, and k_x(Z) is the row of the values k(x, z_j). μ and U are the eigenvalues of the landmarks'
    Gram matrix K_mm that exceed rounding, and their eigenvectors. F(x) holds the coordinates of the projection of φ(x)
    on the span of φ(z_1), …, φ(z_m). If the kernel is PSD, F(x) F(z_j)ᵀ equals k(x, z_j) up to an error of at most
    √(10 m · 2⁻⁵² · μ_1 · k(x, x)), due to the eigenvalues left out. This error is small unless a few landmarks are much
    longer than the others in feature space.

    A linear model on F is the kernel machine restricted to that span. Ridge regression without an intercept, with
    λ = ``alpha``, has the solution f = Σ_j β_j k(z_j, ·) of ((K_nm)ᵀ K_nm + λ K_mm) β = (K_nm)ᵀ y. The features of
    n objects take 8nm bytes and time of the order nm². Computing them takes up to twice that memory, and blocks of
    32 MB. ``moments`` and FeatureRidgeCV never hold more than one block.

    Landmarks are chosen by one of these rules.

    - "uniform" draws them, each object as likely as any other. A group of share p is missed with probability (1 − p)^m.
    - "pivoted" draws them one after another, x with probability in proportion to what the landmarks before it leave of
      k(x, x): randomly pivoted Cholesky, for any kind of object. It finds rare groups, and outliers too.
    - "k-means" takes the means of m clusters, for vectors.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    n_components : int ≥ 1, default 100; the number m of landmarks. If there are fewer objects, all are landmarks.
    landmarks : "uniform", "pivoted", "k-means" or objects, default "uniform"; objects are the landmarks themselves, and
        n_components then does not count
    sample : int ≥ 1 or None, default None; the number of objects, drawn at random, from which the second and third rule
        choose, and of those on which ``trace_left_`` is measured; None stands for 8m, and all are taken if there are
        fewer
    random_state : int, RandomState or None, default None; draws the landmarks. An int gives the same ones each time.

    Attributes
    ----------
    landmarks_ : (m,) indices of the landmarks among the training objects, ascending; if pivoted, in the order in which
        they were drawn, and fewer than m if nothing is left over; None for "k-means" and given objects
    trace_left_ : float, tr(K − K̂) = Σ_i (k(x_i, x_i) − ‖F(x_i)‖²), in units of k: what the landmarks leave of the
        training objects. If there are more than `sample`, an estimate: n times the mean of so many others
    eigenvalues_ : (q,) the μ that exceed rounding, 10 m · 2⁻⁵² max |μ|; largest first, in units of k. If a Gram matrix
        is given in single precision ("precomputed"), they also exceed √m · 2⁻²³ max |K_mm|.
    dual_coef_ : (m, q) the columns of U diag(μ)^(−1/2)
    coef_ : (q, d) the features as vectors, F(x) = coef_ x, if the kernel is Linear
    kernel_, X_fit_ : the Kernel, fitted on all training objects, or "precomputed"; the landmarks, None with
        "precomputed"

    Raises
    ------
    ValueError : a parameter out of range, objects that the kernel cannot take, no eigenvalue above rounding; "pivoted"
        and a kernel that shows itself not to be PSD; "k-means" and objects that are no vectors
    MemoryError : a Gram matrix of the landmarks larger than the free memory
    ConvergenceWarning : K_mm has a negative eigenvalue below −10⁻⁶ of the largest; its eigenvector is left out

    References
    ----------
    Williams & Seeger (2001), Using the Nyström method to speed up kernel machines, NIPS 13.
    Chen, Epperly, Tropp & Webber (2024), Randomly pivoted Cholesky: practical approximation of a kernel matrix with
    few entry evaluations, Communications on Pure and Applied Mathematics.
    Zhang, Tsang & Kwok (2008), Improved Nyström low-rank approximation and error analysis, ICML, for the means.

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
        "sample": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(self, kernel="rbf", n_components=100, *, landmarks="uniform", sample=None, random_state=None):
        self.kernel = kernel
        self.n_components = n_components
        self.landmarks = landmarks
        self.sample = sample
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X, y=None):
        """Choose the landmarks and decompose their Gram matrix.

        Parameters
        ----------
        X : (n, d) array, list of n objects, or with "precomputed" the (n, n) Gram matrix
        y : ignored
        """
        self._validate_params()
        if isinstance(self.landmarks, str) and self.landmarks not in RULES:
            raise ValueError(f"landmarks must be one of {RULES}, or objects, got {quoted(self.landmarks)}.")
        if is_precomputed(self.kernel):
            kernel, objects = self.kernel, gram_matrix(X, "X")
        else:
            kernel, objects = fitted_kernel(self.kernel, X)
        n = _num_samples(objects)
        rng = check_random_state(self.random_state)
        order = rng.permutation(n)
        count = min(n, SAMPLE * self.n_components if self.sample is None else self.sample)
        epsilon = machine_epsilon(X) if is_precomputed(kernel) else None
        K = self._keep_training(X, *self._landmark_gram(kernel, objects, order, count, rng, epsilon))
        self.eigenvalues_, U, _ = significant_eigenpairs(
            np.asarray(K, dtype=float),
            "the Gram matrix of the landmarks",
            epsilon=epsilon or machine_epsilon(K),
            psd=getattr(self.kernel_, "psd", False),
        )
        self.dual_coef_ = orient(U) / np.sqrt(self.eigenvalues_)
        self.trace_left_ = float(n / count * self._residuals(objects, order[-count:]).sum())
        self._sign()
        return self

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)

    @property
    def _whitening(self):
        return self.dual_coef_

    @property
    def _condition(self):
        return self.eigenvalues_[0] / self.eigenvalues_[-1]

    def _identity(self):
        return self.X_fit_, self.landmarks_, self.dual_coef_

    def _blocks(self, objects):
        support = self.landmarks_ if is_precomputed(self.kernel_) else ALL
        return kernel_blocks(self.kernel_, objects, self.X_fit_, support, NUMBERS)

    def _landmark_gram(self, kernel, objects, order, count, rng, epsilon):
        """As ``training_gram``, but for the landmarks, which it chooses; sets ``landmarks_``.

        Uniform ones are the first of a random `order` of the objects; others are chosen from the first `count`.
        """
        self.landmarks_ = None
        if not isinstance(self.landmarks, str):
            if is_precomputed(kernel):
                raise ValueError(
                    "landmarks must be a rule where the kernel is 'precomputed', since there are no objects, got "
                    f"{quoted(self.landmarks)}."
                )
            Z = deepcopy(kernel.check(self.landmarks, "landmarks"))
        elif self.landmarks == "k-means":
            Z = cluster_means(kernel, objects, order[:count], self.n_components, rng)
        else:
            if self.landmarks == "uniform":
                self.landmarks_ = np.sort(order[: self.n_components])
            else:
                m = self.n_components
                self.landmarks_ = pivoted_landmarks(kernel, objects, order[:count], m, rng, epsilon)
            if is_precomputed(kernel):
                check_memory(len(self.landmarks_), EIGH_MATRICES)
                return kernel, None, objects[np.ix_(self.landmarks_, self.landmarks_)]
            Z = _safe_indexing(objects, self.landmarks_)
        check_memory(_num_samples(Z), EIGH_MATRICES)
        return kernel, Z, require_finite_sum(kernel, kernel(Z))

    def _residuals(self, objects, rows):
        """k(x, x) − ‖F(x)‖² of some of the training objects, with "precomputed" rows of the Gram matrix; at least 0."""
        part = _safe_indexing(objects, rows)
        lengths = part[np.arange(len(rows)), rows] if is_precomputed(self.kernel_) else self.kernel_.diag(part)
        explained = [np.square(Z @ self.dual_coef_).sum(axis=1) for _, Z in self._blocks(part)]
        return np.maximum(lengths - np.concatenate(explained), 0)

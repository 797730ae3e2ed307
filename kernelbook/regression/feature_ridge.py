"""Ridge regression on features, from sums that need the data only once."""

import numpy as np
from scipy.linalg import eigh
from sklearn.base import MultiOutputMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.parameters import CheckedEstimator
from kernelbook.base.scores import CheckedRegressor
from kernelbook.base.targets import check_regression_targets
from kernelbook.features import Moments, Nystroem
from kernelbook.features.mapping import FeatureMap
from kernelbook.inputs.validation import positive_list, quoted
from kernelbook.linalg.tolerances import typical_rounding

ALPHAS = tuple(10.0 ** (exponent / 2) for exponent in range(-14, 7))
KEPT = "n_features_in_", "feature_names_in_"  # of the features, if they have them


class FeatureRidgeCV(MultiOutputMixin, CheckedRegressor, CheckedEstimator):
    """Ridge regression on explicit features, for any number of objects, with its ridge chosen from the same sums.

    minimise over w in ℝ^q and b in ℝ    Σ_i w_i (y_i − F(x_i) w − b)² + alpha ‖w‖²

    With the ``Moments`` n, mean, A, b, c of features and targets, w = (A + alpha I)⁻¹ b, and the intercept is
    y_mean − mean · w. With A = U diag(λ) Uᵀ and β = Uᵀb, one eigendecomposition gives for every alpha

        Σ_i w_i r_i² = c − Σ_j β_j² (λ_j + 2 alpha) / (λ_j + alpha)²,    tr H = 1 + Σ_j λ_j / (λ_j + alpha),

    and so generalised cross-validation, (Σ w_i r_i² / Σ w_i) / (1 − tr H / n)². The error on a block of the data, of a
    fit to all others, is c_k − 2 wᵀb_k + wᵀA_k w + n_k (y_mean_k − mean_k · w − b)², where w and b come from the total
    less the block. Neither needs the data again. Time is of the order nq², memory 8q² bytes and one block.

    Parameters
    ----------
    features : Nystroem, RandomFeatures, ExactFeatures or None, the default, for Nystroem()
        ``fit`` fits a copy of them. ``partial_fit`` and ``fit_moments`` take them as they are: fit them before, on a
        sample of all data, since the first block need not be like the rest.
    alphas : (A,) floats > 0, default 21 from 10⁻⁷ to 10³; in units of k

    Attributes
    ----------
    alpha_ : float, the best of alphas: by ``block_errors_`` if these are known, else by ``gcv_``
    gcv_ : (A,) generalised cross-validation for each alpha, the mean over the targets; n counts objects with weight
    block_errors_ : (A,) mean squared error of each block, predicted by the others; None unless several were given
    degrees_of_freedom_ : (A,) tr H
    coef_ : (q,) or (t, q), the w for alpha_
    intercept_ : float or (t,)
    moments_ : the Moments of all data
    n_blocks_ : int, the number of blocks that they came in
    features_ : the fitted features

    Raises
    ------
    ValueError : a parameter out of range; data that the features refuse, with the number of the block in
        ``partial_fit``; moments of other features
    NotFittedError : ``partial_fit`` or ``fit_moments`` with features that are not fitted

    References
    ----------
    Golub, Heath & Wahba (1979), Generalized cross-validation as a method for choosing a good ridge parameter,
    Technometrics 21.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelbook import RBF, FeatureRidgeCV, Nystroem
    >>> x = np.linspace(0, 10, 10_000)[:, None]
    >>> features = Nystroem(RBF(1.0), 40, random_state=0).fit(x[::100])
    >>> total = sum(features.moments(part, np.sin(part[:, 0])) for part in np.array_split(x, 10))
    >>> FeatureRidgeCV(features).fit_moments(total).predict([[1.0], [2.0]]).round(2)
    array([0.84, 0.91])
    """

    _parameter_constraints = {"features": [FeatureMap, None]}  # positive_list checks alphas

    def __init__(self, features=None, alphas=ALPHAS):
        self.features = features
        self.alphas = alphas

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Fit the features, and ridge regression on them, with a block of the data in memory at a time.

        Parameters
        ----------
        X : objects, as the features take them
        y : (n,) or (n, t) array
        sample_weight : (n,) array ≥ 0 or None for ones; in the sums, an integer weight w counts the object w times. The
            features are chosen without regard to weights, and the n of ``gcv_`` counts an object once.
        """
        self._validate_params()
        y = check_regression_targets(X, y)
        features = (Nystroem() if self.features is None else clone(self.features)).fit(X)
        return self._fit(features, [features.moments(X, y, sample_weight)])

    @all_or_nothing
    def partial_fit(self, X, y, sample_weight=None):
        """Add a block of data to those before. Each call solves; to add many, sum their moments: ``fit_moments``.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``, of this block
        """
        self._validate_params()
        known = getattr(self, "moments_", None)
        features = self._fitted_features() if known is None else self.features_
        number = 1 if known is None else self.n_blocks_ + 1
        try:
            block = features.moments(X, check_regression_targets(X, y), sample_weight)
            total = block if known is None else known + block
        except ValueError as error:
            raise ValueError(f"block {number}: {error}") from None
        self._fit(features, [total])
        self.n_blocks_ = number
        return self

    @all_or_nothing
    def fit_moments(self, moments):
        """Fit to data of which only the moments are known.

        Parameters
        ----------
        moments : Moments of all data, or a list of those of its blocks; with a list, alpha is chosen by the error on
            each block of a fit to the others, which takes an eigendecomposition a block
        """
        self._validate_params()
        features = self._fitted_features()
        blocks = list(moments) if isinstance(moments, list | tuple) else [moments]
        if not blocks or not all(isinstance(block, Moments) for block in blocks):
            raise ValueError(f"moments must be Moments, or a list of them, got {quoted(moments)}.")
        for number, block in enumerate(blocks):
            if block.fingerprint != features._fingerprint:
                raise ValueError(f"moments must be those of the features given, but those of block {number} are not.")
            if not np.size(block.c):
                raise ValueError(f"moments must be those of targets too, but block {number} has none.")
        return self._fit(features, blocks)

    def predict(self, X):
        """F(x) w + b for each object of X, shape (m,) or (m, t) as y was.

        Raises ValueError when X does not match the training data.
        """
        check_is_fitted(self)
        return self.features_.linear(X, self.coef_.T) + self.intercept_

    def _fitted_features(self):
        try:
            check_is_fitted(self.features)
        except (TypeError, NotFittedError):
            raise NotFittedError(
                "features must be fitted before, on a sample of all data: the first block need not be like the rest."
            ) from None
        return self.features

    def _fit(self, features, blocks):
        alphas, total = positive_list(self.alphas, "alphas"), sum(blocks)
        whole = _Spectrum(total)
        self.features_, self.moments_, self.n_blocks_ = features, total, len(blocks)
        self.degrees_of_freedom_ = 1 + np.array([whole.shares(alpha).sum() for alpha in alphas])
        errors = np.array([whole.squares(alpha) for alpha in alphas]).mean(axis=1) / total.n
        with np.errstate(divide="ignore", invalid="ignore"):
            self.gcv_ = errors / np.square(1 - self.degrees_of_freedom_ / total.rows)
        self.block_errors_ = _block_errors(total, blocks, alphas) if len(blocks) > 1 else None
        chosen_by = self.gcv_ if self.block_errors_ is None else self.block_errors_
        self.alpha_ = float(alphas[np.nanargmin(chosen_by) if not np.isnan(chosen_by).all() else 0])
        w = whole.solve(self.alpha_)
        self.coef_ = w.T.reshape((*np.shape(total.c), -1))
        self.intercept_ = total.y_mean - total.mean @ self.coef_.T
        for name in KEPT:
            if hasattr(features, name):
                setattr(self, name, getattr(features, name))
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if isinstance(self.features, FeatureMap):
            tags.input_tags.pairwise = self.features.__sklearn_tags__().input_tags.pairwise
        return tags


class _Spectrum:
    """A = U diag(λ) Uᵀ and β = Uᵀb of some Moments, which solve for any alpha; eigenvalues within rounding are 0."""

    def __init__(self, moments):
        q = len(moments.mean)
        lam, self.U = eigh(moments.A, driver="evr")
        hidden = lam <= typical_rounding(q, lam[-1])
        self.lam, self.c = np.where(hidden, 0, lam), np.reshape(moments.c, -1)
        self.beta = self.U.T @ moments.b.reshape(q, -1)
        self.beta[hidden] = 0  # b lies in the range of A

    def shares(self, alpha):
        """λ_j / (λ_j + alpha), (q,)."""
        return self.lam / (self.lam + alpha)

    def squares(self, alpha):
        """Σ_i w_i r_i² for each target, (t,)."""
        explained = (self.lam + 2 * alpha) / np.square(self.lam + alpha)
        return np.maximum(self.c - explained @ np.square(self.beta), 0)

    def solve(self, alpha):
        """w for each target, (q, t)."""
        return self.U @ (self.beta / (self.lam + alpha)[:, None])


def _block_errors(total, blocks, alphas):
    """The mean squared error of each block, predicted by a fit to the others, for each alpha; (A,)."""
    errors = np.zeros(len(alphas))
    for block in blocks:
        rest = total - block
        spectrum = _Spectrum(rest)
        w = np.stack([spectrum.solve(alpha) for alpha in alphas], axis=1)  # (q, A, t)
        b = np.reshape(block.b, (len(w), 1, -1))
        A_w = np.tensordot(block.A, w, axes=1)
        far = np.reshape(block.y_mean - rest.y_mean, -1) - np.tensordot(block.mean - rest.mean, w, axes=1)
        squares = np.reshape(block.c, -1) + (w * (A_w - 2 * b)).sum(axis=0) + block.n * far**2
        errors += np.maximum(squares, 0).mean(axis=1)
    return errors / total.n

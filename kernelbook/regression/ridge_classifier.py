"""Classification by kernel ridge regression on labels ±1: the least-squares support vector machine."""

import numpy as np
from sklearn.utils import _safe_indexing

from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.scores import CheckedClassifier
from kernelbook.base.targets import CLASS_WEIGHT, encode_labels, weights_by_class
from kernelbook.inputs.validation import sample_weights
from kernelbook.regression.ridge import ALPHAS, _LeaveOneOutRidge


class KernelRidgeClassifier(CheckedClassifier, _LeaveOneOutRidge):
    """Least-squares classification: kernel ridge regression on labels ±1, its ridge chosen by exact leave-one-out.

    minimise over f in H, b in R    Σ_i w_i (y_i − f(x_i) − b)² + alpha ‖f‖²,    y_i = ±1

    This is KernelRidgeCV with the labels as targets, from the same single eigendecomposition. With b free it is the
    least-squares support vector machine (LS-SVM), whose constant γ is 1/alpha. With several classes, there is one f and
    one b for each class, fitted to y_i = 1 inside the class and −1 outside, and one alpha for all.

    The chosen alpha minimises the leave-one-out error Σ_i w_i (y_i − f₋ᵢ(x_i) − b₋ᵢ)² / Σ_i w_i, where f₋ᵢ and b₋ᵢ are
    fitted without object i. This is the loss that the fit minimises, and it varies smoothly with alpha. The share of
    wrong classes changes in steps of 1/n instead, so that several alphas often tie. ``loo_decision_values_`` gives this
    share for alpha_.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    alphas : (A,) floats > 0, default 10⁻⁴ … 10²; in units of k. A list with one element fixes alpha.
    fit_intercept : bool, default True, as in the LS-SVM; whether b is free, and not penalised, or 0
    class_weight : dict from label to weight, "balanced" for n / (number of classes · size of the class), or None, the
        default, for ones. w is the class weight times sample_weight.

    Attributes
    ----------
    classes_ : (q,) the labels, sorted; with two, f + b is positive for ``classes_[1]``
    alpha_ : float, the best of alphas
    loo_decision_values_ : (n,) or (n, q), f₋ᵢ(x_i) + b₋ᵢ for alpha_. The weights of the other objects do not change.
    loo_errors_ : (A,) the leave-one-out error for each alpha; with several classes, the mean over the classes
    gcv_, degrees_of_freedom_ : (A,) as in KernelRidgeCV
    dual_coef_ : (n,) or (n, q), the c of f = Σ_i c_i k(x_i, ·)
    intercept_ : float or (q,), the b
    coef_ : (d,) or (q, d), the v of f(x) = ⟨v, x⟩, if the kernel is Linear
    kernel_, X_fit_ : the fitted Kernel, or "precomputed"; the training objects, None with "precomputed"

    Raises
    ------
    ValueError : a parameter out of range; fewer than two classes, or a class without weight; objects that the kernel
        cannot take; lengths that differ; with fit_intercept, as KernelRidgeCV
    ConvergenceWarning : as KernelRidgeCV

    References
    ----------
    Suykens & Vandewalle (1999), Least squares support vector machine classifiers, Neural Processing Letters 9.
    Rifkin, Yeo & Poggio (2003), Regularized least-squares classification, in Advances in Learning Theory.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelbook import RBF, KernelRidgeClassifier
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = np.where(np.hypot(X[:, 0], X[:, 1]) < 1, "inside", "outside")
    >>> model = KernelRidgeClassifier(RBF(gamma=1)).fit(X, y)
    >>> wrong = (model.loo_decision_values_ > 0) != (y == "outside")
    >>> print(f"alpha {model.alpha_}, wrong {wrong.mean():.2f}, {model.predict([[0.0, 0.5]])}")
    alpha 0.1, wrong 0.02, ['inside']
    """

    _parameter_constraints = {**_LeaveOneOutRidge._parameter_constraints, "class_weight": CLASS_WEIGHT}

    def __init__(self, kernel="rbf", alphas=ALPHAS, *, fit_intercept=True, class_weight=None):
        self.kernel = kernel
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Decompose the Gram matrix and choose alpha.

        Parameters
        ----------
        X : (n, d) array, list of n objects, or with "precomputed" the (n, n) Gram matrix
        y : (n,) array of labels
        sample_weight : (n,) array ≥ 0 or None for ones
        """
        self._validate_params()
        self.classes_, codes = encode_labels(X, y)
        weight = weights_by_class(self.class_weight, sample_weights(sample_weight, codes), self.classes_, codes)
        of_class = codes == 1 if len(self.classes_) == 2 else codes[:, None] == np.arange(len(self.classes_))
        signs = np.where(of_class, 1.0, -1.0)
        _, loo_residuals = self._fit_best_alpha(X, signs, weight)
        self.loo_decision_values_ = self._loo_decision_values(X, signs, weight, loo_residuals)
        return self

    def _loo_decision_values(self, X, signs, weight, loo_residuals):
        """y_i minus the leave-one-out residual, which comes multiplied by √w_i."""
        has_weight, values = weight > 0, signs.copy()
        values[has_weight] -= (loo_residuals[has_weight].T / np.sqrt(weight[has_weight])).T
        if not has_weight.all():  # the fit already leaves out the objects without weight
            values[~has_weight] = self._values(_safe_indexing(X, np.flatnonzero(~has_weight)))
        return values

    def decision_function(self, X):
        """f(x) + b, shape (m,), positive for ``classes_[1]``; with several classes (m, q), one for each class."""
        return self._values(X)

    def predict(self, X):
        """The class on whose side x lies; with several classes the first of those with the largest f(x) + b."""
        values = self._values(X)
        return self.classes_[values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(int)]

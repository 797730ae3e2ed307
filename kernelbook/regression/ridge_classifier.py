"""Classification by kernel ridge regression on labels ±1, which many call the least-squares support vector machine."""

import numpy as np
from sklearn.utils import _safe_indexing

from kernelbook.base.estimator import Classifier, all_or_nothing
from kernelbook.base.targets import CLASS_WEIGHT, class_weights, encode_labels, weighted
from kernelbook.regression.ridge import ALPHAS, _LeaveOneOutRidge
from kernelbook.runtime.validation import sample_weights


class KernelRidgeClassifier(Classifier, _LeaveOneOutRidge):
    """Least-squares classification: kernel ridge regression on labels ±1, its ridge chosen by exact leave-one-out.

    minimise over f in H, b in R    Σ_i w_i (y_i − f(x_i) − b)² + alpha ‖f‖²,    y_i = ±1

    This is KernelRidgeCV with the labels as targets, from the same single eigendecomposition. With b free it is the
    least-squares support vector machine (LS-SVM), whose constant γ is 1/alpha. With several classes, there is one f and
    one b for each, fitted to y_i = 1 inside the class and −1 outside, and one alpha for all.

    The alpha is the one of least leave-one-out error Σ_i w_i (y_i − f₋ᵢ(x_i) − b₋ᵢ)² / Σ_i w_i, where f₋ᵢ and b₋ᵢ are
    fitted without object i. This is the loss that the fit minimises, and it varies smoothly with alpha. The share of
    wrong classes changes in steps of 1/n instead, so that several alphas often tie; ``loo_decision_values_``
    gives that share for alpha_.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    alphas : (A,) floats > 0, default 10⁻⁴ … 10²; in units of k. A list of one fixes alpha.
    fit_intercept : bool, default True, as in the LS-SVM; whether b is free, and not penalised, or 0
    class_weight : dict from label to weight, "balanced" for n / (number of classes · size of the class), or None, the
        default, for ones. w is this times sample_weight.

    Attributes
    ----------
    classes_ : (q,) the labels, sorted; with two, f + b is positive for ``classes_[1]``
    alpha_ : float, the best of alphas
    loo_decision_values_ : (n,) or (n, q), f₋ᵢ(x_i) + b₋ᵢ for alpha_; the weights of the other objects stay as they are
    loo_errors_ : (A,) the leave-one-out error for each alpha, the mean over the classes where there are several
    gcv_, degrees_of_freedom_ : (A,) as in KernelRidgeCV
    dual_coef_ : (n,) or (n, q), the c of f = Σ_i c_i k(x_i, ·)
    intercept_ : float or (q,), the b
    coef_ : (d,) or (q, d), the v of ⟨v, x⟩ + b, where the kernel is Linear
    kernel_, X_fit_ : the fitted Kernel, or "precomputed"; the training objects, None with "precomputed"

    Raises
    ------
    ValueError : a parameter out of range; fewer than two classes, or one without weight; objects that the kernel cannot
        take; lengths that differ; with fit_intercept, as KernelRidgeCV
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
        by_class = class_weights(self.class_weight, self.classes_, codes)[codes]
        weight = weighted(by_class, sample_weights(sample_weight, codes), "class_weight times sample_weight")
        totals = np.bincount(codes, weight)
        if (totals == 0).any():
            empty = self.classes_.tolist()[np.argmin(totals)]
            raise ValueError(f"sample_weight must leave weight on every class, but class {empty!r} has none.")
        of_class = codes == 1 if len(totals) == 2 else codes[:, None] == np.arange(len(totals))
        self.loo_decision_values_ = self._left_out(X, np.where(of_class, 1.0, -1.0), weight)
        return self

    def _left_out(self, X, signs, weight):
        """Fit the labels ±1; returns the decision on each object without it."""
        _, errors = self._fit_best(X, signs, weight)
        counted, values = weight > 0, signs.copy()
        values[counted] -= (errors[counted].T / np.sqrt(weight[counted])).T
        if not counted.all():  # these are left out already
            values[~counted] = self._values(_safe_indexing(X, np.flatnonzero(~counted)))
        return values

    def decision_function(self, X):
        """f(x) + b, shape (m,), positive for ``classes_[1]``; with several classes (m, q), one for each class."""
        return self._values(X)

    def predict(self, X):
        """The class on whose side x lies; with several classes the one of the largest f(x) + b, the first of equals."""
        values = self._values(X)
        return self.classes_[values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(int)]

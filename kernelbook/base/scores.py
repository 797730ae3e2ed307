"""The scores of classifiers and regressors, which check their input as `fit` does."""

from sklearn.base import ClassifierMixin, RegressorMixin

from kernelbook.base.targets import check_labels
from kernelbook.inputs.validation import finite_array, sample_weights


class CheckedClassifier(ClassifierMixin):
    """A classifier whose score refuses masked values, times and missing labels, as its fit does."""

    def score(self, X, y, sample_weight=None):
        """The share of the objects, or of their weight, whose class is predicted correctly."""
        return super().score(X, check_labels(y), None if sample_weight is None else sample_weights(sample_weight, y))


class CheckedRegressor(RegressorMixin):
    """A regressor whose score refuses masked values and times, as its fit does."""

    def score(self, X, y, sample_weight=None):
        """R², 1 − Σ_i w_i (y_i − prediction)² / Σ_i w_i (y_i − ȳ)², with the weighted mean ȳ; the mean over targets."""
        y = finite_array(y, "y", ensure_2d=False)
        return super().score(X, y, None if sample_weight is None else sample_weights(sample_weight, y))

"""The base class of the cross-validated searches: their parameters, folds of one Gram matrix, the best machine."""

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from kernelbook.base.fitting import SET_FOR_TABLES_ONLY
from kernelbook.base.kernel_parameters import HasKernelList
from kernelbook.base.training import training_gram
from kernelbook.inputs.intervals import POSITIVE_REAL
from kernelbook.runtime.parallel import parallel_map

CS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)


class KernelSearch(HasKernelList):
    """A cross-validated search over `kernels` and the parameters of a subclass; it predicts by ``best_estimator_``."""

    _coef0_in_scikit_learn = 0
    _parameter_constraints = {
        "cv": ["cv_object"],
        "tol": [POSITIVE_REAL],
    }

    def __init__(self, kernels, Cs, cv, tol):
        self.kernels = kernels
        self.Cs = Cs
        self.cv = cv
        self.tol = tol

    def _splits(self, y, weight):
        """The indices of the training objects and of the test objects, for each split."""
        n, splits = len(y), []
        splitter = check_cv(self.cv, y, classifier=is_classifier(self))
        for number, split in enumerate(splitter.split(np.zeros(n), y)):
            parts = [_indices(part, n) for part in split]
            if len(parts) != 2 or any(part is None for part in parts):
                raise ValueError(
                    f"cv must give pairs of integers from 0 to {n - 1}, or of {n} flags each, for training and test "
                    f"objects; split {number} is not such a pair."
                )
            if not weight[parts[1]].any():
                raise ValueError(f"cv must leave something to be predicted, but split {number} has no test objects.")
            splits.append(parts)
        if not splits:
            raise ValueError("cv must give at least one split, got none.")
        return splits

    def _cross_validate(self, X, weight, splits, fold_scores):
        """fold_scores(K, train, test) for every kernel and split, the splits along the last axis."""
        scores = []
        for kernel in self.kernels:
            _, _, K = training_gram(kernel, X, weight)
            folds = parallel_map(lambda split, K=K: fold_scores(K, *split), splits)
            scores.append(np.moveaxis(folds, 0, -1))
        return np.array(scores)

    def _keep_best(self, best_estimator, X, y, sample_weight):
        """Fit the best machine, and set the attributes that the search shares with it."""
        self.best_estimator_ = best_estimator.fit(X, y, sample_weight)
        self.kernel_ = self.best_estimator_.kernel_
        for name in SET_FOR_TABLES_ONLY:
            if hasattr(best_estimator, name):
                setattr(self, name, getattr(best_estimator, name))

    @property
    def coef_(self):
        check_is_fitted(self)
        return self.best_estimator_.coef_

    @property
    def intercept_(self):
        check_is_fitted(self)
        return self.best_estimator_.intercept_

    def rkhs_function(self):
        """As ``best_estimator_``."""
        check_is_fitted(self)
        return self.best_estimator_.rkhs_function()

    def predict(self, X):
        """As ``best_estimator_``."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)


def _indices(part, n):
    """A part of a split, indices or a flag for each of n objects, as indices; None if it is neither."""
    part = np.asarray(part)
    if part.size == 0:
        part = part.astype(int)
    if part.dtype == bool and part.shape == (n,):
        part = np.flatnonzero(part)
    return part if part.ndim == 1 and part.dtype.kind in "iu" and np.isin(part, range(n)).all() else None

"""What searches for a kernel and a price share: folds of one Gram matrix, warm starts, the best speaking for all."""

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from kernelbook.base.estimator import FormulaRepr
from kernelbook.base.hints import refuse_foreign
from kernelbook.base.training import is_precomputed, training_gram
from kernelbook.kernels import Kernel
from kernelbook.qp import smo
from kernelbook.runtime.parallel import parallel_map
from kernelbook.runtime.validation import check_params, quoted
from kernelbook.svm.base import POSITIVE

CS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)


def solve_for_each(Cs, problem, tol):
    """The Solution of problem(C) for every C, in the order of Cs, each solved from that for the next smaller one."""
    solutions, start = [None] * len(Cs), None
    for position in np.argsort(Cs):
        solutions[position] = smo(problem(Cs[position]), start, tol)
        start = solutions[position].beta
    return solutions


class KernelSearch(FormulaRepr, BaseEstimator):
    """A search over `kernels` and what else a subclass has, by cross-validation; it predicts as `best_estimator_`."""

    _parameter_constraints = {
        "kernels": "no_validation",  # here and below `fit` has the clearer word
        "Cs": "no_validation",
        "cv": ["cv_object"],
        "tol": [POSITIVE],
    }

    def __new__(cls, *args, **kwargs):
        refuse_foreign(cls, args, kwargs)
        return super().__new__(cls)

    def _validate_params(self):
        check_params(self)

    def __init__(self, kernels, Cs, cv, tol):
        self.kernels = kernels
        self.Cs = Cs
        self.cv = cv
        self.tol = tol

    def _check_kernels(self):
        if np.ndim(self.kernels) == 0 or isinstance(self.kernels, Kernel):
            advice = f": write [{self.kernels!r}]" if isinstance(self.kernels, Kernel | str) else ""
            raise ValueError(f"kernels must be a list of kernels, got {quoted(self.kernels)}{advice}.")
        if len(self.kernels) == 0:
            raise ValueError("kernels must hold at least one kernel, got none.")
        if self.__sklearn_tags__().input_tags.pairwise and len(self.kernels) > 1:
            raise ValueError(f"kernels must not hold 'precomputed' beside others, got {quoted(self.kernels)}.")

    def _splits(self, y, weight):
        """Training and test objects of each split, as indices."""
        n, splits = len(y), []
        for number, split in enumerate(check_cv(self.cv, y, classifier=is_classifier(self)).split(np.zeros(n), y)):
            parts = [np.asarray(part) for part in split]
            parts = [np.flatnonzero(p) if p.dtype == bool and p.shape == (n,) else p for p in parts]
            parts = [p if p.size else p.astype(int) for p in parts]
            if len(parts) != 2 or any(
                p.ndim != 1 or p.dtype.kind not in "iu" or not np.isin(p, range(n)).all() for p in parts
            ):
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

    def _cross_validate(self, X, weight, splits, scores):
        """scores(K, train, test) for every kernel and split, the splits along the last axis."""
        found = []
        for kernel in self.kernels:
            K = training_gram(kernel, X, weight)[2]
            folds = parallel_map(lambda split, K=K: scores(K, *split), splits)
            found.append(np.moveaxis(folds, 0, -1))
        return np.array(found)

    def _keep_best(self, best_estimator, X, y, sample_weight):
        self.best_estimator_ = best_estimator.fit(X, y, sample_weight)
        self.kernel_ = self.best_estimator_.kernel_
        kept = ("n_features_in_", "feature_names_in_")
        vars(self).update({name: getattr(best_estimator, name) for name in kept if hasattr(best_estimator, name)})

    @property
    def coef_(self):
        check_is_fitted(self)
        return self.best_estimator_.coef_

    @property
    def intercept_(self):
        check_is_fitted(self)
        return self.best_estimator_.intercept_

    def rkhs_function(self):
        """That of ``best_estimator_``."""
        check_is_fitted(self)
        return self.best_estimator_.rkhs_function()

    def predict(self, X):
        """That of ``best_estimator_``."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = any(map(is_precomputed, self.kernels))
        return tags

"""Choosing the kernel, C and ε of a regression, by a cross-validated search."""

import numpy as np
from sklearn.utils._param_validation import StrOptions

from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.scores import CheckedRegressor
from kernelbook.base.targets import check_targets, weighted
from kernelbook.inputs.validation import positive_list, sample_weights
from kernelbook.svm.duals import svr_dual
from kernelbook.svm.path import solve_path
from kernelbook.svm.regression import SAMPLE_WEIGHTED_C, SVR, median_deviation
from kernelbook.svm.search import CS, KernelSearch

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0)
LOSSES = {"squared": np.square, "absolute": np.abs}


class SVRCV(CheckedRegressor, KernelSearch):
    """SVR with its kernel, C and ε chosen by cross-validation, on one Gram matrix a kernel.

    For every kernel the Gram matrix of all objects is computed once; each fold takes its rows and columns, and for each
    ε goes through the C from the smallest to the largest, each solution the start of the next. The least mean error
    wins; among equals the first kernel, then the smallest C, then the widest tube.

    Parameters
    ----------
    kernels : list of what SVR takes as a kernel; default one RBF("scale"). A gamma that is taken from data is
        taken from all of X, held-out folds included.
    Cs : (c,) floats > 0, in units of y / k; default 0.1, 0.3, 1, …, 1000
    epsilons : (e,) floats ≥ 0, in units of y; default 0.01, 0.03, 0.1, 0.3, 1
    cv : int, splitter or iterable of splits, as in scikit-learn; default 5 folds, in the order of the objects: shuffle
        them where that order means something. Groups go in as splits: ``list(GroupKFold(3).split(X, y, groups))``.
    scoring : "squared" or "absolute" error; default "squared"
    tol : float > 0, default 1e-3; as in SVR

    Attributes
    ----------
    scores_ : (kernels, c, e, folds) minus the mean error, in units of y² or y, so that the largest is the best; with
        sample_weight, the mean is weighted
    kernel_, C_, epsilon_ : the best
    best_estimator_ : SVR with these, fitted to all of X
    coef_, intercept_ : as in SVR

    Raises
    ------
    ValueError : as in SVR; an empty list of kernels, Cs, epsilons or splits; errors that overflow

    >>> from kernelbook import RBF
    >>> x, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    >>> search = SVRCV([RBF(0.01), RBF(10.0)], Cs=[1.0, 1000.0], epsilons=[0.1], cv=3).fit(x, y)
    >>> search.kernel_, search.C_, search.epsilon_
    (RBF(gamma=0.01), 1000.0, 0.1)
    """

    _parameter_constraints = {
        **KernelSearch._parameter_constraints,
        "scoring": [StrOptions(set(LOSSES))],
    }

    def __init__(self, kernels=("rbf",), Cs=CS, epsilons=EPSILONS, *, cv=5, scoring="squared", tol=1e-3):
        super().__init__(kernels, Cs, cv, tol)
        self.epsilons = epsilons
        self.scoring = scoring

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Score every kernel, C and ε, then fit the best to all of X.

        Parameters
        ----------
        X : (n, d) array, list of n objects, or with ["precomputed"] the (n, n) Gram matrix
        y : (n,) array of numbers
        sample_weight : (n,) array ≥ 0 or None for ones; it counts in fits and in scores
        """
        self._validate_params()
        Cs, epsilons = positive_list(self.Cs, "Cs"), positive_list(self.epsilons, "epsilons", or_zero=True)
        y = check_targets(X, y)
        weight = sample_weights(sample_weight, y)
        splits = self._splits(y, weight)
        for number, (train, _) in enumerate(splits):
            if not weight[train].any():
                raise ValueError(f"cv must leave something to learn from, but split {number} has no training objects.")
        self.scores_ = self._cross_validate(
            X, weight, splits, lambda K, train, test: self._fold_scores(K, y, weight, Cs, epsilons, train, test)
        )
        by_C, by_width = np.argsort(Cs), np.argsort(-epsilons)
        means = self.scores_.mean(axis=-1)[:, by_C][:, :, by_width]
        if not np.isfinite(means).all():
            raise ValueError(
                "the mean error must be finite for every kernel, C and epsilon, but one overflows: scale X or y, or "
                "take other kernels."
            )
        kernel, i, j = np.unravel_index(means.argmax(), means.shape)
        self.C_, self.epsilon_ = float(Cs[by_C[i]]), float(epsilons[by_width[j]])
        self._keep_best(SVR(self.kernels[kernel], self.C_, self.epsilon_, tol=self.tol), X, y, sample_weight)
        return self

    def _fold_scores(self, K, y, weight, Cs, epsilons, train, test):
        """Minus the mean error on the test objects for every C and ε."""
        inside, across = K[np.ix_(train, train)], K[np.ix_(test, train)]
        train_weight = weight[train]
        median = np.median(y[train][train_weight > 0])
        y_train, y_test = y[train] - median, y[test] - median
        tol = self.tol * median_deviation(y[train][train_weight > 0], median)
        scores = np.empty((len(Cs), len(epsilons)))
        for position, epsilon in enumerate(epsilons):

            def dual(C, epsilon=epsilon):
                return svr_dual(inside, y_train, weighted(C, train_weight, SAMPLE_WEIGHTED_C), epsilon)

            solutions = solve_path(dual, Cs, tol)
            betas = np.array([found.beta.reshape(-1, len(train)).sum(axis=0) for found in solutions])
            errors = y_test - betas @ across.T + np.array([found.rho for found in solutions])
            with np.errstate(over="ignore"):  # `fit` refuses an infinite mean
                losses = LOSSES[self.scoring](errors)
            scores[:, position] = -np.average(losses, axis=1, weights=weight[test])
        return scores

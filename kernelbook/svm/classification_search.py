"""Choosing the kernel and C of a classification, by a cross-validated search."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.scores import CheckedClassifier
from kernelbook.base.targets import CLASS_WEIGHT, class_weights, encode_labels
from kernelbook.inputs.validation import positive_list, sample_weights
from kernelbook.runtime.warn import warn
from kernelbook.svm.classification import SVC
from kernelbook.svm.one_vs_one import class_pairs, vote
from kernelbook.svm.path import weighted_svc_path
from kernelbook.svm.search import CS, KernelSearch


class SVCCV(CheckedClassifier, KernelSearch):
    """SVC with its kernel and C chosen by cross-validation, on one Gram matrix a kernel.

    For every kernel the Gram matrix of all objects is computed once; each fold takes its rows and columns, and goes
    through the C from the smallest to the largest, each solution the start of the next. The best mean accuracy wins;
    among equals the first kernel, and the smallest C.

    Parameters
    ----------
    kernels : list of what SVC takes as a kernel; default one RBF("scale"). A gamma that is taken from data is
        taken from all of X, held-out folds included.
    Cs : (c,) floats > 0; default 0.1, 0.3, 1, …, 1000
    cv : int, splitter or iterable of splits, as in scikit-learn; default 5 stratified folds. Groups go in as splits:
        ``list(GroupKFold(3).split(X, y, groups))``.
    class_weight : as in SVC, default None; "balanced" counts the classes of each training part
    tol : float > 0, default 1e-3; as in SVC

    Attributes
    ----------
    scores_ : (kernels, c, folds) accuracies; with sample_weight, the share of the weight that is predicted rightly
    kernel_, C_ : the best
    best_estimator_ : SVC with these, fitted to all of X
    coef_, intercept_ : as in SVC
    classes_ : the labels

    Raises
    ------
    ValueError : as in SVC; an empty list of kernels, Cs or splits; a training part that holds one class only
    UserWarning : a training part lacks a class that is to be predicted

    >>> from kernelbook import RBF
    >>> x, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 0, 1, 1, 1]
    >>> SVCCV([RBF(0.1), RBF(10.0)], Cs=[1.0, 10.0], cv=3).fit(x, y).kernel_
    RBF(gamma=0.1)
    """

    _parameter_constraints = {**KernelSearch._parameter_constraints, "class_weight": CLASS_WEIGHT}

    def __init__(self, kernels=("rbf",), Cs=CS, *, cv=5, class_weight=None, tol=1e-3):
        super().__init__(kernels, Cs, cv, tol)
        self.class_weight = class_weight

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Score every kernel and C, then fit the best to all of X.

        Parameters
        ----------
        X : (n, d) array, list of n objects, or with ["precomputed"] the (n, n) Gram matrix
        y : (n,) array of labels
        sample_weight : (n,) array ≥ 0 or None for ones; it counts in fits and in scores
        """
        self._validate_params()
        Cs = positive_list(self.Cs, "Cs")
        self.classes_, codes = encode_labels(X, y)
        weight = sample_weights(sample_weight, codes)
        splits = self._splits(codes, weight)
        self._check_classes(splits, codes, weight)
        self.scores_ = self._cross_validate(
            X, weight, splits, lambda K, train, test: self._fold_scores(K, codes, weight, Cs, train, test)
        )
        means = self.scores_.mean(axis=2)[:, np.argsort(Cs)]
        best, position = np.unravel_index(means.argmax(), means.shape)
        self.C_ = float(np.sort(Cs)[position])
        best_estimator = SVC(self.kernels[best], self.C_, class_weight=self.class_weight, tol=self.tol)
        self._keep_best(best_estimator, X, y, sample_weight)
        return self

    def _check_classes(self, splits, codes, weight):
        """ValueError if a training part has fewer than two classes, a warning if it lacks a class to predict."""
        for number, (train, test) in enumerate(splits):
            train, test = (part[weight[part] > 0] for part in (train, test))
            if len(np.unique(codes[train])) < 2:
                raise ValueError(
                    f"cv must leave two classes to learn from, but the training part of split {number} holds one: "
                    "shuffle, or take stratified folds."
                )
            if missing := set(codes[test]) - set(codes[train]):
                label = self.classes_.tolist()[min(missing)]
                warn(
                    f"cv leaves the training part of split {number} without class {label!r}, "
                    "which is to be predicted: shuffle, or take stratified folds.",
                    UserWarning,
                )

    def _fold_scores(self, K, codes, weight, Cs, train, test):
        """The accuracy on the test objects for every C."""
        train = train[np.argsort(codes[train], kind="stable")]  # the solver reads adjacent rows fastest
        inside, across = K[np.ix_(train, train)], K[np.ix_(test, train)]
        present, places = np.unique(codes[train], return_inverse=True)
        by_class = class_weights(self._weights_of(present), self.classes_[present], places)
        train_weight, count = weight[train] * by_class[places], len(self.classes_)
        decisions = np.zeros((len(Cs), len(test), len(class_pairs(count))))
        for position, (i, j) in enumerate(class_pairs(count)):
            rows = np.flatnonzero(np.isin(codes[train], (i, j)))
            if len(rows) == 0:  # a fold may lack classes
                continue
            sign = np.where(codes[train][rows] == i, 1.0, -1.0)
            own_rows = rows if count > 2 else None
            betas, intercepts = weighted_svc_path(inside, sign, Cs, self.tol, own_rows, train_weight[rows])
            decisions[:, :, position] = betas @ across[:, rows].T + intercepts[:, None]
        return [np.average(vote(decision, count) == codes[test], weights=weight[test]) for decision in decisions]

    def _weights_of(self, present):
        """class_weight without the classes that a training part lacks, since these would be refused."""
        if not isinstance(self.class_weight, dict):
            return self.class_weight
        return {label: value for label, value in self.class_weight.items() if label in self.classes_[present]}

    def decision_function(self, X):
        """As ``best_estimator_``."""
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)

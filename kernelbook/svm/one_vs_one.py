"""One-vs-one classification: a machine for each pair of classes, all on one Gram matrix, and their vote."""

from abc import ABC, abstractmethod
from itertools import combinations
from typing import NamedTuple

import numpy as np
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted

from kernelbook.base.estimator import KernelEstimator
from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.hints import CALIBRATION
from kernelbook.base.scores import CheckedClassifier
from kernelbook.base.targets import CLASS_WEIGHT, encode_labels, weights_by_class
from kernelbook.inputs.validation import sample_weights
from kernelbook.linalg.operators import OnDemand
from kernelbook.svm.machine import SupportVectorMachine

# The largest share of its matrix that a pair computes by rows; above it the pair's matrix is computed whole.
PAIR_SHARE = 1 / 3


def class_pairs(count):
    """The pairs of classes (positive, negative) in scikit-learn's order, in which two classes are the pair (1, 0)."""
    return [(1, 0)] if count == 2 else list(combinations(range(count), 2))


def vote(decisions, count):
    """The class with the most votes from the classifiers of all pairs; ties go to the first class."""
    votes = np.zeros((len(decisions), count), dtype=int)
    for (i, j), decision in zip(class_pairs(count), decisions.T, strict=True):
        votes[:, i] += decision > 0
        votes[:, j] += decision <= 0
    return votes.argmax(axis=1)


class ClassPair(NamedTuple):
    """The objects of two classes i < j.

    Attributes
    ----------
    i, j : int, the classes
    rows : (m,) the places of the objects in a sample that is sorted by class
    split : int, the number of objects of class i, which come first
    sign : (m,) y_i = ±1, +1 for the positive class
    """

    i: int
    j: int
    rows: np.ndarray
    split: int
    sign: np.ndarray


class SortedSample:
    """A sample sorted by class, and its pairs of classes. The solver reads adjacent rows fastest.

    Attributes
    ----------
    order : (n,) the places of the sorted objects in the sample
    codes : (n,) their classes 0, 1, …
    pairs : list of ClassPair, in the order of ``class_pairs``
    """

    def __init__(self, codes):
        self.order = np.argsort(codes, kind="stable")
        self.codes = codes[self.order]
        sizes = np.bincount(codes)
        places = np.split(np.arange(len(codes)), np.cumsum(sizes)[:-1])
        self.pairs = []
        for positive, negative in class_pairs(len(sizes)):
            i, j = sorted((positive, negative))
            rows = np.concatenate([places[i], places[j]])
            sign = np.where(self.codes[rows] == positive, 1.0, -1.0)
            self.pairs.append(ClassPair(i, j, rows, sizes[i], sign))


class TwoClassMachine(NamedTuple):
    """f(x) + b for a pair of classes.

    Attributes
    ----------
    beta : (m,) the coefficients of f
    b : float
    free : (m,) bool, whether a β lies between its bounds
    gap : float, the duality gap
    steps : int, of the solver
    """

    beta: np.ndarray
    b: float
    free: np.ndarray
    gap: float
    steps: int

    @classmethod
    def of(cls, problem, solution, beta, b, steps):
        """The machine with these β and b, which may be scaled, and with the free variables and gap of the solution."""
        free = (solution.beta > problem.lower) & (solution.beta < problem.upper)
        return cls(beta, b, free, solution.gap, steps)


class OneVsOneClassifier(CheckedClassifier, KernelEstimator, ABC):
    """A machine for two classes; for several classes a machine for each pair of them, and a vote.

    A subclass has a parameter ``class_weight``.
    """

    @abstractmethod
    def _check_feasible(self, codes, weight):
        """ValueError, before anything is computed, if objects of these classes and weights have no solution."""

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Solve the dual problem, for each pair of classes.

        Parameters
        ----------
        X : (n, d) array, list of n objects, or with "precomputed" the (n, n) Gram matrix
        y : (n,) array of labels
        sample_weight : (n,) array ≥ 0 or None for ones; an integer weight w means w copies of the object
        """
        self._validate_params()
        self.classes_, codes = encode_labels(X, y)
        sample_weight = sample_weights(sample_weight, codes)
        weight = weights_by_class(self.class_weight, sample_weight, self.classes_, codes)
        self._check_feasible(codes, weight)
        sample = SortedSample(codes)
        self._fit_pairs(X, sample, sample_weight, weight[sample.order])
        return self

    @abstractmethod
    def _fit_pairs(self, X, sample, sample_weight, weight):
        """Fit a machine to each pair of the sorted sample; `weight` is sorted too, and contains the class weights."""

    def _set_machines(self, sample, machines):
        """Set the attributes, in scikit-learn's form, from the TwoClassMachine of each pair."""
        count, n = len(self.classes_), len(sample.codes)
        coefficients, free = np.zeros((count - 1, n)), np.zeros(n, bool)
        for (i, j, rows, split, _), machine in zip(sample.pairs, machines, strict=True):
            coefficients[j - 1, rows[:split]], coefficients[i, rows[split:]] = np.split(machine.beta, [split])
            free[rows] |= machine.free
        in_use = coefficients.any(axis=0)
        self._set_support(sample.order[in_use])
        self.dual_coef_, self.at_bound_ = coefficients[:, in_use], ~free[in_use]
        self.n_support_ = np.bincount(sample.codes[in_use], minlength=count).astype(np.int32)
        self.intercept_ = np.array([machine.b for machine in machines])
        self.duality_gap_ = np.array([machine.gap for machine in machines])
        self.n_iter_ = np.array([machine.steps for machine in machines], dtype=np.int32)

    def _class_slices(self):
        """The support vectors of each class, as slices."""
        ends = np.cumsum(self.n_support_)
        return [slice(end - count, end) for end, count in zip(ends, self.n_support_, strict=True)]

    def _coefficients(self):
        count, slices = len(self.classes_), self._class_slices()
        coefficients = np.zeros((count * (count - 1) // 2, len(self.support_)))
        for pair, classes in enumerate(class_pairs(count)):
            i, j = sorted(classes)
            coefficients[pair, slices[i]] = self.dual_coef_[j - 1, slices[i]]
            coefficients[pair, slices[j]] = self.dual_coef_[i, slices[j]]
        return coefficients

    def _decisions(self, X):
        """f(x) + b of each pair, shape (m, number of pairs)."""
        check_is_fitted(self)
        slices = self._class_slices()
        i, j = np.sort(class_pairs(len(self.classes_))).T

        def combine(K):
            of_class = np.array([self.dual_coef_[:, span] @ K[:, span].T for span in slices])
            return (of_class[i, j - 1] + of_class[j, i] + self.intercept_[:, None]).T

        return self._in_blocks(X, combine, self.support_)

    def decision_function(self, X):
        """f(x) + b, shape (m,), positive for ``classes_[1]``; for several classes votes, shape (m, number of classes).

        As in scikit-learn, confidences of less than half a vote are added to the votes to order classes that tie.
        """
        decisions = self._decisions(X)
        if len(self.classes_) == 2:
            return decisions[:, 0]
        return _ovr_decision_function(decisions < 0, -decisions, len(self.classes_))

    def predict(self, X):
        """The class on whose side x lies. With several classes the most votes win, and ties go to the first class."""
        decisions = self._decisions(X)
        return self.classes_[vote(decisions, len(self.classes_))]

    @property
    def predict_proba(self):
        name = type(self).__name__
        raise AttributeError(f"{name} has no predict_proba: {CALIBRATION.format(name)}.")


class OneKernelClassifier(OneVsOneClassifier, SupportVectorMachine):
    """A OneVsOneClassifier with a parameter `kernel`, whose pairs are solved one after another."""

    _parameter_constraints = {**SupportVectorMachine._parameter_constraints, "class_weight": CLASS_WEIGHT}

    def __init__(self, kernel, class_weight, tol, solver, max_iter, cache_size, verbose):
        super().__init__(kernel, tol, solver, max_iter, cache_size, verbose)
        self.class_weight = class_weight

    @abstractmethod
    def _fit_pair(self, K, rows, sign, weight):
        """The TwoClassMachine of the objects in `rows` (None: all) of the operator K."""

    def _fit_pairs(self, X, sample, sample_weight, weight):
        K = self._fit_operator(X, sample_weight, sample.order)
        entries = PAIR_SHARE * sum(len(pair.rows) ** 2 for pair in sample.pairs)
        if isinstance(K, OnDemand) and K.is_whole_cheaper(entries):
            K.whole()  # the pairs share it
        machines = [self._fit_pair(*restricted(K, pair.rows), pair.sign, weight[pair.rows]) for pair in sample.pairs]
        self._set_machines(sample, machines)


def restricted(K, rows):
    """The matrix of a pair's sorted `rows`, as in ``Operator.restricted``; K itself if the pair holds all of them."""
    return (K, None) if len(rows) == len(K) else K.restricted(rows)

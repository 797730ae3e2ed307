"""Support vector classification: a wide margin between two classes, and a classifier for each pair of several."""

from abc import abstractmethod
from itertools import combinations

import numpy as np
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted

from kernelbook.base.estimator import Classifier, all_or_nothing
from kernelbook.base.targets import CLASS_WEIGHT, class_weights, encode_labels, weighted
from kernelbook.linalg.operators import Rows
from kernelbook.qp import DualQP, working_sets
from kernelbook.qp.sequential_minimal import MAX_ITER
from kernelbook.runtime.validation import sample_weights
from kernelbook.svm.base import POSITIVE, SHARE, SupportVectorMachine, c_svc
from kernelbook.svm.one_vs_one import class_pairs, vote

PRICE = "C times class_weight times sample_weight"


class _Classifier(Classifier, SupportVectorMachine):
    """One classifier for two classes; for several one for each pair, on one Gram matrix, and a vote."""

    _parameter_constraints = {
        **SupportVectorMachine._parameter_constraints,
        "class_weight": CLASS_WEIGHT,
    }

    def __init__(self, kernel, class_weight, tol, solver, max_iter, cache_size, verbose):
        super().__init__(kernel, tol, solver, max_iter, cache_size, verbose)
        self.class_weight = class_weight

    @abstractmethod
    def _two_classes(self, K, rows, sign, weight):
        """The classifier of the objects in `rows` (None: all) of K: problem, solution, β, b, steps."""

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Solve the dual problem, for each pair of classes.

        Parameters
        ----------
        X : (n, d) array, list of n objects, or with "precomputed" the (n, n) Gram matrix
        y : (n,) array of labels
        sample_weight : (n,) array ≥ 0 or None for ones; an integer weight means so many copies of the object
        """
        self._validate_params()
        self.classes_, codes = encode_labels(X, y)
        weight = sample_weights(sample_weight, codes)
        by_class = class_weights(self.class_weight, self.classes_, codes)[codes]
        of_object = weighted(by_class, weight, "class_weight times sample_weight")
        totals = np.bincount(codes, of_object)
        if (totals == 0).any():
            empty = self.classes_.tolist()[np.argmin(totals)]
            raise ValueError(f"sample_weight must leave weight on every class, but class {empty!r} has none.")
        self._check_feasible(of_object, totals)
        order = np.argsort(codes, kind="stable")  # class by class: the solver reads rows fastest that follow each other
        K = self._fit_rows(X, weight, order)
        if isinstance(K, Rows) and K.fits() and self._share_whole(np.bincount(codes)):
            K = K.whole()
        self._fit_pairs(K, codes[order], of_object[order], order)
        return self

    @abstractmethod
    def _check_feasible(self, weight, totals):
        """ValueError, before anything is computed, where objects and classes of these weights have no solution."""

    def _fit_pairs(self, K, codes, weight, order):
        """Fit each pair of classes to objects that are sorted by class, and set the attributes in scikit-learn's form.

        `order` are the objects' places in the sample.
        """
        count = len(self.classes_)
        places = np.split(np.arange(len(K)), np.cumsum(np.bincount(codes))[:-1])
        coefficients, free, pairs = np.zeros((count - 1, len(K))), np.zeros(len(K), bool), []
        for positive, negative in class_pairs(count):
            i, j = sorted((positive, negative))
            rows, split = np.concatenate([places[i], places[j]]), len(places[i])
            sign = np.where(codes[rows] == positive, 1.0, -1.0)
            problem, solution, beta, b, steps = self._two_classes(*self._of_pair(K, rows), sign, weight[rows])
            coefficients[j - 1, places[i]], coefficients[i, places[j]] = beta[:split], beta[split:]
            free[rows] |= (solution.beta > problem.lower) & (solution.beta < problem.upper)
            pairs.append((b, solution.gap, steps))
            del problem, solution  # and their rows of K, before the next pair has its own
        in_use = coefficients.any(axis=0)
        self._set_support(order[in_use])
        self.dual_coef_, self.at_bound_ = coefficients[:, in_use], ~free[in_use]
        self.n_support_ = np.bincount(codes[in_use], minlength=count).astype(np.int32)
        self.intercept_, self.duality_gap_, steps = map(np.array, zip(*pairs, strict=True))
        self.n_iter_ = steps.astype(np.int32)

    @staticmethod
    def _share_whole(sizes):
        """Whether several pairs had better share one whole matrix, half of whose numbers are computed.

        A pair that goes by rows computes up to a share MANY of its own matrix.
        """
        pairs = sum((sizes[i] + sizes[j]) ** 2 for i, j in combinations(range(len(sizes)), 2))
        return len(sizes) > 2 and working_sets.MANY * pairs >= sizes.sum() ** 2 / 2

    @staticmethod
    def _of_pair(K, rows):
        """K and the rows of the pair's objects in it (None: all); or their own part of K, where K is not whole."""
        if len(rows) == len(K):
            return K, None
        return (K.part(rows), None) if isinstance(K, Rows) else (K, rows)

    def _class_parts(self):
        """The support vectors of each class, as slices."""
        ends = np.cumsum(self.n_support_)
        return [slice(end - count, end) for end, count in zip(ends, self.n_support_, strict=True)]

    def _coefficients(self):
        count, parts = len(self.classes_), self._class_parts()
        coefficients = np.zeros((count * (count - 1) // 2, len(self.support_)))
        for pair, (positive, negative) in enumerate(class_pairs(count)):
            i, j = sorted((positive, negative))
            coefficients[pair, parts[i]] = self.dual_coef_[j - 1, parts[i]]
            coefficients[pair, parts[j]] = self.dual_coef_[i, parts[j]]
        return coefficients

    def _decisions(self, X):
        """f(x) + b of each pair, shape (m, number of pairs)."""
        check_is_fitted(self)
        parts = self._class_parts()
        positive, negative = np.transpose(class_pairs(len(self.classes_)))
        i, j = np.minimum(positive, negative), np.maximum(positive, negative)

        def combine(K):
            of_class = np.array([self.dual_coef_[:, part] @ K[:, part].T for part in parts])
            return (of_class[i, j - 1] + of_class[j, i] + self.intercept_[:, None]).T

        return self._in_blocks(X, combine, self.support_)

    def decision_function(self, X):
        """f(x), shape (m,), positive for ``classes_[1]``; for several classes votes, shape (m, number of classes).

        As in scikit-learn, confidences are added to the votes, less than half a vote, to order classes of equal votes.
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
        raise AttributeError(
            f"{name} has no predict_proba, since f(x) is no probability: "
            f"sklearn.calibration.CalibratedClassifierCV({name}(…)) makes one of it."
        )


class SVC(_Classifier):
    """Support vector classification with slack.

    minimise over f in H, b in R    ½ ‖f‖² + C Σ_i w_i max(0, 1 − y_i (f(x_i) + b)),    y_i = ±1

    Its dual, with β_i = α_i y_i, is: minimise ½ βᵀKβ − yᵀβ subject to Σ β_i = 0 and 0 ≤ β_i y_i ≤ C w_i. Then
    f = Σ_i β_i k(x_i, ·), and b is the mean of y_i − f(x_i) over the free support vectors, 0 < α_i < C w_i; where none
    is free, the middle of the interval that the KKT conditions allow.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, "precomputed" or a short name; default "rbf", which is RBF("scale")
    C : float > 0, default 1; the price of one unit of slack
    class_weight : dict from label to w, "balanced" for n / (number of classes · size of the class), or None, the
        default, for ones
    tol : float > 0, default 1e-3; the violation of the KKT conditions that is left, in units of f
    solver : "smo" or "interior_point"; default "smo"
    max_iter : int, default 10⁷; the most steps of "smo"
    cache_size : float > 0, in MB of 2²⁰ bytes, or None for half of the memory that is free; default None. So much may
        the rows of the Gram matrix take that "smo" keeps, beside blocks of 32 MB; it computes only those that it needs
    verbose : bool, default False; whether "smo" prints a line a second about its progress

    Attributes
    ----------
    classes_ : (c,) the labels, sorted; with two, f is positive for ``classes_[1]``; with several, the f of each pair
        is positive for the first of the two
    support_ : (s,) which training objects have β ≠ 0 in some pair, class by class
    support_vectors_ : these objects; empty with "precomputed"
    at_bound_ : (s,) bool, which of them have α at its upper bound, in every pair where it is not 0
    n_support_ : (c,) how many of each class
    dual_coef_ : (c − 1, s) the β of each support vector against each other class
    coef_ : (pairs, d) the w of ⟨w, x⟩ + b, where the kernel is Linear
    intercept_ : (pairs,) the b of each pair of classes
    duality_gap_ : (pairs,) primal minus dual objective, ≥ 0 up to rounding
    n_iter_ : (pairs,) steps of the solver
    kernel_, X_fit_ : the fitted Kernel, or "precomputed"; the training objects

    Raises
    ------
    ValueError : a parameter out of range; fewer than two classes; objects that the kernel cannot take; other lengths
    MemoryError : with solver "interior_point" or "precomputed" a Gram matrix larger than the free memory
    ConvergenceWarning : the KKT conditions do not hold to tol, because max_iter was reached or rounding hides the rest,
        as it does for objects far from the origin

    References
    ----------
    Cortes & Vapnik (1995), Support-vector networks, Machine Learning 20.

    >>> from kernelbook import SVC, Linear
    >>> x = [[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]]
    >>> model = SVC(Linear()).fit(x, [-1, -1, -1, 1, 1, 1])
    >>> model.support_, model.dual_coef_.round(6), model.predict([[3, -1]])
    (array([1, 3]), array([[-0.25,  0.25]]), array([1]))
    """

    _parameter_constraints = {**_Classifier._parameter_constraints, "C": [POSITIVE]}

    def __init__(
        self,
        kernel="rbf",
        C=1.0,
        *,
        class_weight=None,
        tol=1e-3,
        solver="smo",
        max_iter=MAX_ITER,
        cache_size=None,
        verbose=False,
    ):
        super().__init__(kernel, class_weight, tol, solver, max_iter, cache_size, verbose)
        self.C = C

    def _check_feasible(self, weight, totals):
        weighted(self.C, weight, PRICE)

    def _two_classes(self, K, rows, sign, weight):
        problem = c_svc(K, sign, self.C * weight, rows)
        solution = self._solve(problem)
        return problem, solution, solution.beta, -solution.rho[0], solution.iterations


class NuSVC(_Classifier):
    """Support vector classification that is told the share of margin errors instead of their price.

    minimise over f in H, b, ρ in R    ½ ‖f‖² − νρ Σ_i w_i + Σ_i w_i max(0, ρ − y_i (f(x_i) + b))

    Its dual is: minimise ½ βᵀKβ subject to 0 ≤ β_i y_i ≤ w_i, and in each class Σ |β_i| = ν Σ_i w_i / 2. The solution
    is divided by ρ, so that the margin lies at ±1, as in SVC; then it is the SVC with C = 1/ρ. If ρ > 0, at most a
    share ν of the weight has slack, and at least a share ν are support vectors.

    Parameters
    ----------
    kernel : as in SVC
    nu : float in (0, 1], default 0.5; at most 2 min(n₊, n₋) / n, weights counted
    class_weight, tol, solver, max_iter, cache_size, verbose : as in SVC; weights of classes count in the bound on nu

    Attributes
    ----------
    as in SVC, with β/ρ in ``dual_coef_`` and b/ρ in ``intercept_``; duality_gap_ is that of the problem above

    Raises
    ------
    ValueError : as in SVC; a nu that is too large for the sizes of two classes, or too small for a margin ρ > 0
    ConvergenceWarning : as SVC, or ρ is too small to reach tol in its units

    References
    ----------
    Schölkopf, Smola, Williamson & Bartlett (2000), New support vector algorithms, Neural Computation 12.

    >>> import numpy as np
    >>> from kernelbook import RBF, NuSVC
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> y = np.sign(X[:, 0] + rng.normal(size=60))
    >>> model = NuSVC(RBF(gamma=1), nu=0.4, tol=1e-8).fit(X, y)
    >>> slack = y * model.decision_function(X) < 1 - 1e-4
    >>> print(f"{slack.mean():.2f} <= 0.4 <= {len(model.support_) / 60:.2f}")
    0.27 <= 0.4 <= 0.60
    """

    _parameter_constraints = {**_Classifier._parameter_constraints, "nu": [SHARE]}

    def __init__(
        self,
        kernel="rbf",
        nu=0.5,
        *,
        class_weight=None,
        tol=1e-3,
        solver="smo",
        max_iter=MAX_ITER,
        cache_size=None,
        verbose=False,
    ):
        super().__init__(kernel, class_weight, tol, solver, max_iter, cache_size, verbose)
        self.nu = nu

    def _check_feasible(self, weight, totals):
        totals = np.sort(totals)
        most = 2 * totals[0] / (totals[0] + totals[-1])  # that of the smallest class and the largest is the least
        if self.nu > most * (1 + 1e-12):
            raise ValueError(
                f"nu must be at most 2 min(n₊, n₋) / n = {most:.6g} for the smaller of two classes, weights counted, "
                f"got {self.nu:.6g}."
            )

    def _two_classes(self, K, rows, sign, weight):
        total = self.nu * weight.sum()
        problem = DualQP(
            K,
            np.zeros(len(sign)),
            np.minimum(0, weight * sign),
            np.maximum(0, weight * sign),
            totals=[-total / 2, total / 2],
            groups=(sign > 0).astype(np.intp),
            rows=rows,
            check_input=False,
        )
        solution, iterations = self._solve_in_units(problem, lambda found: self._margin(found)[0])
        rho, b = self._margin(solution)
        rounding = np.median(problem.rounding(solution.beta)[solution.beta != 0])  # some objects may lie far away
        stopped = iterations >= self.max_iter  # before the margin was found
        if rho <= rounding or (rho <= solution.violation and not stopped):
            raise ValueError(
                f"nu must leave a margin, but with nu = {self.nu:.6g} it has the width ρ = {rho:.3g}, known to "
                f"± {max(rounding, solution.violation):.1g}: take a larger nu, or centre and scale the objects."
            )
        self._warn_if_too_small(rho, solution)
        return problem, solution, solution.beta / rho, b / rho, iterations

    @staticmethod
    def _margin(solution):
        """ρ and b: f is −ρ − b on one edge of the margin, ρ − b on the other."""
        below, above = solution.rho
        return (above - below) / 2, -(above + below) / 2

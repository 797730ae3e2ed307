"""Multiple kernel learning: support vector classification with a weighted mean of several kernels."""

from copy import deepcopy
from functools import reduce
from operator import add

import numpy as np
from sklearn.utils.validation import _num_samples

from kernelbook.base.kernel_parameters import HasKernelList
from kernelbook.base.targets import CLASS_WEIGHT, weighted
from kernelbook.base.training import check_memory, training_gram
from kernelbook.inputs.intervals import POSITIVE_REAL
from kernelbook.kernels import RBF, Kernel
from kernelbook.learning.kernel_weights import learn_weights
from kernelbook.linalg.gram import is_psd, spectrum
from kernelbook.linalg.operators import Dense
from kernelbook.qp.sequential_minimal import DEFAULT_MAX_ITER
from kernelbook.svm.classification import NAME_OF_WEIGHTED_C, svc_machine
from kernelbook.svm.duals import svc_dual
from kernelbook.svm.machine import SupportVectorMachine, solve_dual, warn_if_indefinite
from kernelbook.svm.one_vs_one import OneVsOneClassifier, restricted


def default_kernels():
    """RBFs of three widths: the one of the median rule, the one of "scale", and half of the latter."""
    return [RBF("median"), RBF("scale"), RBF("scale") ** 4]


class MKLSVC(HasKernelList, OneVsOneClassifier):
    """Multiple kernel learning: SVC with a weighted mean of given kernels, whose weights are learned at the same time.

    minimise over d, f_m in H_m, b    ½ Σ_m ‖f_m‖² / d_m + C Σ_i w_i max(0, 1 − y_i (Σ_m f_m(x_i) + b))
    subject to d_m ≥ 0, Σ_m d_m = 1

    which is: minimise over d the optimum J(d) of SVC with K = Σ_m d_m K_m. For β = (α_i y_i) feasible for SVC

        J(d) ≥ yᵀβ − ½ max_m βᵀK_mβ    for every d,

    and the bound is J(d) itself if β solves SVC at the best d: then all kernels with d_m > 0 have the same βᵀK_mβ, and
    no other kernel has a larger one. The difference of J(d) and the bound is the duality gap.

    J is convex. Its gradient is −½ βᵀK_mβ, and its second derivatives follow from how the free support vectors move. A
    Newton step goes to the minimum of this quadratic model on the simplex, itself a ``DualQP``. Several classes share
    one d, and J is the sum over all pairs of them.

    If few α are free, J has kinks. There Newton steps miss the minimum, and no single solution β gives a tight bound.
    But every solution gives a plane below J, and a mean of planes gives a bound too. If a Newton step does not close
    the gap fast, a step of the level method follows: it goes to the nearest d at which all planes are well below the
    least J so far. Either J is lower there, or the new plane shows that it is not, so the gap closes.

    The penalty equals ½ (Σ_m ‖f_m‖)², a group lasso, so many weights are exactly 0. The scale of a kernel matters: in
    c·k with a large c the same function has a smaller norm, and the kernel gets more weight, all else equal. Kernels
    with k(x, x) = 1, such as RBF, are on one scale; bring others there by ``k.normalized()``. J is the price of this
    sample alone, and a kernel whose Gram matrix is nearly I separates any labels at a small price: if classes overlap
    and C is large, narrow kernels win although they predict worse. Then choose widths by cross-validation.

    Parameters
    ----------
    kernels : list of what SVC takes as a kernel, each PSD; or None, the default, for RBFs of three widths: "median",
        "scale", and "scale" with 4 times the γ. The parameters of the first are ``kernels__0__gamma``, …
    C : float > 0, default 1; as in SVC
    class_weight, solver, max_iter : as in SVC
    tol : float > 0, default 1e-3; the duality gap that is left, as a share of J; and, as in SVC, the violation of the
        KKT conditions in units of f

    Attributes
    ----------
    weights_ : (M,) d, ≥ 0 and of sum 1
    kernel_ : Σ_m d_m k_m over d_m > 0, a fitted Kernel, or "precomputed"
    kernels_ : list of the M fitted kernels
    objective_ : float, J(d), the sum over all pairs of classes, by SVC's dual
    duality_gap_ : float ≥ 0, J(d), by SVC's primal, minus the largest known bound
    n_iter_ : int, the number of times that SVC was solved
    classes_, support_, support_vectors_, at_bound_, n_support_, dual_coef_, coef_, intercept_, X_fit_ : as in SVC with
        kernel_

    Raises
    ------
    ValueError : as SVC; an empty list of kernels; a kernel that is not PSD on X
    MemoryError : the Gram matrices together are larger than the free memory
    ConvergenceWarning : as SVC, or the duality gap is above tol, after 100 steps or because rounding hides the rest

    References
    ----------
    Lanckriet, Cristianini, Bartlett, El Ghaoui & Jordan (2004), Learning the kernel matrix with semidefinite
    programming, JMLR 5; Bach, Lanckriet & Jordan (2004), Multiple kernel learning, conic duality, and the SMO
    algorithm, ICML; Rakotomamonjy, Bach, Canu & Grandvalet (2008), SimpleMKL, JMLR 9; Chapelle & Rakotomamonjy (2008),
    Second order optimization of kernel parameters, NIPS workshop on kernel learning; Lemaréchal, Nemirovskii & Nesterov
    (1995), New variants of bundle methods, Mathematical Programming 69.

    >>> from kernelbook import RBF, Linear
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = MKLSVC([Linear().normalized(), RBF(gamma=0.5)], C=10).fit(X, y)
    >>> model.weights_.round(2), bool(model.duality_gap_ < 1e-2 * model.objective_)
    (array([0., 1.]), True)
    """

    _coef0_in_scikit_learn = 0
    _parameter_constraints = {
        **{name: SupportVectorMachine._parameter_constraints[name] for name in ("tol", "solver", "max_iter")},
        "class_weight": CLASS_WEIGHT,
        "C": [POSITIVE_REAL],
    }

    def __init__(self, kernels=None, C=1.0, *, class_weight=None, tol=1e-3, solver="smo", max_iter=DEFAULT_MAX_ITER):
        self.kernels = kernels
        self.C = C
        self.class_weight = class_weight
        self.tol = tol
        self.solver = solver
        self.max_iter = max_iter

    def _given_kernels(self):
        return default_kernels() if self.kernels is None else super()._given_kernels()

    def _fit_grams(self, X, sample_weight, order):
        """The Gram matrices of all kernels, (M, n, n); sets ``kernels_``, ``X_fit_`` and the features' names."""
        kernels = self._given_kernels()
        check_memory(_num_samples(X), len(kernels) + 1)
        fitted, objects, grams = [], None, None
        for number, kernel in enumerate(kernels):
            found, objects, K = training_gram(kernel, X, sample_weight, order)
            if not (isinstance(found, Kernel) and found.psd) and len(kernels) > 1 and not is_psd(K):
                raise ValueError(
                    f"kernels must be PSD, but kernels[{number}] has the eigenvalue {spectrum(K)[-1]:.3g}."
                )
            grams = np.empty((len(kernels), *K.shape)) if grams is None else grams
            grams[number] = K
            fitted.append(found)
        self.kernels_ = fitted
        self.X_fit_ = objects if len(fitted) == 1 else deepcopy(reduce(add, fitted).check(X))
        self._check_features(X, grams[0] if objects is None else self.X_fit_, reset=True)
        return grams

    def _check_feasible(self, codes, weight):
        weighted(self.C, weight, NAME_OF_WEIGHTED_C)

    def _fit_pairs(self, X, sample, sample_weight, weight):
        """Learn the kernels' weights, and keep the machines that SVC has at the best ones."""
        grams = self._fit_grams(X, sample_weight, sample.order)

        def solve(d, tol, starts):
            """SVC's problem and solution for each pair, with the kernels weighted by d, from solutions at other d."""
            K, solved = Dense(np.tensordot(d, grams, 1)), []
            for number, pair in enumerate(sample.pairs):
                matrix, rows = restricted(K, pair.rows)
                problem = svc_dual(matrix, pair.sign, self.C * weight[pair.rows], rows)
                start = starts[number][1].beta if starts else None
                solved.append((problem, solve_dual(problem, self.solver, tol, self.max_iter, start)))
            return solved

        best, gap, count = learn_weights(grams, solve, self.tol)
        self.kernel_ = self._weighted_sum(best.d)
        for problem, solution in best.solved:
            warn_if_indefinite(self.kernel_, problem, solution)
        self._set_machines(sample, [svc_machine(problem, solution) for problem, solution in best.solved])
        self.weights_, self.objective_, self.duality_gap_, self.n_iter_ = best.d, best.dual, gap, count

    def _weighted_sum(self, d):
        """Σ_m d_m k_m over d_m > 0."""
        terms = zip(d, self.kernels_, strict=True)
        return reduce(add, [kernel if weight == 1 else weight * kernel for weight, kernel in terms if weight > 0])

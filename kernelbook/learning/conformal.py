"""Conformal kernels: a kernel times a factor q(x) q(x') that stretches feature space where it separates classes."""

import numpy as np
from scipy.linalg import LinAlgError, eigh
from sklearn.utils.validation import _num_samples

from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.targets import encode_labels
from kernelbook.base.training import is_precomputed, training_gram
from kernelbook.inputs.intervals import POSITIVE_REAL
from kernelbook.inputs.validation import check_positive, finite_array
from kernelbook.kernels import RBF, Kernel, as_kernel
from kernelbook.kernels.algebra import check_by_both
from kernelbook.learning.criteria import EQUAL_ENTRIES, scatters
from kernelbook.linalg.gram import is_psd, spectrum
from kernelbook.qp.sequential_minimal import DEFAULT_MAX_ITER
from kernelbook.svm import SVC

DEFAULT_RIDGE = 1e-6  # the share of the diagonal of QᵀWQ that is added to it


class ConformalKernel(Kernel):
    """k(x, x') = q(x) q(x') base(x, x') with the factor q(x) = c_0 + Σ_i c_i local(x, a_i).

    It is PSD if base is, for every q: the features of base are multiplied by q(x). This keeps the angles between them,
    up to sign, hence the name, but neither lengths nor distances. ``separating_kernel`` learns the c_i from classes.

    Parameters
    ----------
    base : Kernel
    local : Kernel; usually an RBF narrower than base, so that q differs from place to place
    centres : list or array of p objects a_i, of the kind that both kernels take
    coefficients : (p + 1,) floats, c_0 first; c_i in 1 / units of local

    Raises
    ------
    ValueError, when the kernel is used : centres that local cannot take; not p + 1 finite coefficients

    References
    ----------
    Amari & Wu (1999), Improving support vector machine classifiers by modifying kernel functions, Neural Networks 12.

    >>> from kernelbook import RBF, Linear
    >>> k = ConformalKernel(Linear(), RBF(gamma=1.0), centres=[[0.0]], coefficients=[1.0, 2.0])
    >>> k.factor([[0.0], [1.0]]).round(3), k([[0.0], [1.0]], [[1.0]]).round(3)
    (array([3.   , 1.736]), array([[0.   ],
           [3.013]]))
    """

    _parameter_constraints = {"base": [Kernel], "local": [Kernel]}

    def __init__(self, base, local, centres, coefficients):
        self.base = base
        self.local = local
        self.centres = centres
        self.coefficients = coefficients

    @property
    def psd(self):
        """where base is"""
        return self.base.psd

    def check(self, X, name="X"):
        """X as both kernels take it."""
        return check_by_both(self.base, self.local, X, name)

    def factor(self, X):
        """q(x), shape (n,)."""
        return self._factor(self._checked(X)[0])

    def _check_params(self):
        super()._check_params()
        c = finite_array(self.coefficients, "coefficients", ensure_2d=False)
        if c.shape != (_num_samples(self.centres) + 1,):
            raise ValueError(
                f"coefficients must be {_num_samples(self.centres) + 1} numbers, one more than the centres, got "
                f"shape {c.shape}."
            )

    def _check_together(self, X, Y):
        super()._check_together(X, Y)
        self.local._check_together(X, self.local.check(self.centres, "centres"))

    def _factor(self, X):
        c, centres = np.asarray(self.coefficients, dtype=float), self.local.check(self.centres, "centres")
        self.local._check_together(X, centres)
        return c[0] + self.local._block(X, centres) @ c[1:]

    def _block(self, X, Y):
        q = self._factor(X)
        K = self.base._block(X, Y)
        K *= np.multiply.outer(q, q if Y is None else self._factor(Y))
        return K

    def _diag(self, X):
        return self._factor(X) ** 2 * self.base._diag(X)


def separating_kernel(X, y, base, local, centres=None, ridge=DEFAULT_RIDGE):
    """The ConformalKernel of base and local that separates the classes best, with the mean k(x, x) of base.

    maximise over c    J(c) = tr S_b / tr S_w = cᵀM c / cᵀN c,    M = QᵀBQ,    N = QᵀWQ + ridge · diag(QᵀWQ)

    where row i of Q is (1, local(x_i, a_1), …, local(x_i, a_p)), so that q = Qc, and B and W are those of base (see
    ``class_separability``). c is the generalised eigenvector of the largest eigenvalue. It is scaled so that the mean
    of k(x, x) over X is the same as for base, which leaves C its meaning, and so that the mean of q is positive.

    With a centre at every object, c has more entries than there are objects. J may then be far lower on other data, and
    the error of a classifier may rise while J rises here. Fewer centres, a wider local kernel and a larger ridge help;
    choose the last two by cross-validation of ``ConformalSVC``, which learns inside the folds.

    Parameters
    ----------
    X : (n, d) array or list of n objects
    y : (n,) labels of two classes or more
    base, local : Kernels; a width that is taken from data is taken from X
    centres : list or array of objects a_i, or None, the default, for all of X
    ridge : float > 0, default 10⁻⁶ (no unit)

    Returns
    -------
    ConformalKernel, fitted

    Raises
    ------
    ValueError : X that a kernel cannot take; fewer than two classes; no scatter within the classes; a base that is not
        PSD on X

    References
    ----------
    Xiong, Swamy & Ahmad (2005), Optimizing the kernel in the empirical feature space, IEEE Transactions on Neural
    Networks 16.

    >>> from kernelbook import RBF
    >>> from kernelbook.learning import class_separability
    >>> rng = np.random.default_rng(0)
    >>> X, y = np.vstack([rng.normal(size=(40, 2)), 1 + rng.normal(size=(40, 2))]), np.repeat([0, 1], 40)
    >>> base = RBF(gamma=0.01)
    >>> k = separating_kernel(X, y, base, RBF(gamma=0.5))
    >>> bool(class_separability(k(X), y) > 2 * class_separability(base(X), y))
    True
    """
    check_positive(ridge, "ridge")
    base, local = as_kernel(base), as_kernel(local)
    check_by_both(base, local, X, "X")
    base, objects, K = training_gram(base, X)
    if not base.psd and not is_psd(K):
        raise ValueError(f"base must be PSD, but on X it has the eigenvalue {spectrum(K)[-1]:.3g}.")
    K /= np.abs(K).max() or 1.0
    between, within = scatters(K, y)
    local = local.fit(objects)
    a = objects if centres is None else local.check(centres, "centres")
    Q = np.column_stack([np.ones(len(K)), local(objects, a)])
    size = np.abs(Q).max(axis=0)
    size[size == 0] = 1.0
    Q /= size
    c = _leading_vector(Q.T @ between @ Q, Q.T @ within @ Q, ridge)
    q = Q @ c
    c *= np.sign(q.sum() or 1.0) * np.sqrt(K.trace() / (q**2 @ K.diagonal()))
    return ConformalKernel(base, local, a, c / size).fit(objects)


def _leading_vector(M, N, ridge):
    """The c that maximises cᵀMc / cᵀ(N + ridge diag N)c, with c_i = 0 where N_ii = 0, so that J is finite."""
    used = N.diagonal() > EQUAL_ENTRIES * len(N)
    length = np.sqrt(N.diagonal(), where=used, out=np.ones(len(N)))
    if not used.any():
        raise ValueError("base must scatter within the classes, but the objects of each class have the same features.")
    unit = np.multiply.outer(length[used], length[used])
    M, N = M[np.ix_(used, used)] / unit, N[np.ix_(used, used)] / unit
    try:
        _, vectors = eigh(M, N + ridge * np.eye(len(N)), subset_by_index=[len(N) - 1, len(N) - 1])
    except LinAlgError:
        raise ValueError(f"ridge must be larger than rounding, got {ridge:.3g}.") from None
    c = np.zeros(len(length))
    c[used] = vectors[:, 0] / length[used]
    return c


class ConformalSVC(SVC):
    """SVC with a conformal kernel learned from the same objects and labels, and so inside the folds of a search.

    First the ``separating_kernel`` of `kernel`, `local` and all objects as centres, then SVC with it.

    Parameters
    ----------
    kernel : Kernel, function or short name, as in SVC, but not "precomputed"; the base
    C : float > 0, default 1; as in SVC
    local : as `kernel`; the kernel of the factor q; None, the default, for RBF("median"), which no far object widens
    ridge : float > 0, default 10⁻⁶ (no unit); the larger it is, the less q follows the sample
    class_weight, tol, solver, max_iter : as in SVC; class weights do not count in the separability

    Attributes
    ----------
    as in SVC; kernel_ is the ConformalKernel

    Raises
    ------
    ValueError, MemoryError, ConvergenceWarning : as SVC and ``separating_kernel``

    References
    ----------
    Xiong, Swamy & Ahmad (2005), Optimizing the kernel in the empirical feature space, IEEE Transactions on Neural
    Networks 16.

    >>> from kernelbook import RBF
    >>> x, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 0, 1, 1, 1]
    >>> ConformalSVC(RBF(0.1), local=RBF(1.0)).fit(x, y).predict([[2.2], [2.8]])
    array([0, 1])
    """

    _parameter_constraints = {**SVC._parameter_constraints, "ridge": [POSITIVE_REAL]}

    def __init__(
        self,
        kernel="rbf",
        C=1.0,
        *,
        local=None,
        ridge=DEFAULT_RIDGE,
        class_weight=None,
        tol=1e-3,
        solver="smo",
        max_iter=DEFAULT_MAX_ITER,
    ):
        super().__init__(kernel, C, class_weight=class_weight, tol=tol, solver=solver, max_iter=max_iter)
        self.local = local
        self.ridge = ridge

    def _given_kernels(self):
        return {"kernel": self.kernel, "local": RBF("median") if self.local is None else self.local}

    def _kernel_to_fit(self):
        return self.kernel_

    @all_or_nothing
    def fit(self, X, y):
        """Learn the kernel, then solve the dual problem, for each pair of classes.

        Parameters
        ----------
        X : (n, d) array or list of n objects
        y : (n,) array of labels
        """
        self._validate_params()
        if is_precomputed(self.kernel):
            raise ValueError("kernel must be a Kernel or a function for q to be evaluated, got 'precomputed'.")
        encode_labels(X, y)
        base, local = self._given_kernels().values()
        self.kernel_ = separating_kernel(X, y, base, local, ridge=self.ridge)
        return super().fit(X, y)

"""Functions in the reproducing kernel Hilbert space of a kernel: finite sums f = Σ_i a_i k(x_i, ·)."""

from copy import copy
from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_scalar

from kernelbook.inputs.dataframes import column_names, is_frame
from kernelbook.inputs.object_arrays import joined
from kernelbook.inputs.validation import finite_array, quoted
from kernelbook.kernels import Kernel, as_kernel
from kernelbook.linalg.gram import decompose, orient
from kernelbook.linalg.tolerances import is_negative


class RKHSFunction:
    """f = Σ_i a_i k(x_i, ·), a function in the reproducing kernel Hilbert space H of k.

    With g = Σ_j b_j k(z_j, ·),

        ⟨f, g⟩ = Σ_ij a_i b_j k(x_i, z_j),   so that f(x) = ⟨f, k(x, ·)⟩ and ‖f‖² = aᵀKa.

    ``f + g``, ``f - g`` and ``2 * f`` are functions of the same space. If f and g have the same points, their sum has
    these points too.

    Parameters
    ----------
    kernel : Kernel, function (X, Y) -> block, or a short name. A kernel whose gamma comes from data must be fitted
        already, so that functions can be added in one space.
    points : (n, d) array, list of n objects of the kernel's kind, or a data frame that the kernel takes
    coefficients : (n,) array, the a_i

    Attributes
    ----------
    kernel, points, coefficients : as given, checked and not copied. Clone the kernel before you fit it to other data.
        If the points are a data frame, ``kernel`` is a copy that keeps the names of the columns and refuses others.

    Raises
    ------
    ValueError : points that the kernel cannot take, coefficients that are not one finite number for each point,
        functions of different kernels, a norm if the kernel is not PSD

    References
    ----------
    Aronszajn (1950), Theory of reproducing kernels, Transactions of the AMS 68.

    >>> from kernelbook import RBF
    >>> k = RBF(gamma=1)
    >>> f = RKHSFunction(k, [[0.0], [1.0]], [2.0, -1.0])
    >>> at_zero = RKHSFunction(k, [[0.0]], [1.0])
    >>> bool(f.inner(at_zero) == f([[0.0]])[0])
    True
    >>> round(f.norm(), 3)
    1.878
    """

    __array_ufunc__ = None  # makes NumPy leave `np.float64(2) * f` to __rmul__

    def __init__(self, kernel, points, coefficients):
        self.kernel, self.points = _kernel_and_points(kernel, points, "points")
        self.coefficients = _one_number_each(self.points, coefficients, "coefficients")

    def __call__(self, X):
        """f(x) for each object of X, shape (m,)."""
        return self.kernel(X, self.points) @ self.coefficients

    def inner(self, other):
        """⟨f, g⟩ = Σ_ij a_i b_j k(x_i, z_j)."""
        self._check_space(other)
        return float(self.coefficients @ other(self.points))

    def norm(self):
        """‖f‖ = √(aᵀKa); ValueError if aᵀKa is negative by more than rounding."""
        unit = np.abs(self.coefficients).max() or 1.0  # squares of tiny or huge coefficients would be 0 or infinite
        a, K = self.coefficients / unit, self.kernel(self.points)
        squared, size = a @ K @ a, np.abs(a) @ np.abs(K) @ np.abs(a)
        if is_negative(squared, size):
            raise ValueError(
                f"{self.kernel.formula} is not positive semidefinite and gives this function no norm: "
                f"aᵀKa = {unit**2 * squared:.3g}."
            )
        return float(unit * np.sqrt(max(squared, 0.0)))

    def distance(self, other):
        """‖f − g‖. If f and g are nearly equal but have different points, it is right to about 10⁻⁸ of their norms."""
        return (self - other).norm()

    def projection(self, points):
        """The function in the span of k(z_1, ·), …, k(z_m, ·) that is nearest to f: it equals f at the points z_j.

        Raises ValueError if the kernel is not PSD on the points.
        """
        kernel, points = _kernel_and_points(self.kernel, points, "points")
        return RKHSFunction(kernel, points, _least_norm_solution(kernel, kernel(points), self(points)))

    def __add__(self, other):
        self._check_space(other)
        if _equal_points(self.points, other.points):
            return RKHSFunction(self.kernel, self.points, self.coefficients + other.coefficients)
        self.kernel._check_together(self.points, other.points)
        points = joined([self.points, other.points])
        return RKHSFunction(self.kernel, points, np.concatenate([self.coefficients, other.coefficients]))

    def __sub__(self, other):
        return self + (-1) * other

    def __mul__(self, factor):
        if not isinstance(factor, Real):
            return NotImplemented
        return RKHSFunction(self.kernel, self.points, factor * self.coefficients)

    __rmul__ = __mul__

    def __neg__(self):
        return -1 * self

    def _check_space(self, other):
        if not isinstance(other, RKHSFunction):
            raise ValueError(f"the other must be an RKHSFunction, got {type(other).__name__}.")
        if not _equal(self.kernel, other.kernel):
            raise ValueError(
                f"the two functions live in different spaces, one of {self.kernel!s}, the other of {other.kernel!s}."
            )
        mine, others = (getattr(f.kernel, "feature_names_in_", None) for f in (self, other))
        if mine and others and mine != others and not self.kernel.takes_frames:
            raise ValueError(
                f"the two functions must have the columns {quoted(mine)} in this order, got {quoted(others)}."
            )

    def __repr__(self):
        formula, *found = repr(self.kernel).split("  #")
        return "  #".join([f"RKHSFunction({formula}, {len(self.points)} points)", *found])


def interpolant(kernel, X, y):
    """The function of least norm that takes the given values.

    minimise over f in H    ‖f‖   subject to f(x_i) = y_i for every i

    It is f = Σ_i a_i k(x_i, ·) with K a = y. If K is singular, a is the solution of least length.

    Parameters
    ----------
    kernel : as in RKHSFunction
    X : (n, d) array, or list of n objects
    y : (n,) array

    Returns
    -------
    RKHSFunction

    Raises
    ------
    ValueError : K is not PSD; or no function takes these values, to a millionth of the largest, for instance because a
        point occurs twice with different values, or points are so close that the solution has no correct digits

    >>> from kernelbook import Linear
    >>> interpolant(Linear(), [[1.0], [2.0]], [3.0, 6.0])([[4.0]]).round(6)
    array([12.])
    """
    kernel, X = _kernel_and_points(kernel, X, "X")
    y = _one_number_each(X, y, "y")
    K = kernel(X)
    a = _least_norm_solution(kernel, K, y)
    missed = np.abs(K @ a - y)
    if missed.max() > 1e-6 * np.abs(y).max():
        i = int(missed.argmax())
        raise ValueError(
            f"no function of {kernel.formula} takes these values to working precision: at point {i} the value "
            f"{y[i]:.6g} is missed by {missed[i]:.3g}. Are points repeated, or very close?"
        )
    return RKHSFunction(kernel, X, a)


def mercer(kernel, X, n_components, weights=None):
    """Leading eigenvalues and eigenfunctions of the kernel's integral operator, by Nyström's method.

        λ e(x) = ∫ k(x, x') e(x') dP(x'),   ∫ e(x)² dP(x) = 1

    The integral is replaced by Σ_i w_i k(x, x_i) e(x_i). For points drawn from P, all w_i are 1/n; for the nodes of a
    quadrature rule, they are its weights. An eigenvector v of the matrix √w_i k(x_i, x_j) √w_j, with eigenvalue λ,
    gives e = Σ_i √w_i v_i / λ · k(x_i, ·). In H the functions are orthogonal and have the norm 1/√λ.

    Parameters
    ----------
    kernel : as in RKHSFunction
    X : (n, d) array, or list of n objects
    n_components : int, from 1 to n
    weights : (n,) array ≥ 0, or None, the default, for 1/n each

    Returns
    -------
    eigenvalues : (n_components,) array, largest first, in units of k
    functions : list of RKHSFunction. The sign of a function is fixed by its values at X, times √w_i: the first value
        that is clearly larger than half of the largest one in size is positive.

    Raises
    ------
    ValueError : K is not PSD, or fewer than n_components eigenvalues exceed rounding

    References
    ----------
    Williams & Seeger (2001), Using the Nyström method to speed up kernel machines, NIPS 13.

    >>> from kernelbook import Linear
    >>> eigenvalues, functions = mercer(Linear(), [[1.0], [-1.0], [1.0]], 1)
    >>> print(eigenvalues.round(6), functions[0]([[2.0]]).round(6))
    [1.] [2.]
    """
    kernel, X = _kernel_and_points(kernel, X, "X")
    n = len(X)
    check_scalar(n_components, "n_components", Integral, min_val=1, max_val=n)
    weights = np.full(n, 1 / n) if weights is None else _one_number_each(X, weights, "weights")
    if weights.min() < 0:
        raise ValueError(f"weights must be >= 0, got {weights.min():.6g}.")
    root = np.sqrt(weights)
    K = kernel(X)
    K *= np.multiply.outer(root, root)
    eigenvalues, vectors = decompose(K, f"the Gram matrix of {kernel.formula}")
    positive = np.count_nonzero(eigenvalues)
    if n_components > positive:
        raise ValueError(
            f"n_components must be at most {positive}, the number of eigenvalues that exceed rounding, "
            f"got {n_components}."
        )
    eigenvalues = eigenvalues[::-1][:n_components]
    coefficients = root[:, None] * orient(vectors[:, ::-1][:, :n_components]) / eigenvalues
    return eigenvalues, [RKHSFunction(kernel, X, a) for a in coefficients.T]


def _kernel_and_points(kernel, X, name):
    """The kernel as a Kernel, which keeps column names, and the checked points."""
    kernel = kernel if isinstance(kernel, Kernel) else as_kernel(kernel)
    kernel._check_names(X, None)
    kernel = with_names(kernel, column_names(X))
    X = kernel.check(X, name)
    if not isinstance(X, np.ndarray | list) and not is_frame(X):
        raise ValueError(f"{name} must be an array, a list or a data frame, got {type(X).__name__}.")
    return kernel, X


def with_names(kernel, names):
    """The kernel, or a copy of it, that refuses data frames with columns other than these."""
    if names is not None and not kernel.takes_frames and getattr(kernel, "feature_names_in_", None) is None:
        kernel = copy(kernel)
        kernel.feature_names_in_ = list(names)
    return kernel


def _least_norm_solution(kernel, K, values):
    """The shortest a that minimises ‖K a − values‖, with directions left out in which K is zero to rounding."""
    mu, U = decompose(K, f"the Gram matrix of {kernel.formula}")
    kept = mu > 0
    return U[:, kept] @ ((U[:, kept].T @ values) / mu[kept])


def _one_number_each(points, values, name):
    values = finite_array(values, name, ensure_2d=False)
    if values.shape != (len(points),):
        raise ValueError(f"{name} must be {len(points)} numbers, one for each point, got shape {values.shape}.")
    return values


def _equal(one, other):
    """Whether two kernels, or two of their parameters, are equal. A gamma found by `fit` equals the same one given."""
    if isinstance(one, Kernel):
        if one is other or type(one) is not type(other):
            return one is other
        one, other = one._resolved(), other._resolved()
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(value, other[name]) for name, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):  # an array would turn 1 beside "1" into "1"
        return len(one) == len(other) and all(_equal(*pair) for pair in zip(one, other, strict=True))
    return one is other or np.array_equal(one, other)


def _equal_points(one, other):
    if type(one) is not type(other):
        return False
    if is_frame(one):
        return one.equals(other)
    if not isinstance(one, list):
        return np.array_equal(one, other)
    # One by one, since an array would turn 1 beside "1" into "1", and lists of several lengths make no array.
    return len(one) == len(other) and all(
        a is b or (type(a) is type(b) and np.array_equal(a, b)) for a, b in zip(one, other, strict=True)
    )

"""The largest eigenvalues of a Gram matrix, centred or not, with their vectors, by Lanczos' method or by LAPACK."""

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.blas import dsymv
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from kernelbook.linalg.tolerances import SINGLE_TOLERANCE, is_negative, rounding_with_entries
from kernelbook.runtime.warn import warn

# Lanczos' method takes four or more products with the matrix for each eigenpair, LAPACK the time of n/3 or more.
# Below n = 500 LAPACK takes 30 ms or less, and misses nothing: no copy, and no small negative eigenvalue.
LANCZOS_MIN_SIZE = 500  # the smallest n for which Lanczos' method is tried
LANCZOS_MIN_RATIO = 10  # the smallest n / count for which it is tried
LANCZOS_MIN_PRODUCTS = 1000  # products with K that a run may take, n/2 if that is more: about the time of LAPACK
SMALLEST_TOLERANCE = 1e-4  # relative residual of the smallest eigenvalue, of which only the sign matters
COPY_TOLERANCE = 1e-3  # relative residual in the search for copies of an eigenvalue that were missed
TIE_TOLERANCE = 1e-10  # eigenvalues that differ by a smaller share of the largest one count as equal


def significant_eigenpairs(K, name, epsilon, psd, count=None, centred=False):
    """The largest eigenvalues of K, or of HKH with H = I − 11ᵀ/n, that exceed rounding, with orthonormal vectors.

    Parameters
    ----------
    K : (n, n) symmetric array, which is overwritten
    name : str, the name of K or HKH in messages
    epsilon : float, the relative spacing of the numbers in which K was computed: see ``tolerances.machine_epsilon``
    psd : bool; if True, K is known to be PSD, and no negative eigenvalue is looked for
    count : int or None, default None; the most eigenvalues wanted, None for all
    centred : bool, default False; whether HKH is decomposed instead of K

    Returns
    -------
    eigenvalues : (q,) array, largest first
    vectors : (n, q) array
    negative : float, the smallest eigenvalue if it is negative beyond rounding, else 0

    Raises
    ------
    ValueError : no eigenvalue exceeds rounding
    ConvergenceWarning : an eigenvalue is negative beyond the rounding of single precision

    >>> mu, U, negative = significant_eigenpairs(np.array([[2.0, 2.0], [2.0, 2.0]]), "K", 2.0**-52, psd=True)
    >>> print(mu, negative)
    [4.] 0.0
    """
    n, largest = len(K), max(K.max(), -K.min())
    constant = abs(K.mean(axis=0).mean()) if centred else 0.0  # HKH keeps the rounding of a constant that K contains
    decompose = centred_eigenpairs if centred else lapack_eigenpairs
    mu, U, smallest = decompose(K, min(n, count or n), smallest=not psd)
    size = np.abs([mu[0], mu[-1], smallest or 0.0]).max() + constant
    rounding = rounding_with_entries(n, size, largest, epsilon)
    negative = not psd and smallest < -rounding and is_negative(smallest, size)
    if negative and is_negative(smallest, size, SINGLE_TOLERANCE):
        warn(
            f"{name} has the negative eigenvalue {smallest:.3g}, the largest being {mu[0]:.3g}: the kernel is not PSD, "
            "and eigenvectors with negative eigenvalues are left out."
        )
    q = np.count_nonzero(mu > rounding)
    if q == 0:
        if negative:
            reason = "the kernel is not PSD"
        elif centred:
            reason = "to rounding, all objects have the same features (centre and scale X to suit the kernel)"
        else:
            reason = "to rounding, all its entries are 0"
        raise ValueError(f"{name} has no positive eigenvalue above rounding: {reason}.")
    return mu[:q], U[:, :q], smallest if negative else 0.0


def centred_eigenpairs(K, count, smallest=False):
    """The `count` largest eigenvalues of HKH, H = I − 11ᵀ/n, with orthonormal vectors; if wanted, the smallest one too.

    Lanczos' method is used if n ≥ 500 and n ≥ 10 `count`. LAPACK is used if Lanczos' method would be slower or does not
    converge.

    Parameters
    ----------
    K : (n, n) symmetric array, which may be overwritten
    count : int, from 1 to n
    smallest : bool, default False; whether the smallest eigenvalue is wanted

    Returns
    -------
    eigenvalues : (count,) array, largest first
    vectors : (n, count) array
    smallest : float, the smallest eigenvalue, or None if it is not wanted. Lanczos' method finds it, from above, to
        about 10⁻⁴ of the eigenvalue that is largest in size.

    >>> centred_eigenpairs(np.array([[4.0, 2.0], [2.0, 4.0]]), 1)[0]
    array([2.])
    """
    if len(K) >= max(LANCZOS_MIN_SIZE, LANCZOS_MIN_RATIO * count):
        try:
            return centred_by_lanczos(K, count, smallest)
        except ArpackError:  # no convergence in the time that LAPACK takes, or a matrix that is zero
            pass
    return centred_by_lapack(K, count, smallest)


def centred_by_lapack(K, count, smallest=False):
    """As ``centred_eigenpairs``, by LAPACK, which overwrites K.

    The matrix is centred twice. If its entries share a large constant, the first centring leaves the rounding of the
    means behind, and the second one removes that.
    """
    for _ in range(2):
        K -= K.mean(axis=0)
        K -= K.mean(axis=1)[:, None]
    return lapack_eigenpairs(K, count, smallest)


def lapack_eigenpairs(K, count, smallest=False):
    """As ``centred_eigenpairs``, but of K itself, by LAPACK, which overwrites K.

    LAPACK computes the whole spectrum: asked for a part of it, it can return fewer eigenvalues, and returns none for
    the unit matrix.
    """
    mu, U = eigh(_by_columns(K), overwrite_a=True, check_finite=False, driver="evr")
    return mu[::-1][:count].copy(), U[:, ::-1][:, :count], float(mu[0]) if smallest else None


def centred_by_lanczos(K, count, smallest=False):
    """As ``centred_eigenpairs``, by Lanczos' method, which centres on the fly and needs no second matrix.

    The start vectors come from a fixed seed, so that the same matrix gives the same result.

    Raises ArpackError if a run would take longer than LAPACK. This happens when `count` exceeds the number of
    eigenvalues above rounding, since Lanczos' method does not converge to the others.

    One run can miss copies of a multiple eigenvalue. Therefore the eigenpairs found are subtracted from the matrix, and
    the method runs again with another start vector until it finds nothing larger than the smallest eigenvalue found.
    Each run needs a start vector of its own: once the eigenpairs are subtracted, the first start vector has no
    component along their copies.

    Eigenvalues are right to rounding, and so are the vectors of simple eigenvalues. For a multiple eigenvalue, ARPACK
    can stop a little away from an eigenvector. The error of the eigenvalue is of second order in that distance, and
    still no more than rounding.
    """
    unit, rng = _power_of_two(max(K.max(), -K.min())), np.random.default_rng(0)
    mu, U = _largest(K, unit, rng, count)
    while _largest(K, unit, rng, 1, COPY_TOLERANCE, mu, U)[0][0] > mu[-1] + TIE_TOLERANCE * np.abs(mu).max():
        more, V = _largest(K, unit, rng, count, 0, mu, U)
        mu, U = _sorted(np.append(mu, more), np.hstack([U, V]), count)
    if not smallest:
        return unit * mu, U, None
    # The residual is relative to the eigenvalue, which must not be near 0. The largest one of σI − HKH is not.
    sigma = np.abs(mu).max()
    return unit * mu, U, unit * float(sigma - _largest(K, -unit, rng, 1, SMALLEST_TOLERANCE, shift=sigma)[0][0])


def _largest(K, unit, rng, count, tol=0, known=None, U=None, shift=0.0):
    """The largest eigenvalues, with vectors, of HKH / unit + shift · I − U diag(known) Uᵀ, the last only if given."""

    def product(v):
        v = v.ravel()
        result = dsymv(1.0, columns, v - v.mean(), lower=True)  # reads half of K
        result -= result.mean()
        result /= unit
        if U is not None:
            result -= U @ (known * (U.T @ v))
        return result + shift * v

    n, columns = len(K), _by_columns(K)
    basis = max(40 if shift else 20, 2 * count + 1)  # number of Lanczos vectors
    mu, vectors = eigsh(
        LinearOperator((n, n), matvec=product, dtype=float),
        count,
        which="LA",
        v0=rng.normal(size=n),
        ncv=min(basis, n),
        tol=tol,
        maxiter=max(LANCZOS_MIN_PRODUCTS, n // 2) // (basis - count) + 1,
    )
    return _sorted(mu, vectors, count)


def _by_columns(K):
    """The symmetric matrix stored by columns, as LAPACK and BLAS want it; a view if K is contiguous."""
    return K if K.flags.f_contiguous else np.asfortranarray(K.T)


def _sorted(mu, U, count):
    order = np.argsort(-mu, kind="stable")[:count]
    return mu[order], U[:, order]


def _power_of_two(size):
    """A unit for K, since ARPACK compares with absolute numbers; dividing by a power of two rounds nothing."""
    return 2.0 ** np.round(np.log2(size)) if size > 0 else 1.0

"""The largest eigenvalues of a centred Gram matrix with their vectors, by Lanczos' method or by LAPACK."""

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.blas import dsymv
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

# Lanczos' method takes four or more products with the matrix for each eigenpair, LAPACK the time of n/3 or more.
# Below n = 500 LAPACK takes 30 ms or less, and misses nothing: no copy, and no small negative eigenvalue.
LANCZOS_SHARE, LANCZOS_LEAST = 10, 500
COARSE = 1e-4  # of the largest eigenvalue: the residual left where only the sign of the smallest one is asked for
TIE = 1e-10  # of the largest eigenvalue: by less than this, one is not larger than another
PRODUCTS = 1000  # with the matrix, or n/2 if that is more: LAPACK's time, where that is long enough to matter
MISSED = 1e-3  # of the eigenvalue: the residual left where copies that were missed are looked for


def centred_eigenpairs(K, count, lowest=False):
    """The `count` largest eigenvalues of HKH, H = I − 11ᵀ/n, with orthonormal vectors; if wanted, the smallest one too.

    Lanczos' method serves where n ≥ 500 and n ≥ 10 `count`. It centres on the fly and needs no second matrix; its
    start vector is fixed, so that the same matrix gives the same result. Where it would be slower, or does not
    converge, LAPACK does the work.

    Parameters
    ----------
    K : (n, n) symmetric array, which may be overwritten
    count : int, from 1 to n
    lowest : bool, default False; whether the smallest eigenvalue is wanted

    Returns
    -------
    eigenvalues : (count,) array, largest first
    vectors : (n, count) array
    least : float, the smallest eigenvalue, or None where it is not wanted. Lanczos' method finds it, from above, to
        about 10⁻⁴ of the largest in size.

    >>> centred_eigenpairs(np.array([[4.0, 2.0], [2.0, 4.0]]), 1)[0]
    array([2.])
    """
    if len(K) >= max(LANCZOS_LEAST, LANCZOS_SHARE * count):
        try:
            return lanczos(K, count, lowest)
        except ArpackError:  # no convergence in the time that LAPACK takes, or a matrix that is zero
            pass
    return decomposition(K, count, lowest)


def decomposition(K, count, lowest=False):
    """centred_eigenpairs by LAPACK, which overwrites K.

    It computes the whole spectrum: asked for a part, LAPACK can return fewer than that, none for the unit matrix. The
    matrix is centred twice: what the first time leaves of a large constant is the rounding of its means, and the
    second time takes that away.
    """
    for _ in range(2):
        K -= K.mean(axis=0)
        K -= K.mean(axis=1)[:, None]
    mu, U = eigh(_columns(K), overwrite_a=True, check_finite=False, driver="evr")
    return mu[::-1][:count].copy(), U[:, ::-1][:, :count], float(mu[0]) if lowest else None


def lanczos(K, count, lowest=False):
    """centred_eigenpairs by Lanczos' method; raises ArpackError where a run takes longer than LAPACK would.

    So it does where more eigenvalues are asked for than are larger than rounding, which never come to rest.

    From one start vector the method can miss copies of a multiple eigenvalue. So it is run again on what the vectors
    found leave of the matrix, until a run from another vector finds no larger eigenvalue than the smallest one found.
    Every run has a start of its own: what the vectors found leave of the first start has no part in their copies.

    Eigenvalues are right to rounding. So are vectors, but for some of a multiple eigenvalue: there ARPACK can stop as
    far from an eigenvector as changes the eigenvalue, in second order, by no more than rounding.
    """
    unit, starts = _power_of_two(max(K.max(), -K.min())), np.random.default_rng(0)
    mu, U = _largest(K, unit, starts, count)
    while _largest(K, unit, starts, 1, MISSED, mu, U)[0][0] > mu[-1] + TIE * np.abs(mu).max():
        more, V = _largest(K, unit, starts, count, 0, mu, U)
        mu, U = _sorted(np.append(mu, more), np.hstack([U, V]), count)
    if not lowest:
        return unit * mu, U, None
    size = np.abs(mu).max()  # the residual is measured by the eigenvalue: that of σI − HKH is not near 0
    return unit * mu, U, unit * float(size - _largest(K, -unit, starts, 1, COARSE, shift=size)[0][0])


def _largest(K, unit, starts, count, tol=0, known=None, U=None, shift=0.0):
    """The largest eigenvalues, with vectors, of HKH / unit + shift · I; with `known`, without U diag(known) Uᵀ.

    `starts`, a generator, draws the start vector.
    """

    def product(v):
        v = v.ravel()
        result = dsymv(1.0, columns, v - v.mean(), lower=True)  # reads half of K
        result -= result.mean()
        result /= unit
        if U is not None:
            result -= U @ (known * (U.T @ v))
        return result + shift * v

    n, columns = len(K), _columns(K)
    size = max(40 if shift else 20, 2 * count + 1)
    found = eigsh(
        LinearOperator((n, n), matvec=product, dtype=float),
        count,
        which="LA",
        v0=starts.normal(size=n),
        ncv=min(size, n),
        tol=tol,
        maxiter=max(PRODUCTS, n // 2) // (size - count) + 1,
    )
    return _sorted(*found, count)


def _columns(K):
    """The symmetric matrix in columns, as LAPACK and BLAS have it; a view, if K is in rows or in columns."""
    return K if K.flags.f_contiguous else np.asfortranarray(K.T)


def _sorted(mu, U, count):
    order = np.argsort(-mu, kind="stable")[:count]
    return mu[order], U[:, order]


def _power_of_two(size):
    """A unit for K, since ARPACK compares with absolute numbers; a power of two changes no digits."""
    return 2.0 ** np.round(np.log2(size)) if size > 0 else 1.0

"""What a fit needs to know of its data: sums that parts of the data contribute to one after another."""

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from kernelbook.linalg.eigenpairs import significant_eigenpairs
from kernelbook.linalg.gram import orient


@dataclass(frozen=True, eq=False, repr=False)
class Moments:
    """Means and centred sums of the features F(x_i) and targets y_i of some objects, with weights w_i.

        n = Σ w_i,   mean = Σ w_i F(x_i) / n,   A = Σ w_i (F(x_i) − mean)ᵀ (F(x_i) − mean),
        b = Σ w_i (F(x_i) − mean)ᵀ (y_i − y_mean),   c = Σ w_i (y_i − y_mean)²

    Ridge regression and principal components of the features need nothing else of the data. Moments are made by the
    ``moments`` of Nystroem, RandomFeatures and ExactFeatures. Those of parts of the data add to those of the whole: in
    a loop, on several machines, or as a stream comes in. ``sum(parts)`` is the total, and ``total - part`` is the data
    without that part.

    The sums are centred, since Σ y² − n ȳ² loses all digits where y is far from 0. Two parts have the total
    (Chan, Golub & LeVeque)

        A = A₁ + A₂ + δᵀδ n₁ n₂ / n,    δ = mean₂ − mean₁,    and likewise b and c.

    Attributes
    ----------
    n : float, the sum of the weights
    rows : int, the number of objects
    mean : (q,) array, in units of √k
    y_mean : float or (t,), the means of the targets; (0,) if there are none
    A : (q, q) array, in units of k
    b : (q,) or (q, t) array
    c : float or (t,)
    fingerprint : str, which tells features apart; moments of different features do not add

    Raises
    ------
    ValueError : moments of different features or numbers of targets; a part that is larger than what it is taken from

    References
    ----------
    Chan, Golub & LeVeque (1983), Algorithms for computing the sample variance, The American Statistician 37.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelbook import Linear, ExactFeatures
    >>> features, X = ExactFeatures(Linear()).fit([[0.0]]), np.array([[0.0], [1.0], [5.0]])
    >>> total = sum(features.moments(X[rows], [1.0, 2.0, 6.0][rows]) for rows in (slice(2), slice(2, 3)))
    >>> total
    Moments(n=3, 1 feature, 1 target)
    >>> total.mean, total.A, total.b
    (array([2.]), array([[14.]]), array([14.]))
    """

    n: float
    rows: int
    mean: np.ndarray
    y_mean: np.ndarray
    A: np.ndarray
    b: np.ndarray
    c: np.ndarray
    fingerprint: str

    def __add__(self, other):
        if not isinstance(other, Moments):
            return NotImplemented
        self._check_alike(other)
        return self._with(other, 1)

    def __radd__(self, zero):
        """sum() begins with 0."""
        return self if isinstance(zero, int) and zero == 0 else NotImplemented

    def __sub__(self, other):
        if not isinstance(other, Moments):
            return NotImplemented
        self._check_alike(other)
        if other.rows >= self.rows or not other.n < self.n:
            raise ValueError(
                f"a part must be smaller than what it is taken from, got {other.rows} of {self.rows} objects, with "
                f"the weight {other.n:.6g} of {self.n:.6g}."
            )
        return self._with(other, -1)

    def pca(self, q):
        """The q largest principal components of the features: those of kernel PCA with k̂(x, x') = F(x) F(x')ᵀ.

        Component m of an object is (F(x) − mean) directions[:, m].

        Parameters
        ----------
        q : int ≥ 1; there are fewer if fewer eigenvalues exceed rounding

        Returns
        -------
        eigenvalues : (q,) array, those of A, largest first, in units of k; variances are eigenvalues / n
        directions : (number of features, q) array with orthonormal columns, signs as in ``orient``
        """
        eigenvalues, U, _ = significant_eigenpairs(
            self.A.copy(), "the covariance of the features", np.finfo(float).eps, psd=True, count=q
        )
        return eigenvalues, orient(U)

    def _mapped(self, W):
        """The Moments of the features F(x) W, for a (q, p) matrix W."""
        A = W.T @ self.A @ W
        return replace(self, mean=self.mean @ W, A=(A + A.T) / 2, b=W.T @ self.b)

    def _check_alike(self, other):
        if self.fingerprint != other.fingerprint:
            raise ValueError("moments must be those of the same features, got two kinds: fit them once, for all parts.")
        if np.shape(self.c) != np.shape(other.c):
            raise ValueError(f"moments must be those of the same targets, got {self!r} and {other!r}.")

    def _with(self, other, sign):
        """The moments of both parts, or, if the sign is −1, of this one without the other."""
        n = self.n + sign * other.n
        delta, y_delta = other.mean - self.mean, other.y_mean - self.y_mean
        share, weight = sign * other.n / n, self.n * other.n / n
        return Moments(
            n,
            self.rows + sign * other.rows,
            self.mean + share * delta,
            self.y_mean + share * y_delta,
            self.A + sign * (other.A + weight * np.multiply.outer(delta, delta)),
            self.b + sign * (other.b + weight * np.multiply.outer(delta, y_delta)),
            self.c + sign * (other.c + weight * y_delta**2),
            self.fingerprint,
        )

    def __repr__(self):
        counts = (len(self.mean), "feature"), (np.size(self.c), "target")
        parts = [f"{count} {name}{'s' if count != 1 else ''}" for count, name in counts]
        return f"Moments(n={self.n:.6g}, {', '.join(parts)})"


def moments_of(Z, y, weight, fingerprint):
    """The Moments of features Z.

    Parameters
    ----------
    Z : (n, q) array, which is overwritten, or sparse array
    y : (n,) or (n, t) array
    weight : (n,) array > 0
    fingerprint : str
    """
    n = weight.sum()
    mean, y_mean = weight @ Z / n, weight @ y / n
    y = y - y_mean
    weighted_y = (weight * y.T).T
    if sp.issparse(Z):
        A, b = (Z.T @ (sp.diags_array(weight) @ Z)).toarray(), Z.T @ weighted_y
        A -= n * np.multiply.outer(mean, mean)
    else:
        Z -= mean
        b = Z.T @ weighted_y
        Z *= np.sqrt(weight)[:, None]
        A = Z.T @ Z
    return Moments(float(n), len(y), mean, y_mean, A, b, (y * weighted_y).sum(axis=0), fingerprint)

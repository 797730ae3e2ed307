"""Properties and transformations of a Gram matrix, without its objects."""

from itertools import combinations

import numpy as np
from scipy.linalg import det, eigh, eigvalsh
from scipy.special import entr

from kernelbook.inputs.validation import check_positive, finite_array
from kernelbook.linalg.blocks import distance_from_squared, normalise_block, squared_distance_from
from kernelbook.linalg.tolerances import SINGLE_TOLERANCE, is_negative, rounding

__all__ = [
    "centre",
    "distances",
    "distances_to_mean",
    "effective_rank",
    "is_psd",
    "mean_norm",
    "normalise",
    "orient",
    "principal_minors",
    "psd_witness",
    "rounding",
    "spectrum",
    "square_root",
]

ROWS_COMPARED_AT_A_TIME = 128  # rows of a matrix that are compared with its columns together


def centre(K, training=None):
    """The Gram block of the features, after the mean of the training features is subtracted from each.

    For the training points themselves this is HKH with H = I − 11ᵀ/n; for new points

        K_ij − mean_l K_il − mean_l T_lj + mean_lm T_lm,   T the training Gram matrix, K_il = k(new_i, training_l)

    Parameters
    ----------
    K : (n, n) Gram matrix of the training points; or, with `training`, the (m, n) block of new points against them
    training : (n, n) Gram matrix, or None, the default

    Returns
    -------
    array of K's shape; K itself is not changed

    Raises
    ------
    ValueError : a Gram matrix is not symmetric, or K has not one column for each point of `training`

    References
    ----------
    Schölkopf, Smola & Müller (1998), appendix A.

    >>> centre([[4.0, 2.0], [2.0, 4.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if training is None:
        K = T = gram_matrix(K, "K")
    else:
        T = gram_matrix(training, "training")
        K = finite_array(K, "K")
        if K.shape[1] != len(T):
            raise ValueError(
                f"K must have one column for each of the {len(T)} training points, but has shape {K.shape}."
            )
    means = T.mean(axis=0)
    rows = means if training is None else K.mean(axis=1)
    return K - np.add.outer(rows, means) + means.mean()


def normalise(K):
    """K_ij / √(K_ii K_jj), with exact ones on the diagonal; ValueError if some K_ii is not positive.

    >>> normalise([[4.0, 1.0], [1.0, 1.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    K = gram_matrix(K, "K")
    return normalise_block(K.copy(), K.diagonal())


def distances(K):
    """√(K_ii + K_jj − 2 K_ij), the distances in feature space; ValueError if a square is negative beyond rounding.

    >>> distances([[1.0, 0.0], [0.0, 1.0]]).round(3)
    array([[0.   , 1.414],
           [1.414, 0.   ]])
    """
    K = gram_matrix(K, "K")
    return distance_from_squared(squared_distance_from(K.copy(), K.diagonal()), np.abs(K).max(), "K")


def spectrum(K):
    """The n eigenvalues of a Gram matrix, largest first.

    >>> spectrum([[2.0, 1.0], [1.0, 2.0]])
    array([3., 1.])
    """
    return eigvalsh(gram_matrix(K, "K"))[::-1]


def is_psd(K, size=None):
    """Whether no eigenvalue is negative by more than rounding, 10⁻¹⁰ · size.

    `size` is the size of the numbers from which K was computed, by default the largest eigenvalue. A centred matrix may
    have lost more digits than its own size tells: ``is_psd(centre(K), size=K.max())``.

    Raises ValueError if `size` is negative or not finite.

    >>> is_psd([[1.0, 2.0], [2.0, 1.0]])
    False
    """
    mu = spectrum(K)
    return not is_negative(mu[-1], _size(size, mu))


def psd_witness(K, size=None):
    """The unit vector c with the smallest cᵀKc < 0, which proves that K is not PSD; None if is_psd(K, size).

    >>> psd_witness([[1.0, 2.0], [2.0, 1.0]]).round(3)
    array([ 0.707, -0.707])
    """
    mu, U = eigh(gram_matrix(K, "K"))
    return orient(U[:, :1])[:, 0] if is_negative(mu[0], _size(size, mu)) else None


def principal_minors(K):
    """The determinants of all 2ⁿ − 1 principal submatrices, by their rows; K is PSD if none is negative.

    A determinant is an exact zero if rounding hides it beside the product of the largest entries of its rows.

    Raises ValueError for n > 16: use is_psd, whose work grows as n³.

    >>> principal_minors([[0.0, 0.0], [0.0, -1.0]])
    {(0,): 0.0, (1,): -1.0, (0, 1): 0.0}
    """
    K = gram_matrix(K, "K")
    n = len(K)
    if n > 16:
        raise ValueError(f"K must have at most 16 rows, since its principal minors number 2ⁿ − 1, got {n}.")
    subsets = (rows for size in range(1, n + 1) for rows in combinations(range(n), size))
    return {rows: _determinant(K[np.ix_(rows, rows)]) for rows in subsets}


def _determinant(K):
    value = float(det(K)) + 0.0
    return 0.0 if abs(value) < len(K) * np.finfo(float).eps * np.abs(K).max(axis=1).prod() else value


def square_root(K, size=None):
    """The symmetric PSD matrix S with S S = K, whose rows are feature vectors; ValueError unless is_psd(K, size).

    >>> square_root([[4.0, 0.0], [0.0, 9.0]])
    array([[2., 0.],
           [0., 3.]])
    """
    mu, U = decompose(gram_matrix(K, "K"), size=size)
    return (U * np.sqrt(mu)) @ U.T


def effective_rank(K, size=None):
    """exp(−Σ_j p_j log p_j) with p_j = μ_j / Σμ: the number of equal eigenvalues with the same entropy.

    From 1 for 11ᵀ to n for the unit matrix; 0 for the zero matrix. ValueError unless is_psd(K, size).

    References
    ----------
    Roy & Vetterli (2007), The effective rank: a measure of effective dimensionality, EUSIPCO.

    >>> effective_rank([[1.0, 0.0], [0.0, 1.0]])
    2.0
    """
    mu = _nonnegative(spectrum(K), "K", size)
    return float(np.exp(entr(mu / mu.sum()).sum())) if mu.any() else 0.0


def mean_norm(K, size=None):
    """√(1ᵀK1) / n, the length of the mean of the features; ValueError if 1ᵀK1 is negative beyond rounding.

    `size` is the size of the numbers from which K was computed, as in is_psd; by default the largest entry.

    >>> mean_norm([[1.0, 0.0], [0.0, 1.0]])
    0.7071067811865476
    """
    K = gram_matrix(K, "K")
    return float(distance_from_squared(np.array(K.mean()), _size(size, K), "K", "1ᵀK1 / n²"))


def distances_to_mean(K, size=None):
    """√(K_ii − 2 mean_j K_ij + mean_jl K_jl), the distance of each feature vector from their mean, shape (n,).

    ValueError if a square is negative beyond rounding; `size` as in mean_norm.

    >>> distances_to_mean([[0.0, 0.0], [0.0, 4.0]])
    array([1., 1.])
    """
    K = gram_matrix(K, "K")
    return distance_from_squared(centre(K).diagonal().copy(), _size(size, K), "K", "the square")


def decompose(K, name="K", size=None):
    """Eigenvalues of a PSD matrix, smallest first, with their vectors; an eigenvalue that is 0 up to rounding is 0.

    ValueError if an eigenvalue is negative beyond rounding, as in ``is_psd``.
    """
    mu, U = eigh(K)
    return _nonnegative(mu, name, size), U


def _nonnegative(eigenvalues, name, size):
    if is_negative(eigenvalues.min(), _size(size, eigenvalues)):
        raise ValueError(f"{name} must be positive semidefinite, but has the eigenvalue {eigenvalues.min():.3g}.")
    return np.where(eigenvalues > rounding(eigenvalues), eigenvalues, 0.0)


def _size(size, values):
    """The given `size`, or by default the size of the largest value."""
    if size is None:
        return np.abs(values).max()
    check_positive(size, "size", or_zero=True)
    return size


def orient(vectors):
    """Columns with fixed signs: in each, the first entry clearly larger than half of the largest is made positive.

    (A rule by the largest entry itself would depend on rounding in an odd vector, which has two such entries. So would
    a rule by exactly half of it, as in (1, −2, 1).)

    >>> orient(np.array([[-3.0, 0.1], [2.0, -2.0]]))
    array([[ 3. , -0.1],
           [-2. ,  2. ]])
    """
    vectors = finite_array(vectors, "vectors")
    large = np.abs(vectors) >= (0.5 + 1e-6) * np.abs(vectors).max(axis=0)
    first = np.take_along_axis(vectors, large.argmax(axis=0)[None], axis=0)
    return vectors * np.where(first < 0, -1.0, 1.0)


def gram_matrix(K, name):
    """K as a finite float array, symmetric to the bit; ValueError if it is not square or not symmetric.

    An asymmetry that rounding in single precision explains is averaged out.
    """
    K = finite_array(K, name)
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"{name} must be a square Gram matrix, but has shape {K.shape}.")
    worst, i, j = 0.0, 0, 0
    for start in range(0, len(K), ROWS_COMPARED_AT_A_TIME):
        asymmetry = np.abs(K[start : start + ROWS_COMPARED_AT_A_TIME] - K[:, start : start + ROWS_COMPARED_AT_A_TIME].T)
        if asymmetry.max() > worst:
            worst = asymmetry.max()
            i, j = np.unravel_index(asymmetry.argmax(), asymmetry.shape)
            i += start
    if worst > SINGLE_TOLERANCE * max(K.max(), -K.min()):
        one, other = _distinguishable(K[i, j], K[j, i])
        raise ValueError(f"{name} must be symmetric, but {name}[{i}, {j}] = {one} and {name}[{j}, {i}] = {other}.")
    if worst:
        K = K + K.T
        K *= 0.5
    return K


def _distinguishable(one, other):
    """Two different numbers as texts, with just enough digits to differ."""
    texts = ((f"{one:.{digits}g}", f"{other:.{digits}g}") for digits in range(6, 18))
    return next(pair for pair in texts if pair[0] != pair[1])

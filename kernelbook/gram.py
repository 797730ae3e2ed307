"""What can be read off a Gram matrix, and done to it, without going back to the objects."""

import numpy as np
from scipy.linalg import eigvalsh

from kernelbook.kernels.blocks import distance_from_squared, normalise_block, squared_distance_from
from kernelbook.kernels.checks import finite_array, gram_matrix


def centre(K, training=None):
    """The Gram block of the features after the mean of the training features is taken from each.

    For the training points themselves this is HKH with H = I − 11ᵀ/n; for new points

        K_ij − mean_l K_il − mean_l T_lj + mean_lm T_lm,   T the training Gram matrix, K_il = k(new_i, training_l)

    Parameters
    ----------
    K : (n, n) Gram matrix of the training points; or, with `training`, the (m, n) block of new points against them
    training : (n, n) Gram matrix or None

    Returns
    -------
    array of K's shape; K itself is not changed

    Raises
    ------
    ValueError : not symmetric, or the columns of K are not the points of `training`

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
    """K_ij / √(K_ii K_jj), with exact ones on the diagonal; ValueError where some K_ii is not positive.

    >>> normalise([[4.0, 1.0], [1.0, 1.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    K = gram_matrix(K, "K")
    return normalise_block(K.copy(), K.diagonal())


def distances(K):
    """√(K_ii + K_jj − 2 K_ij), the distances in feature space; ValueError where a square is negative beyond rounding.

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


def is_psd(K):
    """Whether no eigenvalue is negative by more than rounding, n · 2⁻⁵² · the largest in size.

    >>> is_psd([[1.0, 2.0], [2.0, 1.0]])
    False
    """
    eigenvalues = spectrum(K)
    return bool(eigenvalues[-1] >= -rounding(eigenvalues))


def rounding(eigenvalues):
    """n · 2⁻⁵² · the largest in size: smaller eigenvalues of a computed matrix cannot be told from zero."""
    return len(eigenvalues) * np.finfo(float).eps * np.abs(eigenvalues).max()

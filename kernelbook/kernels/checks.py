"""What is checked in more places than one."""

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_array


def gram_matrix(K, name):
    """K as a finite float array, symmetric to the bit; ValueError if it is not square or not symmetric."""
    K = check_array(K, dtype=np.float64, input_name=name)
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"{name} must be a square Gram matrix, but has shape {K.shape}.")
    asymmetry = np.abs(K - K.T)
    if asymmetry.max() > 1e-10 * np.abs(K).max():
        i, j = np.unravel_index(np.argmax(asymmetry), K.shape)
        raise ValueError(
            f"{name} must be symmetric, but {name}[{i}, {j}] = {K[i, j]:.6g} and {name}[{j}, {i}] = {K[j, i]:.6g}."
        )
    return K if not asymmetry.any() else (K + K.T) / 2


def sample_weights(sample_weight, X):
    """One float weight for each of X, ones for None; ValueError if one is negative or all are zero."""
    weight = _check_sample_weight(sample_weight, X)
    if weight.min() < 0 or not weight.any():
        raise ValueError(
            f"sample_weight must be >= 0 and not all 0, got values from {weight.min():.6g} to {weight.max():.6g}."
        )
    return weight

"""Kernels as functions of a distance, on blocks of distances."""

import numpy as np


def exponential_decay(D, gamma):
    """exp(−γ D), in place of D."""
    D *= -gamma
    return np.exp(D, out=D)


def exponential_decay_distance(D, gamma):
    """2 − 2 exp(−γ D), in place of D and without cancellation: d² in feature space for k = exp(−γ D)."""
    D *= -gamma
    np.expm1(D, out=D)
    D *= -2
    return D

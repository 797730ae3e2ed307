"""Kernels as functions of γ and a distance: their values, and units in which γ and the distance are floats."""

import numpy as np

# The squares of numbers from 2^-300 to 2^500, and sums of them, are floats.
MIN_SQUARABLE_EXPONENT = -300
MAX_SQUARABLE_EXPONENT = 500


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


def rescaled(gamma, power, *arrays):
    """γ and the points, both multiplied by powers of two if squares of points would overflow or underflow.

    γ ‖x − y‖^power does not change, and nothing is rounded. Arrays that are None stay None.
    """
    e = excess_exponent(*arrays)
    if e == 0:
        return gamma, *arrays
    with np.errstate(over="ignore"):
        gamma = min(float(np.ldexp(float(gamma), power * e)), np.finfo(float).max)
    return gamma, *(None if Z is None else np.ldexp(Z, -e) for Z in arrays)


def excess_exponent(*arrays):
    """The e for which arrays / 2^e have a largest number whose square is a float; 0 if they have one already."""
    largest = max(np.abs(Z).max() for Z in arrays if Z is not None)
    exponent = int(np.frexp(largest)[1])
    return exponent - min(max(exponent, MIN_SQUARABLE_EXPONENT), MAX_SQUARABLE_EXPONENT)

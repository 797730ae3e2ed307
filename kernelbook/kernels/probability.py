"""Kernels of probability models: objects are similar if the same hidden causes make them probable."""

from abc import abstractmethod

import numpy as np

from kernelbook.inputs.validation import finite_array, quoted
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.formatting import written
from kernelbook.kernels.strings import StringKernel, check_characters
from kernelbook.kernels.user_defined import ObjectKernel


class _FeatureKernel(Kernel):
    """The inner product of features that are written out."""

    psd = True

    @abstractmethod
    def _features(self, X):
        """The features of checked objects, a row for each."""

    def _block(self, X, Y):
        features = self._features(X)
        return features @ (features if Y is None else self._features(Y)).T

    def _diag(self, X):
        return np.square(self._features(X)).sum(axis=1)


class ProductProbability(_FeatureKernel, ObjectKernel):
    """k(x, x') = Σ_z P(z) p(x | z) p(x' | z), the probability of drawing a hidden z, and then both x and x' from it.

    The objects are what the likelihood takes, in a list or an array.

    Parameters
    ----------
    likelihood : function X -> (n, m) array of p(x_i | z) ≥ 0 for each of m causes z; densities may exceed 1
    prior : (m,) array of P(z), numbers ≥ 0 that add up to 1

    Raises
    ------
    ValueError, when the kernel is used : the likelihoods are negative or have another shape; P is not a distribution

    References
    ----------
    Shawe-Taylor & Cristianini (2004), Kernel Methods for Pattern Analysis, chapter 12, as P-kernels.

    >>> coins = np.array([0.5, 0.9])  # the probabilities of heads for two coins
    >>> k = ProductProbability(lambda X: np.where(np.array(X)[:, None] == "heads", coins, 1 - coins), [0.5, 0.5])
    >>> k(["heads", "tails"])
    array([[0.53, 0.17],
           [0.17, 0.13]])
    """

    _parameter_constraints = {"likelihood": [callable], "prior": ["array-like"]}

    def __init__(self, likelihood, prior):
        self.likelihood = likelihood
        self.prior = prior

    def _features(self, X):
        """p(x | z) √P(z)."""
        prior = distributions(self.prior, "prior", (None,))
        P = finite_array(self.likelihood(X), "the likelihoods")
        if P.shape != (len(X), len(prior)) or P.min() < 0:
            raise ValueError(
                f"likelihood must return numbers >= 0 of shape {(len(X), len(prior))}, got shape {P.shape} and a "
                f"smallest value of {P.min():.3g}."
            )
        return P * np.sqrt(prior)

    def _formula(self, digits=None):
        name = getattr(self.likelihood, "__name__", type(self.likelihood).__name__)
        return f"ProductProbability({name}, {written(self.prior, digits)})"


class Marginalized(_FeatureKernel, StringKernel):
    """k(x, x') = Σ_h Σ_h' p(h | x) p(h' | x') k_joint((x, h), (x', h')), h the hidden path of a Markov model behind x.

    The objects are strings over the alphabet. The joint kernel counts the characters that each state emits,
    k_joint((x, h), (x', h')) = Σ_as N_as N'_as, where N_as is how often x has the character a while h is in state s. So
    k is the inner product of the expected counts, E(N_as | x) = Σ_t [x_t = a] p(h_t = s | x), which the
    forward-backward recursion gives without going through the paths.

    Parameters
    ----------
    initial : (S,) array, probabilities of the S states at the first character
    transition : (S, S) array whose row s has the probabilities of the states that follow s
    emission : (S, A) array whose row s has the probabilities of the characters in state s
    alphabet : str of A different characters, in the order of the columns of ``emission``

    Raises
    ------
    ValueError, when the kernel is used : a row is not a distribution; a string has a character outside the alphabet, or
        probability 0

    References
    ----------
    Tsuda, Kin & Asai (2002), Marginalized kernels for biological sequences, Bioinformatics 18; there the counts are
    divided by the string's length.

    >>> fair_or_not = Marginalized([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[0.5, 0.5], [0.9, 0.1]], "ht")
    >>> fair_or_not.features(["hhht"]).round(2)  # h, t in the fair state; h, t in the other
    array([[1.14, 0.63, 1.86, 0.37]])
    """

    _parameter_constraints = {name: ["array-like"] for name in ("initial", "transition", "emission")} | {
        "alphabet": [str]
    }

    def __init__(self, initial, transition, emission, alphabet):
        self.initial = initial
        self.transition = transition
        self.emission = emission
        self.alphabet = alphabet

    def check(self, X, name="X"):
        """Strings of the alphabet's characters, in a list, an array or a column of a table."""
        X = super().check(X, name)
        check_characters(X, self.alphabet, name)
        return X

    def features(self, X):
        """The expected counts of each character in each state, shape (n, S · A), the characters of a state together."""
        return self._features(self._checked(X)[0])

    def _features(self, X):
        initial, transition, emission = self._model()
        n, longest, characters = len(X), max(map(len, X)), len(self.alphabet)
        code = np.full((n, longest), characters)  # after a string's end: what every state emits with probability 1
        for i, x in enumerate(X):
            code[i, : len(x)] = [self.alphabet.index(a) for a in x]
        seen = np.column_stack([emission, np.ones(len(initial))]).T[code]  # p(x_t | h_t = s), shape (n, longest, S)
        posterior = _posterior(initial, transition, seen)
        for i in np.flatnonzero(~np.isfinite(posterior).all(axis=(1, 2))):
            raise ValueError(
                f"every string must have a positive probability, but {quoted(X[i], 40)} has probability 0."
            )
        counts = [np.einsum("nt,nts->ns", code == a, posterior) for a in range(characters)]
        return np.stack(counts, axis=2).reshape(n, -1)

    def _model(self):
        emission = distributions(self.emission, "emission", (None, len(self.alphabet)))
        states = len(emission)
        initial = distributions(self.initial, "initial", (states,))
        return initial, distributions(self.transition, "transition", (states, states)), emission


def distributions(values, name, shape):
    """The values as an array of probability distributions along its last axis; None in the shape allows any length."""
    P = finite_array(values, name, ensure_2d=False)
    fits = P.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, P.shape, strict=True))
    if not fits or P.min() < 0 or not np.allclose(P.sum(axis=-1), 1):
        wanted = " x ".join("n" if want is None else str(want) for want in shape)
        raise ValueError(f"{name} must hold {wanted} probabilities that add up to 1 in each row, got {quoted(values)}.")
    return P


def _posterior(initial, transition, seen):
    """p(h_t = s | x) for every string, shape (n, longest, S), by a forward and a backward pass; NaN if p(x) = 0."""
    ahead, behind = np.empty_like(seen), np.ones_like(seen)
    with np.errstate(invalid="ignore"):
        for t in range(seen.shape[1]):
            before = initial if t == 0 else ahead[:, t - 1] @ transition
            ahead[:, t] = _shares(before * seen[:, t])  # p(h_t | x_1 … x_t)
        for t in reversed(range(seen.shape[1] - 1)):
            behind[:, t] = _shares((seen[:, t + 1] * behind[:, t + 1]) @ transition.T)  # ∝ p(x_t+1 … | h_t)
        return _shares(ahead * behind)


def _shares(P):
    return P / P.sum(axis=-1, keepdims=True)

"""Several classes: labels as codes, a classifier for each pair of them, and their vote."""

from itertools import combinations

import numpy as np


def class_pairs(count):
    """The pairs of classes (positive, negative) in scikit-learn's order, in which two classes are the pair (1, 0)."""
    return [(1, 0)] if count == 2 else list(combinations(range(count), 2))


def vote(decisions, count):
    """The class with most votes from the classifiers of all pairs; of several, the first."""
    votes = np.zeros((len(decisions), count), dtype=int)
    for (i, j), decision in zip(class_pairs(count), decisions.T, strict=True):
        votes[:, i] += decision > 0
        votes[:, j] += decision <= 0
    return votes.argmax(axis=1)

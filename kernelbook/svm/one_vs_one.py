"""Several classes: labels as codes, a classifier for each pair of them, and their vote."""

from itertools import combinations

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d

from kernelbook.validation import check_labels, is_number, quoted


def encode_labels(X, y):
    """The classes, sorted, and the place among them of each object's label.

    Raises ValueError if y is None, lacks a label, has another length than X, labels that do not sort, continuous
    numbers, or fewer than two classes.
    """
    y = check_labels(y)
    if np.asarray(y).dtype.kind == "c":
        raise ValueError("y must hold labels of classes: Complex data not supported.")
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in y})
        raise ValueError(f"y must hold labels that can be sorted, got {' and '.join(kinds)} together.") from None
    if (kind := type_of_target(y, input_name="y")) not in ("binary", "multiclass"):
        i, found = (int(np.argmax(y != np.round(y))), "numbers") if kind == "continuous" else (0, "objects")
        raise ValueError(f"Unknown label type: y must hold labels of classes, got {found} such as {quoted(y[i])}.")
    if len(classes) < 2:
        raise ValueError(f"y must hold at least two classes, got {len(classes)} class: {classes}.")
    return classes, codes


def class_weights(class_weight, classes, codes):
    """The weight of each class, from what scikit-learn takes as `class_weight`; ValueError if one is not positive."""
    if class_weight is None:
        return np.ones(len(classes))
    given = class_weight.values() if isinstance(class_weight, dict) else ()
    if not all(map(is_number, given)):
        raise ValueError(f"class_weight must hold a number for each label, got {quoted(class_weight)}.")
    weights = compute_class_weight(class_weight, classes=classes, y=classes[codes])
    if not ((weights > 0) & (weights < np.inf)).all():
        raise ValueError(f"class_weight must be finite and > 0 for every class, got {weights.tolist()}.")
    return weights


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

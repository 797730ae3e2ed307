"""The targets to be learned: numbers, labels of classes, and the weights of the objects."""

from contextlib import suppress

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d

from kernelbook.inputs.missing_values import is_missing, unmasked
from kernelbook.inputs.times import as_array
from kernelbook.inputs.validation import finite_array, is_number, quoted
from kernelbook.linalg.gram import gram_matrix

CLASS_WEIGHT = [StrOptions({"balanced"}), dict, None]
LARGEST_Y = 1e150  # sums of squares of larger numbers overflow


def check_given(y):
    """ValueError, in the words that scikit-learn expects, if y is None."""
    if y is None:
        raise ValueError("this estimator requires y to be passed, but the target y is None.")


def check_labels(y):
    """The labels as an array, of numbers if all are numbers.

    Raises ValueError if y is None or masked, is not a collection, has rows of several lengths, or lacks a label.
    """
    check_given(y)
    y = unmasked(y, "y", "label these objects, or leave them out")
    labels = _label_array(y)
    text_from_list = labels.dtype.kind in "US" and labels is not y  # in which NumPy has made text of None and NaN
    missing = is_missing(np.asarray(y, dtype=object) if text_from_list else labels).ravel()
    if missing.any():
        raise ValueError(
            f"y must have a label for every object, but has none in {np.count_nonzero(missing)} of {len(missing)} "
            f"places, the first of them {np.argmax(missing)}: label these objects, or leave them out."
        )
    if labels.dtype.kind == "O" and all(map(is_number, labels.flat)):
        return np.array(labels.tolist())
    return labels


def _label_array(y):
    with suppress(ValueError):  # NumPy makes no array of rows of several lengths
        if (labels := as_array(y, "y")).ndim > 0:
            return labels
    raise ValueError(f"y must hold one label for each object, got {quoted(y)}.")


def check_targets(X, y):
    """y as one finite float for each object; ValueError if it is not."""
    check_given(y)
    y = column_or_1d(finite_array(y, "y", ensure_2d=False), warn=True)
    check_consistent_length(X, y)
    if np.abs(y).max() > LARGEST_Y:
        raise ValueError(
            f"y must hold numbers from {-LARGEST_Y:.0e} to {LARGEST_Y:.0e}, whose squares can be summed, got "
            f"{y[np.abs(y).argmax()]:.3g}: choose another unit."
        )
    return y


def check_regression_targets(X, y):
    """y as finite floats; ValueError if there is not one target, or row of targets, for each object."""
    check_given(y)
    y = finite_array(y, "y", ensure_2d=False)
    check_consistent_length(X, y)
    return y


def weighted(factor, weight, names):
    """factor · weight; ValueError with these names if a product underflows, or the sum overflows."""
    factor, weight = np.asarray(factor), np.asarray(weight)
    with np.errstate(over="ignore", under="ignore"):
        product = factor * weight
        total = product.sum()
    if not np.isfinite(total) or ((product == 0) & (weight > 0)).any():
        raise ValueError(
            f"{names} must lie within the range of numbers, and so must the sum, got {_span(factor)} times "
            f"{_span(weight[weight > 0])}."
        )
    return product


def _span(values):
    least, most = f"{values.min():.3g}", f"{values.max():.3g}"
    return least if least == most else f"{least} … {most}"


def encode_labels(X, y):
    """The classes, sorted, and the index among them of each object's label.

    Raises ValueError if y is None, lacks a label, has another length than X, labels that do not sort, continuous
    numbers, or fewer than two classes.
    """
    y = check_labels(y)
    if y.dtype.kind == "c":
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
    """The weight of each class by scikit-learn's `class_weight`; ValueError if one is not finite and positive."""
    if class_weight is None:
        return np.ones(len(classes))
    given = class_weight.values() if isinstance(class_weight, dict) else ()
    if not all(map(is_number, given)):
        raise ValueError(f"class_weight must hold a number for each label, got {quoted(class_weight)}.")
    weights = compute_class_weight(class_weight, classes=classes, y=classes[codes])
    if not ((weights > 0) & (weights < np.inf)).all():
        raise ValueError(f"class_weight must be finite and > 0 for every class, got {weights.tolist()}.")
    return weights


def weights_by_class(class_weight, sample_weight, classes, codes):
    """class_weight times sample_weight for each object; ValueError if a class is left without weight."""
    of_class = class_weights(class_weight, classes, codes)
    weight = weighted(of_class[codes], sample_weight, "class_weight times sample_weight")
    totals = np.bincount(codes, weight)
    if (totals == 0).any():
        empty = classes.tolist()[np.argmin(totals)]
        raise ValueError(f"sample_weight must leave weight on every class, but class {empty!r} has none.")
    return weight


def check_two_classes(K, y):
    """K as a Gram matrix and y as floats; ValueError unless y holds a label −1 or +1 for each row, and both labels."""
    K, y = gram_matrix(K, "K"), finite_array(y, "y", ensure_2d=False)
    if y.shape != (len(K),) or set(y) != {-1.0, 1.0}:
        raise ValueError(
            f"y must hold {len(K)} labels -1 and +1, of both kinds, got shape {y.shape} and {np.unique(y)[:5]}."
        )
    return K, y

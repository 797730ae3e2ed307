"""Missing values: masked ones, None, NaN, and pandas' NA and NaT."""

from collections.abc import Sequence
from itertools import chain

import numpy as np

NEVER_MISSING = {str, bytes, int, bool}  # types without a value that means "missing"


def unmasked(values, name, advice="fill masked values, or leave their objects out"):
    """The values, as a plain array if they are a masked array without masked values; ValueError if a value is masked.

    NumPy's functions ignore the mask and would take the values below it for data.
    """
    if count := _count_masked(values):
        subject = "1 of its values is" if count == 1 else f"{count} of its values are"
        raise ValueError(f"{name} must not be masked, but {subject}: {advice}.")
    return np.ma.getdata(values) if isinstance(values, np.ma.MaskedArray) else values


def _count_masked(values):
    """The number of masked values in an array, or in lists of arrays."""
    if isinstance(values, np.ma.MaskedArray):
        return int(np.count_nonzero(np.ma.getmaskarray(values)))
    if _is_list(type(values)) and any(issubclass(kind, np.ma.MaskedArray) for kind in _types_in_lists(values)):
        return sum(map(_count_masked, values))
    return 0


def _types_in_lists(values):
    """The types of the items of a list, or of lists of lists at any depth."""
    types = set(map(type, values))
    if lists := set(filter(_is_list, types)):
        inner = values if types == lists else (value for value in values if type(value) in lists)
        return (types - lists) | _types_in_lists([*chain.from_iterable(inner)])
    return types


def _is_list(kind):
    return issubclass(kind, Sequence) and not issubclass(kind, str | bytes | range)


def is_missing(table):
    """An array of bools, True for each place of a table that holds None, NaN, or pandas' NA or NaT."""
    if table.dtype.kind == "O":
        if set(map(type, table.flat)) <= NEVER_MISSING:
            return np.zeros(table.shape, dtype=bool)
        return np.array([is_gap(value) for value in table.flat], dtype=bool).reshape(table.shape)
    return table != table if table.dtype.kind in "fMm" else np.zeros(table.shape, dtype=bool)


def is_gap(value):
    """Whether a value is None, NaN, masked, or pandas' NA or NaT."""
    try:
        return value is None or value is np.ma.masked or bool(value != value)  # NaN differs from itself
    except (TypeError, ValueError):  # pandas' NA, whose comparison is NA too; or an array
        return type(value).__name__ == "NAType"

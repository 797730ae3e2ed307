"""Arrays of values of any kind, made from tables or rows, and collections of objects joined into one."""

from collections.abc import Hashable, Mapping, Set

import numpy as np
import scipy.sparse as sp

from kernelbook.inputs.dataframes import concatenated, is_frame, objects
from kernelbook.inputs.missing_values import unmasked
from kernelbook.inputs.validation import quoted


def table(values, name):
    """An (n, d) array of hashable values: the array itself, or one made from rows or from a data frame.

    None, NaN, and pandas' NA and NaT may stand for missing values.
    """
    values = cells(values, name)
    if values.dtype.kind == "O":
        for place, value in np.ndenumerate(values):
            if not isinstance(value, Hashable):
                raise ValueError(
                    f"{name} must hold single values, but row {place[0]}, column {place[1]} is {quoted(value)}."
                )
    return values


def cells(values, name):
    """An (n, d) array of any values, even sets and lists: the array itself, or one made from rows or a data frame."""
    if sp.issparse(values):
        raise ValueError(f"{name} must be a dense table, got a sparse matrix.")
    if isinstance(values, str | Set | Mapping) or not hasattr(values, "__len__"):
        raise ValueError(f"{name} must be a table with a row for each object, got {quoted(values)}.")
    values = unmasked(values, name, "fill masked values, or put None there for a kernel that takes gaps")
    if is_frame(values):
        values = objects(values)
    elif not isinstance(values, np.ndarray):
        widths = {len(row) if isinstance(row, list | tuple | np.ndarray) else -1 for row in values}
        if len(widths) > 1:
            raise ValueError(f"{name} must be a table, but its rows do not have the same length.")
        values = rows_of(values, max(widths)) if min(widths, default=-1) > 0 else np.array(values, dtype=object)
    elif values.dtype.kind not in "biufUSMmO":
        values = values.astype(object)
    if values.ndim != 2 or not values.size:
        raise ValueError(
            f"{name} must be a table with a row for each object and at least one column, but has shape {values.shape}."
        )
    return values


def rows_of(rows, width):
    """An (n, width) array of objects from rows of values, which may be tuples or other collections themselves."""
    return np.fromiter((value for row in rows for value in row), dtype=object).reshape(-1, width)


def joined(collections):
    """Lists, arrays or data frames of objects in one collection, in which every object keeps its type."""
    if any(isinstance(collection, list) for collection in collections):
        return [item for collection in collections for item in collection]
    if any(map(is_frame, collections)):
        return concatenated(collections)
    kinds = {array.dtype.kind for array in collections}
    if len(kinds) > 1 and not kinds <= set("biuf"):  # NumPy's common type would make 1 the text "1"
        collections = [np.fromiter(array.flat, dtype=object).reshape(array.shape) for array in collections]
    return np.concatenate(collections)

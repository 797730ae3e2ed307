"""Dates, times and spans of time, which NumPy would turn into counts of ticks, even NaT."""

from datetime import date, time, timedelta

import numpy as np

from kernelbook.inputs.dataframes import is_frame, time_columns

TIME_TYPES = date, time, timedelta, np.datetime64, np.timedelta64  # datetime is a subclass of date


def refuse_times(values, name):
    """ValueError if an array or a list holds times, or if a data frame has a column of times."""
    if is_frame(values):
        if columns := time_columns(values):
            raise _times_found(name, f" in column {columns[0]!r}")
    else:
        refuse_time_types(types_in(as_array(values, name)), name)


def refuse_time_types(types, name):
    """ValueError if a set of types contains a type of times."""
    if any(map(_is_time_type, types)):
        raise _times_found(name)


def as_array(values, name):
    """np.asarray(values), with objects if NumPy's times stand beside numbers; ValueError for ragged rows."""
    try:
        return np.asarray(values)
    except np.exceptions.DTypePromotionError:
        return np.asarray(values, dtype=object)
    except ValueError as error:
        raise ValueError(f"{name} must be an array of numbers: {str(error).rstrip('.')}.") from None


def types_in(array):
    """The types of an array's values, as a set."""
    return set(map(type, array.flat)) if array.dtype.kind == "O" else {array.dtype.type}


def _is_time_type(kind):
    """Whether a type is one of dates, times or spans of time, as pandas' Timestamp, Period and NaT are."""
    return issubclass(kind, TIME_TYPES) or (hasattr(kind, "year") and not hasattr(kind, "__float__"))


def _times_found(name, where=""):
    return ValueError(
        f"{name} must be an array of numbers, got times{where}: write them as numbers, such as days since a start."
    )

"""Data frames of pandas, and of the libraries that narwhals reads, such as polars and pyarrow."""

import numpy as np

from kernelbook.runtime.available import narwhals


def is_frame(X):
    """Whether X is a data frame."""
    return _is_pandas(X) or _narwhals(X) is not None


def refuse_lazy(X):
    """ValueError if X is a data frame that is not computed yet."""
    _narwhals(X)


def column_names(X):
    """The names of a data frame's columns; None for any other collection."""
    if _is_pandas(X):
        return list(X.columns)
    frame = _narwhals(X)
    return None if frame is None else frame.columns


def column(X, name):
    """The values of one column of a data frame, as a list."""
    return list(X[name]) if _is_pandas(X) else _values(_narwhals(X).get_column(name))


def columns(X, names):
    """Some columns of a data frame, as a frame of the same library."""
    return X[names] if _is_pandas(X) else _narwhals(X).select(names).to_native()


def numbers_or_objects(X):
    """The values of a data frame, an (n, d) array: numbers if every column holds numbers, else Python's objects."""
    if _is_pandas(X):
        numeric = all(getattr(dtype, "kind", None) in ("b", "i", "u", "f") for dtype in X.dtypes)
        return X.to_numpy(dtype=float if numeric else object)
    frame = _narwhals(X)
    numeric = all(dtype.is_numeric() or dtype == narwhals.Boolean for dtype in frame.schema.values())
    return frame.to_numpy() if numeric else objects(X)


def objects(X):
    """The values of a data frame as Python's objects, an (n, d) array."""
    if _is_pandas(X):
        return X.to_numpy(dtype=object)
    frame = _narwhals(X)
    values = np.empty(frame.shape, dtype=object)
    for j, series in enumerate(frame.iter_columns()):
        values[:, j] = np.fromiter(_values(series), dtype=object, count=len(frame))
    return values


def concatenated(frames):
    """The rows of several data frames in one frame; ValueError if their libraries or columns differ.

    Arrays may stand beside pandas' frames. If the types of pandas' columns differ, the result holds objects.
    """
    if any(map(_is_pandas, frames)) and not any(_narwhals(frame) is not None for frame in frames):
        from pandas import DataFrame, concat  # pandas is installed, since its frames are here

        frames = [DataFrame(frame) for frame in frames]
        if any(not frame.dtypes.equals(frames[0].dtypes) for frame in frames):
            frames = [frame.astype(object) for frame in frames]
        return concat(frames, ignore_index=True)
    schemas = [frame and frame.schema for frame in map(_narwhals, frames)]
    if None in schemas or len({type(frame) for frame in frames}) > 1 or any(one != schemas[0] for one in schemas):
        kinds = " and ".join(sorted({type(frame).__name__ for frame in frames}))
        raise ValueError(
            f"points must be in data frames of one library, with the same columns of the same types, got {kinds}."
        )
    return narwhals.concat([_narwhals(frame) for frame in frames]).to_native()


def time_columns(X):
    """The names of a data frame's columns that hold dates, times or spans of time."""
    if _is_pandas(X):
        return [name for name, dtype in X.dtypes.items() if getattr(dtype, "kind", None) in ("M", "m")]
    return [name for name, dtype in _narwhals(X).schema.items() if dtype.is_temporal()]


def listed(values):
    """A collection as a list; the values of a column of pyarrow become Python's."""
    return values.to_pylist() if hasattr(values, "to_pylist") else list(values)


def _values(series):
    """A column's values as Python's, but times as NumPy's, since Python would round them to microseconds."""
    return list(series.to_numpy()) if series.dtype.is_temporal() else series.to_list()


def _is_pandas(X):
    return all(hasattr(X, name) for name in ("iloc", "columns", "to_numpy"))  # a frame of Dask has no to_numpy


def _narwhals(X):
    """X as a frame of narwhals; None if X is not a frame, or a pandas frame, whose column names may be any objects.

    ValueError if X is a frame that is not computed yet.
    """
    if narwhals is None or not hasattr(X, "columns") or _is_pandas(X):
        return None
    frame = narwhals.from_native(X, pass_through=True)
    if isinstance(frame, narwhals.LazyFrame):
        raise ValueError(f"a data frame must be in memory, got a {type(X).__name__}: compute or collect it first.")
    return frame if isinstance(frame, narwhals.DataFrame) else None

"""What is checked in more places than one; collections of objects as one table or list."""

import sys
import warnings
from collections.abc import Hashable, Mapping, Set
from numbers import Real

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_array

from kernelbook.parallel import ASKED_FROM

THROUGH = {"kernelbook", "sklearn", "joblib", "concurrent", "threading", "multiprocessing"}  # whom no warning is for
ROWS = 128  # of a matrix that are compared with its columns at a time
NEGATIVE_TOLERANCE = 1e-10  # of the largest number in a sum or matrix: what is negative by less may be rounding
SYMMETRY_TOLERANCE = 1e-6  # of the largest entry: an asymmetry below it is rounding, in single precision at worst


def warn(message, category=ConvergenceWarning):
    """A warning that names the caller's line: the innermost outside the library, pipelines, searches and threads."""
    own = frame = sys._getframe(1)
    asked = ASKED_FROM.get()
    while frame and str(frame.f_globals.get("__name__")).partition(".")[0] in THROUGH:
        frame, asked = (frame.f_back, asked) if frame.f_back else (asked, None)
    frame = frame or own  # in a thread or process that somebody else has begun
    names, file, line = frame.f_globals, frame.f_code.co_filename, frame.f_lineno
    module = str(names.get("__name__") or file)
    warnings.warn_explicit(message, category, file, line, module, names.setdefault("__warningregistry__", {}))


def finite_array(values, name, **options):
    """scikit-learn's check_array for finite floats, its errors naming what came where they do not."""
    if _has_times(values):  # a number of ticks, of whatever length, and for NaT a number too
        raise ValueError(
            f"{name} must be an array of numbers, got times: count them, as ({name} - start) / np.timedelta64(1, 'D')."
        )
    try:
        return check_array(values, dtype=np.float64, input_name=name, **options)
    except OverflowError:
        raise ValueError(f"{name} must hold numbers below 1.8e308 in size, got a larger int.") from None
    except (ValueError, TypeError) as error:
        if "convert string" in str(error) or "inhomogeneous" in str(error):
            raise ValueError(f"{name} must be an array of numbers: {error}.") from None
        if "NAType" in str(error):
            raise ValueError(f"Input {name} contains NaN, as pandas' NA.") from None
        if "Complex data" in str(error) or "not 'complex'" in str(error):
            raise ValueError(f"{name} must hold real numbers: Complex data not supported.") from None
        if "Expected 2D array" in str(error):
            advice = "a row is a list, [x] where it is one number."
            if name.isidentifier():
                advice = f"{name}[:, None] if it holds one feature, {name}[None] if it holds one point."
            shape = np.shape(values)
            raise ValueError(
                f"{name} must have a row for each point, but has shape {shape}. Reshape your data: {advice}"
            ) from None
        raise


def _has_times(values):
    dtypes = np.ravel(np.asarray(getattr(values, "dtypes", getattr(values, "dtype", None)), dtype=object))
    return any(getattr(dtype, "kind", None) in ("M", "m") for dtype in dtypes)


def table(values, name):
    """An (n, d) array of values of any kind that are equal or not: the array itself, or one made of rows or of a frame.

    None and NaN, and what pandas has in their place, may stand for a value that is missing.
    """
    values = cells(values, name)
    if values.dtype.kind == "O":
        for place, value in np.ndenumerate(values):
            if not isinstance(value, Hashable):
                raise ValueError(
                    f"{name} must hold single values, but row {place[0]}, column {place[1]} is {value!r:.40}."
                )
    return values


def cells(values, name):
    """An (n, d) array of anything, sets and lists too: the array itself, or one made of rows or of a frame."""
    if sp.issparse(values):
        raise ValueError(f"{name} must be a dense table, got a sparse matrix.")
    if isinstance(values, str | Set | Mapping) or not hasattr(values, "__len__"):
        raise ValueError(f"{name} must be a table with a row for each object, got {values!r:.40}.")
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} must be a plain table, got a masked array: put None where it is masked.")
    if hasattr(values, "to_numpy"):
        values = values.to_numpy(dtype=object)
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
    """An (n, width) object array of rows of values, which may be tuples or other collections themselves."""
    return np.fromiter((value for row in rows for value in row), dtype=object).reshape(-1, width)


def joined(collections):
    """Lists, arrays or data frames of objects as one collection, in which every object is what it was."""
    if any(isinstance(collection, list) for collection in collections):
        return [item for collection in collections for item in collection]
    if any(hasattr(collection, "columns") for collection in collections):
        from pandas import DataFrame, concat  # it is installed where there are frames

        frames = [DataFrame(collection) for collection in collections]
        if any(not frame.dtypes.equals(frames[0].dtypes) for frame in frames):
            frames = [frame.astype(object) for frame in frames]
        return concat(frames, ignore_index=True)
    kinds = {array.dtype.kind for array in collections}
    if len(kinds) > 1 and not kinds <= set("biuf"):  # a common type would make "1" of 1
        collections = [np.fromiter(array.flat, dtype=object).reshape(array.shape) for array in collections]
    return np.concatenate(collections)


def is_missing(X):
    """Where a table has None, NaN or one of pandas' signs in the place of a value."""
    if X.dtype.kind == "O":
        return np.array([is_gap(value) for value in X.flat]).reshape(X.shape)
    return X != X if X.dtype.kind in "fMm" else np.zeros(X.shape, dtype=bool)


def is_gap(value):
    """Whether a value is None, NaN or one of pandas' signs for what is missing."""
    try:
        return value is None or bool(value != value)  # NaN is unlike itself
    except TypeError:
        return True  # pandas' NA, of which not even that is known
    except ValueError:
        return False  # an array


def is_negative(least, size):
    """Whether `least` is negative, or NaN, beyond the rounding of numbers as large as `size`."""
    return not least >= -NEGATIVE_TOLERANCE * size


def is_plainly_negative(least, size):
    """As ``is_negative``, beyond the rounding of single precision, in which the numbers may have come."""
    return not least >= -SYMMETRY_TOLERANCE * size


def check_given(y):
    """ValueError, in the words that scikit-learn asks for, where there is nothing to be learned."""
    if y is None:
        raise ValueError("this estimator requires y to be passed, but the target y is None.")


def check_positive(value, name, or_zero=False):
    """ValueError if the value is no finite number > 0, or ≥ 0."""
    if not (isinstance(value, Real) and 0 <= value < np.inf and (or_zero or value)):
        raise ValueError(f"{name} must be a finite number {'>=' if or_zero else '>'} 0, got {value!r}.")


def check_number(value, name, constraints):
    """ValueError where a parameter that may be a number is True or False, or is none that a float can be.

    scikit-learn's constraints let both pass.
    """
    kinds = [constraint.type for constraint in constraints if isinstance(constraint, Interval)]
    if isinstance(value, bool | np.bool_) and kinds and "boolean" not in constraints:
        raise ValueError(f"{name} must be a number, got {value}.")
    if isinstance(value, Real) and Real in kinds:
        try:
            float(value)
            known = isinstance(value, int | float | np.number)
        except OverflowError:
            known = False
        if not known:
            raise ValueError(f"{name} must be an int or a float below 1.8e308 in size, got {value!r:.40}.")


def positive_list(values, name, or_zero=False):
    """The values as an array, or ValueError if they are no list of finite numbers > 0, or ≥ 0."""
    if np.ndim(values) == 1 and len(values):
        array = finite_array(values, name, ensure_2d=False)
        if array.min() > 0 or (or_zero and array.min() == 0):
            return array
    advice = f": write {name}=[{values!r}]" if isinstance(values, Real) else ""
    raise ValueError(f"{name} must be a list of numbers {'>=' if or_zero else '>'} 0, got {values!r}{advice}.")


def gram_matrix(K, name):
    """K as a finite float array, symmetric to the bit; ValueError if it is not square or not symmetric.

    An asymmetry up to that of single precision is taken for rounding, and evened out.
    """
    K = finite_array(K, name)
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"{name} must be a square Gram matrix, but has shape {K.shape}.")
    worst, i, j = 0.0, 0, 0
    for start in range(0, len(K), ROWS):
        asymmetry = np.abs(K[start : start + ROWS] - K[:, start : start + ROWS].T)
        if asymmetry.max() > worst:
            worst = asymmetry.max()
            i, j = np.unravel_index(asymmetry.argmax(), asymmetry.shape)
            i += start
    if worst > SYMMETRY_TOLERANCE * max(K.max(), -K.min()):
        one, other = _told_apart(K[i, j], K[j, i])
        raise ValueError(f"{name} must be symmetric, but {name}[{i}, {j}] = {one} and {name}[{j}, {i}] = {other}.")
    if worst:
        K = K + K.T
        K *= 0.5
    return K


def _told_apart(one, other):
    """Two numbers in as few digits as show that they differ."""
    texts = ((f"{one:.{digits}g}", f"{other:.{digits}g}") for digits in range(6, 18))
    return next(pair for pair in texts if pair[0] != pair[1])


def sample_weights(sample_weight, X):
    """A float for each object, ones for None; ValueError if one is negative, or all are 0, or the sum overflows."""
    if _num_samples(X) == 0:
        raise ValueError("X must hold at least one object, got none.")
    weight = _check_sample_weight(sample_weight, X)
    if weight.min() < 0 or not weight.any():
        raise ValueError(
            f"sample_weight must be >= 0 and not all 0, got values from {weight.min():.6g} to {weight.max():.6g}."
        )
    with np.errstate(over="ignore"):
        total = weight.sum()
    if total == np.inf:
        raise ValueError(f"sample_weight must have a sum below 1.8e308, got values up to {weight.max():.6g}.")
    return weight

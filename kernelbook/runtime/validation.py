"""What is checked in more places than one: numbers, labels, weights, matrices and parameters."""

from collections.abc import Sequence
from datetime import date, time, timedelta
from itertools import chain
from numbers import Real

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, InvalidParameterError
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_array

from kernelbook.runtime.frames import is_frame, time_columns

TIMES = date, time, timedelta, np.datetime64, np.timedelta64  # the first has datetime among its subclasses
NUMBERS = {int, float, bool, np.float64, np.int64}  # types that are no times
NEVER_MISSING = {str, bytes, int, bool}  # types of values that are never a sign for what is missing


def finite_array(values, name, **options):
    """scikit-learn's check_array for finite floats; ValueError, which names what came, where there are none."""
    values = no_times(unmasked(values, name), name)
    try:
        return check_array(values, dtype=np.float64, input_name=name, **options)
    except OverflowError:
        raise ValueError(f"{name} must hold numbers below 1.8e308 in size, got a larger int.") from None
    except (ValueError, TypeError) as error:
        if any(words in str(error) for words in ("convert string", "inhomogeneous", "array element with a sequence")):
            raise ValueError(f"{name} must be an array of numbers: {str(error).rstrip('.')}.") from None
        if "NAType" in str(error):
            raise ValueError(f"Input {name} contains NaN, as pandas' NA.") from None
        if "Complex data" in str(error) or "not 'complex'" in str(error):
            raise ValueError(f"{name} must hold real numbers: Complex data not supported.") from None
        if "float() argument" in str(error):
            raise TypeError(f"{name} must be an array of numbers: {error}.") from None
        if "Expected 2D array" in str(error) or "Expected a 2-dimensional container" in str(error):
            advice = "a row is a list, [x] where it is one number."
            if name.isidentifier():
                advice = f"{name}[:, None] if it holds one feature, {name}[None] if it holds one point."
            shape = np.shape(values)
            raise ValueError(
                f"{name} must have a row for each point, but has shape {shape}. Reshape your data: {advice}"
            ) from None
        raise


def unmasked(values, name, advice="fill masked values, or leave their objects out"):
    """The values, of a masked array those below its mask; ValueError where something is masked.

    What reads a masked array as an array of NumPy takes the values below the mask for data.
    """
    if count := _masked(values):
        some = "1 of its values is" if count == 1 else f"{count} of its values are"
        raise ValueError(f"{name} must not be masked, but {some}: {advice}.")
    return np.ma.getdata(values) if isinstance(values, np.ma.MaskedArray) else values


def _masked(values):
    """How many values of an array, or of lists of arrays, are masked."""
    if isinstance(values, np.ma.MaskedArray):
        return int(np.count_nonzero(np.ma.getmaskarray(values)))
    if _is_list(type(values)) and any(issubclass(kind, np.ma.MaskedArray) for kind in _types_in(values)):
        return sum(map(_masked, values))
    return 0


def _types_in(values):
    """The types of what lists hold, of whatever depth."""
    found = set(map(type, values))
    if lists := set(filter(_is_list, found)):
        within = chain.from_iterable(value for value in values if type(value) in lists)
        return (found - lists) | _types_in([*within])
    return found


def _is_list(kind):
    return issubclass(kind, Sequence) and not issubclass(kind, str | bytes | range)


def no_times(values, name):
    """The values; ValueError where some are times: as a number, each would be a count of ticks, even NaT."""
    columns = time_columns(values) if is_frame(values) else []
    if columns or _are_times(values):
        where = f" in column {columns[0]!r}" if columns else ""
        raise ValueError(
            f"{name} must be an array of numbers, got times{where}: write them as numbers, such as days since a start."
        )
    return values


def _are_times(values):
    """Whether numbers would be made of dates, times or spans of time, in an array or a list."""
    if not isinstance(values, np.ndarray):
        if sp.issparse(values) or _are_numeric(values):
            return False
        if _is_list(type(values)) and _types_in(values) <= NUMBERS:
            return False
        try:
            values = np.asarray(values)
        except (ValueError, TypeError) as error:  # times beside numbers; or no array at all, as scikit-learn will say
            return "DateTime64" in str(error) or "TimeDelta64" in str(error)
    if values.dtype.kind == "O":
        return any(map(_is_of_time, set(map(type, values.flat))))
    return values.dtype.kind in "Mm"


def _are_numeric(values):
    """Whether every column of pandas says that its values are numbers."""
    dtypes = np.ravel(np.asarray(getattr(values, "dtypes", None), dtype=object))
    return all(getattr(dtype, "kind", None) in ("b", "i", "u", "f") for dtype in dtypes)


def _is_of_time(kind):
    """Whether values of a type are dates, times or spans of time: pandas' Timestamp, Period and NaT are too."""
    return issubclass(kind, TIMES) or (hasattr(kind, "year") and not hasattr(kind, "__float__"))


def is_missing(X):
    """Where a table has None, NaN or one of pandas' signs in the place of a value."""
    if X.dtype.kind == "O":
        if set(map(type, X.flat)) <= NEVER_MISSING:
            return np.zeros(X.shape, dtype=bool)
        return np.array([is_gap(value) for value in X.flat], dtype=bool).reshape(X.shape)
    return X != X if X.dtype.kind in "fMm" else np.zeros(X.shape, dtype=bool)


def is_gap(value):
    """Whether a value is None, NaN, masked or one of pandas' signs for what is missing."""
    try:
        return value is None or value is np.ma.masked or bool(value != value)  # NaN is unlike itself
    except (TypeError, ValueError):  # pandas' NA, of which not even that is known; or an array
        return type(value).__name__ == "NAType"


def check_given(y):
    """ValueError, in the words that scikit-learn asks for, where there is nothing to be learned."""
    if y is None:
        raise ValueError("this estimator requires y to be passed, but the target y is None.")


def check_labels(y):
    """The labels, an array of objects that are numbers as one of numbers; ValueError where y or a label is missing."""
    check_given(y)
    y = unmasked(y, "y", "label these objects, or leave them out")
    try:  # in an array of strings None would be "None"
        found = y if isinstance(y, np.ndarray) else np.asarray(y, dtype=object)
    except ValueError:  # lists of several lengths, which column_or_1d refuses
        return y
    plain = np.asarray(y)
    if (missing := is_missing(found if plain.dtype.kind in "OUST" else plain).ravel()).any():
        raise ValueError(
            f"y must have a label for every object, but has none in {np.count_nonzero(missing)} of {len(missing)} "
            f"places, the first of them {np.argmax(missing)}: label these objects, or leave them out."
        )
    if plain.dtype.kind == "O" and all(map(is_number, found.flat)):
        return np.array(found.tolist())
    return y


def quoted(value, width=60):
    """A value as a message quotes it, on one line: what has several rows by type and shape, anything else by repr."""
    if isinstance(value, np.generic):
        value = value.item()  # whose repr does not name its type
    if _has_rows(value):
        name = "array" if isinstance(value, np.ndarray) else type(value).__name__
        return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name} of shape {value.shape}"
    if isinstance(value, list | tuple) and any(map(_has_rows, value)):
        return f"a {type(value).__name__} of {', '.join(map(quoted, value))}"[:width]
    text = " ".join(repr(value).split())
    return f"an object of type {type(value).__name__}" if " object at 0x" in text else text[:width]


def _has_rows(value):
    return isinstance(shape := getattr(value, "shape", None), tuple) and len(shape) > 1


def is_number(value):
    """Whether a value is a real number, as spans of time, which NumPy counts among the integers, are not."""
    return isinstance(value, Real) and not isinstance(value, np.timedelta64)


def check_positive(value, name, or_zero=False):
    """ValueError if the value is no finite number > 0, or ≥ 0."""
    if not (is_number(value) and 0 <= value < np.inf and (or_zero or value)):
        raise ValueError(f"{name} must be a finite number {'>=' if or_zero else '>'} 0, got {quoted(value)}.")


def check_params(owner, of=""):
    """ValueError where a parameter of an estimator or kernel is none that its constraints allow."""
    params = owner.get_params(deep=False)
    for name, value in params.items():
        check_number(value, name + of, owner._parameter_constraints.get(name, []))
    try:
        BaseEstimator._validate_params(owner)
    except InvalidParameterError as error:
        message = str(error)
        for value in params.values():
            message = message.replace(repr(value), quoted(value))
        raise InvalidParameterError(message) from None


def check_number(value, name, constraints):
    """ValueError where a parameter that may be a number is True or False, a span of time, or does not fit in a float.

    scikit-learn's constraints let these pass.
    """
    kinds = [constraint.type for constraint in constraints if isinstance(constraint, Interval)]
    if isinstance(value, bool | np.bool_) and kinds and "boolean" not in constraints:
        raise ValueError(f"{name} must be a number, got {value}.")
    if isinstance(value, np.timedelta64):
        raise ValueError(f"{name} must be a number, got a span of time: {value}.")
    if isinstance(value, Real) and Real in kinds:
        try:
            float(value)
            known = isinstance(value, int | float | np.number)
        except OverflowError:
            known = False
        if not known:
            raise ValueError(f"{name} must be an int or a float below 1.8e308 in size, got {quoted(value, 40)}.")


def positive_list(values, name, or_zero=False):
    """The values as an array, or ValueError if they are no list of finite numbers > 0, or ≥ 0."""
    if np.ndim(values) == 1 and len(values):
        array = finite_array(values, name, ensure_2d=False)
        if array.min() > 0 or (or_zero and array.min() == 0):
            return array
    advice = f": write {name}=[{values!r}]" if is_number(values) else ""
    raise ValueError(f"{name} must be a list of numbers {'>=' if or_zero else '>'} 0, got {quoted(values)}{advice}.")


def sample_weights(sample_weight, X):
    """A float for each object, ones for None; ValueError if one is negative, or all are 0, or the sum overflows."""
    if _num_samples(X) == 0:
        raise ValueError("X must hold at least one object, got none.")
    if sample_weight is not None:
        sample_weight = no_times(unmasked(sample_weight, "sample_weight"), "sample_weight")
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

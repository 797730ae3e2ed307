"""Checks of input that several packages share: numbers, parameters and weights."""

from numbers import Real

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, InvalidParameterError, validate_parameter_constraints
from sklearn.utils.validation import _num_samples, check_array

from kernelbook.inputs.dataframes import is_frame, numbers_or_objects
from kernelbook.inputs.missing_values import is_missing, unmasked
from kernelbook.inputs.times import as_array, refuse_time_types, refuse_times, types_in


def finite_array(values, name, ensure_2d=True, **options):
    """The values as an array of finite floats; ValueError or TypeError, which quotes the values, if they are not.

    The options go to scikit-learn's check_array, which refuses NaN, infinity and arrays without rows or columns.
    """
    array = values if sp.issparse(values) else _numeric_array(unmasked(values, name), name)
    if array.dtype.kind == "c":
        raise ValueError(f"{name} must hold real numbers: Complex data not supported.")
    if array.ndim == 0 and not ensure_2d:
        raise ValueError(f"{name} must be a list or an array of numbers, got the single value {quoted(values)}.")
    if ensure_2d and array.ndim < 2:
        advice = "a row is a list, [x] if it is one number."
        if name.isidentifier():
            advice = f"{name}[:, None] if it holds one feature, {name}[None] if it holds one point."
        raise ValueError(
            f"{name} must have a row for each point, but has shape {array.shape}. Reshape your data: {advice}"
        )
    return check_array(array, dtype=np.float64, input_name=name, ensure_2d=ensure_2d, **options)


def _numeric_array(values, name):
    """The values of an array, a list or a data frame as numbers: text and objects become floats, or complex."""
    if is_frame(values):
        refuse_times(values, name)  # before the values lose the names of their columns
        array = numbers_or_objects(values)
    else:
        array = as_array(values, name)
    if array.dtype.kind in "biufc":
        return array
    if array.dtype.names:
        raise ValueError(
            f"{name} must be an array of numbers, got a structured array: "
            "numpy.lib.recfunctions.structured_to_unstructured makes columns of its fields."
        )
    types = types_in(array)
    refuse_time_types(types, name)
    if any(kind.__name__ == "NAType" for kind in types):
        array = np.where(is_missing(array), np.nan, array)
    has_complex = any(issubclass(kind, complex | np.complexfloating) for kind in types)
    try:  # from objects, since NumPy's messages then quote text as Python writes it
        return array.astype(object, copy=False).astype(complex if has_complex else float)
    except OverflowError:
        raise ValueError(f"{name} must hold numbers below 1.8e308 in size, got a larger int.") from None
    except (TypeError, ValueError) as error:  # scikit-learn expects a TypeError for objects that float() cannot take
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name} must be an array of numbers: {str(error).rstrip('.')}.") from None


def quoted(value, width=60):
    """A value on one line of a message: an array or frame with rows by type and shape, anything else by its repr."""
    if isinstance(value, np.generic):
        value = value.item()  # a Python number, whose repr does not name its type
    if _has_rows(value):
        name = "array" if isinstance(value, np.ndarray) else type(value).__name__
        return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name} of shape {value.shape}"
    if isinstance(value, list | tuple) and any(map(_has_rows, value)):
        return f"a {type(value).__name__} of {', '.join(map(quoted, value))}"[:width]
    text = " ".join(repr(value).split())
    return f"an object of type {type(value).__name__}" if " at 0x" in text else text[:width]


def _has_rows(value):
    return isinstance(shape := getattr(value, "shape", None), tuple) and len(shape) > 1


def is_number(value):
    """Whether a value is a real number, and not a span of time, which NumPy counts among the integers."""
    return isinstance(value, Real) and not isinstance(value, np.timedelta64)


def check_positive(value, name, or_zero=False):
    """ValueError unless the value is a finite number > 0, or ≥ 0."""
    if not (is_number(value) and 0 <= value < np.inf and (or_zero or value)):
        raise ValueError(f"{name} must be a finite number {'>=' if or_zero else '>'} 0, got {quoted(value)}.")


def check_params(owner, of=""):
    """ValueError if a parameter of an estimator or kernel violates its constraints."""
    for name, value in owner.get_params(deep=False).items():
        check_number(value, name + of, owner._parameter_constraints.get(name, []))
        try:
            validate_parameter_constraints(owner._parameter_constraints, {name: value}, type(owner).__name__)
        except InvalidParameterError as error:
            raise InvalidParameterError(str(error).replace(repr(value), quoted(value))) from None


def check_number(value, name, constraints):
    """ValueError if a numeric parameter is True or False, a span of time, or too large for a float.

    scikit-learn's constraints accept these.
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
    """The values as an array; ValueError unless they are a list of finite numbers > 0, or ≥ 0."""
    if np.ndim(values) == 1 and len(values):
        array = finite_array(values, name, ensure_2d=False)
        if array.min() > 0 or (or_zero and array.min() == 0):
            return array
    advice = f": write {name}=[{values!r}]" if is_number(values) else ""
    raise ValueError(f"{name} must be a list of numbers {'>=' if or_zero else '>'} 0, got {quoted(values)}{advice}.")


def sample_weights(sample_weight, X):
    """A float for each object, ones for None; ValueError if one is negative, all are 0, or the sum overflows."""
    n = _num_samples(X)
    if n == 0:
        raise ValueError("X must hold at least one object, got none.")
    if sample_weight is None:
        return np.ones(n)
    values = [sample_weight] * n if is_number(sample_weight) else sample_weight
    weight = finite_array(values, "sample_weight", ensure_2d=False)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight must hold one number for each of {n} objects, but has shape {weight.shape}.")
    if weight.min() < 0 or not weight.any():
        raise ValueError(
            f"sample_weight must be >= 0 and not all zero, got values from {weight.min():.6g} to {weight.max():.6g}."
        )
    with np.errstate(over="ignore"):
        total = weight.sum()
    if total == np.inf:
        raise ValueError(f"sample_weight must have a sum below 1.8e308, got values up to {weight.max():.6g}.")
    return weight

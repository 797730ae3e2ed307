"""The text of parameters in the repr of kernels and estimators."""

from numbers import Integral, Real

import numpy as np

MOST_ENTRIES = 6  # of a list or an array that is written in full


def written(value, digits=None):
    """A parameter as a Python expression on one line; floats are exact, or rounded to `digits` significant digits.

    A list, tuple, array or dict with more than 6 entries is abbreviated to its first and last three.

    >>> written([np.float32(0.1), 1 / 3, 2], digits=4)
    '[0.1, 0.3333, 2]'
    >>> written(dict.fromkeys(range(1000), 0.001))
    '{0: 0.001, 1: 0.001, 2: 0.001, ..., 997: 0.001, 998: 0.001, 999: 0.001}'
    """
    if hasattr(value, "_formula"):
        return value._formula(digits)
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()  # Python's numbers, whose repr does not name their type
    if isinstance(value, list | tuple):
        text = ", ".join(written(entry, digits) if entry is not ... else "..." for entry in _abbreviated(value))
        if isinstance(value, tuple):
            return f"({text},)" if len(value) == 1 else f"({text})"
        return f"[{text}]"
    if isinstance(value, dict):
        entries = (
            f"{written(key)}: {written(value[key], digits)}" if key is not ... else "..."
            for key in _abbreviated([*value])
        )
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, Real) and not isinstance(value, Integral):
        return repr(float(value) if digits is None else float(f"{float(value):.{digits}g}"))
    return " ".join(line.strip() for line in repr(value).splitlines())


def _abbreviated(entries):
    """A list; if it is long, its first and last entries with ... between them."""
    half = MOST_ENTRIES // 2
    return entries if len(entries) <= MOST_ENTRIES else [*entries[:half], ..., *entries[-half:]]

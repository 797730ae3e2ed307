"""How a kernel's parameters are written in its formula."""

from numbers import Integral, Real

import numpy as np

ENTRIES = 6  # of a list or an array


def written(value, digits=None):
    """A parameter as Python reads it, on one line; floats are exact, or rounded to so many significant digits.

    A list, tuple or array with more than 6 entries is abbreviated to its first and last three.

    >>> written([np.float32(0.1), 1 / 3, 2], digits=4)
    '[0.1, 0.3333, 2]'
    """
    if hasattr(value, "_formula"):
        return value._formula(digits)
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()  # Python's numbers, whose repr does not name their type
    if isinstance(value, list | tuple):
        entries = [written(entry, digits) for entry in value[:ENTRIES]]
        if len(value) > ENTRIES:
            half = ENTRIES // 2
            entries[half:] = ["...", *(written(entry, digits) for entry in value[-half:])]
        text = ", ".join(entries)
        if isinstance(value, tuple):
            return f"({text},)" if len(value) == 1 else f"({text})"
        return f"[{text}]"
    if isinstance(value, dict):
        entries = (f"{written(key)}: {written(entry, digits)}" for key, entry in value.items())
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, Real) and not isinstance(value, Integral):
        return repr(float(value) if digits is None else float(f"{float(value):.{digits}g}"))
    return " ".join(line.strip() for line in repr(value).splitlines())

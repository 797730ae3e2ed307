"""A kernel on the rows of a table whose columns are of several kinds."""

from kernelbook.inputs import dataframes
from kernelbook.inputs.object_arrays import cells
from kernelbook.inputs.validation import quoted
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.formatting import written
from kernelbook.kernels.parts import AdditiveKernel


class Columns(AdditiveKernel):
    """k(x, x') = Σ_p k_p(x_p, x'_p), where x_p is the part of row x in the columns of part p.

    Parameters
    ----------
    parts : list of (columns, Kernel)
        Columns are names of a data frame's columns, or numbers of an array's columns. A list of columns gives the
        kernel a table, which RBF and Overlap take; a single column gives it a list of values, which Spectrum takes. A
        factor weights a part: ``("name", 0.5 * Spectrum())``. The kernel of part 0 has the parameters ``0__gamma``, …

    Raises
    ------
    ValueError, when the kernel is used : there is no such column

    >>> from kernelbook.kernels import Linear, Spectrum
    >>> rows = [[1.0, "ab"], [2.0, "bb"]]
    >>> Columns([([0], Linear()), (1, Spectrum(1))])(rows)
    array([[3., 4.],
           [4., 8.]])
    """

    takes_frames = True

    def __init__(self, parts):
        self.parts = parts

    def get_params(self, deep=True):
        params = {"parts": self.parts}
        if deep:
            for name, kernel in self._parts().items():
                params |= {name: kernel, **{f"{name}__{key}": value for key, value in kernel.get_params().items()}}
        return params

    def set_params(self, **params):
        if "parts" in params:  # first, since the other parameters are those of the kernels in it
            self.parts = params.pop("parts")
        for name in [name for name in params if name in self._parts()]:
            parts = list(self.parts)
            parts[int(name)] = parts[int(name)][0], params.pop(name)
            self.parts = parts
        return super().set_params(**params)

    def check(self, X, name="X"):
        """The rows of a data frame, or of an (n, d) array of values of any kind."""
        X = X if dataframes.is_frame(X) else cells(X, name)
        self._pieces(X, name)
        return X

    def _check_params(self):
        if not isinstance(self.parts, list | tuple) or not self.parts:
            raise ValueError(f"parts must be a list of (columns, Kernel), got {quoted(self.parts)}.")
        for part in self.parts:
            if not _is_part(part):
                raise ValueError(f"parts must be a list of (columns, Kernel), but one is {quoted(part)}.")
        super()._check_params()

    def _parts(self):
        parts = self.parts if isinstance(self.parts, list | tuple) else []
        return {str(number): part[1] for number, part in enumerate(parts) if _is_part(part)}

    def _pieces(self, X, name="X"):
        """The columns of a table that each kernel gets, checked by it."""
        return [_checked(kernel, X, columns, name) for columns, kernel in self.parts]

    def _resolved(self):
        return {"columns": [columns for columns, _ in self.parts], **self._parts()}

    def _formula(self, digits=None):
        if not isinstance(self.parts, list | tuple) or len(self._parts()) < len(self.parts):
            return f"Columns({written(self.parts, digits)})"
        parts = ", ".join(f"({_plain(columns)!r}, {written(kernel, digits)})" for columns, kernel in self.parts)
        return f"Columns([{parts}])"


def _checked(kernel, X, columns, name):
    """The columns of a part, checked by its kernel; the error says if the kernel would take their other form."""
    try:
        return kernel.check(_columns(X, columns, name), f"{name}[{columns!r}]")
    except (ValueError, TypeError):
        named = _plain(columns)
        other = [named] if not isinstance(named, list) else named[0] if len(named) == 1 else None
        if other is None or not _takes(kernel, X, other, name):
            raise
        raise ValueError(
            f"parts must name the column of {written(kernel)} as {other!r}, {'in' if other == [named] else 'without'} "
            f"a list, got {columns!r}."
        ) from None


def _takes(kernel, X, columns, name):
    try:
        kernel.check(_columns(X, columns, name), name)
    except (ValueError, TypeError):
        return False
    return True


def _columns(X, asked, name):
    """A list of columns as a table, or one column as a list of its values; ValueError if there is no such column."""
    asked = _plain(asked)
    several, framed = isinstance(asked, list), dataframes.is_frame(X)
    there = dataframes.column_names(X) if framed else list(range(X.shape[1]))
    for one in asked if several else [asked]:
        if isinstance(one, bool) or there.count(one) != 1:
            often = "it twice" if there.count(one) > 1 else "no such column"
            advice = ""
            if isinstance(one, str) and not framed:
                advice = (
                    " An array has no names: set_output(transform='pandas') keeps them through a pipeline's steps; in "
                    "a kernel for gaps a column goes by its number."
                )
            raise ValueError(f"{name} must have the column {one!r} once, but has {often}: {quoted(there)}.{advice}")
    if several and len(set(asked)) < max(len(asked), 1):
        raise ValueError(f"parts must name one column or several different ones, got {quoted(asked)}.")
    if several:
        return dataframes.columns(X, asked) if framed else X[:, asked]
    return dataframes.column(X, asked) if framed else list(X[:, asked])


def _plain(columns):
    """Names or numbers of columns as Python objects, in a list if there are several."""
    columns = columns.tolist() if hasattr(columns, "tolist") else columns
    return [_plain(column) for column in columns] if isinstance(columns, list) else columns


def _is_part(part):
    return isinstance(part, tuple) and len(part) == 2 and isinstance(part[1], Kernel)

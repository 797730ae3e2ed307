"""Kernels on tables with gaps: the expectation of a kernel over the values that may fill the gaps."""

from itertools import product
from math import prod

import numpy as np
from sklearn.exceptions import NotFittedError

from kernelbook.inputs.missing_values import is_missing
from kernelbook.inputs.object_arrays import rows_of, table
from kernelbook.inputs.validation import is_number, quoted, sample_weights
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.categories import check_alike, check_precision, codes, distinct_values, shares
from kernelbook.kernels.sets import member_sums, own_sums

MOST_COMPLETIONS = 2**12  # of one row
UNEQUAL_KINDS = str, bytes, object  # a value of one kind does not equal any value of another


class _GapKernel(Kernel):
    """A kernel on the rows of an (n, d) table in which None, NaN or pandas' NA stand for what is missing."""

    on_vectors = False
    takes_frames = False  # the base kernel gets arrays, whose columns have no names

    @property
    def psd(self):
        """where base is"""
        return self.base.psd

    @property
    def conditionally_psd(self):
        return self.base.conditionally_psd  # weights that are spread over completions keep their sum 0

    def check(self, X, name="X"):
        """The rows of a table or a data frame in which None, NaN or pandas' NA stand for what is missing."""
        return table(X, name)

    def _found(self):
        mine = {
            f"{name}_": getattr(self, f"{name}_")
            for name in ("probabilities", "values")
            if hasattr(self, f"{name}_") and getattr(self, name) is None
        }
        return {**mine, **super()._found()}

    def _check_together(self, X, Y):
        check_alike(X, Y, not self.base.on_vectors)

    def _check_common(self, X, values, name):
        """ValueError if no value given for a column can be equal to any value in the column."""
        for j, (x, of_column) in enumerate(zip(distinct_values(X), values, strict=True)):
            of_column = dict.fromkeys(of_column).keys()
            if not _of_one_kind(x, of_column):
                raise ValueError(
                    f"{name} of column {j} must hold values such as {next(iter(x))!r}, which X has there, but hold "
                    f"values such as {next(iter(of_column))!r}."
                )
            if not self.base.on_vectors:
                check_precision(x, of_column, f"X and the {name} of column {j}")

    def _one_for_each_column(self, given, found, X):
        """The values or probabilities, given or found by `fit`: a list with an entry for each column of X."""
        values = getattr(self, f"{found}_", None) if given is None else given
        if values is None:
            raise NotFittedError(f"{type(self).__name__} takes its {found} from data: call fit(X) first, or give them.")
        if isinstance(values, dict) or len(values) == 0 or not isinstance(values[0], dict | list | tuple | np.ndarray):
            values = [values] * X.shape[1]
        if len(values) != X.shape[1]:
            raise ValueError(f"{found} must be one for each of the {X.shape[1]} columns of X, got {len(values)}.")
        return values


class MissingValue(_GapKernel):
    """k(x, x') = (1/d) Σ_j E base(u_j, u'_j), where u_j is x_j, or a draw from column j if x_j is missing.

    The objects are the rows of a table in which None, NaN or pandas' NA stand for a missing value. u_j and u'_j are
    independent, even if x and x' are the same row. If neither x_j nor x'_j is missing, the expectation is base(x_j,
    x'_j). If x_j is missing, it is Σ_v P_j(v) base(v, x'_j). If both are, it is Σ_v Σ_w P_j(v) P_j(w) base(v, w).

    Parameters
    ----------
    base : Kernel on single values, which it gets as a table of one column: ``Overlap()``, or ``RBF()`` for numbers.
        ``fit`` fits it to the values of all columns together.
    probabilities : list of d dicts, value -> P_j(value), or one dict for all columns; None, the default, takes the
        shares in the data that ``fit`` sees

    Attributes
    ----------
    probabilities_ : list of d dicts; set by ``fit`` if ``probabilities`` is None

    Raises
    ------
    ValueError : the probabilities of a column are negative or do not add up to 1; no value in the column can equal
        any of theirs, as with "1" and 1; a column has gaps only

    References
    ----------
    Nebot-Troyano & Belanche (2009), A kernel extension to handle missing data, SGAI.

    >>> from kernelbook.kernels import Overlap
    >>> MissingValue(Overlap(), {0: 0.25, 1: 0.75})([[1], [None]])  # 3/4, and (1/4)² + (3/4)²
    array([[1.   , 0.75 ],
           [0.75 , 0.625]])
    """

    _parameter_constraints = {"base": [Kernel], "probabilities": [dict, list, tuple, None]}

    def __init__(self, base, probabilities=None):
        self.base = base
        self.probabilities = probabilities

    def _fit(self, X, sample_weight):
        gaps, weight = is_missing(X), sample_weights(sample_weight, X)
        if self.probabilities is None:
            _check_columns(gaps | (weight == 0)[:, None])
            self.probabilities_ = shares(X, weight)
        if not gaps.all():
            self.base._fit(self.base.check(X[~gaps][:, None]), np.repeat(weight, X.shape[1])[~gaps.ravel()])

    def _block(self, X, Y):
        Y = X if Y is None else Y
        K = np.zeros((len(X), len(Y)))
        for (x, y), E in self._columns(X, Y):
            K += E[np.ix_(x, y)]
        K /= X.shape[1]
        return K

    def _diag(self, X):
        return np.mean([E[x, x] for (x, _), E in self._columns(X, X)], axis=0)

    def _columns(self, X, Y):
        """For each column the codes of its values in X and Y, and E base(u, u') for all codes; the last is a gap."""
        gaps_x, gaps_y = is_missing(X), is_missing(Y)
        probabilities = self._one_for_each_column(self.probabilities, "probabilities", X)
        for j, P in enumerate(probabilities):
            _check_probabilities(P, j)
        for Z in (X,) if Y is X else (X, Y):
            self._check_common(Z, probabilities, "probabilities")
        for j, P in enumerate(probabilities):
            (x, y, support), values = codes(X[~gaps_x[:, j], j], Y[~gaps_y[:, j], j], P)
            K = self.base(np.fromiter(values, dtype=object)[:, None])
            p = np.zeros(len(values))
            p[support] = list(P.values())
            g = K @ p
            E = np.block([[K, g[:, None]], [g, p @ g]])
            yield (_with_gaps(x, gaps_x[:, j], len(values)), _with_gaps(y, gaps_y[:, j], len(values))), E


class Completion(_GapKernel):
    """k(x, x') = mean of base(u, u') over all u that complete x and all u' that complete x'.

    The objects are the rows of a table in which None, NaN or pandas' NA stand for a missing value. A completion fills
    every gap with one of the column's values, and all completions have the same weight. If the base is a mean over
    columns, as ``Overlap`` is, the result is that of ``MissingValue`` with equal probabilities; but the base may be any
    kernel on rows. The work grows with the product of the numbers of completions of two rows.

    Parameters
    ----------
    base : Kernel on rows without gaps
    values : list of d lists, the values of each column, or one list for all columns; None, the default, takes all that
        ``fit`` sees

    Attributes
    ----------
    values_ : list of d lists; set by ``fit`` if ``values`` is None

    Raises
    ------
    ValueError : a row has more than 4096 completions; no value in a column can equal any of the values given for it, as
        with "1" and 1; a column has gaps only

    References
    ----------
    Nebot-Troyano & Belanche (2009), A kernel extension to handle missing data, SGAI.

    >>> from kernelbook.kernels import SimpleMatching
    >>> Completion(SimpleMatching(), [0, 1])([[1, 1], [None, 1]])
    array([[1.  , 0.75],
           [0.75, 0.75]])
    """

    _parameter_constraints = {"base": [Kernel], "values": [list, tuple, np.ndarray, None]}

    def __init__(self, base, values=None):
        self.base = base
        self.values = values

    def _fit(self, X, sample_weight):
        weight = sample_weights(sample_weight, X)
        if self.values is None:
            _check_columns(is_missing(X) | (weight == 0)[:, None])
            self.values_ = [list(share) for share in shares(X, weight)]
        completed = self._completions(X)
        counts = [len(rows) for rows in completed]
        self.base._fit(np.concatenate(completed), np.repeat(weight / counts, counts))

    def _block(self, X, Y):
        x = self._completions(X)
        y = x if Y is None else self._completions(Y)
        K = member_sums(self.base, x, None if Y is None else y)
        K /= np.multiply.outer([len(rows) for rows in x], [len(rows) for rows in y])
        return K

    def _diag(self, X):
        x = self._completions(X)
        return own_sums(self.base, x) / np.array([len(rows) for rows in x]) ** 2

    def _completions(self, X):
        """For each row, all its completions, checked by the base."""
        values, gaps, found = self._one_for_each_column(self.values, "values", X), is_missing(X), []
        for j, column in enumerate(values):
            _check_no_gap(column, "values", j)
        self._check_common(X, values, "values")
        for i, (row, missing) in enumerate(zip(X, gaps, strict=True)):
            choices = [values[j] if gap else [row[j]] for j, gap in enumerate(missing)]
            if (count := prod(map(len, choices))) > MOST_COMPLETIONS or count == 0:
                raise ValueError(f"rows must have 1 to {MOST_COMPLETIONS} completions, but row {i} has {count}.")
            found.append(self.base.check(rows_of(product(*choices), len(row))))
        return found


def _of_one_kind(x, y):
    """Whether two sets of values can have equal elements; True if one of them is empty."""
    if not (x and y and x.isdisjoint(y)):
        return True
    kinds = [{next(kind for kind in UNEQUAL_KINDS if isinstance(value, kind)) for value in values} for values in (x, y)]
    return not kinds[0].isdisjoint(kinds[1])


def _check_columns(gaps):
    if gaps.all(axis=0).any():
        j = np.argmax(gaps.all(axis=0))
        raise ValueError(f"X must have a value in every column, but column {j} has gaps only.")


def _check_no_gap(values, name, j):
    if is_missing(np.fromiter(values, dtype=object)).any():
        raise ValueError(f"{name} of column {j} must hold values that can fill a gap, got a gap: {quoted(values)}.")


def _check_probabilities(P, j):
    if not isinstance(P, dict):
        raise ValueError(f"probabilities must be dicts, value -> probability, got {quoted(P, 40)}.")
    _check_no_gap(P, "probabilities", j)
    numbers = np.array([p if is_number(p) else np.nan for p in P.values()], dtype=float)
    if not (len(numbers) and (numbers >= 0).all() and np.isclose(numbers.sum(), 1)):
        raise ValueError(f"probabilities of column {j} must be numbers >= 0 that add up to 1, got {quoted(P)}.")


def _with_gaps(coded, gaps, gap):
    """The codes of a whole column, from the codes of the values that are not missing."""
    column = np.full(len(gaps), gap)
    column[~gaps] = coded
    return column

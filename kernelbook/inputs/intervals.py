"""Intervals that scikit-learn's validation checks numeric parameters against; none of them contains infinity."""

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval

POSITIVE_REAL = Interval(Real, 0, None, closed="neither")
NONNEGATIVE_REAL = Interval(Real, 0, None, closed="left")
SHARE = Interval(Real, 0, 1, closed="right")
POSITIVE_INTEGER = Interval(Integral, 1, None, closed="left")

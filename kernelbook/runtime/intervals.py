"""The ranges that scikit-learn's validation holds a parameter to, where it is a number; infinity is never in one."""

from numbers import Real

from sklearn.utils._param_validation import Interval

POSITIVE = Interval(Real, 0, None, closed="neither")
NONNEGATIVE = Interval(Real, 0, None, closed="left")
SHARE = Interval(Real, 0, 1, closed="right")

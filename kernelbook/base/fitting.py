"""Fits that either succeed as a whole or leave the estimator as it was."""

import functools

from kernelbook.runtime.frames import is_frame

SET_FOR_TABLES_ONLY = "n_features_in_", "feature_names_in_"  # every other fitted attribute is set by every fit


def all_or_nothing(fit):
    """A decorator of `fit`: if it raises or is interrupted, the estimator has the attributes that it had before."""

    @functools.wraps(fit)
    def whole_fit(self, X, *args, **kwargs):
        is_frame(X)  # raises, with advice, for a frame that is not computed yet
        before = vars(self).copy()
        try:
            for name in SET_FOR_TABLES_ONLY:
                vars(self).pop(name, None)
            return fit(self, X, *args, **kwargs)
        except BaseException:
            self.__dict__ = before
            raise

    return whole_fit

"""Fits that either succeed as a whole or leave the estimator as it was."""

import functools

from kernelbook.inputs.dataframes import refuse_lazy
from kernelbook.runtime.rollback import restored_on_error

SET_FOR_TABLES_ONLY = "n_features_in_", "feature_names_in_"  # every other fitted attribute is set by every fit


def all_or_nothing(fit):
    """A decorator of `fit`: if it raises or is interrupted, the estimator has the attributes that it had before."""

    @functools.wraps(fit)
    def whole_fit(self, *args, **kwargs):
        refuse_lazy(args[0] if args else kwargs.get("X"))
        with restored_on_error(self):
            for name in SET_FOR_TABLES_ONLY:
                vars(self).pop(name, None)
            return fit(self, *args, **kwargs)

    return whole_fit

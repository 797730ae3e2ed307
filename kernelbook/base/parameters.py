"""The parameters of estimators: checked, explained to users of scikit-learn, and shown as formulas."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._pprint import _changed_params

from kernelbook.base.hints import refuse_foreign, refuse_kernel_parameters
from kernelbook.inputs.validation import check_params
from kernelbook.kernels.formatting import written


class CheckedEstimator(BaseEstimator):
    """An estimator whose repr shows the parameters that differ from their defaults, kernels among them as formulas."""

    _parameter_constraints = {}
    _coef0_in_scikit_learn = 1  # the default of coef0 in the estimator of scikit-learn that does the same

    def __new__(cls, *args, **kwargs):
        refuse_foreign(cls, args, kwargs)
        return super().__new__(cls)

    def set_params(self, **params):
        refuse_kernel_parameters(type(self), params)
        return super().set_params(**params)

    def _validate_params(self):
        check_params(self)

    def __repr__(self):
        with np.printoptions(legacy="1.25"):  # numbers without their type: 0.5, not np.float64(0.5)
            shown = ", ".join(f"{name}={written(value)}" for name, value in _changed_params(self).items())
        return f"{type(self).__name__}({shown})"

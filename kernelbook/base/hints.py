"""Hints for users of scikit-learn, whose estimators have parameters that here belong to a kernel or are not needed."""

from inspect import signature
from numbers import Real

import numpy as np

from kernelbook.kernels import RBF, ChiSquared, Kernel, Linear, Polynomial, Sigmoid
from kernelbook.kernels.formatting import written
from kernelbook.kernels.short_names import SHORT_NAMES

OF_THE_KERNEL = ("gamma", "degree", "coef0", "kernel_params")  # of scikit-learn's estimators, but of kernels here
# By its name in scikit-learn, the class of a kernel here.
CLASSES = {**SHORT_NAMES, "chi2": ChiSquared, "poly": Polynomial, "sigmoid": Sigmoid}
CALIBRATION = "f(x) is not a probability, but sklearn.calibration.CalibratedClassifierCV({}(…)) makes one of it"
NOT_NEEDED = {  # scikit-learn's parameter: the method here that does without it, and the hint
    "probability": ("predict_proba", CALIBRATION),
    "fit_inverse_transform": ("inverse_transform", "inverse_transform needs no such parameter"),
}


def refuse_foreign(cls, args, params):
    """TypeError if an estimator gets a scikit-learn parameter that belongs to the kernel here, or is not needed."""
    parameters = signature(cls).parameters
    names, place = list(parameters), next((name for name in parameters if name.startswith("kernel")), None)
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return  # a subclass that takes further parameters
    if place and (name := _kernel_parameter(cls, params)):
        kernels = [value for value in (*args, params.get("kernel")) if isinstance(value, str | Kernel)]
        kernel = _kernel_with(params, kernels[0] if kernels else None, cls._coef0_in_scikit_learn)
        value = f"[{kernel}]" if place == "kernels" else kernel
        example = f"{cls.__name__}({value if place == names[0] else f'{place}={value}'})"
        raise TypeError(f"{cls.__name__} has no {name}, the kernel has: write {example}, for instance.")
    for name in params.keys() - set(names):
        if f"{name}s" in names:
            values = params[name] if np.ndim(params[name]) else [params[name]]
            raise TypeError(f"{cls.__name__} has no {name}, it has {name}s: write {name}s={written(values)}.")
        if name in NOT_NEEDED and hasattr(cls, NOT_NEEDED[name][0]):
            raise TypeError(f"{cls.__name__} has no {name}: {NOT_NEEDED[name][1].format(cls.__name__)}.")


def refuse_kernel_parameters(cls, params):
    """ValueError if ``set_params`` gets a parameter that belongs to the kernel here, or to each of the kernels."""
    if name := _kernel_parameter(cls, params):
        several = "kernels" in cls._get_param_names()
        advice = "the kernels have: set kernels__0" if several else "the kernel has: set kernel"
        raise ValueError(f"{cls.__name__} has no {name}, {advice}__{name}.")


def refuse_numbers_as_kernel(estimator):
    """ValueError if the kernel, the first parameter, is a number or a list of numbers meant for the second."""
    parameters = list(signature(type(estimator)).parameters.values())
    kernel = estimator.kernel
    if len(parameters) < 2 or parameters[0].name != "kernel" or isinstance(kernel, bool):
        return
    second, name = parameters[1], type(estimator).__name__
    takes_list = np.ndim(second.default) > 0
    numbers = kernel if takes_list and isinstance(kernel, list | tuple) else [kernel]
    if len(numbers) and all(isinstance(number, Real) for number in numbers):
        value = list(numbers) if takes_list else kernel
        raise ValueError(f"kernel comes first in {name}: write {name}({second.name}={value!r}).")


def _kernel_parameter(cls, params):
    """The first parameter that belongs to scikit-learn's estimators, but to kernels here, or None."""
    return next((name for name in params if name in OF_THE_KERNEL and name not in cls._get_param_names()), None)


def _kernel_with(params, kernel, coef0):
    """The code of a kernel with parameters of scikit-learn's estimators, whose default is this coef0; here it is 1.

    `kernel` is the short name or the Kernel that was given, or None.
    """
    kind = type(kernel) if isinstance(kernel, Kernel) else CLASSES.get(kernel)
    if kind is None or not (kind is Linear or _of_the_kernel(kind)):
        kind = RBF if params.keys().isdisjoint({"degree", "coef0"}) else Polynomial
    taken = _of_the_kernel(kind)
    params = params if coef0 == 1 else {"coef0": coef0, **params}
    given = [f"{name}={written(params[name])}" for name in taken if isinstance(params.get(name), Real)]
    return f"{kind.__name__}({', '.join(given) or 'gamma=1' * bool(taken)})"


def _of_the_kernel(kind):
    """The parameters of a class of kernels that scikit-learn's estimators have."""
    return [name for name in signature(kind).parameters if name in OF_THE_KERNEL]

"""What users of scikit-learn are told who give an estimator what its kernel has here."""

from inspect import signature
from numbers import Real

import numpy as np

from kernelbook.kernels.formulas import written

KERNELS_OWN = ("gamma", "degree", "coef0", "kernel_params")  # what estimators of scikit-learn have, and here kernels
WRITTEN = {  # a kernel's name there: its class here, and which of these parameters it has
    "chi2": ("ChiSquared", ("gamma",)),
    "laplacian": ("Laplacian", ("gamma",)),
    "linear": ("Linear", ()),
    "poly": ("Polynomial", ("degree", "gamma", "coef0")),
    "polynomial": ("Polynomial", ("degree", "gamma", "coef0")),
    "rbf": ("RBF", ("gamma",)),
    "sigmoid": ("Sigmoid", ("gamma", "coef0")),
}
NOT_NEEDED = {  # a parameter there: what is found here in its place, and what to say of it
    "probability": ("predict_proba", "f(x) is none, but sklearn.calibration.CalibratedClassifierCV makes one of it"),
    "fit_inverse_transform": ("inverse_transform", "inverse_transform is there without it"),
}


def refuse_foreign(cls, args, params):
    """TypeError where an estimator is given what one of scikit-learn has, and here its kernel, or nothing needs."""
    parameters = signature(cls).parameters
    names, place = list(parameters), next((name for name in parameters if name.startswith("kernel")), None)
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return  # a subclass that knows better
    if place and (name := _of_the_kernel(cls, params)):
        named = [value for value in (*args, params.get("kernel")) if isinstance(value, str)]
        kernel = _kernel_with(params, *named[:1], machine=not {"C", "Cs", "nu"}.isdisjoint(names))
        value = f"[{kernel}]" if place == "kernels" else kernel
        example = f"{cls.__name__}({value if place == names[0] else f'{place}={value}'})"
        raise TypeError(f"{cls.__name__} has no {name}, the kernel has: write {example}, for instance.")
    for name in params.keys() - set(names):
        if f"{name}s" in names:
            values = params[name] if np.ndim(params[name]) else [params[name]]
            raise TypeError(f"{cls.__name__} has no {name}, it has {name}s: write {name}s={written(values)}.")
        if name in NOT_NEEDED and hasattr(cls, NOT_NEEDED[name][0]):
            raise TypeError(f"{cls.__name__} has no {name}: {NOT_NEEDED[name][1]}.")


def _kernel_with(params, named=None, *, machine):
    """How to write a kernel with the parameters of scikit-learn's estimators, which may be named there by a string.

    If it is not given, coef0 is 0 in those that are a `machine`, and 1 in others.
    """
    kind, taken = WRITTEN.get(named, WRITTEN["rbf" if params.keys().isdisjoint({"degree", "coef0"}) else "poly"])
    params = {"coef0": 0, **params} if machine else params
    given = [f"{name}={written(params[name])}" for name in taken if isinstance(params.get(name), Real)]
    return f"{kind}({', '.join(given) or 'gamma=1' * bool(taken)})"


def _of_the_kernel(cls, params):
    """The first of the parameters that estimators of scikit-learn have, and here kernels; None without any."""
    return next((name for name in params if name in KERNELS_OWN and name not in cls._get_param_names()), None)

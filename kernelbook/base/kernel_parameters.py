"""The parameters of estimators that are kernels: each under a name of its own, or a list of them."""

import numpy as np

from kernelbook.base.hints import refuse_numbers_as_kernel
from kernelbook.base.parameters import CheckedEstimator
from kernelbook.base.training import is_precomputed
from kernelbook.inputs.validation import quoted
from kernelbook.kernels import Kernel, as_kernel


class HasKernel(CheckedEstimator):
    """An estimator with a parameter `kernel`: a Kernel, a function (X, Y) -> block, "precomputed" or a short name.

    With "precomputed", X is the Gram matrix itself: (n, n) in `fit`, afterwards the (m, n) block of new objects against
    the training objects.

    ``set_params(kernel__gamma=1)`` sets a parameter of the kernel, also of one that is given by its short name.
    """

    def _given_kernels(self):
        """The kernels among the parameters, by the names of these."""
        return {"kernel": self.kernel}

    def set_params(self, **params):
        nested = {name: params.pop(name) for name in list(params) if "__" in name}
        super().set_params(**params)  # a kernel before its parameters
        for name, kernel in self._given_kernels().items():
            if inner := next((key for key in nested if key.startswith(f"{name}__")), None):
                if is_precomputed(kernel) or not isinstance(kernel, Kernel | str):
                    raise ValueError(f"{inner} needs a Kernel to be set in, but {name} is {quoted(kernel)}.")
                setattr(self, name, as_kernel(kernel) if isinstance(kernel, str) else kernel)
        return super().set_params(**nested)

    def _validate_params(self):
        super()._validate_params()
        refuse_numbers_as_kernel(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        return tags


class HasKernelList(CheckedEstimator):
    """An estimator with a parameter `kernels`, a list of what ``HasKernel`` takes as a kernel.

    ``set_params(kernels__0__gamma=1)`` sets a parameter of the first, in a new list with a copy of this kernel.
    """

    def _given_kernels(self):
        """The kernels as a new list, which is empty if `kernels` is something that `fit` will refuse."""
        return list(self.kernels) if _is_list(self.kernels) else []

    def _validate_params(self):
        """ValueError, too, if there is no list of kernels, or an empty one, or "precomputed" beside others."""
        super()._validate_params()
        kernels = self._given_kernels()
        if not kernels and _is_list(self.kernels):
            raise ValueError("kernels must hold at least one kernel, got none.")
        if not kernels:
            advice = f": write [{self.kernels!r}]" if isinstance(self.kernels, Kernel | str) else ""
            raise ValueError(f"kernels must be a list of kernels, got {quoted(self.kernels)}{advice}.")
        if len(kernels) > 1 and any(map(is_precomputed, kernels)):
            raise ValueError(
                f"kernels must not hold 'precomputed' beside others, got {quoted(self.kernels)}: take Precomputed(K) "
                "for each matrix, and row numbers as X."
            )

    def get_params(self, deep=True):
        params = super().get_params(deep=False)
        if deep and _is_list(self.kernels):
            for number, kernel in enumerate(self.kernels):
                if isinstance(kernel, Kernel):
                    name = f"kernels__{number}"
                    params |= {name: kernel, **{f"{name}__{key}": value for key, value in kernel.get_params().items()}}
        return params

    def set_params(self, **params):
        nested = {name: params.pop(name) for name in list(params) if name.startswith("kernels__")}
        super().set_params(**params)
        if nested:
            kernels = self._given_kernels()
            for name, value in sorted(nested.items()):  # a kernel before its parameters
                number, _, rest = name.removeprefix("kernels__").partition("__")
                if not (number.isdecimal() and int(number) < len(kernels)):
                    raise ValueError(f"{name} must name one of kernels__0 to kernels__{len(kernels) - 1}.")
                if rest:
                    kernels[int(number)] = as_kernel(kernels[int(number)]).set_params(**{rest: value})
                else:
                    kernels[int(number)] = value
            self.kernels = kernels
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = any(map(is_precomputed, self._given_kernels()))
        return tags


def _is_list(kernels):
    return isinstance(kernels, list | tuple) or (isinstance(kernels, np.ndarray) and kernels.ndim == 1)

"""The short names of kernels, such as "rbf", and whatever else an estimator accepts as a kernel."""

import numpy as np
from sklearn.base import clone

from kernelbook.inputs.validation import quoted
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.dot_products import Linear, Polynomial
from kernelbook.kernels.stationary import RBF, Laplacian, Matern
from kernelbook.kernels.user_defined import FunctionKernel

SHORT_NAMES = {"laplacian": Laplacian, "linear": Linear, "matern": Matern, "polynomial": Polynomial, "rbf": RBF}
_OTHER_NAMES = {  # of scikit-learn, and how to write these kernels here
    "cosine": "Linear().normalized()",
    "chi2": "ChiSquared(gamma=1)",
    "poly": "'polynomial', whose coef0 is 1, or Polynomial(degree=3, gamma=1, coef0=0)",
    "sigmoid": "Sigmoid(gamma=1, coef0=0)",
}


def as_kernel(kernel):
    """A new Kernel from what an estimator accepts: a Kernel, a short name, or a function (X, Y) -> block.

    The short names are "laplacian", "linear", "matern", "polynomial" and "rbf"; they stand for the kernel with its
    defaults. A Kernel is cloned, so that fitting the result does not change the original.

    Raises ValueError for anything else; for scikit-learn's other names, the message says how to write the kernel.

    >>> as_kernel("rbf")
    RBF()
    """
    if isinstance(kernel, Kernel):
        return clone(kernel)
    if isinstance(kernel, str) and kernel in SHORT_NAMES:
        return SHORT_NAMES[kernel]()
    if callable(kernel) and not isinstance(kernel, type):
        return FunctionKernel(kernel)
    if isinstance(kernel, str) and kernel in _OTHER_NAMES:
        raise ValueError(f"kernel must be written {_OTHER_NAMES[kernel]} here, got scikit-learn's {kernel!r}.")
    if isinstance(kernel, str) and kernel == "precomputed":
        raise ValueError(
            "kernel='precomputed' is for estimators; write Precomputed(K) here, whose objects are row numbers of K."
        )
    advice = ": write Precomputed(K) for a Gram matrix K, and row numbers as X" if np.ndim(kernel) == 2 else ""
    raise ValueError(
        "kernel must be a Kernel such as RBF(gamma=1), a function (X, Y) -> block of values, one of "
        f"{sorted(SHORT_NAMES)} or, in an estimator, 'precomputed', got {quoted(kernel)}{advice}."
    )

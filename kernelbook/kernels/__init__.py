"""Kernels and their algebra; each module has the kernels for one kind of data."""

import numpy as np
from sklearn.base import clone

import kernelbook.kernels.arithmetic  # noqa: F401  (it gives Kernel its operators)
from kernelbook.inputs.validation import quoted
from kernelbook.kernels.algebra import Exponential, Normalized, Power, Product, Radial, Scaled, Sum
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.categories import Categorical, CategoryKernel, Overlap
from kernelbook.kernels.dot_products import GeneralLinear, Linear, Polynomial, Sigmoid
from kernelbook.kernels.graphs import Diffusion, WalkPower
from kernelbook.kernels.missing import Completion, MissingValue
from kernelbook.kernels.pairs import DirectSum, Pairwise, TensorProduct
from kernelbook.kernels.probability import Marginalized, ProductProbability
from kernelbook.kernels.series import GlobalAlignment
from kernelbook.kernels.sets import BinaryKernel, Jaccard, RussellRao, SetKernel, SimpleMatching
from kernelbook.kernels.stationary import RBF, Laplacian, Matern, Periodic, RationalQuadratic
from kernelbook.kernels.strings import Mismatch, Spectrum, StringKernel, Subsequence
from kernelbook.kernels.tables import Columns
from kernelbook.kernels.user_defined import Constant, FunctionKernel, MatrixKernel, ObjectKernel, Precomputed
from kernelbook.kernels.vectors import AllSubsets, Brownian, ChiSquared, VectorKernel
from kernelbook.kernels.whole_graphs import WeisfeilerLehman

__all__ = [
    "RBF",
    "AllSubsets",
    "BinaryKernel",
    "Brownian",
    "Categorical",
    "CategoryKernel",
    "ChiSquared",
    "Columns",
    "Completion",
    "Constant",
    "Diffusion",
    "DirectSum",
    "Exponential",
    "FunctionKernel",
    "GeneralLinear",
    "GlobalAlignment",
    "Jaccard",
    "Kernel",
    "Laplacian",
    "Linear",
    "Marginalized",
    "Matern",
    "MatrixKernel",
    "Mismatch",
    "MissingValue",
    "Normalized",
    "ObjectKernel",
    "Overlap",
    "Pairwise",
    "Periodic",
    "Polynomial",
    "Power",
    "Precomputed",
    "Product",
    "ProductProbability",
    "Radial",
    "RationalQuadratic",
    "RussellRao",
    "Scaled",
    "SetKernel",
    "Sigmoid",
    "SimpleMatching",
    "Spectrum",
    "StringKernel",
    "Subsequence",
    "Sum",
    "TensorProduct",
    "VectorKernel",
    "WalkPower",
    "WeisfeilerLehman",
    "as_kernel",
]

_NAMES = {"laplacian": Laplacian, "linear": Linear, "matern": Matern, "polynomial": Polynomial, "rbf": RBF}
_SCIKIT_LEARN_NAMES = {  # and how to write these kernels here
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
    if isinstance(kernel, str) and kernel in _NAMES:
        return _NAMES[kernel]()
    if callable(kernel) and not isinstance(kernel, type):
        return FunctionKernel(kernel)
    if isinstance(kernel, str) and kernel in _SCIKIT_LEARN_NAMES:
        raise ValueError(f"kernel must be written {_SCIKIT_LEARN_NAMES[kernel]} here, got scikit-learn's {kernel!r}.")
    if isinstance(kernel, str) and kernel == "precomputed":
        raise ValueError(
            "kernel='precomputed' is for estimators; write Precomputed(K) here, whose objects are row numbers of K."
        )
    advice = ": write Precomputed(K) for a Gram matrix K, and row numbers as X" if np.ndim(kernel) == 2 else ""
    raise ValueError(
        f"kernel must be a Kernel such as RBF(gamma=1), a function (X, Y) -> block of values, one of {sorted(_NAMES)} "
        f"or, in an estimator, 'precomputed', got {quoted(kernel)}{advice}."
    )

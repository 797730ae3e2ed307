"""Kernels and their algebra; each module has the kernels for one kind of data."""

import kernelbook.kernels.arithmetic  # noqa: F401  (it gives Kernel its operators)
from kernelbook.kernels.algebra import Exponential, Normalized, Power, Product, Radial, Scaled, Sum
from kernelbook.kernels.base import Kernel
from kernelbook.kernels.categories import Categorical, CategoryKernel, Overlap
from kernelbook.kernels.dot_products import GeneralLinear, Linear, Polynomial, Sigmoid
from kernelbook.kernels.graphs import Diffusion, WalkPower
from kernelbook.kernels.missing import Completion, MissingValue
from kernelbook.kernels.nonstationary import ArcCosine, Gibbs
from kernelbook.kernels.pairs import DirectSum, Pairwise, TensorProduct
from kernelbook.kernels.probability import Marginalized, ProductProbability
from kernelbook.kernels.series import GlobalAlignment
from kernelbook.kernels.sets import BinaryKernel, Jaccard, RussellRao, SetKernel, SimpleMatching
from kernelbook.kernels.short_names import as_kernel
from kernelbook.kernels.stationary import RBF, Laplacian, Matern, Periodic, RationalQuadratic
from kernelbook.kernels.strings import Mismatch, Spectrum, StringKernel, Subsequence
from kernelbook.kernels.tables import Columns
from kernelbook.kernels.user_defined import Constant, FunctionKernel, MatrixKernel, ObjectKernel, Precomputed
from kernelbook.kernels.vectors import AllSubsets, Brownian, ChiSquared, VectorKernel
from kernelbook.kernels.whole_graphs import RandomWalk, ShortestPath, WeisfeilerLehman

__all__ = [
    "RBF",
    "AllSubsets",
    "ArcCosine",
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
    "Gibbs",
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
    "RandomWalk",
    "RationalQuadratic",
    "RussellRao",
    "Scaled",
    "SetKernel",
    "ShortestPath",
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

"""Kernel methods, small enough to read and fast enough to use."""

from kernelbook.kernels import RBF, Kernel, Laplacian, Linear, Matern, Polynomial, Precomputed, Sigmoid
from kernelbook.pca import KernelPCA
from kernelbook.ridge import KernelRidge, KernelRidgeCV
from kernelbook.rkhs import RKHSFunction
from kernelbook.svm import SVC, SVCCV, SVR, SVRCV, NuSVC, NuSVR, OneClassSVM, QuantileSVR

__all__ = [
    "RBF",
    "SVC",
    "SVCCV",
    "SVR",
    "SVRCV",
    "Kernel",
    "KernelPCA",
    "KernelRidge",
    "KernelRidgeCV",
    "Laplacian",
    "Linear",
    "Matern",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Polynomial",
    "Precomputed",
    "QuantileSVR",
    "RKHSFunction",
    "Sigmoid",
]
__version__ = "0.1.0"

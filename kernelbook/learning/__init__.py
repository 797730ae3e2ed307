"""Learning a kernel: alignment, widths of features, conformal kernels, sums of kernels."""

from kernelbook.learning.ard import AlignedRBF, LikeliestRBF, ard_by_alignment, ard_by_marginal_likelihood
from kernelbook.learning.conformal import ConformalKernel, ConformalSVC, separating_kernel
from kernelbook.learning.criteria import alignment, class_separability, target_gram
from kernelbook.learning.multiple_kernels import MKLSVC

__all__ = [
    "MKLSVC",
    "AlignedRBF",
    "ConformalKernel",
    "ConformalSVC",
    "LikeliestRBF",
    "alignment",
    "ard_by_alignment",
    "ard_by_marginal_likelihood",
    "class_separability",
    "separating_kernel",
    "target_gram",
]

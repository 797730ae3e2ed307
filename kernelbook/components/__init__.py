"""Principal component analysis in feature space."""

from kernelbook.components.pca import KernelPCA

__all__ = ["KernelPCA"]

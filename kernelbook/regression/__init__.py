"""Kernel ridge regression, and classification with it."""

from kernelbook.regression.ridge import KernelRidge, KernelRidgeCV
from kernelbook.regression.ridge_classifier import KernelRidgeClassifier

__all__ = ["KernelRidge", "KernelRidgeCV", "KernelRidgeClassifier"]

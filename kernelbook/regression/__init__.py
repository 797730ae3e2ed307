"""Kernel ridge regression, and classification with it."""

from kernelbook.regression.feature_ridge import FeatureRidgeCV
from kernelbook.regression.ridge import KernelRidge, KernelRidgeCV
from kernelbook.regression.ridge_classifier import KernelRidgeClassifier

__all__ = ["FeatureRidgeCV", "KernelRidge", "KernelRidgeCV", "KernelRidgeClassifier"]

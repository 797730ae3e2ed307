"""Explicit features, with which a linear model becomes a kernel machine, and the sums of them that a fit needs."""

from kernelbook.features.exact import ExactFeatures
from kernelbook.features.moments import Moments
from kernelbook.features.nystroem import Nystroem
from kernelbook.features.random_features import RandomFeatures

__all__ = ["ExactFeatures", "Moments", "Nystroem", "RandomFeatures"]

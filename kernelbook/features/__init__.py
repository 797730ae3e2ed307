"""Explicit features, with which a linear model becomes a kernel machine."""

from kernelbook.features.nystroem import Nystroem

__all__ = ["Nystroem"]

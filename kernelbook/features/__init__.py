"""Features written out, so that a linear model can be a kernel machine."""

from kernelbook.features.nystroem import Nystroem

__all__ = ["Nystroem"]

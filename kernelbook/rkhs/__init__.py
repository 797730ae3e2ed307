"""The reproducing kernel Hilbert space of a kernel: its functions, and pre-images of its points."""

from kernelbook.rkhs.functions import RKHSFunction, interpolant, mercer

__all__ = ["RKHSFunction", "interpolant", "mercer"]

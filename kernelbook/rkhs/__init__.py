"""The reproducing kernel Hilbert space of a kernel: its functions, and points whose features are near a function."""

from kernelbook.rkhs.functions import RKHSFunction, interpolant, mercer

__all__ = ["RKHSFunction", "interpolant", "mercer"]

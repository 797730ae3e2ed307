"""Python and the machine: optional packages, compiled loops, threads, data frames, and checks of input."""

from kernelbook.runtime.available import affordable

__all__ = ["affordable"]

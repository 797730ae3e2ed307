"""The Python and the machine below: optional packages, compiled loops, threads, data frames, checks of input."""

from kernelbook.runtime.available import affordable

__all__ = ["affordable"]

"""Python and the machine: optional packages, compiled loops, threads, warnings."""

from kernelbook.runtime.available import affordable

__all__ = ["affordable"]

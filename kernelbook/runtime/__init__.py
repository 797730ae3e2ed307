"""What Python and the machine have: optional packages, compiled loops, threads, checks of what users bring."""

from kernelbook.runtime.available import affordable

__all__ = ["affordable"]

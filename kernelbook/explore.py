"""Figures with sliders: ``kernelbook.figures.explorer`` under its short name."""

from kernelbook.figures.explorer import Explorer, explore

__all__ = ["Explorer", "explore"]

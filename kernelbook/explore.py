"""Figures with sliders: ``kernelbook.figures.explore`` under its short name."""

from kernelbook.figures.explore import Explorer, explore

__all__ = ["Explorer", "explore"]

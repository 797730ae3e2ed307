"""A quadratic programme with its solvers. Nothing here knows of kernels: a solver sees a matrix."""

from kernelbook.qp.interior import interior_point
from kernelbook.qp.problem import DualQP, Solution
from kernelbook.qp.sequential_minimal import smo
from kernelbook.qp.textbook import textbook_smo

__all__ = ["DualQP", "Solution", "interior_point", "smo", "textbook_smo"]

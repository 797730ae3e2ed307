"""A quadratic programme with its solvers, and ridge regression. Nothing knows of kernels: a solver sees a matrix."""

from kernelbook.solvers.interior import interior_point
from kernelbook.solvers.problem import DualQP, Solution
from kernelbook.solvers.rows import Rows
from kernelbook.solvers.sequential_minimal import smo
from kernelbook.solvers.textbook import textbook_smo

__all__ = ["DualQP", "Rows", "Solution", "interior_point", "smo", "textbook_smo"]

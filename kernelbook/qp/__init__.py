"""A quadratic programme and its solvers, which see a matrix and know nothing of kernels."""

from kernelbook.qp.interior import interior_point
from kernelbook.qp.problem import DualQP
from kernelbook.qp.sequential_minimal import smo
from kernelbook.qp.solution import Solution
from kernelbook.qp.textbook import textbook_smo

__all__ = ["DualQP", "Solution", "interior_point", "smo", "textbook_smo"]

"""One quadratic programme, two ways to solve it. Nothing here knows of kernels: a solver sees a matrix."""

from kernelbook.solvers.interior_point import interior_point
from kernelbook.solvers.problem import DualQP, Solution
from kernelbook.solvers.smo import smo

__all__ = ["DualQP", "Solution", "interior_point", "smo"]

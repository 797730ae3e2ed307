"""The kernels of points of the plane that a reader chooses among, as ``browser/kernels.js`` has them."""

from kernelbook.kernels import RBF, Laplacian, Linear, Polynomial

KERNELS = {  # each a function of γ
    "linear": lambda _: Linear(),
    "quadratic": lambda _: Polynomial(2),
    "rbf": RBF,
    "laplacian": Laplacian,
}

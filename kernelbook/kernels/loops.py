"""The loops of kernels that numba compiles, in one file: its cache notices changes in the file of a caller alone."""

from kernelbook.compilation import compiled


@compiled()
def squared_differences(X, Y, D):
    """D_ij = Σ_k (x_ik − y_jk)², summed in the order of k, as SciPy does; several j at a time."""
    columns = Y.T.copy()
    for i in range(len(X)):
        row = D[i]
        row[:] = 0.0
        for k in range(len(columns)):
            x, y = X[i, k], columns[k]
            for j in range(len(row)):
                difference = x - y[j]
                row[j] += difference * difference

"""Loops over matrices that numba compiles.

No compiled loop of another file calls them: numba's cache notices a change only in the file of the calling loop.
"""

import numpy as np

from kernelbook.linalg import vectorised
from kernelbook.runtime.compilation import compiled

SQUARE = 8  # side of the squares in which a matrix is transposed: the processor fetches 8 numbers at once


@compiled(vectorised.squared_differences)
def squared_differences(X, Y, weights, D):
    """D_ij = Σ_k weights_k (x_ik − y_jk)², summed in the order of k, as SciPy does; several j at a time."""
    columns = Y.T.copy()
    for i in range(len(X)):
        row = D[i]
        row[:] = 0.0
        for k in range(len(columns)):
            x, y, weight = X[i, k], columns[k], weights[k]
            for j in range(len(row)):
                difference = x - y[j]
                row[j] += difference * difference * weight


@compiled(vectorised.transpose)
def transpose(A, result):
    """result = Aᵀ."""
    n, m = A.shape
    for i in range(0, n, SQUARE):
        for j in range(0, m, SQUARE):
            for a in range(i, min(i + SQUARE, n)):
                for b in range(j, min(j + SQUARE, m)):
                    result[b, a] = A[a, b]


@compiled(vectorised.symmetrise)
def symmetrise(D):
    """D = (D + Dᵀ) / 2."""
    n = len(D)
    for i in range(0, n, SQUARE):
        for j in range(i, n, SQUARE):
            for a in range(i, min(i + SQUARE, n)):
                for b in range(max(j, a + 1), min(j + SQUARE, n)):
                    D[a, b] = D[b, a] = (D[a, b] + D[b, a]) / 2


@compiled(vectorised.product)
def product(K, rows, beta):
    """Qβ with Q_ij = K[rows_i, rows_j]; of K only the rows with β_j ≠ 0 are read."""
    total = np.zeros(len(beta))
    for j in range(len(beta)):
        if beta[j] != 0:
            row = K[rows[j]]
            for i in range(len(beta)):
                total[i] += beta[j] * row[rows[i]]
    return total


@compiled(vectorised.absolute_product)
def absolute_product(K, rows, beta):
    """Σ_j |Q_ij β_j| for each i, with Q_ij = K[rows_i, rows_j]."""
    total = np.zeros(len(beta))
    for j in range(len(beta)):
        if beta[j] != 0:
            row = K[rows[j]]
            for i in range(len(beta)):
                total[i] += abs(beta[j] * row[rows[i]])
    return total


@compiled(vectorised.copy_block)
def copy_block(K, rows, columns, block):
    """block = K[rows][:, columns]."""
    for a in range(len(rows)):
        row = K[rows[a]]
        for b in range(len(columns)):
            block[a, b] = row[columns[b]]


@compiled(vectorised.add_rows, fastmath={"contract"})
def add_rows(K, rows, factors, total):
    """total += Σ_r factors_r K[rows_r]."""
    for r in range(len(rows)):
        factor = factors[r]
        if factor != 0:
            row = K[rows[r]]
            for t in range(len(total)):
                total[t] += factor * row[t]


@compiled(vectorised.add_absolute_rows, fastmath={"contract"})
def add_absolute_rows(K, rows, sizes, total):
    """total += Σ_r sizes_r |K[rows_r]|."""
    for r in range(len(rows)):
        size = sizes[r]
        if size != 0:
            row = K[rows[r]]
            for t in range(len(total)):
                total[t] += size * abs(row[t])

"""The training objects of an estimator: its fitted kernel, and their Gram matrix or its rows."""

from copy import deepcopy

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from kernelbook.inputs.dataframes import column_names
from kernelbook.kernels import as_kernel
from kernelbook.linalg.gram import gram_matrix
from kernelbook.linalg.operators import Rows
from kernelbook.runtime.available import free_memory

PRECOMPUTED = "precomputed"
EIGH_MATRICES = 4  # matrices of the size of K that LAPACK needs to compute its eigenvectors, K among them


def is_precomputed(kernel):
    """Whether X is the Gram matrix itself, in place of objects."""
    return isinstance(kernel, str) and kernel == PRECOMPUTED


def training_gram(kernel, X, sample_weight=None, order=None, matrices=1):
    """The fitted kernel, the training objects, and their Gram matrix, which the caller may overwrite.

    With "precomputed", X is the Gram matrix, and the objects are None. `order` sorts the rows and columns of the
    matrix, by indices into the objects; None keeps the order of the objects. `matrices` is the number of matrices of
    this size that the fit holds at once. MemoryError if they do not fit into the free memory.
    """
    if is_precomputed(kernel):
        K = gram_matrix(X, "X")
        check_memory(len(K), matrices)
        if order is not None:
            return kernel, None, K[np.ix_(order, order)]
        is_ours = K.flags.writeable and not np.may_share_memory(K, np.asarray(X))
        return kernel, None, K if is_ours else K.copy()
    kernel, objects = fitted_kernel(kernel, X, sample_weight)
    check_memory(_num_samples(objects), matrices, ", or landmarks: Nystroem(kernel, 100) before a linear model")
    K = kernel(objects if order is None else _safe_indexing(objects, order))
    return kernel, objects, require_finite_sum(kernel, K)


def training_rows(kernel, X, sample_weight=None, order=None, budget=None):
    """As ``training_gram``, but with the ``Rows`` of the Gram matrix instead of the matrix itself.

    The rows take at most `budget` bytes; None stands for half of the free memory. With "precomputed" the matrix exists
    already and is returned. For objects that are not vectors the whole matrix is computed at once if it fits, since
    their kernels often count the parts of each object anew for every block.
    """
    if is_precomputed(kernel):
        return training_gram(kernel, X, sample_weight, order)
    kernel, objects = fitted_kernel(kernel, X, sample_weight)
    sorted_objects = objects if order is None else _safe_indexing(objects, order)

    def take(places):
        return sorted_objects[places] if isinstance(objects, np.ndarray) else _safe_indexing(sorted_objects, places)

    def block(rows, columns):
        K = kernel._quiet_block(take(rows), None if columns is None else take(columns))
        return require_finite_sum(kernel, K)

    budget = free_memory() / 2 if budget is None else budget
    rows = Rows(block, _num_samples(objects), lambda: kernel.diag(sorted_objects), budget)
    if rows.fits() and not kernel.on_vectors:
        rows.whole()
    return kernel, objects, rows


def fitted_kernel(kernel, X, sample_weight=None):
    """The fitted kernel, and a copy of the objects, so that a later change of X changes no prediction."""
    kernel = as_kernel(kernel)
    kernel._check_params()
    objects = deepcopy(kernel.check(X))
    return kernel._fit_checked(objects, sample_weight, column_names(objects)), objects


def require_finite_sum(kernel, K):
    """K, whose values an estimator will sum; ValueError if their sum is infinite or not a number."""
    with np.errstate(invalid="ignore", over="ignore"):
        kernel._finite(K.sum())
    return K


def check_memory(n, matrices=1, instead=""):
    """MemoryError, before anything is computed, if this many (n, n) `matrices` do not fit into the free memory."""
    size, free = 8 * n**2, free_memory()
    if matrices * size > free:
        fit = f", the fit {matrices} times as much" if matrices > 1 else ""
        raise MemoryError(
            f"the Gram matrix of {n} objects takes {size / 1e9:.1f} GB{fit}, and {free / 1e9:.1f} GB of memory are "
            f"free: take fewer objects{instead}."
        )

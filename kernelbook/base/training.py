"""The training objects of an estimator: its fitted kernel, and their Gram matrix or its rows."""

from copy import deepcopy

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from kernelbook.kernels import as_kernel
from kernelbook.linalg.gram import gram_matrix
from kernelbook.linalg.operators import Rows
from kernelbook.runtime.available import free_memory
from kernelbook.runtime.frames import column_names

PRECOMPUTED = "precomputed"
DECOMPOSED = 4  # matrices of the size of K that exist while its eigenvectors are computed: LAPACK wants so many


def is_precomputed(kernel):
    """Whether the Gram matrix itself comes in the place of objects."""
    return isinstance(kernel, str) and kernel == PRECOMPUTED


def training_gram(kernel, X, sample_weight=None, order=None, matrices=1):
    """The kernel, fitted; the training objects; and their Gram matrix, the caller's to overwrite.

    With "precomputed", X is that matrix, and there are no objects: None. `order` is that of the matrix's rows and
    columns, as indices into the objects; None for their own. MemoryError where so many `matrices` of its size, the most
    that the fit holds at a time, cannot fit.
    """
    if is_precomputed(kernel):
        K = gram_matrix(X, "X")
        check_memory(len(K), matrices)
        if order is not None:
            return kernel, None, K[np.ix_(order, order)]
        return kernel, None, K.copy() if np.may_share_memory(K, np.asarray(X)) else K
    kernel, objects = fitted_kernel(kernel, X, sample_weight)
    check_memory(_num_samples(objects), matrices, ", or landmarks: Nystroem(kernel, 100) before a linear model")
    return kernel, objects, summable(kernel, kernel(objects if order is None else _safe_indexing(objects, order)))


def training_rows(kernel, X, sample_weight=None, order=None, budget=None):
    """As ``training_gram``, but of the Gram matrix only its ``Rows``, which take at most `budget` bytes.

    Without a budget half of the memory that is free. With "precomputed" the matrix is there, and it is returned. Of
    objects that are no vectors the rows are made whole at once if they fit: their kernels often count, in every block
    anew, what each object has.
    """
    if is_precomputed(kernel):
        return training_gram(kernel, X, sample_weight, order)
    kernel, objects = fitted_kernel(kernel, X, sample_weight)
    sorted_objects = objects if order is None else _safe_indexing(objects, order)

    def block(rows, columns):
        return summable(kernel, kernel._quiet_block(some(rows), None if columns is None else some(columns)))

    def some(which):
        return sorted_objects[which] if isinstance(objects, np.ndarray) else _safe_indexing(sorted_objects, which)

    budget = free_memory() / 2 if budget is None else budget
    rows = Rows(block, _num_samples(objects), lambda: kernel.diag(sorted_objects), budget)
    if rows.fits() and not kernel.on_vectors:
        rows.whole()
    return kernel, objects, rows


def fitted_kernel(kernel, X, sample_weight=None):
    """The kernel, fitted, and the objects that it keeps."""
    kernel = as_kernel(kernel)
    kernel._check_params()
    objects = deepcopy(kernel.check(X))  # what is changed in X later shall not change a prediction
    return kernel._fit_checked(objects, sample_weight, column_names(objects)), objects


def summable(kernel, K):
    """K, or ValueError where the sum of its values is infinite or no number."""
    with np.errstate(invalid="ignore", over="ignore"):
        kernel._finite(K.sum())
    return K


def check_memory(n, matrices=1, instead=""):
    """MemoryError, before anything is computed, where so many (n, n) matrices cannot fit."""
    size, free = 8 * n**2, free_memory()
    if matrices * size > free:
        fit = f", the fit {matrices} times as much" if matrices > 1 else ""
        raise MemoryError(
            f"the Gram matrix of {n} objects takes {size / 1e9:.1f} GB{fit}, and {free / 1e9:.1f} GB of memory are "
            f"free: take fewer objects{instead}."
        )

"""Predictions, from blocks of k(new objects, training objects) that are computed a few rows at a time."""

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from kernelbook.base.training import is_precomputed, require_finite_sum

BLOCK_NUMBERS = 2**24  # numbers of k held at a time: 128 MB


def map_blocks(function, kernel, X, training, support):
    """function(K), stacked over the rows of K, the block of X against the training objects in `support`.

    With "precomputed", X holds the rows of k(new object, training object) themselves. X is checked already.
    """
    if isinstance(support, np.ndarray) and len(support) == 0:
        return function(np.zeros((_num_samples(X), 0)))
    return np.concatenate([function(K) for _, K in kernel_blocks(kernel, X, training, support)])


def kernel_blocks(kernel, X, training, support, numbers=None):
    """Slices of the rows of X, each with its block against the training objects in `support`, which are some."""
    precomputed = is_precomputed(kernel)
    centres = None if precomputed else _safe_indexing(training, support)
    for rows in row_slices(_num_samples(X), X.shape[1] if precomputed else _num_samples(centres), numbers):
        part = _safe_indexing(X, rows)
        yield rows, part[:, support] if precomputed else require_finite_sum(kernel, kernel(part, centres))


def row_slices(n, width, numbers=None):
    """Slices of n rows of this width, each of at most so many `numbers`, by default 128 MB of them, or of one row."""
    step = max(1, (BLOCK_NUMBERS if numbers is None else numbers) // width)
    return [slice(start, start + step) for start in range(0, n, step)]

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
    n_new, precomputed = _num_samples(X), is_precomputed(kernel)
    if isinstance(support, np.ndarray) and len(support) == 0:
        return function(np.zeros((n_new, 0)))
    centres = None if precomputed else _safe_indexing(training, support)
    n_rows = max(1, BLOCK_NUMBERS // (X.shape[1] if precomputed else _num_samples(centres)))
    parts = []
    for start in range(0, n_new, n_rows):
        rows = _safe_indexing(X, slice(start, start + n_rows))
        K = rows[:, support] if precomputed else require_finite_sum(kernel, kernel(rows, centres))
        parts.append(function(K))
    return np.concatenate(parts)

"""The choice of landmarks: by chance, by what is left over, as means of clusters, or given."""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import _safe_indexing

from kernelbook.inputs.validation import quoted
from kernelbook.linalg.pivots import randomly_pivoted_cholesky

RULES = "uniform", "pivoted", "k-means"


def pivoted_landmarks(kernel, objects, rows, count, rng, epsilon=None):
    """Landmarks among the `rows` of the objects, in the order in which pivots were drawn.

    With "precomputed", the objects are the Gram matrix.
    """
    if isinstance(kernel, str):
        K = objects[np.ix_(rows, rows)]
        diagonal, block = K.diagonal(), lambda i, j: K[i][:, j]
    else:
        sample = _safe_indexing(objects, rows)
        diagonal = kernel.diag(sample)

        def block(i, j):
            return kernel(_safe_indexing(sample, i), _safe_indexing(sample, j))

    return rows[randomly_pivoted_cholesky(diagonal, block, count, rng, epsilon)[0]]


def cluster_means(kernel, objects, rows, count, rng):
    """The means of clusters of some rows, which are vectors; ValueError if the kernel's objects are not."""
    points = None if isinstance(kernel, str) or not kernel.on_vectors else _safe_indexing(objects, rows)
    if getattr(points, "ndim", 0) != 2 or points.dtype.kind != "f":
        raise ValueError(
            f"landmarks='k-means' needs vectors, whose means are vectors too, but kernel is {quoted(kernel)}: write "
            "'pivoted'."
        )
    count = min(count, len(np.unique(points, axis=0)))
    return KMeans(count, n_init=1, random_state=rng).fit(points).cluster_centers_

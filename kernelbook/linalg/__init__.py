"""Linear algebra without kernels: Gram matrices, blocks, eigenpairs, and rows computed on demand."""

from kernelbook.linalg.gram import (
    centre,
    distances,
    distances_to_mean,
    effective_rank,
    is_psd,
    mean_norm,
    normalise,
    orient,
    principal_minors,
    psd_witness,
    rounding,
    spectrum,
    square_root,
)
from kernelbook.linalg.operators import Rows

__all__ = [
    "Rows",
    "centre",
    "distances",
    "distances_to_mean",
    "effective_rank",
    "is_psd",
    "mean_norm",
    "normalise",
    "orient",
    "principal_minors",
    "psd_witness",
    "rounding",
    "spectrum",
    "square_root",
]

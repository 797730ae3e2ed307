"""Work on all cores: in threads, since NumPy and compiled loops let other threads run."""

import functools
import os
from concurrent.futures import ThreadPoolExecutor

from threadpoolctl import ThreadpoolController


def on_all_cores(work, tasks):
    """[work(task) for task in tasks], as many at a time as there are cores, each with one thread for linear algebra."""
    with _linear_algebra().limit(limits=1, user_api="blas"), ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, tasks))


@functools.cache
def _linear_algebra():
    return ThreadpoolController()

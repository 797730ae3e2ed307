"""Work on all cores: in threads, since NumPy and compiled loops let other threads run."""

import functools
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from threadpoolctl import ThreadpoolController

_CORES = Lock()


def on_all_cores(work, tasks):
    """[work(task) for task in tasks], as many at a time as there are cores, each with one thread for linear algebra.

    A single task has them all. A call from inside another, or beside it, does its work where it stands: the cores are
    taken. So the limit on linear algebra, which is one for the process, is set and lifted by one caller at a time.
    """
    if len(tasks) == 1 or not _CORES.acquire(blocking=False):
        return [work(task) for task in tasks]
    try:
        with _linear_algebra().limit(limits=1, user_api="blas"), ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(work, tasks))
    finally:
        _CORES.release()


@functools.cache
def _linear_algebra():
    return ThreadpoolController()

"""Work on all cores: in threads, since NumPy and compiled loops let other threads run."""

import functools
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from joblib import cpu_count, effective_n_jobs
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

_CORES = Lock()


def parallel_map(work, tasks):
    """[work(task) for task in tasks], as many at a time as cores may be used, each with one thread for linear algebra.

    A single task has them all. A call from inside another, or beside it, does its work where it stands: the cores are
    taken. So the limit on linear algebra, which is one for the process, is set and lifted by one caller at a time.
    """
    if len(tasks) == 1 or not _CORES.acquire(blocking=False):
        return [work(task) for task in tasks]
    try:
        cores = usable_cores()
        if cores == 1:
            return [work(task) for task in tasks]
        with _linear_algebra().limit(limits=1, user_api="blas"), ThreadPoolExecutor(cores) as pool:
            return list(pool.map(work, tasks))
    finally:
        _CORES.release()


def usable_cores():
    """How many threads may work: no more than the process has cores, joblib's settings say, or linear algebra has.

    So the affinity of the process, a container's share, LOKY_MAX_CPU_COUNT, joblib.parallel_config, OMP_NUM_THREADS and
    threadpoolctl's limits all count.
    """
    _, jobs = get_active_backend()
    libraries = _linear_algebra().select(user_api="blas").info()
    # CVXOPT brings a library of its own that can have one thread only
    limits = [library["num_threads"] for library in libraries if library.get("threading_layer") != "disabled"]
    return min(cpu_count(), cpu_count() if jobs is None else effective_n_jobs(jobs), *limits)


@functools.cache
def _linear_algebra():
    return ThreadpoolController()

"""Threads: NumPy and compiled loops release the interpreter's lock, so threads use several cores."""

import functools
import os
import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from threading import Lock

from joblib import cpu_count, effective_n_jobs
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from kernelbook.runtime import available

_CORES_IN_USE = Lock()
CALLER = ContextVar("CALLER", default=None)  # in a thread of `parallel_map`, the frame that called it


def parallel_map(work, tasks, small=False):
    """[work(task) for task in tasks], with a thread for each usable core, each with serial linear algebra.

    The caller's thread is one of them and begins before the others wake; all threads have the caller's NumPy errstate.
    A single task keeps parallel linear algebra. So do tasks that are `small`, meaning that all of them together take
    less time than waking a thread. Nested or concurrent calls run serially, because the limit on linear algebra holds
    for the whole process: one caller at a time sets and lifts it.
    """
    if small or not available.THREADS or len(tasks) == 1 or not _CORES_IN_USE.acquire(blocking=False):
        return [work(task) for task in tasks]
    try:
        cores = usable_cores()
        if cores == 1:
            return [work(task) for task in tasks]
        results, places = [None] * len(tasks), iter(range(len(tasks)))  # all threads share the iterator

        def take():
            try:
                for place in places:
                    results[place] = work(tasks[place])
            finally:
                deque(places, maxlen=0)  # so that no thread begins another task after an error

        with _linear_algebra().limit(limits=1, user_api="blas"), ThreadPoolExecutor(cores - 1) as pool:
            context = copy_context()
            context.run(CALLER.set, sys._getframe(1))  # in a copy: the caller's context would keep the frame alive
            others = [pool.submit(context.copy().run, take) for _ in range(cores - 1)]
            take()
            for other in others:
                other.result()
        return results
    finally:
        _CORES_IN_USE.release()


def usable_cores():
    """The number of threads that may work, the caller's among them: the least of the limits that are set.

    The limits are the affinity of the process, a container's share, LOKY_MAX_CPU_COUNT, joblib.parallel_config,
    OMP_NUM_THREADS and threadpoolctl's limits. It is 1 if no thread can be started.
    """
    if not available.THREADS:
        return 1
    _, jobs = get_active_backend()
    libraries = _linear_algebra().select(user_api="blas").info()
    # CVXOPT brings its own library, which always has a single thread
    limits = [library["num_threads"] for library in libraries if library.get("threading_layer") != "disabled"]
    cores = _cpu_count(frozenset(_affinity()), os.environ.get("LOKY_MAX_CPU_COUNT"))
    return min(cores, cores if jobs is None else effective_n_jobs(jobs), *limits)


@functools.cache
def _cpu_count(affinity, limit):
    """joblib's count, read from the system's files again only if the affinity or joblib's own limit has changed."""
    return cpu_count()


def _affinity():
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()


@functools.cache
def _linear_algebra():
    return ThreadpoolController()

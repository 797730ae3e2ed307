"""Threads: NumPy and compiled loops let other threads run, so these use several cores."""

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

_CORES = Lock()
ASKED_FROM = ContextVar("ASKED_FROM", default=None)  # in a thread at work, the frame of its caller


def parallel_map(work, tasks, small=False):
    """[work(task) for task in tasks], by as many threads as cores may be used, each with serial linear algebra.

    The caller's thread is one of them, and has begun before the others wake; NumPy's errstate is the caller's in all.
    A single task keeps linear algebra parallel. So do tasks that are `small`, all of them together: waking a thread
    would take longer. Nested or concurrent calls run serially, because the limit on linear algebra holds for the whole
    process: one caller at a time sets and lifts it.
    """
    if small or not available.THREADS or len(tasks) == 1 or not _CORES.acquire(blocking=False):
        return [work(task) for task in tasks]
    try:
        cores = usable_cores()
        if cores == 1:
            return [work(task) for task in tasks]
        results, places = [None] * len(tasks), iter(range(len(tasks)))

        def take():
            try:
                for place in places:  # each is given to one thread
                    results[place] = work(tasks[place])
            finally:
                deque(places, maxlen=0)  # after an error nothing else is begun

        with _linear_algebra().limit(limits=1, user_api="blas"), ThreadPoolExecutor(cores - 1) as pool:
            context = copy_context()
            context.run(ASKED_FROM.set, sys._getframe(1))  # its own would hold the context, and that the frame
            others = [pool.submit(context.copy().run, take) for _ in range(cores - 1)]
            take()
            for other in others:
                other.result()
        return results
    finally:
        _CORES.release()


def usable_cores():
    """The number of threads that may work: the least that affinity, joblib and the linear algebra libraries allow.

    Where none can be started, the caller's is the one.

    The settings that count are the affinity of the process, a container's share, LOKY_MAX_CPU_COUNT,
    joblib.parallel_config, OMP_NUM_THREADS and threadpoolctl's limits.
    """
    if not available.THREADS:
        return 1
    _, jobs = get_active_backend()
    libraries = _linear_algebra().select(user_api="blas").info()
    # CVXOPT brings a library of its own that can have one thread only
    limits = [library["num_threads"] for library in libraries if library.get("threading_layer") != "disabled"]
    cores = _cores(frozenset(_affinity()), os.environ.get("LOKY_MAX_CPU_COUNT"))
    return min(cores, cores if jobs is None else effective_n_jobs(jobs), *limits)


@functools.cache
def _cores(affinity, most):
    """What joblib reads from the system's files, anew where the affinity or its own limit have changed."""
    return cpu_count()


def _affinity():
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()


@functools.cache
def _linear_algebra():
    return ThreadpoolController()

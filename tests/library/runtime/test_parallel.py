"""Work on all cores: in order, and the limit on linear algebra is gone when the last caller is."""

import os
import subprocess
import sys
from threading import Barrier, Event, Thread, current_thread
from time import sleep

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from kernelbook.runtime import available, parallel
from kernelbook.runtime.parallel import parallel_map, usable_cores

pytestmark = pytest.mark.skipif(not available.THREADS, reason="no thread can be started")


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(parallel, "usable_cores", lambda: 2)


def threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def squares(count):
    return parallel_map(lambda task: task**2, range(count))


@pytest.mark.usefixtures("two_cores")
def test_results_come_in_order_and_errors_come_through():
    assert squares(20) == [task**2 for task in range(20)]
    with pytest.raises(ZeroDivisionError):
        parallel_map(lambda task: 1 / task, [1, 0])
    assert squares(20) == [task**2 for task in range(20)]  # the cores are free again


@pytest.mark.usefixtures("two_cores")
def test_after_an_error_no_other_task_is_begun():
    begun = []

    def work(task):
        begun.append(task)
        sleep(0.01)
        return 1 / task

    with pytest.raises(ZeroDivisionError):
        parallel_map(work, range(1000))
    assert len(begun) < 100


@pytest.mark.usefixtures("two_cores")
def test_the_caller_is_one_of_the_threads_and_what_is_small_is_its_own():
    here, both = current_thread().name, Barrier(2, timeout=10)

    def name(_):
        both.wait()  # two threads are at work at one time
        return current_thread().name

    assert here in parallel_map(name, range(2))
    assert set(parallel_map(lambda _: current_thread().name, range(100), small=True)) == {here}


@pytest.mark.usefixtures("two_cores")
def test_numpy_minds_the_same_errors_in_all_threads():
    both = Barrier(2, timeout=10)

    def mode(_):
        both.wait()
        return np.geterr()["over"]

    for over in ("ignore", "raise"):
        with np.errstate(over=over):
            assert parallel_map(mode, range(2)) == [over, over]


@pytest.mark.usefixtures("two_cores")
def test_a_call_inside_a_call_waits_for_nothing():
    assert parallel_map(squares, [2, 3]) == [[0, 1], [0, 1, 4]]


@pytest.mark.usefixtures("two_cores")
def test_callers_that_overlap_leave_the_threads_as_they_were():
    before, first_is_in, first_may_go = threads(), Event(), Event()

    def first(_):
        first_is_in.set()
        assert first_may_go.wait(10)

    def second(_):
        first_may_go.set()
        thread.join()  # the first caller leaves while this one is inside

    thread = Thread(target=parallel_map, args=(first, [0, 1]))
    thread.start()
    assert first_is_in.wait(10)
    assert set(threads()) == {1}
    parallel_map(second, [0, 1])
    assert threads() == before


def tasks_and_threads():
    """The names of the threads that two tasks ran in."""
    return set(parallel_map(lambda _: current_thread().name, range(2)))


COUNT = "from kernelbook.runtime.parallel import usable_cores; print(usable_cores())"


def counted(first="", **settings):
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    command = [sys.executable, "-c", first + COUNT]
    done = subprocess.run(command, env=environment | settings, capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_a_process_has_as_many_as_it_may_use():
    assert counted() == joblib.cpu_count()
    assert counted(LOKY_MAX_CPU_COUNT="1") == 1
    assert counted(OPENBLAS_NUM_THREADS="1") == 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_affinity_counts():
    assert counted("import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); ") == 1


def test_limits_of_a_caller_count():
    for limit in (lambda: joblib.parallel_config(n_jobs=1)), (lambda: threadpool_limits(1)):  # each holds when made
        with limit():
            assert usable_cores() == 1
            assert tasks_and_threads() == {current_thread().name}


@pytest.mark.usefixtures("two_cores")
def test_without_limits_others_work():
    assert current_thread().name not in tasks_and_threads()

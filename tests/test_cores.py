"""Work on all cores: in order, and the limit on linear algebra is gone when the last caller is."""

from threading import Event, Thread

import pytest
from threadpoolctl import threadpool_info

from kernelbook.cores import on_all_cores


def threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def squares(count):
    return on_all_cores(lambda task: task**2, range(count))


def test_results_come_in_order_and_errors_come_through():
    assert squares(20) == [task**2 for task in range(20)]
    with pytest.raises(ZeroDivisionError):
        on_all_cores(lambda task: 1 / task, [1, 0])
    assert squares(20) == [task**2 for task in range(20)]  # the cores are free again


def test_a_call_inside_a_call_waits_for_nothing():
    assert on_all_cores(squares, [2, 3]) == [[0, 1], [0, 1, 4]]


def test_callers_that_overlap_leave_the_threads_as_they_were():
    before, first_is_in, first_may_go = threads(), Event(), Event()

    def first(_):
        first_is_in.set()
        assert first_may_go.wait(10)

    def second(_):
        first_may_go.set()
        thread.join()  # the first caller leaves while this one is inside

    thread = Thread(target=on_all_cores, args=(first, [0, 1]))
    thread.start()
    assert first_is_in.wait(10)
    assert set(threads()) == {1}
    on_all_cores(second, [0, 1])
    assert threads() == before

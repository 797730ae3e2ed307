"""Watch a process that may run forever, exhaust the machine or print without end."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread

import psutil

from tools.teaching.sandbox import MAX_MEMORY, MAX_PROCESSES

WAIT_FACTOR = 3  # a cell may wait, asleep or for a lock, for this many times its limit of processor time
POLL_SECONDS = 0.25  # time between two looks at the process
STARTUP_SECONDS = 60  # processor time for importing the library
IDLE_SECONDS = 0.01  # a process that uses less processor time between two looks is waiting
LEFTOVER_SECONDS = 1  # processor time that threads left running by a cell may use before the next cell
# By the clock, a cell may take this many times its limit: processes that end between two looks cost no processor time.
CLOCK_FACTOR = 10
MAX_OUTPUT_BYTES = 100_000  # what is kept of a cell's printed output


class Guard(Thread):
    """Ends a process that exceeds a limit, and stores the reason in `reason`.

    `seconds` limits the processor time since `begin`; the limit by the clock is CLOCK_FACTOR times as long. A busy
    machine does not count against the process: on Linux, the time spent queueing for a processor is subtracted from
    its clock. The guard looks only while the process is `awaited`. With `descendants=False`, processes started by the
    process count neither in time nor in number, and there is no limit by the clock.
    """

    def __init__(self, process, seconds, wait_factor=WAIT_FACTOR, descendants=True):
        super().__init__(daemon=True)
        self.process, self.seconds, self.wait_factor, self.descendants = process, seconds, wait_factor, descendants
        self.watched, self.reason, self.over = psutil.Process(process.pid), None, Event()
        self.before = self.last = self.waited = self.earlier = self.by_clock = 0.0
        self.awaited, self.baseline_threads, self.queue_times = False, 0, {}
        self.start()

    def set_baseline(self):
        """Take the present threads as the process's own; any further thread is left over from a cell."""
        self.baseline_threads = _total(self._processes(), psutil.Process.num_threads)

    def begin(self):
        self.last = max(self.last, self._time(self._processes()))
        self.earlier = self.taken()
        self.before, self.waited, self.by_clock = self.last, 0.0, 0.0

    def taken(self):
        """Seconds that the process has computed or waited so far; at least a third of the clock time."""
        return self.earlier + max(self.last - self.before + self.waited, self.by_clock / 3)

    def run(self):
        while not self.over.wait(POLL_SECONDS):
            if self.awaited and (reason := self._exceeded_limit()):
                self.reason = reason
                self.end()

    def still_computes(self):
        """Whether threads left by a cell compute for LEFTOVER_SECONDS between requests; known only on Linux."""
        processes = self._processes()
        first = last = self._time(processes)
        begin = time.monotonic()
        while psutil.LINUX and last - first < LEFTOVER_SECONDS:
            if _total(processes, psutil.Process.num_threads) <= self.baseline_threads:
                break
            if time.monotonic() - begin > CLOCK_FACTOR * LEFTOVER_SECONDS:
                return True
            time.sleep(POLL_SECONDS)
            processes = self._processes()
            before, last = last, self._time(processes)
            if last - before < IDLE_SECONDS and not any(map(_is_running, processes)):
                return False
        return last - first >= LEFTOVER_SECONDS

    def _exceeded_limit(self):
        """The reason to end the process, or None."""
        processes = self._processes()
        last, self.last = self.last, self._time(processes)
        period = max(0.0, POLL_SECONDS - self._queue_seconds(processes))
        self.by_clock += period
        if self.descendants and self.by_clock > CLOCK_FACTOR * self.seconds:
            return f"took longer than {CLOCK_FACTOR * self.seconds:g} s by the clock"
        if not any(map(_is_running, processes)):
            self.waited += max(0.0, period - (self.last - last))
        if self.last - self.before > self.seconds:
            return f"ran longer than {self.seconds:g} s"
        if self.waited > self.wait_factor * self.seconds:
            return f"waited longer than {self.wait_factor * self.seconds:g} s"
        if len(processes) > MAX_PROCESSES:
            return f"started more than {MAX_PROCESSES} processes"
        if _total(processes, _resident) > MAX_MEMORY and _total(processes, _proportional) > MAX_MEMORY:
            return f"took more than {MAX_MEMORY >> 30} GB of memory"
        return None

    def _queue_seconds(self, processes):
        """Seconds since the last look that a thread has queued for a processor: the maximum over all threads.

        The threads of the present process are included, because the watched process may wait for them.
        """
        before, self.queue_times = self.queue_times, {}
        for number in (os.getpid(), *(process.pid for process in processes)):
            for path in Path(f"/proc/{number}/task").glob("*/schedstat"):
                with suppress(OSError, ValueError, IndexError):  # the thread has ended meanwhile
                    self.queue_times[path] = int(path.read_text().split()[1]) / 1e9
        return max((now - before.get(path, now) for path, now in self.queue_times.items()), default=0.0)

    def _processes(self):
        with suppress(psutil.Error):
            return [self.watched, *(self.watched.children(recursive=True) if self.descendants else [])]
        return [self.watched]

    def _time(self, processes):
        """Processor time in seconds: user, system, and both of ended children."""
        fields = 4 if self.descendants else 2
        return _total(processes, lambda process: sum(process.cpu_times()[:fields]))

    def end(self):
        """End the process and all processes that it has started."""
        self.over.set()
        started = []
        with suppress(psutil.Error):
            started = self.watched.children(recursive=True)
        with suppress(OSError, AttributeError):  # Windows has no process groups
            if os.getpgid(self.process.pid) != os.getpgid(0):
                os.killpg(self.process.pid, signal.SIGKILL)
        for process in [self.process, *started]:
            with suppress(psutil.Error, OSError):
                process.kill()


def _is_running(process):
    """Whether a process computes or queues for a processor; on Linux, in any of its threads."""
    if psutil.LINUX:
        return any(_state(path) == "R" for path in Path(f"/proc/{process.pid}/task").glob("*/stat"))
    with suppress(psutil.Error):
        return process.status() == psutil.STATUS_RUNNING
    return False


def _state(path):
    with suppress(OSError):  # the thread has ended meanwhile
        return path.read_text(errors="replace").rpartition(") ")[2][:1]
    return "-"


def _resident(process):
    return process.memory_info().rss


def _proportional(process):
    """The memory of a process, with its share of pages in common with its forks, where the system tells."""
    with suppress(psutil.AccessDenied, AttributeError):  # slow, because the system counts all pages
        return process.memory_full_info().pss
    return _resident(process)


def _total(processes, measure):
    found = 0
    for process in processes:
        with suppress(psutil.Error):  # the process has ended meanwhile
            found += measure(process)
    return found


class OutputReader(Thread):
    """Reads what a process prints, so that it never waits: keeps the beginning and counts the rest."""

    def __init__(self, file):
        super().__init__(daemon=True)
        self.file, self.lock, self.arrived, self.late = file, Lock(), Event(), False
        self.begin(b"")
        self.start()

    def begin(self, last):
        """Keep what is printed from now on; `last` marks the end of the output and is not kept."""
        with self.lock:
            self.kept, self.dropped, self.last, self.recent = bytearray(), 0, last, b""
            self.arrived.clear()

    def run(self):
        with suppress(OSError, ValueError):  # the file is closed
            while data := os.read(self.file.fileno(), 2**20):
                self._keep(data)
        self.arrived.set()

    def _keep(self, data):
        with self.lock:
            room = max(0, MAX_OUTPUT_BYTES - len(self.kept))
            self.kept += data[:room]
            self.dropped += len(data[room:])
            self.recent = (self.recent + data)[-2 * len(self.last) - len(data) :]
            if self.last and self.last in self.recent:
                self.arrived.set()
            self.recent = self.recent[-len(self.last) :]

    def text(self):
        """The output, once its end mark has arrived."""
        self.late = self.late or not self.arrived.wait(5)  # the mark never comes if a cell has closed the file
        with self.lock:
            text = bytes(self.kept).replace(self.last, b"").decode(errors="replace")
            more = self.dropped - len(self.last)
            return f"{text}\n… and {more} bytes more" if more > 0 else text

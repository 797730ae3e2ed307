"""A watch on a process that may not end, use up the machine, or print without end."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread

import psutil

from tools.teaching.sandbox import MEMORY, PROCESSES

PATIENCE = 3  # so many times its processor time may a cell wait: for a lock, for what never comes, or asleep
PERIOD = 0.25  # seconds between two looks
STARTING = 60  # seconds of processor time that it may take to import the library
IDLE = 0.01  # seconds of processor time in a period; less is waiting
LEFT = 1  # seconds of processor time that what a cell has left running may take before the next
CLOCK = 10  # times its seconds may a cell take by the clock, as it does if what it starts is gone before it is seen
MOST_TEXT = 100_000  # bytes of what a cell prints


class Guard(Thread):
    """Ends a process that goes beyond a limit, and says in `reason` why.

    `seconds` are of processor time since `begin`; by the clock it has CLOCK times as many. What a busy machine takes
    from the process counts nowhere: on Linux the time that it stands in line for a processor is none of its clock's.
    The guard looks only while the process is `awaited`. With `descendants=False`, those whom the process has started
    count neither in time nor in number, and the clock not at all.
    """

    def __init__(self, process, seconds, patience=PATIENCE, descendants=True):
        super().__init__(daemon=True)
        self.process, self.seconds, self.patience, self.descendants = process, seconds, patience, descendants
        self.watched, self.reason, self.over = psutil.Process(process.pid), None, Event()
        self.before = self.last = self.waited = self.earlier = self.by_clock = 0.0
        self.awaited, self.alone, self.in_line = False, 0, {}
        self.start()

    def settle(self):
        """From now on, more threads than there are is what a cell has left running."""
        self.alone = _total(self._there(), psutil.Process.num_threads)

    def begin(self):
        self.last = max(self.last, self._time(self._there()))
        self.earlier = self.taken()
        self.before, self.waited, self.by_clock = self.last, 0.0, 0.0

    def taken(self):
        """Seconds that the process has computed or waited, as last seen; a third of the clock's, where that is more."""
        return self.earlier + max(self.last - self.before + self.waited, self.by_clock / 3)

    def run(self):
        while not self.over.wait(PERIOD):
            if self.awaited and (reason := self._beyond()):
                self.reason = reason
                self.end()

    def goes_on(self):
        """Whether what a cell has left running computes for a second while nothing is asked; Linux alone tells."""
        there = self._there()
        first = last = self._time(there)
        begin = time.monotonic()
        while psutil.LINUX and _total(there, psutil.Process.num_threads) > self.alone and last - first < LEFT:
            if time.monotonic() - begin > CLOCK * LEFT:
                return True
            time.sleep(PERIOD)
            there = self._there()
            before, last = last, self._time(there)
            if last - before < IDLE and not any(map(_is_running, there)):
                return False
        return last - first >= LEFT

    def _beyond(self):
        there = self._there()
        last, self.last = self.last, self._time(there)
        period = max(0.0, PERIOD - self._stood_in_line(there))
        self.by_clock += period
        if self.descendants and self.by_clock > CLOCK * self.seconds:
            return f"took longer than {CLOCK * self.seconds:g} s by the clock"
        if not any(map(_is_running, there)):
            self.waited += max(0.0, period - (self.last - last))
        if self.last - self.before > self.seconds:
            return f"ran longer than {self.seconds:g} s"
        if self.waited > self.patience * self.seconds:
            return f"waited longer than {self.patience * self.seconds:g} s"
        if len(there) > PROCESSES:
            return f"started more than {PROCESSES} processes"
        if _total(there, _resident) > MEMORY and _total(there, _proportional) > MEMORY:
            return f"took more than {MEMORY >> 30} GB of memory"
        return None

    def _stood_in_line(self, there):
        """Seconds since the last look for which a thread was ready, and no processor was free: that of the longest.

        The threads of this process, which the other may wait for, are among them.
        """
        before, self.in_line = self.in_line, {}
        for number in (os.getpid(), *(process.pid for process in there)):
            for path in Path(f"/proc/{number}/task").glob("*/schedstat"):
                with suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
                    self.in_line[path] = int(path.read_text().split()[1]) / 1e9
        return max((now - before.get(path, now) for path, now in self.in_line.items()), default=0.0)

    def _there(self):
        with suppress(psutil.Error):
            return [self.watched, *(self.watched.children(recursive=True) if self.descendants else [])]
        return [self.watched]

    def _time(self, there):
        fields = 4 if self.descendants else 2  # the last two are of children that have ended
        return _total(there, lambda process: sum(process.cpu_times()[:fields]))

    def end(self):
        """End the process and all that it has started."""
        self.over.set()
        started = []
        with suppress(psutil.Error):
            started = self.watched.children(recursive=True)
        with suppress(OSError, AttributeError):  # no groups on Windows
            if os.getpgid(self.process.pid) != os.getpgid(0):
                os.killpg(self.process.pid, signal.SIGKILL)
        for process in [self.process, *started]:
            with suppress(psutil.Error, OSError):
                process.kill()


def _is_running(process):
    """Whether it computes, or would if the machine were free; on Linux, in any of its threads."""
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
    """Its memory, with its share of the pages that a fork has in common with others, where the system tells it."""
    with suppress(psutil.AccessDenied, AttributeError):  # slow: many pages are counted
        return process.memory_full_info().pss
    return _resident(process)


def _total(processes, measure):
    found = 0
    for process in processes:
        with suppress(psutil.Error):  # it has ended meanwhile
            found += measure(process)
    return found


class Printed(Thread):
    """What a process prints: its beginning is kept, the rest is counted, and the process never waits."""

    def __init__(self, file):
        super().__init__(daemon=True)
        self.file, self.lock, self.arrived, self.late = file, Lock(), Event(), False
        self.begin(b"")
        self.start()

    def begin(self, last):
        """Keep what is printed from now on; `last` is what will be printed in the end, and is not kept."""
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
            room = max(0, MOST_TEXT - len(self.kept))
            self.kept += data[:room]
            self.dropped += len(data[room:])
            self.recent = (self.recent + data)[-2 * len(self.last) - len(data) :]
            if self.last and self.last in self.recent:
                self.arrived.set()
            self.recent = self.recent[-len(self.last) :]

    def text(self):
        """All of it, once the last has arrived."""
        self.late = self.late or not self.arrived.wait(5)  # never, where a cell has closed the file
        with self.lock:
            text = bytes(self.kept).replace(self.last, b"").decode(errors="replace")
            more = self.dropped - len(self.last)
            return f"{text}\n… and {more} bytes more" if more > 0 else text

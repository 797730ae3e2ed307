"""A student's answers, as the grader sees them: cells to run, and names to look up, in a process with limits."""

import pickle
import subprocess
import tempfile
import uuid
from contextlib import suppress
from itertools import count
from types import FunctionType

from tools.teaching import sandbox
from tools.teaching.exchange import Exchange, Lost
from tools.teaching.guard import STARTING, Guard, Printed
from tools.teaching.proxies import Remote, Unknown
from tools.teaching.serialization import WireError

LEFT = "called exit()"
WENT_ON = "went on computing after its end"


class Ended(RuntimeError):
    """The process that ran the answers is no more, and why."""


class Answers(Exchange):
    """Cells that ran stay in force: where the process ends, they run again in a new one, without the one that ended it.

    `endings` lists the cells that did, each with the reason.
    """

    def __init__(self, seconds, confined):
        self.seconds, self.place, self.confined = seconds, sandbox.library(), confined
        self.done, self.endings, self.process, self.generation = [], [], None, 0
        self.cell, self.functions, self.numbers, self.given = None, {}, count(), {}
        self.before, self.replayed, self.again = 0.0, 0.0, False

    def start(self):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        started = sandbox.command(self.place, self.home.name, self.confined)
        pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
        self.process = subprocess.Popen(**started, **pipes)
        self.reader, self.writer = self.process.stdout, self.process.stdin
        self.guard, self.printed = Guard(self.process, STARTING), Printed(self.process.stderr)
        self.started = False
        self.generation += 1

    def stop(self):
        if self.process:
            self._count()
            self.guard.end()
            self.process.wait()
            for file in (self.process.stdin, self.process.stdout):
                with suppress(OSError):  # it has not read all
                    file.close()
            self.process = None
            if not self.confined:
                sandbox.end_all(self.home.name)
            self.home.cleanup()

    def spent(self):
        """Seconds that cells and calls of answers have taken, in this process and in those before.

        Those that cells take again, because a later one has ended the process, are in `replayed`.
        """
        return self.before + (self.guard.taken() if self.process and self.started and not self.again else 0.0)

    def _count(self):
        """Add what this process has taken to the time of cells, or to that of cells that run again."""
        if self.started:
            taken = self.guard.taken()
            self.before, self.replayed = self.before + taken * (not self.again), self.replayed + taken * self.again
            self.guard.begin()
            self.guard.earlier = 0.0

    def ready(self, cell):
        """Have a process in which all cells so far have run, and nothing else runs, for what comes now."""
        if self.process and self.started and self.guard.goes_on():
            self._without_last()
        while self.process is None or not self.started:
            if self.process is None:
                self.start()
            self.cell = "the start of Python"
            self.request("forget")
            self.started, self.guard.seconds = True, self.seconds
            self.guard.settle()
            self.guard.begin()
            self.guard.earlier = 0.0
            self.again = True
            for known in [*self.done]:
                try:
                    self._run(known)
                except Ended:
                    self.done.remove(known)
                    break
            if self.process:
                self._count()
            self.again = False
        self.cell = cell["name"]
        self.guard.begin()

    def _without_last(self):
        """End the process, in which the last cell has left something running; that cell is in force no more."""
        self.stop()
        self.note(WENT_ON)
        if self.done and self.done[-1]["name"] == self.cell:  # not where it was a test's call
            self.done.pop()

    def run(self, cell):
        """What a cell prints, and its error: type, text and lines; None where there is none."""
        self.ready(cell)
        result = self._run(cell)
        self.done.append(cell)
        return result

    def _run(self, cell):
        self.cell = cell["name"]
        self.guard.begin()
        last = b"\0%s\0" % uuid.uuid4().hex.encode()
        self.printed.begin(last)
        error = self.request("cell", cell["source"], cell["names"], last)
        if error:
            self.remark(error[0])
        return self.printed.text(), error

    def remark(self, kind):
        """Note what a teacher should know of an error, by its type's name."""
        if kind == "SystemExit":
            self.note(LEFT)
        elif kind.endswith("MemoryError"):
            self.note(f"asked for more memory than there is, {sandbox.MEMORY >> 30} GB")

    def note(self, reason):
        if [self.cell, reason] not in self.endings:
            self.endings.append([self.cell, reason])

    def request(self, *message):
        if self.process is None:
            raise Ended(self.endings[-1][1])
        self.guard.awaited = True
        try:
            return super().request(*message)
        except (Lost, WireError) as error:
            raise Ended(self._end(error)) from None
        finally:
            self.guard.awaited = False

    def raised(self, kind, text):
        self.remark(str(kind))
        return RuntimeError(LEFT) if kind == "SystemExit" else super().raised(kind, text)

    def serve(self, kind, contents):
        """A call of a function that the test has passed, and of no other; the time it takes is not the answer's."""
        if kind != "call" or not any(contents[0] is function for function in self.functions.values()):
            raise WireError("this is no message")
        self.guard.awaited = False
        super().serve(kind, contents)
        self.guard.awaited = True

    def _end(self, error):
        """Why the process is no more; it is noted."""
        if self.process is None:  # it ended in a call within a call
            return self.endings[-1][1]
        if isinstance(error, WireError):
            self.guard.reason = f"sent what is no answer: {error}"
        else:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
        reason = self.guard.reason or _of_its_own(self.process.poll())
        self.stop()
        self.note(reason)
        return reason

    def look_up(self, name):
        """The value of a name, in a list that is empty if it has none."""
        try:
            return self.request("fetch", name)
        except Ended:
            raise
        except Exception as error:  # it is no data
            return [Unknown(str(error))]

    def forget(self):
        """The functions that the last test has passed and got are needed no more."""
        self.functions = {}
        self.request("forget")

    def strange(self, value):
        if isinstance(value, Remote | Unknown) and value.sent:
            if value.generation not in (None, self.generation):
                raise Ended("belonged to a process that has ended")
            return value.sent
        if isinstance(value, FunctionType) and self.given.get(value.__name__) is value:
            return ["given", value.__name__]
        try:
            return ["pickle", pickle.dumps(value)]  # the grader's own: an estimator, a table, a library's function
        except Exception:  # whatever a class does
            if not callable(value):
                raise TypeError(f"a test cannot pass a {type(value).__name__} to an answer") from None
        number = next(self.numbers)
        self.functions[number] = value
        return ["callback", number]

    def familiar(self, contents):
        kind, *contents = contents
        if kind == "callback":
            return self.functions[contents[0]]
        if kind == "given":
            return self.given[contents[0]]
        if kind != "reference":
            raise WireError("this is no message")
        number, name, is_function = contents
        sent = ["reference", number]
        if is_function:
            return Remote(self, sent, str(name), self.generation)
        return Unknown(f"an answer of type {name} cannot be graded", sent, self.generation)


def _of_its_own(code):
    if code is None:
        return "closed what connects it with the grader"
    if code in (-9, 128 + 9):
        return "was ended by a signal that cannot be caught: its own, or the system's for its use of memory"
    if code < 0 or code > 128:
        return f"ended Python by signal {-code if code < 0 else code - 128}"
    return "ended Python"

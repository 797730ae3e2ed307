"""The grader's side of a student's answers: run cells, look up names and call functions in a process with limits."""

import pickle
import subprocess
import tempfile
import uuid
from contextlib import suppress
from itertools import count
from types import FunctionType

from tools.teaching import sandbox
from tools.teaching.exchange import ConnectionLost, Exchange
from tools.teaching.guard import STARTUP_SECONDS, Guard, OutputReader
from tools.teaching.proxies import RemoteFunction, UngradableValue
from tools.teaching.serialization import MessageError

CALLED_EXIT = "called exit()"
STILL_COMPUTING = "went on computing after its end"


class ProcessEnded(RuntimeError):
    """The process that ran the answers has ended; the text says why."""


class Answers(Exchange):
    """A process for a student's cells, which is restarted when one of them ends it.

    Cells that have run stay in force: a new process runs them again, except the one that ended the last process.
    `endings` lists the cells that ended a process, each with the reason. `place` is the folder of the library, `done`
    holds the cells in force, `functions` what the current test has passed, and `given` the given functions.
    """

    def __init__(self, seconds, confined):
        self.seconds, self.place, self.confined = seconds, sandbox.library(), confined
        self.done, self.endings, self.process, self.generation = [], [], None, 0
        self.cell, self.functions, self.numbers, self.given = None, {}, count(), {}
        self.spent_before, self.replayed, self.replaying = 0.0, 0.0, False

    def start(self):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        started = sandbox.command(self.place, self.home.name, self.confined)
        pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
        self.process = subprocess.Popen(**started, **pipes)
        self.reader, self.writer = self.process.stdout, self.process.stdin
        self.guard, self.printed = Guard(self.process, STARTUP_SECONDS), OutputReader(self.process.stderr)
        self.started = False
        self.generation += 1

    def stop(self):
        if self.process:
            self._count()
            self.guard.end()
            self.process.wait()
            for file in (self.process.stdin, self.process.stdout):
                with suppress(OSError):  # the process has not read everything
                    file.close()
            self.process = None
            if not self.confined:
                sandbox.end_all(self.home.name)
            self.home.cleanup()

    def spent(self):
        """Seconds that cells and calls of answers have taken, in this process and in earlier ones.

        The time of cells that run again, because a later cell ended the process, is counted in `replayed` instead.
        """
        is_counted = self.process and self.started and not self.replaying
        return self.spent_before + (self.guard.taken() if is_counted else 0.0)

    def _count(self):
        """Add the time of this process to `spent_before`, or to `replayed` while cells run again."""
        if self.started:
            if self.replaying:
                self.replayed += self.guard.taken()
            else:
                self.spent_before += self.guard.taken()
            self.guard.begin()
            self.guard.earlier = 0.0

    def ready(self, cell):
        """Provide a process for `cell` in which all cells in force have run and nothing is still running."""
        if self.process and self.started and self.guard.still_computes():
            self._drop_last_cell()
        while self.process is None or not self.started:
            if self.process is None:
                self.start()
            self.cell = "the start of Python"
            self.request("forget")
            self.started, self.guard.seconds = True, self.seconds
            self.guard.set_baseline()
            self.guard.begin()
            self.guard.earlier = 0.0
            self.replaying = True
            for earlier in [*self.done]:
                try:
                    self._run(earlier)
                except ProcessEnded:
                    self.done.remove(earlier)
                    break
            if self.process:
                self._count()
            self.replaying = False
        self.cell = cell["name"]
        self.guard.begin()

    def _drop_last_cell(self):
        """End the process because the last cell has left something running, and put that cell out of force."""
        self.stop()
        self.note(STILL_COMPUTING)
        if self.done and self.done[-1]["name"] == self.cell:  # otherwise a call by a test left it running
            self.done.pop()

    def run(self, cell):
        """Run a cell; returns what it prints and its error, a list of type, text and lines, or None."""
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
        """Note an error that a teacher should know of; `kind` is the name of its type."""
        if kind == "SystemExit":
            self.note(CALLED_EXIT)
        elif kind.endswith("MemoryError"):
            self.note(f"asked for more memory than there is, {sandbox.MAX_MEMORY >> 30} GB")

    def note(self, reason):
        if [self.cell, reason] not in self.endings:
            self.endings.append([self.cell, reason])

    def request(self, *message):
        if self.process is None:
            raise ProcessEnded(self.endings[-1][1])
        self.guard.awaited = True
        try:
            return super().request(*message)
        except (ConnectionLost, MessageError) as error:
            raise ProcessEnded(self._note_end(error)) from None
        finally:
            self.guard.awaited = False

    def raised(self, kind, text):
        self.remark(str(kind))
        return RuntimeError(CALLED_EXIT) if kind == "SystemExit" else super().raised(kind, text)

    def serve(self, kind, contents):
        """Serve only calls of functions that the test has passed; their time does not count as the answer's."""
        if kind != "call" or not any(contents[0] is function for function in self.functions.values()):
            raise MessageError("this is not a message")
        self.guard.awaited = False
        super().serve(kind, contents)
        self.guard.awaited = True

    def _note_end(self, error):
        """Note why the process has ended, and return the reason."""
        if self.process is None:  # it ended in a nested call
            return self.endings[-1][1]
        if isinstance(error, MessageError):
            self.guard.reason = f"sent something that is not an answer: {error}"
        else:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
        reason = self.guard.reason or _exit_reason(self.process.poll())
        self.stop()
        self.note(reason)
        return reason

    def look_up(self, name):
        """The value of a name in a list, which is empty if the name is not bound."""
        try:
            return self.request("fetch", name)
        except ProcessEnded:
            raise
        except Exception as error:  # the value is not data
            return [UngradableValue(str(error))]

    def forget(self):
        """Drop the functions that the last test has passed and received."""
        self.functions = {}
        self.request("forget")

    def encode_other(self, value):
        if isinstance(value, RemoteFunction | UngradableValue) and value.sent:
            if value.generation not in (None, self.generation):
                raise ProcessEnded("belonged to a process that has ended")
            return value.sent
        if isinstance(value, FunctionType) and self.given.get(value.__name__) is value:
            return ["given", value.__name__]
        try:
            return ["pickle", pickle.dumps(value)]  # trusted: an estimator, a table or a library function
        except Exception:  # a class may raise anything
            if not callable(value):
                raise TypeError(f"a test cannot pass a {type(value).__name__} to an answer") from None
        number = next(self.numbers)
        self.functions[number] = value
        return ["callback", number]

    def decode_other(self, contents):
        kind, *contents = contents
        if kind == "callback":
            return self.functions[contents[0]]
        if kind == "given":
            return self.given[contents[0]]
        if kind != "reference":
            raise MessageError("this is not a message")
        number, name, is_function = contents
        sent = ["reference", number]
        if is_function:
            return RemoteFunction(self, sent, str(name), self.generation)
        return UngradableValue(f"an answer of type {name} cannot be graded", sent, self.generation)


def _exit_reason(code):
    if code is None:
        return "closed what connects it with the grader"
    if code in (-9, 128 + 9):
        return "was ended by a signal that cannot be caught: its own, or the system's for its use of memory"
    if code < 0 or code > 128:
        return f"ended Python by signal {-code if code < 0 else code - 128}"
    return "ended Python"

"""What a student's cells have defined, and the grader's requests for it, in the process in which they run."""

import os
import pickle
import signal
import sys
from contextlib import suppress
from itertools import count
from threading import RLock

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tools.teaching.exchange import LONGEST, Exchange, described, on_names
from tools.teaching.serialization import WireError

MOST_LINES = 50  # parts of a traceback
TIMERS = {"ITIMER_REAL": "SIGALRM", "ITIMER_VIRTUAL": "SIGVTALRM", "ITIMER_PROF": "SIGPROF"}  # not on Windows
ALARMS = [(getattr(signal, t), getattr(signal, s)) for t, s in TIMERS.items() if hasattr(signal, t)]


class Shell(InteractiveShell):
    """IPython without a terminal: an error is kept for the notebook, and not printed."""

    said = None

    def _showtraceback(self, kind, error, lines):
        self.said = [kind.__name__, described(error)[1], *(line[:LONGEST] for line in lines[-MOST_LINES:])]

    def ask_exit(self):
        raise SystemExit

    def enable_gui(self, gui=None):
        pass


def disarm(alarms=ALARMS, setitimer=signal.setitimer, handle=signal.signal, ignore=signal.SIG_IGN):
    """Stop the timers that a cell has set; what they do would otherwise be done in the cells that follow.

    The functions that a cell has set for their signals stay, for timers that its functions will set.
    """
    for timer, number in alarms:
        with suppress(Exception):
            setitimer(timer, 0)
            mine = handle(number, ignore)  # a signal that waits is forgotten
            handle(number, signal.SIG_DFL if mine is None else mine)


class Session(Exchange):
    """Serves `do_cell`, `do_fetch`, `do_call` and `do_forget`."""

    trusting = True

    def __init__(self, reader, writer):
        self.reader, self.writer, self.process = reader, writer, os.getpid()
        plain = Config(HistoryManager={"enabled": False}, InteractiveShell={"colors": "NoColor"})
        self.shell = Shell.instance(config=plain)
        self.given, self.kept, self.present, self.numbers = {}, {}, None, count()
        self.lock, self.serving = RLock(), False

    def serve_all(self):
        while True:
            self.present = None
            try:
                kind, *contents = self.receive()
            except WireError as error:
                self.send(["error", "RuntimeError", f"the grader's request could not be read: {error}"])
                continue
            self.serving = True
            self.serve(kind, contents)
            self.serving = False

    def send(self, message):
        if os.getpid() != self.process:  # a fork of a student's
            os._exit(0)
        super().send(message)

    def do_cell(self, source, names, end):
        """Run a cell; of a given one, keep what it binds. Returns its error, and prints `end`."""
        self.shell.said = None
        self.shell.run_cell(source)
        disarm()
        if pyplot := sys.modules.get("matplotlib.pyplot"):
            with suppress(Exception):
                pyplot.close("all")
        with suppress(Exception):  # whatever a cell has put in their place
            sys.stdout.flush()
            sys.stderr.flush()
        with suppress(OSError):
            while end:
                end = end[os.write(2, end) :]
        space = self.shell.user_ns
        self.given.update({name: space[name] for name in names if name in space})
        return self.shell.said

    def do_fetch(self, name):
        """The value of a name, in a list, which is empty where the name has none."""
        space = self.shell.user_ns
        return [space[name]] if name in space else []

    def do_forget(self):
        self.kept.clear()

    def strange(self, value):
        if isinstance(value, Callback):
            return ["callback", value.number]
        for name, function in self.given.items():
            if function is value:
                return ["given", name]
        if callable(value) or not any(hasattr(type(value), name) for name in ("__array__", "__float__")):
            number = next(self.numbers)
            self.kept[number] = value
            return ["reference", number, type(value).__name__, callable(value)]
        return None  # it is data in its own way

    def familiar(self, contents):
        kind, *contents = contents
        if kind == "callback":
            return Callback(self, *contents)
        if kind == "reference":
            return self.kept[contents[0]]
        if kind == "given":
            if self.present is None:
                space = self.shell.user_ns
                self.present = on_names(dict(space), self.given, space)
            return self.present[contents[0]]
        return pickle.loads(*contents)  # of the grader's making


class Callback:
    """A function of the grader's that an answer may call, as an argument."""

    def __init__(self, session, number):
        self.session, self.number, self.__name__ = session, number, "function"

    def __call__(self, *arguments, **keywords):
        with self.session.lock:  # an answer may call from several threads
            if not self.session.serving:
                raise RuntimeError("this function belonged to a test, which is over")
            return self.session.request("call", self, arguments, keywords)

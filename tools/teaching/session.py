"""The process of the answers: runs a student's cells and serves the grader's requests for what they define."""

import os
import pickle
import signal
import sys
from contextlib import suppress
from itertools import count
from threading import RLock

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tools.teaching.exchange import MAX_ERROR_LENGTH, MAX_TRACEBACK_LINES, Exchange, describe_error, rebind_globals
from tools.teaching.serialization import MessageError

TIMERS = {"ITIMER_REAL": "SIGALRM", "ITIMER_VIRTUAL": "SIGVTALRM", "ITIMER_PROF": "SIGPROF"}  # Windows has none
ALARMS = [(getattr(signal, t), getattr(signal, s)) for t, s in TIMERS.items() if hasattr(signal, t)]


class Shell(InteractiveShell):
    """IPython without a terminal: `error` keeps the last error for the notebook, and nothing prints it."""

    error = None

    def _showtraceback(self, kind, error, lines):
        shown = (line[:MAX_ERROR_LENGTH] for line in lines[-MAX_TRACEBACK_LINES:])
        self.error = [kind.__name__, describe_error(error)[1], *shown]

    def ask_exit(self):
        raise SystemExit

    def enable_gui(self, gui=None):
        pass


def disarm(alarms=ALARMS, setitimer=signal.setitimer, handle=signal.signal, ignore=signal.SIG_IGN):
    """Stop the timers that a cell has set, which would otherwise go off in the cells that follow.

    The signal handlers that a cell has set stay, for timers that its functions will set.
    """
    for timer, number in alarms:
        with suppress(Exception):
            setitimer(timer, 0)
            handler = handle(number, ignore)  # this discards a pending signal
            handle(number, signal.SIG_DFL if handler is None else handler)


class Session(Exchange):
    """Runs cells in an IPython shell, and hands out and calls what they bind.

    `given` holds the given functions, `rebound` their copies that use the student's globals during a request, and
    `references` the objects that the grader knows by number.
    """

    trusting = True

    def __init__(self, reader, writer):
        self.reader, self.writer, self.process = reader, writer, os.getpid()
        plain = Config(HistoryManager={"enabled": False}, InteractiveShell={"colors": "NoColor"})
        self.shell = Shell.instance(config=plain)
        self.given, self.references, self.rebound, self.numbers = {}, {}, None, count()
        self.lock, self.serving = RLock(), False

    def serve_all(self):
        while True:
            self.rebound = None
            try:
                kind, *contents = self.receive()
            except MessageError as error:
                self.send(["error", "RuntimeError", f"the grader's request could not be read: {error}"])
                continue
            self.serving = True
            self.serve(kind, contents)
            self.serving = False

    def send(self, message):
        if os.getpid() != self.process:  # a student's code has forked the process
            os._exit(0)
        super().send(message)

    def do_cell(self, source, names, end):
        """Run a cell, keep its bindings of `names`, and print `end`; returns its error or None."""
        self.shell.error = None
        self.shell.run_cell(source)
        disarm()
        if pyplot := sys.modules.get("matplotlib.pyplot"):
            with suppress(Exception):
                pyplot.close("all")
        with suppress(Exception):  # a cell may have replaced them
            sys.stdout.flush()
            sys.stderr.flush()
        with suppress(OSError):
            while end:
                end = end[os.write(2, end) :]
        space = self.shell.user_ns
        self.given.update({name: space[name] for name in names if name in space})
        return self.shell.error

    def do_fetch(self, name):
        """The value of a name in a list, which is empty if the name is not bound."""
        space = self.shell.user_ns
        return [space[name]] if name in space else []

    def do_forget(self):
        self.references.clear()

    def encode_other(self, value):
        if isinstance(value, Callback):
            return ["callback", value.number]
        for name, function in self.given.items():
            if function is value:
                return ["given", name]
        if callable(value) or not any(hasattr(type(value), name) for name in ("__array__", "__float__")):
            number = next(self.numbers)
            self.references[number] = value
            return ["reference", number, type(value).__name__, callable(value)]
        return None  # serialization converts it to data

    def decode_other(self, contents):
        kind, *contents = contents
        if kind == "callback":
            return Callback(self, *contents)
        if kind == "reference":
            return self.references[contents[0]]
        if kind == "given":
            if self.rebound is None:
                space = self.shell.user_ns
                self.rebound = rebind_globals(dict(space), self.given, space)
            return self.rebound[contents[0]]
        return pickle.loads(*contents)  # the grader has made the pickle


class Callback:
    """A function of a test that an answer has received as an argument."""

    def __init__(self, session, number):
        self.session, self.number, self.__name__ = session, number, "function"

    def __call__(self, *arguments, **keywords):
        with self.session.lock:  # an answer may call from several threads
            if not self.session.serving:
                raise RuntimeError("this function belonged to a test, which is over")
            return self.session.request("call", self, arguments, keywords)

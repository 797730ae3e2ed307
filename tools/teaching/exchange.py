"""Calls between two processes, in both directions; the grader's tests call a student's functions, and may be called.

A message is a list: a request, as ["call", function, arguments, keywords], or what answers it, ["value", …] or
["error", type, text]. While one side waits for an answer, it serves the other's requests.
"""

import builtins
from types import FunctionType

from tools.teaching.serialization import NotSent, WireError, packed, read_frame, unmade, unpacked

LONGEST = 2000  # characters of an error's text
QUIET = (StopIteration, StopAsyncIteration, Warning)  # the first would end a loop of a test's, as if all were well


class Lost(Exception):
    """The other side is no more."""


class Exchange:
    """One end; a subclass serves requests, by methods called `do_…`, and says how functions pass."""

    reader = writer = None  # binary files
    trusting = False  # whether the other side is the grader, and not a student

    def strange(self, value):
        """A tag and contents for a value that is no data; None if it may be data in its own way."""
        return None

    def familiar(self, contents):
        """The value for such a tag and its contents."""
        return unmade(contents)

    def send(self, message):
        frame = packed(message, self.strange, shared=not self.trusting)
        try:
            self.writer.write(frame)
            self.writer.flush()
        except OSError:
            raise Lost from None

    def receive(self):
        try:
            frame = read_frame(self.reader)
        except (OSError, EOFError):
            raise Lost from None
        message = unpacked(*frame, self.familiar, shared=self.trusting)
        if not isinstance(message, list) or not message or not isinstance(message[0], str):
            raise WireError("this is no message")
        return message

    def request(self, *message):
        """What the other side answers; an error there is raised here."""
        self.send(list(message))
        while True:
            kind, *contents = self.receive()
            if kind == "value":
                return contents[0]
            if kind == "error":
                raise self.raised(*contents)
            self.serve(kind, contents)

    def serve(self, kind, contents):
        try:
            answer = ["value", getattr(self, f"do_{kind}")(*contents)]
            self.send(answer)
        except Lost:
            raise
        except BaseException as error:  # exit() is one
            self.send(["error", *described(error)])

    def do_call(self, function, arguments, keywords):
        return function(*arguments, **keywords)

    def raised(self, kind, text):
        """An error to raise for one that was described: of the same type, if it is one that does no harm here."""
        known = getattr(builtins, str(kind), None)
        fit = isinstance(known, type) and issubclass(known, Exception) and not issubclass(known, QUIET)
        try:
            return known(str(text)) if fit else RuntimeError(f"{kind}: {text}")
        except TypeError:  # UnicodeDecodeError needs more
            return RuntimeError(f"{kind}: {text}")


def described(error):
    """An error's nearest built-in type and its text; one of another type begins its text with its own name."""
    own = type(error)
    kind = next((base.__name__ for base in own.__mro__ if base.__module__ == "builtins"), "Exception")
    try:
        text = str(error)[:LONGEST]
    except BaseException:  # a text of the student's making
        text = ""
    return kind, text if own.__name__ == kind or own is NotSent else f"{own.__name__}: {text}"


def on_names(names, given, where):
    """Given functions as they are, but with other global names, a dictionary of which they become part.

    `where` is the dictionary that they had, which is how those of other modules are told apart.
    """
    names.update(given)
    for key, value in given.items():
        if isinstance(value, FunctionType) and value.__globals__ is where:
            copy = FunctionType(value.__code__, names, key, value.__defaults__, value.__closure__)
            copy.__kwdefaults__ = value.__kwdefaults__
            names[key] = copy
    return names

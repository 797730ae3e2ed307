"""Function calls between two processes, in both directions: tests call a student's functions, which may call back.

A message is a list: a request such as ["call", function, arguments, keywords], or its answer, ["value", …] or
["error", type, text]. While one side waits for an answer, it serves the requests of the other.
"""

import builtins
from types import FunctionType

from tools.teaching.serialization import MessageError, UnsendableError, pack, read_frame, refuse_tag, unpack

MAX_ERROR_LENGTH = 2000  # characters of an error's text
MAX_TRACEBACK_LINES = 50
QUIET = (StopIteration, StopAsyncIteration, Warning)  # StopIteration would silently end a loop of a test


class ConnectionLost(Exception):
    """The process on the other side has ended."""


class Exchange:
    """One end of the exchange; a subclass serves requests by methods named `do_…` and encodes functions."""

    reader = writer = None  # binary files
    trusting = False  # whether the other side is the grader

    def encode_other(self, value):
        """A tag and contents for a value that serialization cannot write; None leaves it to the fallbacks there."""
        return None

    def decode_other(self, contents):
        """The value for a tag and its contents."""
        return refuse_tag(contents)

    def send(self, message):
        frame = pack(message, self.encode_other, shared=not self.trusting)
        try:
            self.writer.write(frame)
            self.writer.flush()
        except OSError:
            raise ConnectionLost from None

    def receive(self):
        try:
            frame = read_frame(self.reader)
        except (OSError, EOFError):
            raise ConnectionLost from None
        message = unpack(*frame, self.decode_other, shared=self.trusting)
        if not isinstance(message, list) or not message or not isinstance(message[0], str):
            raise MessageError("this is not a message")
        return message

    def request(self, *message):
        """Send a request and return the answer; an error on the other side is raised here."""
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
        except ConnectionLost:
            raise
        except BaseException as error:  # exit() is one
            self.send(["error", *describe_error(error)])

    def do_call(self, function, arguments, keywords):
        return function(*arguments, **keywords)

    def raised(self, kind, text):
        """The exception to raise for a described error: of the same type, if that type does no harm here."""
        builtin = getattr(builtins, str(kind), None)
        is_harmless = isinstance(builtin, type) and issubclass(builtin, Exception) and not issubclass(builtin, QUIET)
        try:
            return builtin(str(text)) if is_harmless else RuntimeError(f"{kind}: {text}")
        except TypeError:  # UnicodeDecodeError needs more arguments
            return RuntimeError(f"{kind}: {text}")


def describe_error(error):
    """An error's nearest built-in type and its text; the text begins with the name of its own type if that differs."""
    own = type(error)
    kind = next((base.__name__ for base in own.__mro__ if base.__module__ == "builtins"), "Exception")
    try:
        text = str(error)[:MAX_ERROR_LENGTH]
    except BaseException:  # the student's code makes the text
        text = ""
    return kind, text if own.__name__ == kind or own is UnsendableError else f"{own.__name__}: {text}"


def rebind_globals(names, given, original):
    """Add the given objects to `names`, with copies of the given functions that use `names` as their globals.

    `original` is the globals dictionary of the given functions; functions with other globals are added unchanged.
    """
    names.update(given)
    for key, value in given.items():
        if isinstance(value, FunctionType) and value.__globals__ is original:
            copy = FunctionType(value.__code__, names, key, value.__defaults__, value.__closure__)
            copy.__kwdefaults__ = value.__kwdefaults__
            names[key] = copy
    return names

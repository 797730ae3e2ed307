"""Loops that numba compiles: once per machine if their code can be kept on disk, else once in each process.

A process that compiles for more than a second logs one warning, on the logger "kernelbook". With
KERNELBOOK_QUIET=1 in the environment it stays silent. The book's tools set this, since a notebook's outputs must be
the same on a machine that compiles and on one that finds the code on disk.
"""

import functools
import logging
import os
import time
from contextlib import suppress
from threading import Timer

from kernelbook.runtime.available import numba

if numba:
    from numba.core.caching import FunctionCache
    from numba.core.event import Listener, register
else:
    FunctionCache = Listener = object

ANNOUNCED_AFTER = 1.0  # seconds of compiling after which the user is told the reason for the wait

_loops = set()


def compiled(vectorised=None, **options):
    """numba's njit without the interpreter's lock, and with the machine code kept on disk.

    Without numba the function is replaced by `vectorised`, which does the same by operations on arrays, or else stays
    as it is. Where neither the package's folder nor the user's cache is writable, the code is kept in memory only.
    """

    def decorate(function):
        if not numba:
            return vectorised or function
        loop = numba.njit(nogil=True, **options)(function)
        if loop is not function:  # with NUMBA_DISABLE_JIT=1 njit returns the function itself
            _loops.add(loop)
            with suppress(RuntimeError, OSError):  # numba finds no place for a cache
                loop._cache = _Cache(function)
        return loop

    return decorate


class _Cache(FunctionCache):
    """numba's cache, except that unreadable code is compiled again, and code that cannot be written is not kept.

    With numba's own cache, a damaged file, a full disk or a read-only folder would make the call of the function fail.
    """

    def load_overload(self, *arguments):
        try:
            return super().load_overload(*arguments)
        except Exception:  # a damaged file can raise anything
            with suppress(OSError):
                self.flush()  # else every process would meet the damaged file again

    def save_overload(self, *arguments):
        with suppress(Exception):
            super().save_overload(*arguments)


class _Announcer(Listener):
    """Adds up the time that numba spends on compiling our loops, and announces it when it becomes long.

    numba reports when it compiles, not when it loads code, and compiles in one thread at a time. Compiling a loop
    compiles the loops that it calls, so reports are nested to some depth.
    """

    depth, spent = 0, 0.0

    def on_start(self, event):
        if event.data["dispatcher"] in _loops:
            self.depth += 1
            if self.depth == 1:
                self.begin = time.perf_counter()
                self.timer = Timer(ANNOUNCED_AFTER - self.spent, _announce)
                self.timer.daemon = True
                self.timer.start()

    def on_end(self, event):
        if event.data["dispatcher"] in _loops:
            self.depth -= 1
            if self.depth == 0:
                self.timer.cancel()
                self.spent += time.perf_counter() - self.begin


@functools.cache  # so that it happens once
def _announce():
    if not os.environ.get("KERNELBOOK_QUIET"):
        logging.getLogger("kernelbook").warning(
            "Compiling fast loops, which takes some seconds: once only, if numba can write to its cache."
        )


if numba:
    register("numba:compile", _Announcer())

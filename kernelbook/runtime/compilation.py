"""Loops that numba compiles: once on a machine where their code can be kept, else once in each process.

A process that compiles for more than a second says so, once, as a warning on the logger "kernelbook". With
KERNELBOOK_QUIET=1 in the environment it does not: the book's tools set it, since a notebook's outputs are to be the
same on a machine that compiles and on one that need not.
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

PATIENCE = 1.0  # seconds of compiling after which it is said

_loops = set()


def compiled(vectorised=None, **options):
    """numba's njit for a function that needs no lock, its machine code kept on disk.

    Without numba the function stays as it is, or is `vectorised` instead, which does the same by operations on arrays.
    Where neither the package's folder nor the user's cache can be written to, the code is kept in memory alone.
    """

    def decorate(function):
        if not numba:
            return vectorised or function
        loop = numba.njit(nogil=True, **options)(function)
        if loop is not function:  # with NUMBA_DISABLE_JIT=1 it is
            _loops.add(loop)
            with suppress(RuntimeError, OSError):  # numba finds no place for a cache
                loop._cache = _Cache(function)
        return loop

    return decorate


class _Cache(FunctionCache):
    """numba's cache, except that what cannot be read is compiled again and what cannot be written is not kept.

    numba's own lets a damaged file, a full disk or a folder that is no longer writable end the call of the function.
    """

    def load_overload(self, *arguments):
        try:
            return super().load_overload(*arguments)
        except Exception:  # a damaged file can raise any
            with suppress(OSError):
                self.flush()  # or every process would stumble over it

    def save_overload(self, *arguments):
        with suppress(Exception):
            super().save_overload(*arguments)


class _Announcer(Listener):
    """What numba tells when it compiles, but not when it loads; it compiles in one thread at a time.

    While a loop is compiled, so are those that it calls.
    """

    depth, spent = 0, 0.0

    def on_start(self, event):
        if event.data["dispatcher"] in _loops:
            self.depth += 1
            if self.depth == 1:
                self.begin = time.perf_counter()
                self.timer = Timer(PATIENCE - self.spent, _announce)
                self.timer.daemon = True
                self.timer.start()

    def on_end(self, event):
        if event.data["dispatcher"] in _loops:
            self.depth -= 1
            if self.depth == 0:
                self.timer.cancel()
                self.spent += time.perf_counter() - self.begin


@functools.cache  # says it once
def _announce():
    if not os.environ.get("KERNELBOOK_QUIET"):
        logging.getLogger("kernelbook").warning(
            "Compiling fast loops, which takes some seconds: once only, if numba can write to its cache."
        )


if numba:
    register("numba:compile", _Announcer())

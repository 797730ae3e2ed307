"""What some Pythons lack: numba, CVXOPT, psutil, narwhals and threads. Everything that does without them asks here.

Where pip installs the library they are there; in a browser (Pyodide) none need be.
"""

import os
import sys
from importlib import import_module


def _module(name):
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None


numba, cvxopt, psutil, narwhals = map(_module, ("numba", "cvxopt", "psutil", "narwhals.stable.v2"))
COMPILED = numba is not None  # whether loops are
THREADS = sys.platform != "emscripten"  # whether any can be started


def free_memory():
    """In bytes; without psutil all that this Python can address, which is 2 GB in a browser."""
    return sys.maxsize if psutil is None else psutil.virtual_memory().available


def affordable(whole, part):
    """How much work a cell asks for: `whole`, or `part` of it and a line that says so, where the whole takes minutes.

    That is where loops are not compiled, as in a browser, and where the environment variable KERNELBOOK_QUICK is set,
    to anything but 0. The built pages show what `whole` gives.

    Parameters
    ----------
    whole : int, or whatever says how much is to be done
    part : the same of less work

    >>> draws = affordable(30, 5)
    >>> draws
    30
    """
    if COMPILED and os.environ.get("KERNELBOOK_QUICK") in (None, "", "0"):
        return whole
    print(f"To be quick, less is done here: {part} in place of {whole}.")
    print("Numbers differ from those that the text speaks of.")
    return part

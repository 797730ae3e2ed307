"""Optional parts of Python: numba, CVXOPT, psutil, narwhals and threads. All code that can do without them asks here.

pip installs these packages with the library; in a browser (Pyodide) all of them may be missing.
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
COMPILED = numba is not None  # whether loops are compiled
THREADS = sys.platform != "emscripten"  # whether threads can be started


def free_memory():
    """The free memory in bytes; without psutil, all memory that Python can address, which is 2 GB in a browser."""
    return sys.maxsize if psutil is None else psutil.virtual_memory().available


def affordable(whole, part):
    """The amount of work for a cell: `whole`, or `part` of it with a printed note, if the whole would take minutes.

    It is `part` if loops are not compiled, as in a browser, or if the environment variable KERNELBOOK_QUICK is set to
    anything but 0. The built pages show the results of `whole`.

    Parameters
    ----------
    whole : int, or any other measure of the work
    part : the same kind of measure, of less work

    >>> draws = affordable(30, 5)
    >>> draws
    30
    """
    if COMPILED and os.environ.get("KERNELBOOK_QUICK") in (None, "", "0"):
        return whole
    print(f"To save time, this cell does less: {part} in place of {whole}.")
    print("Its numbers differ from those in the text.")
    return part

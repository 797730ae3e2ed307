"""Warnings that name the line of the caller."""

import sys
import warnings
from traceback import walk_stack

from sklearn.exceptions import ConvergenceWarning

from kernelbook.runtime.parallel import CALLER

PASSED_OVER = {"kernelbook", "sklearn", "joblib", "concurrent", "threading", "multiprocessing"}  # never the caller


def warn(message, category=ConvergenceWarning):
    """A warning that names the caller's line: the innermost outside the library, pipelines, searches and threads."""
    own = sys._getframe(1)
    stacks = [own, CALLER.get()] if CALLER.get() else [own]
    frames = (frame for top in stacks for frame, _ in walk_stack(top))
    frame = next((frame for frame in frames if _package(frame) not in PASSED_OVER), own)
    names, file, line = frame.f_globals, frame.f_code.co_filename, frame.f_lineno
    module = str(names.get("__name__") or file)
    warnings.warn_explicit(message, category, file, line, module, names.setdefault("__warningregistry__", {}))


def _package(frame):
    return str(frame.f_globals.get("__name__")).partition(".")[0]

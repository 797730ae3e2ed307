"""Warnings that name the line of the caller."""

import sys
import warnings

from sklearn.exceptions import ConvergenceWarning

from kernelbook.runtime.parallel import ASKED_FROM

THROUGH = {"kernelbook", "sklearn", "joblib", "concurrent", "threading", "multiprocessing"}  # a warning skips these


def warn(message, category=ConvergenceWarning):
    """A warning that names the caller's line: the innermost outside the library, pipelines, searches and threads."""
    own = frame = sys._getframe(1)
    asked = ASKED_FROM.get()
    while frame and str(frame.f_globals.get("__name__")).partition(".")[0] in THROUGH:
        frame, asked = (frame.f_back, asked) if frame.f_back else (asked, None)
    frame = frame or own  # in a thread or process that somebody else has begun
    names, file, line = frame.f_globals, frame.f_code.co_filename, frame.f_lineno
    module = str(names.get("__name__") or file)
    warnings.warn_explicit(message, category, file, line, module, names.setdefault("__warningregistry__", {}))

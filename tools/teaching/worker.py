"""The process in which a student's cells run, for the grader's `Answers`; it holds no test and no solution.

The grader's requests come on stdin and are answered on stdout, both of which are put out of reach before any cell runs.
What cells print, by whatever means, goes to stderr.
"""

import json
import os
import shutil
import site
import sys
from contextlib import suppress

from tools.teaching.system_calls import refuse

OUT_OF_REACH = 400  # the exchange's files have numbers from here on: no loop over the first few finds them


def take_over():
    """The two files of the exchange; from now on stdin is empty, and stdout is stderr."""
    numbers = [out_of_reach(number) for number in (0, 1)]
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = (
        os.fdopen(number, "w", buffering=1, encoding="utf-8", errors="replace", closefd=False) for number in (1, 2)
    )
    return [os.fdopen(number, mode) for number, mode in zip(numbers, ("rb", "wb"), strict=True)]


def out_of_reach(number):
    try:
        import fcntl
    except ImportError:  # on Windows
        return os.dup(number)
    return fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, OUT_OF_REACH)


def keep_to(limits):
    """What the system itself can hold a process to; `limits` are bytes and numbers by the names in `resource`."""
    try:
        import resource
    except ImportError:
        return
    for name, limit in limits.items():
        if hasattr(resource, name):
            _, most = resource.getrlimit(getattr(resource, name))
            limit = limit if most == resource.RLIM_INFINITY else min(limit, most)
            with suppress(OSError, ValueError):  # macOS refuses some
                resource.setrlimit(getattr(resource, name), (limit, limit))


def prepare(limits, warm):
    """What has to happen before anything large is imported."""
    keep_to(limits)
    refuse()
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # where memory ends, Linux takes it from the answers
    for name in ("sethelper", "setquit", "setcopyright"):  # as Python's start does without -S
        getattr(site, name)()
    if os.path.isdir(warm):
        shutil.copytree(warm, os.environ["NUMBA_CACHE_DIR"], dirs_exist_ok=True)


def main(limits, warm):
    files = take_over()
    prepare(json.loads(limits), warm)
    from tools.teaching.session import Session  # takes seconds

    try:
        Session(*files).serve_all()
    finally:
        os._exit(0)  # whatever threads a cell has left


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The process in which a student's cells run, the other end of `Answers`; it holds no test and no solution.

The grader's requests arrive on stdin and are answered on stdout. Both are put out of reach before any cell runs.
Everything that cells print goes to stderr.
"""

import json
import os
import shutil
import site
import sys
from contextlib import suppress

from tools.teaching.system_calls import install_filter

FIRST_DESCRIPTOR = 400  # of the exchange's files, so that no loop over the first few descriptors finds them


def take_over_pipes():
    """Return the two files of the exchange; from now on stdin is empty and stdout is stderr."""
    numbers = [duplicate_high(number) for number in (0, 1)]
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = (
        os.fdopen(number, "w", buffering=1, encoding="utf-8", errors="replace", closefd=False) for number in (1, 2)
    )
    return [os.fdopen(number, mode) for number, mode in zip(numbers, ("rb", "wb"), strict=True)]


def duplicate_high(number):
    try:
        import fcntl
    except ImportError:  # Windows has none
        return os.dup(number)
    return fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR)


def apply_limits(limits):
    """Let the system enforce limits on the process; `limits` maps names in `resource` to bytes or numbers."""
    try:
        import resource
    except ImportError:
        return
    for name, limit in limits.items():
        if hasattr(resource, name):
            _, hard = resource.getrlimit(getattr(resource, name))
            limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            with suppress(OSError, ValueError):  # macOS refuses some
                resource.setrlimit(getattr(resource, name), (limit, limit))


def prepare(limits, warm):
    """Set the process up before anything large is imported."""
    apply_limits(limits)
    install_filter()
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # if memory runs out, Linux ends this process first
    for name in ("sethelper", "setquit", "setcopyright"):  # Python does so at its start, but not with -S
        getattr(site, name)()
    if os.path.isdir(warm):
        shutil.copytree(warm, os.environ["NUMBA_CACHE_DIR"], dirs_exist_ok=True)


def main(limits, warm):
    files = take_over_pipes()
    prepare(json.loads(limits), warm)
    # The imports take seconds. A thread that one of them starts, as pyarrow does, is not left over from a cell.
    import kernelbook.kernels  # noqa: F401
    from tools.teaching.session import Session

    try:
        Session(*files).serve_all()
    finally:
        os._exit(0)  # threads left by a cell must not keep it alive


if __name__ == "__main__":
    main(*sys.argv[1:])

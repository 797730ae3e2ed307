"""Start the process in which a student's code runs: it has limits and sees the library but not the book.

Where bubblewrap works, it confines the process. `library()` is a folder with the compiled library and the files of the
process itself. `command()` is the command that starts the process.
"""

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import suppress
from pathlib import Path

import psutil

from tools.teaching.packages import of_the_library

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = ROOT / "_build" / "grading"
WORKER_FILES = ["exchange.py", "serialization.py", "session.py", "system_calls.py", "worker.py"]  # of the process

MAX_MEMORY = 4 * 2**30  # bytes: address space of one process, and memory of all processes together
MAX_DISK = 2**28  # bytes: size of one file, and of all files together in the confined process's tmpfs
MAX_PROCESSES = 64  # at the same time
NOBODY = 65534  # user id of an account that owns nothing
# Give up root for another user, then run the command that follows.
SWITCH_USER = """
import os, sys
user = int(sys.argv[1])
os.setgroups([])
os.setgid(user)
os.setuid(user)
os.execv(sys.argv[2], sys.argv[2:])
"""

# Compile every numba loop that answers may use, so that their processes find it in the cache.
WARM_UP = """
import numpy as np
from matplotlib import font_manager, pyplot
from kernelbook import RBF, SVC, SVR, NuSVC, NuSVR, OneClassSVM, GlobalAlignment, Subsequence, SVCCV, QuantileSVR
X = np.random.default_rng(0).normal(size=(40, 2))
y, few = np.where(X[:, 0] + X[:, 1] ** 2 > 1, 1, -1), (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
for kernel, Z in (RBF(1), X), ("precomputed", RBF(1)(X)):
    for machine in SVC(kernel), SVC(kernel, C=100), NuSVC(kernel, nu=0.2), SVR(kernel), NuSVR(kernel), \\
            QuantileSVR(kernel), OneClassSVM(kernel, nu=0.3):
        machine.fit(Z, y).predict(Z)
    SVC(kernel).fit(Z, few)
SVCCV([RBF(1.0)], Cs=[1, 10], cv=2).fit(X, y)
RBF(np.ones(2))(X), RBF(np.ones(2))(X, X[:5])
Subsequence(2)(["ab", "abc"]), GlobalAlignment(gamma=1.0)([X[:4], X[:6]])
pyplot.figure().canvas.draw()
"""


def library():
    """The folder with the present version of the library, built if it does not exist."""
    files = {f"tools/teaching/{name}": Path(__file__).with_name(name) for name in WORKER_FILES}
    for pattern in "*.py", "*.js":
        files |= {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "kernelbook").rglob(pattern)}
    version = hashlib.sha256(f"{sys.version} {sorted(of_the_library())} {ROOT}".encode())
    for name, path in sorted(files.items()):
        version.update(f"{name}\0".encode())
        version.update(path.read_bytes())
    place = LIBRARIES / version.hexdigest()[:16]
    if not (place / "warm").is_dir():
        _build_library(place, files)
    return place


def _build_library(place, files):
    LIBRARIES.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=LIBRARIES))
    for name, path in files.items():
        target = new / "site" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    (new / "site" / "tools" / "__init__.py").touch()  # so that no other package `tools` is found
    place.mkdir(exist_ok=True)
    with suppress(OSError):  # another process has built it meanwhile
        (new / "site").rename(place / "site")
    warm = new / "warm"
    warm.mkdir()
    environment = {**_environment(place, new), "NUMBA_CACHE_DIR": str(warm), "MPLCONFIGDIR": str(warm)}
    del environment["PYTHONDONTWRITEBYTECODE"]
    done = subprocess.run([*_python(), "-c", WARM_UP], env=environment, cwd=new, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"The library does not run outside the repository:\n{done.stderr}")
    with suppress(OSError):
        warm.rename(place / "warm")
    shutil.rmtree(new, ignore_errors=True)


def _python():
    """The base interpreter of the virtual environment, without path files and without the user's packages."""
    return [getattr(sys, "_base_executable", sys.executable), "-s", "-S", "-P"]


def _site_packages():
    return [Path(path) for path in dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))]


def _environment(place, home):
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TZ") if name in os.environ}
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "NUMBA", "VECLIB_MAXIMUM")}
    return {
        **kept,
        **threads,
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(map(str, [place / "site", *_site_packages()])),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "KERNELBOOK_QUIET": "1",
        "MPLBACKEND": "Agg",
        "HOME": str(home),
        "TMPDIR": str(home),
        "IPYTHONDIR": f"{home}/.ipython",
        "MPLCONFIGDIR": f"{home}/.cache",
        "NUMBA_CACHE_DIR": f"{home}/.cache",
    }


def _resource_limits(user):
    mine = os.getuid() if user is None and hasattr(os, "getuid") else user
    threads = 0
    for process in psutil.process_iter(["uids", "num_threads"]):
        if mine is None or (process.info["uids"] and process.info["uids"].real == mine):
            threads += process.info["num_threads"] or 0
    return {
        "RLIMIT_AS": MAX_MEMORY,
        "RLIMIT_FSIZE": MAX_DISK,
        "RLIMIT_CORE": 0,
        "RLIMIT_NPROC": threads + 4 * MAX_PROCESSES,
    }


def command(place, home, confined):
    """The arguments of `subprocess.Popen` for a process that runs a student's cells in the folder `home`."""
    user = _user() if confined else None
    if user == NOBODY:  # one for each examiner, since the system counts the processes of a user together
        user -= os.getpid() % 1000
    worker = [*_python(), "-m", "tools.teaching.worker", json.dumps(_resource_limits(user)), str(place / "warm")]
    if confined:
        return {"args": [*_bubblewrap(place, user), *worker], "env": {}, "cwd": "/"}
    return {"args": worker, "env": _environment(place, home), "cwd": home, "start_new_session": True}


def end_all(home):
    """End leftovers of a process without bubblewrap, recognised by HOME; a process that changes HOME survives."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get("HOME") == home:
                process.kill()


def _bubblewrap(place, user):
    """The start of a command for bubblewrap to run as `user`; None is the present user, in a user namespace."""
    home, environment = "/tmp/student", _environment(place, "/tmp/student")
    visible = ["/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/fonts", "/etc/localtime"]
    arguments = [shutil.which("bwrap") or "bwrap", "--cap-drop", "ALL", "--die-with-parent", "--new-session"]
    arguments += [f"--unshare-{what}" for what in ("ipc", "pid", "net", "uts", "cgroup-try")] + ["--clearenv"]
    if user is None:
        arguments += ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    else:
        arguments += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    for path in ["/dev/shm", "/tmp"]:
        arguments += ["--perms", "1777", "--size", str(MAX_DISK), "--tmpfs", path]
    needed = [Path(sys.base_prefix), Path(sys.base_exec_prefix), *_site_packages(), place]
    for folder in dict.fromkeys(folder for path in needed for folder in reversed(path.parents[:-1])):
        arguments += ["--perms", "0755", "--dir", str(folder)]  # bubblewrap itself would make it readable for root only
    for path in [*visible, sys.base_prefix, sys.base_exec_prefix]:
        arguments += ["--ro-bind-try", path, path]
    for path in [ROOT, Path.home()]:  # hidden again if a visible folder contains them
        if any(path.is_relative_to(folder) for folder in ("/usr", sys.base_prefix)):
            arguments += ["--tmpfs", str(path)]
    for path in [*_site_packages(), place]:
        arguments += ["--ro-bind", str(path), str(path)]
    arguments += ["--perms", "0777", "--dir", home]
    arguments += ["--remount-ro", "/", "--remount-ro", "/dev", "--chdir", home]
    for name, value in environment.items():
        arguments += ["--setenv", name, value]
    return arguments if user is None else [*arguments, *_python(), "-c", SWITCH_USER, str(user)]


def can_confine():
    """Whether bubblewrap works here, as shown by starting a process that must not see the book."""
    return bool(shutil.which("bwrap")) and any(map(_bubblewrap_works, _possible_users()))


def safety_warning():
    """A warning for the teacher before students' code runs here, or an empty string."""
    if not can_confine():
        if _is_root():
            raise SystemExit(
                "bubblewrap does not work here, so students' code would run as root, who may do anything. "
                "Grade from another account, one in which the code can do no harm."
            )
        return (
            "bubblewrap does not work here, so students' code runs as a process of this account, and can read and "
            "write what the account can. Use an account in which the code can do no harm."
        )
    if _is_root() and _user() is None:
        return (
            "Students' code runs as root because bubblewrap cannot change the account here: a cell that forks without "
            "end can exhaust the machine. Grade from another account."
        )
    return ""


def _is_root():
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _possible_users():
    """The users that may run students' code, best first; None is the present one. Root has no limit on processes."""
    return [NOBODY, None] if _is_root() else [None]


def _user():
    return next(filter(_bubblewrap_works, _possible_users()))


@functools.cache
def _bubblewrap_works(user):
    trial = f"import os, numpy; assert not os.path.exists({str(ROOT / 'book')!r}); print('ready')"
    with tempfile.TemporaryDirectory() as place:
        started = [*_bubblewrap(Path(place), user), *_python(), "-c", trial]
        done = subprocess.run(started, env={}, capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout == "ready\n"

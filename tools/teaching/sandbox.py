"""Where a student's code runs: a process with limits, by bubblewrap where it works, that sees the library and no book.

`library()` is a folder with the library, compiled, and with the files of the process itself. `command()` starts it.
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

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = ROOT / "_build" / "grading"
OWN = ["exchange.py", "serialization.py", "session.py", "system_calls.py", "worker.py"]  # what the process needs

MEMORY = 4 * 2**30  # bytes, of the addresses of a process, and of what all of them hold together
DISK = 2**28  # bytes, of a file, and of all of them where they are in memory
PROCESSES = 64  # at a time
NOBODY = 65534  # the number of an account that owns nothing
BECOME = """
import os, sys
user = int(sys.argv[1])
os.setgroups([])
os.setgid(user)
os.setuid(user)
os.execv(sys.argv[2], sys.argv[2:])
"""

# Every loop that numba compiles, once, for the machines and kernels that answers use.
WARM = """
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
    """The folder with the library as it is now, made where it is missing."""
    files = {f"tools/teaching/{name}": Path(__file__).with_name(name) for name in OWN}
    for pattern in "*.py", "*.js":
        files |= {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "kernelbook").rglob(pattern)}
    made = hashlib.sha256(f"{sys.version} {_packages()} {ROOT}".encode())
    for name, path in sorted(files.items()):
        made.update(f"{name}\0".encode())
        made.update(path.read_bytes())
    place = LIBRARIES / made.hexdigest()[:16]
    if not (place / "warm").is_dir():
        _make(place, files)
    return place


def _packages():
    return [f"{path.name} {path.stat().st_mtime_ns}" for path in sorted(_site_packages()[0].glob("*.dist-info"))]


def _make(place, files):
    LIBRARIES.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=LIBRARIES))
    for name, path in files.items():
        target = new / "site" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    (new / "site" / "tools" / "__init__.py").touch()  # so that no other `tools` takes its place
    place.mkdir(exist_ok=True)
    with suppress(OSError):  # another process was faster
        (new / "site").rename(place / "site")
    warm = new / "warm"
    warm.mkdir()
    environment = {**_environment(place, new), "NUMBA_CACHE_DIR": str(warm), "MPLCONFIGDIR": str(warm)}
    del environment["PYTHONDONTWRITEBYTECODE"]
    done = subprocess.run([*_python(), "-c", WARM], env=environment, cwd=new, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"The library does not run by itself:\n{done.stderr}")
    with suppress(OSError):
        warm.rename(place / "warm")
    shutil.rmtree(new, ignore_errors=True)


def _python():
    """The interpreter of the virtual environment, without the environment, its path files and the user's packages."""
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


def _limits(user):
    mine = os.getuid() if user is None and hasattr(os, "getuid") else user
    threads = 0
    for process in psutil.process_iter(["uids", "num_threads"]):
        if mine is None or (process.info["uids"] and process.info["uids"].real == mine):
            threads += process.info["num_threads"] or 0
    return {"RLIMIT_AS": MEMORY, "RLIMIT_FSIZE": DISK, "RLIMIT_CORE": 0, "RLIMIT_NPROC": threads + 4 * PROCESSES}


def command(place, home, confined):
    """The arguments, for `subprocess.Popen`, of a process that runs a student's cells in the folder `home`."""
    user = _user() if confined else None
    worker = [*_python(), "-m", "tools.teaching.worker", json.dumps(_limits(user)), str(place / "warm")]
    if confined:
        return {"args": [*_bubblewrap(place, user), *worker], "env": {}, "cwd": "/"}
    return {"args": worker, "env": _environment(place, home), "cwd": home, "start_new_session": True}


def end_all(home):
    """End what a process without bubblewrap has left running, told by its home; what hides that stays."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get("HOME") == home:
                process.kill()


def _bubblewrap(place, user):
    """The beginning of a command, which bubblewrap runs as `user`; None is this one, in a namespace of its own."""
    home, environment = "/tmp/student", _environment(place, "/tmp/student")
    seen = ["/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/fonts", "/etc/localtime"]
    arguments = [shutil.which("bwrap") or "bwrap", "--cap-drop", "ALL", "--die-with-parent", "--new-session"]
    arguments += [f"--unshare-{what}" for what in ("ipc", "pid", "net", "uts", "cgroup-try")] + ["--clearenv"]
    if user is None:
        arguments += ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    else:
        arguments += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    for path in ["/dev/shm", "/tmp"]:
        arguments += ["--perms", "1777", "--size", str(DISK), "--tmpfs", path]
    own = [Path(sys.base_prefix), Path(sys.base_exec_prefix), *_site_packages(), place]
    for folder in dict.fromkeys(folder for path in own for folder in reversed(path.parents[:-1])):
        arguments += ["--perms", "0755", "--dir", str(folder)]  # which bubblewrap would make for root alone
    for path in [*seen, sys.base_prefix, sys.base_exec_prefix]:
        arguments += ["--ro-bind-try", path, path]
    for path in [ROOT, Path.home()]:  # in the case that the interpreter's own folder holds it
        if any(path.is_relative_to(folder) for folder in ("/usr", sys.base_prefix)):
            arguments += ["--tmpfs", str(path)]
    for path in [*_site_packages(), place]:
        arguments += ["--ro-bind", str(path), str(path)]
    arguments += ["--perms", "0777", "--dir", home]
    arguments += ["--remount-ro", "/", "--remount-ro", "/dev", "--chdir", home]
    for name, value in environment.items():
        arguments += ["--setenv", name, value]
    return arguments if user is None else [*arguments, *_python(), "-c", BECOME, str(user)]


def confines():
    """Whether bubblewrap starts a process here that sees no more than it should; trials say so."""
    return bool(shutil.which("bwrap")) and any(map(_starts, _users()))


def danger():
    """What the teacher has to know before students' code runs here: a text, empty if there is nothing."""
    if not confines():
        if _is_root():
            raise SystemExit(
                "Here is no bubblewrap that works, so students' code would run as root, to whom nothing is forbidden. "
                "Grade from another account, one in which it can do no harm."
            )
        return (
            "Students' code runs as a process of this account, and can read and write what the account can: there is "
            "no bubblewrap here that works. Use an account in which it can do no harm."
        )
    if _is_root() and _user() is None:
        return (
            "Students' code runs as root, since bubblewrap cannot change the account here: a cell that forks without "
            "end can exhaust the machine. Grade from another account."
        )
    return ""


def _is_root():
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _users():
    """Who may run students' code, the best first; None is this account. No limit on processes binds root."""
    return [NOBODY, None] if _is_root() else [None]


def _user():
    return next(filter(_starts, _users()))


@functools.cache
def _starts(user):
    trial = f"import os, numpy; assert not os.path.exists({str(ROOT / 'book')!r}); print('ready')"
    with tempfile.TemporaryDirectory() as place:
        started = [*_bubblewrap(Path(place), user), *_python(), "-c", trial]
        done = subprocess.run(started, env={}, capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout == "ready\n"

"""Loops run whether their compiled code can be kept or not, and who waits while they are compiled is told why."""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import nbformat
import pytest

from kernelbook.runtime.available import numba
from tests.marks import thorough

pytestmark = pytest.mark.skipif(numba is None, reason="nothing is compiled without numba")
ROOT = Path(__file__).resolve().parents[3]
SAID = "Compiling fast loops"
NO_PLACE = "from numba.core import caching; caching.CacheImpl._locator_classes = []\n"
LOOPS = """
import logging, threading
import compilation, numba
from compilation import compiled

compilation.ANNOUNCED_AFTER = {patience}
logging.basicConfig(format="%(levelname)s of %(name)s: %(message)s")

@compiled()
def inner(x):
    return x + 1

@compiled()
def outer(x):
    return 2 * inner(x)

@compiled()
def wrong(x):
    return x.no_such_attribute

@numba.njit
def of_somebody_else(x):
    return x + 1
"""


@pytest.fixture
def run(tmp_path):
    """Runs a script with the functions above, its cache in tmp_path/cache; returns what it wrote to stdout and stderr.

    The module under test is copied to the script, which need not import the whole library then.
    """
    shutil.copy(ROOT / "kernelbook" / "runtime" / "compilation.py", tmp_path)

    def run(code, before="", patience=0, **environment):
        script, text = tmp_path / "loops.py", before + LOOPS.format(patience=patience) + code
        if not script.exists() or script.read_text(encoding="utf-8") != text:  # numba may go by the time of writing
            script.write_text(text, encoding="utf-8")
        settings = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "KERNELBOOK_QUIET": "", **environment}
        done = subprocess.run([sys.executable, script], env={**os.environ, **settings}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    return run


@thorough
def test_import_and_fit_need_no_cache():
    code = "from kernelbook.svm import SVC\nprint(SVC().fit([[0.0], [1.0]], [0, 1]).predict([[0.1], [0.9]]))"
    done = subprocess.run([sys.executable, "-c", NO_PLACE + code], capture_output=True, text=True)
    assert done.stdout == "[0 1]\n", done.stderr


@thorough
def test_without_a_cache_each_process_compiles(run):
    for _ in range(2):
        out, err = run("print(outer(1.0))", before=NO_PLACE)
        assert (out, err.count(SAID)) == ("4.0\n", 1)


NO_FOLDER = """
import shutil
from pathlib import Path
cache = Path(r"{cache}")
shutil.rmtree(cache)
cache.write_text("a file where a folder was")
"""
# Files can be made, but nothing can be written to them.
FULL_DISK = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
"""


@thorough
@pytest.mark.parametrize("spoil", [NO_FOLDER, FULL_DISK], ids=["no folder", "full disk"])
def test_code_that_cannot_be_saved_runs(run, tmp_path, spoil):
    if spoil == FULL_DISK:
        pytest.importorskip("resource")
    out, _ = run(spoil.format(cache=tmp_path / "cache") + "print(outer(1.0))")
    assert out == "4.0\n"


@thorough
@pytest.mark.parametrize(("kind", "content"), [("nbi", b""), ("nbc", b"no pickle")])
def test_a_damaged_file_is_replaced(run, tmp_path, kind, content):
    run("outer(1.0)")
    (file,) = tmp_path.glob(f"cache/*/loops.outer-*.{kind}")
    file.write_bytes(content)
    out, err = run("print(outer(1.0))")
    assert (out, err.count(SAID)) == ("4.0\n", 1)
    assert run("print(outer(1.0))") == ("4.0\n", "")


@thorough
def test_a_damaged_file_that_cannot_be_replaced_does_no_harm(run, tmp_path):
    run("outer(1.0)")
    (file,) = tmp_path.glob("cache/*/loops.outer-*.nbi")
    file.write_bytes(b"")
    read_only = "import os\ndef fail(*_): raise PermissionError\nos.replace = fail\n"
    assert run(read_only + "print(outer(1.0))")[0] == "4.0\n"
    assert file.read_bytes() == b""


def test_compiling_is_said_once_and_loading_is_not(run):
    code = "print(outer(1.0), outer(1), inner(1j))"
    cold, warm = run(code), run(code)
    assert cold[0] == warm[0] == "4.0 4 (1+1j)\n"
    assert cold[1].startswith(f"WARNING of kernelbook: {SAID}")
    assert cold[1].count("\n") == 1
    assert warm[1] == ""


@thorough
def test_arguments_of_another_type_are_compiled_for_and_it_is_said(run):
    run("outer(1.0)")
    assert run("outer(1.0)\nouter(1)")[1].count(SAID) == 1


@thorough
@pytest.mark.parametrize(
    ("code", "settings"),
    [
        ("outer(1.0)", {"patience": 3600}),
        ("outer(1.0)", {"KERNELBOOK_QUIET": "1"}),
        ("of_somebody_else(1.0)", {}),
    ],
    ids=["quick", "quiet", "not ours"],
)
def test_nothing_is_said(run, code, settings):
    assert run(f"print({code} > 0)", **settings) == ("True\n", "")


@thorough
def test_short_waits_add_up(run):
    clock = "import itertools, types\nhours = itertools.count(step=3600)\n"
    clock += "compilation.time = types.SimpleNamespace(perf_counter=hours.__next__)\n"
    assert run(clock + "inner(1.0)", patience=3600)[1] == ""
    assert run(clock + "inner(1.0)\ninner(1)", patience=3600)[1].count(SAID) == 1
    assert run(clock + "outer(1.0j)\nouter(True)", patience=3600)[1].count(SAID) == 1  # a loop that calls another


@thorough
def test_switched_off_the_functions_are_as_written(run, tmp_path):
    assert run("print(type(outer).__name__, outer(1.0))", NUMBA_DISABLE_JIT="1") == ("function 4.0\n", "")
    assert not (tmp_path / "cache").exists()


@thorough
def test_the_watch_ends_with_a_failure_to_compile(run):
    code = """
try:
    wrong(1.0)
except numba.TypingError:
    print("not compiled")
for thread in threading.enumerate():
    if isinstance(thread, threading.Timer):
        thread.join(10)
        print("goes on" if thread.is_alive() else "has ended")
"""
    out, _ = run(code, patience=3600)
    assert out.startswith("not compiled")
    assert "goes on" not in out


def nbval(*_):
    runpy.run_path(str(ROOT / "book" / "conftest.py"))


def build(*_):
    from tools.site import kernelbook_site

    kernelbook_site.setup(Mock(config=SimpleNamespace()))


def store(monkeypatch, tmp_path):
    from tools.bookbuild import notebooks

    monkeypatch.setattr(notebooks, "execute", Mock())
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "page.ipynb")
    notebooks.renew(tmp_path / "page.ipynb")


@pytest.mark.parametrize("tool", [nbval, build, store])
def test_tools_that_run_notebooks_want_it_quiet(monkeypatch, tmp_path, tool):
    monkeypatch.setattr(os, "environ", {**os.environ, "KERNELBOOK_QUIET": ""})
    tool(monkeypatch, tmp_path)
    assert os.environ["KERNELBOOK_QUIET"] == "1"

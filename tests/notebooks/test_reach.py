"""Which modules of the library a piece of code reaches."""

import doctest
import pkgutil
import sys
import threading
from importlib import import_module
from pathlib import Path

import pytest

import kernelbook
from tools.bookbuild.reach import LIBRARY, Library

FILES = {
    "__init__": "import lib.effects\nfrom lib.a import Public, helper as other\nfrom lib.inner import deep",
    "effects": "from lib.hidden import x",
    "hidden": "x = 1",
    "a": "def Public():\n    from lib.lazy import y\ndef helper(): pass",
    "lazy": "import lib.b",
    "b": "",
    "inner/__init__": "from lib.inner.deeper import deep\nown = 1",
    "inner/deeper": "deep = 1",
    "inner/unseen": "",
    "inner/shown.js": "",
    "unused": "import lib.a",
}


@pytest.fixture
def library(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "lib" / (name if "." in name else f"{name}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or f"# {name}", encoding="utf-8")
    return Library(tmp_path / "lib")


@pytest.mark.parametrize(
    ("code", "reached"),
    [
        ("import numpy", ""),
        ("from lib import Public\nPublic()", "a b effects hidden lazy"),
        ("def f():\n    from lib import other\n    other()", "a b effects hidden lazy"),
        ("from lib import deep\ndeep", "effects hidden inner.deeper"),
        ("from lib.inner import deep, own\ndeep", "effects hidden inner.deeper"),
        ("from lib.inner import own\nown", "effects hidden inner inner.deeper"),
        ("from lib import unused\nunused.f()", "a b effects hidden lazy unused"),
        ("from lib import inner\ninner.deep()", "effects hidden inner.deeper"),
        ("from lib import inner as i\ni.own.x + i.deep", "effects hidden inner inner.deeper"),
        ("from lib import inner\ninner.deep()\nshow(inner)", "effects hidden inner inner.deeper inner.unseen"),
        ("from lib import inner\ninner.deep()\ninner = 1", "effects hidden inner inner.deeper inner.unseen"),
        ("from lib import inner", ""),
        ("from lib import Public", ""),
    ],
)
def test_names_lead_to_the_modules_that_define_them(library, code, reached):
    assert library.reached_by(code) == [f"lib.{name}" for name in reached.split()]


@pytest.mark.parametrize("code", ["import lib", "import lib.unused", "import lib.inner as inner"])
def test_a_whole_package_reaches_everything(library, code):
    assert library.reached_by(code) == sorted(library.files)


def test_versions_are_those_of_the_packages_that_are_imported_by_name(library):
    (library.root / "b.py").write_text("import scipy.linalg", encoding="utf-8")
    names = [[one.partition("==")[0] for one in library.versions(code)[2:]] for code in ("import numpy as np", "")]
    assert names == [["numpy"], []]
    assert [one.partition("==")[0] for one in library.versions("from lib import Public\nPublic()")[2:]] == ["scipy"]


def test_what_the_library_requires_counts_however_it_is_imported():
    names = [one.partition("==")[0] for one in LIBRARY.versions("from kernelbook import SVC\nSVC()")]
    assert {"cvxopt", "numba", "psutil", "narwhals"} <= {*names}


def test_scripts_count_with_the_modules_beside_them(library):
    (library.root / "inner" / "__pycache__").mkdir()
    (library.root / "inner" / "__pycache__" / "deeper.nbc").write_text("machine code", encoding="utf-8")
    assert len(library.sources(["lib.inner.deeper"])) == 2
    assert len(library.sources(["lib.a"])) == 1


def examples():
    """The examples of the library's docstrings, with the modules in which they stand."""
    for info in pkgutil.walk_packages(kernelbook.__path__, "kernelbook."):
        module = import_module(info.name)
        for test in doctest.DocTestFinder().find(module, info.name):
            if test.examples:
                yield info.name, test


def called(test):
    """The files of the library in which the examples call a function."""
    files = set()

    def note(frame, event, _):
        files.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=lambda text: None)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return files


def test_no_function_that_the_examples_of_the_library_call_is_missed():
    root = Path(kernelbook.__file__).parent
    library, missed, seen = Library(root), {}, 0
    modules = {str(path): module for module, path in library.files.items()}
    for name, test in examples():
        code = "".join(example.source for example in test.examples)
        ran = {modules[file] for file in called(test) & modules.keys()}
        seen += len(ran)
        package, _, module = name.rpartition(".")
        if absent := ran - {*library.reached_by(f"{code}\nfrom {package} import {module}\n{module}")}:
            missed[test.name] = sorted(absent)
    assert missed == {}
    assert seen > 500

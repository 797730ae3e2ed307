"""What the cells of a page have shown when they were executed, kept in `_build/executed` for the next build.

A page's outputs are used again while its code, what it reaches of the library and every installed package are the same.
A change of its words therefore costs no execution, and a change of the library executes the pages that reach it. nbval
keeps outputs here too, so a build after `pytest book --nbval` executes no chapter.
"""

import json
import os
import platform
import sysconfig
from importlib.metadata import distributions

from tools.bookbuild import kept
from tools.bookbuild.kept import digest
from tools.bookbuild.reach import LIBRARY


def set_environment():
    """Let the kernels that this process starts draw explorers for a page, do all of the work, and not tell of it."""
    os.environ["KERNELBOOK_STATIC"] = "1"
    os.environ["KERNELBOOK_QUIET"] = "1"  # suppresses the message that the solver is being compiled
    os.environ.pop("KERNELBOOK_QUICK", None)
    for library in ("OMP", "OPENBLAS"):  # several kernels with several threads each would slow one another down
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def versions():
    """Python, the machine and every installed package."""
    # Not sys.path, to which setuptools adds packages of its own in some processes.
    folders = {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
    packages = sorted({f"{one.name}=={one.version}" for one in distributions(path=folders)})
    return [platform.python_version(), platform.machine(), *packages]


def surroundings():
    """A hash of everything that the outputs of some page may depend on besides the page's own code."""
    return digest(versions(), LIBRARY.sources(LIBRARY.files))


def mark(cells, values):
    """A hash of everything that the outputs of a page's cells depend on; `values` are those of kept.valid_values."""
    code = [[cell.source, cell.metadata.get("tags", [])] for cell in cells]
    code += [[values[cell.id], cell.outputs] for cell in cells if cell.get("id") in values]  # the page shows both
    try:
        reached = LIBRARY.reached_by(kept.plain_code(cells))
    except SyntaxError:  # executing the page reports it
        reached = []
    return digest([json.dumps(code), *versions()], LIBRARY.sources(reached))


def file_of(page, build):
    """The file for a page, such as "book/01-rkhs", in the folder of the build."""
    return build / "executed" / f"{page.replace('/', '-')}.json"


def read(file, mark):
    """The stored outputs of each cell, or None if they have another mark."""
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return stored["outputs"] if stored["mark"] == mark else None


def store(file, mark, seconds, outputs):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"mark": mark, "seconds": seconds, "outputs": outputs}), encoding="utf-8")

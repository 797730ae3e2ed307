"""Execute pages as they are read, and keep their outputs in `_build/executed` for the next build.

A page's outputs are used again while its code, the library and every installed package are the same. A change of its
words therefore costs no execution, and a change of the library executes every page. Slow cells are not executed while
the repository has values for them that belong to the page's code: see tools/bookbuild/kept.py.
"""

import hashlib
import json
import platform
import time
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from sphinx.util import logging

from tools.bookbuild import kept
from tools.bookbuild.notebooks import execute, failure

CELL_TIMEOUT = 300  # seconds for a cell
LIBRARY = Path(find_spec("kernelbook").origin).parent

logger = logging.getLogger(__name__)


def surroundings():
    """A hash of everything that outputs depend on besides the page's own code."""
    sources = [path.read_bytes() for path in sorted(LIBRARY.rglob("*")) if path.suffix in (".py", ".js")]
    packages = sorted({f"{one.name}=={one.version}" for one in distributions()})  # a folder may be searched twice
    versions = [platform.python_version(), platform.machine(), *packages]
    return hashlib.sha256(b"\0".join([*sources, *map(str.encode, versions)])).hexdigest()


def mark(surroundings, cells, values):
    """A hash of everything that the outputs of a page's cells depend on."""
    code = [[cell.source, cell.metadata.get("tags", [])] for cell in cells]
    code += [[values[cell.id], cell.outputs] for cell in cells if cell.get("id") in values]  # the page shows both
    return hashlib.sha256((surroundings + json.dumps(code)).encode()).hexdigest()


def read_outputs(path, mark):
    """The stored outputs, or None if they have another mark."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return stored["outputs"] if stored["mark"] == mark else None


def execute_page(app, page, content):
    """Fill in the outputs of a page's code cells."""
    source = Path(app.env.doc2path(page))
    if source.suffix != ".ipynb":
        return
    notebook = nbformat.reads(content[0], as_version=4)
    cells = kept.code_of(notebook)
    path = Path(app.outdir).parent / "executed" / f"{page.replace('/', '-')}.json"
    values = kept.valid_values(notebook, source)
    if values:
        app.env.note_dependency(str(kept.file_of(source)))
    now = mark(app.env.surroundings, cells, values)
    outputs = read_outputs(path, now)
    if outputs is None:
        begin = time.monotonic()
        try:
            with kept.stored_values_bound(notebook, values):
                execute(notebook, source.parent, CELL_TIMEOUT)
            logger.info("executed %s in %.0f s", page, time.monotonic() - begin)
            outputs = [cell.outputs for cell in cells]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"mark": now, "outputs": outputs}), encoding="utf-8")
        except CellExecutionError as error:
            logger.warning("%s: %s", page, failure(notebook, error))
        except CellTimeoutError as error:
            logger.warning("%s: %s", page, error)
    for cell, found in zip(cells, outputs or [], strict=False):
        cell.outputs = nbformat.from_dict(found)
    content[0] = nbformat.writes(notebook)


def outdated(app, env, added, changed, removed):
    """Every executed page if the library or a package has changed."""
    before, env.surroundings = getattr(env, "surroundings", None), surroundings()
    pages = {page for page in env.found_docs if Path(env.doc2path(page)).suffix == ".ipynb"}
    return pages if before != env.surroundings else set()


def setup(app):
    app.connect("env-get-outdated", outdated)
    app.connect("source-read", execute_page, priority=600)  # after exercises.make_page has prepared the notebook
    return {"parallel_read_safe": True, "parallel_write_safe": True}

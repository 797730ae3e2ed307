"""Pages are executed as they are read, and their outputs kept, in `_build/executed`, for the next build.

A page's outputs are used again while its code, the library and every installed package are the same, so a change of its
words costs no execution, and a change of the library executes every page. Cells that take long are not executed while
what they computed is kept in the repository and belongs to the page's code: see tools/bookbuild/kept.py.
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

PATIENCE = 300  # seconds for a cell
LIBRARY = Path(find_spec("kernelbook").origin).parent

logger = logging.getLogger(__name__)


def surroundings():
    """What outputs depend on besides the page's own code."""
    sources = [path.read_bytes() for path in sorted(LIBRARY.rglob("*")) if path.suffix in (".py", ".js")]
    packages = sorted({f"{one.name}=={one.version}" for one in distributions()})  # a folder may be searched twice
    told = [platform.python_version(), platform.machine(), *packages]
    return hashlib.sha256(b"\0".join([*sources, *map(str.encode, told)])).hexdigest()


def mark(surroundings, cells, values):
    code = [[cell.source, cell.metadata.get("tags", [])] for cell in cells]
    code += [[values[cell.id], cell.outputs] for cell in cells if cell.get("id") in values]  # both end in the page
    return hashlib.sha256((surroundings + json.dumps(code)).encode()).hexdigest()


def read_outputs(path, mark):
    """The outputs kept for this mark, or None."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return known["outputs"] if known["mark"] == mark else None


def execute_page(app, page, content):
    """Fill the outputs of a page's code in."""
    source = Path(app.env.doc2path(page))
    if source.suffix != ".ipynb":
        return
    notebook = nbformat.reads(content[0], as_version=4)
    cells = kept.code_of(notebook)
    path = Path(app.outdir).parent / "executed" / f"{page.replace('/', '-')}.json"
    values = kept.current(notebook, source)
    if values:
        app.env.note_dependency(str(kept.file_of(source)))
    now = mark(app.env.surroundings, cells, values)
    outputs = read_outputs(path, now)
    if outputs is None:
        begin = time.monotonic()
        try:
            with kept.in_place(notebook, values):
                execute(notebook, source.parent, PATIENCE)
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
    """Every executed page, if the library or a package is not what it was."""
    before, env.surroundings = getattr(env, "surroundings", None), surroundings()
    pages = {page for page in env.found_docs if Path(env.doc2path(page)).suffix == ".ipynb"}
    return pages if before != env.surroundings else set()


def setup(app):
    app.connect("env-get-outdated", outdated)
    app.connect("source-read", execute_page, priority=600)  # after exercises have become what their page shows
    return {"parallel_read_safe": True, "parallel_write_safe": True}

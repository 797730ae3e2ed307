"""Execute pages as they are read, if what their cells show is not known yet: see tools/bookbuild/executed.py.

Slow cells are not executed while the repository has values for them that belong to the page's code: see
tools/bookbuild/kept.py.
"""

import time
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from sphinx.util import logging

from tools.bookbuild import executed, kept
from tools.bookbuild.notebooks import execute, failure

CELL_TIMEOUT = 300  # seconds for a cell

logger = logging.getLogger(__name__)


def execute_page(app, page, content):
    """Fill in the outputs of a page's code cells."""
    source = Path(app.env.doc2path(page))
    if source.suffix != ".ipynb":
        return
    notebook = nbformat.reads(content[0], as_version=4)
    cells = kept.code_of(notebook)
    file = executed.file_of(page, Path(app.outdir).parent)
    values = kept.valid_values(notebook, source)
    if values:
        app.env.note_dependency(str(kept.file_of(source)))
    mark = executed.mark(cells, values)
    outputs = executed.read(file, mark)
    if outputs is None:
        begin = time.monotonic()
        try:
            with kept.stored_values_bound(notebook, values):
                execute(notebook, source.parent, CELL_TIMEOUT)
            seconds = time.monotonic() - begin
            logger.info("executed %s in %.0f s", page, seconds)
            outputs = [cell.outputs for cell in cells]
            executed.store(file, mark, seconds, outputs)
        except CellExecutionError as error:
            logger.warning("%s: %s", page, failure(notebook, error))
        except CellTimeoutError as error:
            logger.warning("%s: %s", page, error)
    for cell, found in zip(cells, outputs or [], strict=False):
        cell.outputs = nbformat.from_dict(found)
    content[0] = nbformat.writes(notebook)


def outdated(app, env, added, changed, removed):
    """Every executed page if the library or a package has changed: it is read again, and executed if it is stale."""
    before, env.surroundings = getattr(env, "surroundings", None), executed.surroundings()
    pages = {page for page in env.found_docs if Path(env.doc2path(page)).suffix == ".ipynb"}
    return pages if before != env.surroundings else set()


def setup(app):
    app.connect("env-get-outdated", outdated)
    app.connect("source-read", execute_page, priority=600)  # after exercises.make_page has prepared the notebook
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""The site's JupyterLite served to a browser, with a Pyodide of its own, and what is asked of an open notebook."""

import gzip
import json
import shutil
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from tests.site.serving import serving
from tools.site.live import OWN_PYODIDE, add_pyodide
from tools.site.pyodide import FOLDER

PACKED = (".whl", ".zip", ".png", ".woff2")  # compressed in themselves
OPEN = """() => (notebook => notebook?.content?.model?.cells.length > 3 && notebook.sessionContext.session?.kernel)
    (window.jupyterapp?.shell.currentWidget)"""
RUN = "() => { jupyterapp.commands.execute('notebook:run-all-cells'); }"
# Of each code cell its number, and what went wrong in it.
CELLS = """() => [...(jupyterapp.shell.currentWidget?.content?.model?.cells ?? [])].filter(cell => cell.type === "code")
    .map(cell => ({number: cell.executionCount, errors: cell.sharedModel.outputs
        .filter(output => output.output_type === "error").map(output => `${output.ename}: ${output.evalue}`)}))"""
ENDED = f"() => (cells => cells.some(c => c.errors.length) || cells.every(c => c.number))(({CELLS})())"


@contextmanager
def serving_live(site, asked=None):
    """The address of what `make book PYODIDE=1` gives to readers, but that a test sees the cells."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for path in (site / "live").iterdir():
            (folder / path.name).symlink_to(path)
        told = folder / "jupyter-lite.json"
        told.unlink()
        shutil.copy(site / "live" / told.name, told)
        if not (folder / OWN_PYODIDE).is_file():
            add_pyodide(folder)
        settings = json.loads(told.read_text())
        settings["jupyter-config-data"]["exposeAppInBrowser"] = True
        told.write_text(json.dumps(settings))
        with serving(folder, asked) as address:
            yield address


def weights(site, asked):
    """The bytes of the files of these names as they are sent, compressed: of the site's own, and of Pyodide."""
    sent = Counter()
    for name in asked:
        pyodide = name.startswith("pyodide/")
        path = FOLDER / name.removeprefix("pyodide/") if pyodide else site / "live" / name
        if path.is_file():
            body = path.read_bytes()
            sent["Pyodide" if pyodide else "site"] += len(body if path.suffix in PACKED else gzip.compress(body))
    return sent

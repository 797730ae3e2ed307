"""Execute the book's notebooks and store them in one normal form: `make notebooks`, or `make notebooks NAME=krr`.

Only text is stored, which a reviewer can read and strict nbval can compare. Pictures and widgets are not stored,
because they are made again wherever the notebook runs. Outputs of a cell tagged `nbval-ignore-output`, such as a time,
are not stored, because they differ every time.
"""

import os
import re
import sys
import time
from pathlib import Path

import nbformat
import yaml
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tools.bookbuild import kept

BOOK = Path(__file__).resolve().parents[2] / "book"
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = {"mystnb", "nbgrader", "tags", "kernelbook"}  # "kernelbook" describes an exercise's problem
NOTEBOOK_METADATA = {"mystnb", "html_theme.sidebar_secondary.remove"}  # the second hides the list of contents
# Environment variables of `make lab`, of a static build or of the shell, which would change the outputs.
FOREIGN_SETTINGS = ("KERNELBOOK_QUICK", "KERNELBOOK_STATIC", "MPLBACKEND")
# The beginning of every notebook's first code cell; the next line depends on the repository's address.
SETUP = """\
from importlib.util import find_spec

if find_spec("kernelbook") is None:  # on Colab, say
"""


def find(folder, name=""):
    """The notebooks under `folder` whose file name contains `name`, in a fixed order."""
    return sorted(
        path for path in folder.rglob("*.ipynb") if name in path.name and ".ipynb_checkpoints" not in path.parts
    )


def setup():
    """The lines that begin a notebook's first code cell: they install the library where it is missing."""
    config = yaml.safe_load((BOOK.parent / "_config.yml").read_text(encoding="utf-8"))
    address = config["repository"]["url"]
    if address:
        return f'{SETUP}    %pip install --quiet "kernelbook[figures] @ git+{address}"'
    return f'{SETUP}    raise ModuleNotFoundError("kernelbook: pip install its repository")'


def is_stored(mime):
    return not mime.startswith("image/") and not mime.startswith("application/vnd.jupyter.widget")


def normalise_outputs(cell):
    if "nbval-ignore-output" in cell.metadata.get("tags", []):
        return []
    for output in cell.outputs:
        if "data" in output:
            output.data = {mime: data for mime, data in output.data.items() if is_stored(mime)}
            output.metadata = {}
    return [output for output in cell.outputs if output.get("data", True)]


def normalise(notebook):
    """Bring an executed notebook into the form in which it is committed, and return it."""
    notebook = nbformat.v4.upgrade(notebook)
    kept_metadata = {key: value for key, value in notebook.metadata.items() if key in NOTEBOOK_METADATA}
    notebook.metadata = nbformat.from_dict({**METADATA, **kept_metadata})
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key in CELL_METADATA and value}
        if cell.cell_type == "code":
            cell.outputs = normalise_outputs(cell)
            cell.source = re.sub(re.escape(SETUP) + ".*", lambda _: setup(), cell.source)
    return notebook


def dumps(notebook):
    """The text of the notebook's file."""
    return nbformat.writes(notebook) + "\n"


def execute(notebook, folder, timeout=None):
    """Run every cell in a fresh kernel started in `folder`, for at most `timeout` seconds each.

    The first exception of a cell is raised.
    """
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
        coalesce_streams=True,
    )
    client.execute()


def failure(notebook, error):
    """A sentence that names the cell that raised the error."""
    number, cell = next(
        (number, cell)
        for number, cell in enumerate(notebook.cells, 1)
        if any(output.output_type == "error" for output in cell.get("outputs", []))
    )
    return f"cell {number} ({cell.source.strip().splitlines()[0]!r}) raised {error.ename}: {error.evalue}"


def renew(path):
    """Execute and normalise one file; the file stays as it is if a cell raises. Returns whether its text changed."""
    os.environ["KERNELBOOK_QUIET"] = "1"  # suppresses the message that the solver is being compiled
    notebook = normalise(nbformat.read(path, as_version=4))  # marks are computed from the code as it will be stored
    try:
        with kept.values_recorded(notebook, path):
            execute(notebook, path.parent)
    except CellExecutionError as error:
        raise SystemExit(f"\n{path}: {failure(notebook, error)}\nThe file is left as it was.") from None
    except kept.UnkeepableError as error:
        raise SystemExit(f"\n{path}: {error}\nThe file is left as it was.") from None
    before, after = path.read_text(encoding="utf-8"), dumps(normalise(notebook))
    path.write_text(after, encoding="utf-8", newline="\n")
    return after != before


def main(name=""):
    for setting in FOREIGN_SETTINGS:
        os.environ.pop(setting, None)
    notebooks = find(BOOK, name)
    if not notebooks:
        raise SystemExit(f"There is no notebook {BOOK}/**/*{name}*.ipynb.")
    for path in notebooks:
        print(f"{path.relative_to(BOOK.parent).as_posix()} ... ", end="", flush=True)
        start = time.perf_counter()
        changed = renew(path)
        print(f"{'changed' if changed else 'unchanged'} ({time.perf_counter() - start:.0f} s)")


if __name__ == "__main__":
    main(*sys.argv[1:2])

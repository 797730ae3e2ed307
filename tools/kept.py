"""What cells that take long have computed: `make notebooks` keeps it, and a build puts it in place.

A cell tagged `computed-once` prints, and binds names that other cells take. A build shows the output that the notebook
has stored of it, binds the values that `book/kept` has of it, and defines its functions, as long as the page's code
down to the cell is the same. Whoever runs the notebook, in JupyterLab, in a browser or with nbval, runs the cell.
"""

import ast
import hashlib
import json
from contextlib import contextmanager

import numpy as np
from IPython.core.inputtransformer2 import TransformerManager
from nbformat.v4 import new_code_cell

from tools.names import CellNames

TAG = "computed-once"
QUESTION = """\
import sys as _sys, numpy as _np
with _np.printoptions(threshold=_sys.maxsize, linewidth=_sys.maxsize, floatmode="unique"):
    print({{{}}})
"""
ANSWER = """\
import numpy as _np
globals().update(eval({!r}, vars(_np) | {{"np": _np}}))
{}
"""
LONGEST = 30_000  # signs of a cell's values
DEFINITIONS = (ast.FunctionDef, ast.Import, ast.ImportFrom)


def code_of(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tagged(notebook):
    return [cell for cell in code_of(notebook) if TAG in cell.metadata.get("tags", [])]


def statements(cell):
    return ast.parse(TransformerManager().transform_cell(cell.source)).body


def definitions(cell):
    """The functions and imports of a cell."""
    return [one for one in statements(cell) if isinstance(one, DEFINITIONS)]


def names_of(notebook, cell):
    """The values that the cell binds and another one takes."""
    taken = set().union(*(CellNames(statements(one)).taken for one in code_of(notebook) if one is not cell))
    defined = CellNames(definitions(cell)).bound.keys()
    return sorted(taken & (CellNames(statements(cell)).bound.keys() - defined))


def mark(notebook, cell):
    """A hash of the page's code down to the cell."""
    cells = code_of(notebook)
    down = next(k for k, one in enumerate(cells) if one is cell) + 1
    return hashlib.sha256(json.dumps([one.source for one in cells[:down]]).encode()).hexdigest()[:16]


def file_of(path):
    """Where the values of a notebook's cells are kept."""
    return path.parent / "kept" / f"{path.stem}.json"


def read(path):
    """For the id of each cell its mark and its values, as Python writes them."""
    file = file_of(path)
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def current(notebook, path):
    """For the id of each cell whose values belong to the code as it is, these values."""
    known = read(path)
    of_code = {cell.id: mark(notebook, cell) for cell in tagged(notebook) if cell.id in known}
    return {name: known[name]["values"] for name, now in of_code.items() if known[name]["mark"] == now}


@contextmanager
def in_place(notebook, values):
    """While the notebook is executed, cells whose values are known bind these; their stored outputs stay."""
    cells = [(cell, cell.source, cell.outputs) for cell in tagged(notebook) if cell.id in values]
    for cell, _, _ in cells:
        cell.source = ANSWER.format(values[cell.id], "\n".join(map(ast.unparse, definitions(cell))))
    try:
        yield
        for cell, _, outputs in cells:
            cell.outputs = outputs
    finally:
        for cell, source, _ in cells:
            cell.source = source


@contextmanager
def asked_for(notebook, path):
    """While the notebook is executed, each tagged cell is asked for its values; they are kept when it has run."""
    cells, questions = notebook.cells, {}
    for cell in tagged(notebook):
        names = ", ".join(f"{name!r}: {name}" for name in names_of(notebook, cell))
        questions[cell.id] = new_code_cell(QUESTION.format(names))
    notebook.cells = [one for cell in cells for one in (cell, questions.get(cell.id)) if one]
    try:
        yield
    finally:
        notebook.cells = cells
    for number, cell in enumerate(code_of(notebook), 1):  # as if nothing had been asked
        for counted in (cell, *cell.outputs):
            if counted.get("execution_count"):
                counted["execution_count"] = number
    kept = {}
    for cell in tagged(notebook):
        values = answer_of(cell, questions[cell.id])
        kept[cell.id] = {"mark": mark(notebook, cell), "values": values}
    if kept:
        file_of(path).parent.mkdir(exist_ok=True)
        file_of(path).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    else:
        file_of(path).unlink(missing_ok=True)


def answer_of(cell, question):
    """What the kernel has written for a cell's values, if that can be read back and the cell prints nothing else."""
    first = cell.source.strip().splitlines()[0]
    if any(output.output_type != "stream" for output in cell.outputs):
        raise SystemExit(f"{first!r} shows more than text: it cannot be {TAG}.")
    values = "".join(output.text for output in question.outputs).strip()
    if len(values) > LONGEST:
        raise SystemExit(f"{first!r} binds, and other cells take, values of {len(values)} signs, more than {LONGEST}.")
    try:
        eval(values, vars(np) | {"np": np})
    except Exception:
        raise SystemExit(f"{first!r} binds, and other cells take, what cannot be kept: {values[:300]}") from None
    return values

"""What cells that take long have computed: `make notebooks` keeps it, and a build puts it in place.

A cell tagged `computed-once` computes numbers, prints some and binds names that other cells take. A build shows the
output that the notebook has stored of it, binds the values that `book/kept` has of it and defines its functions, while
these belong to the page's code down to the cell; the library may be another. Whoever runs the notebook, in JupyterLab,
in a browser or with nbval, runs the cell. It must not change an object of another cell, for only what it binds is kept.
"""

import ast
import builtins
import hashlib
import json
from contextlib import contextmanager

import numpy as np
from IPython.core.inputtransformer2 import TransformerManager
from nbformat.v4 import new_code_cell

from tools.bookbuild.cell_names import CellNames

TAG = "computed-once"
LONGEST = 30_000  # characters of a cell's values
QUESTION = """\
import sys as _sys, numpy as _np
try:
    with _np.printoptions(threshold=_sys.maxsize, floatmode="unique"):
        print({{{}}})
except Exception as _error:
    print(type(_error).__name__, _error, sep=": ")
"""
ANSWER = """\
import numpy as _np
globals().update(eval({!r}, vars(_np) | {{"np": _np}}))
{}
"""
DEFINITIONS = (ast.FunctionDef, ast.Import, ast.ImportFrom)
UNREADABLE = (ast.ClassDef, ast.AsyncFunctionDef, ast.NamedExpr, ast.Global, ast.Match)  # to CellNames


class UnkeepableError(Exception):
    """A cell's values cannot be kept; says why."""


def code_of(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tagged(notebook):
    return [cell for cell in code_of(notebook) if TAG in cell.metadata.get("tags", [])]


def statements(cell):
    return ast.parse(TransformerManager().transform_cell(cell.source)).body


def is_python(notebook):
    try:
        for cell in code_of(notebook):
            statements(cell)
    except SyntaxError:
        return False
    return True


def definitions(cell):
    """The functions and imports of a cell."""
    return [one for one in statements(cell) if isinstance(one, DEFINITIONS)]


def names_of(notebook, cell):
    """The values that the cell binds, and another cell or its own functions take."""
    taken = CellNames(definitions(cell)).taken.union(
        *(CellNames(statements(one)).taken for one in code_of(notebook) if one is not cell)
    )
    computed = CellNames([one for one in statements(cell) if not isinstance(one, DEFINITIONS)])
    return sorted(taken & computed.bound.keys())


def mark_of(notebook, cell):
    """A hash of the page's code down to the cell and of what the cell has printed."""
    cells = code_of(notebook)
    end = next(k for k, one in enumerate(cells) if one is cell) + 1
    told = [[one.source for one in cells[:end]], "".join(output.get("text", "") for output in cell.outputs)]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def file_of(path):
    """Where the values of a notebook's cells are kept."""
    return path.parent / "kept" / f"{path.stem}.json"


def read(path):
    """For the id of each cell its mark, the names that are kept, and their values as Python writes them."""
    try:
        return json.loads(file_of(path).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def current(notebook, path):
    """For the id of each cell whose values belong to the notebook as it is, these values."""
    known = read(path)
    if not is_python(notebook):  # the execution of the page will say where
        return {}
    return {
        cell.id: known[cell.id]["values"]
        for cell in tagged(notebook)
        if cell.id in known
        and known[cell.id]["mark"] == mark_of(notebook, cell)
        and known[cell.id]["names"] == names_of(notebook, cell)
    }


@contextmanager
def in_place(notebook, values):
    """While the notebook is executed, cells whose values are known bind these; their stored outputs stay."""
    cells = [(cell, cell.source, cell.outputs) for cell in tagged(notebook) if cell.id in values]
    for cell, _, _ in cells:
        cell.source = ANSWER.format(values[cell.id], "\n".join(map(ast.unparse, definitions(cell))))
    try:
        yield
    finally:
        for cell, source, outputs in cells:
            failed = any(output.output_type == "error" for output in cell.outputs)
            cell.source, cell.outputs = source, cell.outputs if failed else outputs


@contextmanager
def asked_for(notebook, path):
    """While the notebook is executed, each tagged cell is asked for its values; they are kept when it has run."""
    if not is_python(notebook):  # the execution will say where
        yield
        return
    for cell in tagged(notebook):
        refuse_what_cannot_be_kept(cell)
    cells, questions = notebook.cells, {}
    for cell in tagged(notebook):
        names = ", ".join(f"{name!r}: {name}" for name in names_of(notebook, cell))
        questions[cell.id] = new_code_cell(QUESTION.format(names))
    notebook.cells = [one for cell in cells for one in (cell, questions.get(cell.id)) if one]
    try:
        yield
    finally:
        notebook.cells = cells
    renumber(notebook)
    store(path, notebook, {cell.id: answer_of(cell, questions[cell.id]) for cell in tagged(notebook)})


def refuse_what_cannot_be_kept(cell):
    """Raise for code of which it cannot be told what it binds, or which assigns into what it has not bound.

    What a call does to an object, `rng.normal()` or `machine.fit(X)`, is not seen.
    """
    first, nodes = cell.source.strip().splitlines()[0], list(ast.walk(ast.Module(statements(cell), [])))
    own = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        if isinstance(node, UNREADABLE):
            raise UnkeepableError(f"{first!r} has a {type(node).__name__}: it cannot be {TAG}.")
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            root = node
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            if not isinstance(root, ast.Name) or root.id not in own:
                raise UnkeepableError(
                    f"{first!r} changes {ast.unparse(root)}, which is another cell's: it cannot be {TAG}."
                )
    twice = own & (vars(builtins).keys() | CellNames(definitions(cell)).bound.keys())
    if twice:
        raise UnkeepableError(f"{first!r} gives {min(twice)} a second meaning: it cannot be {TAG}.")


def renumber(notebook):
    """Count the cells as if nothing had been asked."""
    ran = [cell for cell in code_of(notebook) if cell.get("execution_count")]
    for number, cell in enumerate(ran, 1):
        for counted in (cell, *cell.outputs):
            if counted.get("execution_count"):
                counted["execution_count"] = number


def answer_of(cell, question):
    """What the kernel has written for a cell's values, if that can be read back and the cell shows nothing but text."""
    first = cell.source.strip().splitlines()[0]
    if any(output.output_type != "stream" for output in cell.outputs) or "nbval-ignore-output" in cell.metadata.tags:
        raise UnkeepableError(f"{first!r} shows more than text that is always the same: it cannot be {TAG}.")
    values = "".join(output.text for output in question.outputs).strip()
    if len(values) > LONGEST:
        raise UnkeepableError(
            f"{first!r} binds, and other cells take, values of {len(values)} characters, more than {LONGEST}."
        )
    try:
        eval(values, vars(np) | {"np": np})
    except Exception:
        raise UnkeepableError(f"{first!r} binds, and other cells take, what cannot be kept: {values[:300]}") from None
    return values


def store(path, notebook, values):
    """Write what is kept of a notebook, for the id of each tagged cell its values; no file where no cell is tagged."""
    file = file_of(path)
    if not values:
        file.unlink(missing_ok=True)
        return
    entries = {
        cell.id: {"mark": mark_of(notebook, cell), "names": names_of(notebook, cell), "values": values[cell.id]}
        for cell in tagged(notebook)
    }
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8", newline="\n")

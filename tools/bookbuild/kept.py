"""Keep the values that slow cells compute: `make notebooks` stores them, and a build uses them.

A cell tagged `computed-once` computes numbers, prints some and binds names that other cells take. A build does not run
it: it shows the output stored in the notebook, binds the values stored in `book/kept`, and defines the cell's
functions. It does so as long as the cell is unchanged, and what it needs of the page's code above it; the library may
change. nbval does the same only while the library and the packages that this code reaches are unchanged too.
JupyterLab, a browser, `make notebooks`, and a nightly test that compares the values run every cell. The cell must not
change an object of another cell, because only what it binds is stored.
"""

import ast
import builtins
import hashlib
import json
from contextlib import contextmanager
from functools import cache

import numpy as np
from IPython.core.inputtransformer2 import TransformerManager
from nbformat.v4 import new_code_cell

from tools.bookbuild.cell_names import CellNames
from tools.bookbuild.reach import LIBRARY
from tools.bookbuild.slices import code_needed, parsed

TAG = "computed-once"
MAX_VALUE_LENGTH = 30_000  # characters
# Code that prints the values of a cell as Python writes them, and code that binds such values.
PRINT_VALUES = """\
import sys as _sys, numpy as _np
try:
    with _np.printoptions(threshold=_sys.maxsize, floatmode="unique"):
        print({{{}}})
except Exception as _error:
    print(type(_error).__name__, _error, sep=": ")
"""
BIND_VALUES = """\
import numpy as _np
globals().update(eval({!r}, vars(_np) | {{"np": _np}}))
{}
"""
DEFINITIONS = (ast.FunctionDef, ast.Import, ast.ImportFrom)
# Statements that CellNames does not handle.
UNREADABLE = (ast.ClassDef, ast.AsyncFunctionDef, ast.NamedExpr, ast.Global, ast.Match)


class UnkeepableError(Exception):
    """A cell's values cannot be kept; the text says why."""


def code_of(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tagged(notebook):
    return [cell for cell in code_of(notebook) if TAG in cell.metadata.get("tags", [])]


def statements(cell):
    return parsed(python_of(cell.source))


@cache
def python_of(source):
    """A cell's source without IPython's magic."""
    return TransformerManager().transform_cell(source)


def plain_code(cells):
    """The cells as one piece of Python, without IPython's magic."""
    return "\n".join(ast.unparse(one) for cell in cells for one in statements(cell))


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
    """The names that the cell binds and that another cell or its own functions take, except functions and imports."""
    taken = CellNames(definitions(cell)).taken.union(
        *(CellNames(statements(one)).taken for one in code_of(notebook) if one is not cell)
    )
    computed = CellNames([one for one in statements(cell) if not isinstance(one, DEFINITIONS)])
    return sorted(taken & computed.bound.keys())


def digest(texts, contents=()):
    return hashlib.sha256(b"\0".join([*map(str.encode, texts), *contents])).hexdigest()


def cells_down_to(notebook, cell):
    cells = code_of(notebook)
    return cells[: next(k for k, one in enumerate(cells) if one is cell) + 1]


def needed_by(notebook, cell):
    """The code of a cell, after what it needs of the cells above it."""
    *above, own = [python_of(one.source) for one in cells_down_to(notebook, cell)]
    return f"{code_needed(above, CellNames(statements(cell)).taken)}\n{own}"


def mark_of(notebook, cell):
    """A hash of the code that the cell needs and of the cell's printed output."""
    printed = "".join(output.get("text", "") for output in cell.outputs)
    return digest([needed_by(notebook, cell), printed])[:16]


def surroundings_of(notebook, cell):
    """A hash of what the library and other packages contribute to the code that the cell needs."""
    code = needed_by(notebook, cell)
    return digest(LIBRARY.versions(code), LIBRARY.sources(LIBRARY.reached_by(code)))


def stamp(surroundings, values):
    """What is stored beside values to tell where they were computed, and that they are these."""
    return digest([surroundings, values])[:16]


def file_of(path):
    """The file with the values of a notebook's cells."""
    return path.parent / "kept" / f"{path.stem}.json"


def read(path):
    """For each cell id: the mark, the stamp, the names that are kept, and their values as Python writes them."""
    try:
        return json.loads(file_of(path).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def valid_values(notebook, path):
    """The stored values by cell id, for the cells whose values still belong to the notebook."""
    known = read(path)
    if not is_python(notebook):  # executing the page reports the error
        return {}
    return {
        cell.id: known[cell.id]["values"]
        for cell in tagged(notebook)
        if cell.id in known
        and known[cell.id]["mark"] == mark_of(notebook, cell)
        and known[cell.id]["names"] == names_of(notebook, cell)
    }


def current_values(notebook, path):
    """Those of the valid values that the library and the packages as they are now have computed."""
    known, cells = read(path), {cell.id: cell for cell in tagged(notebook)}
    return {
        name: values
        for name, values in valid_values(notebook, path).items()
        if known[name].get("computed_with") == stamp(surroundings_of(notebook, cells[name]), values)
    }


def binding(cell, values):
    """Code that binds the values of a cell and defines its functions."""
    return BIND_VALUES.format(values, "\n".join(map(ast.unparse, definitions(cell))))


@contextmanager
def stored_values_bound(notebook, values):
    """While the notebook is executed, cells with stored values bind these instead of running; their outputs stay."""
    cells = [(cell, cell.source, cell.outputs) for cell in tagged(notebook) if cell.id in values]
    for cell, _, _ in cells:
        cell.source = binding(cell, values[cell.id])
    try:
        yield
    finally:
        for cell, source, outputs in cells:
            failed = any(output.output_type == "error" for output in cell.outputs)
            cell.source, cell.outputs = source, cell.outputs if failed else outputs


@contextmanager
def values_recorded(notebook, path):
    """While the notebook is executed, print the values of each tagged cell after it; store them at the end."""
    if not is_python(notebook):  # executing the notebook reports the error
        yield
        return
    for cell in tagged(notebook):
        check_keepable(cell)
    cells, questions = notebook.cells, {}
    surroundings = {cell.id: surroundings_of(notebook, cell) for cell in tagged(notebook)}  # before anything changes
    for cell in tagged(notebook):
        names = ", ".join(f"{name!r}: {name}" for name in names_of(notebook, cell))
        questions[cell.id] = new_code_cell(PRINT_VALUES.format(names))
    notebook.cells = [one for cell in cells for one in (cell, questions.get(cell.id)) if one]
    try:
        yield
    finally:
        notebook.cells = cells
    renumber(notebook)
    values = {cell.id: printed_values(cell, questions[cell.id]) for cell in tagged(notebook)}
    store(path, notebook, values, surroundings)


def check_keepable(cell):
    """Raise UnkeepableError if it is unclear what the cell binds, or if it assigns into another cell's object.

    Changes that a call makes to an object, such as `rng.normal()` or `machine.fit(X)`, are not detected.
    """
    first, nodes = cell.source.strip().splitlines()[0], list(ast.walk(ast.Module(statements(cell), [])))
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        if isinstance(node, UNREADABLE):
            raise UnkeepableError(f"{first!r} has a {type(node).__name__}: it cannot be {TAG}.")
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            root = node
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            if not isinstance(root, ast.Name) or root.id not in bound:
                raise UnkeepableError(
                    f"{first!r} changes {ast.unparse(root)}, which is another cell's: it cannot be {TAG}."
                )
    twice = bound & (vars(builtins).keys() | CellNames(definitions(cell)).bound.keys())
    if twice:
        raise UnkeepableError(f"{first!r} gives {min(twice)} a second meaning: it cannot be {TAG}.")


def renumber(notebook):
    """Restore the execution counts that the notebook has without the inserted cells."""
    ran = [cell for cell in code_of(notebook) if cell.get("execution_count")]
    for number, cell in enumerate(ran, 1):
        for counted in (cell, *cell.outputs):
            if counted.get("execution_count"):
                counted["execution_count"] = number


def printed_values(cell, question):
    """The values that the kernel has printed for a cell; they must be readable, and the cell must show only text."""
    first = cell.source.strip().splitlines()[0]
    if any(output.output_type != "stream" for output in cell.outputs) or "nbval-ignore-output" in cell.metadata.tags:
        raise UnkeepableError(f"{first!r} shows more than text that is always the same: it cannot be {TAG}.")
    values = "".join(output.text for output in question.outputs).strip()
    if len(values) > MAX_VALUE_LENGTH:
        raise UnkeepableError(
            f"{first!r} binds, and other cells take, values of {len(values)} characters, more than {MAX_VALUE_LENGTH}."
        )
    try:
        eval(values, vars(np) | {"np": np})
    except Exception:
        raise UnkeepableError(f"{first!r} binds, and other cells take, what cannot be kept: {values[:300]}") from None
    return values


def store(path, notebook, values, surroundings):
    """Write the values of a notebook's tagged cells, and where they come from; remove the file if there are none.

    `values` and `surroundings` are given by cell id.
    """
    file = file_of(path)
    if not values:
        file.unlink(missing_ok=True)
        return
    entries = {
        cell.id: {
            "mark": mark_of(notebook, cell),
            "computed_with": stamp(surroundings[cell.id], values[cell.id]),
            "names": names_of(notebook, cell),
            "values": values[cell.id],
        }
        for cell in tagged(notebook)
    }
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8", newline="\n")

"""The part of a page's code that some names need: the statements that bind, or fill, what these take."""

import ast
from functools import cache

from tools.bookbuild.cell_names import CellNames

SHOWING = {"print", "plt", "plotting", "display", "explore"}  # calls of these change nothing that is computed
DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def code_needed(sources, names):
    """The statements of cells without which `names` would not be there, in one text; of imports, the names needed.

    The contract of the book's notebooks makes this simple: a cell takes a name from itself if it binds the name, else
    from the only cell that does, and no cell changes an object of another.
    """
    cells = [parsed(source) for source in sources]
    bound = [CellNames(cell).bound.keys() for cell in cells]
    given = [
        (k, one, gives(one, variables_of(cell), generators_of(cell))) for k, cell in enumerate(cells) for one in cell
    ]
    wanted, needed = {(k, name) for k in range(len(cells)) for name in names}, []
    grown = True
    while grown:  # a function above may take a name that is bound below it
        grown = False
        for k, statement, found in given:
            if any((k, name) in wanted for name in found) and not is_among(statement, needed):
                needed.append(statement)
                for name in CellNames([statement]).taken:
                    wanted |= {(place, name) for place in ([k] if name in bound[k] else range(len(cells)))}
                grown = True
    names_in = [{name for place, name in wanted if place == k} for k in range(len(cells))]
    return "\n".join(text_of(one, sources[k], names_in[k]) for k, one, _ in given if is_among(one, needed))


@cache
def parsed(source):
    return ast.parse(source).body


def text_of(statement, source, names):
    """The lines of a statement, or the import of some names; what `ast.unparse` writes depends on Python's version."""
    if isinstance(statement, ast.ImportFrom):
        parts = [f"{one.name} as {one.asname}" if one.asname else one.name for one in statement.names]
        kept = [part for part in parts if part.split()[-1] in names]
        return f"from {statement.module} import {', '.join(kept)}"
    first = min(node.lineno for node in (statement, *getattr(statement, "decorator_list", ())))
    return "\n".join(source.splitlines()[first - 1 : statement.end_lineno])


def is_among(statement, others):
    return any(statement is other for other in others)


def variables_of(cell):
    """The names that a cell binds, except functions and imports."""
    return CellNames([one for one in cell if not isinstance(one, DEFINITIONS)]).bound.keys()


def generators_of(cell):
    """The names that a cell gives to random generators, which change with every draw."""
    assigned = [one for one in cell if isinstance(one, ast.Assign) and is_generator(one.value)]
    return {
        node.id for one in assigned for target in one.targets for node in ast.walk(target) if isinstance(node, ast.Name)
    }


def is_generator(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "default_rng"


def gives(statement, variables, generators):
    """The names that a statement binds, and those of the cell's variables to whose objects it may do something."""
    bound = set(CellNames([statement]).bound)
    if isinstance(statement, DEFINITIONS):
        return bound
    bound |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)} & generators
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            bound.add(root(node))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and root(node.value) not in SHOWING:
            bound |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)} & variables
    return bound


def root(node):
    """The name at the beginning of a.b[c].d(e), or None."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None

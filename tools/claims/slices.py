"""The part of a page's code that a claim needs: the statements above it that bind, or fill, what its function takes."""

import ast

from tools.bookbuild.cell_names import CellNames

SHOWING = {"print", "plt", "plotting", "display", "explore"}  # calls of these change nothing that a claim takes


def code_needed(cells, names):
    """The statements of the cells, lists of statements each, without which `names` would not be there, as one text.

    The contract of the book's notebooks makes this simple: a name that another cell takes is bound by one cell alone,
    and no cell changes an object of another.
    """
    wanted, kept = set(names), [[] for _ in cells]
    grown = True
    while grown:  # a function above may take a name that is bound below it
        grown = False
        for cell, found in zip(cells, kept, strict=True):
            for statement in cell:
                if not any(statement is one for one in found) and wanted & gives(statement):
                    found.append(statement)
                    wanted |= CellNames([statement]).taken
                    grown = True
    return "\n".join(ast.unparse(one) for cell, found in zip(cells, kept, strict=True) for one in in_order(cell, found))


def in_order(cell, found):
    return [statement for statement in cell if any(statement is one for one in found)]


def gives(statement):
    """The names that a statement binds, or to whose objects it may do something."""
    bound = set(CellNames([statement]).bound)
    match statement:
        case ast.FunctionDef() | ast.ClassDef() | ast.Import() | ast.ImportFrom():
            return bound
        case ast.Expr(value=ast.Call(func=function)) if root(function) in SHOWING:
            return set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            bound.add(root(node))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            bound |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)} - SHOWING
    return bound - {None}


def root(node):
    """The name at the beginning of a.b[c].d, or None."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None

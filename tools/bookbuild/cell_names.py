"""Find the names that notebook cells bind and take, and the conflicts that make the order of cells matter."""

import ast
import builtins

LITERAL_KINDS = {
    "a list": (ast.List, ast.ListComp),
    "a tuple": ast.Tuple,
    "a set": (ast.Set, ast.SetComp),
    "a dictionary": (ast.Dict, ast.DictComp),
    "a text": ast.JoinedStr,
    "a function": ast.Lambda,
}
ARRAY_FUNCTIONS = {
    "arange",
    "array",
    "column_stack",
    "concatenate",
    "eye",
    "hstack",
    "linspace",
    "logspace",
    "ones",
    "zeros",
}


def kind_of(node):
    """The kind of a value in words, or None where the code does not show it."""
    match node:
        case ast.Constant(value=str()):
            return "a text"
        case ast.Constant(value=int() | float()) | ast.UnaryOp(operand=ast.Constant(value=int() | float())):
            return "a number"
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr=attribute)) if attribute in ARRAY_FUNCTIONS:
            return "an array"
    return next((kind for kind, nodes in LITERAL_KINDS.items() if isinstance(node, nodes)), None)


class CellNames(ast.NodeVisitor):
    """The names that a cell binds, and those that it takes from other cells.

    `bound` maps each name to the set of kinds that it is bound to: None where the code does not show the kind, and the
    full name for an import. `taken` holds the names that the cell reads before it binds them. A name that one of its
    functions reads counts as taken, because another cell may bind the name again before the function is called.
    """

    def __init__(self, body):
        self.bound, self.taken = {}, set()
        for statement in body:
            self.visit(statement)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self._take({node.id})
        else:
            self._bind(node.id)

    def visit_Assign(self, node):
        self.visit(node.value)
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(target.elts, node.value.elts, strict=False)
            else:
                pairs = [(target, node.value)]
            for part, value in pairs:
                if isinstance(part, ast.Name):
                    self._bind(part.id, kind_of(value))
                else:
                    self.visit(part)

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Name):
            self._take({node.target.id})
        self.generic_visit(node)

    def visit_For(self, node):
        for part in (node.iter, node.target, *node.body, *node.orelse):
            self.visit(part)

    def visit_ExceptHandler(self, node):
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)

    def visit_Import(self, node):
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self._bind(name, f"{getattr(node, 'module', '')}.{alias.name}")

    visit_ImportFrom = visit_Import

    def visit_FunctionDef(self, node):
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._function(node.args, node.body)
        self._bind(node.name, "a function")

    def visit_ClassDef(self, node):
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        inside = CellNames(node.body)
        self.taken |= inside.taken - inside.bound.keys()
        self._bind(node.name, "a class")

    def visit_Lambda(self, node):
        self._function(node.args, [ast.Expr(node.body)])

    def visit_ListComp(self, node):
        bound = {name: set(kinds) for name, kinds in self.bound.items()}
        for generator in node.generators:
            for part in (generator.iter, generator.target, *generator.ifs):
                self.visit(part)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(part)
        self.bound = bound  # a comprehension has a scope of its own

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def _function(self, arguments, body):
        self.visit(arguments)  # the defaults
        inside = CellNames(body)
        local = inside.bound.keys() | {node.arg for node in ast.walk(arguments) if isinstance(node, ast.arg)}
        self.taken |= inside.taken - local

    def _bind(self, name, kind=None):
        self.bound.setdefault(name, set()).add(kind)

    def _take(self, names):
        self.taken |= {name for name in names - self.bound.keys() if not hasattr(builtins, name)}


def conflicts(cells):
    """Why the cells cannot run in any order, in sentences; `cells` are pairs of a syntax tree and a cell's name."""
    cells = [(CellNames(tree.body), where) for tree, where in cells]
    binders = {}
    for cell, where in cells:
        for name, kinds in cell.bound.items():
            binders.setdefault(name, []).append((where, kinds))
    return [
        f"{where} takes `{name}` from another cell, but two bind it: {binders[name][0][0]} and {binders[name][1][0]}"
        for cell, where in cells
        for name in sorted(cell.taken & binders.keys())
        if len(binders[name]) > 1 and not is_one_import({kind for _, kinds in binders[name] for kind in kinds})
    ] + [
        f"`{name}` is {' and '.join(sorted(shown))} down the page: {bindings[0][0]}, {bindings[-1][0]}"
        for name, bindings in binders.items()
        if len(shown := {kind for _, kinds in bindings for kind in kinds if kind}) > 1
    ]


def is_one_import(kinds):
    """Whether there is only one kind, and it is an import."""
    return len(kinds) == 1 and "." in (next(iter(kinds)) or "")

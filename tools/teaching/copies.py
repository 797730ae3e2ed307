"""Which answers are the same as the published solution, or as another student's, up to names and comments.

Two answers are the same if their syntax trees are, once the names that they bind are replaced by numbers, and imports,
docstrings, annotations, printing and comments are gone. Cells that leave no choice are left out: short ones, and those
that many students have answered alike. Text is the same if most runs of six words are.
"""

import ast
import re
from collections import Counter
from itertools import combinations

from tools.bookbuild.cell_names import CellNames
from tools.teaching.exercises import identity, is_solution

MIN_NODES = 90  # of a syntax tree; shorter answers are often found independently
MIN_CELLS, MIN_SHARE = 3, 0.4  # of a student's answers that are long enough: fewer may be alike by chance
MAX_SHARE = 0.3  # an answer of more students than this, and of more than MAX_ALIKE, is what the question asks for
MAX_ALIKE = 5
RUN, MIN_RUNS = 6, 12  # words in a run, and runs in a text


class _Plain(ast.NodeTransformer):
    """Replace the given names by numbers, in the order in which they come, and drop what computes nothing."""

    def __init__(self, own):
        self.own, self.numbers = own, {}

    def number(self, name):
        return self.numbers.setdefault(name, f"_{len(self.numbers)}") if name in self.own else name

    def visit_Name(self, node):
        node.id = self.number(node.id)
        return node

    def visit_arg(self, node):
        node.arg, node.annotation = self.number(node.arg), None
        return node

    def visit_FunctionDef(self, node):
        node.name, node.returns = self.number(node.name), None
        return self.generic_visit(node)

    def visit_keyword(self, node):
        node.arg = self.number(node.arg)
        return self.generic_visit(node)

    def visit_AnnAssign(self, node):
        if node.value is None:
            return None
        return self.generic_visit(ast.Assign([node.target], node.value))

    def visit_Expr(self, node):
        said = isinstance(node.value, ast.Constant)
        shown = isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") in ("print", "display")
        return None if said or shown else self.generic_visit(node)

    def visit_Import(self, node):
        return None

    visit_ImportFrom = visit_Pass = visit_Import


def own_names(tree):
    """All names that a piece of code binds, at whatever level."""
    bound = set(CellNames(tree.body).bound)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
    return bound


def form_of(code):
    """The code up to names and comments as a text, or None if it is too short to tell, or no Python."""
    try:
        tree = ast.parse(code)
        imported = {name for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
                    for name in (alias.asname or alias.name for alias in node.names)}  # fmt: skip
        plain = _Plain(own_names(tree) - imported).visit(tree)
        return ast.dump(plain) if sum(1 for _ in ast.walk(plain)) >= MIN_NODES else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def runs_of(text):
    """All runs of RUN words in a text, or None if there are too few."""
    words = re.findall(r"\w+", text.lower())
    runs = {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}
    return runs if len(runs) >= MIN_RUNS else None


def alike(one, other):
    """Whether two forms of code are equal, or two texts have most of their runs in common."""
    if isinstance(one, str):
        return one == other
    return isinstance(other, set) and len(one & other) > 0.5 * min(len(one), len(other))


def forms(notebook, answers):
    """The form of each answer that is long enough to tell, by the name of its cell."""
    found = {}
    for cell in notebook.cells:
        if (name := identity(cell)) in answers:
            form = form_of(cell.source) if answers[name] == "code" else runs_of(cell.source)
            if form:
                found[name] = form
    return found


def choices(theirs):
    """The same forms without those of code that so many have that the question seems to leave no choice."""
    counted = Counter((name, form) for each in theirs.values() for name, form in each.items() if isinstance(form, str))
    usual = {key for key, count in counted.items() if count > max(MAX_ALIKE, MAX_SHARE * len(theirs))}
    return {
        student: {name: form for name, form in each.items() if not (isinstance(form, str) and (name, form) in usual)}
        for student, each in theirs.items()
    }


def find_copies(source, submissions):
    """Remarks by student on answers that are the same as the solutions in `source`, or as another student's."""
    answers = {identity(cell): cell.cell_type for cell in source.cells if is_solution(cell)}
    published, theirs = forms(source, answers), {name: forms(each, answers) for name, each in submissions.items()}
    remarks = {student: [] for student in theirs}
    left = {}
    for student, found in theirs.items():
        same = [name for name, form in found.items() if name in published and alike(form, published[name])]
        if too_many(same, found):
            remarks[student].append(f"same as the published solution in {_cells(same, found)}")
        left[student] = {name: form for name, form in found.items() if name not in same}
    left = choices(left)
    for one, other in combinations(sorted(left), 2):
        same = [name for name, form in left[one].items() if name in left[other] and alike(form, left[other][name])]
        if too_many(same, theirs[one]) or too_many(same, theirs[other]):
            remarks[one].append(f"same as {other} in {_cells(same, theirs[one])}")
            remarks[other].append(f"same as {one} in {_cells(same, theirs[other])}")
    return remarks


def too_many(same, found):
    return len(same) >= max(MIN_CELLS, MIN_SHARE * len(found))


def _cells(same, found):
    return f"{len(same)} of {len(found)} answers long enough to tell: {', '.join(same)}"

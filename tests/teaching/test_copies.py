"""Copied answers are remarked on, for the teacher alone; answers found independently are not."""

import ast
import random
import re

import nbformat
import pytest

from tests.marks import thorough
from tests.teaching.test_exercises import NAMES, SUBMISSIONS, answer, source
from tools.teaching.copies import find_copies, form_of
from tools.teaching.exercises import identity, is_solution

LONG = """
def fit(K, y, ridge):
    # A comment, which says nothing.
    n = len(y)
    system = K + ridge * np.eye(n)
    alpha = np.linalg.solve(system, y)
    hat = K @ np.linalg.inv(system)
    errors = (y - K @ alpha) / (1 - np.diag(hat))
    return alpha, np.sqrt(np.mean(errors**2)), np.trace(hat)
"""
RENAMED = '''
import numpy as np
def my_fit(gram: np.ndarray, t, lam=None) -> tuple:
    """My own words."""
    m = len(t)
    A = gram + lam * np.eye(m)
    print("so far", m)
    c = np.linalg.solve(A, t)
    H = gram @ np.linalg.inv(A)
    e = (t - gram @ c) / (1 - np.diag(H))
    return c, np.sqrt(np.mean(e**2)), np.trace(H)
'''
OTHER = """
def fit(K, y, ridge):
    R = np.linalg.inv(K + ridge * np.eye(len(y)))
    a = R @ y
    misses = [a[i] / R[i, i] for i in range(len(y))]
    return a, np.linalg.norm(misses) / np.sqrt(len(y)), len(y) - ridge * np.trace(R)
"""


def notebook(**answers):
    cells = []
    for name, text in answers.items():
        kind = nbformat.v4.new_markdown_cell if name.startswith("why") else nbformat.v4.new_code_cell
        cells.append(kind(text, metadata={"nbgrader": {"grade_id": name, "solution": True, "grade": False}}))
    return nbformat.v4.new_notebook(cells=cells)


def test_names_comments_annotations_and_printing_make_no_difference():
    assert form_of(LONG) == form_of(RENAMED.replace(", lam=None", ", lam")) is not None
    assert form_of(LONG) != form_of(OTHER)
    assert form_of("x = 1") is None
    assert form_of("def f(:") is None


def test_the_published_solution_and_another_student_are_named():
    why = "The step that fails is the last one, from this fit back to the fit of the values themselves, you see."
    published = notebook(one=LONG, two=LONG.replace("- K", "+ K"), three="x = 1", why=why)
    mine = {"one": OTHER, "two": OTHER.replace("ridge * np", "2 * np"), "why": "Nothing to say."}
    mine["three"] = OTHER.replace("misses", "errors").replace("@ y", "@ -y")
    found = find_copies(
        published,
        {
            "verbatim": notebook(one=LONG, two=LONG.replace("- K", "+ K"), three="x = 1", why=f"I think: {why}"),
            "ada": notebook(**mine),
            "ben": notebook(**mine | {"one": re.sub(r"\bi\b", "j", OTHER)}),
            "cleo": notebook(one=LONG, two="two = None", three="x = 1", why="My own."),
        },
    )
    assert found["verbatim"] == ["same as the published solution in 3 of 3 answers long enough to tell: one, two, why"]
    assert found["ada"] == ["same as ben in 3 of 3 answers long enough to tell: one, two, three"]
    assert found["ben"] == ["same as ada in 3 of 3 answers long enough to tell: one, two, three"]
    assert found["cleo"] == []  # one cell may be chance


def test_what_a_third_of_the_class_has_alike_is_what_the_question_asks_for():
    alike = {"one": OTHER, "two": OTHER.replace("@ y", "@ -y"), "three": LONG}
    asked = notebook(one="", two="", three="")
    theirs = {f"student {i}": notebook(**alike) for i in range(8)}
    theirs |= {f"other {i}": notebook(one=LONG.replace("K @ alpha", f"K @ alpha + {i}")) for i in range(8)}
    assert not any(find_copies(asked, theirs).values())
    assert all(find_copies(asked, {name: theirs[name] for name in [*theirs][:3]}).values())


@pytest.mark.parametrize("name", NAMES)
def test_a_verbatim_copy_of_every_set_is_found_and_no_right_answer_of_our_own(name):
    published = source(name)
    ways = {path.stem: answer(source(name), path) for path in (SUBMISSIONS / name).glob("*.py")}
    own = {stem: only_changed(ways[stem], published) for stem in ways}
    found = find_copies(published, {"verbatim": published, **own})
    if not name.endswith("-drills"):  # whose answers are too short to tell
        assert found["verbatim"][0].startswith("same as the published solution")
    assert not any("published" in remark for stem in own for remark in found[stem])


def only_changed(mine, published):
    """The answers that differ from the published ones; files of submissions fill the others with these."""
    theirs = {identity(cell): cell.source for cell in published.cells}
    cells = [cell for cell in mine.cells if is_solution(cell) and cell.source != theirs[identity(cell)]]
    return nbformat.v4.new_notebook(cells=cells)


class Rewrite(ast.NodeTransformer):
    """Write the same in another way, at random: what two people do who write down the same idea."""

    def __init__(self, rng):
        self.rng, self.count = rng, 0

    def often(self):
        return self.rng.random() < 0.5

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Add) and self.often():
            node.left, node.right = node.right, node.left
        elif isinstance(node.op, ast.MatMult) and self.often():
            return ast.Call(ast.parse("np.dot", mode="eval").body, [node.left, node.right], [])
        elif isinstance(node.op, ast.Pow) and ast.unparse(node.right) == "2" and self.often():
            return ast.Call(ast.parse("np.square", mode="eval").body, [node.left], [])
        return node

    def visit_Return(self, node):
        self.generic_visit(node)
        if node.value is None or self.often():
            return node
        self.count += 1
        name = f"result_{self.count}"
        return [ast.Assign([ast.Name(name, ast.Store())], node.value), ast.Return(ast.Name(name, ast.Load()))]

    def visit_Call(self, node):
        self.generic_visit(node)
        method = node.func.attr if isinstance(node.func, ast.Attribute) and not node.args else ""
        if method in ("sum", "mean", "max", "min", "ravel") and self.often():
            return ast.Call(ast.parse(f"np.{method}", mode="eval").body, [node.func.value], node.keywords)
        return node


def rewritten(code, seed):
    tree = Rewrite(random.Random(seed)).visit(ast.parse(code))
    return ast.unparse(ast.fix_missing_locations(tree))


def alarms(name, count=30):
    """How many of `count` students are remarked on who each write the published solution in their own way, by chance.

    They have one idea and differ in its writing alone, which is harder than any honest class.
    """
    published = source(name)
    cells = [cell for cell in published.cells if is_solution(cell) and cell.cell_type == "code"]
    theirs = {}
    for student in range(count):
        answers = {identity(cell): rewritten(cell.source, f"{student} {identity(cell)}") for cell in cells}
        theirs[f"student {student}"] = notebook(**answers)
    return sum(map(bool, find_copies(published, theirs).values()))


@pytest.mark.parametrize("name", ["krr", *(pytest.param(name, marks=thorough) for name in NAMES if name != "krr")])
def test_those_who_write_the_same_idea_in_their_own_way_are_seldom_suspected(name):
    assert alarms(name) <= 3

"""Create a template for a notebook of exercises; its checks fail until every part is written."""

import re

import nbformat

from tools.bookbuild.notebooks import dumps, normalise, setup
from tools.teaching.exercises import SOURCES

INTRODUCTION = """\
# Exercises: TITLE

**You need** chapter N, pen and paper, and a little NumPy.

One problem, worth 3 points; half an hour. After it you will be able to

- DO WHAT.

Write where you read `YOUR CODE HERE`. The cell below your answer tests it and says what is wrong; it does not say \
what is right. Some tests are hidden, and run only when the notebook is graded. Answers that your teacher reads are \
text, and get their points by hand. Grading ends a cell, answer or test, that computes for more than a minute, waits \
for more than three, lasts longer than ten by the clock, takes more than 4 GB of memory, has more than 64 processes \
or goes on computing after its end; aim for twenty seconds. After ten minutes for all cells together, the rest is not \
run."""
TOOLS = """\
import numpy as np"""
PROBLEM = """\
## 1. TITLE

WHAT IS GIVEN, AND WHY ANYBODY SHOULD CARE.

**QUESTION (1 point).** WHAT THE FUNCTION RETURNS."""
ANSWER = '''\
def answer(x):
    """WHAT IT RETURNS, AND OF WHICH SHAPE."""
    ### BEGIN SOLUTION
    # THE DERIVATION, OR THE REASON.
    raise NotImplementedError("the solution is to be written")
    ### END SOLUTION'''
TEST = """\
rng = np.random.default_rng(SEED)
assert answer(1.0) is not None, "answer: None; is a return missing?"
assert False, "a test on a case that can be done by hand is to be written"
### BEGIN HIDDEN TESTS
assert False, "tests on data that come from SEED are to be written"
### END HIDDEN TESTS"""
WHY = """\
**REASON (2 points, read by your teacher).** WHAT NO TEST CAN CHECK."""
REASON = """\
### BEGIN SOLUTION
A MODEL ANSWER.

Points: WHAT EARNS THE FIRST, WHAT THE SECOND, AND WHICH TEMPTING ANSWER EARNS NONE.
### END SOLUTION"""


def code(name, source, **marks):
    plain = {"grade": False, "locked": True, "schema_version": 3, "solution": False, "task": False}
    cell = nbformat.v4.new_code_cell(source)
    cell.metadata.nbgrader = nbformat.from_dict({**plain, "grade_id": name, **marks})
    return cell


def text(source, **marks):
    cell = nbformat.v4.new_markdown_cell(source)
    cell.metadata.update(nbformat.from_dict(marks))
    return cell


def template():
    problem = {"topic": "THREE WORDS", "kind": ["derive"], "minutes": 30, "stars": 2}
    marks = {"grade": True, "grade_id": "reason", "locked": False, "points": 2, "schema_version": 3, "solution": True}
    cells = [
        text(INTRODUCTION),
        code("setup", f"{setup()}\n\nSEED = 2026"),
        code("tools", TOOLS),
        text(PROBLEM, kernelbook=problem),
        code("answer", ANSWER, locked=False, solution=True),
        code("answer-test", TEST, grade=True, points=1),
        text(WHY),
        text(REASON, nbgrader={**marks, "task": False}),
    ]
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    return normalise(nbformat.v4.new_notebook(cells=cells))


def new_exercise(name):
    """Write the template; returns its path."""
    if not re.fullmatch("[a-z][a-z0-9-]*", name):
        raise SystemExit(f"NAME must be small letters, digits and -, as in NAME=kernel-means, not {name!r}.")
    path = SOURCES / name / f"{name}.ipynb"
    if path.parent.exists():
        raise SystemExit(f"{path} already exists.")
    path.parent.mkdir(parents=True)
    path.write_text(dumps(template()), encoding="utf-8", newline="\n")
    return path

"""A small exercise that computes next to nothing, for tests that need a course but no particular question."""

import traceback
from contextlib import contextmanager

import nbformat
import pytest

from tests.teaching import test_exercises
from tools.teaching import course, exercises, new_exercise
from tools.teaching.examiner import code_of, error_output

PLAIN = {"grade": False, "solution": False, "locked": False, "task": False, "schema_version": 3}


def notebook_of(cells):
    """A notebook with the cells, each as its kind, its text and what nbgrader's metadata say of it, if anything."""
    made = []
    for kind, text, marks in cells:
        cell = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}[kind](text)
        cell.id = f"cell-{len(made)}"
        if marks:
            cell.metadata.nbgrader = PLAIN | marks
        made.append(cell)
    return nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": {"name": "python3", "display_name": "Python"}})


def given(name, text):
    return "code", text, {"grade_id": name, "locked": True}


def answer(name, head, body):
    """A question: the line that a student is given, and what comes after it."""
    indent = "    " if head.endswith(":") else ""
    lines = [head, *(f"{indent}{line}" for line in ["### BEGIN SOLUTION", *body.splitlines(), "### END SOLUTION"])]
    return "code", "\n".join(lines), {"grade_id": name, "solution": True}


def check(name, text, hidden, points=1):
    text = f"{text}\n### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS"
    return "code", text, {"grade_id": f"{name}-test", "grade": True, "locked": True, "points": points}


COMPARE = """
def _numbers(name, got, size):
    got = np.asarray(got, dtype=float).ravel()
    assert got.size == size, f"{name}: {got.size} numbers came, not {size}"
    return got

def _compare(name, got, wanted):
    wanted = np.ravel(wanted)
    assert np.allclose(_numbers(name, got, wanted.size), wanted), f"{name}: wrong"
"""
GCV = """\
H = K @ np.linalg.inv(K + ridge * np.eye(len(y)))
return np.mean((y - H @ y) ** 2) / (1 - np.trace(H) / len(y)) ** 2"""
# Its cells have names that the krr exercise has too.
LINES = [
    ("markdown", "# Exercises: lines", {}),
    given("setup", "SEED = 5"),
    given("tools", "import numpy as np\n\nX = np.random.default_rng(SEED).normal(size=(9, 2))\ny = X[:, 0] + 1"),
    given("compare", COMPARE),
    ("markdown", "## 1. A line", {}),
    answer("dual", "def dual(X, y, ridge):", "return np.linalg.solve(X @ X.T + ridge * np.eye(len(X)), y)"),
    check(
        "dual",
        "_compare('dual', dual(X, y, 1.0) @ np.ones(9), dual(X, y, 1.0).sum())",
        "oracle = (y - X @ np.linalg.solve(X.T @ X + 2 * np.eye(2), X.T @ y)) / 2\n"
        "_compare('dual', dual(X, y, 2.0), oracle)",
    ),
    ("markdown", "## 2. Its ridge", {}),
    answer("gcv", "def gcv(K, y, ridge):", GCV),
    check(
        "gcv",
        "_compare('gcv', gcv(np.eye(4), np.ones(4), 1.0), 1.0)",
        "_compare('gcv', gcv(np.eye(4), np.ones(4), 3.0), 1.0)",
        2,
    ),
    ("markdown", "## 3. Another count", {}),
    answer("carry", "def carry(ridge, n, m):", "return ridge * m / n"),
    check("carry", "_compare('carry', carry(1, 2, 2), 1)", "_compare('carry', carry(3, 2, 4), 6)"),
    ("markdown", "## 4. A choice", {}),
    answer("tuning", "tuning = None", "tuning = max([0.1, 1.0])"),
    check("tuning", "_numbers('tuning', tuning, 1)", "assert tuning in (0.1, 1.0), 'tuning: neither'"),
    (
        "markdown",
        "### BEGIN SOLUTION\nThe larger one shrinks more.\n### END SOLUTION",
        {"grade_id": "tuning-why", "solution": True, "grade": True, "points": 2},
    ),
    ("markdown", "## 5. A mean", {}),
    answer("mean", "mean = None", "mean = y.mean()"),
    check("mean", "_numbers('mean', mean, 1)", "_compare('mean', mean, X[:, 0].mean() + 1)", 3),
]
for _k in range(6):
    LINES.append(answer(f"power-{_k}", f"power_{_k} = None", f"power_{_k} = 2**{_k}"))
    LINES.append(check(f"power-{_k}", f"_numbers('power', power_{_k}, 1)", f"_compare('power', power_{_k}, {2**_k})"))


def examine_here(job):
    """What `examine` returns, by running all cells in this process: for tests that are not about what an answer may do.

    It saves the start of two processes for each submission.
    """
    space, outputs = {}, []
    for cell in job["cells"]:
        try:
            exec(code_of(cell), space)
            outputs.append([])
        except Exception as error:
            frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
            inside = [line for file, line in frames if file == f"<{cell['name']}>"]
            lines = [f"in line {(inside or [0])[-1]} of the test", "raised elsewhere"]
            outputs.append([error_output(type(error).__name__, str(error), lines)])
    return outputs, []


@contextmanager
def sources_in(folder, **notebooks):
    """While this lasts, the exercises are these, written to the folder: names and their cells."""
    for name, cells in notebooks.items():
        (folder / name).mkdir(parents=True)
        nbformat.write(notebook_of(cells), folder / name / f"{name}.ipynb")
    with pytest.MonkeyPatch.context() as patch:
        for module in (course, exercises, new_exercise, test_exercises):
            patch.setattr(module, "SOURCES", folder)
        yield

"""What a student reads of a hidden test that fails: every hidden assertion has a message, and no message tells data."""

import ast
import re

import nbformat
import pytest

from tests.teaching.test_exercises import NAMES, source
from tools.teaching.examination import given_names
from tools.teaching.exercises import identity, is_test
from tools.teaching.reasons import LEFT_OUT, literal_message, patterns_of, reason

BEGIN, END = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"


def words(message, code):
    """The fewest words that a message has, for all that may be computed in it."""
    found = patterns_of(message, code)
    return min(len(re.findall(r"\w\w+|\w", "".join(part for part in each if part != LEFT_OUT))) for each in found)


def helpers(notebook):
    """The given functions whose messages begin with their first argument, `name`."""
    return {
        node.name
        for cell in notebook.cells
        if given_names(cell)
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.FunctionDef) and 'f"{name}' in ast.get_source_segment(cell.source, node)
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_hidden_assertion_says_in_words_what_is_wrong(name):
    notebook, dumb = source(name), []
    named = helpers(notebook)
    for cell in filter(is_test, notebook.cells):
        lines = cell.source.splitlines()
        hidden = range(lines.index(BEGIN) + 1, lines.index(END) + 1)
        for node in ast.walk(ast.parse(cell.source)):
            if getattr(node, "lineno", 0) not in hidden:
                continue
            if isinstance(node, ast.Assert) and (node.msg is None or words(node.msg, cell.source) < 3):
                dumb.append(f"{identity(cell)}, line {node.lineno}: {ast.unparse(node)}")
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in named and words(node.args[0], "") < 1:
                dumb.append(f"{identity(cell)}, line {node.lineno}: {ast.unparse(node)}")
            if isinstance(node, ast.Call) and "testing" in ast.unparse(node.func):
                dumb.append(f"{identity(cell)}, line {node.lineno}: NumPy's message has numbers alone")
    assert not dumb


GIVEN = '''\
def _same(name, got, wanted):
    assert got is not None, f"{name} is None"
    what = "the number is" if wanted == 1 else f"value {got} is"
    assert got == wanted, f"{name}: {what} wrong"'''
TEST = f"""\
assert f(1) == 1, "f: not 1"
{BEGIN}
for p in (31415,):
    assert f(p) < p, f"f, p = {{p}}: too large"
    _same(f"f, p = {{p}}", f(p), p)
    says = "f: odd"
    assert f(p) % 2, says
    assert f(p), str(f(p))
{END}"""


def said(line, origin, kind, message):
    cell = nbformat.v4.new_code_cell(TEST, metadata={"nbgrader": {"grade_id": "f-test"}})
    lines = [f"in line {line} of the test", origin, "Traceback", message]
    output = nbformat.v4.new_output("error", ename=kind, evalue=message, traceback=lines)
    return reason(output, cell, TEST.splitlines()[0], {"given": GIVEN}), literal_message(output, cell, {"given": GIVEN})


@pytest.mark.parametrize(
    ("line", "origin", "kind", "message", "wanted"),
    [
        (4, "raised in line 4 of f-test", "AssertionError", "f, p = 31415: too large", "f, p = …: too large"),
        (5, "raised in line 4 of given", "AssertionError", "f, p = 31415: value 9 is wrong",
         "f, p = …: value … is wrong"),
        (5, "raised in line 4 of given", "AssertionError", "f, p = 31415: the number is wrong",
         "f, p = …: the number is wrong"),
        (5, "raised in line 2 of given", "AssertionError", "f, p = 31415 is None", "f, p = … is None"),
        (7, "raised in line 7 of f-test", "AssertionError", "f: odd", "f: odd"),
        (8, "raised in line 8 of f-test", "AssertionError", "31415", ""),
        (4, "raised elsewhere", "AssertionError", "f, p = 31415: too large", ""),
        (4, "raised elsewhere", "ValueError", "31415", ""),
        (5, "raised in line 3 of given", "TypeError", "31415", ""),
    ],
)  # fmt: skip
def test_of_a_hidden_line_a_student_reads_what_stands_in_the_source_and_nothing_computed(
    line, origin, kind, message, wanted
):
    shown, literal = said(line, origin, kind, message)
    assert (literal if kind == "AssertionError" else "") == wanted
    assert shown.startswith(f"{kind}: {wanted}\n(" if wanted else f"{kind}\n(")
    assert not re.search("31415|9", shown)


def test_of_a_shown_line_a_student_reads_the_whole_message():
    shown, _ = said(1, "raised in line 1 of f-test", "AssertionError", "f: not 1")
    assert shown == 'AssertionError: f: not 1\nin the line\n    assert f(1) == 1, "f: not 1"'

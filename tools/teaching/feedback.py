"""A page for each student: the notebook as it was scored, with points, reasons and comments, without hidden tests."""

import ast
import html
import re
import shutil
from contextlib import suppress
from textwrap import shorten

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat.v4 import new_markdown_cell
from nbgrader.converters import GenerateFeedback
from nbgrader.preprocessors import GetGrades
from nbgrader.utils import capture_log

from tools.teaching.course import course_directory
from tools.teaching.exercises import identity, is_test
from tools.teaching.grading import scored
from tools.teaching.submissions import student_id

HIDDEN = "A part of this test that is not shown fails"


def reason(output, cell, shown):
    """Why a test fails, in a line or two: the first of what it says, and the line that does, if that is shown.

    What is said in a hidden line could be the test's data, unless the words stand in the test; else the kind is told.
    """
    said = next(filter(None, map(str.strip, output.evalue.splitlines())), "")
    said_where = re.fullmatch(r"in line (\d+) of the test", next(iter(output.traceback), ""))  # by the examiner
    line, source = int(said_where[1]) if said_where else 0, cell.source.splitlines()
    where = source[line - 1].strip() if 0 < line <= len(source) else ""
    if not where:  # the test was not begun
        return _first(output, said)
    if shown.splitlines()[line - 1 : line] == [source[line - 1]]:  # hidden lines may repeat one that is shown
        return f"{_first(output, said)}\nin the line\n    {where}"
    if output.ename == "Ended" or (output.ename == "AssertionError" and said and said in literals(cell.source)):
        return f"{_first(output, said)}\n({HIDDEN}.)"
    return f"{output.ename}\n({HIDDEN}.)"


def literals(source):
    """The texts that stand in a test, and say nothing that it computes."""
    with suppress(SyntaxError):  # a line for IPython alone
        return {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    return set()


def _first(output, said):
    return shorten(f"{output.ename}: {said}", 300, placeholder=" …")


def without_hidden_tests(released):
    """A step of nbconvert's: tests are as they were handed out, and an error is its reason alone."""
    handed_out = {identity(cell): cell.source for cell in released.cells if is_test(cell)}

    def step(notebook, resources):
        lost = []
        for cell in notebook.cells:
            if (shown := handed_out.get(identity(cell))) is not None:
                for output in cell.outputs:
                    if output.output_type == "error":
                        output.traceback = reason(output, cell, shown).splitlines()
                        lost.append(f"{identity(cell).removesuffix('-test')}: {output.traceback[0]}")
                cell.source = shown
        if lost:
            listed = "\n".join(f"<li><code>{html.escape(line)}</code></li>" for line in lost)  # no formula there
            notebook.cells.insert(0, new_markdown_cell(f"**Tests that fail**\n\n<ul>{listed}</ul>"))
        return notebook, resources

    return step


def feedback(name, course):
    """Score what has changed, and write a page for each student who has points; returns the folder."""
    released, scores = scored(name, course)
    for score in scores:
        shutil.rmtree(course / "feedback" / student_id(score.student) / name, ignore_errors=True)
        if score.points:
            app = GenerateFeedback(coursedir=course_directory(course, name, student_id(score.student)))
            app.force = True
            app.preprocessors = [GetGrades, without_hidden_tests(released), CSSHTMLHeaderPreprocessor]
            result = capture_log(app)
            if not result["success"]:
                raise SystemExit(
                    f"nbgrader made no page for {score.student}:\n{result.get('log', '')}{result['error']}"
                )
    return course / "feedback"

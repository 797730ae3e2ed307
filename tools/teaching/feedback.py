"""Write a page for each student: the scored notebook with points, reasons and comments, without hidden tests."""

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
from tools.teaching.grading import score_all
from tools.teaching.submissions import student_id

HIDDEN = "A part of this test that is not shown fails"


def reason(output, cell, shown):
    """Why a test fails, in a line or two: the first line of the message, and the failing line if the student sees it.

    The message of a hidden line could contain the test's data. It is shown only if it stands literally in the test;
    otherwise the student sees the type of the error.
    """
    message = next(filter(None, map(str.strip, output.evalue.splitlines())), "")
    found = re.fullmatch(r"in line (\d+) of the test", next(iter(output.traceback), ""))  # written by the examiner
    line, source = int(found[1]) if found else 0, cell.source.splitlines()
    failing = source[line - 1].strip() if 0 < line <= len(source) else ""
    if not failing:  # the test did not start
        return _summary(output, message)
    if shown.splitlines()[line - 1 : line] == [source[line - 1]]:  # a hidden line may repeat a shown one
        return f"{_summary(output, message)}\nin the line\n    {failing}"
    is_literal = message and message in literals(cell.source)
    if output.ename == "ProcessEnded" or (output.ename == "AssertionError" and is_literal):
        return f"{_summary(output, message)}\n({HIDDEN}.)"
    return f"{output.ename}\n({HIDDEN}.)"


def literals(source):
    """The constants in the source of a test, which reveal nothing that it computes."""
    with suppress(SyntaxError):  # a line in IPython's own syntax
        return {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    return set()


def _summary(output, message):
    return shorten(f"{output.ename}: {message}", 300, placeholder=" …")


def without_hidden_tests(released):
    """A preprocessor for nbconvert that shows tests as they were handed out, and of each error only the reason."""
    handed_out = {identity(cell): cell.source for cell in released.cells if is_test(cell)}

    def step(notebook, resources):
        failing = []
        for cell in notebook.cells:
            if (shown := handed_out.get(identity(cell))) is not None:
                for output in cell.outputs:
                    if output.output_type == "error":
                        output.traceback = reason(output, cell, shown).splitlines()
                        failing.append(f"{identity(cell).removesuffix('-test')}: {output.traceback[0]}")
                cell.source = shown
        if failing:
            # HTML, so that $ begins no formula
            listed = "\n".join(f"<li><code>{html.escape(line)}</code></li>" for line in failing)
            notebook.cells.insert(0, new_markdown_cell(f"**Tests that fail**\n\n<ul>{listed}</ul>"))
        return notebook, resources

    return step


def feedback(name, course):
    """Score what has changed and write a page for each student who has points; returns the folder of the pages."""
    released, scores = score_all(name, course)
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

"""Why a test fails, in a line or two that a student may read.

A hidden line may compute with data that the student does not know, and what an answer says may contain them. So the
reason for its failure is made of what stands literally in the source of the tests, and of nothing that was computed:
of the message f"swap, p = {p}: not there" a student reads "swap, p = …: not there".
"""

import ast
import re
from contextlib import suppress
from itertools import product
from textwrap import shorten

HIDDEN = "A part of this test that is not shown fails"
LEFT_OUT = "…"


def reason(output, cell, shown, given):
    """Why a test fails: its message, and the failing line if the student sees it.

    `shown` is the test as it was handed out, and `given` has the sources of the given cells by their names.
    """
    message = next(filter(None, map(str.strip, output.evalue.splitlines())), "")
    line, source = failing_line(output), cell.source.splitlines()
    failing = source[line - 1].strip() if 0 < line <= len(source) else ""
    if not failing:  # the test did not start
        return _summary(output.ename, message)
    if shown.splitlines()[line - 1 : line] == [source[line - 1]]:  # a hidden line may repeat a shown one
        return f"{_summary(output.ename, message)}\nin the line\n    {failing}"
    if output.ename == "AssertionError":
        message = literal_message(output, cell, given)
    elif output.ename != "ProcessEnded":
        message = ""
    return f"{_summary(output.ename, message)}\n({HIDDEN}.)"


def failing_line(output):
    found = re.fullmatch(r"in line (\d+) of the test", next(iter(output.traceback), ""))  # written by the examiner
    return int(found[1]) if found else 0


def literal_message(output, cell, given):
    """The literal part of the message of the assertion that has failed; empty if an answer has raised the error."""
    origin = re.fullmatch(r"raised in line (\d+) of (.+)", output.traceback[1] if len(output.traceback) > 1 else "")
    sources = given | {cell.metadata.nbgrader.grade_id: cell.source}
    if not origin or origin[2] not in sources:
        return ""
    assertion = statement_at(sources[origin[2]], int(origin[1]))
    if not isinstance(assertion, ast.Assert) or assertion.msg is None:
        return ""
    name = first_argument(statement_at(cell.source, failing_line(output)), cell.source)
    return text_of(patterns_of(assertion.msg, sources[origin[2]], name), output.evalue)


def statement_at(source, line):
    """The innermost statement of the source that holds a line, or None."""
    with suppress(SyntaxError):  # a line in IPython's own syntax
        holding = [
            node
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno
        ]
        return max(holding, key=lambda node: node.lineno, default=None)
    return None


def calls_in(node):
    return [each for each in ast.walk(node) if isinstance(each, ast.Call)] if node else []


def first_argument(statement, source):
    """The patterns of the name by which a test calls its helper, as in _same("levels, one pair", got, wanted, 1)."""
    for call in calls_in(statement):
        if call.args and isinstance(call.args[0], ast.Constant | ast.JoinedStr):
            return patterns_of(call.args[0], source)
    return [[LEFT_OUT]]


def patterns_of(message, source, name=None):
    """What a message may be: for each case the parts of it, literal text, and LEFT_OUT for what is computed.

    `name` has the patterns that stand for the first parameter of a helper.
    """
    if isinstance(message, ast.Constant):
        return [[str(message.value)]]
    if isinstance(message, ast.FormattedValue):
        return patterns_of(message.value, source, name)
    if isinstance(message, ast.JoinedStr):
        cases = product(*(patterns_of(value, source, name) for value in message.values))
        return [[part for parts in case for part in parts] for case in cases]
    if isinstance(message, ast.IfExp):
        return patterns_of(message.body, source, name) + patterns_of(message.orelse, source, name)
    if isinstance(message, ast.Name):
        if name and message.id == "name":
            return name
        values = [
            node.value
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == message.id
        ]
        if values and all(isinstance(value, ast.Constant | ast.JoinedStr | ast.IfExp) for value in values):
            return [pattern for value in values for pattern in patterns_of(value, source, name)]
    return [[LEFT_OUT]]


def text_of(patterns, message):
    """The text of that pattern which the message has; empty if all of it was computed."""
    for pattern in patterns:
        written = ".*?".join(map(re.escape, "".join(pattern).split(LEFT_OUT)))
        if re.fullmatch(written, message, flags=re.DOTALL) and set(pattern) != {LEFT_OUT}:
            return "".join(pattern)
    return ""


def _summary(kind, message):
    return shorten(f"{kind}: {message}" if message else kind, 300, placeholder=" …")

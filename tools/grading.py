"""Score what students hand in, with nbgrader, where none of their code can reach: `make grade NAME=krr`.

Three processes take part. This one keeps nbgrader's database, and runs nothing of a submission. The examiner holds the
tests (`examiner.py`), and calls the answers, which run in a process with limits (`worker.py`, by `sandbox.py`).
"""

import ast
import csv
import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from textwrap import shorten

import nbformat
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.preprocessors import Execute
from nbgrader.utils import capture_log, is_locked

from tools.examiner import error_output
from tools.exercises import COURSE, ROOT, course_directory, identity, is_solution, is_test, read, seed_of
from tools.guard import STARTING, Guard
from tools.names import CellNames, is_one_import
from tools.sandbox import confines, danger
from tools.submissions import UngradableError, read_submission, rebuilt, student_id, students

SECONDS = 60  # of processor time, for a cell, or for what a test asks of the answers; students are told a minute


def names_in(code):
    """What a cell binds, and the kinds; nothing if it is no Python, or nested too deeply to be read."""
    try:
        return CellNames(ast.parse(code).body).bound
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def given_names(cell):
    """What a locked cell that is no test binds, for the tests and the student, and the kinds."""
    given = cell.cell_type == "code" and is_locked(cell) and not is_test(cell)
    return names_in(cell.source) if given else {}


def job_for(notebook, released, seconds):
    """What the examiner needs to know of a submission, whose locked cells are those of the release."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            kind = "test" if is_test(cell) else "answer"
            name = identity(cell) or f"cell {len(cells) + 1}"
            cells.append({"kind": kind, "name": name, "source": cell.source, "names": sorted(given_names(cell))})
    given = [
        {"name": identity(cell), "source": cell.source, "names": sorted(names)}
        for cell in released.cells
        if (names := given_names(cell))
    ]
    answers = {name for cell in released.cells if is_solution(cell) for name in names_in(cell.source)}
    return {"cells": cells, "given": given, "answers": sorted(answers), "seconds": seconds, "confined": confines()}


def examined(job):
    """The outputs of each cell, and a list of cells that ended a process, each with the reason.

    Where a test ends the examiner, another goes on after it.
    """
    outputs, endings, done, spent = [], [], [], 0.0
    while len(outputs) < len(job["cells"]):
        lines, reason = examine({**job, "judged": len(outputs), "done": done, "spent": spent})
        outputs += [line["outputs"] for line in lines]
        if lines:
            endings, done, spent = endings + lines[-1]["endings"], lines[-1]["done"], lines[-1]["spent"]
        if reason and len(outputs) < len(job["cells"]):
            name, reason = job["cells"][len(outputs)]["name"], f"(its own work, with this answer) {reason}"
            outputs.append([error_output("RuntimeError", f"{name} {reason}")])
            endings.append([name, reason])
            spent += job["seconds"]
    return outputs, endings


def examine(job):
    """The lines of one examiner, a cell's each, and, unless it came to its own end, why it did not."""
    with tempfile.TemporaryFile("w+") as errors:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "KERNELBOOK_QUIET": "1", "MPLBACKEND": "Agg"}
        process = subprocess.Popen(
            [sys.executable, "-m", "tools.examiner"],
            cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8",
        )  # fmt: skip
        guard = Guard(process, STARTING, patience=60, descendants=False)
        guard.awaited = True
        with suppress(BrokenPipeError):  # it has ended, and says below why
            json.dump(job, process.stdin)
            process.stdin.close()
        started, lines = process.stdout.readline(), []
        guard.seconds = job["seconds"]
        guard.begin()
        for line in process.stdout:
            guard.begin()
            lines.append(json.loads(line))
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        guard.end()
        code, reason = process.wait(), guard.reason
        if started and code < 0 and not reason:
            reason = "was ended by the system, perhaps for its use of memory"
        if started and (reason or (code == 0 and len(lines) == len(job["cells"]) - job["judged"])):
            return lines, reason
        errors.seek(0)
        raise RuntimeError(f"The examiner failed: {reason or ''}\n{errors.read()}")


def execution(released, seconds, endings, failures):
    """nbgrader's step that executes the cells, by an examiner; `endings` is filled, and `failures` with its error."""

    def execute(notebook, resources):
        try:
            outputs, found = examined(job_for(notebook, released, seconds))
        except BaseException as error:  # which nbgrader makes a log of many lines, even an interruption
            failures.append(error)
            raise
        endings.extend(f"{cell} {reason}" for cell, reason in found)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        for number, (cell, output) in enumerate(zip(code, outputs, strict=True), 1):
            cell.execution_count = number
            cell.outputs = [nbformat.from_dict(item) for item in output]
        return notebook, resources

    return execute


def autograde(name, student, course, submitted, released, seconds):
    """Run one submission against the tests, by nbgrader; returns the points of each, and what there is to say."""
    directory = course_directory(course, name, student)
    directory.submitted_directory = submitted
    app = Autograde(coursedir=directory)
    app.force = True
    endings, failures = [], []
    steps = list(app.autograde_preprocessors)
    steps[steps.index(Execute)] = execution(released, seconds, endings, failures)
    app.autograde_preprocessors = steps
    result = capture_log(app)
    if failures:
        raise failures[0]
    if not result["success"]:
        raise UngradableError(f"nbgrader fails: {result.get('log') or result['error']}")
    with Gradebook(directory.db_url) as gradebook:
        grades = gradebook.find_submission_notebook(name, name, student).grades
        return {grade.name: grade.score for grade in grades}, endings


def remarks(submission, released):
    """What a teacher should know of a submission that differs from the release in more than its answers."""
    found = []
    given, theirs = {}, {}
    answers = {identity(cell) for cell in released.cells if is_solution(cell)}
    for cell in released.cells:
        given |= given_names(cell)
    for cell in submission.cells:
        if identity(cell) in answers:
            theirs |= names_in(cell.source)
    both = (given.keys() & theirs.keys()) - {"_"}  # a name for what is not wanted
    if taken := sorted(name for name in both if not is_one_import(given[name] | theirs[name])):
        found.append(f"gives another meaning to {', '.join(taken)}, which the tests do not follow")
    seeds = seed_of(submission), seed_of(released)
    if seeds[0] != seeds[1]:
        found.append(f"came with SEED {seeds[0]}, graded with {seeds[1]}")
    there = {identity(cell) for cell in submission.cells}
    lost = [identity(cell) for cell in released.cells if identity(cell) and identity(cell) not in there]
    if lost:
        found.append(f"came without the cells {shorten(', '.join(lost), 80, placeholder=' …')}")
    return found


def score(name, student, released, course, seconds):
    """One student's points by test, empty if there are none to be had, and what there is to say."""
    found = []
    try:
        submission = read_submission(course / "submitted" / student, name)
        found = remarks(submission, released)
        with tempfile.TemporaryDirectory(prefix="grading-", dir=course) as place:
            known = student_id(student)
            path = Path(place) / known / name / f"{name}.ipynb"
            path.parent.mkdir(parents=True)
            nbformat.write(rebuilt(submission, released), path)
            points, said = autograde(name, known, course, Path(place).name, released, seconds)
        return points, "; ".join([*said, *found])
    except UngradableError as error:
        said = f"not graded: {shorten(str(error), 300, placeholder=' …')}"
    except Exception as error:  # one submission is never the end of the others
        said = f"not graded: {type(error).__name__}: {shorten(str(error), 300, placeholder=' …')}"
    return {}, "; ".join([said, *found])


def in_table(student):
    """A name in a table's encoding, and such that no spreadsheet takes it for a formula."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in student)
    return f"'{text}" if text.lstrip()[:1] in "=+-@＝＋－＠" else text


def grade(name, course=COURSE, seconds=SECONDS):
    """Score all that lies in submitted/ and write a table, a row for each student; returns where it lies."""
    path = course / "release" / name / f"{name}.ipynb"
    if not path.is_file():
        raise SystemExit(f"{name!r} was not handed out from here: run 'make assignment NAME={name}' first.")
    released = read(path)
    tests = {identity(cell): cell.metadata.nbgrader.points for cell in released.cells if is_test(cell)}
    submitted = students(course / "submitted")
    if not submitted:
        raise SystemExit(f"Nothing is handed in: put files at {course / 'submitted'}/<student>/{name}/{name}.ipynb.")
    if warning := danger():
        print(warning)
    table, maximum = course / f"{name}.csv", sum(tests.values())
    unfinished = table.with_suffix(".csv.part")  # the table of before stays until this one is whole
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["student", *(test.removesuffix("-test") for test in tests), "total", "maximum", "remark"])
        for student in submitted:
            points, remark = score(name, student, released, course, seconds)
            total = sum(points.values()) if points else ""
            row = [*(points.get(test, "") for test in tests), total, maximum, remark]
            writer.writerow([in_table(student), *row])
            file.flush()
            got = f"{total:g} of {maximum:g}" if points else "no score"
            print("; ".join(filter(None, [f"{in_table(student)}: {got}", remark])))
    unfinished.replace(table)
    return table

"""Score what students hand in, with nbgrader, where none of their code can reach: `make grade NAME=krr`.

Three processes take part. This one keeps nbgrader's database, and runs nothing of a submission. The examiner holds the
tests (`examiner.py`), and calls the answers, which run in a process with limits (`worker.py`, by `sandbox.py`).
"""

import ast
import copy
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from textwrap import shorten

import nbformat
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.preprocessors import Execute, OverwriteCells
from nbgrader.utils import capture_log, is_locked

from tools.exercises import COURSE, ROOT, course_directory, identity, is_solution, is_test, read, seed_of
from tools.guard import STARTING, Guard
from tools.names import CellNames
from tools.sandbox import confines

SECONDS = 60  # of processor time, for a cell, or for what a test asks of the answers; students are told a minute
ENDINGS = 5  # so many tests of a submission may end the examiner before we give it up
OPEN = (
    "Students' code runs as a process of this account, and can read and write what the account can: there is no "
    "bubblewrap here that works. Use an account in which it can do no harm."
)


def putting_back(released):
    """A step before grading: locked cells that a submission has lost return, each before what follows it there.

    nbgrader's own `add_missing_cells` fails where the neighbour is gone too, and the rest of it over a cell whose name
    was not handed out, or was taken from it because a copy has it.
    """
    handed_out = [cell for cell in released.cells if identity(cell)]
    names = [identity(cell) for cell in handed_out]

    def put_back(notebook, resources):
        for cell in notebook.cells:
            if identity(cell) not in names:
                cell.metadata.pop("nbgrader", None)
        for place, cell in reversed(list(enumerate(handed_out))):
            there = [identity(other) for other in notebook.cells]
            if is_locked(cell) and names[place] not in there:
                following = [i for i, name in enumerate(there) if name in names[place + 1 :]]
                notebook.cells.insert(min(following, default=len(there)), copy.deepcopy(cell))
        return notebook, resources

    return put_back


def names_in(code):
    """What a cell binds; nothing if it is no Python, or nested too deeply to be read."""
    try:
        return sorted(CellNames(ast.parse(code).body).bound)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def given_names(cell):
    """What a locked cell that is no test binds, for the tests and the student."""
    given = cell.cell_type == "code" and is_locked(cell) and not is_test(cell)
    return names_in(cell.source) if given else []


def job_for(notebook, released, seconds):
    """What the examiner needs to know of a submission, whose locked cells are those of the release."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            kind = "test" if is_test(cell) else "answer"
            name = identity(cell) or f"cell {len(cells) + 1}"
            cells.append({"kind": kind, "name": name, "source": cell.source, "names": given_names(cell)})
    given = [
        {"name": identity(cell), "source": cell.source, "names": names}
        for cell in released.cells
        if (names := given_names(cell))
    ]
    answers = {name for cell in released.cells if is_solution(cell) for name in names_in(cell.source)}
    return {"cells": cells, "given": given, "answers": sorted(answers), "seconds": seconds, "confined": confines()}


class UngradableError(Exception):
    """A submission cannot be graded, and why."""


def examined(job):
    """The outputs of each cell, and a list of cells that ended a process, each with the reason."""
    ended = {}
    for _ in range(ENDINGS + 1):
        lines, reason = examine({**job, "ended": {number: reason for number, (_, reason) in ended.items()}})
        endings = [*map(list, ended.values()), *(lines[-1]["endings"] if lines else [])]
        if reason is None and len(lines) == len(job["cells"]):
            return [line["outputs"] for line in lines], endings
        if reason is None or len(lines) == len(job["cells"]):
            break
        ended[len(lines)] = job["cells"][len(lines)]["name"], f"(its own work, with this answer) {reason}"
    raise UngradableError("; ".join(f"{cell} {reason}" for cell, reason in endings))


def examine(job):
    """The lines of one examiner, and, unless it came to its own end, why it did not."""
    with tempfile.TemporaryFile("w+") as errors:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "KERNELBOOK_QUIET": "1", "MPLBACKEND": "Agg"}
        process = subprocess.Popen(
            [sys.executable, "-m", "tools.examiner"],
            cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8",
        )  # fmt: skip
        guard = Guard(process, STARTING, patience=60, descendants=False)
        guard.awaited = True
        json.dump(job, process.stdin)
        process.stdin.close()
        lines = []
        for line in process.stdout:
            guard.begin()
            guard.seconds = job["seconds"]
            lines.append(json.loads(line))
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        guard.end()
        if process.wait() == 0 or guard.reason:
            return lines, guard.reason
        errors.seek(0)
        raise RuntimeError(f"The examiner failed:\n{errors.read()}")


def execution(released, seconds, endings):
    """nbgrader's step that executes the cells, by an examiner; `endings` is filled."""

    def execute(notebook, resources):
        outputs, found = examined(job_for(notebook, released, seconds))
        endings.extend(f"{cell} {reason}" for cell, reason in found)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        for number, (cell, output) in enumerate(zip(code, outputs, strict=True), 1):
            cell.execution_count = number
            cell.outputs = [nbformat.from_dict(item) for item in output]
        return notebook, resources

    return execute


def autograde(name, student, released, course, seconds):
    """Run one submission against the tests; returns whether that was possible, and what there is to say."""
    app = Autograde(coursedir=course_directory(course, name, student))
    app.force = True
    endings = []
    before, after = list(app.sanitize_preprocessors), list(app.autograde_preprocessors)
    before.insert(before.index(OverwriteCells), putting_back(released))
    after[after.index(Execute)] = execution(released, seconds, endings)
    app.sanitize_preprocessors, app.autograde_preprocessors = before, after
    result = capture_log(app)
    if result["success"]:
        return True, endings
    reasons = re.findall(r"^\s*(?:\w+\.)*(\w+(?:Error|Exception): .+)", result.get("log", ""), re.MULTILINE)
    said = reasons[-1].removeprefix("UngradableError: ") if reasons else "nbgrader does not say why"
    return False, [f"not graded: {said}"]


def remarks(submission, released):
    """What a teacher should know of a submission that differs from the release in more than its answers."""
    found = []
    given = {name for cell in released.cells for name in given_names(cell)}
    theirs = {name for cell in submission.cells if is_solution(cell) for name in names_in(cell.source)}
    if taken := sorted(given & theirs):
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
    folder = course / "submitted" / student
    path = folder / name / f"{name}.ipynb"
    if any(part.is_symlink() for part in (folder, *folder.rglob("*"))):
        return {}, "not graded: a link to another place is among the files"
    if not path.is_file():
        others = ", ".join(sorted(other.name for other in path.parent.glob("*.ipynb")))
        return {}, f"not graded: there is no {name}/{name}.ipynb{others and f', but {others}'}"
    try:
        found = remarks(nbformat.validator.normalize(read(path))[1], released)
    except Exception as error:  # whatever a student can do to a file
        return {}, f"not graded: not a notebook ({type(error).__name__})"
    graded, said = autograde(name, student, released, course, seconds)
    if not graded:
        return {}, "; ".join([*said, *found])
    with Gradebook(course_directory(course, name).db_url) as gradebook:
        grades = gradebook.find_submission_notebook(name, name, student).grades
        return {grade.name: grade.score for grade in grades}, "; ".join([*said, *found])


def grade(name, course=COURSE, seconds=SECONDS):
    """Score every folder in submitted/ and write a table, a row for each student; returns where it lies."""
    path = course / "release" / name / f"{name}.ipynb"
    if not path.is_file():
        raise SystemExit(f"{name!r} was not handed out from here: run 'make assignment NAME={name}' first.")
    released = read(path)
    tests = {identity(cell): cell.metadata.nbgrader.points for cell in released.cells if is_test(cell)}
    students = sorted(folder.name for folder in (course / "submitted").glob("*") if folder.is_dir())
    if not students:
        raise SystemExit(f"Nothing is handed in: put files at {course / 'submitted'}/<student>/{name}/{name}.ipynb.")
    if not confines():
        print(OPEN)
    table = course / f"{name}.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["student", *(test.removesuffix("-test") for test in tests), "total", "maximum", "remark"])
        for student in students:
            points, remark = score(name, student, released, course, seconds)
            student = student.encode(errors="backslashreplace").decode()  # a name in another encoding than the table's
            total = sum(points.values()) if points else ""
            maximum = sum(tests.values())
            writer.writerow([student, *(points.get(test, "") for test in tests), total, maximum, remark])
            print(f"{student}: {f'{total:g} of {maximum:g}' if points else 'no score'}{remark and f'; {remark}'}")
    return table

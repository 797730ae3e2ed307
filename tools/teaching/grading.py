"""Score submissions with nbgrader, out of reach of the students' code: `make grade NAME=krr`.

Three processes take part. The present one keeps nbgrader's database and runs nothing of a submission. The examiner
(`examiner.py`) holds the tests and calls the answers. The answers run in a process with limits (`worker.py`), which
`sandbox.py` starts.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from textwrap import shorten

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde
from nbgrader.preprocessors import AssignLatePenalties, Execute
from nbgrader.utils import capture_log, is_locked

from tools.bookbuild.cell_names import CellNames, is_one_import
from tools.teaching.course import COURSE, course_directory, nbgrader_config, parse_time, released_notebook, score_cache
from tools.teaching.examiner import error_output
from tools.teaching.exercises import ROOT, identity, is_solution, is_test, seed_of
from tools.teaching.guard import STARTUP_SECONDS, Guard
from tools.teaching.overview import write_overview
from tools.teaching.sandbox import can_confine, library, safety_warning
from tools.teaching.score_tables import Score, maxima, write_atomically, write_tables
from tools.teaching.submissions import UngradableError, read_submission, rebuilt, student_id, students

SECONDS = 60  # processor time for a cell, or for the calls of a test; students are told a minute


def names_in(code):
    """The names that a cell binds, with their kinds; empty if it is not Python or too deeply nested for the parser."""
    try:
        return CellNames(ast.parse(code).body).bound
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def given_names(cell):
    """The names that a locked cell other than a test binds, with their kinds; tests and students use them."""
    given = cell.cell_type == "code" and is_locked(cell) and not is_test(cell)
    return names_in(cell.source) if given else {}


def job_for(notebook, released, seconds):
    """What the examiner needs to know about a submission, whose locked cells are those of the release."""
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
    return {"cells": cells, "given": given, "answers": sorted(answers), "seconds": seconds, "confined": can_confine()}


def examine(job):
    """The outputs of each cell, and a list of the cells that ended a process, each with the reason.

    If a test ends the examiner, a new examiner continues after that test.
    """
    outputs, endings, done, spent, replayed = [], [], [], 0.0, 0.0
    while len(outputs) < len(job["cells"]):
        state = {"judged": len(outputs), "done": done, "spent": spent, "replayed": replayed}
        lines, reason = run_examiner({**job, **state})
        outputs += [line["outputs"] for line in lines]
        if lines:
            last = lines[-1]
            endings, done, spent, replayed = endings + last["endings"], last["done"], last["spent"], last["replayed"]
        if reason and len(outputs) < len(job["cells"]):
            name, reason = job["cells"][len(outputs)]["name"], f"(its own work, with this answer) {reason}"
            outputs.append([error_output("RuntimeError", f"{name} {reason}")])
            endings.append([name, reason])
            spent += job["seconds"]
    return outputs, endings


def run_examiner(job):
    """The lines that one examiner writes, one for each cell, and the reason why it was ended, or None."""
    with tempfile.TemporaryFile("w+") as errors:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "KERNELBOOK_QUIET": "1", "MPLBACKEND": "Agg"}
        process = subprocess.Popen(
            [sys.executable, "-m", "tools.teaching.examiner"],
            cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8",
        )  # fmt: skip
        guard = Guard(process, STARTUP_SECONDS, wait_factor=60, descendants=False)
        guard.awaited = True
        with suppress(BrokenPipeError):  # it has ended; the code below finds out why
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
            reason = "was ended by a signal that cannot be caught, perhaps the system's for its use of memory"
        if started and (reason or (code == 0 and len(lines) == len(job["cells"]) - job["judged"])):
            return lines, reason
        errors.seek(0)
        raise RuntimeError(f"The examiner failed: {reason or ''}\n{errors.read()}")


def execution_step(released, seconds, endings, failures):
    """A preprocessor for nbgrader that runs the cells by an examiner, and adds to `endings` and `failures`."""

    def execute(notebook, resources):
        try:
            outputs, cell_endings = examine(job_for(notebook, released, seconds))
        except BaseException as error:  # nbgrader would turn it into a long log, even an interruption
            failures.append(error)
            raise
        endings.extend(f"{cell} {reason}" for cell, reason in cell_endings)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        for number, (cell, output) in enumerate(zip(code, outputs, strict=True), 1):
            cell.execution_count = number
            cell.outputs = [nbformat.from_dict(item) for item in output]
        return notebook, resources

    return execute


def autograde(name, student, course, submitted, released, seconds):
    """Let nbgrader run one submission against the tests and store the points; returns remarks for the teacher."""
    directory = course_directory(course, name, student)
    directory.submitted_directory = submitted
    app = Autograde(coursedir=directory, config=nbgrader_config(course))
    app.force = True
    endings, failures = [], []
    steps = list(app.autograde_preprocessors)
    steps[steps.index(Execute)] = execution_step(released, seconds, endings, failures)
    app.autograde_preprocessors = steps
    result = capture_log(app)
    if failures:
        raise failures[0]
    if not result["success"]:
        raise UngradableError(f"nbgrader fails: {result.get('log') or result['error']}")
    return endings


def remarks(submission, released):
    """Remarks on a submission that differs from the release in more than its answers."""
    found = []
    given, theirs = {}, {}
    answers = {identity(cell) for cell in released.cells if is_solution(cell)}
    for cell in released.cells:
        given |= given_names(cell)
    for cell in submission.cells:
        if identity(cell) in answers:
            theirs |= names_in(cell.source)
    both = (given.keys() & theirs.keys()) - {"_"}  # by custom the name of unused values
    if taken := sorted(name for name in both if not is_one_import(given[name] | theirs[name])):
        found.append(f"gives another meaning to {', '.join(taken)}, which the tests do not follow")
    seeds = seed_of(submission), seed_of(released)
    if seeds[0] != seeds[1]:
        found.append(f"came with SEED {seeds[0]}, graded with {seeds[1]}")
    present = {identity(cell) for cell in submission.cells}
    if lost := [identity(cell) for cell in released.cells if identity(cell) and identity(cell) not in present]:
        found.append(f"came without the cells {shorten(', '.join(lost), 80, placeholder=' …')}")
    return found


def submission_time(folder, name):
    """The text of a submission's timestamp.txt, which nbgrader reads, and the time in it, or None."""
    path = folder / name / "timestamp.txt"
    if path.is_symlink() or not path.is_file():
        return "", None
    text = path.read_bytes()[:100].decode(errors="replace").strip().partition("\n")[0].strip()
    return text, parse_time(text)


def ensure_graded(name, student, released, course, seconds, cache):
    """Make sure that the gradebook has the points of a submission as it is now; returns the remarks on it.

    `cache` maps students to remarks and a hash of everything that they depend on; it is brought up to date.
    """
    folder = course / "submitted" / student
    content, submission = read_submission(folder, name)
    text, time = submission_time(folder, name)
    version = sha256(b"\0".join([content, text.encode(), *dependencies(name, course, seconds)])).hexdigest()
    plain = student_id(student)
    if cache.get(plain, {}).get("version") != version or not in_gradebook(course, name, plain):
        with tempfile.TemporaryDirectory(prefix="grading-", dir=course) as place:
            path = Path(place) / plain / name / f"{name}.ipynb"
            path.parent.mkdir(parents=True)
            nbformat.write(rebuilt(submission, released), path)
            if time:
                path.with_name("timestamp.txt").write_text(f"{time:%Y-%m-%d %H:%M:%S} UTC", encoding="utf-8")
            found = autograde(name, plain, course, Path(place).name, released, seconds)
        cache[plain] = {"version": version, "remarks": found + remarks(submission, released)}
    return cache[plain]["remarks"]


def dependencies(name, course, seconds):
    """Everything besides the submission that a score depends on, as bytes; the source holds the hidden tests."""
    grader = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    assignment = [(course / folder / name / f"{name}.ipynb").read_bytes() for folder in ("source", "release")]
    return [*assignment, library().name.encode(), repr((seconds, can_confine())).encode(), *grader]


def in_gradebook(course, name, student):
    with Gradebook(course_directory(course, name).db_url) as gradebook:
        try:
            gradebook.find_submission(name, student)
        except MissingEntry:
            return False
    return True


def late_plugin(course):
    """nbgrader's rule for late submissions, as the course has set it."""
    try:
        step = AssignLatePenalties(config=nbgrader_config(course))
        step.init_plugin()
        return step.plugin_inst
    except Exception as error:  # the teacher's own code may raise anything
        raise SystemExit(f"{course / 'nbgrader_config.py'}: {type(error).__name__}: {error}") from None


def update_penalty(gradebook, work, course):
    """Store and return nbgrader's penalty for a late submission, from its present points, including those by hand."""
    penalty, late = 0.0, work.assignment.total_seconds_late
    if late > 0:
        found = late_plugin(course).late_submission_penalty(work.student.id, work.score, late)
        penalty = min(max(found or 0.0, 0.0), work.score)
    work.late_submission_penalty = penalty or None
    gradebook.db.commit()
    return penalty


def points_of(name, student, course):
    """The points of each graded cell, None where they are still to be given by hand; the penalty; and remarks."""
    found = []
    with Gradebook(course_directory(course, name).db_url) as gradebook:
        work = gradebook.find_submission_notebook(name, name, student)
        points, waiting, anew = {}, [], []
        for grade in work.grades:
            by_hand = grade.manual_score is not None
            points[grade.name] = grade.score if by_hand or grade.auto_score is not None else None
            if grade.needs_manual_grade:
                (anew if by_hand else waiting).append(grade.name)
        penalty, late = update_penalty(gradebook, work, course), work.assignment.total_seconds_late
        due, came = work.assignment.assignment.duedate, work.assignment.timestamp
    if waiting:
        found.append(f"waits for points by hand: {', '.join(sorted(waiting))}")
    if anew:
        found.append(f"was graded anew after points were given by hand: look at {', '.join(sorted(anew))}")
    if late > 0:
        found.append(f"came {timedelta(seconds=round(late))} late")
    elif due and not came:
        found.append("came without a time in timestamp.txt, so counts as in time")
    return points, penalty, found


def score_student(name, student, released, course, seconds, cache):
    """One student's score; it has no points if the submission cannot be graded."""
    try:
        found = ensure_graded(name, student, released, course, seconds, cache)
        points, penalty, more = points_of(name, student_id(student), course)
        return Score(student, points, penalty, "; ".join([*more, *found]))
    except UngradableError as error:
        reason = str(error)
    except Exception as error:  # one submission must not stop the others
        reason = f"{type(error).__name__}: {error}"
    return Score(student, {}, 0.0, f"not graded: {shorten(reason, 300, placeholder=' …')}")


def score_all(name, course, seconds=SECONDS):
    """The released notebook, and the scores of everything in submitted/; unchanged submissions do not run again."""
    released = released_notebook(name, course)
    submitted = students(course / "submitted")
    if not submitted:
        raise SystemExit(f"Nothing is handed in: put files at {course / 'submitted'}/<student>/{name}/{name}.ipynb.")
    if warning := safety_warning():
        print(warning)
    late_plugin(course)
    path = score_cache(course, name)
    cache = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    path.parent.mkdir(exist_ok=True)
    scores = []
    for student in submitted:
        scores.append(score_student(name, student, released, course, seconds, cache))
        write_atomically(path, json.dumps(cache))
        print(scores[-1].line(maxima(released)))
    return released, scores


def grade(name, course=COURSE, seconds=SECONDS):
    """Score everything in submitted/ and write the tables and the class's page; returns the path of the first table."""
    released, scores = score_all(name, course, seconds)
    table = write_tables(name, course, maxima(released), scores)
    write_overview(name, course, released, scores)
    return table

"""Score what students hand in, with nbgrader, where none of their code can reach: `make grade NAME=krr`.

Three processes take part. This one keeps nbgrader's database, and runs nothing of a submission. The examiner holds the
tests (`examiner.py`), and calls the answers, which run in a process with limits (`worker.py`, by `sandbox.py`).
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
from tools.teaching.course import COURSE, course_directory, moment, released_notebook, scores_known, settings
from tools.teaching.examiner import error_output
from tools.teaching.exercises import ROOT, identity, is_solution, is_test, seed_of
from tools.teaching.guard import STARTING, Guard
from tools.teaching.overview import write_overview
from tools.teaching.sandbox import confines, danger, library
from tools.teaching.score_tables import Score, maxima, replace, write_tables
from tools.teaching.submissions import UngradableError, read_submission, rebuilt, student_id, students

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
    outputs, endings, done, spent, replayed = [], [], [], 0.0, 0.0
    while len(outputs) < len(job["cells"]):
        lines, reason = examine({**job, "judged": len(outputs), "done": done, "spent": spent, "replayed": replayed})
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


def examine(job):
    """The lines of one examiner, a cell's each, and, unless it came to its own end, why it did not."""
    with tempfile.TemporaryFile("w+") as errors:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "KERNELBOOK_QUIET": "1", "MPLBACKEND": "Agg"}
        process = subprocess.Popen(
            [sys.executable, "-m", "tools.teaching.examiner"],
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
            reason = "was ended by a signal that cannot be caught, perhaps the system's for its use of memory"
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
    """Run one submission against the tests, by nbgrader, into its gradebook; returns what there is to say."""
    directory = course_directory(course, name, student)
    directory.submitted_directory = submitted
    app = Autograde(coursedir=directory, config=settings(course))
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
    return endings


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


def submitted_at(folder, name):
    """The text of a submission's timestamp.txt, where nbgrader looks for it, and the time that it says, or None."""
    path = folder / name / "timestamp.txt"
    if path.is_symlink() or not path.is_file():
        return "", None
    text = path.read_bytes()[:100].decode(errors="replace").strip().partition("\n")[0].strip()
    return text, moment(text)


def graded(name, student, released, course, seconds, known):
    """See to it that the gradebook has the points of a submission as it is now; returns what there is to say of it.

    `known` has what was said before, with a mark of all that it depends on, by student; it is brought up to date.
    """
    folder = course / "submitted" / student
    content, submission = read_submission(folder, name)
    text, time = submitted_at(folder, name)
    mark = sha256(b"\0".join([content, text.encode(), *surroundings(name, course, seconds)])).hexdigest()
    plain = student_id(student)
    if known.get(plain, {}).get("mark") != mark or not in_gradebook(course, name, plain):
        with tempfile.TemporaryDirectory(prefix="grading-", dir=course) as place:
            path = Path(place) / plain / name / f"{name}.ipynb"
            path.parent.mkdir(parents=True)
            nbformat.write(rebuilt(submission, released), path)
            if time:
                path.with_name("timestamp.txt").write_text(f"{time:%Y-%m-%d %H:%M:%S} UTC", encoding="utf-8")
            said = autograde(name, plain, course, Path(place).name, released, seconds)
        known[plain] = {"mark": mark, "said": said + remarks(submission, released)}
    return known[plain]["said"]


def surroundings(name, course, seconds):
    """What a score depends on besides the submission, as bytes; the source holds the hidden tests."""
    own = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    made = [(course / folder / name / f"{name}.ipynb").read_bytes() for folder in ("source", "release")]
    return [*made, library().name.encode(), repr((seconds, confines())).encode(), *own]


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
        step = AssignLatePenalties(config=settings(course))
        step.init_plugin()
        return step.plugin_inst
    except Exception as error:  # whatever the teacher's own code does
        raise SystemExit(f"{course / 'nbgrader_config.py'}: {type(error).__name__}: {error}") from None


def penalised(gradebook, work, course):
    """nbgrader's penalty for a late submission, from the points that it has now, those given by hand among them."""
    penalty, late = 0.0, work.assignment.total_seconds_late
    if late > 0:
        found = late_plugin(course).late_submission_penalty(work.student.id, work.score, late)
        penalty = min(max(found or 0.0, 0.0), work.score)
    work.late_submission_penalty = penalty or None
    gradebook.db.commit()
    return penalty


def points_of(name, student, course):
    """The points of each graded cell, None where they are to be given by hand yet; the penalty; and what to say."""
    said = []
    with Gradebook(course_directory(course, name).db_url) as gradebook:
        work = gradebook.find_submission_notebook(name, name, student)
        points, waiting, anew = {}, [], []
        for grade in work.grades:
            by_hand = grade.manual_score is not None
            points[grade.name] = grade.score if by_hand or grade.auto_score is not None else None
            if grade.needs_manual_grade:
                (anew if by_hand else waiting).append(grade.name)
        penalty, late = penalised(gradebook, work, course), work.assignment.total_seconds_late
        due, came = work.assignment.assignment.duedate, work.assignment.timestamp
    if waiting:
        said.append(f"waits for points by hand: {', '.join(sorted(waiting))}")
    if anew:
        said.append(f"was graded anew after points were given by hand: look at {', '.join(sorted(anew))}")
    if late > 0:
        said.append(f"came {timedelta(seconds=round(late))} late")
    elif due and not came:
        said.append("came without a time in timestamp.txt, so counts as in time")
    return points, penalty, said


def score(name, student, released, course, seconds, known):
    """One student's points and penalty, no points if there are none to be had, and what there is to say."""
    try:
        said = graded(name, student, released, course, seconds, known)
        points, penalty, more = points_of(name, student_id(student), course)
        return Score(student, points, penalty, "; ".join([*more, *said]))
    except UngradableError as error:
        said = f"not graded: {shorten(str(error), 300, placeholder=' …')}"
    except Exception as error:  # one submission is never the end of the others
        said = f"not graded: {type(error).__name__}: {shorten(str(error), 300, placeholder=' …')}"
    return Score(student, {}, 0.0, said)


def scored(name, course, seconds=SECONDS):
    """The release, and the scores of all that lies in submitted/; what is as it was, is not run again."""
    released = released_notebook(name, course)
    submitted = students(course / "submitted")
    if not submitted:
        raise SystemExit(f"Nothing is handed in: put files at {course / 'submitted'}/<student>/{name}/{name}.ipynb.")
    if warning := danger():
        print(warning)
    late_plugin(course)
    memory = scores_known(course, name)
    known = json.loads(memory.read_text("utf-8")) if memory.is_file() else {}
    memory.parent.mkdir(exist_ok=True)
    scores = []
    for student in submitted:
        scores.append(score(name, student, released, course, seconds, known))
        replace(memory, json.dumps(known))
        print(scores[-1].line(maxima(released)))
    return released, scores


def grade(name, course=COURSE, seconds=SECONDS):
    """Score all that lies in submitted/, and write the tables and the class's page; returns where the first lies."""
    released, scores = scored(name, course, seconds)
    table = write_tables(name, course, maxima(released), scores)
    write_overview(name, course, released, scores)
    return table

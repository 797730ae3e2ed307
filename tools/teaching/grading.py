"""Score submissions with nbgrader, out of reach of the students' code: `make grade NAME=krr`.

Three processes take part. The present one keeps nbgrader's database and runs nothing of a submission. The examiner
(`examiner.py`) holds the tests and calls the answers. The answers run in a process with limits (`worker.py`), which
`sandbox.py` starts. As many submissions are examined at the same time as there are processors.
"""

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from textwrap import shorten

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde
from nbgrader.preprocessors import Execute
from nbgrader.utils import capture_log

from tools.teaching.collecting import remarks_on_collecting
from tools.teaching.copies import find_copies
from tools.teaching.course import COURSE, course_directory, nbgrader_config, released_notebook, score_cache
from tools.teaching.examination import examine, job_for, side_by_side
from tools.teaching.exercises import identity, is_graded, is_test, read, seed_of, variant
from tools.teaching.lateness import late_plugin, lateness, submission_time, update_penalty
from tools.teaching.overview import write_overview
from tools.teaching.packages import imported_by, of_the_library
from tools.teaching.remarks import remarks
from tools.teaching.sandbox import can_confine, library, safety_warning
from tools.teaching.score_tables import Score, maxima, write_atomically, write_tables
from tools.teaching.students import handing_out, seed_for
from tools.teaching.submissions import UngradableError, read_submission, rebuilt, student_id, students

SECONDS = 60  # processor time for a cell, or for the calls of a test; students are told a minute
# The modules that decide what a score is; others decide how it is shown.
GRADER = ["answers", "examination", "examiner", "exchange", "guard", "proxies", "sandbox", "serialization", "session"]
GRADER += ["submissions", "system_calls", "worker"]


@dataclass
class Assignment:
    """What all submissions are compared with: the notebook handed out, and the same with its hidden tests."""

    name: str
    course: Path
    seconds: float
    released: nbformat.NotebookNode
    whole: nbformat.NotebookNode

    @classmethod
    def of(cls, name, course, seconds):
        released, source = released_notebook(name, course), read(course / "source" / name / f"{name}.ipynb")
        tests = {identity(cell): cell.source for cell in source.cells if is_test(cell)}
        whole = nbformat.from_dict(released)
        for cell in whole.cells:
            cell.source = tests.get(identity(cell), cell.source)
        return cls(name, course, seconds, released, whole)

    def seed_of(self, student):
        return seed_for(student, self.name, seed_of(self.released), self.course)

    def dependencies(self):
        """Everything besides a submission that its score depends on, as bytes; the source holds the hidden tests."""
        grader = [Path(__file__).with_name(f"{module}.py").read_bytes() for module in GRADER]
        files = [self.course / folder / self.name / f"{self.name}.ipynb" for folder in ("source", "release")]
        settings = repr((self.seconds, can_confine(), sorted(of_the_library())))
        return [*(path.read_bytes() for path in files), library().name.encode(), settings.encode(), *grader]

    def parts_read(self, notebook):
        """For each answer that a teacher reads, a hash of it and of its question: points by hand are for these."""
        questions = {identity(cell): cell for cell in self.released.cells if is_graded(cell) and not is_test(cell)}
        answers = {identity(cell): cell.source for cell in notebook.cells if identity(cell) in questions}
        return {
            name: sha256(repr((answers.get(name), cell.source, cell.metadata.nbgrader.points)).encode()).hexdigest()
            for name, cell in questions.items()
        }


class Work:
    """What one student has handed in. If that cannot be graded, `error` says why, and the rest is missing."""

    def __init__(self, student, assignment, dependencies):
        self.student, self.id, self.error, self.examined = student, student_id(student), None, None
        folder, self.seed = assignment.course / "submitted" / student, assignment.seed_of(student)
        try:
            content, self.submission, file = read_submission(folder, assignment.name)
            self.file = "" if file == f"{assignment.name}.ipynb" else file
            self.time_text, self.time = submission_time(folder, assignment.name)
        except UngradableError as error:
            self.error = error
            return
        except Exception as error:  # one submission must not stop the others
            self.error = UngradableError(f"{type(error).__name__}: {error}")
            return
        code = "\n".join(cell.source for cell in self.submission.cells if cell.cell_type == "code")
        reached = sorted(imported_by(code) - of_the_library())
        parts = [content, self.time_text.encode(), repr((self.seed, reached)).encode(), *dependencies]
        self.version = sha256(b"\0".join(parts)).hexdigest()

    def job(self, assignment):
        mine = variant(assignment.whole, self.seed)
        return job_for(rebuilt(self.submission, mine), mine, assignment.seconds)


def execution_step(job, outputs):
    """A preprocessor for nbgrader that gives the cells the outputs that the examiner has found."""

    def execute(notebook, resources):
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        for number, (cell, asked, output) in enumerate(zip(code, job["cells"], outputs, strict=True), 1):
            cell.source = asked["source"]  # the same but for the student's own seed
            cell.execution_count = number
            cell.outputs = [nbformat.from_dict(item) for item in output]
        return notebook, resources

    return execute


def autograde(name, student, course, submitted, step):
    """Let nbgrader take the outputs of one submission and store the points."""
    directory = course_directory(course, name, student)
    directory.submitted_directory = submitted
    app = Autograde(coursedir=directory, config=nbgrader_config(course))
    app.force = True
    steps = list(app.autograde_preprocessors)
    steps[steps.index(Execute)] = step
    app.autograde_preprocessors = steps
    result = capture_log(app)
    if not result["success"]:
        raise UngradableError(f"nbgrader fails: {result.get('log') or result['error']}")


def record(work, assignment, kept):
    """Store the points of a submission that was examined; returns what is kept of it, so that it need not run again."""
    job = work.job(assignment)
    outputs, endings = work.examined.result()
    name, course, parts = assignment.name, assignment.course, assignment.parts_read(work.submission)
    with tempfile.TemporaryDirectory(prefix="grading-", dir=course) as place:
        path = Path(place) / work.id / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(rebuilt(work.submission, assignment.released), path)
        if work.time:
            path.with_name("timestamp.txt").write_text(f"{work.time:%Y-%m-%d %H:%M:%S} UTC", encoding="utf-8")
        before = grades(name, course, work.id)
        autograde(name, work.id, course, Path(place).name, execution_step(job, outputs))
    known = kept.get("parts", {})
    unflag(name, course, work.id, before, {part for part, text in parts.items() if known.get(part) == text})
    remarked = [f"{cell} {reason}" for cell, reason in endings]
    return {"version": work.version, "endings": remarked, "parts": known | parts}


def grades(name, course, student):
    """For each graded cell in the gradebook, its automatic score, and whether it asks to be looked at."""
    with Gradebook(course_directory(course, name).db_url) as gradebook:
        try:
            work = gradebook.find_submission_notebook(name, name, student)
        except MissingEntry:
            return {}
        return {grade.name: (grade.auto_score, bool(grade.needs_manual_grade)) for grade in work.grades}


def unflag(name, course, student, before, same):
    """Leave points by hand as they were where neither their cell nor its automatic score has changed.

    nbgrader asks to look at all of them after each autograding.
    """
    with Gradebook(course_directory(course, name).db_url) as gradebook:
        for grade in gradebook.find_submission_notebook(name, name, student).grades:
            score, flagged = before.get(grade.name, (None, False))
            unchanged = grade.name in same or (score is not None and score == grade.auto_score)
            if grade.manual_score is not None and unchanged:
                grade.needs_manual_grade = flagged
        gradebook.db.commit()


def points_of(name, course, work):
    """The points of each graded cell, None where they are still to be given by hand; the penalty; and remarks."""
    found = []
    with Gradebook(course_directory(course, name).db_url) as gradebook:
        graded = gradebook.find_submission_notebook(name, name, work.id)
        points, waiting, changed = {}, [], []
        for grade in graded.grades:
            by_hand = grade.manual_score is not None
            points[grade.name] = grade.score if by_hand or grade.auto_score is not None else None
            if grade.needs_manual_grade:
                (changed if by_hand else waiting).append(grade.name)
        penalty = update_penalty(gradebook, graded, course)
        if waiting:
            found.append(f"waits for points by hand: {', '.join(sorted(waiting))}")
        if changed:
            found.append(f"changed after points were given by hand: look at {', '.join(sorted(changed))}")
        found += lateness(graded.assignment, work.time_text)
    return points, penalty, found


def score_of(work, assignment, cache, copied):
    """One student's score; it has no points if the submission cannot be graded. `cache` is brought up to date."""
    try:
        if work.error:
            raise work.error
        if work.examined:
            cache[work.id] = record(work, assignment, cache.get(work.id, {}))
        points, penalty, found = points_of(assignment.name, assignment.course, work)
        return Score(
            work.student, points, penalty, "; ".join([*found, *cache[work.id]["endings"], *work.notes, *copied]), copied
        )
    except UngradableError as error:
        reason = str(error)
    except Exception as error:  # one submission must not stop the others
        reason = f"{type(error).__name__}: {error}"
    return Score(work.student, {}, 0.0, f"not graded: {shorten(reason, 300, placeholder=' …')}")


def compare(works, assignment):
    """Give each work its notes, on what came with it; returns what is the same elsewhere, by student."""
    readable = [work for work in works if not work.error]
    each = handing_out(assignment.course, assignment.name)["per_student"]
    seeds = {work.seed: work.student for work in works} if each else {}
    for work in readable:
        folder = assignment.course / "submitted" / work.student
        work.notes = remarks(work.submission, work.file, assignment.released, work.seed, seeds)
        work.notes += remarks_on_collecting(folder, assignment.name)
    source = read(assignment.course / "source" / assignment.name / f"{assignment.name}.ipynb")
    return find_copies(source, {work.student: work.submission for work in readable})


def works_of(assignment):
    """Everything in submitted/, read but not run."""
    submitted = students(assignment.course / "submitted")
    if not submitted:
        place = f"{assignment.course / 'submitted'}/<student>/{assignment.name}/{assignment.name}.ipynb"
        raise SystemExit(f"Nothing is handed in: put files at {place}.")
    dependencies = assignment.dependencies()
    return [Work(student, assignment, dependencies) for student in submitted]


def chosen(works, student):
    """The works of the one student, or of all if `student` is empty."""
    found = [work for work in works if student in ("", work.student)]
    if not found:
        raise SystemExit(f"{student!r} has handed in nothing.")
    return found


def score_all(name, course, seconds=SECONDS, student=""):
    """The released notebook and the scores of everything in submitted/, or of one student.

    Unchanged submissions do not run again.
    """
    assignment = Assignment.of(name, course, seconds)
    if warning := safety_warning():
        print(warning)
    late_plugin(course)
    works = works_of(assignment)
    path = score_cache(course, name)
    cache = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    path.parent.mkdir(exist_ok=True)
    copies, most, scores = compare(works, assignment), maxima(assignment.released), []
    with ThreadPoolExecutor(side_by_side()) as pool:
        try:
            for work in chosen(works, student):
                known = cache.get(work.id, {}).get("version")
                if not work.error and (known != work.version or not grades(name, course, work.id)):
                    work.examined = pool.submit(examine, work.job(assignment))
            for work in chosen(works, student):
                scores.append(score_of(work, assignment, cache, copies.get(work.student, [])))
                write_atomically(path, json.dumps(cache))
                print(scores[-1].line(most))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return assignment.released, scores


def grade(name, course=COURSE, seconds=SECONDS, student=""):
    """Score everything in submitted/ and write the tables and the class's page; returns the path of the first table.

    With a student, only that submission is scored, and the tables stay as they are.
    """
    released, scores = score_all(name, course, seconds, student)
    if student:
        return None
    table = write_tables(name, course, maxima(released), scores)
    write_overview(name, course, released, scores)
    return table

"""A course: nbgrader's folders and gradebook, and the seed and problems of each assignment.

The folder _build/nbgrader, or _build/nbgrader-NAME for a second course, is an ordinary nbgrader course with source/,
release/, submitted/, autograded/ and gradebook.db. `assignments.json` stores the seeds and problems.
"""

import json
import os
import re
import shutil
import sys
import sysconfig
from contextlib import contextmanager

import nbformat
from dateutil.parser import parse
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import capture_log, parse_utc
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from tools.teaching.exercises import ROOT, SOURCES, identity, read, seed_of, variant

# nbgrader starts `alembic` by name, although the virtual environment may not be active.
os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])

COURSE = ROOT / "_build" / "nbgrader"


def course_named(name=""):
    """The folder of a course; the first course has no name."""
    if not name:
        return COURSE
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise SystemExit(f"COURSE must be letters, digits, - and _, as in COURSE=2028, not {name!r}.")
    return COURSE.with_name(f"{COURSE.name}-{name}")


def course_directory(course, name, student="*"):
    return CourseDirectory(root=str(course), assignment_id=name, student_id=student)


def assignment_settings(course):
    """The seed and problems of each assignment by its name, as keywords of `variant`."""
    path = course / "assignments.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def source_path(name):
    """The path of an assignment's notebook in the book."""
    names = sorted(path.stem for path in SOURCES.glob("*/*.ipynb"))
    if name not in names:
        raise SystemExit(f"There is no exercise called {name!r}; there is: {', '.join(names)}.")
    return SOURCES / name / f"{name}.ipynb"


def nbgrader_config(course):
    """The teacher's settings for nbgrader in nbgrader_config.py, such as a penalty for late submissions."""
    path = course / "nbgrader_config.py"
    if str(course) not in sys.path:  # so that a plugin there is found, as nbgrader itself does
        sys.path.insert(0, str(course))
    return PyFileConfigLoader(path.name, path=str(course)).load_config() if path.is_file() else Config()


def released_notebook(name, course):
    path = course / "release" / name / f"{name}.ipynb"
    if not path.is_file():
        raise SystemExit(f"{name!r} was not handed out from here: run 'make assignment NAME={name}' first.")
    return read(path)


def score_cache(course, name):
    """The file that records which submissions have been scored and need not run again."""
    return course / "scored" / f"{name}.json"


def forget_versions(course, name):
    """Let every submission be scored anew; what is known of the answers that a teacher has read stays."""
    path = score_cache(course, name)
    if path.is_file():
        scored = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps({student: {**kept, "version": ""} for student, kept in scored.items()}), "utf-8")


def handed_in(course, name):
    """The students with a notebook of this assignment in submitted/."""
    return sorted({path.parts[-3] for path in (course / "submitted").glob(f"*/{name}/*.ipynb")})


def release(name, seed=None, course=COURSE, *, problems=None, due=None):
    """Make the students' notebook and record its tests in the gradebook; returns the notebook's path.

    Options that are None keep their present value in this course. Once a student has handed an assignment in, its seed
    is fixed; its problems may still change, and problems that remain keep the points given by hand.
    """
    notebook, before = read(source_path(name)), assignment_settings(course)
    settings = before.get(name, {})
    if seed is not None and seed != settings.get("seed", seed) and (students := handed_in(course, name)):
        raise SystemExit(
            f"{name} was handed out with SEED={settings['seed']}, and {len(students)} have handed it in. Other data "
            "are another course: add COURSE=2028, say, which begins one, to this command and to 'make grade'."
        )
    settings = settings | {key: value for key, value in (("seed", seed), ("problems", problems)) if value is not None}
    notebook = variant(notebook, **settings)
    settings["seed"] = seed_of(notebook)
    path = course / "source" / name / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    directory = course_directory(course, name)
    with _gradebook_saved(course), _points_by_hand_kept(course, directory, name, notebook):
        app = GenerateAssignment(coursedir=directory)
        app.force = True
        result = capture_log(app)
        if not result["success"]:
            raise SystemExit(f"nbgrader made no release of {name}:\n{result.get('log', '')}{result['error']}")
    if due is not None:
        with Gradebook(directory.db_url) as gradebook:
            gradebook.update_or_create_assignment(name, duedate=due or None)
    (course / "assignments.json").write_text(json.dumps(before | {name: settings}, indent=1) + "\n", encoding="utf-8")
    return course / "release" / name / f"{name}.ipynb"


@contextmanager
def _gradebook_saved(course):
    """Restore the gradebook if something fails."""
    book, copy = course / "gradebook.db", course / "gradebook.db.before"
    if book.exists():
        shutil.copy2(book, copy)
    try:
        yield
    except BaseException:
        if copy.exists():
            shutil.copy2(copy, book)
        raise
    finally:
        copy.unlink(missing_ok=True)


@contextmanager
def _points_by_hand_kept(course, directory, name, notebook):
    """Remove the submissions while problems change, and restore the points given by hand afterwards.

    nbgrader itself refuses to change a problem that somebody has handed in. Points for a removed problem stay in
    by_hand/ and return with the problem.
    """
    path = course / "by_hand" / f"{name}.json"
    kept = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    with Gradebook(directory.db_url) as gradebook:
        try:
            cells = {cell.name for cell in gradebook.find_notebook(name, name).source_cells}
        except MissingEntry:
            cells = set()
        changed = bool(cells) and cells != {identity(cell) for cell in notebook.cells if identity(cell)}
        submissions = gradebook.assignment_submissions(name) if changed else []
        times = {submission.student.id: submission.timestamp for submission in submissions}
        for submission in submissions:
            given = kept.setdefault(submission.student.id, {})
            (work,) = submission.notebooks
            for grade in work.grades:
                given[grade.name] = {"points": grade.manual_score, "extra": grade.extra_credit}
                given[grade.name]["flagged"] = bool(grade.needs_manual_grade)
            for comment in work.comments:
                given.setdefault(comment.name, {})["comment"] = comment.manual_comment
        if changed:
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(kept), encoding="utf-8")
            forget_versions(course, name)
        for student in times:
            gradebook.remove_submission(name, student)
    yield
    with Gradebook(directory.db_url) as gradebook:
        for student, timestamp in times.items():
            (work,) = gradebook.add_submission(name, student, timestamp=timestamp).notebooks
            for grade in work.grades:
                given = kept[student].get(grade.name, {})
                grade.manual_score, grade.extra_credit = given.get("points"), given.get("extra")
                if grade.manual_score is not None:
                    grade.needs_manual_grade = given.get("flagged", False)
            for comment in work.comments:
                comment.manual_comment = kept[student].get(comment.name, {}).get("comment")
        gradebook.db.commit()


TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)? ?([+-]\d\d:?\d\d|Z|UTC)")


def parse_time(text):
    """The time in a text such as 2027-05-01 23:59 +0200, in UTC; None if the text is anything else.

    Nothing is guessed: 05.06.2027 may be in May or in June, and a time without a zone may be off by hours.
    """
    try:
        return parse_utc(parse(text)) if TIME.fullmatch(text) else None
    except (ValueError, OverflowError):  # the 31st of April
        return None


def deadline(text):
    """The time in DUE; an empty string for `none`, which removes a deadline; None if DUE is empty."""
    if text in ("", "none"):
        return "" if text else None
    if found := parse_time(text):
        return found
    raise SystemExit(f"DUE must be a time and its zone, as in DUE='2027-05-01 23:59 +0200', or none, not {text!r}.")


def due(name, course):
    """The deadline of an assignment, in UTC; None if it has none."""
    with Gradebook(course_directory(course, name).db_url) as gradebook:
        return gradebook.find_assignment(name).duedate

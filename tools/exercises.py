"""Hand out exercises and score what comes back: `make assignment NAME=krr SEED=2027`, `make grade NAME=krr`.

The folder _build/nbgrader is an ordinary nbgrader course: source/, release/, submitted/, autograded/, gradebook.db.
"""

import ast
import copy
import csv
import os
import re
import sys
import sysconfig
import warnings
from pathlib import Path
from textwrap import shorten

import nbformat
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbconvert.exporters import NotebookExporter
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import Execute, IncludeHeaderFooter, OverwriteCells, SaveCells
from nbgrader.utils import capture_log, is_locked
from traitlets.config import Config

from tools.names import CellNames

# nbgrader starts `alembic` by its name, and the virtual environment need not be active.
os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "book" / "exercises"
COURSE = ROOT / "_build" / "nbgrader"
SEED = re.compile(r"^SEED = (\d+)$", flags=re.MULTILINE)
TIMEOUT = 180  # seconds by the clock; students are told a minute, and a machine that grades may be busy
ENDINGS = 5  # so many cells of a submission may end the run of all others before we give it up


def read(path):
    return nbformat.read(path, as_version=4)


def identity(cell):
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def first_code_cell(notebook):
    return next(cell for cell in notebook.cells if cell.cell_type == "code")


def seed_of(notebook):
    """The number in the line `SEED = …` of the first code cell; None without such a line."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    found = SEED.search(cells[0].source) if cells else None
    return found and int(found[1])


def student_version(source):
    """The notebook that students get, made as `nbgrader generate_assignment` makes it, but recorded nowhere."""
    exporter = NotebookExporter(config=Config(Exporter={"default_preprocessors": []}))
    for preprocessor in GenerateAssignment().preprocessors:
        if preprocessor not in (IncludeHeaderFooter, SaveCells):
            exporter.register_preprocessor(preprocessor, enabled=True)
    text, _ = exporter.from_notebook_node(source, resources={"unique_key": "", "nbgrader": {}})
    return nbformat.reads(text, as_version=4)


def course_directory(course, name, student="*"):
    return CourseDirectory(root=str(course), assignment_id=name, student_id=student)


def release(name, seed=None, course=COURSE):
    """Make the student's notebook, with the course's own seed, and record its tests; returns where it lies."""
    source = SOURCES / name / f"{name}.ipynb"
    if not source.is_file():
        known = ", ".join(sorted(path.stem for path in SOURCES.glob("*/*.ipynb")))
        raise SystemExit(f"There is no exercise called {name!r}; there is: {known}.")
    notebook = read(source)
    if seed is not None:
        cell = first_code_cell(notebook)
        cell.source = SEED.sub(f"SEED = {int(seed)}", cell.source)
    seeded = course / "source" / name / f"{name}.ipynb"
    seeded.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, seeded)
    app = GenerateAssignment(coursedir=course_directory(course, name))
    app.force = True
    result = capture_log(app)
    if not result["success"]:
        raise SystemExit(f"nbgrader made no release of {name}:\n{result.get('log', '')}{result['error']}")
    return course / "release" / name / f"{name}.ipynb"


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


# Runs a test on a copy of the notebook's names, in which the names given by locked cells mean what they were given for.
TEST = """
from types import FunctionType

given = notebook.get("__given__", {})
names = {**notebook, **given}
for key, value in given.items():
    if isinstance(value, FunctionType) and value.__globals__ is notebook:
        names[key] = FunctionType(value.__code__, names, key, value.__defaults__, value.__closure__)
        names[key].__kwdefaults__ = value.__kwdefaults__
exec(compile(test, where, "exec"), names)
"""


def names_in(code):
    """What a cell binds; nothing if it is no Python."""
    try:
        return sorted(CellNames(ast.parse(code).body).bound)
    except SyntaxError:
        return []


def given_names(cell):
    """What a locked cell that is no test binds, for the tests and the student."""
    given = cell.cell_type == "code" and is_locked(cell) and not is_test(cell)
    return names_in(cell.source) if given else []


def on_names_of_their_own():
    """Steps around grading: a test takes no name from the student's functions, and what was given stays given."""
    written = {}

    def before(notebook, resources):
        for cell in notebook.cells:
            if is_test(cell):
                written[identity(cell)] = cell.source
                handed = {"test": cell.source, "where": identity(cell)}
                cell.source = f"exec({TEST!r}, {{'notebook': globals(), **{handed!r}}})"
            elif names := given_names(cell):
                written[identity(cell)] = cell.source
                kept = f"{{name: globals()[name] for name in {names}}}"
                cell.source += f"\nglobals().setdefault('__given__', {{}}).update({kept})"
        return notebook, resources

    def after(notebook, resources):
        for cell in notebook.cells:
            cell.source = written.get(identity(cell), cell.source)
        return notebook, resources

    return before, after


def without(ending):
    """nbgrader's step; a cell that no interrupt stops, as in LAPACK, ends the run, is noted, and fails in the next."""

    class OtherCells(Execute):
        def preprocess_cell(self, cell, resources, index):
            source = cell.source
            if index in ending:
                cell.source = f"raise RuntimeError({ending[index]!r})"
            try:
                return super().preprocess_cell(cell, resources, index)
            except (CellTimeoutError, DeadKernelError) as error:
                late = f"took more than {self.timeout} s and could not be stopped"
                what = late if isinstance(error, CellTimeoutError) else "ended Python, perhaps by its use of memory"
                ending[index] = f"{identity(cell) or 'a cell'} {what}"
                raise
            finally:
                cell.source = source

    return OtherCells


def drop_warnings(notebook, resources):
    """A step before scoring: nbgrader takes anything on stderr for a failed test, and a warning is none."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return notebook, resources


def autograde(name, student, released, course, timeout):
    """Run one submission against the tests; returns whether that was possible, and what there is to say."""
    execution = Config(Execute={"timeout": timeout, "extra_arguments": ["--log-level=ERROR"]})
    ending = {}
    for known in range(ENDINGS + 1):
        app = Autograde(coursedir=course_directory(course, name, student), config=execution)
        app.force = True
        before, after = list(app.sanitize_preprocessors), list(app.autograde_preprocessors)
        before.insert(before.index(OverwriteCells), putting_back(released))
        copying, copied = on_names_of_their_own()
        execute = after.index(Execute)
        after[execute : execute + 1] = [copying, without(ending), copied, drop_warnings]
        app.sanitize_preprocessors, app.autograde_preprocessors = before, after
        result = capture_log(app)
        if result["success"]:
            return True, list(ending.values())
        if len(ending) == known:
            break
    reasons = re.findall(r"^\s*(?:\w+\.)*(\w+(?:Error|Exception): .+)", result.get("log", ""), re.MULTILINE)
    said = list(ending.values()) or reasons[-1:] or ["nbgrader does not say why"]
    return False, [f"not graded: {'; '.join(said)}"]


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


def score(name, student, released, course, timeout):
    """One student's points by test, empty if there are none to be had, and what there is to say."""
    path = course / "submitted" / student / name / f"{name}.ipynb"
    if not path.is_file():
        others = ", ".join(sorted(other.name for other in path.parent.glob("*.ipynb")))
        return {}, f"not graded: there is no {name}/{name}.ipynb{others and f', but {others}'}"
    try:
        found = remarks(nbformat.validator.normalize(read(path))[1], released)
    except Exception as error:  # whatever a student can do to a file
        return {}, f"not graded: not a notebook ({type(error).__name__})"
    graded, said = autograde(name, student, released, course, timeout)
    if not graded:
        return {}, "; ".join([*said, *found])
    with Gradebook(course_directory(course, name).db_url) as gradebook:
        grades = gradebook.find_submission_notebook(name, name, student).grades
        return {grade.name: grade.score for grade in grades}, "; ".join([*said, *found])


def grade(name, course=COURSE, timeout=TIMEOUT):
    """Score every folder in submitted/ and write a table, a row for each student; returns where it lies."""
    path = course / "release" / name / f"{name}.ipynb"
    if not path.is_file():
        raise SystemExit(f"{name!r} was not handed out from here: run 'make assignment NAME={name}' first.")
    released = read(path)
    tests = {identity(cell): cell.metadata.nbgrader.points for cell in released.cells if is_test(cell)}
    students = sorted(folder.name for folder in (course / "submitted").glob("*") if folder.is_dir())
    if not students:
        raise SystemExit(f"Nothing is handed in: put files at {course / 'submitted'}/<student>/{name}/{name}.ipynb.")
    table = course / f"{name}.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["student", *(test.removesuffix("-test") for test in tests), "total", "maximum", "remark"])
        for student in students:
            points, remark = score(name, student, released, course, timeout)
            total = sum(points.values()) if points else ""
            maximum = sum(tests.values())
            writer.writerow([student, *(points.get(test, "") for test in tests), total, maximum, remark])
            print(f"{student}: {f'{total:g} of {maximum:g}' if points else 'no score'}{remark and f'; {remark}'}")
    return table


def is_test(cell):
    return cell.metadata.get("nbgrader", {}).get("grade", False)


def is_solution(cell):
    return cell.metadata.get("nbgrader", {}).get("solution", False)


def main(command, name="", seed=None):
    warnings.filterwarnings("ignore", module="nbgrader")  # of its database, and nothing to do about them
    if command == "assignment":
        path = release(name, seed)
        print(f"Hand out: {path}")
        print(f"Collect:  {COURSE / 'submitted'}/<student>/{name}/{name}.ipynb, then 'make grade NAME={name}'")
    else:
        print(f"Scores: {grade(name)}")


if __name__ == "__main__":
    main(*sys.argv[1:4])

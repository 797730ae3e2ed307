"""Hand out exercises, `make assignment NAME=krr SEED=2027`; `grading.py` scores what comes back, `make grade NAME=krr`.

The folder _build/nbgrader is an ordinary nbgrader course: source/, release/, submitted/, autograded/, gradebook.db.
"""

import os
import re
import sys
import sysconfig
import warnings
from pathlib import Path

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import IncludeHeaderFooter, SaveCells
from nbgrader.utils import capture_log
from traitlets.config import Config

# nbgrader starts `alembic` by its name, and the virtual environment need not be active.
os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "book" / "exercises"
COURSE = ROOT / "_build" / "nbgrader"
SEED = re.compile(r"^SEED = (\d+)$", flags=re.MULTILINE)


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
        from tools.grading import grade  # which needs this module

        print(f"Scores: {grade(name)}")


if __name__ == "__main__":
    main(*sys.argv[1:4])

"""The proof of every exercise, through nbgrader: what a solution, an untouched notebook and wrong submissions score.

EXERCISE_SEEDS="1 2 3" chooses the data; each seed is a course of its own.
"""

import ast
import csv
import os
from pathlib import Path

import nbformat
import pytest

from tests.marks import THOROUGH
from tools.teaching import examiner, exercises, grading, guard, sandbox
from tools.teaching.course import release
from tools.teaching.exercises import SOURCES, identity, is_graded, is_solution, is_test, read
from tools.teaching.grading import grade

SUBMISSIONS = Path(__file__).resolve().parent / "submissions"
SEEDS = [int(seed) for seed in os.environ.get("EXERCISE_SEEDS", "2027").split()]
NAMES = sorted(path.stem for path in SOURCES.glob("*/*.ipynb"))
SECONDS = 20  # a third of what students are told

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")


def source(name):
    return read(SOURCES / name / f"{name}.ipynb")


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if identity(cell) == name)


def solved(name, released):
    """The released notebook with the source's solutions in it."""
    notebook = nbformat.from_dict(released)
    for cell in source(name).cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell_of(notebook, identity(cell)).source = cell.source
    return notebook


def definitions(code):
    """For each name that a piece of code gives a value at its top level, the statement that does."""
    found = {}
    for node in ast.parse(code).body:
        targets = [node] if isinstance(node, ast.FunctionDef) else getattr(node, "targets", [])
        found.update({getattr(target, "name", getattr(target, "id", None)): node for target in targets})
    return found


def answer(notebook, path):
    """Put the answers of a file in the place of those in the notebook, cell by cell."""
    code = path.read_text(encoding="utf-8")
    given, imports = definitions(code), [n for n in ast.parse(code).body if isinstance(n, ast.Import | ast.ImportFrom)]
    for cell in notebook.cells:
        if is_solution(cell) and cell.cell_type == "code":
            mine = [given[name] for name in definitions(cell.source) if name in given]
            if mine:
                cell.source = "\n".join(ast.get_source_segment(code, node) for node in [*imports, *mine])
    return notebook


def hand_in(course, name, student, notebook):
    path = course / "submitted" / student / name / f"{name}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(notebook if isinstance(notebook, str) else nbformat.writes(notebook), encoding="utf-8")
    return path


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def maxima(notebook):
    tests = filter(is_test, notebook.cells)
    return {identity(cell).removesuffix("-test"): cell.metadata.nbgrader.points for cell in tests}


def remarked(row):
    """What a row says of a submission, but that answers wait to be read."""
    return "; ".join(part for part in row["remark"].split("; ") if not part.startswith("waits for points by hand"))


def by_hand(notebook):
    """The points that a teacher gives by hand."""
    return {
        identity(cell): cell.metadata.nbgrader.points
        for cell in notebook.cells
        if is_graded(cell) and not is_test(cell)
    }


def points(row, notebook):
    return {test: float(row[test]) for test in maxima(notebook)}


def submissions(name, seed):
    """One wrong in many ways, and on the first seed one right in others; there with THOROUGH=1 every one."""
    every = sorted((SUBMISSIONS / name).glob("*.py"))
    if seed != SEEDS[0]:
        return [path for path in every if path.stem == "mistakes"]
    return every if THOROUGH else [path for path in every if path.stem in ("mistakes", "other_ways")]


@pytest.fixture(scope="class", params=SEEDS)
def course(request, tmp_path_factory):
    """The exercise of a class handed out with a seed, answered in every way we have, and graded."""
    name = request.cls.name
    folder = tmp_path_factory.mktemp(f"{name}-{request.param}")
    released = read(release(name, request.param, folder))
    hand_in(folder, name, "solution", solved(name, released))
    hand_in(folder, name, "untouched", released)
    for path in submissions(name, request.param):
        hand_in(folder, name, path.stem, answer(solved(name, released), path))
    return released, table(grade(name, folder, SECONDS))


class Proof:
    """What every exercise has to show; each has a class of its own, which `--dist loadscope` gives to one process."""

    def test_the_solution_gets_full_marks_and_an_untouched_notebook_none(self, course):
        released, rows = course
        assert points(rows["solution"], released) == maxima(released)
        assert set(points(rows["untouched"], released).values()) == {0}
        run, read_by_teacher = sum(maxima(released).values()), by_hand(released)
        assert {float(row["maximum"]) for row in rows.values()} == {run + sum(read_by_teacher.values())}
        assert (float(rows["solution"]["total"]), float(rows["untouched"]["total"])) == (run, 0)
        for cell in read_by_teacher:  # an answer waits; where there is none, nobody needs to look
            assert (rows["solution"][cell], float(rows["untouched"][cell])) == ("", 0)
            assert cell in rows["solution"]["remark"]

    def test_a_submission_loses_exactly_what_it_should(self, course):
        released, rows = course
        losses, expected = {}, {}
        for path in submissions(self.name, exercises.seed_of(released)):
            expected[path.stem] = ast.literal_eval(definitions(path.read_text(encoding="utf-8"))["LOSES"].value)
            lost = {test: most - points(rows[path.stem], released)[test] for test, most in maxima(released).items()}
            losses[path.stem] = {test: loss for test, loss in lost.items() if loss}
        assert losses == expected

    def test_the_release_has_the_courses_seed_and_no_answer(self, course):
        released, _ = course
        assert exercises.seed_of(released) in SEEDS
        text = "\n".join(cell.source for cell in released.cells)
        assert not any(word in text for word in ("BEGIN SOLUTION", "END SOLUTION", "HIDDEN TESTS"))
        for cell in source(self.name).cells:
            if is_solution(cell):
                stub = "raise NotImplementedError()" if cell.cell_type == "code" else "YOUR ANSWER HERE"
                assert stub in cell_of(released, identity(cell)).source
            elif is_test(cell):
                assert len(cell_of(released, identity(cell)).source) < len(cell.source), "a test without a hidden part"


for _name in NAMES if THOROUGH else ["krr"]:
    globals()[f"Test_{_name}"] = type(f"Test_{_name}", (Proof,), {"name": _name})


@pytest.mark.parametrize("name", NAMES)
def test_students_are_told_the_limits(name):
    assert (grading.SECONDS, guard.WAIT_FACTOR, examiner.TOTAL_TIME_FACTOR, sandbox.MAX_PROCESSES) == (60, 3, 10, 64)
    assert sandbox.MAX_MEMORY == 4 << 30
    texts = [cell.source for cell in exercises.student_version(source(name)).cells if cell.cell_type == "markdown"]
    told = (
        "computes for more than a minute, waits for more than three, lasts longer than ten by the clock, takes more "
        "than 4 GB of memory, has more than 64 processes or goes on computing after its end; aim for twenty seconds. "
        "After ten minutes for all cells "
        "together, the rest is not run."
    )
    assert any(told in text for text in texts)


@pytest.mark.parametrize("name", NAMES)
def test_the_download_is_the_release(name, tmp_path):
    released = read(release(name, course=tmp_path))
    download = exercises.student_version(exercises.variant(source(name)))
    assert [(cell.source, cell.metadata) for cell in download.cells] == [
        (cell.source, cell.metadata) for cell in released.cells
    ]


def test_clear_words_for_what_is_not_there(tmp_path):
    with pytest.raises(SystemExit, match=r"no exercise called 'kr'; there is: .*krr"):
        release("kr", course=tmp_path)
    with pytest.raises(SystemExit, match="run 'make assignment NAME=krr' first"):
        grade("krr", tmp_path)
    release("krr", course=tmp_path)
    with pytest.raises(SystemExit, match="Nothing is handed in"):
        grade("krr", tmp_path)

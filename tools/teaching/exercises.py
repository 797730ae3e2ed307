"""The book's exercises as notebooks: a course's variant of one, and the version of it that students get."""

import ast
import copy
import re
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import IncludeHeaderFooter, SaveCells
from traitlets.config import Config

from tools.bookbuild.cell_names import CellNames

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "book" / "exercises"
SEED = re.compile(r"^SEED = (\d+)$", flags=re.MULTILINE)
PROBLEM = re.compile(r"^## (\d+)\. (.+)$", flags=re.MULTILINE)


def read(path):
    return nbformat.read(path, as_version=4)


def _marks(cell):
    return cell.metadata.get("nbgrader", {})


def identity(cell):
    return _marks(cell).get("grade_id")


def is_graded(cell):
    return _marks(cell).get("grade", False)


def is_solution(cell):
    return _marks(cell).get("solution", False)


def is_test(cell):
    """Whether the cell's points come from running it, and not from a teacher who reads it."""
    return is_graded(cell) and not is_solution(cell)


def first_code_cell(notebook):
    return next(cell for cell in notebook.cells if cell.cell_type == "code")


def seed_of(notebook):
    """The number in the line `SEED = …` of the first code cell; None without such a line."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    found = SEED.search(cells[0].source) if cells else None
    return found and int(found[1])


def problems_of(notebook):
    """The number of each cell's problem, 0 before the first, and the problems' titles."""
    numbers, titles = [], {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (found := PROBLEM.search(cell.source)):
            titles[int(found[1])] = found[2]
        numbers.append(max(titles, default=0))
    return numbers, titles


class Problem(NamedTuple):
    """What a teacher chooses by."""

    number: int
    title: str
    topic: str
    kind: str
    points: int
    by_hand: int  # of the points
    minutes: int


def described(notebook):
    """The problems of a notebook as they say themselves, in the metadata of the cells with their headings."""
    numbers, titles = problems_of(notebook)
    found = []
    for number, title in titles.items():
        cells = [cell for cell, of in zip(notebook.cells, numbers, strict=True) if of == number]
        said = cells[0].metadata.get("kernelbook")
        if said is None:
            raise ValueError(f"Problem {number}, {title}: the cell of its heading needs topic, kind and minutes.")
        points = [cell.metadata.nbgrader.points for cell in cells if is_graded(cell)]
        hand = [cell.metadata.nbgrader.points for cell in cells if is_graded(cell) and not is_test(cell)]
        kind = ", ".join(said["kind"])
        found.append(Problem(number, title, said["topic"], kind, sum(points), sum(hand), said["minutes"]))
    return found


def variant(source, seed=None, problems=None):
    """The notebook with a seed of its own and with some of the problems alone, where these are not None."""
    notebook = copy.deepcopy(source)
    if seed is not None:
        cell = first_code_cell(notebook)
        cell.source = SEED.sub(f"SEED = {seed}", cell.source)
    if problems is not None:
        numbers, titles = problems_of(notebook)
        if unknown := [number for number in problems if number not in titles]:
            raise SystemExit(f"There is no problem {unknown[0]}; there are 1 to {max(titles)}.")
        if missing := needed(notebook, problems):
            raise SystemExit(f"Problem {missing[0]} uses `{missing[2]}` of problem {missing[1]}: choose both.")
        there = {0, *problems}
        notebook.cells = [cell for cell, number in zip(notebook.cells, numbers, strict=True) if number in there]
        points = sum(_marks(cell).get("points", 0) for cell in notebook.cells if is_graded(cell))
        listed = ", ".join(map(str, problems))
        notebook.cells[0].source += f"\n\n**Of these problems, this notebook has {listed}; points: {points}.**"
    return notebook


def needed(notebook, problems):
    """A problem, one that is not among them and that it needs, and the name that it takes from there; None if none."""
    binds, takes = {}, {}
    for cell, number in zip(notebook.cells, problems_of(notebook)[0], strict=True):
        if cell.cell_type == "code":
            names = CellNames(ast.parse(cell.source).body)
            takes.setdefault(number, set()).update(names.taken - binds.get(number, set()))
            binds.setdefault(number, set()).update(names.bound)
    there = {0, *problems}
    bound = set().union(*(binds.get(number, ()) for number in there))
    for number in problems:
        for other in binds.keys() - there:
            if found := sorted((takes.get(number, set()) - bound) & binds[other]):
                return number, other, found[0]
    return None


def student_version(source):
    """The notebook that students get, made as `nbgrader generate_assignment` makes it, but recorded nowhere."""
    exporter = NotebookExporter(config=Config(Exporter={"default_preprocessors": []}))
    for preprocessor in GenerateAssignment().preprocessors:
        if preprocessor not in (IncludeHeaderFooter, SaveCells):
            exporter.register_preprocessor(preprocessor, enabled=True)
    text, _ = exporter.from_notebook_node(source, resources={"unique_key": "", "nbgrader": {}})
    return nbformat.reads(text, as_version=4)

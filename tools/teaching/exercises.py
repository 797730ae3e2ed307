"""The book's exercises as notebooks: a course's variant of one, and the version that its students get."""

import ast
import copy
import math
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
EXTENT = re.compile(r"^\w+ (?:problem|drill)s?( on [\w ]+)?, worth \d+ points; [^.]*\.", flags=re.MULTILINE)  # of a set
DIFFICULTY = ("easy", "medium", "hard")
PROBLEM = re.compile(r"^## (\d+)\. (.+)$", flags=re.MULTILINE)


def read(path):
    return nbformat.read(path, as_version=4)


def _nbgrader_metadata(cell):
    return cell.metadata.get("nbgrader", {})


def identity(cell):
    return _nbgrader_metadata(cell).get("grade_id")


def is_graded(cell):
    return _nbgrader_metadata(cell).get("grade", False)


def is_solution(cell):
    return _nbgrader_metadata(cell).get("solution", False)


def is_test(cell):
    """Whether the cell's points come from running it, not from a teacher who reads it."""
    return is_graded(cell) and not is_solution(cell)


def first_code_cell(notebook):
    return next(cell for cell in notebook.cells if cell.cell_type == "code")


def seed_of(notebook):
    """The number in the line `SEED = …` of the first code cell; None without such a line."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    found = SEED.search(cells[0].source) if cells else None
    return found and int(found[1])


def problems_of(notebook):
    """The problem number of each cell, 0 before the first problem, and the titles of the problems by number."""
    numbers, titles = [], {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (found := PROBLEM.search(cell.source)):
            titles[int(found[1])] = found[2]
        numbers.append(max(titles, default=0))
    return numbers, titles


class Problem(NamedTuple):
    """The facts about a problem by which a teacher chooses."""

    number: int
    title: str
    topic: str
    kind: str
    points: int
    by_hand: int  # points that the teacher gives
    minutes: int
    stars: int

    def in_words(self):
        """What students read under the heading; nobody has measured the minutes."""
        stars = "★" * self.stars + "☆" * (len(DIFFICULTY) - self.stars)
        points = f"{self.points} point" + "s" * (self.points != 1)
        return f"*{stars} {DIFFICULTY[self.stars - 1]} · {points} · about {self.minutes} minutes*"


def problem_summaries(notebook):
    """The problems of a notebook, as the metadata of their heading cells describe them."""
    numbers, titles = problems_of(notebook)
    found = []
    for number, title in titles.items():
        cells = [cell for cell, of in zip(notebook.cells, numbers, strict=True) if of == number]
        found.append(_summary(number, title, cells))
    return found


def _summary(number, title, cells):
    facts = cells[0].metadata.get("kernelbook", {})
    if not {"topic", "kind", "minutes", "stars"} <= facts.keys():
        raise ValueError(f"Problem {number}, {title}: its heading cell needs topic, kind, minutes and stars.")
    points = [cell.metadata.nbgrader.points for cell in cells if is_graded(cell)]
    by_hand = [cell.metadata.nbgrader.points for cell in cells if is_graded(cell) and not is_test(cell)]
    kind = ", ".join(facts.kind)
    return Problem(number, title, facts.topic, kind, sum(points), sum(by_hand), facts.minutes, facts.stars)


def variant(source, seed=None, problems=None):
    """The notebook with the given seed and only the given problems, where these are not None.

    Under the heading of each problem it says how hard the problem is, for how many points, and how long it takes.
    """
    notebook = copy.deepcopy(source)
    numbers, titles = problems_of(notebook)
    for number, title in titles.items():
        cells = [cell for cell, of in zip(notebook.cells, numbers, strict=True) if of == number]
        if "kernelbook" in cells[0].metadata:
            heading = f"## {number}. {title}"
            summary = _summary(number, title, cells).in_words()
            cells[0].source = cells[0].source.replace(heading, f"{heading}\n\n{summary}", 1)
    if seed is not None:
        cell = first_code_cell(notebook)
        cell.source = SEED.sub(f"SEED = {seed}", cell.source)
    if problems is not None:
        if unknown := [number for number in problems if number not in titles]:
            raise SystemExit(f"There is no problem {unknown[0]}; there are 1 to {max(titles)}.")
        if missing := missing_dependency(notebook, problems):
            raise SystemExit(f"Problem {missing[0]} uses `{missing[2]}` of problem {missing[1]}: choose both.")
        chosen = {0, *problems}
        notebook.cells = [cell for cell, number in zip(notebook.cells, numbers, strict=True) if number in chosen]
        notebook.cells[0].source = introduction_of_choice(notebook, len(titles))
    return notebook


def introduction_of_choice(notebook, of):
    """The text before the problems when some are chosen: it says which, for how many points, and in what time."""
    numbers = list(problems_of(notebook)[1])
    points = sum(cell.metadata.nbgrader.points for cell in notebook.cells if is_graded(cell))
    minutes = sum(cell.metadata.get("kernelbook", {}).get("minutes", 0) for cell in notebook.cells)
    listed = " and ".join(filter(None, [", ".join(map(str, numbers[:-1])), str(numbers[-1])]))
    chosen = f"{'Problems' if len(numbers) > 1 else 'Problem'} {listed} of {of}"
    worth = f"worth {points} points" + (f"; allow {duration(minutes)}" if minutes else "")
    text = notebook.cells[0].source
    if found := EXTENT.search(text):
        start = f"{chosen}{found[1] or ''}, {worth}."
        return text.replace(found[0], start).replace(" After them you", " After all problems of the set you")
    return f"{text}\n\n{chosen}, {worth}."


def duration(minutes):
    """The minutes in words, in half hours where there are several hours."""
    return f"{minutes} minutes" if minutes < 120 else f"{math.ceil(minutes / 30) / 2:g} hours"


def missing_dependency(notebook, problems):
    """A chosen problem, a missing problem that it needs, and the name that it takes from there; None if complete."""
    binds, takes = {}, {}
    for cell, number in zip(notebook.cells, problems_of(notebook)[0], strict=True):
        if cell.cell_type == "code":
            names = CellNames(ast.parse(cell.source).body)
            takes.setdefault(number, set()).update(names.taken - binds.get(number, set()))
            binds.setdefault(number, set()).update(names.bound)
    chosen = {0, *problems}
    bound = set().union(*(binds.get(number, ()) for number in chosen))
    for number in problems:
        for other in binds.keys() - chosen:
            if found := sorted((takes.get(number, set()) - bound) & binds[other]):
                return number, other, found[0]
    return None


def student_version(source):
    """The notebook that students get, made as by `nbgrader generate_assignment` but without recording it."""
    exporter = NotebookExporter(config=Config(Exporter={"default_preprocessors": []}))
    for preprocessor in GenerateAssignment().preprocessors:
        if preprocessor not in (IncludeHeaderFooter, SaveCells):
            exporter.register_preprocessor(preprocessor, enabled=True)
    text, _ = exporter.from_notebook_node(source, resources={"unique_key": "", "nbgrader": {}})
    return nbformat.reads(text, as_version=4)

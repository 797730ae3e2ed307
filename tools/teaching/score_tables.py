"""The tables of scores: the course's own, and those that Canvas and Moodle import."""

import csv
import io
from typing import NamedTuple

from tools.teaching.exercises import identity, is_graded


class Score(NamedTuple):
    """What a student has: points by graded cell, empty if there are none to be had, None where they wait for a hand."""

    student: str
    points: dict
    penalty: float
    remark: str

    @property
    def total(self):
        return sum(filter(None, self.points.values())) - self.penalty

    def line(self, most):
        """It in words, for the screen."""
        got = f"{self.total:g} of {sum(most.values()):g}" if self.points else "no score"
        return "; ".join(filter(None, [f"{in_table(self.student)}: {got}", printable(self.remark)]))


def maxima(released):
    """The points of each graded cell of an assignment, in its order."""
    return {identity(cell): cell.metadata.nbgrader.points for cell in released.cells if is_graded(cell)}


def printable(text):
    """The text in any encoding and for any screen: what no reader would see is written out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def in_table(text):
    """A name or a remark, such that no table is broken by it, and no spreadsheet takes it for a formula."""
    text = printable(text)
    return f"'{text}" if text.lstrip().startswith(tuple("=+-@＝＋－＠")) else text


def number(value):
    return "" if value is None else f"{value:g}"


def own(name, most, scores):
    """A row for each student: the points of every problem, the penalty where one is late, the sum, and what to know."""
    late = ["penalty"] if any(score.penalty for score in scores) else []
    titles = [cell.removesuffix("-test") for cell in most]
    yield ["student", *titles, *late, "total", "maximum", "remark"]
    for score in scores:
        points = [number(score.points.get(cell)) for cell in most]
        lost = [number(score.penalty)] if late else []
        total = number(score.total) if score.points else ""
        yield [in_table(score.student), *points, *lost, total, number(sum(most.values())), in_table(score.remark)]


def for_canvas(name, most, scores):
    """Canvas's gradebook: five columns that name the student, here by the login, then one for the assignment."""
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", name]
    yield ["    Points Possible", "", "", "", "", number(sum(most.values()))]
    for score in scores:
        if score.points:
            yield [in_table(score.student), "", "", in_table(score.student), "", number(score.total)]


def for_moodle(name, most, scores):
    """Moodle's gradebook, which asks on import what the columns mean: a user name, a grade, and feedback."""
    yield ["Username", name, f"{name} feedback"]
    for score in scores:
        if score.points:
            yield [in_table(score.student), number(score.total), in_table(score.remark)]


TABLES = {"": own, "-canvas": for_canvas, "-moodle": for_moodle}


def replace(path, text):
    """Write a file that is there whole, or as it was before."""
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_text(text, encoding="utf-8", newline="")
    unfinished.replace(path)


def write_tables(name, course, most, scores):
    """Write every table into the course's folder; returns where the first lies."""
    for ending, rows in TABLES.items():
        text = io.StringIO(newline="")
        csv.writer(text).writerows(rows(name, most, scores))
        replace(course / f"{name}{ending}.csv", text.getvalue())
    return course / f"{name}.csv"

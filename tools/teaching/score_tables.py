"""Write the tables of scores: one for the course, and one each for import into Canvas and Moodle."""

import csv
import io
from typing import NamedTuple

from tools.teaching.exercises import identity, is_graded


class Score(NamedTuple):
    """A student's result.

    `points` maps graded cells to points, with None where they are still to be given by hand; it is empty if the
    submission could not be graded. `remark` and `copied`, the part of it about copying, are for the teacher alone.
    """

    student: str
    points: dict
    penalty: float
    remark: str
    copied: tuple = ()

    @property
    def unread(self):
        """The cells whose points are still to be given by hand."""
        return [cell for cell, points in self.points.items() if points is None]

    @property
    def is_final(self):
        return bool(self.points) and not self.unread

    @property
    def total(self):
        return sum(filter(None, self.points.values())) - self.penalty

    def line(self, most):
        """The score in words, for the terminal."""
        got = f"{self.total:g} of {sum(most.values()):g}" if self.points else "no score"
        if self.unread:
            got += f", {sum(most[cell] for cell in self.unread):g} of them not read yet"
        return "; ".join(filter(None, [f"{table_cell(self.student)}: {got}", printable(self.remark)]))


def maxima(released):
    """The maximum points of each graded cell, in the order of the assignment."""
    return {identity(cell): cell.metadata.nbgrader.points for cell in released.cells if is_graded(cell)}


def printable(text):
    """The text for any encoding and terminal, with characters that are not printable as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def table_cell(text):
    """A name or remark that breaks no table and that no spreadsheet takes for a formula."""
    text = printable(text)
    return f"'{text}" if text.lstrip().startswith(tuple("=+-@＝＋－＠")) else text


def format_number(value):
    return "" if value is None else f"{value:g}"


def for_course(name, most, scores):
    """A row for each student: points of every graded cell, penalty if anybody is late, total, maximum and remark."""
    late = ["penalty"] if any(score.penalty for score in scores) else []
    titles = [cell.removesuffix("-test") for cell in most]
    yield ["student", *titles, *late, "total", "maximum", "remark"]
    for score in scores:
        points = [format_number(score.points.get(cell)) for cell in most]
        lost = [format_number(score.penalty)] if late else []
        total = format_number(score.total) if score.points else ""
        yield [
            table_cell(score.student),
            *points,
            *lost,
            total,
            format_number(sum(most.values())),
            table_cell(score.remark),
        ]


def for_canvas(name, most, scores):
    """Canvas's gradebook: five columns that identify the student, here by login, then one for the assignment.

    As in Moodle's, there is no row for a student whose answers have not all been read: the total is not one yet.
    """
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", name]
    yield ["    Points Possible", "", "", "", "", format_number(sum(most.values()))]
    for score in scores:
        if score.is_final:
            yield [table_cell(score.student), "", "", table_cell(score.student), "", format_number(score.total)]


def for_moodle(name, most, scores):
    """Moodle's gradebook: user name, grade and feedback; Moodle asks for their meaning on import.

    Students see the feedback, so it holds nothing of the teacher's remarks.
    """
    yield ["Username", name, f"{name} feedback"]
    for score in scores:
        if score.is_final:
            late = f"{format_number(score.penalty)} taken off, because it came late" if score.penalty else ""
            yield [table_cell(score.student), format_number(score.total), late]


TABLES = {"": for_course, "-canvas": for_canvas, "-moodle": for_moodle}


def write_atomically(path, text):
    """Write a file so that it is never seen half written."""
    partial = path.with_name(f"{path.name}.part")
    partial.write_text(text, encoding="utf-8", newline="")
    partial.replace(path)


def write_tables(name, course, most, scores):
    """Write every table into the course's folder; returns the path of the first."""
    for ending, rows in TABLES.items():
        text = io.StringIO(newline="")
        csv.writer(text).writerows(rows(name, most, scores))
        write_atomically(course / f"{name}{ending}.csv", text.getvalue())
    if unread := [score for score in scores if score.points and score.unread]:
        print(f"Not in the tables for Canvas and Moodle: {len(unread)} with answers that wait for points by hand.")
    return course / f"{name}.csv"

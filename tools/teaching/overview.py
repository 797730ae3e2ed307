"""Write a page about the class: the totals, how many solved each problem, and which answers are the same."""

import html
import io
import math
from statistics import mean, median

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tools.teaching.exercises import identity, is_graded, is_test, problems_of
from tools.teaching.score_tables import format_number, maxima, printable, write_atomically

KINDS = {"all points": "#0b6e4f", "some": "#9ad1b5", "none": "#c9c9c9", "not read yet": "#e8c468"}
PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{name}: the class</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem; }}
svg {{ max-width: 100%; height: auto; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #ccc; }}
th:first-child, td:first-child {{ text-align: left; }}
</style>
<h1>{name}: the class</h1>
<p>{sums}</p>
{histogram}
<h2>The problems</h2>
{problem_chart}
<table>
<tr><th>Problem</th><th>Points</th><th>Mean</th><th>All</th><th>Some</th><th>None</th><th>Not read yet</th></tr>
{rows}
</table>
<p>A problem is not read yet while an answer to it waits for points by hand; its mean is that of those who are read.</p>
{copies}
</html>
"""


def by_problem(released, scores):
    """For each problem its title, its maximum, and the points of every student, None where an answer is unread."""
    numbers, titles = problems_of(released)
    cells = {
        problem: [
            identity(cell)
            for cell, of in zip(released.cells, numbers, strict=True)
            if of == problem and is_graded(cell)
        ]
        for problem in titles
    }
    most = maxima(released)
    return [
        (
            f"{problem}. {titles[problem]}",
            sum(most[cell] for cell in cells[problem]),
            [points_in(cells[problem], score) for score in scores],
        )
        for problem in titles
        if cells[problem]
    ]


def points_in(cells, score):
    points = [score.points.get(cell, 0) for cell in cells]
    return None if None in points else sum(points)


def counts(most, points):
    """How many students have all of the points, some of them and none, and how many are not read yet."""
    read = [point for point in points if point is not None]
    full, none = sum(point >= most for point in read), sum(point <= 0 for point in read)
    return full, len(read) - full - none, none, len(points) - len(read)


def mean_of(points):
    read = [point for point in points if point is not None]
    return f"{mean(read):.2g}" if read else "–"


def image(figure):
    text = io.StringIO()
    with rc_context({"svg.hashsalt": "the class"}):  # the same scores make the same file
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue().partition("<svg")[2].join(["<svg", ""])


def histogram_edges(totals, most):
    """Tenths of the maximum, continued up to the largest total.

    A total exceeds the maximum if a problem was worth more when its points were given.
    """
    return [most * k / 10 for k in range(max([10, *(math.ceil(10 * total / most) for total in totals)]) + 1)]


def histogram(totals, most, what):
    figure = Figure(figsize=(7, 2.4), layout="constrained")
    axes = figure.subplots()
    axes.hist(totals, bins=histogram_edges(totals, most), color=KINDS["all points"], edgecolor="white")
    axes.set(xlabel=f"{what}, of {format_number(most)}", ylabel="students")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return image(figure)


def problem_chart(problems):
    figure = Figure(figsize=(7, 0.9 + 0.35 * len(problems)), layout="constrained")
    axes = figure.subplots()
    for row, (_, most, points) in enumerate(problems):
        left = 0
        for count, (kind, colour) in zip(counts(most, points), KINDS.items(), strict=True):
            axes.barh(row, count, left=left, color=colour, label=kind if row == 0 else None)
            left += count
    axes.set(yticks=range(len(problems)), yticklabels=[title for title, _, _ in problems], xlabel="students")
    axes.invert_yaxis()
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.legend(loc="outside upper left", ncols=len(KINDS), frameon=False)  # beside the titles it would be cut
    return image(figure)


def totals_of(released, scores):
    """The totals, their maximum, and what they are: while answers are unread, the points that tests give."""
    most = maxima(released)
    if not any(score.unread for score in scores):
        return [score.total for score in scores], sum(most.values()), "points"
    tests = [identity(cell) for cell in released.cells if is_test(cell)]
    totals = [sum(score.points.get(cell) or 0 for cell in tests) for score in scores]
    return totals, sum(most[cell] for cell in tests), "points that tests give"


def copies_of(scores):
    """A list of the answers that are the same elsewhere; empty if there are none."""
    lines = [
        f"<li>{html.escape(printable(score.student))}: {html.escape(printable(copied))}</li>"
        for score in scores
        for copied in score.copied
    ]
    return "<h2>The same answers</h2>\n<ul>\n" + "\n".join(lines) + "\n</ul>" if lines else ""


def write_overview(name, course, released, scores):
    """Write the page if any student has points."""
    scores = [score for score in scores if score.points]
    if not scores:
        return
    totals, most, what = totals_of(released, scores)
    problems = by_problem(released, scores)
    rows = "\n".join(
        "<tr>"
        + "".join(
            f"<td>{html.escape(str(value))}</td>"
            for value in (title, format_number(of), mean_of(points), *counts(of, points))
        )
        + "</tr>"
        for title, of, points in problems
    )
    sums = (
        f"{len(scores)} scored, of {format_number(most)} {what}: "
        f"from {format_number(min(totals))} to {format_number(max(totals))}, "
        f"mean {mean(totals):.1f}, median {median(totals):.1f}."
    )
    charts = {"histogram": histogram(totals, most, what), "problem_chart": problem_chart(problems)}
    page = PAGE.format(name=html.escape(name), sums=sums, rows=rows, copies=copies_of(scores), **charts)
    write_atomically(course / f"{name}.html", page)

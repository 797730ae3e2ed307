"""Write a page about the class: a histogram of the totals, and how many solved each problem fully, in part or not."""

import html
import io
import math
from statistics import mean, median

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tools.teaching.exercises import identity, is_graded, problems_of
from tools.teaching.score_tables import format_number, maxima, write_atomically

KINDS = {"all points": "#0b6e4f", "some": "#9ad1b5", "none": "#c9c9c9"}
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
<tr><th>Problem</th><th>Points</th><th>Mean</th><th>All</th><th>Some</th><th>None</th></tr>
{rows}
</table>
<p>Points that are still to be given by hand count as zero.</p>
</html>
"""


def by_problem(released, scores):
    """For each problem its title, its maximum, and the points of every student."""
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
            [sum(score.points.get(cell) or 0 for cell in cells[problem]) for score in scores],
        )
        for problem in titles
        if cells[problem]
    ]


def counts(most, points):
    """How many students have all of the points, some of them, and none."""
    full, none = sum(point >= most for point in points), sum(point <= 0 for point in points)
    return full, len(points) - full - none, none


def image(figure):
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue().partition("<svg")[2].join(["<svg", ""])


def histogram_edges(totals, most):
    """Tenths of the maximum, continued up to the largest total.

    A total exceeds the maximum if a problem was worth more when its points were given.
    """
    return [most * k / 10 for k in range(max([10, *(math.ceil(10 * total / most) for total in totals)]) + 1)]


def histogram(totals, most):
    figure = Figure(figsize=(7, 2.4), layout="constrained")
    axes = figure.subplots()
    axes.hist(totals, bins=histogram_edges(totals, most), color=KINDS["all points"], edgecolor="white")
    axes.set(xlabel=f"points, of {format_number(most)}", ylabel="students")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return image(figure)


def problem_chart(problems):
    figure = Figure(figsize=(7, 0.6 + 0.35 * len(problems)), layout="constrained")
    axes = figure.subplots()
    for row, (_, most, points) in enumerate(problems):
        left = 0
        for count, (kind, colour) in zip(counts(most, points), KINDS.items(), strict=True):
            axes.barh(row, count, left=left, color=colour, label=kind if row == 0 else None)
            left += count
    axes.set(yticks=range(len(problems)), yticklabels=[title for title, _, _ in problems], xlabel="students")
    axes.invert_yaxis()
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False)
    return image(figure)


def write_overview(name, course, released, scores):
    """Write the page if any student has points."""
    scores = [score for score in scores if score.points]
    if not scores:
        return
    most, totals = sum(maxima(released).values()), [score.total for score in scores]
    problems = by_problem(released, scores)
    rows = "\n".join(
        "<tr>"
        + "".join(
            f"<td>{html.escape(str(value))}</td>"
            for value in (title, format_number(of), f"{mean(points):.2g}", *counts(of, points))
        )
        + "</tr>"
        for title, of, points in problems
    )
    sums = (
        f"{len(scores)} scored, of {format_number(most)} points: "
        f"from {format_number(min(totals))} to {format_number(max(totals))}, "
        f"mean {mean(totals):.1f}, median {median(totals):.1f}."
    )
    charts = {"histogram": histogram(totals, most), "problem_chart": problem_chart(problems)}
    page = PAGE.format(name=html.escape(name), sums=sums, rows=rows, **charts)
    write_atomically(course / f"{name}.html", page)

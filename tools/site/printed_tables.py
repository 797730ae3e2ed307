"""Show the tables in what a cell printed as tables, with a drawing under each number: its place in its column.

A column has a scale of its own, from its least number to its largest; logarithmic if all are above 0 and the largest is
more than a hundred times the least. The entries of a vector share a scale. So do columns whose heads begin with a
number, since they hold one quantity. What sets the rows apart has none: the first column, and one that goes through the
same few values again and again.
"""

import math
import re
from collections import Counter
from html import escape
from typing import NamedTuple

from sphinx.transforms import SphinxTransform

from kernelbook.figures.controls import text_of
from tools.site.replications import is_printed, put_in_place
from tools.site.text_tables import NUMBER, parts_of

WIDTH, HEIGHT, MARGIN = 48, 8, 3  # pixels of a drawing
LOGARITHMIC = 100  # how many times the least number the largest is
MARK = re.compile(rf"({NUMBER})(?:%| k?m)?(?: ?(±|of|…) ?({NUMBER}))?")


class Mark(NamedTuple):
    """A number to draw, the ends of a thin line through it, and the ends of the scale that it asks for."""

    dots: tuple[float, ...]
    line: tuple[float, float]
    ends: tuple[float, float]


class PrintedTables(SphinxTransform):
    """Replace the tables of an output; its other lines stay text."""

    default_priority = 251  # after the numbers of experiments

    def apply(self, **_):
        for block in list(self.document.findall(is_printed)):
            put_in_place(block, parts_of(block.astext()), table)


def table(columns):
    drawings = drawn(columns)
    heads = [head for head in (column.head for column in columns) if head]
    label = escape(f"Table: {', '.join(dict.fromkeys(heads))}" if heads else "Table", quote=True)
    rows = "".join(row_html(columns, drawings, k) for k in range(len(columns[0].cells)))
    return (
        f'<div class="output printed-table" role="group" aria-label="{label}"><table>'
        f"{head_html(columns) if heads else ''}<tbody>{rows}</tbody></table></div>"
    )


def head_html(columns):
    """The heads, each above as many columns as share it; one without words is no head."""
    cells, place = "", 0
    while place < len(columns):
        end = place + 1
        while end < len(columns) and columns[end].goes_on:
            end += 1
        span = f' colspan="{end - place}"' if end - place > 1 else ""
        head, words = columns[place].head, ' class="words"' if is_of_words(columns[place]) else ""
        cells += f'<th scope="col"{words}{span}>{shown(head)}</th>' if head else f"<td{span}></td>"
        place = end
    return f"<thead><tr>{cells}</tr></thead>"


def row_html(columns, drawings, row):
    cells = ""
    for k, column in enumerate(columns):
        leads = k == 0 or all(before.is_name for before in columns[: k + 1])
        tag, scope = ("th", ' scope="row"') if leads else ("td", "")
        words = ' class="words"' if is_of_words(column) else ""
        cells += f"<{tag}{scope}{words}>{shown(column.cells[row])}{drawings[k][row]}</{tag}>"
    return f"<tr>{cells}</tr>"


def shown(text):
    """The text with the numbers as prose has them: −0.5 for -0.5, 4·10⁻⁷ for 4e-07."""
    text = re.sub(r"(?<![\w.])\d+(\.\d+)?e[+-]\d+(?!\w)", lambda number: text_of(float(number[0])), text)
    return escape(re.sub(r"(?<![\w)])-(?=\d)", "−", text), quote=False)


def is_of_words(column):
    return column.is_name or not any(map(mark, column.cells))


def mark(text):
    if not (match := MARK.fullmatch(text)):
        return None
    first, kind, second = match.groups()
    a, b = (float((number or first).replace(",", "")) for number in (first, second))
    return {
        None: Mark((a,), (a, a), (a, a)),
        "±": Mark((a,), (a - b, a + b), (a - b, a + b)),
        "of": Mark((a,), (a, a), (0.0, b)),
        "…": Mark((a, b), (min(a, b), max(a, b)), (min(a, b), max(a, b))),
    }[kind]


def drawn(columns):
    """For each column the drawings of its rows; empty texts where there is nothing to draw."""
    marks = [
        [None if column.is_name or sets_rows(columns, k) else mark(text) for text in column.cells]
        for k, column in enumerate(columns)
    ]
    kinds = []
    for k, column in enumerate(columns):
        counted = re.match(r"\d", column.head) is not None
        kinds.append("counted" if counted else kinds[-1] if column.goes_on else k)
    scales = {}
    for kind in kinds:
        ends = [end for k, of in enumerate(kinds) if of == kind for one in marks[k] if one for end in one.ends]
        scales[kind] = (min(ends), max(ends)) if ends and min(ends) < max(ends) else None
    return [
        [svg(one, *scales[kind]) if one and scales[kind] else "" for one in column]
        for column, kind in zip(marks, kinds, strict=True)
    ]


def sets_rows(columns, k):
    """Whether a column says what a row is about: the first, or one whose every value comes back equally often."""
    times = {*Counter(columns[k].cells).values()}
    before = all(column.is_name or sets_rows(columns, j) for j, column in enumerate(columns[:k]))
    return k == 0 or (before and len(times) == 1 and times != {1})


def svg(one, low, high):
    logarithmic = low > 0 and high > LOGARITHMIC * low
    scaled = math.log if logarithmic else float

    def place(value):
        share = (scaled(value) - scaled(low)) / (scaled(high) - scaled(low))
        return f"{MARGIN + (WIDTH - 2 * MARGIN) * share:.1f}"

    middle, (left, right) = f"{HEIGHT / 2:g}", one.line
    zero = f'<path class="zero" d="M{place(0)} 0V{HEIGHT}"/>' if low < 0 < high else ""
    line = f'<path class="whisker" d="M{place(left)} {middle}H{place(right)}"/>' if left < right else ""
    dots = "".join(f'<circle cx="{place(dot)}" cy="{middle}" r="2.75"/>' for dot in one.dots)
    track = f'<path class="track" d="M{MARGIN} {middle}H{WIDTH - MARGIN}"/>'
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg {size} aria-hidden="true">{track}{zero}{line}{dots}</svg>'


def setup(app):
    app.add_transform(PrintedTables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

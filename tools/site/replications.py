"""Draw what an experiment gave over many seeds, beside the numbers that a cell printed.

`kernelbook.experiments.Replication` prints a line for each number: "name  mean ± standard error (least to largest; how
many opposite)", or "name  in k of n". Two such lines or more become a table, each with a drawing: the range as a thin
line, the mean as a dot with a whisker of one standard error, and a line at 0. Numbers of one size share a scale;
differences, "a − b", have scales of their own.
"""

import re
from html import escape
from typing import NamedTuple

from docutils import nodes
from sphinx.transforms import SphinxTransform

NUMBER = r"-?\d+(?:\.\d+)?"
LINE = re.compile(
    rf"(?P<name>\S.*?) {{2,}}(?:(?P<mean>{NUMBER}) ± (?P<error>{NUMBER}) \((?P<low>{NUMBER}) to (?P<high>{NUMBER})"
    r"(?:; (?P<opposite>\d+) opposite)?\)|in (?P<count>\d+) of (?P<seeds>\d+))"
)
WIDTH, HEIGHT, MARGIN = 200, 20, 6  # pixels of a drawing
HEADS = "".join(
    f'<th scope="col">{head}</th>'
    for head in ("range and mean", "mean ± standard error", "least to largest; seeds that went the other way")
)
HEADS = f"<thead><tr><td></td>{HEADS}</tr></thead>"
ONE_SCALE = 8  # numbers of one size: each is at most so many times as large as the next smaller one


class Row(NamedTuple):
    """A line of text: a number's mean, standard error, range and count of opposite signs, or a share of the seeds."""

    name: str
    mean: str | None
    error: str | None
    low: str | None
    high: str | None
    opposite: str | None
    count: str | None
    seeds: str | None

    @property
    def size(self):
        return max(abs(float(self.low)), abs(float(self.high)))


class Drawings(SphinxTransform):
    """Replace printed replications by tables with drawings; other lines of an output stay text."""

    default_priority = 250  # after cells' outputs have become literal blocks

    def apply(self, **_):
        for block in list(self.document.findall(is_printed)):
            put_in_place(block, parts_of(block.astext()), table)


def put_in_place(block, parts, table):
    """Replace an output by its parts: those that are text stay text, and `table` writes the HTML of the others."""

    def node(part):
        if not isinstance(part, str):
            return nodes.raw("", table(part), format="html")
        rest = block.copy()
        rest.rawsource, rest.children = part, [nodes.Text(part)]
        return rest

    if not all(isinstance(part, str) for part in parts):
        block.replace_self([*map(node, parts)])


def is_printed(node):
    return isinstance(node, nodes.literal_block) and {"output", "stream"} <= set(node["classes"])


def parts_of(text):
    """The text in parts: lists of two rows or more that follow each other, and the text between them."""
    parts, rows, lines = [], [], []

    def close():
        nonlocal rows
        if len(rows) > 1:
            if lines:
                parts.append("\n".join(lines))
            parts.append([Row(**LINE.fullmatch(row).groupdict()) for row in rows])
            lines.clear()
        else:
            lines.extend(rows)
        rows = []

    for line in text.rstrip("\n").split("\n"):
        if LINE.fullmatch(line):
            rows.append(line)
        else:
            close()
            lines.append(line)
    close()
    return [*parts, "\n".join(lines)] if lines else parts


def table(rows):
    body = "".join(
        "".join(row_html(row, scale) for row in group) + (ends(scale) if scale else "") for group, scale in groups(rows)
    )
    return f'<table class="replication">{HEADS}<tbody>{body}</tbody></table>'


def groups(rows):
    """The rows of each scale, and its ends, among them 0; None for shares. A group stands where its first row did."""
    sized = []
    for are_differences in (False, True):
        before = None
        found = [row for row in rows if row.mean is not None and (" − " in row.name) == are_differences]
        for row in sorted(found, key=lambda row: row.size):
            if before is None or row.size > ONE_SCALE * before > 0:
                sized.append([])
            sized[-1].append(row)
            before = row.size
    found = [(group, scale_of(group)) for group in sized]
    shares = [row for row in rows if row.mean is None]
    found += [(shares, None)] if shares else []
    for group, _ in found:
        group.sort(key=rows.index)
    return sorted(found, key=lambda group: rows.index(group[0][0]))


def scale_of(group):
    low = min(0.0, *(float(row.low) for row in group))
    high = max(0.0, *(float(row.high) for row in group))
    return (low, high) if high > low else (low, low + 1)


def row_html(row, scale):
    if scale is None:
        words, rest, drawing = f"in {row.count} of {row.seeds}", "", share(row)
    else:
        words, rest = f"{row.mean} ± {row.error}", f"{row.low} to {row.high}"
        rest += f", {row.opposite} the other way" if row.opposite else ""
        drawing = whisker(row, *scale)
    svg = f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">{drawing}</svg>'
    cells = [svg, *(escape(text.replace("-", "−")) for text in (words, rest))]
    return f'<tr><th scope="row">{escape(row.name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def whisker(row, low, high):
    def place(value):
        return f"{MARGIN + (WIDTH - 2 * MARGIN) * (value - low) / (high - low):.1f}"

    mean, error, middle = float(row.mean), float(row.error), f"{HEIGHT / 2:g}"
    return (
        f'<path class="zero" d="M{place(0)} 0V{HEIGHT}"/>'
        f'<path class="range" d="M{place(float(row.low))} {middle}H{place(float(row.high))}"/>'
        f'<path class="whisker" d="M{place(mean - error)} {middle}H{place(mean + error)}"/>'
        f'<circle cx="{place(mean)}" cy="{middle}" r="4"/>'
    )


def share(row):
    whole = WIDTH - 2 * MARGIN
    box = f'x="{MARGIN}" y="5" height="{HEIGHT - 10}"'
    true = whole * int(row.count) / int(row.seeds)
    return f'<rect class="whole" {box} width="{whole}"/><rect {box} width="{true:.1f}"/>'


def ends(scale):
    low, high = (f"{end:.2g}".replace("-", "−") for end in scale)
    cells = f"<td></td><td><span>{low}</span><span>{high}</span></td><td></td><td></td>"
    return f'<tr class="ends" aria-hidden="true">{cells}</tr>'


def setup(app):
    app.add_transform(Drawings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Say in each cell of a table that stacks on a phone what stands in it, since its heads are not seen there.

A page marks such a table by a container with the class "stacked-table" around it.
"""

from docutils import nodes
from sphinx.transforms import SphinxTransform


class HeadsInCells(SphinxTransform):
    """Put the head of a column before each of its cells but those of the first column, for phones alone."""

    default_priority = 700  # after formulas and references are in their places

    def apply(self, **_):
        for container in self.document.findall(nodes.container):
            if "stacked-table" in container["classes"]:
                for table in container.findall(nodes.tgroup):
                    label(table)


def label(table):
    (heads,) = (row.children for head in table.findall(nodes.thead) for row in head)
    for row in (row for body in table.findall(nodes.tbody) for row in body):
        for head, entry in list(zip(heads, row, strict=True))[1:]:
            if not entry.children:
                continue
            words = [part.deepcopy() for paragraph in head for part in paragraph]
            entry[0][:0] = [nodes.inline("", "", *words, nodes.Text(": "), classes=["stacked-head"])]


def setup(app):
    app.add_transform(HeadsInCells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

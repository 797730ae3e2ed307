"""A table that stacks on a phone says in each cell what stands in it."""

from docutils import nodes
from docutils.core import publish_doctree

from tools.site.stacked_tables import label

TABLE = """
=======  =======  ========
loss     pull     penalty
=======  =======  ========
squared  r        β²
Huber    r/κ
=======  =======  ========
"""


def test_each_cell_but_the_first_of_a_row_has_its_head():
    (table,) = publish_doctree(TABLE).findall(nodes.tgroup)
    label(table)
    rows = [[entry.astext() for entry in row] for body in table.findall(nodes.tbody) for row in body]
    assert rows == [["squared", "pull: r", "penalty: β²"], ["Huber", "pull: r/κ", ""]]

"""Fold code: adjacent hidden cells share one fold, and each problem of an exercise has one fold at its end."""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxTranslator

PART_TAG = "tag_part"  # class of the cells that an exercise's fold gathers
PART_TITLES = {"tag_solution": "Solution", "tag_tests": "Tests", "tag_hidden-tests": "Hidden tests"}


class Fold(nodes.General, nodes.Element):
    """A collapsible element with a title."""


def visit_fold(self: SphinxTranslator, node):
    self.body.append(f'<details class="fold"><summary>{self.encode(node["title"])}</summary>\n')


def depart_fold(self: SphinxTranslator, node):
    self.body.append("</details>\n")


def is_cell(node):
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def hides(node):
    return is_cell(node) and node.get("hide_mode") == "input" and PART_TAG not in node["classes"]


def output_of(cell):
    return [child for child in cell if child.get("nb_element") == "cell_code_output"]


class OneFold(SphinxPostTransform):
    """Merge hidden code without output into the fold of the hidden code after it."""

    default_priority = 150  # before myst-nb folds hidden code
    formats = ("html",)

    def run(self, **_):
        for cell in list(self.document.findall(is_cell)):
            place = cell.parent.index(cell)
            after = cell.parent[place + 1] if place + 1 < len(cell.parent) else None
            if after is not None and hides(cell) and not output_of(cell) and hides(after):
                after[0][0:0] = cell[0].children
                cell.parent.remove(cell)


class FoldedNumbers(SphinxPostTransform):
    """Fold the code and the output of a cell tagged "numbers", which a figure beside it shows."""

    default_priority = 150
    formats = ("html",)

    def run(self, **_):
        for cell in self.document.findall(is_cell):
            if "tag_numbers" in cell["classes"]:
                inside, cell.children = cell.children, []
                cell += Fold("", *inside, title="The numbers")


class OneFoldForAProblem(SphinxPostTransform):
    """Gather a problem's solutions and tests at its end, with an inner fold for each question if there are several."""

    default_priority = 150
    formats = ("html",)

    def run(self, **_):
        for section in self.document.findall(nodes.section):
            questions = {}
            for cell in [child for child in section if is_cell(child) and PART_TAG in child["classes"]]:
                questions.setdefault(self.question(section, cell), []).append(cell)
            for cells in questions.values():
                for cell in cells:
                    section.remove(cell)
            if questions:
                section += self.fold(questions)

    def question(self, section, cell):
        """The bold words at the start of the last paragraph before the cell that starts with bold words."""
        for before in reversed(section[: section.index(cell)]):
            words = [child for child in before if child.astext()] if isinstance(before, nodes.paragraph) else []
            if words and isinstance(words[0], nodes.strong):
                return words[0].astext().rstrip(".")
        return ""

    def fold(self, questions):
        names = dict.fromkeys(name for cells in questions.values() for cell in cells for name in self.part(cell))
        title = "Solution and tests" if "Solution" in names else "Tests"
        fold = Fold(title=title)
        for question, cells in questions.items():
            inner = Fold(title=question) if len(questions) > 1 else fold
            for cell in cells:
                inner += nodes.rubric("", *[nodes.Text(name) for name in self.part(cell)])
                cell["hide_mode"] = None
                inner += cell
            if inner is not fold:
                fold += inner
        return fold

    def part(self, cell):
        return [name for tag, name in PART_TITLES.items() if tag in cell["classes"]]


def setup(app):
    app.add_node(Fold, html=(visit_fold, depart_fold))
    app.add_post_transform(OneFold)
    app.add_post_transform(FoldedNumbers)
    app.add_post_transform(OneFoldForAProblem)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

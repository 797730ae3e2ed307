"""The list of the book's named results, gathered from its pages."""

import re
from pathlib import Path

import nbformat
from sphinx.util.docutils import SphinxDirective

BOOK = Path(__file__).resolve().parents[2] / "book"
NAMED = re.compile(r"^:{3,}\{prf:(\w+)\} (.+)\n:label: (\S+)$", flags=re.MULTILINE)
KINDS = {
    "Theorems": ("theorem", "lemma", "proposition", "corollary"),
    "Definitions": ("definition",),
}


def chapters(env):
    """The notebooks of the book without the exercises, in order: path and texts of the cells of prose."""
    for path in sorted(BOOK.glob("[0-9]*.ipynb"), key=lambda path: path.stem):
        env.note_dependency(str(path))
        yield path, [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]


def title(sources):
    return re.search(r"^# (.+)$", sources[0], flags=re.MULTILINE)[1]


def sort_key(name):
    """The name as sorted in an index: without the article and in lower case."""
    return re.sub(r"^(?:an?|the) ", "", name.lower())


class Results(SphinxDirective):
    """Tables of every named theorem and definition with name, number and page."""

    def run(self):
        found = {}
        for path, sources in chapters(self.env):
            for kind, name, label in NAMED.findall("\n".join(sources)):
                found.setdefault(kind, []).append((name, label, f"[{title(sources)}]({path.name})"))
        lines = []
        for heading, kinds in KINDS.items():
            named = sorted((one for kind in kinds for one in found.pop(kind, [])), key=lambda one: sort_key(one[0]))
            lines += ["", f"**{heading}**", "", f"| name | {heading.lower()[:-1]} | page |", "|---|---|---|"] * bool(
                named
            )
            lines += [f"| {name} | {{prf:ref}}`{label}` | {page} |" for name, label, page in named]
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app):
    app.add_directive("results", Results)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

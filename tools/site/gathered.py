"""Gather two lists from all over the book: its named results, and the slips of the lecture notes."""

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
SLIPS = "## Slips in the notes"


def chapters(env):
    """The notebooks of the book without the exercises, in order: path and texts of the cells."""
    for path in sorted(BOOK.glob("[0-9]*.ipynb"), key=lambda path: path.stem):
        env.note_dependency(str(path))
        yield path, [*map(text_of, nbformat.read(path, as_version=4).cells)]


def text_of(cell):
    """The text of a cell, or the printed output of its code."""
    if cell.cell_type == "markdown":
        return cell.source
    printed = "".join(output.get("text", "") for output in cell.outputs)
    return f"```none\n{printed.rstrip()}\n```" if printed else ""


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


class Slips(SphinxDirective):
    """The sections on slips in the lecture notes that chapters still have; book/slips.ipynb itself has the others."""

    def run(self):
        lines, titles = [], {}
        for path, sources in chapters(self.env):
            number = path.name[:2]
            chapter = titles.setdefault(number, title(sources))  # the title of its first page
            section = "\n\n".join(sources).partition(SLIPS)[2]
            if section:
                section = re.split(r"^(?:\(.*\)=\n)?## ", section, maxsplit=1, flags=re.MULTILINE)[0]
                lines += ["", f"## Chapter {int(number)}: {chapter}", "", section.strip(), ""]
                lines += [f"The cells that refute them stand [beside these words]({path.name}#slips-in-the-notes)."]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def setup(app):
    app.add_directive("results", Results)
    app.add_directive("slips", Slips)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

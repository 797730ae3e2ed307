"""A site built without solutions holds none, wherever one looks; the same search finds them all in a site built with.

The small book here has every exercise and no chapter: a chapter may well contain the line that solves an exercise.
"""

import ast
import html
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import nbformat
import pytest

from tests.marks import thorough
from tools.teaching.exercises import SOURCES, read, student_version, variant

ROOT = Path(__file__).resolve().parents[2]
IN_BOOK = ["_static", "_templates", "exercises", "notation.md", "references.bib"]
PARTS = ["_config.yml", "tools", *(f"book/{part}" for part in IN_BOOK)]
REGION = re.compile(r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)### END", flags=re.DOTALL)
FORMULA = re.compile(r"\$[^$]+\$")
PAGES = sorted(path.relative_to(ROOT).with_suffix("").as_posix() for path in SOURCES.glob("*/*.ipynb"))


def bare(text):
    """Letters and digits alone: markup, quoting and white space differ from place to place."""
    return re.sub(r"[\W_]", "", text)


def prose(cell):
    """A cell's source; of text what stands between formulas, which the site has as MathML."""
    return cell.source if cell.cell_type == "code" else FORMULA.sub("\n", cell.source)


@cache
def given_to_all():
    """What the small book says besides solutions and hidden tests."""
    return "\n".join(cell.source for path in SOURCES.glob("*/*.ipynb") for cell in student_version(read(path)).cells)


@cache
def secrets(source):
    """Lines and names that are in a solution or a hidden test, and in nothing else that the small book has."""
    given = bare(given_to_all())
    elsewhere = (given_to_all() + (ROOT / "book" / "notation.md").read_text(encoding="utf-8")).lower()
    hidden = "\n".join(region for cell in read(source).cells for region in REGION.findall(prose(cell)))
    lines = {bare(line) for line in hidden.splitlines()}
    names = set(re.findall(r"[a-z]{6,}", hidden.lower()))
    return (
        {line for line in lines if len(line) >= 12 and line not in given},
        {name for name in names if name not in elsewhere},
    )


def texts(site):
    """What a reader, a search engine or a curious student can read of each file."""
    for path in site.rglob("*"):
        foreign = path.relative_to(site).parts[0] in ("_static", "live") and "files" not in path.parts
        ours = not foreign or {"previews", "search"} & {*path.parts}
        if ours and path.suffix in (".html", ".ipynb", ".js", ".json", ".txt", ".md", ".inv"):
            text = path.read_text(encoding="utf-8", errors="replace")
            yield path, html.unescape(re.sub(r"<[^>]*>", "", text)) if path.suffix == ".html" else text


def leaks(site):
    """The secrets that the site gives away: lines anywhere, and names in the search index."""
    everything = "".join(bare(text) for _, text in texts(site))
    parts = [site / "_static/search/sections.js", *(site / "_static/search/texts").rglob("*.js")]
    index = "".join(path.read_text(encoding="utf-8").partition(",")[2] for path in parts)
    words = set(re.findall(r"[a-z]{6,}", index.lower()))
    lines, names = (set.union(*kinds) for kinds in zip(*map(secrets, SOURCES.glob("*/*.ipynb")), strict=True))
    return {line for line in lines if line in everything}, names & words


def build(book, solutions, fails=False):
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", ".", "-W", "-n"]
    environment = {**os.environ, "KERNELBOOK_SOLUTIONS": solutions}
    done = subprocess.run(command, cwd=book, env=environment, capture_output=True, text=True, encoding="utf-8")
    if fails:
        assert done.returncode != 0
        return done.stdout + done.stderr
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return book / "_build" / "html"


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    root = tmp_path_factory.mktemp("book")
    for part in PARTS:
        (root / part).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / part).is_dir() else shutil.copy)(ROOT / part, root / part)
    notation = root / "book" / "notation.md"
    linked = re.sub(r"\[([^\]]*)\]\([^)]*\.(?:ipynb|md)\)", r"\1", notation.read_text(encoding="utf-8"))
    notation.write_text(linked, encoding="utf-8")  # its links to other pages
    files = ["book/references", *PAGES]
    (root / "book" / "references.md").write_text("# References\n\n```{bibliography}\n```\n", encoding="utf-8")
    toc = "format: jb-book\nroot: book/notation\nchapters:\n" + "".join(f"  - file: {file}\n" for file in files)
    (root / "_toc.yml").write_text(toc, encoding="utf-8")
    if (ROOT / "_build" / "executed").is_dir():  # what the book's own build has executed
        shutil.copytree(ROOT / "_build" / "executed", root / "_build" / "executed")
    return root


@thorough
def test_solutions_are_where_they_should_be_and_nowhere_else(book):
    lines, names = leaks(build(book, "1"))
    wanted = [secrets(source) for source in SOURCES.glob("*/*.ipynb")]
    assert lines == set.union(*(lines for lines, _ in wanted))
    assert names

    assert "must be 1 or 0, not 'maybe'" in build(book, "maybe", fails=True)
    made = {"krr": {"seed": 98765, "problems": [1, 3]}}
    (book / "_build" / "nbgrader").mkdir()
    (book / "_build" / "nbgrader" / "assignments.json").write_text(json.dumps(made), encoding="utf-8")
    site = build(book, "no")  # on top of the other: nothing of it may remain
    assert leaks(site) == (set(), set())
    assert "SEED = 98765" in re.sub(r"<[^>]*>", "", (site / "book/exercises/krr/krr.html").read_text(encoding="utf-8"))

    for page in PAGES:
        download = nbformat.read(site / "_sources" / f"{page}.ipynb", as_version=4)
        assert [cell.source for cell in download.cells] == [
            cell.source
            for cell in student_version(variant(read(ROOT / f"{page}.ipynb"), **made.get(page[-3:], {}))).cells
        ]
        for cell in download.cells:
            if cell.cell_type == "code":
                ast.parse(cell.source.replace("%pip", "pip = 0 #"))
        text = (site / f"{page}.html").read_text(encoding="utf-8")
        assert "YOUR CODE HERE" in text
        assert "<img" in text, "the figures of the data are gone"
        assert f'{page}.ipynb" download' in text

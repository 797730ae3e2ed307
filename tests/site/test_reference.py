"""The reference: every public name once, with what its docstring says, and links to it from the chapters' code."""

import ast
import doctest
from pathlib import Path
from posixpath import join, normpath

import nbformat
import pytest
from bs4 import BeautifulSoup
from docutils import nodes

from kernelbook.linalg.gram import centre
from tools.site import docstrings
from tools.site.code_links import LANGUAGES, find_names, imported, link_positions, parsed, with_links
from tools.site.public_names import names_of, public_names
from tools.site.reference import PAGES, groups, is_listed_kernel, marks, methods, sentence

BOOK = Path(__file__).parents[2] / "book"
ENTRIES = ["kernels", *(f"reference-{page}" for page in PAGES)]
NAMES = {names_of(thing)[0]: thing for thing in public_names()}
every_name = pytest.mark.parametrize("name", NAMES)
CODE = ".highlight pre a"


class Pages(dict):
    """Pages of the site by name, each parsed when it is first asked for."""

    def __init__(self, site):
        self.site = site

    def __missing__(self, page):
        self[page] = BeautifulSoup((self.site / page).read_text(encoding="utf-8"), "html.parser")
        return self[page]

    def every(self):
        for path in (self.site / "book").rglob("*.html"):
            page = path.relative_to(self.site).as_posix()
            yield page, self[page]


@pytest.fixture(scope="module")
def soups(site):
    return Pages(site)


def anchor(name):
    return f"kernel-{NAMES[name].__name__.lower()}" if is_listed_kernel(NAMES[name]) else name


def plain(text):
    """Letters and digits alone: quotes, signs of code and white space differ from place to place."""
    return "".join(filter(str.isalnum, text))


@every_name
def test_a_name_has_one_entry_with_its_summary_and_example(soups, name):
    found = [soup.find(id=anchor(name)) for soup in (soups[f"book/{page}.html"] for page in ENTRIES)]
    (entry,) = filter(None, found)
    assert entry.select_one("pre").get_text().split("(")[0] in (name, NAMES[name].__name__)
    words = plain(entry.get_text())
    said = docstrings.parsed(NAMES[name])
    shown = "".join(part.astext() for part in docstrings.inline(" ".join(said["Summary"])))
    assert plain(shown) in words
    assert plain(said["Examples"]) in words
    for parameter in said["Parameters"]:
        assert plain(parameter.name) in words
    if not is_listed_kernel(NAMES[name]) and isinstance(NAMES[name], type):
        assert all(method in entry.get_text() for method, *_ in methods(NAMES[name]))


@every_name
def test_an_example_runs_by_itself(name):
    text = docstrings.parsed(NAMES[name])["Examples"]
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(doctest.DocTestParser().get_doctest(text, {}, name, None, 0))
    assert runner.failures == 0
    assert runner.tries > 0


def test_the_first_page_lists_every_name_once_with_a_link_to_its_entry(soups):
    rows = soups["book/reference.html"].select("table.reference-names tbody tr")
    links = {row.find("a").get_text(): row.find("a")["href"].split("#")[1] for row in rows}
    assert len(rows) == len(NAMES)
    assert links == {thing.__name__: anchor(name) for name, thing in NAMES.items()}
    assert all(sentence(thing).count(". ") == 0 for thing in NAMES.values())


def test_every_public_name_is_in_one_group():
    grouped = [thing for page in groups().values() for things in page.values() for thing in things]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) == {thing for thing in public_names() if not is_listed_kernel(thing)}


def test_a_link_in_code_leads_to_the_entry_of_its_name(soups):
    count = 0
    for page, soup in soups.every():
        for link in soup.select(CODE):
            address, _, target = link["href"].partition("#")
            there = soups[normpath(join(page, "..", address)) if address else page]
            assert there.find(id=target), f"{page}: {link['href']} leads nowhere"
            last = link.get_text().split(".")[-1]
            assert target in (f"kernel-{last.lower()}",) or target.split(".")[-1] == last
            count += 1
    assert count > 500


@pytest.mark.parametrize("page", ["01-rkhs", "02-svc", "03-svr", "04-krr", "05-kpca", "06-kernel-design"])
def test_code_of_a_chapter_has_links_and_is_what_it_was(soups, page):
    shown = soups[f"book/{page}.html"]
    assert len(shown.select(CODE)) > 10
    blocks = {block.get_text().rstrip("\n") for block in shown.select(".cell_input pre")}
    cells = nbformat.read(BOOK / f"{page}.ipynb", as_version=4).cells
    code = {cell.source for cell in cells if cell.cell_type == "code"}
    assert blocks <= code
    assert len(blocks) > len(code) / 2


def test_links_in_code_are_light(soups):
    for _, soup in soups.every():
        links = sum(len(str(link)) - len(link.get_text()) for link in soup.select(CODE))
        assert links < 0.05 * len(str(soup))


def taken_from_the_library():
    """The full names that the notebooks use, as far as they are the library's, with the first notebook of each."""
    found = {}
    for path in sorted(BOOK.rglob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        trees = [ast.parse(cell.source) for cell in cells if cell.cell_type == "code"]
        known = imported(trees)
        for _, name in (place for tree in trees for place in find_names(tree, known)):
            found.setdefault(name, path.name) if name.startswith("kernelbook") else None
    return found


def test_what_the_notebooks_take_from_the_library_is_public():
    known = {name for thing in public_names() for name in names_of(thing)}
    known |= {f"kernelbook.plotting.{name}" for name in marks()}
    modules = {name.rpartition(".")[0] for name in known}
    inside = tuple(f"{name}." for name in known)  # a method, or an attribute
    hidden = {name: page for name, page in taken_from_the_library().items() if not name.startswith(inside)}
    assert {name: page for name, page in hidden.items() if name not in known | modules} == {}


ADDRESSES = {"kernelbook.RBF": "k.html#rbf", "kernelbook.plotting.points": "#points"}


def block(source, language="ipython3"):
    return nodes.literal_block(source, source, language=language)


def found(source, language="ipython3", before="from kernelbook import RBF, plotting"):
    """The pieces of code that get a link, with their addresses."""
    tree = parsed(block(source, language))
    known = imported([ast.parse(before), tree])
    spots = link_positions(block(source, language), tree, known, ADDRESSES)
    return [(source[first:last], address) for first, (last, address) in sorted(spots.items())]


@pytest.mark.parametrize(
    ("source", "pieces"),
    [
        ("k = RBF(gamma=1)\nRBF(2)", ["RBF"]),
        ("from kernelbook import RBF", ["RBF"]),
        ("αβ = 'ü', RBF()", ["RBF"]),
        ("'RBF'  # RBF", []),
        ("plotting.points(ax, RBF, y)", ["plotting.points", "RBF"]),
        ("model.RBF, plotting.INK, points", []),
        ("def f(RBF):\n    return RBF", []),
        ("for RBF in kernels:\n    RBF(1)", []),
        ("plotting.\\\n    points()", []),
    ],
)
def test_names_in_a_cell_are_found(source, pieces):
    assert found(source) == [(piece, ADDRESSES[f"kernelbook.{piece}"]) for piece in pieces]


def test_names_in_an_example_are_found_and_its_output_is_none():
    source = ">>> RBF(1)\nRBF(gamma=1)\n>>> def f():\n...     return plotting.points\n"
    assert found(source, "pycon") == [("RBF", "k.html#rbf"), ("plotting.points", "#points")]


def test_an_import_by_another_name_is_followed():
    assert found("draw.points()", before="import kernelbook.plotting\nfrom kernelbook import plotting as draw") == [
        ("draw.points", "#points")
    ]


def test_what_is_no_code_has_no_names():
    assert parsed(block("k1 + k2    k + 1")) is None
    assert {"ipython3", "pycon"} <= set(LANGUAGES)


HTML = '<span class="n">ab</span> <span class="o">&lt;</span> <span class="n">c</span><span class="o">.</span>'
HTML += '<span class="n">d</span>\n'


def test_a_link_encloses_its_tokens():
    made = with_links(HTML, {5: (8, "p.html#d")})
    assert made == HTML.replace('<span class="n">c', '<a href="p.html#d"><span class="n">c').replace("\n", "</a>\n")


@pytest.mark.parametrize("place", [{0: (1, "#a")}, {1: (2, "#a")}, {40: (41, "#a")}])
def test_a_link_that_fits_no_token_is_left_out(place):
    assert with_links(HTML, place) == HTML


def sample(n):
    """It is n."""


def test_an_example_gets_the_imports_that_it_needs():
    assert docstrings.imports(sample, ">>> sample(1)\n1") == []
    assert docstrings.imports(centre, ">>> f = centre(np.eye(2))\n>>> f.sum()\n0.0") == [
        ">>> import numpy as np",
        ">>> from kernelbook.linalg import centre",
    ]
    assert docstrings.imports(centre, ">>> from a import centre\n>>> def f(np):\n...     return centre(np)") == []

"""Every notebook keeps the contract in tools/bookbuild/contract.py; bad notebooks prove that each clause can fail."""

import re
import shutil
from collections import Counter
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.marks import nightly
from tools.bookbuild import contract, kept
from tools.bookbuild import markdown as texts
from tools.bookbuild.notebooks import METADATA, dumps, find, normalise, renew, setup

BOOK = Path(__file__).resolve().parents[2] / "book"
NOTEBOOKS = find(BOOK)
PAGES = sorted(BOOK.rglob("*.md"))
ALT = "A rising curve through noisy points; the grey truth stays inside the band."
FILE_NAME = "a-long-file-name-that-describes-nothing.png"
FIGURE = "<Figure size 640x480 with 1 Axes>"


def by_name(value):
    return value.__name__ if callable(value) else value.relative_to(BOOK).as_posix()


def test_the_book_has_notebooks_and_pages():
    assert all([NOTEBOOKS, PAGES]), f"no notebook or no page under {BOOK}: every test below would pass on nothing"


@pytest.mark.parametrize("check", contract.CONTRACT, ids=by_name)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=by_name)
def test_notebook_keeps_the_contract(path, check, request):
    violations = check(nbformat.read(path, as_version=4))
    assert not violations, "\n".join(violations)


def test_no_two_figures_of_the_book_have_one_name():
    cells = [cell for path in NOTEBOOKS for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    names = [cell.metadata.get("mystnb", {}).get("figure", {}).get("name") for cell in cells]
    names += [name for cell in cells for name in re.findall(r'name="(fig-[^"]+)"', cell.source)]
    assert len(names) > 100
    assert {name for name, count in Counter(filter(None, names)).items() if count > 1} == set()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=by_name)
def test_notebook_is_stored_in_normal_form(path):
    normal = dumps(normalise(nbformat.read(path, as_version=4)))
    assert normal == path.read_text(encoding="utf-8"), "run `make notebooks`"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=by_name)
def test_what_is_kept_belongs_to_the_code(path):
    notebook = nbformat.read(path, as_version=4)
    wanted = {cell.id: kept.names_of(notebook, cell) for cell in kept.tagged(notebook)}
    values = kept.valid_values(notebook, path)
    found = {name: sorted(eval(text, vars(np) | {"np": np})) for name, text in values.items()}
    assert found == wanted, "run `make notebooks`"
    assert kept.read(path).keys() == values.keys()


def values_in(path):
    return {cell: eval(one["values"], vars(np) | {"np": np}) for cell, one in kept.read(path).items()}


def assert_nearly(found, wanted):
    """Equal but for rounding, in dictionaries and lists too."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        found, wanted = [found[key] for key in wanted], list(wanted.values())
    if isinstance(wanted, list | tuple):
        for one, other in zip(found, wanted, strict=True):
            assert_nearly(one, other)
    elif np.asarray(wanted).dtype.kind in "biufc":
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    else:
        np.testing.assert_array_equal(found, wanted)


@nightly
@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if kept.read(path)], ids=by_name)
def test_what_is_kept_is_what_the_cells_compute(path, tmp_path):
    copy = Path(shutil.copy(path, tmp_path))
    assert not renew(copy), "outputs"
    assert_nearly(values_in(copy), values_in(path))


def test_nothing_is_kept_for_a_notebook_that_is_none():
    known = {kept.file_of(path) for path in NOTEBOOKS}
    found = set(BOOK.rglob("kept/*"))
    assert found
    assert found <= known


QUICK = [path for path in NOTEBOOKS if "affordable(" in path.read_text(encoding="utf-8")]


@nightly
@pytest.mark.parametrize("path", QUICK, ids=by_name)
def test_a_page_that_may_do_less_runs_to_its_end_when_it_does(path, monkeypatch):
    monkeypatch.setenv("KERNELBOOK_QUICK", "1")
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    printed = [output.text for cell in notebook.cells for output in cell.get("outputs", []) if "text" in output]
    assert any("this cell does less" in text for text in printed)


@pytest.mark.parametrize("path", PAGES, ids=by_name)
def test_page_cites_known_sources_and_describes_its_pictures(path):
    text = path.read_text(encoding="utf-8")
    assert texts.unknown_citations(text) == []
    assert texts.pictures_without_alt(text) == []


def code(source, *outputs, count=4, tags=(), alt=None, caption=None):
    mystnb = {"image": {"alt": alt or ""}, "figure": {"caption": caption or ""}}
    return new_code_cell(
        source, outputs=list(outputs), execution_count=count, metadata={"tags": list(tags), "mystnb": mystnb}
    )


def shown(**data):
    return new_output("display_data", {mime.replace("_", "/"): value for mime, value in data.items()})


def printed(text):
    return new_output("stream", text=text)


ASK = ", ask=('Which is wider?', ['1', '2'])"
EXPLORER = f"alt='A curve.',\ncaption='Widths.', name='fig-widths'{ASK}"


def good_notebook():
    known = min(texts.bibliography())
    cells = [
        new_markdown_cell("# A title\n\n**You need** nothing.\n\nYou will be able to\n- see,\n- judge."),
        code(f"{setup()}\n%matplotlib inline\nimport numpy as np\nnp.random.default_rng(0).normal()", count=1),
        new_markdown_cell(f"## Section\n\nSee {{cite:t}}`{known}`.\n\n```python\n# no title\n```\n\n![a curve](x.svg)"),
        code(
            "plt.plot(x); y = f(x)\nplt.show()",
            shown(text_plain=FIGURE),
            count=2,
            alt=ALT,
            caption="The fit follows the truth.",
        ),
        code(f"explore(draw, width=[1, 2], describe=words,\n{EXPLORER})", count=3, tags=["opening"]),
        code(
            "print('at 1/2, in 3:10, see https://doi.org/10.1000/a.b')",
            printed("1/2 3:10 https://doi.org/10.1/a/b 0.2468 31"),
        ),
        new_markdown_cell(
            "It errs by 0.25, which is 24.7 %, 31.0 m, and elsewhere 0.9.",
            metadata={"kernelbook": {"quotes": {"0.9": "published"}}},
        ),
    ]
    return new_notebook(cells=cells, metadata=METADATA)


def self_check(title="Predict", shown="**1 is right.** **2** forgets.", times=1):
    fold = f":::{{dropdown}} What each answer shows\n{shown}\n:::"
    block = f"::::{{admonition}} {title}\n:class: self-check\n\nWhich?\n\n1. This.\n2. That.\n\n{fold}\n::::"
    return new_markdown_cell("\n\n".join([block] * times))


BAD_CELLS = {
    "is_python": [(code("x ="), "is not Python"), (code("%%bash\nls -l"), "is a cell magic")],
    "names_other_pages": [
        (new_markdown_cell("It is on [the fifth page](a.ipynb)."), "says 'fifth page'"),
        (new_markdown_cell("The page before has said so."), "says 'page before'"),
    ],
    "has_one_title": [(new_markdown_cell("# Another"), "another"), (new_markdown_cell("Another\n==="), "another")],
    "seeds_every_draw": [
        (code(source), "otherwise than")
        for source in [
            "np.random.seed(0)",
            "numpy.random.normal()",
            "np.random.RandomState(0)",
            "np.random.default_rng()",
            "default_rng(None)",
            "default_rng(seed=None)",
            "import random",
            "from random import gauss",
            "from numpy import random",
            "from numpy.random import normal",
        ]
    ],
    "means_one_thing_by_a_name": [(code("y += 1"), "takes `y` from another cell, but two bind it: cell 4")],
    "stores_no_image": [
        (code("f", shown(image_png="iVBORw0KGgo=", text_plain=FIGURE)), "stores an image"),
        (code("e", shown(text_html='<img src="data:image/webp;base64,UklGR=">')), "stores an image"),
        (new_markdown_cell("![x](attachment:x.png)", attachments={"x.png": {"image/png": ""}}), "embeds an image"),
        (new_markdown_cell("![x](data:image/png;base64,iVBORw0KGgo=)"), "embeds an image"),
    ],
    "stores_no_widget": [
        (code("w", new_output("display_data", {"application/vnd.jupyter.widget-view+json": {}})), "stores a widget")
    ],
    "stores_no_error": [(code("1 / 0", new_output("error", ename="ZeroDivisionError")), "the error ZeroDivisionError")],
    "stores_nothing_of_one_machine": [
        (code("f", printed("/home/ada/book/x.py:3: UserWarning")), "a path"),
        (code("f", printed(r"C:\Users\ada")), "a path"),
        (code("f", printed("file:///tmp/x")), "a path"),
        (code("f", shown(text_plain="<function f at 0x7f31c2d0a3e0>")), "a memory address"),
        (code("f", printed("done at 17:03:59")), "a time of day"),
    ],
    "is_executed_in_order": [(code("x", count=7), "execution count 7, not 5"), (code("x", count=None), "None, not 5")],
    "skips_nothing": [
        (code("f", tags=["nbval-skip"]), "skipped by its tag"),
        (code("f", tags=["skip-execution"]), "skipped by its tag"),
        (code("# NBVAL_IGNORE_OUTPUT\nf"), "by a comment"),
    ],
    "checks_its_reader": [
        (self_check(title="Guess"), "a self-check is"),
        (self_check(shown="**1 is right.**"), "each of its 2 answers"),
        (self_check(shown="**1 is right.** **2 is right.**"), "which answer is right"),
        (self_check(shown="**1** forgets, **2** too."), "which answer is right"),
        (self_check(), "1 self-checks, 1 of them predictions"),
        (self_check(title="Check yourself", times=4), "4 self-checks, 0 of them predictions"),
        (self_check(times=6), "6 self-checks"),
    ],
    "fits_one_sitting": [(new_markdown_cell("a word " * 3000), "words, more than 6000")],
    "keeps_cells_short": [
        (code("x\n\n" * 21), "has 21 lines"),
        (code("x" * 81), "longer than 80"),
        (code("print(y)", printed("y" * 81)), "longer than 80"),
    ],
    "shows_one_figure_a_cell": [
        (code("f", shown(text_plain=FIGURE), shown(text_plain=FIGURE)), "something more"),
        (code("f", shown(text_plain=FIGURE), shown(text_plain="3")), "something more"),
        (code("plt.show()\nplt.show()"), "something more"),
    ],
    "folds_what_only_draws": [
        (code("figure, ax = plt.subplots()\nax.plot(f)\nplt.show()"), "nothing but draw"),
        (code("plotting.relief(X, y)", shown(text_plain=FIGURE)), "nothing but draw"),
    ],
    "describes_figures": [
        (code("f", shown(text_plain=FIGURE), caption="A fit of the truth."), "does not say"),
        (code("f", shown(text_plain=FIGURE), alt=FILE_NAME, caption="A fit of the truth."), "does not say"),
        (code("plt.show()", alt="A plot.", caption="A fit of the truth."), "does not say"),
        (code("f", shown(text_plain="<PIL.Image.Image image mode=RGB size=2x2>"), alt=ALT), "without a caption"),
        (code("plt.show()", alt=ALT, caption=ALT), "repeats its caption"),
    ],
    "describes_explorers": [
        (code(f"explore(draw, a=[1], {EXPLORER})"), "without describe="),
        *(
            (
                code(f"kernelbook.explore(draw, a=[1], describe=words, {EXPLORER.replace(given, '')})"),
                f"without {name}=",
            )
            for name, given in {"alt": "alt='A curve.',", "caption": "Widths.", "ask": ASK}.items()
        ),
        (code(f"explore(draw, a=[1], describe=words, {EXPLORER.replace('fig-widths', '')})"), "without name="),
        (code(f"drag(Bells([(0, 1)]), {EXPLORER.replace(ASK, '')})"), "drag without ask="),
    ],
    "describes_pictures": [
        (new_markdown_cell("![](x.svg)"), "no alt text"),
        (new_markdown_cell("```{figure} x.svg\n:name: x\nA caption.\n```"), "no alt text"),
    ],
    "cites_known_sources": [
        (new_markdown_cell("See {cite:p}`nobody1900`."), "cites nobody1900"),
        (code("f", alt=ALT, caption="From {cite}`{see}nobody1900`."), "cites nobody1900"),
    ],
    "types_only_numbers_that_cells_give": [
        (new_markdown_cell("Between 3.1, $7.5$ and `8.5`, says [this page](8.5.md)."), "says 3.1, which no cell gives"),
        (new_markdown_cell("The error is 12.1."), "says 12.1"),
    ],
}

BAD_NOTEBOOKS = [
    ("installs_the_library", lambda book: book.cells.pop(1), "does not begin with"),
    ("installs_the_library", lambda book: book.cells[1].update(source="import numpy"), "does not begin with"),
    ("opens_with_title_and_aim", lambda book: book.cells.pop(0), "cell 1 is not the title"),
    ("opens_with_title_and_aim", lambda book: book.cells[0].update(source="Able to\n- see"), "cell 1 has no title"),
    ("opens_with_title_and_aim", lambda book: book.cells[0].update(source="# A title\n\nWords."), "does not say"),
    ("says_what_it_needs", lambda book: book.cells[0].update(source="# A title\n\nWords."), "must know"),
    ("opens_with_a_figure", lambda book: book.cells[4].metadata.update(tags=[]), "0 cells have the tag 'opening'"),
    ("opens_with_a_figure", lambda book: book.cells[3].metadata.update(tags=["opening"]), "2 cells have the tag"),
    ("opens_with_a_figure", lambda book: book.cells[4].update(source="f()"), "shows neither an explorer nor a figure"),
    ("stores_no_widget", lambda book: book.metadata.update(widgets={}), "widget state"),
    ("names_its_kernel", lambda book: book.metadata.update(kernelspec={"name": "venv"}), "is venv"),
    ("names_its_kernel", lambda book: book.metadata.pop("kernelspec"), "is None"),
    ("fits_one_sitting", lambda book: book.cells.extend(book.cells * 15), "112 cells, more than 90"),
]


def append(cell):
    return lambda book: book.cells.append(cell)


CASES = [(name, append(cell), words) for name, cases in BAD_CELLS.items() for cell, words in cases] + BAD_NOTEBOOKS


@pytest.mark.parametrize("check", contract.CONTRACT, ids=by_name)
def test_a_good_notebook_passes(check):
    assert check(good_notebook()) == []


@pytest.mark.parametrize(("name", "spoil", "words"), CASES)
def test_a_bad_notebook_is_caught(name, spoil, words):
    notebook = good_notebook()
    spoil(notebook)
    (violation,) = getattr(contract, name)(notebook)
    assert words in violation


def test_every_page_of_a_chapter_checks_its_reader():
    pages = {path.name: nbformat.read(path, as_version=4) for path in NOTEBOOKS if re.match(r"\d\d-", path.name)}
    assert len(pages) > 20
    silent = [name for name, page in pages.items() if not any("self-check" in cell.source for cell in page.cells)]
    assert silent == []


def test_a_page_with_three_self_checks_passes():
    notebook = good_notebook()
    notebook.cells += [self_check(times=2), self_check()]
    assert contract.checks_its_reader(notebook) == []


def test_a_violation_names_the_cell():
    notebook = good_notebook()
    append(code("x\n" * 21))(notebook)
    assert contract.keeps_cells_short(notebook) == ["cell 8 ('x') has 21 lines, more than 20"]


def test_every_clause_has_a_bad_notebook():
    assert {name for name, _, _ in CASES} == {check.__name__ for check in contract.CONTRACT}

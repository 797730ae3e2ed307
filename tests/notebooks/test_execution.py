"""The outputs of a page are kept until its code, or what surrounds it, changes."""

import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.marks import thorough
from tools.bookbuild import executed, kept, notebooks, reach
from tools.bookbuild.reach import Library
from tools.site import execution

ROOT = Path(__file__).parents[2]


def notebook(*code, text="Words."):
    cells = [new_markdown_cell(text), *map(new_code_cell, code)]
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return nbformat.writes(new_notebook(cells=cells, metadata=metadata))


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Reads a page as a build does, and returns its outputs and how many notebooks were executed so far."""
    count = []
    execute = execution.execute
    monkeypatch.setattr(execution, "execute", lambda *call: (count.append(1), execute(*call)))
    page = tmp_path / "page.ipynb"

    def read(source):
        page.write_text(source, encoding="utf-8")
        env = SimpleNamespace(doc2path=lambda name: str(page), note_dependency=lambda file: None)
        content = [source]
        execution.execute_page(SimpleNamespace(env=env, outdir=tmp_path / "_build" / "html"), "book/page", content)
        cells = kept.code_of(nbformat.reads(content[0], as_version=4))
        assert [cell.source for cell in cells] == [
            cell.source for cell in kept.code_of(nbformat.reads(source, as_version=4))
        ]
        return ["".join(output.get("text", "") for output in cell.outputs) for cell in cells], len(count)

    return read


def test_outputs_are_kept_until_code_or_surroundings_change(read, monkeypatch):
    source = notebook("x = 2\nprint('one')\nprint('two')", "print(x**2)")
    assert read(source) == (["one\ntwo\n", "4\n"], 1)
    assert read(source) == (["one\ntwo\n", "4\n"], 1)
    assert read(source.replace("Words.", "Other words.")) == (["one\ntwo\n", "4\n"], 1)
    assert read(source.replace("x**2", "x**3")) == (["one\ntwo\n", "8\n"], 2)
    monkeypatch.setattr(executed, "distributions", lambda path: [SimpleNamespace(name="numpy", version="9")])
    assert read(source.replace("x**2", "x**3")) == (["one\ntwo\n", "8\n"], 3)


def test_a_page_is_stale_once_a_module_that_it_reaches_has_changed(tmp_path, monkeypatch):
    root = tmp_path / "small"
    files = {"__init__": "from small.one import f\nfrom small.two import g", "one": "def f(): pass", "two": "g = 1"}
    root.mkdir()
    for name, text in files.items():
        (root / f"{name}.py").write_text(text, encoding="utf-8")
    cells = [new_code_cell("from small import f\nf()")]

    def marks():
        for module in (executed, kept):
            monkeypatch.setattr(module, "LIBRARY", Library(root))
        slow = kept.surroundings_of(new_notebook(cells=cells), cells[0])
        return (executed.mark(cells, {}), slow), executed.surroundings()

    before = marks()
    assert marks() == before
    (root / "two.py").write_text("g = 2", encoding="utf-8")
    after = marks()
    assert (after[0] == before[0], after[1] == before[1]) == (True, False)
    (root / "one.py").write_text("def f(): return 1", encoding="utf-8")
    assert not {*marks()[0]} & {*after[0]}


def test_a_slow_cell_is_stale_once_a_package_that_it_imports_is_another(monkeypatch):
    page = new_notebook(cells=[new_code_cell("import numpy as np")])
    before = kept.surroundings_of(page, page.cells[0])
    monkeypatch.setattr(reach, "version_of", lambda name: "9")
    assert kept.surroundings_of(page, page.cells[0]) != before


def test_what_was_kept_and_cannot_be_read_is_made_again(read, tmp_path):
    source = notebook("print(1)")
    read(source)
    (tmp_path / "_build" / "executed" / "book-page.json").write_text('{"mark": ', encoding="utf-8")
    assert read(source) == (["1\n"], 2)


def test_a_page_that_fails_is_named_and_not_kept(read, monkeypatch):
    said = []
    monkeypatch.setattr(execution.logger, "warning", lambda text, *words: said.append(text % words))
    source = notebook("print(1)", "1 / 0")
    for times in (1, 2):
        assert read(source)[1] == times
    assert said == ["book/page: cell 3 ('1 / 0') raised ZeroDivisionError: division by zero"] * 2


def passes_nbval(book, *options):
    """Whether nbval passes the notebooks of a folder, as in the book."""
    shutil.copy(ROOT / "book" / "conftest.py", book)
    command = [sys.executable, "-m", "pytest", "--rootdir", book.parent, "-p", "no:cacheprovider", "--nbval"]
    done = subprocess.run(
        [*command, "--nbval-current-env", *options, book],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode == 0


@pytest.mark.parametrize(
    ("printed", "options", "is_kept"),
    [
        pytest.param("4\n", [], True, id="passes"),
        pytest.param("5\n", [], False, id="prints something else", marks=thorough),
        pytest.param("4\n", ["--deselect", "book/page.ipynb::Cell 0"], False, id="in part", marks=thorough),
    ],
)
def test_a_build_shows_what_nbval_has_executed(tmp_path, read, printed, options, is_kept):
    """A page of which nbval has passed every cell, explorers drawn as on a page, is not executed again."""
    draw = "from matplotlib import pyplot as plt\nfrom kernelbook.explore import explore\n"
    draw += "explore(lambda a: plt.figure(), a=[1, 2], describe=lambda a: 'words', name='fig-a')"
    source = nbformat.reads(notebook("print(2**2)", draw), as_version=4)
    source.cells[1].outputs = [new_output("stream", text=printed)]
    shown = {"text/plain": "Explorer(a: 1 … 2 in 2 steps)"}
    source.cells[2].outputs = [new_output("execute_result", data=shown, execution_count=2)]
    for number, cell in enumerate(kept.code_of(source), 1):
        cell.execution_count = number
    book = tmp_path / "book"
    book.mkdir()
    nbformat.write(source, book / "page.ipynb")
    assert passes_nbval(book, *options) == (printed == "4\n")
    outputs, count = read(nbformat.writes(source))
    assert (outputs[0], count) == ("4\n", 0 if is_kept else 1)


SETUP = notebooks.setup().replace("pip install", "pip install an older")
HEAVY = """import math
import numpy as np
print("computed", a)
factor = 2
def times(x): return factor * x
found = {("one", 1): np.array(a) / 3, "mean": np.float64(1e-300), "long": np.arange(2000.)}
aside = object()"""
TAKES = "print(found['one', 1] * 3 == a, found['mean'], found['long'].sum(), times(math.e) == 2 * np.e)"


def kept_notebook(*code):
    made = nbformat.reads(notebook(SETUP, "a = [0.1]", *code), as_version=4)
    for number, cell in enumerate(made.cells):
        cell.id = f"c{number}"
    made.cells[3].metadata["tags"] = [kept.TAG]
    return made


@pytest.fixture
def stored(tmp_path):
    """A notebook whose third cell takes long, executed and stored, and its file."""
    path = tmp_path / "page.ipynb"
    path.write_text(nbformat.writes(kept_notebook(HEAVY, TAKES)), encoding="utf-8")
    notebooks.renew(path)
    return nbformat.read(path, as_version=4), path


def test_a_build_takes_what_a_cell_has_computed_and_shows_what_it_has_printed(stored, read):
    page, path = stored
    assert [cell.get("execution_count") for cell in kept.code_of(page)] == [1, 2, 3, 4]
    assert kept.read(path)["c3"]["names"] == ["factor", "found"]
    page.cells[4].source += "\nprint('aside' in globals())"
    outputs, _ = read(nbformat.writes(page))
    assert outputs == ["", "", "computed [0.1]\n", "[ True] 1e-300 1999000.0 True\nFalse\n"]  # aside is not kept


@pytest.mark.parametrize("text", ["of another run\n", ""])
def test_an_output_that_does_not_belong_to_the_values_is_not_shown(stored, read, text):
    page, _ = stored
    page.cells[3].outputs[0]["text"] = text
    page.cells[4].source += "\nprint('aside' in globals())"
    outputs, _ = read(nbformat.writes(page))
    assert outputs == ["", "", "computed [0.1]\n", "[ True] 1e-300 1999000.0 True\nTrue\n"]


@pytest.mark.parametrize(
    ("change", "is_run"),
    [
        pytest.param(("", ""), False, id="nothing has changed"),
        pytest.param(('"computed_with": "', '"computed_with": "0'), True, id="another library"),
        pytest.param(('"mark": "', '"mark": "0'), True, id="another page", marks=thorough),
        pytest.param(("1e-300", "2e-300"), True, id="other values", marks=thorough),
    ],
)
def test_nbval_runs_a_slow_cell_unless_nothing_has_changed(stored, change, is_run):
    page, path = stored
    page.cells[4].source += "\nprint('aside' in globals())"  # which is not kept
    page.cells[4].outputs[0].text += f"{is_run}\n"
    path.write_text(nbformat.writes(page), encoding="utf-8")
    kept.file_of(path).write_text(kept.file_of(path).read_text(encoding="utf-8").replace(*change))
    assert passes_nbval(path.parent)


def test_values_that_cannot_be_read_are_computed(stored, read):
    page, path = stored
    kept.file_of(path).write_text("<<<<<<< HEAD", encoding="utf-8")
    assert read(nbformat.writes(page))[0][3] == "[ True] 1e-300 1999000.0 True\n"


def test_values_that_cannot_be_bound_are_a_warning_that_names_the_cell(stored, read, monkeypatch):
    said = []
    monkeypatch.setattr(execution.logger, "warning", lambda text, *words: said.append(text % words))
    page, path = stored
    known = kept.file_of(path).read_text(encoding="utf-8")
    kept.file_of(path).write_text(known.replace("1e-300", "unheard_of"), encoding="utf-8")
    read(nbformat.writes(page))
    assert said == ["book/page: cell 4 ('import math') raised NameError: name 'unheard_of' is not defined"]


def test_a_page_that_is_no_python_is_named(stored, read, monkeypatch):
    said = []
    monkeypatch.setattr(execution.logger, "warning", lambda text, *words: said.append(text % words))
    page, _ = stored
    page.cells[4].source = "print("
    read(nbformat.writes(page))
    assert said[0].startswith("book/page: cell 5 ('print(') raised SyntaxError")


@pytest.mark.parametrize(
    ("cell", "source", "printed"),
    [
        (2, "a = [0.2]", "computed [0.2]\n"),
        (3, HEAVY.replace("print(", "print('anew', "), "anew computed [0.1]\n"),
        (4, TAKES + "; aside", "computed [0.1]\n"),
    ],
)
def test_a_cell_runs_again_once_code_is_another(stored, read, cell, source, printed):
    page, _ = stored
    page.cells[cell].source = source
    outputs, _ = read(nbformat.writes(page))
    assert outputs == ["", "", printed, "[ True] 1e-300 1999000.0 True\n"]


@pytest.mark.parametrize(
    ("source", "is_kept"),
    [
        ("import os\nb = 3  # new\na = [0.1]\nprint(b)", True),
        ("a = [0.1]\na.append(2)", False),
        ("b = 2\na = [b]", False),
    ],
)
def test_values_are_kept_while_what_their_cell_needs_is_the_same(stored, source, is_kept):
    page, path = stored
    page.cells[2].source = source
    assert (list(kept.valid_values(page, path)) == ["c3"]) == is_kept
    assert (list(kept.current_values(page, path)) == ["c3"]) == is_kept


def test_outputs_are_made_again_once_the_values_are_others(stored, read):
    page, path = stored
    source = nbformat.writes(page)
    assert read(source)[1] == read(source)[1] == 1
    known = kept.file_of(path).read_text(encoding="utf-8")
    kept.file_of(path).write_text(known.replace("1e-300", "2e-300"), encoding="utf-8")
    outputs, count = read(source)
    assert (outputs[3], count) == ("[ True] 2e-300 1999000.0 True\n", 2)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("found = object()", "what cannot be kept: {'found': <object"),
        ("for found in []: pass", "what cannot be kept: NameError: name 'found' is not defined"),
        ("found = 'x' * 40_000", "values of 40013 characters, more than 30000"),
        ("found = 1\nfound", "shows more than text"),
        ("class Found: pass\nfound = 1", "has a ClassDef"),
        ("(found := 1)", "has a NamedExpr"),
        ("found = a[0] = 1", "changes a, which is another cell's"),
        ("found = 1\nfor i in range(1): a[0][i] = 1", "changes a, which is another cell's"),
        ("found = 1\ndel a[0]", "changes a, which is another cell's"),
        ("found = 1\n[1][0] = 3", r"changes \[1\], which"),
        ("def found(): pass\nfound = 1", "gives found a second meaning"),
        ("max = found = 1", "gives max a second meaning"),
    ],
)
def test_what_cannot_be_kept_is_said_and_nothing_is_stored(tmp_path, code, words):
    path = tmp_path / "page.ipynb"
    path.write_text(before := nbformat.writes(kept_notebook(code, "lambda: found")), encoding="utf-8")
    with pytest.raises(SystemExit, match=words) as error:
        notebooks.renew(path)
    assert "left as it was" in str(error.value)
    assert path.read_text(encoding="utf-8") == before
    assert not kept.file_of(path).exists()


def test_a_cell_that_is_no_longer_tagged_leaves_nothing(stored):
    page, path = stored
    del page.cells[3].metadata["tags"]
    path.write_text(nbformat.writes(page), encoding="utf-8")
    notebooks.renew(path)
    assert not kept.file_of(path).exists()

"""The outputs of a page are kept until its code, or what surrounds it, changes."""

import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

sys.path.append(str(Path(__file__).parents[1] / "book" / "_ext"))
import execution


def notebook(*code, text="Words."):
    cells = [new_markdown_cell(text), *map(new_code_cell, code)]
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return nbformat.writes(new_notebook(cells=cells, metadata=metadata))


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Reads a page as a build does, and returns its outputs and how many notebooks were executed so far."""
    executed = []
    execute = execution.execute
    monkeypatch.setattr(execution, "execute", lambda *call: (executed.append(1), execute(*call)))
    page = tmp_path / "page.ipynb"

    def read(source, surroundings="as they are"):
        page.write_text(source, encoding="utf-8")
        env = SimpleNamespace(doc2path=lambda name: str(page), surroundings=surroundings)
        content = [source]
        execution.execute_page(SimpleNamespace(env=env, outdir=tmp_path / "html"), "book/page", content)
        cells = execution.code_of(nbformat.reads(content[0], as_version=4))
        return ["".join(output.get("text", "") for output in cell.outputs) for cell in cells], len(executed)

    return read


def test_outputs_are_kept_until_code_or_surroundings_change(read):
    source = notebook("x = 2\nprint('one')\nprint('two')", "print(x**2)")
    assert read(source) == (["one\ntwo\n", "4\n"], 1)
    assert read(source) == (["one\ntwo\n", "4\n"], 1)
    assert read(source.replace("Words.", "Other words.")) == (["one\ntwo\n", "4\n"], 1)
    assert read(source.replace("x**2", "x**3")) == (["one\ntwo\n", "8\n"], 2)
    assert read(source.replace("x**2", "x**3"), "changed") == (["one\ntwo\n", "8\n"], 3)


def test_what_was_kept_and_cannot_be_read_is_made_again(read, tmp_path):
    source = notebook("print(1)")
    read(source)
    (tmp_path / "executed" / "book-page.json").write_text('{"mark": ', encoding="utf-8")
    assert read(source) == (["1\n"], 2)


def test_a_page_that_fails_is_named_and_not_kept(read, monkeypatch):
    said = []
    monkeypatch.setattr(execution.logger, "warning", lambda text, *words: said.append(text % words))
    source = notebook("print(1)", "1 / 0")
    for times in (1, 2):
        assert read(source)[1] == times
    assert said == ["book/page: cell 3 ('1 / 0') raised ZeroDivisionError: division by zero"] * 2


def test_surroundings_are_the_library_and_the_packages(tmp_path, monkeypatch):
    (tmp_path / "module.py").write_text("x = 1", encoding="utf-8")
    monkeypatch.setattr(execution, "LIBRARY", tmp_path)
    before = execution.surroundings()
    assert execution.surroundings() == before
    (tmp_path / "module.py").write_text("x = 2", encoding="utf-8")
    assert execution.surroundings() != before
    (tmp_path / "module.py").write_text("x = 1", encoding="utf-8")
    monkeypatch.setattr(execution, "distributions", lambda: [SimpleNamespace(name="numpy", version="9")])
    assert execution.surroundings() != before

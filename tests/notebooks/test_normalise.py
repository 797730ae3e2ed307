"""The normal form in which notebooks are stored, on a small notebook that holds all that must not be stored."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.bookbuild import notebooks
from tools.bookbuild.notebooks import dumps, find, normalise, renew

CELLS = [
    "import sys\nimport time\n\nimport ipywidgets\nimport matplotlib.pyplot as plt",
    "print('out', flush=True)\nprint('err', file=sys.stderr, flush=True)\nprint('out again', flush=True)",
    "plt.plot([0, 1])\nplt.show()",
    "ipywidgets.IntSlider(3)",
    "{'a': 1}",
]


@pytest.fixture(scope="module")
def renewed(tmp_path_factory):
    """A notebook on disk, executed and normalised once."""
    cells = [new_markdown_cell("# Title")] + [new_code_cell(source) for source in CELLS]
    cells.append(new_code_cell("print(time.perf_counter_ns())", metadata={"tags": ["nbval-ignore-output"]}))
    path = tmp_path_factory.mktemp("book") / "small.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata={"widgets": {"state": 1}}), path)
    assert renew(path)
    return path


def test_only_text_is_stored(renewed):
    cells = nbformat.read(renewed, as_version=4).cells
    mimes = {mime for cell in cells[1:] for output in cell.outputs for mime in output.get("data", {})}
    assert mimes == {"text/plain"}
    assert cells[3].outputs[0].data["text/plain"].startswith("<Figure size")
    assert cells[4].outputs[0].data["text/plain"].startswith("IntSlider(")
    assert cells[5].outputs[0].data["text/plain"] == "{'a': 1}"


def test_streams_are_joined_one_output_each(renewed):
    outputs = nbformat.read(renewed, as_version=4).cells[2].outputs
    assert {output.name: output.text for output in outputs} == {"stdout": "out\nout again\n", "stderr": "err\n"}


def test_outputs_that_are_not_compared_are_not_stored(renewed):
    assert nbformat.read(renewed, as_version=4).cells[-1].outputs == []


def test_metadata_say_which_kernel_and_nothing_else(renewed):
    notebook = nbformat.read(renewed, as_version=4)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.language_info == {"name": "python"}
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert [cell.execution_count for cell in notebook.cells[1:]] == [1, 2, 3, 4, 5, 6]


def test_a_second_run_changes_nothing(renewed):
    before = renewed.read_bytes()
    assert not renew(renewed)
    assert renewed.read_bytes() == before
    assert before.endswith(b"}\n")


def test_the_normal_form_is_its_own_normal_form(renewed):
    assert dumps(normalise(nbformat.read(renewed, as_version=4))) == renewed.read_text(encoding="utf-8")


def test_what_an_editor_leaves_in_a_cell_goes_and_what_the_book_needs_stays():
    ours = {"tags": ["hide-input"], "mystnb": {"image": {"alt": "a line"}}, "nbgrader": {"grade": True}}
    editor = {"scrolled": True, "editable": True, "execution": {"iopub.status.busy": "2026-01-01T00:00:00Z"}}
    cell = new_code_cell("f", metadata={**ours, **editor}, id="kept")
    picture, dark = {"image/svg+xml": "<svg/>"}, {"needs_background": "dark"}
    cell.outputs = [
        new_output("display_data", picture, metadata=dark),
        new_output("display_data", {**picture, "text/plain": "a drawing"}, metadata=dark),
    ]
    cell = normalise(new_notebook(cells=[cell])).cells[0]
    assert cell.outputs == [new_output("display_data", {"text/plain": "a drawing"})]
    assert (cell.metadata, cell.id) == (ours, "kept")


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("https://example.org/book", '    %pip install --quiet "kernelbook[figures] @ git+https://example.org/book"'),
        ("", '    raise ModuleNotFoundError("kernelbook: pip install its repository")'),
    ],
)
def test_the_first_cell_knows_the_address_of_the_repository(tmp_path, monkeypatch, address, line):
    (tmp_path / "_config.yml").write_text(f'repository:\n  url: "{address}"\n', encoding="utf-8")
    monkeypatch.setattr(notebooks, "BOOK", tmp_path / "book")
    cell = new_code_cell(f"{notebooks.SETUP}    an older line\n\nSEED = 1")
    source = normalise(new_notebook(cells=[cell])).cells[0].source
    assert source == f"{notebooks.setup()}\n\nSEED = 1"
    assert source.splitlines()[3] == line


def test_a_cell_that_raises_is_named_and_the_file_stays(tmp_path):
    path = tmp_path / "broken.ipynb"
    nbformat.write(new_notebook(cells=[new_markdown_cell("# Title"), new_code_cell("x = 1\n1 / 0")]), path)
    before = path.read_bytes()
    with pytest.raises(SystemExit, match=r"broken.ipynb: cell 2 \('x = 1'\) raised ZeroDivisionError"):
        renew(path)
    assert path.read_bytes() == before


def test_find_takes_notebooks_by_a_part_of_their_name(tmp_path):
    for name in ("03-krr.ipynb", "exercises/krr/krr.ipynb", "01-rkhs.ipynb", ".ipynb_checkpoints/krr.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [path.relative_to(tmp_path).as_posix() for path in find(tmp_path, "krr")] == [
        "03-krr.ipynb",
        "exercises/krr/krr.ipynb",
    ]

"""The outputs of the pages, as the build has executed them, are those that the notebooks have stored."""

import json

import nbformat
import pytest

from tests.site.pages import SITE

BOOK = SITE.parents[1] / "book"


def texts(outputs):
    """What a cell has printed and returned, as text: figures and explorers differ between a notebook and a page."""
    printed = "".join(
        "".join(one["text"]) for one in outputs if one["output_type"] == "stream" and one["name"] == "stdout"
    )
    return printed, ["".join(one["data"].get("text/plain", "")) for one in outputs if "data" in one]


def complaints(outputs):
    """What a cell has written to stderr; pages do not show it."""
    return "".join("".join(one["text"]) for one in outputs if one.get("name") == "stderr")


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("name", sorted(path.stem for path in BOOK.glob("*.ipynb")))
def test_outputs_are_those_stored(name):
    stored = [cell for cell in nbformat.read(BOOK / f"{name}.ipynb", as_version=4).cells if cell.cell_type == "code"]
    kept = SITE.parent / "executed" / f"book-{name}.json"
    if not kept.is_file():
        pytest.skip("This site was not built here.")
    executed = json.loads(kept.read_text(encoding="utf-8"))["outputs"]
    assert len(stored) == len(executed)
    for cell, outputs in zip(stored, executed, strict=True):
        if "nbval-ignore-output" not in cell.metadata.get("tags", []):
            assert texts(outputs) == texts(cell.outputs), cell.source
            assert complaints(outputs) == complaints(cell.outputs), cell.source

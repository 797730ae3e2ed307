"""What a cell prints in more than four lines is a table, or folded beside its figure, or one of a few exceptions."""

from pathlib import Path

import nbformat
import pytest

from tools.bookbuild.notebooks import find
from tools.site import replications, text_tables

BOOK = Path(__file__).resolve().parents[2] / "book"
LONG = 4  # lines that a reader compares without a table
EXCEPTIONS = {
    ("05-kpca", "small-np-array-z-mu"): "a matrix",
    ("05-kpca", "radius-np-array-print-f"): "two lists of one number each",
    ("06-kernel-design-discrete", "c04"): "strings of DNA",
    ("06-kernel-design-discrete", "c23"): "matrices",
    ("06-kernel-design-graphs", "c016"): "a matrix, and sentences of several forms",
    ("06-kernel-design-learning", "c015"): "three tables of one row or two, each of other data",
    ("own-data", "cell-19"): "messages of the library",
    ("own-kernel", "4f697abb"): "sentences of several forms",
    ("own-kernel", "own-cars"): "sentences of two lines each",
    ("svr", "trust"): "sentences of two forms",
}


def is_table(text):
    return any(not isinstance(part, str) for module in (replications, text_tables) for part in module.parts_of(text))


def long_texts(path):
    """The cells that print many lines which are neither a table nor folded."""
    for cell in nbformat.read(path, as_version=4).cells:
        texts = ["".join(output.get("text", "")) for output in cell.get("outputs", [])]
        if "numbers" in cell.metadata.get("tags", []):
            continue
        if any(len(text.rstrip("\n").split("\n")) > LONG and not is_table(text) for text in texts):
            yield path.stem, cell.id


@pytest.mark.parametrize("path", find(BOOK), ids=lambda path: path.stem)
def test_long_outputs_are_tables(path):
    found = {*long_texts(path)}
    assert found - EXCEPTIONS.keys() == set(), "print columns or sentences of one form, or use the tag numbers"
    unneeded = {key for key in EXCEPTIONS if key[0] == path.stem} - found
    assert unneeded == set(), "these are tables now"

"""Read submissions with suspicion: one notebook of each student, and of its cells only type, name and text."""

import copy
import json
import os
import re
import stat
from textwrap import shorten
from urllib.parse import quote

import nbformat
from nbgrader.utils import is_locked

from tools.teaching.exercises import identity

MAX_NOTEBOOK_BYTES = 10**8  # including all pictures
MAX_JSON_PARTS = 10**6  # lists and objects; each takes some hundred bytes of memory
MAX_CELLS = 1000
MAX_CELL_LENGTH = 200_000  # characters
# The beginning of HTML, of a link, or of a TeX macro that makes one; followed by a space, it is plain text.
ACTIVE_MARKUP = re.compile(r"<(?=[A-Za-z/!?])|\](?=[(:])|://(?=\S)|\\(?=(?:href|html|url|require|unicode))")
NEW_CELL = {
    "code": nbformat.v4.new_code_cell,
    "markdown": nbformat.v4.new_markdown_cell,
    "raw": nbformat.v4.new_raw_cell,
}


class UngradableError(Exception):
    """A submission cannot be graded; the text says why."""


def students(submitted):
    """The names in the folder `submitted`, sorted, without hidden files."""
    return sorted(path.name for path in submitted.glob("*") if not path.name.startswith("."))


def is_plain_name(student):
    """Whether a name can be that of a student's folder, and of nothing else."""
    return bool(student) and not student.startswith(".") and not re.search(r"[/\\\0]", student)


def student_id(student):
    """A name that nbgrader accepts: characters special in its paths and patterns are percent-encoded."""
    return re.sub(r"[^\w .,@'()-]", lambda found: quote(os.fsencode(found[0]), safe=""), student)


def notebook_path(folder, name):
    """The path of `name`/`name`.ipynb in a student's folder, or of another notebook there if that is the only one."""
    path = folder / name / f"{name}.ipynb"
    if folder.is_symlink() or path.parent.is_symlink():
        raise UngradableError(f"{name}/{name}.ipynb is a link to another place, or lies in one")
    if not folder.is_dir():
        raise UngradableError(f"a file, where a folder with {name}/{name}.ipynb should be")
    if not path.exists() and not path.is_symlink():
        beside = sorted(path.parent.glob("*.ipynb"))
        found = sorted(folder.glob("*.ipynb")) + beside
        if len(found) != 1 or not beside:
            listed = ", ".join(other.relative_to(folder).as_posix() for other in found)
            others = f", but {shorten(listed, 80, placeholder=' …')}" if found else ""
            raise UngradableError(f"there is no {name}/{name}.ipynb{others}")
        path = found[0]
    if path.is_symlink():
        raise UngradableError(f"{name}/{path.name} is a link to another place, or lies in one")
    return path


def read_submission(folder, name):
    """The bytes of a student's notebook, the notebook, and its file's name; UngradableError if unreadable."""
    path = notebook_path(folder, name)
    state = path.stat()
    if not stat.S_ISREG(state.st_mode):
        raise UngradableError(f"{name}/{name}.ipynb is not an ordinary file")
    if state.st_size > MAX_NOTEBOOK_BYTES:
        raise UngradableError(f"{name}/{name}.ipynb has more than {MAX_NOTEBOOK_BYTES // 10**6} MB")
    try:
        data = path.read_bytes()
        text = data.decode(json.detect_encoding(data), "replace")
        if text.count("{") + text.count("[") > MAX_JSON_PARTS:
            raise UngradableError(f"{name}/{name}.ipynb has more than {MAX_JSON_PARTS} parts")
        content = json.loads(text)
        sheets = [content, *content.get("worksheets", [])]  # only old notebooks should have worksheets, but any may
        if sum(len(sheet.get("cells", [])) for sheet in sheets) > MAX_CELLS:
            raise UngradableError(f"{name}/{name}.ipynb has more than {MAX_CELLS} cells")
        if content["nbformat"] != 4:  # an old notebook
            content = nbformat.convert(nbformat.reader.reads(text), 4)
        cells = [_plain(cell) for cell in content["cells"]]
    except UngradableError:
        raise
    except Exception as error:  # a student's file can cause anything
        raise UngradableError(f"not a notebook ({type(error).__name__})") from None
    if any(len(cell.source) > MAX_CELL_LENGTH for cell in cells):
        raise UngradableError(f"{name}/{name}.ipynb has a cell of more than {MAX_CELL_LENGTH} characters")
    return data, nbformat.v4.new_notebook(cells=cells), path.name


def _plain(cell):
    source = cell.get("source", "")
    text = source if isinstance(source, str) else "".join(map(str, source))
    plain = NEW_CELL.get(cell.get("cell_type"), NEW_CELL["raw"])(text.encode(errors="replace").decode())
    marks = cell.get("metadata")
    marks = marks.get("nbgrader") if isinstance(marks, dict) else None
    if isinstance(marks, dict) and isinstance(marks.get("grade_id"), str):
        plain.metadata.nbgrader = {"grade_id": marks["grade_id"]}
    return plain


def rebuilt(submission, released):
    """The submission with each named cell as it was handed out, except for the text of answers.

    Cells lose names that were not handed out; if several cells have the same name, only the last one keeps it. Lost
    locked cells return, each before the cells that follow it in the release. A student's text, which a teacher's
    browser will show, is made plain. The release decides what is text and what is code.
    """
    handed_out = {identity(cell): cell for cell in released.cells if identity(cell)}
    cells = []
    for cell in reversed(submission.cells):
        if (name := identity(cell)) in handed_out and name not in map(identity, cells):
            answer = cell.source
            cell = copy.deepcopy(handed_out[name])
            if not is_locked(cell):
                cell.source = answer
        else:
            cell.metadata.pop("nbgrader", None)
        if cell.cell_type != "code" and not is_locked(cell):
            cell.source = ACTIVE_MARKUP.sub(r"\g<0> ", cell.source)
        cells.insert(0, cell)
    names = list(handed_out)
    for place, name in reversed(list(enumerate(names))):
        present = [identity(cell) for cell in cells]
        if is_locked(handed_out[name]) and name not in present:
            following = [i for i, other in enumerate(present) if other in names[place + 1 :]]
            cells.insert(min(following, default=len(present)), copy.deepcopy(handed_out[name]))
    return nbformat.from_dict({**released, "cells": cells})

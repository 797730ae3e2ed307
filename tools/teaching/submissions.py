"""What students hand in, read with suspicion: of their files one notebook, of its cells only type, name and text."""

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

MOST_BYTES = 10**8  # of a notebook, with all its pictures
MOST_PARTS = 10**6  # lists and objects in it: each takes some hundred bytes of memory
MOST_CELLS = 1000
MOST_TEXT = 200_000  # characters of a cell
# Where HTML, a link or a macro with one begins; with a space behind, it is a sign.
LIVE = re.compile(r"<(?=[A-Za-z/!?])|\](?=[(:])|://(?=\S)|\\(?=(?:href|html|url|require|unicode))")
KINDS = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell, "raw": nbformat.v4.new_raw_cell}


class UngradableError(Exception):
    """A submission cannot be graded, and why."""


def students(submitted):
    """The names of all that lies in the folder, in their order; what is hidden is no student's."""
    return sorted(path.name for path in submitted.glob("*") if not path.name.startswith("."))


def student_id(student):
    """A name as nbgrader can take it: what has a meaning in its paths and patterns is written with a %, as in a URL."""
    return re.sub(r"[^\w .,@'()-]", lambda found: quote(os.fsencode(found[0]), safe=""), student)


def read_submission(folder, name):
    """The bytes of the notebook `name` in a student's folder, and the notebook; an UngradableError says why not."""
    path = folder / name / f"{name}.ipynb"
    if any(part.is_symlink() for part in (folder, path.parent, path)):
        raise UngradableError(f"{name}/{name}.ipynb is a link to another place, or lies in one")
    if not folder.is_dir():
        raise UngradableError(f"a file, where a folder with {name}/{name}.ipynb should be")
    if not path.exists():
        found = sorted(other.relative_to(folder).as_posix() for other in folder.glob("*.ipynb"))
        found += sorted(other.relative_to(folder).as_posix() for other in path.parent.glob("*.ipynb"))
        others = found and f", but {shorten(', '.join(found), 80, placeholder=' …')}"
        raise UngradableError(f"there is no {name}/{name}.ipynb{others or ''}")
    state = path.stat()
    if not stat.S_ISREG(state.st_mode):
        raise UngradableError(f"{name}/{name}.ipynb is no ordinary file")
    if state.st_size > MOST_BYTES:
        raise UngradableError(f"{name}/{name}.ipynb has more than {MOST_BYTES // 10**6} MB")
    try:
        data = path.read_bytes()
        text = data.decode(json.detect_encoding(data), "replace")
        if text.count("{") + text.count("[") > MOST_PARTS:
            raise UngradableError(f"{name}/{name}.ipynb has more than {MOST_PARTS} parts")
        content = json.loads(text)
        sheets = [content, *content.get("worksheets", [])]  # old notebooks have these; any may claim to
        if sum(len(sheet.get("cells", [])) for sheet in sheets) > MOST_CELLS:
            raise UngradableError(f"{name}/{name}.ipynb has more than {MOST_CELLS} cells")
        if content["nbformat"] != 4:  # an old one
            content = nbformat.convert(nbformat.reader.reads(text), 4)
        cells = [_plain(cell) for cell in content["cells"]]
    except UngradableError:
        raise
    except Exception as error:  # whatever a student can do to a file
        raise UngradableError(f"not a notebook ({type(error).__name__})") from None
    if any(len(cell.source) > MOST_TEXT for cell in cells):
        raise UngradableError(f"{name}/{name}.ipynb has a cell of more than {MOST_TEXT} characters")
    return data, nbformat.v4.new_notebook(cells=cells)


def _plain(cell):
    source = cell.get("source", "")
    text = source if isinstance(source, str) else "".join(map(str, source))
    plain = KINDS.get(cell.get("cell_type"), KINDS["raw"])(text.encode(errors="replace").decode())
    marks = cell.get("metadata")
    marks = marks.get("nbgrader") if isinstance(marks, dict) else None
    if isinstance(marks, dict) and isinstance(marks.get("grade_id"), str):
        plain.metadata.nbgrader = {"grade_id": marks["grade_id"]}
    return plain


def rebuilt(submission, released):
    """The submission with each named cell as it was handed out, but for the text of an answer.

    A name that was not handed out is taken away, and from all but the last of the cells that have the same one. Locked
    cells that are lost return, each before what follows it in the release. A student's text, which a teacher's browser
    will show, is made plain; what is text and what is code, the release says.
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
            cell.source = LIVE.sub(r"\g<0> ", cell.source)
        cells.insert(0, cell)
    names = list(handed_out)
    for place, name in reversed(list(enumerate(names))):
        there = [identity(cell) for cell in cells]
        if is_locked(handed_out[name]) and name not in there:
            following = [i for i, other in enumerate(there) if other in names[place + 1 :]]
            cells.insert(min(following, default=len(there)), copy.deepcopy(handed_out[name]))
    return nbformat.from_dict({**released, "cells": cells})

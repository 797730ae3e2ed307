"""What is asked of a text, be it a notebook's cell, a caption or a page."""

import re
from functools import cache
from pathlib import Path

from pybtex.database import parse_file

REFERENCES = Path(__file__).resolve().parents[2] / "book" / "references.bib"


def pictures_without_alt(text):
    """Markdown images and MyST `image` and `figure` directives that have no alt text."""
    directives = re.findall(r"^[`:]{3,}\{(?:image|figure)\}[^\n]*\n(?::[^\n]*\n)*", text, flags=re.MULTILINE)
    return re.findall(r"!\[\s*\]\([^)]*\)", text) + [found.strip() for found in directives if ":alt:" not in found]


@cache
def bibliography():
    return set(parse_file(REFERENCES, "bibtex").entries)


def unknown_citations(text):
    roles = re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", text)
    keys = [key.strip() for role in roles for key in re.sub(r"\{[^}]*\}", "", role).split(",")]
    return [key for key in keys if key not in bibliography()]

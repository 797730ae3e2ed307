"""Check Markdown text of cells, captions and pages: alt texts of pictures, and citations."""

import re
from functools import cache
from pathlib import Path

from pybtex.database import parse_file

REFERENCES = Path(__file__).resolve().parents[2] / "book" / "references.bib"


def pictures_without_alt(text):
    """Markdown images and MyST `image` and `figure` directives that have no alt text."""
    directives = re.findall(r"^[`:]{3,}\{(?:image|figure)\}[^\n]*\n(?::[^\n]*\n)*", text, flags=re.MULTILINE)
    return re.findall(r"!\[\s*\]\([^)]*\)", text) + [
        directive.strip() for directive in directives if ":alt:" not in directive
    ]


@cache
def bibliography():
    return set(parse_file(REFERENCES, "bibtex").entries)


def unknown_citations(text):
    roles = re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", text)
    keys = [key.strip() for role in roles for key in re.sub(r"\{[^}]*\}", "", role).split(",")]
    return [key for key in keys if key not in bibliography()]

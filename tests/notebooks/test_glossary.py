"""The glossary is in alphabetical order, names nothing twice, and every entry says where the book treats it."""

import json
import re
import unicodedata
from pathlib import Path

import pytest
from myst_parser.mdit_to_docutils.base import default_slugify

BOOK = Path(__file__).parents[2] / "book"
GREEK = {"χ": "chi", "ε": "epsilon", "ν": "nu"}
DIRECTIVE = re.compile(r"^```\{glossary\}\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]+\]\(([^)#]+)(?:#([^)]+))?\)")
LABEL = re.compile(r"\{prf:ref\}`([\w-]+)`")


def entries(text):
    """For each entry its terms, without backticks, and its definition."""
    for block in "\n\n".join(DIRECTIVE.findall(text)).split("\n\n"):
        lines = block.strip("\n").split("\n")
        terms = [line.strip("`") for line in lines if not line.startswith(" ")]
        yield terms, " ".join(line.strip() for line in lines if line.startswith(" "))


def place(term):
    """What a term is sorted by: without capitals and accents, Greek letters by their names."""
    spelt = "".join(GREEK.get(letter, letter) for letter in term.casefold())
    return "".join(c for c in unicodedata.normalize("NFKD", spelt) if not unicodedata.combining(c))


def prose(page):
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".ipynb":
        return text
    return "\n".join("".join(c["source"]) for c in json.loads(text)["cells"] if c["cell_type"] == "markdown")


def headings(page):
    """The slugs of a page's headings, as MyST makes them where they hold no formula."""
    return {default_slugify(title) for title in re.findall(r"^#{1,3} (.*)", prose(page), flags=re.MULTILINE)}


def faults(text, labels):
    found, first, seen = [], "", set()
    for terms, definition in entries(text):
        name = terms[0]
        links = LINK.findall(definition)
        if not definition or not (links or LABEL.search(definition)):
            found.append(f"{name}: no definition, or no link")
        for term in terms:
            if term.casefold() in seen:
                found.append(f"{term}: twice")
            if "$" in term:
                found.append(f"{term}: a formula")
            seen.add(term.casefold())
        if place(name) < place(first):
            found.append(f"{name}: after {first}")
        for page, slug in links:
            if not (BOOK / page).is_file():
                found.append(f"{name}: {page} is no page")
            elif slug and slug not in headings(BOOK / page):
                found.append(f"{name}: {page} has no heading {slug}")
        found += [f"{name}: no label {label}" for label in LABEL.findall(definition) if label not in labels]
        first = name
    return found


@pytest.fixture(scope="module")
def labels():
    pages = [*BOOK.glob("*.ipynb"), *BOOK.glob("*.md")]
    return {label for page in pages for label in re.findall(r"^:label: (\S+)$", prose(page), flags=re.MULTILINE)}


def test_the_glossary(labels):
    text = (BOOK / "glossary.md").read_text(encoding="utf-8")
    assert len(list(entries(text))) > 100
    assert faults(text, labels) == []


GOOD = "ridge\n`alpha`\n  Price $\\lambda$. See [it](04-krr.ipynb#two-knobs).\n\nslack\n  See {prf:ref}`thm-krr`.\n"


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("", "", None),
        ("slack", "queue", "queue: after ridge"),
        ("slack", "ν", "ν: after ridge"),
        ("slack", "slack\nAlpha", "Alpha: twice"),
        ("`alpha`", "ridge", "ridge: twice"),
        ("`alpha`", "$\\alpha$", "$\\alpha$: a formula"),
        ("[it](04-krr.ipynb#two-knobs)", "it", "ridge: no definition, or no link"),
        ("two-knobs", "three-knobs", "ridge: 04-krr.ipynb has no heading three-knobs"),
        ("04-krr.ipynb#two-knobs", "04-kr.ipynb", "ridge: 04-kr.ipynb is no page"),
        ("thm-krr", "thm-kr", "slack: no label thm-kr"),
    ],
)
def test_faults_are_found(labels, before, after, fault):
    text = f"```{{glossary}}\n{GOOD.replace(before, after) if before else GOOD}```\n"
    assert faults(text, labels) == ([fault] if fault else [])

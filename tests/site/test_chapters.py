"""Chapters of the built book: their numbers on everything that has one, their places in the contents, their folds."""

import re
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document

from tools.site.chapters import in_words, minutes, number_title

ROOT = Path(__file__).parents[2]
CONTENTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
CHAPTERS = [entry for entry in CONTENTS["chapters"] if re.match(r"book/\d\d-", entry["file"])]
PAGES = {
    page["file"]: f"{int(entry['file'][5:7])}{f'.{place}' if place else ''}"
    for entry in CHAPTERS
    for place, page in enumerate([entry, *entry.get("sections", [])])
}
NUMBERED = {
    ".eqno": r"\(([\d.]+)\)",
    "figcaption .caption-number": r"Figure ([\d.]+) ?$",
    "div.proof:not(.proof-type-proof) > p.admonition-title": r"\w+ ([\d.]+)\b",
}


@pytest.fixture(scope="module")
def soups(site):
    return {page: BeautifulSoup((site / f"{page}.html").read_text(encoding="utf-8"), "html.parser") for page in PAGES}


def numbers(soup):
    """For each kind of what is numbered, the numbers in their order; for theorems, definitions …, each by itself."""
    found = defaultdict(list)
    for kind, pattern in NUMBERED.items():
        for element in soup.select(kind):
            number = re.match(pattern, element.get_text())
            assert number, f"{kind} without a number: {element.get_text()!r}"
            word = element.get_text().split()[0] if "proof" in kind else kind
            found[word].append(number[1])
    return found


def test_numbers_are_the_chapters_and_follow_each_other(soups):
    for entry in CHAPTERS:
        chapter, found = int(entry["file"][5:7]), defaultdict(list)
        for page in [entry, *entry.get("sections", [])]:
            for kind, values in numbers(soups[page["file"]]).items():
                found[kind] += values
        assert {".eqno", "figcaption .caption-number"} <= set(found)
        for kind, values in found.items():
            assert values == [f"{chapter}.{place}" for place in range(1, len(values) + 1)], (kind, entry["file"])


def test_explorers_and_figures_have_captions_with_numbers(soups):
    for page, soup in soups.items():
        for figure in soup.select("figure"):
            assert figure.select_one("figcaption .caption-number"), f"{page}: a figure without a number"
    assert sum(len(soup.select("figure.explorer")) for soup in soups.values()) >= 6


def number_at(soup, identity):
    """The number of the equation, the figure or the theorem with this id."""
    target = soup.find(id=identity)
    title = "p.admonition-title" if "proof" in target.get("class", []) else ".caption-number, .eqno"
    return re.search(r"\d+\.\d+", target.select_one(title).get_text())[0]


def test_references_name_the_number_that_they_lead_to(soups):
    checked = 0
    for page, soup in soups.items():
        for link in soup.select(".bd-article a.reference.internal[href*='#']"):
            shown = re.match(r"(?:\(|\w+ )(\d+\.\d+)\)?$", link.get_text())
            if shown and "headerlink" not in link.get("class", []):
                url = urlsplit(link["href"])
                target = (Path(page).parent / unquote(url.path)).as_posix().removesuffix(".html") if url.path else page
                assert number_at(soups[re.sub(r"[^/]+/\.\./", "", target)], url.fragment) == shown[1], link
                checked += 1
    assert checked > 30


def test_chapters_are_numbered_in_the_contents_with_their_pages_below(soups):
    soup = BeautifulSoup(str(next(iter(soups.values())).select_one("nav.bd-links")), "html.parser")
    for entry in CHAPTERS:
        chapter = int(entry["file"][5:7])
        (item,) = [item for item in soup.select("li.toctree-l1") if item.a.get_text().startswith(f"{chapter} ")]
        below = [link.get_text().split()[0] for link in item.select("li.toctree-l2 > a")]
        assert below == [f"{chapter}.{place}" for place in range(1, len(entry["sections"]) + 1)]


def test_a_page_shows_its_number_in_its_title_the_windows_and_the_links_to_it(soups):
    for (page, soup), following in zip(soups.items(), [*list(soups.values())[1:], None], strict=True):
        number = f"{PAGES[page]} "
        assert soup.select_one("h1 .section-number").get_text() == number
        assert soup.title.get_text().startswith(number)
        assert soup.select_one("h1").get_text().count(number) == 1
        if following is not None:
            assert following.select_one(".left-prev .prev-next-title").get_text().startswith(number)


def test_a_title_of_an_earlier_build_loses_its_number():
    env = SimpleNamespace(titles={"a": nodes.title("", "Likeness")})
    env.longtitles = env.titles
    number_title(env, "a", (5, 4))
    number_title(env, "a", (5, 6))
    assert env.titles["a"].astext() == "5.6 Likeness"


def test_a_page_says_what_it_needs_and_how_long_it_takes(soups):
    for page, soup in soups.items():
        needs, text = soup.select_one("p.you-need").get_text(), soup.select_one("article").get_text()
        if "/exercises/" in page:
            assert needs.startswith("You need ")
            assert "This page takes" not in needs
            assert len(re.findall(r"\b(?:allow|points;)[\w ]* (?:hours|minutes)\b", text)) == 1
        else:
            assert re.search(r"^You need .*\. This page takes about [\w ]+\.$", needs, re.S)


def test_hidden_code_that_stands_together_is_one_fold(soups):
    for page, soup in soups.items():
        for cell in soup.select("div.cell:has(> details)"):
            after = cell.find_next_sibling("div")
            next_to_it = after is not None and after == cell.find_next_sibling() and "cell" in after["class"]
            folded = next_to_it and after.select_one(":scope > details")
            assert not folded or cell.select(".cell_output"), f"{page}: two folds in a row at {cell.get_text()[:80]!r}"


def test_a_problem_of_an_exercise_has_one_fold_for_code_at_its_end(soups):
    for page in filter(lambda page: "exercises" in page, soups):
        problems = [section for section in soups[page].select("section section") if "HERE" in section.get_text()]
        assert len(problems) >= 5
        for problem in problems:
            *models, code = problem.select(":scope > details.fold")
            assert code == problem.find_all(recursive=False)[-1]
            assert "Solution" in code.get_text()
            assert len(code.select(":scope > details.fold")) != 1
            assert [fold.summary.get_text() for fold in models] == ["Model answer"] * len(models)
            assert not any(fold.select("div.cell") for fold in models)


def document(*children):
    made = new_document("page")
    made += children
    return made


def test_minutes_come_from_words_formulas_and_code():
    words = nodes.paragraph("", "word " * 1800)
    code = nodes.container("", nodes.literal_block("", "x = 1\n" * 120), nb_element="cell_code", classes=["cell"])
    hidden = nodes.container("", nodes.literal_block("", "x = 1\n" * 900), nb_element="cell_code", hide_mode="input")
    assert minutes(document(words)) == 10
    assert minutes(document(words, code)) == 20
    assert minutes(document(words, code, hidden)) == 20
    assert minutes(document(words, nodes.paragraph("", "", *[nodes.math("", "x")] * 200))) == 20
    assert minutes(document(words, *[nodes.math_block("", "a + b = c + d")] * 20)) == 20
    output = nodes.container("", nodes.literal_block("", "1\n" * 900), nb_element="cell_code_output")
    assert minutes(document(words, nodes.container("", output, nb_element="cell_code", classes=["cell"]))) == 10
    part = nodes.container("", nodes.literal_block("", "1\n" * 900), nb_element="cell_code", classes=["tag_part"])
    assert minutes(document(words, part)) == 10
    assert minutes(document(words, *[nodes.figure()] * 15)) == 15
    assert minutes(document()) == 5


def test_minutes_in_words():
    assert [in_words(n) for n in (5, 60, 65, 120)] == ["5 minutes", "1 hour", "1 hour and 5 minutes", "2 hours"]

"""Finding things: the search by sections, previews beside links, the pages that gather named results and slips."""

import json
import re
from urllib.parse import urlencode

import nbformat
import pytest
from bs4 import BeautifulSoup

from tests.marks import THOROUGH
from tests.site.pages import SITE

ASKED = {  # what readers of the field type, and where one of the first three hits leads
    "overfitting": "book/glossary.html#term-overfitting",
    "soft margin": "book/02-svc.html#when-no-line-will-do",
    "bandwidth": "book/notation.html#one-width-two-names",
    "kernel trick": "book/01-rkhs.html#the-same-solution-one-number-per-point",
    "kernel PCA": "book/glossary.html#term-kernel-principal-component-analysis",
    "SVM": "book/glossary.html#term-support-vector-classification",
    "cross-validation": "book/02-svc-choosing.html#search-by-cross-validation",
    "Mercer": "book/glossary.html#term-Mercer-s-theorem",
    "probabilities": "book/02-svc-machines.html#does-f-know-a-probability",
    "missing values": "book/06-kernel-design-models.html#gaps-in-a-table",
    "class imbalance": "book/glossary.html#term-class-imbalance",
    "outlier detection": "book/02-svc-machines.html#one-class-alone",
    "Nystrom": "book/04-krr-practice.html#when-n-is-large",
    "convergence warning": "book/own-data.html#what-warnings-say",
    "quantiles": "book/03-svr-statistics.html#more-than-one-value-quantiles",
    "regularization parameter": "book/glossary.html#term-ridge",
    "overfiting": "book/glossary.html#term-overfitting",  # misspelled
    "Guassian kernel": "book/glossary.html#term-RBF-kernel",
    "SVMs": "book/glossary.html#term-support-vector-classification",
    "gaussian processes": "book/glossary.html#term-Gaussian-process",
    "working sets": "book/glossary.html#term-working-set",
    "semi-supervised": "book/glossary.html#term-harmonic-rule",
    "cache_size": "book/glossary.html#term-cache",
    "custom kernel": "book/glossary.html#term-kernel-of-one-s-own",
    "imbalanced": "book/glossary.html#term-class-imbalance",
    "RBF kernel": "book/glossary.html#term-RBF-kernel",
    "Gaussian kernel": "book/glossary.html#term-RBF-kernel",
    "how to choose gamma": "book/glossary.html#term-width",
    "what is a kernel": "book/glossary.html#term-kernel",
    "feature importance": "book/glossary.html#term-automatic-relevance-determination",
    "LinearSVC": "book/glossary.html#term-support-vector-classification",
    "too many samples": "book/glossary.html#term-Nystrom-method",
}


@pytest.fixture
def ask(visit, site):
    def asked(words, **options):
        opened = visit(f"{(site / 'search.html').as_uri()}?{urlencode({'q': words})}", **options)
        opened.page.wait_for_selector("#search-results > p")
        assert opened.complaints == []
        return opened.page

    return asked


@pytest.mark.parametrize("words", ASKED if THOROUGH else list(ASKED)[::4])
def test_the_words_of_the_field_are_found_in_a_folder(ask, words):
    page = ask(words)
    addresses = [link.get_attribute("href") for link in page.locator(".search-hits a").all()]
    assert ASKED[words] in addresses[:3], addresses[:5]


def test_excerpts_are_prose_around_the_words(ask):
    page = ask("duality gap")
    said = page.locator(".search-hits p").all_inner_texts()
    assert len(said) >= 5
    assert not [text for text in said if re.search(r"\\[a-z]+|\bimport |\$", text)]
    assert "gap" in {mark.lower() for mark in page.locator(".search-hits mark").all_inner_texts()}
    assert max(map(len, said)) < 400


def test_formulas_in_excerpts_say_nothing_else(site):
    text = (site / "_static/search-sections.js").read_text("utf-8")
    assert "8n^2" in text
    assert "8n2 " not in text


def test_a_search_without_hits_says_so(ask):
    assert ask("xylophone").locator("#search-results").inner_text().strip() == "For “xylophone”: no sections."


def test_the_first_hit_is_one_tab_away(ask):
    page = ask("duality gap")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement === document.querySelector('.search-hits a')")


def test_what_is_asked_is_text_and_no_page(ask):
    page = ask("<img src=x onerror=document.title='taken'>")
    assert page.locator("#search-results img").count() == 0
    assert page.title() != "taken"


def test_every_hit_leads_to_a_place(site):
    records = json.loads((site / "_static/search-sections.js").read_text("utf-8")[len("const SECTIONS = ") : -2])
    assert len(records) > 400
    ids = {}
    for record in records:
        path, _, anchor = record["url"].partition("#")
        if path not in ids:
            ids[path] = set(re.findall(r'\bid="([^"]+)"', (site / path).read_text("utf-8")))
        assert not anchor or anchor in ids[path], record["url"]
    assert len({record["url"] for record in records}) == len(records)


REFERENCES = {  # pages with links to what stands elsewhere, and a link of each kind
    "an equation of another page": ("book/02-svc-dual.html", "02-svc.html#equation-eq-svc-primal", "math"),
    "an equation of the page": ("book/02-svc-dual.html", "#equation-eq-svc-dual", "math"),
    "a theorem": ("book/results.html", "01-rkhs-mercer.html#thm-mercer", ".proof"),
    "a term in bold": ("book/01-rkhs.html", "glossary.html#term-overfitting", "dd"),
    "a source": ("book/01-rkhs.html", "references.html#", ".citation"),
}


@pytest.mark.parametrize("way", ["pointer", "keyboard"])
@pytest.mark.parametrize("kind", REFERENCES)
def test_what_a_link_leads_to_is_shown_beside_it(visit, site, kind, way):
    name, address, content = REFERENCES[kind]
    opened = visit((site / name).as_uri())
    page = opened.page
    link = page.locator(f".bd-article a.reference.internal[href^='{address}']").first
    link.scroll_into_view_if_needed()
    preview = page.locator("#preview")
    assert not preview.is_visible()
    if way == "pointer":
        link.hover()
    else:
        page.keyboard.press("Shift")  # so that what is focused next counts as reached by the keyboard
        link.focus()
    preview.locator(content).first.wait_for()
    assert link.get_attribute("aria-describedby") == "preview"
    box, window = preview.bounding_box(), page.viewport_size
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= window["width"]
    page.keyboard.press("Escape")
    assert not preview.is_visible()
    assert opened.complaints == []


def test_a_preview_can_be_read_with_the_pointer_in_it_and_goes_with_it(visit, site):
    page = visit((site / "book/02-svc-dual.html").as_uri()).page
    link = page.locator(".bd-article a.reference.internal[href='#equation-eq-svc-dual']").first
    link.scroll_into_view_if_needed()
    page.clock.install()  # from now on time passes when it is told to
    link.hover()
    preview = page.locator("#preview")
    page.clock.run_for(1000)
    preview.wait_for()
    preview.hover()
    page.clock.run_for(1000)
    assert preview.is_visible()
    page.mouse.move(1200, 5)
    page.clock.run_for(1000)
    preview.wait_for(state="hidden")


def test_a_long_preview_is_read_by_the_arrow_keys(visit, site):
    page = visit((site / "book/results.html").as_uri()).page
    page.set_viewport_size({"width": 390, "height": 260})
    link = page.locator(".bd-article td a[href*='#thm-mercer']").first
    link.scroll_into_view_if_needed()
    page.keyboard.press("Shift")
    link.focus()
    preview = page.locator("#preview")
    preview.wait_for()
    top, ground = "tip => tip.scrollTop", page.evaluate("scrollY")
    page.keyboard.press("ArrowDown")
    assert preview.evaluate(top) > 0
    assert page.evaluate("scrollY") == ground
    page.keyboard.press("ArrowUp")
    assert preview.evaluate(top) == 0


def test_links_in_previews_lead_where_they_did(site):
    checked = 0
    for path in (site / "_static/previews/book").rglob("*.js"):
        page = path.relative_to(site / "_static/previews").with_suffix(".html")
        shown = json.loads(path.read_text("utf-8")[len("const PREVIEWS = ") : -2])
        for html in shown.values():
            assert ' id="' not in html
            for link in BeautifulSoup(html, "html.parser").select("a.internal[href]"):
                target = (site / page).parent / link["href"].partition("#")[0]
                assert target.is_file(), (page, link["href"])
                checked += 1
    assert checked > 20


def markdown(path):
    return "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")


def test_every_named_result_is_listed_once(site):
    named = []
    for path in sorted((SITE.parents[1] / "book").glob("[0-9]*.ipynb")):
        named += re.findall(r"^:{3,}\{prf:(?!proof|example|remark)\w+\} .+\n:label: (\S+)$", markdown(path), flags=re.M)
    soup = BeautifulSoup((site / "book/results.html").read_text("utf-8"), "html.parser")
    listed = [link["href"].partition("#")[2] for link in soup.select("article td a[href*='#']")]
    assert len(named) > 80
    assert sorted(listed) == sorted(named)


def test_the_slips_of_every_chapter_are_gathered(site):
    soup = BeautifulSoup((site / "book/slips.html").read_text("utf-8"), "html.parser")
    headings = [heading.get_text() for heading in soup.select("article h2")]
    assert [heading[:10] for heading in headings] == [f"Chapter {i}:" for i in range(1, 7)]
    assert headings[1].startswith("Chapter 2: Support vector classification")
    back = soup.select("article a.internal[href$='#slips-in-the-notes']")
    assert len(back) == 6
    assert len(soup.select("article pre")) >= 6  # what the cells between the words have printed
    for link in back:
        page, _, anchor = link["href"].partition("#")
        there = BeautifulSoup((site / "book" / page).read_text("utf-8"), "html.parser").find(id=anchor)
        heads = [strong.get_text() for strong in there.select(":scope > p > strong:first-child")]
        assert len(heads) >= 2
        assert set(heads) <= {strong.get_text() for strong in soup.select("p > strong:first-child")}

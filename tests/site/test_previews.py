"""Previews beside links, and the pages that gather named results and slips."""

import json
import re

import nbformat
import pytest
from bs4 import BeautifulSoup

from tests.site.pages import SITE

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


def test_the_slips_of_every_chapter_stand_on_one_page(site):
    soup = BeautifulSoup((site / "book/slips.html").read_text("utf-8"), "html.parser")
    headings = [heading.get_text() for heading in soup.select("article h2")]
    assert [heading[:10] for heading in headings] == [f"Chapter {i}:" for i in range(1, 7)]
    assert headings[1].startswith("Chapter 2: Support vector classification")
    sources = sorted((SITE.parents[1] / "book").glob("[0-9]*.ipynb"))
    assert not any("## Slips in the notes" in markdown(path) for path in sources)

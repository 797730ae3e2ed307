"""Every page of the built book in a real browser: on a desk, on a phone, on paper, without scripts."""

import gzip
import json
import re
from functools import cache
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from PIL import Image

from tests.marks import NIGHTLY, thorough
from tests.site.pages import TYPICAL
from tests.site.serving import body_of
from tests.site.test_phone import PHONE, faults, formulas_in_another_font, output_faults
from tests.site.test_shape import paper_faults

OWN_CONTENT_LIMIT = 1_500_000
COLOURS_OF_A_PALETTE = 256
SHARED_LIMIT = 220_000  # bytes, compressed; half of them are the faces of the text


def sideways_scroll(page):
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return [f"scrolls sideways by {wide} px"] if wide > 0 else []


CONTRAST_OF_EACH_LOOK = """async () => {
  const ground = (element) => (element ? getComputedStyle(element).backgroundColor + ground(element.parentElement) : "")
  const looks = new Set()
  for (const block of document.querySelectorAll(".highlight pre, math")) {
    const below = ground(block)
    for (const part of block.querySelectorAll("*")) {
      if (part.childElementCount > 0) continue
      const { color, backgroundColor, fontSize, fontWeight, opacity } = getComputedStyle(part)
      const look = [color, backgroundColor, fontSize, fontWeight, opacity, below].join()
      const letter = part.textContent.trim().length < 2  // axe does not judge those
      part.toggleAttribute("data-looks-like-another", letter || looks.has(look))
      if (!letter) looks.add(look)
    }
  }
  axe.configure({ rules: [{ id: "color-contrast", selector: "*:not([data-looks-like-another])" }] })
}"""


def accessibility_violations(page):
    """Of the parts of code and formulas that look alike, the contrast is asked of one: this halves the time."""
    axe = Axe()
    page.evaluate(axe.axe_script)
    page.evaluate(CONTRAST_OF_EACH_LOOK)
    return [
        f"{violation['impact']}: {violation['id']} at {json.dumps(node['target'])}"
        for violation in page.evaluate("async () => (await axe.run({ resultTypes: ['violations'] })).violations")
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def parsed(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def own_weight(page_path):
    """Bytes over the line of the page and of the pictures that belong to it alone."""
    soup = parsed(page_path)
    sources = {unquote(urlsplit(tag["src"]).path) for tag in soup.find_all("img", src=True)}
    sources |= {unquote(urlsplit(tag["href"]).path) for tag in soup.select("svg image[href]")}
    sources |= {urlsplit(tag["data-frames"].split()[0]).path for tag in soup.find_all(attrs={"data-frames": True})}
    own = [page_path.parent / source for source in sources if "_images/" in source]
    return sum(len(body_of(path)) for path in [page_path, *own])


def static_weights(site, requested):
    """Bytes over the line of what the page loads: for the search alone, and in common with every other page."""
    paths = {unquote(urlsplit(url).path).lstrip("/") for url in requested if "/_static/" in url}
    searching = {path for path in paths if re.search("search|language_data", path)}
    return [sum(len(body_of(site / path)) for path in part) for part in (searching, paths - searching)]


def found(**faults_of):
    """The faults by the name of the question, where there are any: a page is opened once, and asked everything."""
    return {name: some for name, some in faults_of.items() if some}


def test_a_page_on_a_desk(visit, site, server, page_name, capsys):
    """From a server, wide, in the light theme.

    axe takes half of the time of a long page. On a phone it is asked of every page, here of one page of each kind.
    """
    seen = visit(f"{server}/{page_name}", theme="light")
    assert seen.page.evaluate("document.documentElement.dataset.theme") == "light"
    assert (
        found(
            complaints=seen.complaints,
            width=sideways_scroll(seen.page),
            accessibility=accessibility_violations(seen.page) if NIGHTLY or page_name in TYPICAL else [],
        )
        == {}
    )
    searching, shared = static_weights(site, seen.requested)
    own = own_weight(site / page_name) + searching
    with capsys.disabled():
        print(f"\n{page_name}: own content {own / 1000:.0f} kB, shared assets {shared / 1000:.0f} kB", end=" ")
    assert own <= OWN_CONTENT_LIMIT
    assert shared <= SHARED_LIMIT


def test_a_page_on_a_phone_and_on_paper(visit, site, page_name):
    """From a folder, narrow, in the dark theme; then printed."""
    seen = visit((site / page_name).as_uri(), PHONE, "dark")
    assert seen.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert (
        found(
            complaints=[*seen.complaints],  # before it is printed
            width=sideways_scroll(seen.page),
            accessibility=accessibility_violations(seen.page),
            cut=faults(seen.page),
            formulas=formulas_in_another_font(seen.page),
            outputs=output_faults(seen.page),
            paper=paper_faults(seen.page),
        )
        == {}
    )


def test_a_page_without_scripts(visit, site, page_name):
    page = visit((site / page_name).as_uri(), PHONE, java_script_enabled=False).page
    assert found(cut=faults(page), formulas=formulas_in_another_font(page)) == {}


@cache
def images_in_drawings(site):
    """The images inside the figures that cells drew: alt text of the figure, and the file of the image."""
    return [
        (image.find_parent("svg")["aria-label"], path.parent / unquote(image["href"]))
        for path in (site / "book").rglob("*.html")
        for image in parsed(path).select(".cell_output .drawn image:not([href^=data])")
    ]


@thorough
def test_images_in_drawings_have_a_palette_or_are_webp(site):
    kinds = set()
    for _, file in images_in_drawings(site):
        with Image.open(file) as picture:
            kinds.add((file.suffix, picture.mode == "P"))
    assert kinds <= {(".png", True), (".webp", False), (".png", False)}
    assert {(".png", True), (".webp", False)} <= kinds


@thorough
def test_a_shaded_figure_keeps_its_colours(site):
    files = {file for alt, file in images_in_drawings(site) if alt.startswith("Shaded relief")}
    assert files
    for file in files:
        with Image.open(file) as picture:
            assert picture.convert("RGB").getcolors(COLOURS_OF_A_PALETTE) is None


def test_names_and_punctuation_need_no_span_for_their_colour(site):
    css = (site / "_static" / "pygments.css").read_text(encoding="utf-8")
    for theme in "light", "dark":
        rule = rf'data-theme="{theme}"\] \.highlight{{}} {{{{ (?:background: #\w+; )?color: (#\w+) }}}}'
        colours = {re.search(rule.format(part), css).group(1) for part in ("", r" \.n", r" \.p")}
        assert len(colours) == 1


def test_root_address_opens_the_landing_page(browser, server):
    page = browser.new_page()
    page.goto(server)
    page.wait_for_url("**/book/index.html")
    page.close()


def test_search_finds_the_notation(visit, server):
    seen = visit(f"{server}/search.html?q=notation")
    seen.page.get_by_role("link", name="Notation", exact=True).and_(seen.page.locator("#search-results a")).wait_for()
    assert seen.complaints == []


MINI = '<!doctype html><html lang="en"><title>mini</title><main><h1>a</h1>{}</main></html>'
CODE = (
    '<div class="highlight"><pre><i>plain</i> <i>words</i> <i style="color: {0}">b</i> '
    '<i style="color: {0}">pale</i></pre></div>'
)


@thorough
@pytest.mark.parametrize(
    ("complaint", "check", "body"),
    [
        ("request to another host", None, '<img alt="b" src="https://example.org/b.png">'),
        ("failed request", None, '<img alt="b" src="missing.png">'),
        ("script error", None, "<script>missing()</script>"),
        ("console error", None, "<script>console.error('b')</script>"),
        ("scrolls sideways by", sideways_scroll, '<div style="width: 500px">b</div>'),
        ("serious: color-contrast", accessibility_violations, '<p style="color: #ccc">pale</p>'),
        ("serious: color-contrast", accessibility_violations, CODE.format("#ccc")),
    ],
)
def test_a_bad_page_is_noticed(visit, tmp_path, complaint, check, body):
    path = tmp_path / "mini.html"
    for content, expected in [("<p>fine</p>", False), (body, True)]:
        path.write_text(MINI.format(content), encoding="utf-8")
        seen = visit(path.as_uri(), width=390)
        complaints = seen.complaints if check is None else check(seen.page)
        assert any(sentence.startswith(complaint) for sentence in complaints) == expected


def test_own_weight_counts_the_pictures_of_the_page(tmp_path):
    (tmp_path / "_images").mkdir()
    (tmp_path / "_images" / "b.png").write_bytes(bytes(5000))
    page = tmp_path / "mini.html"
    page.write_text(MINI.format('<img alt="b" src="_images/b.png"><img alt="c" src="_static/c.svg">'), encoding="utf-8")
    assert own_weight(page) == 5000 + len(gzip.compress(page.read_bytes()))

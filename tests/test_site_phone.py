"""What a reader on a phone sees of each page of the built book: everything, at once, without a script."""

import re

import pytest
from bs4 import BeautifulSoup

from tests.serving import serving

PHONE = 390
MOST_SHIFT = 0.05

# What is wider than its place and says nothing of it: no scrolling, or scrolling without the shadow at its edge.
CUT = """() => {
    const article = document.querySelector(".bd-article") ?? document.body, edge = article.getBoundingClientRect().right + 1;
    const scrolls = e => /auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1;
    const cut = [];
    for (const e of article.querySelectorAll("math, math .breaks > mrow, pre, table, img, p, li")) {
        let place = e;
        while (place && !scrolls(place)) place = place.parentElement;
        const silent = place ? !getComputedStyle(place).backgroundAttachment.includes("local")
            : e.getBoundingClientRect().right > edge;
        if (silent && e.getClientRects().length) cut.push(`${e.localName} is cut: ${e.textContent.slice(0, 60)}`);
    }
    return cut;
}"""

SCROLLING_OUTPUT = """() => [...document.querySelectorAll(".cell_output pre, table")]
    .filter(e => e.scrollWidth > e.clientWidth + 1 || e.parentElement.scrollWidth > e.parentElement.clientWidth + 1)
    .map(e => `${e.localName} does not fit: ${e.textContent.slice(0, 60)}`)"""

FORMULAS = """() => [...document.querySelectorAll(".math, math")].flatMap(e => {
    const said = [], math = e.querySelector("math") ?? e, size = e => parseFloat(getComputedStyle(e).fontSize);
    if (!math.childElementCount || /\\\\[a-z(\\[]/.test(e.textContent)) said.push("formula not typeset");
    if (size(math) !== size(e.closest(".math")?.parentElement ?? e.parentElement)) said.push("formula not at the text's size");
    return said.map(fault => `${fault}: ${e.textContent.slice(0, 60)}`);
})"""

# A comma or a bracket in another line than the formula that it belongs to.
ASTRAY = """() => [...document.querySelectorAll("span.math")].flatMap(e => {
    const next = [...e.childNodes].find(n => n.nodeType === 3 && n.previousSibling) ?? e.nextSibling;
    const math = e.querySelector("math");
    if (next?.nodeType !== 3 || !/^[,.;:!?)\\]]/.test(next.data) || !math?.lastElementChild) return [];
    const range = document.createRange();
    range.setStart(next, 0);
    range.setEnd(next, 1);
    const end = math.lastElementChild.getBoundingClientRect().right;
    return range.getBoundingClientRect().left < end - 2 ? [`${next.data[0]} begins a line after ${math.textContent}`] : [];
})"""

SHIFTS = """addEventListener("DOMContentLoaded", () => window.shift = 0);
new PerformanceObserver(list => list.getEntries().forEach(entry => window.shift = (window.shift ?? 0) + entry.value))
    .observe({type: "layout-shift", buffered: true});"""


def faults(page):
    return [fault for check in (CUT, SCROLLING_OUTPUT, FORMULAS, ASTRAY) for fault in page.evaluate(check)]


def has_font(page):
    return page.evaluate("document.fonts.ready.then(f => [...f].some(f => /Formulas/.test(f.family) && f.status == 'loaded'))")


def blocking(html):
    """What the first paint waits for, besides one style sheet."""
    soup = BeautifulSoup(html, "html.parser")
    sheets = [tag["href"] for tag in soup.select("link[rel=stylesheet]")]
    scripts = [tag["src"] for tag in soup.select("script[src]") if not {"defer", "async"} & set(tag.attrs)]
    preloads = [tag["href"] for tag in soup.select("link[rel=preload]")]
    return sheets[1:] + scripts + preloads


@pytest.mark.parametrize("script", [True, False])
def test_nothing_is_cut_on_a_phone(visit, site, page_name, script):
    page = visit((site / page_name).as_uri(), width=PHONE, java_script_enabled=script).page
    assert faults(page) == []
    assert has_font(page) or page.locator("math").count() == 0


def test_first_paint_waits_for_one_style_sheet(site, page_name):
    assert blocking((site / page_name).read_text(encoding="utf-8")) == []


def test_style_sheet_brings_its_fonts(site):
    css = (site / "_static" / "book.css").read_text(encoding="utf-8")
    assert "@import" not in css
    assert len(re.findall('url\\("data:font/woff2', css)) == 2


def test_nothing_moves_while_a_page_loads(browser, site, page_name):
    with serving(site) as address:
        page = browser.new_page(viewport={"width": PHONE, "height": 844})
        session = page.context.new_cdp_session(page)
        slow = {"offline": False, "latency": 100, "downloadThroughput": 400_000, "uploadThroughput": 100_000}
        session.send("Network.emulateNetworkConditions", slow)
        page.add_init_script(SHIFTS)
        page.goto(f"{address}/{page_name}")
        page.wait_for_timeout(300)
        assert page.evaluate("window.shift") <= MOST_SHIFT
        page.close()

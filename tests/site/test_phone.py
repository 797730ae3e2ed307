"""What a reader on a phone sees of the pages of the built book: everything, at once, without a script."""

import re

import pytest
from bs4 import BeautifulSoup

from tests.marks import thorough
from tests.site.pages import AT_REST
from tests.site.serving import serving

PHONE = 390
MOST_SHIFT = 0.05

# What is wider than its place and says nothing of it: no scrolling, or scrolling without the shadow at its edge.
CUT = """() => {
    const article = document.querySelector(".bd-article") ?? document.body;
    const edge = article.getBoundingClientRect().right + 1;
    const scrolls = e => /auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1;
    const cut = [];
    for (const e of article.querySelectorAll("math, .breaks > mrow, pre, table, img, p, li")) {
        let place = e;
        while (place && !scrolls(place)) place = place.parentElement;
        const silent = place ? !getComputedStyle(place).backgroundAttachment.includes("local")
            : e.getBoundingClientRect().right > edge || e.localName === "pre" && e.scrollWidth > e.clientWidth + 1;
        if (silent && e.getClientRects().length) cut.push(`${e.localName} is cut: ${e.textContent.slice(0, 60)}`);
    }
    return cut;
}"""

SCROLLING_OUTPUT = """() => [...document.querySelectorAll(
        ".cell_output pre:not(.table-output), table:not(.printed-table > *)")]
    .filter(e => e.scrollWidth > e.clientWidth + 1 || e.parentElement.scrollWidth > e.parentElement.clientWidth + 1)
    .map(e => `${e.localName} does not fit: ${e.textContent.slice(0, 60)}`)"""

FORMULAS = """() => [...document.querySelectorAll(".math, math")].flatMap(e => {
    const said = [], math = e.querySelector("math") ?? e, size = e => parseFloat(getComputedStyle(e).fontSize);
    if (!math.childElementCount || /\\\\[a-z(\\[]/.test(e.textContent)) said.push("formula not typeset");
    if (size(math) !== size((e.closest(".math") ?? e).parentElement)) said.push("formula not at the text's size");
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
    const begins = range.getBoundingClientRect().left < math.lastElementChild.getBoundingClientRect().right - 2;
    return begins ? [`${next.data[0]} begins a line after ${math.textContent}`] : [];
})"""

# Letters lean out of their box, and a comma stands on the line: neither in a box of its own that clips or centres.
BOXED = """() => [...document.querySelectorAll("span.math")].filter(e => {
    const style = getComputedStyle(e);
    return style.display !== "inline" || style.overflow !== "visible";
}).map(e => `formula in a box: ${e.textContent.slice(0, 60)}`)"""

SHIFTS = """window.shift = 0, window.moved = [];
new PerformanceObserver(list => list.getEntries().forEach(entry => {
    window.shift += entry.value;
    window.moved.push(...entry.sources.map(({node}) => `${node?.nodeName} ${node?.className}`));
})).observe({type: "layout-shift", buffered: true});"""


def faults(page):
    return [fault for check in (CUT, SCROLLING_OUTPUT, FORMULAS, ASTRAY, BOXED) for fault in page.evaluate(check)]


def formulas_in_another_font(page):
    loaded = "document.fonts.ready.then(fonts => [...fonts].filter(f => f.status == 'loaded').map(f => f.family))"
    has_font = "Formulas" in page.evaluate(loaded)
    return [] if has_font else [f"{page.locator('math').count()} formulas"] * (page.locator("math").count() > 0)


def output_faults(page):
    """Tables that do not keep their columns, and other outputs that do not break."""
    said = []
    for output in page.locator(".cell_output pre").all():
        lines = output.text_content().rstrip("\n").split("\n")
        wide_table = (
            len(lines) >= 3
            and sum(bool(re.search(r"\S {2,}\S", line)) for line in lines) >= 2
            and max(map(len, lines)) > 44
        )
        if ("table-output" in (output.get_attribute("class") or "")) != wide_table:
            said.append(f"not seen for what it is: {lines[0]}")
        if wide_table and output.evaluate("e => getComputedStyle(e).whiteSpace") != "pre":
            said.append(f"a table breaks: {lines[0]}")
        if wide_table and not output.evaluate("e => e.scrollWidth <= e.clientWidth || e.tabIndex == 0"):
            said.append(f"a keyboard cannot scroll the table {lines[0]}")
    for frame in page.locator(".printed-table").all():
        if not frame.evaluate("e => e.scrollWidth <= e.clientWidth || e.tabIndex == 0"):
            said.append(f"a keyboard cannot scroll the {frame.get_attribute('aria-label')}")
    return said


def blocking(html):
    """What the first paint waits for, besides one style sheet."""
    soup = BeautifulSoup(html, "html.parser")
    sheets = [tag["href"] for tag in soup.select("link[rel=stylesheet]")]
    scripts = [tag["src"] for tag in soup.select("script[src]") if not {"defer", "async"} & set(tag.attrs)]
    preloads = [tag["href"] for tag in soup.select("link[rel=preload]")]
    return sheets[1:] + scripts + preloads


def test_contents_are_there_without_a_script(visit, site, typical_page):
    page = visit((site / typical_page).as_uri(), width=PHONE, java_script_enabled=False).page
    entries = page.locator("nav.bd-links a").locator("visible=true")
    assert "Notation" in entries.all_inner_texts()
    assert page.locator(".primary-toggle").locator("visible=true").count() == 0


def test_first_paint_waits_for_one_style_sheet(site, typical_page):
    assert blocking((site / typical_page).read_text(encoding="utf-8")) == []


def test_style_sheet_brings_its_fonts(site):
    css = (site / "_static" / "book.css").read_text(encoding="utf-8")
    assert "@import" not in css
    fonts = re.findall(r'@font-face ?{[^}]*?font-family: ?"?([\w ]+)"?;[^}]*?url\("data:font/woff2', css)
    assert {"Formulas", "Source Serif 4", "Source Sans 3", "Source Code Pro"} <= {*fonts}


def faces_of(page, selector):
    """The names of the faces from the style sheet in which an element is set."""
    session = page.context.new_cdp_session(page)
    for domain in "DOM", "CSS":
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    found = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})
    used = session.send("CSS.getPlatformFontsForNode", found)["fonts"]
    return {font["familyName"] for font in used if font["isCustomFont"]}


def test_the_first_page_that_one_opens_is_set_in_the_faces_of_the_book(visit, site, typical_page):
    page = visit((site / typical_page).as_uri(), width=PHONE).page
    text = ".bd-article > section > p:not([class])"
    for selector, face in ((".bd-article h1", "Source Sans"), (text, "Source Serif")):
        if page.locator(selector).count():
            assert any(name.startswith(face) for name in faces_of(page, selector))


def test_nothing_moves_while_a_page_loads(browser, site, typical_page):
    with serving(site) as address:
        page = browser.new_page(viewport={"width": PHONE, "height": 844})
        session = page.context.new_cdp_session(page)
        slow = {"offline": False, "latency": 100, "downloadThroughput": 400_000, "uploadThroughput": 100_000}
        session.send("Network.emulateNetworkConditions", slow)
        page.add_init_script(SHIFTS)
        page.goto(f"{address}/{typical_page}", timeout=120_000)  # how long it takes is not the question here
        page.evaluate(AT_REST)
        assert page.evaluate("window.shift") <= MOST_SHIFT, page.evaluate("window.moved")
        page.close()


MINI = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>mini</title>
<style>math {{ font-size: 1em }} p {{ width: 1px }}</style><main class="bd-article">{}</main></html>"""
WIDE = f"<math><mi>{'x' * 200}</mi></math>"
SCROLLS = '<div style="overflow: auto; {}">' + WIDE + "</div>"
SHADOW = "background: linear-gradient(red, blue) local"
ASTRAY_COMMA = '<p>so many <span class="math"><math><mi>xxxxxxx</mi></math></span>, and</p>'


@thorough
@pytest.mark.parametrize(
    ("complaint", "body"),
    [
        ("math is cut", WIDE),
        ("math is cut", SCROLLS.format("")),
        ("pre is cut", f"<pre>{'x' * 200}</pre>"),
        ("pre does not fit", f'<div class="cell_output"><pre style="overflow: auto">{"x" * 200}</pre></div>'),
        ("formula not typeset", r'<p><span class="math">\(x\)</span></p>'),
        ("formula not at the text's size", '<p><math style="font-size: 120%"><mi>x</mi></math></p>'),
        (", begins a line after", ASTRAY_COMMA),
        ("formula in a box", '<span class="math" style="overflow: hidden"><math><mi>f</mi></math>.</span>'),
        ("formula in a box", '<span class="math" style="display: inline-flex"><math><mi>f</mi></math>.</span>'),
    ],
)
def test_a_bad_page_is_noticed(visit, tmp_path, complaint, body):
    path = tmp_path / "mini.html"
    for content, expected in [("<p>fine</p>", False), (SCROLLS.format(SHADOW), False), (body, True)]:
        path.write_text(MINI.format(content), encoding="utf-8")
        found = faults(visit(path.as_uri(), width=PHONE).page)
        assert any(fault.startswith(complaint) for fault in found) == expected


TABLE = "\n".join(["name" + " " * 50 + "score"] * 3)


@thorough
@pytest.mark.parametrize(
    ("complaint", "kind", "text"),
    [
        ("not seen for what it is", "table-output", "short"),
        ("not seen for what it is", "", TABLE),
        ("a table breaks", "table-output", TABLE),
    ],
)
def test_an_output_that_does_not_fit_is_noticed(visit, tmp_path, complaint, kind, text):
    path = tmp_path / "mini.html"
    body = f'<div class="cell_output"><pre class="{kind}" style="white-space: pre-wrap">{text}</pre></div>'
    path.write_text(MINI.format(body), encoding="utf-8")
    assert output_faults(visit(path.as_uri(), width=PHONE).page)[0].startswith(complaint)


def test_what_blocks_is_noticed():
    assert blocking('<link rel="stylesheet" href="a"><script defer src="b"></script>') == []
    bad = (
        '<link rel="stylesheet" href="a"><link rel="stylesheet" href="c"><link rel="preload" href="d"><script src="b">'
    )
    assert blocking(bad) == ["c", "b", "d"]

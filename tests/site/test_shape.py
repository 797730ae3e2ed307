"""The shape of the pages of the built book: contents mark the place, fingers hit their aim, paper is white."""

import re

import pytest

from tests.marks import thorough
from tests.site.pages import AT_REST

STEP = 400

# Which entry of the contents should be marked, as far as the window tells: the last one whose heading is in its upper
# third; near the end of the page, where not every heading gets so far, perhaps one that is further down in the window.
PLACES = """async step => {
    const entries = [...document.querySelectorAll("#pst-page-toc-nav a")], found = [];
    const tops = () => entries.map(e =>
        document.getElementById(decodeURIComponent(e.hash.slice(1))).querySelector("h2, h3, h4")
            .getBoundingClientRect().top);
    const end = document.documentElement.scrollHeight - innerHeight;
    for (let y = 0; y < end + step; y += step) {
        scrollTo({top: y, behavior: "instant"});
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        const first = tops().findLastIndex(top => top <= innerHeight / 3);
        const visible = tops().findLastIndex(top => top <= innerHeight);
        const left = end - scrollY;
        const wanted = left < 1 ? [visible, visible] : left < innerHeight * 2 / 3 ? [first, visible] : [first, first];
        const marked = entries.flatMap((e, i) => e.classList.contains("active") ? [i] : []);
        const spoken = entries.flatMap((e, i) => e.hasAttribute("aria-current") ? [i] : []);
        const list = document.querySelector(".bd-toc")?.getBoundingClientRect();
        const hidden = marked.filter(i => {
            const box = entries[i].getBoundingClientRect();
            return !box.height || box.top < list.top - 1 || box.bottom > list.bottom + 1;
        }).length;
        found.push({y: scrollY, wanted, marked, spoken, hidden});
    }
    return found;
}"""


def misplaced(page):
    """Where the contents mark no entry, several, or another than the one the reader is at."""
    said = []
    for place in page.evaluate(PLACES, STEP):
        first, last = place["wanted"]
        marked = place["marked"] or [-1]
        if len(marked) > 1:
            said.append(f"several entries are marked at {place['y']}")
        elif not first <= marked[0] <= last:
            said.append(f"entry {marked[0]} is marked, not {first}, at {place['y']}")
        if place["spoken"] != place["marked"]:
            said.append(f"a screen reader hears of another entry at {place['y']}")
        if place["hidden"]:
            said.append(f"the marked entry is not shown at {place['y']}")
    return said


def test_contents_mark_the_section_that_is_read(visit, site, typical_page):
    page = visit((site / typical_page).as_uri()).page
    page.set_viewport_size({"width": 1280, "height": 640})  # lower than some lists of contents
    assert misplaced(page) == []


def test_contents_mark_what_the_reader_asked_for(visit, site, typical_page):
    page = visit((site / typical_page).as_uri(), reduced_motion="reduce").page
    page.add_style_tag(content=".bd-toc .nav .nav { display: block }")
    for entry in page.locator("#pst-page-toc-nav a").all():
        entry.click()
        page.wait_for_function("e => e.hasAttribute('aria-current')", arg=entry.element_handle(), timeout=5000)
        assert page.locator("#pst-page-toc-nav .nav-link.active").count() == 1


PHONE, FINGER = 390, 44

# What a finger aims at, and can hit: how far the target reaches from its middle before something else is hit. Links
# within sentences and code are as high as their lines. The slider of an explorer has a label that stands for it.
TARGETS = """([within, least]) => {
    const PROSE = "p a, dt a, pre a, figcaption a, td a, th a, .bd-article li a, .citation a, .bibtex-citation a";
    const small = [];
    for (const e of document.querySelectorAll(within + " :is(a[href], button, input, select, textarea, summary)")) {
        if (e.matches(PROSE) && !e.matches("#search-results a") || e.closest(".skip-link")) continue;
        if (!e.checkVisibility({checkVisibilityCSS: true, visibilityProperty: true}) || e.closest("[inert]")) continue;
        e.scrollIntoView({block: "center", behavior: "instant"});
        const box = e.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
        const own = [e, ...(e.labels ?? [])];
        const hit = (dx, dy) => own.some(part => part.contains(document.elementFromPoint(x + dx, y + dy)));
        const reach = (dx, dy) => { let n = 0; while (n < least && hit(n * dx, n * dy)) n += 0.5; return n; };
        const width = reach(1, 0) + reach(-1, 0) - 0.5, height = reach(0, 1) + reach(0, -1) - 0.5;
        if (Math.min(width, height) < least - 0.5)
            small.push(`${e.localName} of ${width} by ${height}: ${e.ariaLabel ?? e.textContent.trim().slice(0, 40)}`);
    }
    return small;
}"""

# What is hidden until it is opened: its button, and where its targets are then.
OPENED = {
    ".primary-toggle": "#pst-primary-sidebar-modal",
    ".secondary-toggle": "#pst-secondary-sidebar-modal",
    ".dropdown-toggle": ".dropdown-menu",
    ".search-button": ".bd-search",  # in a dialog, or in the page for searching
}


def small_targets(page):
    small = page.evaluate(TARGETS, ["body", FINGER])
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    small += page.evaluate(TARGETS, [".bd-article details", FINGER])
    for button, place in OPENED.items():
        if page.locator(f".bd-header-article {button}:visible").count():
            page.evaluate("scrollTo({top: 0, behavior: 'instant'})")
            page.locator(f".bd-header-article {button}").tap(timeout=5000)
            page.evaluate(AT_REST)  # the drawer slides in
            assert page.locator(f"{place} :is(a, input)").locator("visible=true").count(), f"{button} opens nothing"
            small += page.evaluate(TARGETS, [place, FINGER])
            page.keyboard.press("Escape")
    return small


def test_a_finger_hits_what_it_aims_at(visit, site, typical_page):
    page = visit((site / typical_page).as_uri() + "?q=kernel", width=PHONE, has_touch=True, is_mobile=True).page
    if typical_page == "search.html":
        page.locator("#search-results li a").nth(5).wait_for()
    assert small_targets(page) == []


PAPER_WIDTH = 673  # pixels, of a sheet A4 without its margins

# On paper: what is drawn in pale colours or on a dark ground, and what has no use there.
PAPER = """() => {
    const light = colour => {
        const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
        return 1 - a + a * (0.299 * r + 0.587 * g + 0.114 * b) / 255;  // on white
    };
    const shown = e => e.checkVisibility({checkVisibilityCSS: true, visibilityProperty: true});
    const said = [], all = [...document.querySelectorAll("body, body *")].filter(shown);
    for (const e of all) {
        const style = getComputedStyle(e), name = `${e.localName}: ${e.textContent.trim().slice(0, 40)}`;
        const words = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
        if (words && light(style.color) > 0.55) said.push(`pale ${name}`);
        if (light(style.backgroundColor) < 0.85) said.push(`dark ground of ${name}`);
    }
    const dead = "button, summary, dialog, input, .headerlink, .bd-sidebar-primary *, .bd-sidebar-secondary *, "
        + "footer *, .bd-header-article *, .skip-link, details:not([open]) *";
    said.push(...all.filter(e => e.matches(dead)).map(e => `no use on paper: ${e.localName}.${e.className}`));
    const whole = "svg:not(.for-phones), :not(.explorer-names) > label, .explorer-names > label:has(:checked), "
        + ".explorer-control output, figcaption";  // of the names only the chosen one is printed
    for (const e of document.querySelectorAll("figure.explorer"))
        if (![...e.querySelectorAll(whole)].every(shown)) said.push("explorer not whole");
    for (const e of document.querySelectorAll(".highlight pre, div.math"))
        if (e.scrollWidth > e.clientWidth + 1) said.push(`${e.localName} is cut: ${e.textContent.slice(0, 40)}`);
    return said;
}"""

DRAWN = """() => [...document.querySelectorAll(".bd-article img:not([src$='.svg'], [src^='data:image/svg'])")]
    .map(e => [e.naturalWidth, e.naturalHeight].join(" "))"""


def paper_faults(page):
    """What is wrong with the printed page, its folds as they are and one more opened."""
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": PAPER_WIDTH, "height": 900})
    said = page.evaluate(PAPER)
    for fold in page.locator(".bd-article details:not(.live)").all()[:1]:
        fold.evaluate("e => e.open = true")
        inside = fold.locator(":is(pre, p, svg):not(summary *)").first
        if not inside.evaluate("e => e.checkVisibility({checkOpacity: true})"):
            said.append("an open fold prints nothing")
        said += page.evaluate(PAPER)
    # A browser that prints for a reader waits for pictures that the page asks for now; one that writes a PDF does not.
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function("[...document.images].every(image => image.complete)", timeout=10_000)
    printed = pictures(page.pdf(format="A4"))
    wanted = page.evaluate(DRAWN)  # what has not been loaded for the paper has no size
    return said + [f"no picture of {size} pixels" for size in wanted if size not in printed]


def pictures(pdf):
    """Width and height of the pictures in a file that Chromium printed."""
    heads = [head for head in re.findall(rb"<<([^<>]*)>>\s*stream", pdf) if b"/Subtype /Image" in head]
    sides = ([re.search(rb"/%s (\d+)" % side, head)[1].decode() for side in (b"Width", b"Height")] for head in heads)
    return {" ".join(pair) for pair in sides}


MINI = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>mini</title>
<main class="bd-article">{}</main></html>"""
EXPLORER_WITHOUT_VALUE = '<figure class="explorer"><p class="explorer-control"><output hidden>a</output></p></figure>'
BUTTON = '<button style="width: {0}px; height: {0}px">a</button>'


@thorough
@pytest.mark.parametrize(
    ("complaint", "check", "body"),
    [
        ("button of", small_targets, BUTTON.format(30)),
        ("button of", small_targets, BUTTON.format(44) + BUTTON.format(44).replace('style="', 'style="margin: -9px;')),
        ("summary of", small_targets, "<details><summary>a</summary>b</details>"),
        ("a of", small_targets, '<a href="#">alone</a>'),
        ("pale p", paper_faults, '<p style="color: #eee">a</p>'),
        ("dark ground of p", paper_faults, '<p style="background: #444">a</p>'),
        ("no use on paper: button", paper_faults, "<button>a</button>"),
        ("an open fold prints nothing", paper_faults, "<details><summary>a</summary><pre hidden>b</pre></details>"),
        ("explorer not whole", paper_faults, EXPLORER_WITHOUT_VALUE),
        ("pre is cut", paper_faults, f'<div class="highlight"><pre style="overflow: auto">{"x" * 999}</pre></div>'),
        ("no picture of 0 0 pixels", paper_faults, '<img alt="a" src="missing.png" width="8" height="9">'),
    ],
)
def test_a_bad_page_is_noticed(visit, tmp_path, complaint, check, body):
    path = tmp_path / "mini.html"
    for content, expected in [("<p>fine, and <a href='#'>linked</a></p>", False), (body, True)]:
        path.write_text(MINI.format(content), encoding="utf-8")
        found = check(visit(path.as_uri(), width=PHONE, has_touch=True, is_mobile=True).page)
        assert any(fault.startswith(complaint) for fault in found) == expected

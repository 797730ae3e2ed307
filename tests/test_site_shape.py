"""The shape of each page of the built book: its contents mark the place of the reader."""

import pytest

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


def test_contents_mark_the_section_that_is_read(visit, site, page_name):
    page = visit((site / page_name).as_uri()).page
    page.set_viewport_size({"width": 1280, "height": 640})  # lower than some lists of contents
    assert misplaced(page) == []


def test_contents_mark_what_the_reader_asked_for(visit, site, page_name):
    page = visit((site / page_name).as_uri(), reduced_motion="reduce").page
    page.add_style_tag(content=".bd-toc .nav .nav { display: block }")
    for entry in page.locator("#pst-page-toc-nav a").all():
        entry.click()
        page.wait_for_function("e => e.hasAttribute('aria-current')", arg=entry.element_handle(), timeout=5000)
        assert page.locator("#pst-page-toc-nav .nav-link.active").count() == 1

"""Where the reader is: paths above titles, what pages need, the map, routes, and what was read."""

import re
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.addnodes import pending_xref

from tests.site.test_chapters import CONTENTS, PAGES
from tests.site.test_pages import accessibility_violations, sideways_scroll
from tools.site.chapters import pages_needed
from tools.site.page_map import Layout, Page
from tools.site.places import pages_above

MAP, PHONE = "book/map.html", 390
OUTSIDE = ["book/prerequisites", "book/own-data", "book/own-kernel", "book/teaching"]
TITLED = {page["file"]: entry["file"] for entry in CONTENTS["chapters"] for page in entry.get("sections", [])}
DURATION = re.compile(r"(?:(\d+) hours?)?(?: and )?(?:(\d+) minutes)?")


def minutes_of(text):
    hours, minutes = DURATION.fullmatch(text).groups()
    return 60 * int(hours or 0) + int(minutes or 0)


@pytest.fixture(scope="module")
def soups(site):
    names = [*PAGES, *OUTSIDE, "book/map", "book/reference-estimators", "book/notation", "book/index"]
    return {name: BeautifulSoup((site / f"{name}.html").read_text(encoding="utf-8"), "html.parser") for name in names}


def led_to(page, link):
    """The page that a link on another page leads to."""
    folder = page.split("/")[:-1]
    for part in link["href"].partition("#")[0].removesuffix(".html").split("/"):
        folder = folder[:-1] if part == ".." else [*folder, part]
    return "/".join(folder)


def test_a_path_leads_to_the_pages_above(soups):
    for page, soup in soups.items():
        path = soup.select_one("nav.page-path")
        if page == "book/index":
            assert path is None
            continue
        assert path.find_next("h1")
        above = ["book/index", *([TITLED[page]] if page in TITLED else [])]
        assert [led_to(page, link) for link in path.select("a")] == above
        here = path.select_one("[aria-current=page]")
        assert (here.b.get_text() if here.b else None) == PAGES.get(page)
        assert here.span.get_text() == re.sub(r"^[\d.]+ |#$", "", soup.h1.get_text())


def test_pages_above_are_those_of_the_contents():
    env = SimpleNamespace(toctree_includes={"index": ["a", "b"], "b": ["c"]})
    assert pages_above(env, "c") == ["index", "b"]
    assert pages_above(env, "index") == []


def needed(page, soup):
    """The pages to which the first sentence of "You need" links."""
    found = []
    for part in soup.select_one("p.you-need").children:
        if part.name == "a":
            found.append(led_to(page, part))
        elif re.search(r"\.(\s|$)", part.get_text()):
            break
    return set(found)


def test_what_a_page_needs_is_named_by_links_with_numbers(soups):
    count = 0
    for page in [*PAGES, "book/own-kernel"]:
        paragraph = soups[page].select_one("p.you-need")
        assert needed(page, soups[page]), page
        for link in paragraph.select("a"):
            number = PAGES.get(led_to(page, link))
            if number:
                place = f"{'page' if '.' in number else 'chapter'} {number}"
                assert place in paragraph.get_text(), (page, place)
                count += 1
    assert count > 40


def test_who_needs_linear_algebra_or_probability_finds_it(soups):
    for page in [*PAGES, "book/index", "book/notation"]:
        paragraph = soups[page].select_one("p.you-need, h1 + p")
        if re.search("linear algebra|probability", paragraph.get_text()):
            assert "book/prerequisites" in [led_to(page, link) for link in paragraph.select("a")], page


def test_each_test_of_what_to_know_has_five_folded_answers(soups):
    tests = soups["book/prerequisites"].select("section section section")
    assert len(tests) == 3
    for test in tests:
        assert len(test.select("ol > li")) == len(test.select("ol > li > details:not([open])")) == 5


def linked(before, page, after):
    return [nodes.Text(before), pending_xref("", nodes.Text(page), reftarget=page, refdomain="doc"), nodes.Text(after)]


def test_a_page_that_only_helps_is_not_needed():
    parts = [*linked("", "a", ", and "), *linked("", "b", "."), *linked(" One section uses ", "c", ".")]
    assert pages_needed(nodes.paragraph("", "", *parts)) == ["a", "b"]


def made(number, *needs):
    name = ".".join(map(str, number))
    return Page(name, f"{name}.html", f"Title {name}", None, number, list(needs))


def test_what_is_needed_stands_higher_and_what_follows_has_no_arrow():
    pages = [made((1,)), made((1, 1), "1"), made((2,), "1"), made((2, 1), "1", "2", "1.1"), made((2, 2), "2")]
    layout = Layout({page.name: page for page in pages})
    for page in pages:
        assert all(layout.pages[name].row < page.row for name in page.needs)
    assert layout.arrows == [("1", "1.1"), ("1", "2"), ("1.1", "2.1"), ("2", "2.1"), ("2", "2.2")]
    places = [(page.column, page.row) for page in pages]
    assert len({*places}) == len(places)


def test_pages_that_need_each_other_are_noticed():
    pages = [made((1,), "2"), made((2,), "1")]
    with pytest.raises(ValueError, match="need each other: 1, 2"):
        Layout({page.name: page for page in pages})


def test_the_map_shows_all_pages_and_their_needs(soups):
    picture = soups["book/map"].select_one("svg.map-picture")
    links = {link["data-page"]: link for link in picture.select("a")}
    assert set(links) == {*PAGES, *OUTSIDE}
    arrows = {(arrow["data-from"], arrow["data-to"]) for arrow in picture.select(".map-arrow")}

    def leads(start, end):
        return any(source == start and (target == end or leads(target, end)) for source, target in arrows)

    for page, link in links.items():
        assert led_to("book/map", link) == page
        assert link["aria-label"].split()[0] == PAGES.get(page, link["aria-label"].split()[0])
        for other in needed(page, soups[page]) & set(links):
            assert leads(other, page), (other, page)
    for source, target in arrows:
        assert source in needed(target, soups[target])
    listed = [led_to("book/map", link) for link in soups["book/map"].select(".map-list li > a")]
    assert sorted(listed) == sorted(links)


def test_a_route_brings_what_its_pages_need_and_says_how_long_it_takes(soups):
    routes = soups["book/map"].select("ul.route")
    assert len(routes) == 3
    for route in routes:
        pages = [led_to("book/map", link) for link in route.select("a")]
        total = 0
        for place, (page, item) in enumerate(zip(pages, route.select("li"), strict=True)):
            assert needed(page, soups[page]) & set(PAGES) <= set(pages[:place]), page
            said = re.search(r"takes about (.*)\.$", soups[page].select_one("p.you-need").get_text())[1]
            assert item.get_text().strip().endswith(f", {said}")
            assert item.a.get_text().split()[0] == PAGES.get(page, item.a.get_text().split()[0])
            total += minutes_of(said)
        assert minutes_of(re.fullmatch(r"Together (.*)\.", route.find_next_sibling("p").get_text())[1]) == total


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "shown", "hidden"), [(1280, "picture", "list"), (PHONE, "list", "picture")])
def test_the_map_fits_the_window(visit, site, width, shown, hidden, theme):
    seen = visit((site / MAP).as_uri(), width, theme)
    assert seen.page.locator(f".map-{shown}").is_visible()
    assert seen.page.locator(f".map-{hidden}").is_hidden()
    assert sideways_scroll(seen.page) == []
    assert seen.complaints == []
    assert accessibility_violations(seen.page) == []


WORDS_OUTSIDE = """() => [...document.querySelectorAll(".map-page")].filter(page => {
    const box = page.querySelector("rect").getBBox(), words = page.querySelector("text").getBBox();
    return words.x + words.width > box.x + box.width || words.y < box.y || words.y + words.height > box.y + box.height;
}).map(page => page.dataset.page)"""


def test_the_names_on_the_map_fit_their_boxes(visit, site):
    assert visit((site / MAP).as_uri()).page.evaluate(WORDS_OUTSIDE) == []


def test_the_map_is_for_the_keyboard_too(visit, site):
    page = visit((site / MAP).as_uri()).page
    page.locator('.map-page[data-page="book/02-svc-dual"]').focus()
    assert (
        page.locator(".map-arrow.near").evaluate_all("all => all.map(one => one.dataset.from)").count("book/02-svc")
        == 1
    )
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/02-svc-choosing.html")


def test_the_search_shows_numbers(visit, site):
    page = visit((site / "search.html").as_uri() + "?q=the+dual+problem").page
    hits = page.locator("#search-results li")
    hits.filter(has_text="2.1 The dual problem, and how to read a solution").first.wait_for(timeout=10_000)
    assert hits.filter(has_text=re.compile(r"The dual problem in 2\.1 The dual problem")).count()


def read_to_the_end(page):
    page.evaluate("scrollTo({top: document.documentElement.scrollHeight, behavior: 'instant'})")
    page.locator(".bd-links a.current.read").wait_for(state="attached", timeout=5000)


def test_what_was_read_is_remembered_and_can_be_forgotten(visit, site):
    seen = visit((site / "book/02-svc-dual.html").as_uri())
    page = seen.page
    assert page.locator(".bd-links a.read").count() == 0
    read_to_the_end(page)
    page.goto((site / MAP).as_uri())
    assert page.locator(".bd-links a.read").count() == 1
    tick = page.locator(".map-page.read .map-tick")
    assert tick.count() == 1
    assert tick.is_visible()
    assert "read 1 of" in page.locator(".map-read").inner_text()
    page.get_by_role("button", name="Forget it").click()
    assert page.locator("a.read").count() == 0
    page.reload()
    assert page.locator("a.read").count() == 0
    assert page.evaluate("localStorage.getItem('kernelbook.read')") is None
    assert seen.complaints == []


def test_a_page_for_looking_things_up_is_not_read(visit, site):
    page = visit((site / "book/reference-estimators.html").as_uri()).page
    page.evaluate("scrollTo({top: document.documentElement.scrollHeight, behavior: 'instant'})")
    page.wait_for_function("scrollY > 0")
    page.goto((site / MAP).as_uri())
    assert page.locator("a.read").count() == 0


@pytest.mark.parametrize("stored", [None, "{", "5"])
def test_nothing_breaks_where_nothing_can_be_stored(visit, site, stored):
    """Where the browser refuses, and where something else is stored under the name."""
    seen = visit((site / "book/index.html").as_uri())
    if stored is None:
        refuse = (
            "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError') }})"
        )
    else:
        refuse = f"localStorage.setItem('kernelbook.read', '{stored}')"
    seen.page.add_init_script(f"{refuse}; window.reached = true;")
    seen.page.goto((site / "book/02-svc-dual.html").as_uri())
    assert seen.page.evaluate("window.reached")
    read_to_the_end(seen.page)
    seen.page.goto((site / MAP).as_uri())
    assert seen.page.locator(".map-read").is_visible() == (stored is not None)
    assert [one for one in seen.complaints if "reading.js" in one] == []

"""Pages as live notebooks: the button says whether it can work; without a network every cell runs, and sliders move."""

import json
import os
import re
from types import SimpleNamespace
from urllib.parse import unquote

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

from tests.marks import CI, NIGHTLY, THOROUGH, missing, thorough
from tests.site.live import CELLS, ENDED, OPEN, RUN, serving_live, weights
from tests.site.pages import SITE, site_pages
from tests.site.test_pages import accessibility_violations
from tests.site.test_phone import PHONE
from tools.site.live import LIVE_FOLDER, OWN_PYODIDE, button
from tools.site.pyodide import distribution

PAGE = "book/02-svc-dual.html"
ASKED = "**/pyodide.js"  # what the button asks for, of another host or of a copy on the site
PATIENCE = 1_200_000  # milliseconds for all cells of a page
# With THOROUGH=1 a page and an exercise, with NIGHTLY=1 more that take no longer than three minutes; all of them, an
# hour, where EVERY_LIVE is set.
SOME = ["01-rkhs-mercer", "exercises-kernel-design-kernel-design"] if THOROUGH else []
SOME += ["05-kpca", "03-svr-flatness", "own-data"] if NIGHTLY else []
EVERY = sorted(path.stem for path in (SITE / "live" / "files").glob("*.ipynb"))
PAGES = EVERY if "EVERY_LIVE" in os.environ else SOME
# JupyterLab hides cells that are out of sight, and after the last cell has run the first ones may be.
TO_SLIDER = """async () => {
    const notebook = jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = notebook.widgets.findIndex(cell => cell.node.querySelector(".noUi-handle"));
    await notebook.scrollToItem(notebook.activeCellIndex, "center");
}"""


@pytest.fixture
def asked():
    """The names of the files that are asked for."""
    return set()


@pytest.fixture
def lite(site, asked):
    if distribution() is None:
        missing("There is no Pyodide to test with: run `python -m tools.site.pyodide` first.", CI)
    with serving_live(site, asked) as address:
        yield address


def run_all(visit, lite, name):
    """The open page, when all cells of this notebook have run or one has failed."""
    visited = visit(f"{lite}/notebooks/index.html?path={name}.ipynb")
    page = visited.page
    page.wait_for_function(OPEN, timeout=90_000)
    page.evaluate(RUN)
    page.wait_for_function(ENDED, timeout=PATIENCE, polling=500)
    errors = [error for cell in page.evaluate(CELLS) for error in cell["errors"]]
    if name.startswith("exercises-"):  # to be solved: the first cell that is not yet ends the run
        errors = [error for error in errors if "NotImplementedError" not in error]
    assert errors == []
    elsewhere = [complaint for complaint in visited.complaints if complaint.startswith("request to another host")]
    assert elsewhere == []
    return page


@pytest.mark.parametrize("name", PAGES)
def test_every_cell_runs(visit, lite, name):
    run_all(visit, lite, name)


def test_a_slider_moves_the_picture_and_as_much_is_loaded_as_the_button_says(visit, site, lite, asked):
    page = run_all(visit, lite, "02-svc-dual")
    page.evaluate(TO_SLIDER)
    handle = page.locator(".jp-OutputArea .noUi-handle >> visible=true").first
    handle.scroll_into_view_if_needed()
    image = page.locator(".jp-OutputArea:has(.noUi-handle) img >> visible=true").first
    before = image.get_attribute("src")
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 60, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    page.wait_for_function("([image, before]) => image.src !== before", arg=[image.element_handle(), before])
    fold = BeautifulSoup((site / PAGE).read_text(encoding="utf-8"), "html.parser").select_one(".live")
    said = sorted({int(number) for number in re.findall(r"(\d+) MB", fold.get_text())})
    loaded = weights(site, asked)
    parts = [] if has_pyodide(site) else [loaded["site"]]
    assert said == pytest.approx([size / 1e6 for size in (*parts, loaded.total())], rel=0.1, abs=0.5)


def has_pyodide(site):
    """Whether it was built with a copy of its own."""
    return (site / LIVE_FOLDER / OWN_PYODIDE).is_file()


def answering(page):
    headers = {"Access-Control-Allow-Origin": "*"}
    page.route(ASKED, lambda route: route.fulfill(status=200, headers=headers, body="/* Pyodide */"))


def press(page):
    """Press the button as a keyboard does."""
    page.get_by_text("Run this page in your browser").focus()
    page.keyboard.press("Enter")


def answer(page, words):
    """The whole answer, once it has these words."""
    status = page.locator("details.live").get_by_role("status")
    status.get_by_text(words).wait_for()
    return status.inner_text()


def test_the_button_asks_once_it_is_pressed_and_leads_to_the_notebook_and_back(visit, server):
    visited = visit(f"{server}/{PAGE}")
    page = visited.page
    answering(page)
    assert not any(url.endswith("pyodide.js") for url in visited.requested)
    press(page)
    assert "some 55 MB" in answer(page, "Python can be loaded")
    assert sum(url.endswith("pyodide.js") for url in visited.requested) == 1
    assert accessibility_violations(page) == []
    with page.expect_popup() as opened:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    live = opened.value
    live.locator("#main").wait_for()
    way = live.get_by_role("link", name=re.compile("Back to the book: .*The dual problem"))
    assert way.bounding_box()["y"] + way.bounding_box()["height"] <= live.locator("#main").bounding_box()["y"]
    way.click()
    live.wait_for_url(f"{server}/{PAGE}")


SILENT = {
    "no network": lambda route: route.abort(),
    "no answer in time": lambda route: None,
    "an error": lambda route: route.fulfill(status=503),
}


@pytest.mark.parametrize("answers", SILENT.values(), ids=SILENT)
def test_where_python_cannot_come_from_the_button_says_what_else_to_do(visit, server, answers):
    page = visit(f"{server}/{PAGE}", PHONE, "dark").page
    page.route(ASKED, answers)
    press(page)
    assert "make lab" in answer(page, "does not answer")
    assert accessibility_violations(page) == []
    page.unroute(ASKED)
    answering(page)
    page.get_by_role("button", name="Ask again").press("Enter")
    answer(page, "Python can be loaded")
    assert page.evaluate("document.activeElement.textContent") == "Open the notebook"
    assert not page.get_by_role("button", name="Ask again").is_visible()


def test_in_a_folder_the_button_says_that_a_server_is_needed(visit, site):
    visited = visit((site / PAGE).as_uri(), PHONE)
    press(visited.page)
    said = answer(visited.page, "needs a server")
    for way in "make serve", f"http://127.0.0.1:8000/{PAGE}", "make lab", PAGE.replace("html", "ipynb"):
        assert way in said
    assert not visited.page.get_by_role("link", name="Open the notebook").is_visible()
    assert visited.complaints == []
    assert accessibility_violations(visited.page) == []


def test_without_scripts_there_is_a_plain_link(visit, site):
    page = visit((site / PAGE).as_uri(), java_script_enabled=False).page
    press(page)
    assert page.get_by_role("link", name="Open the notebook").is_visible()
    assert page.locator("details.live").get_by_role("status").inner_text().strip() == ""


def test_a_live_page_says_when_python_does_not_come(visit, server):
    """A reader may come to it from another live page, or by a bookmark."""
    page = visit(f"{server}/live/notebooks/index.html?path=02-svc-dual.ipynb").page
    page.route(ASKED, lambda route: route.abort())
    page.reload()
    page.get_by_text("No cell will run").wait_for()
    assert Axe().run(page, context="#to-book").response["violations"] == []


def test_every_notebook_knows_its_page(site):
    for app in ("notebooks", "tree"):
        html = (site / "live" / app / "index.html").read_text(encoding="utf-8")
        pages = json.loads(re.search(r"const pages = (.*);", html)[1])
        assert set(pages) == {path.name for path in (site / "live" / "files").glob("*.ipynb")}
        assert all((site / f"{page}.html").is_file() for page, _ in pages.values())


def test_with_a_copy_of_pyodide_the_button_names_no_other_host():
    app = SimpleNamespace(config=SimpleNamespace(own_pyodide=True))
    html = button(app, "book/02-svc-dual", lambda target, _: f"../{target}")
    assert re.findall(r'data-python="(.*?)"', html) == [f"../live/{OWN_PYODIDE}"]
    assert set(re.findall(r"https?://[^/<]*", html)) == {"http://127.0.0.1:8000"}
    assert "jsdelivr" not in html


@thorough
def test_every_notebook_has_its_button(site):
    """Its words say where it loads from, and it leads to the notebook."""
    live = {path.name for path in (site / "live" / "files").glob("*.ipynb")}
    offered = set()
    for name in site_pages():
        page = BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")
        for link in page.select("details.live a"):
            target, _, notebook = unquote(link["href"]).partition("?path=")
            assert (site / name).parent.joinpath(target).resolve() == (site / "live/notebooks/index.html").resolve()
            told = link.find_parent("details").get_text()
            assert {"MB", "site" if has_pyodide(site) else "cdn.jsdelivr.net"} <= set(re.findall(r"[\w.]*\w", told))
            offered.add(notebook)
    assert offered == live
    assert {"02-svc.ipynb", "exercises-krr-krr.ipynb"} <= live


def test_words_lead_nowhere_that_a_live_notebook_does_not_know(site):
    """One page is known at a time: sources and what stands on other pages are named, links lead to notebooks there."""
    files = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (site / "live/files").glob("*.ipynb")}
    lost = []
    for name, notebook in files.items():
        text = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
        lost += [(name, role) for role in re.findall(r"\{(?:cite|numref|doc)[^`]*`[^`]*`", text)]
        for label in re.findall(r"\{(?:prf:ref|eq)\}`([^`]+)`", text):
            lost += [(name, label)] * (f":label: {label}\n" not in text and f"({label})" not in text)
        for target in re.findall(r"\]\(([^()\s#:]+\.\w+)(?:#[^()\s]*)?\)", text):
            lost += [(name, target)] * (target not in files)
    assert lost == []


def test_the_address_of_the_folder_leads_to_the_list_of_notebooks(site):
    settings = json.loads((site / "live/jupyter-lite.json").read_text(encoding="utf-8"))["jupyter-config-data"]
    assert (site / "live" / settings["appUrl"] / "index.html").is_file()


def test_no_live_notebook_installs_from_a_repository(site):
    for path in (site / "live" / "files").glob("*.ipynb"):
        code = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
        sources = ["".join(cell["source"]) for cell in code]
        assert re.match(r"%pip install -q kernelbook\[figures\]( vega_datasets)?(\n|$)", sources[0])
        assert len(re.findall(r"pip install|git\+|find_spec\(", "\n".join(sources))) == 1

"""Pages as live notebooks: in a browser without a network every cell runs, and sliders move."""

import json
import os
import re
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup

from tests.marks import CI, NIGHTLY, THOROUGH, missing, thorough
from tests.site.live import CELLS, ENDED, OPEN, RUN, serving_live, weights
from tests.site.pages import SITE, site_pages
from tests.site.pyodide import distribution

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
        missing("There is no Pyodide to test with: run `python -m tests.site.pyodide` first.", CI)
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
    button = BeautifulSoup((site / "book/02-svc-dual.html").read_text(encoding="utf-8"), "html.parser").select_one(
        ".live"
    )
    said = [int(number) for number in re.findall(r"(\d+) MB", button.get_text())]
    loaded = weights(site, asked)
    assert said == pytest.approx([loaded.total() / 1e6, loaded["site"] / 1e6], rel=0.1, abs=0.5)


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
            assert {"MB", "cdn.jsdelivr.net"} <= set(re.findall(r"[\w.]*\w", told))
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

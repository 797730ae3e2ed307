"""What tests of several files share: data, the style of figures, the built site and a browser to read it in."""

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

# Processes with several threads of linear algebra each get in each other's way; the kernels they start inherit this.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# WITHOUT="numba cvxopt psutil threads" pytest …: the library finds none of these, as in a browser.
WITHOUT = os.environ.get("WITHOUT", "").split()
if WITHOUT:
    sys.modules |= (absent := dict.fromkeys({*WITHOUT} - {"threads"}))  # so that importing them fails
    from kernelbook.runtime import available

    for name in absent:
        del sys.modules[name]
    available.THREADS &= "threads" not in WITHOUT

SITE = Path(os.environ.get("KERNELBOOK_SITE", Path(__file__).parents[1] / "_build" / "html")).resolve()
CI, THOROUGH = (os.environ.get(name, "0") not in ("", "0") for name in ("CI", "THOROUGH"))
thorough = pytest.mark.skipif(not THOROUGH, reason="takes long: THOROUGH=1")
HERE = ("file", "data", "blob")
# Pages of every kind, where a test asks about what all pages of a kind have in common.
KINDS = ["index", "02-svc-dual", "exercises/rkhs/rkhs", "reference-estimators"]
KINDS += ["01-rkhs", "02-svc-machines", "05-kpca-pictures", "kernels", "notation", "reference"] if THOROUGH else []
TYPICAL = [f"book/{name}.html" for name in KINDS] + ["search.html"]


def site_pages():
    """What a reader can open: every page but the root's, which only forwards to the landing page."""
    found = (path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
    return sorted(name for name in found if name != "index.html" and not name.startswith(("_static/", "live/")))


def has_explorer(name):
    return '<figure class="explorer' in (SITE / name).read_text(encoding="utf-8")


def pytest_generate_tests(metafunc):
    pages = site_pages() if {"page_name", "explorer_page"} & {*metafunc.fixturenames} else []
    if "page_name" in metafunc.fixturenames:
        metafunc.parametrize("page_name", (pages if THOROUGH else TYPICAL) or ["book/index.html"])
    if "explorer_page" in metafunc.fixturenames:
        found = [name for name in pages if has_explorer(name) and (THOROUGH or name in TYPICAL)]
        metafunc.parametrize("explorer_page", found or ["book/index.html"])
    if "typical_page" in metafunc.fixturenames:
        metafunc.parametrize("typical_page", TYPICAL)


@pytest.fixture
def as_compiled(monkeypatch):
    """SMO takes as many steps as where its loops are compiled, for tests that count them."""
    from kernelbook.qp import descent

    monkeypatch.setattr(descent, "STEPS", 10)


@pytest.fixture
def regression_data():
    """Objects, a target, new objects."""
    import numpy as np  # here, where the number of its threads has been set

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=60), rng.normal(size=(25, 3))


@pytest.fixture
def own_style():
    """The book's style, while a test draws; its figures are closed afterwards."""
    from matplotlib import pyplot as plt

    from kernelbook.figures import plotting

    with plt.rc_context():
        plotting.use_style()
        yield
    plt.close("all")


def missing(reason, required):
    if required:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def site():
    if not (SITE / "index.html").is_file():
        missing(f"There is no built book in {SITE}: run `make book` first.", CI or "REQUIRE_SITE" in os.environ)
    return SITE


@pytest.fixture(scope="module")  # not longer: while Playwright runs, nothing else can use asyncio
def browser():
    from playwright.sync_api import sync_playwright

    from tools.paper import chromium

    arguments = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    arguments.append("--overscroll-history-navigation=0")  # or a finger that swipes beside a slider leaves the page
    with sync_playwright() as playwright:
        if (browser := chromium(playwright, *arguments)) is None:
            missing("No Chromium starts here: install it, or run `playwright install chromium`.", CI)
        yield browser
        browser.close()


class Visit:
    """A page open in the browser, with what it asked for and what went wrong."""

    def __init__(self, context, url):
        self.requested, self.complaints = [], []
        self.page = context.new_page()
        self.page.on("request", lambda request: self._note_request(request.url))
        self.page.on("requestfailed", lambda request: self.complaints.append(f"failed request: {request.url[:200]}"))
        self.page.on("response", self._note_response)
        self.page.on("pageerror", lambda error: self.complaints.append(f"script error: {error}"))
        self.page.on("console", self._note_message)
        self.page.goto(url)
        self.page.evaluate("document.fonts.ready.then(() => null)")

    def _note_request(self, url):
        self.requested.append(url)
        if urlsplit(url).scheme not in HERE and urlsplit(url).hostname != "127.0.0.1":
            self.complaints.append(f"request to another host: {url[:200]}")

    def _note_response(self, response):
        if response.status >= 400:
            self.complaints.append(f"status {response.status}: {response.url[:200]}")

    def _note_message(self, message):
        if message.type == "error":
            self.complaints.append(f"console error: {message.text[:200]}")


@pytest.fixture
def visit(browser):
    """Opens an address in a window of its own and returns the Visit."""
    with ExitStack() as contexts:

        def open_page(url, width=1280, theme="light", **options):
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, **options)
            contexts.callback(context.close)
            return Visit(context, url)

        yield open_page

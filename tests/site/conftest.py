"""The built site, and a browser to read it in."""

import os
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from tests.marks import CI, THOROUGH, missing
from tests.site.pages import SITE, TYPICAL, has_explorer, site_pages
from tests.site.serving import serving

HERE = ("file", "data", "blob")


def pytest_generate_tests(metafunc):
    pages = site_pages() if {"page_name", "explorer_page"} & {*metafunc.fixturenames} else []
    if "page_name" in metafunc.fixturenames:
        metafunc.parametrize("page_name", (pages if THOROUGH else TYPICAL) or ["book/index.html"])
    if "explorer_page" in metafunc.fixturenames:
        found = [name for name in pages if has_explorer(name) and (THOROUGH or name in TYPICAL)]
        metafunc.parametrize("explorer_page", found or ["book/index.html"])
    if "typical_page" in metafunc.fixturenames:
        metafunc.parametrize("typical_page", TYPICAL)


@pytest.fixture(scope="session")
def site():
    if not (SITE / "index.html").is_file():
        missing(f"There is no built book in {SITE}: run `make book` first.", CI or "REQUIRE_SITE" in os.environ)
    return SITE


@pytest.fixture
def server(site):
    """The address of the site on a server."""
    with serving(site) as address:
        yield address


@pytest.fixture(scope="module")  # not longer: while Playwright runs, nothing else can use asyncio
def browser():
    from playwright.sync_api import sync_playwright

    from tools.bookbuild.printing import chromium

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

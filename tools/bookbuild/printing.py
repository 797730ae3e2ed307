"""Print pages of the built site as PDF files with headless Chromium."""

import os
import shutil
from contextlib import contextmanager

from playwright.sync_api import Error, sync_playwright

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
MISSING = "No Chromium starts here: install it, or run `playwright install chromium`."
FOOTER = '<p style="width: 100%; text-align: center; font-size: 8px"><span class="pageNumber"></span></p>'
PAGE_OPTIONS = {"format": "A4", "display_header_footer": True, "header_template": "<p></p>", "footer_template": FOOTER}


def chromium(playwright, *arguments):
    """The machine's own Chromium, or else the one that Playwright installs; None if neither starts."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments = [*arguments, "--no-sandbox"]
    for path in [*filter(None, map(shutil.which, BROWSERS)), None]:
        try:
            return playwright.chromium.launch(executable_path=path, args=[*arguments])
        except Error:
            continue
    return None


@contextmanager
def printing_browser():
    """A browser for printing; exits with a message if there is none."""
    with sync_playwright() as playwright:
        if (browser := chromium(playwright)) is None:
            raise SystemExit(MISSING)
        yield browser
        browser.close()


def print_page(path, pdf):
    """Print a page of the built site as a PDF file, with everything unfolded."""
    with printing_browser() as browser:
        page = browser.new_page()
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        pdf.parent.mkdir(parents=True, exist_ok=True)
        page.pdf(path=pdf, **PAGE_OPTIONS)

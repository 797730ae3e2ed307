"""How long pages take as notebooks in a browser, and how much comes over the line: `python -m tests.benchmarks.live`.

With names, such as 02-svc, of those pages only. Pyodide is what `python -m tools.site.pyodide` has put together.
"""

import sys
import time
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.site.live import CELLS, OPEN, RUN, serving_live, weights
from tools.bookbuild.printing import MISSING, chromium

PATIENCE = 900  # seconds for a page
SLOW = 20  # seconds from which a cell is named
SITE = Path(__file__).resolve().parents[2] / "_build" / "html"


def measure(page, address, name):
    """Seconds to the first output, to the last, and of each slow cell; what failed."""
    page.goto(f"{address}/notebooks/index.html?path={name}.ipynb")
    page.wait_for_function(OPEN, timeout=90_000)
    begin, ended, cells = time.monotonic(), {}, []
    page.evaluate(RUN)
    while time.monotonic() - begin < PATIENCE:
        page.wait_for_timeout(250)
        cells = page.evaluate(CELLS)
        for place, cell in enumerate(cells):
            if cell["number"]:
                ended.setdefault(place, time.monotonic() - begin)
        if len(ended) == len(cells) or any(cell["errors"] for cell in cells):
            break
    times = [ended[place] for place in sorted(ended)]
    print(f"{name:32s} {len(times)} of {len(cells)} cells; first output {times[0]:.0f} s, last {times[-1]:.0f} s")
    for number, (begun, done) in enumerate(pairwise(times), 2):
        if done - begun > SLOW:
            print(f"    cell {number}: {done - begun:.0f} s")
    for cell in cells:
        for error in cell["errors"]:
            print(f"    {error}")


def main(names):
    asked = set()
    with serving_live(SITE, asked) as address, sync_playwright() as playwright:
        if (browser := chromium(playwright)) is None:
            raise SystemExit(MISSING)
        for name in names or sorted(path.stem for path in (SITE / "live" / "files").glob("*.ipynb")):
            asked.clear()
            context = browser.new_context()
            measure(context.new_page(), address, name)
            context.close()
            print(
                "    " + ", ".join(f"{k} {size / 1e6:.1f} MB" for k, size in weights(SITE, asked).items()), flush=True
            )


if __name__ == "__main__":
    main(sys.argv[1:])

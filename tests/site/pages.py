"""The built site: where it lies, which pages it has, and which of them stand for their kind."""

import os
from pathlib import Path

from tests.marks import THOROUGH

SITE = Path(os.environ.get("KERNELBOOK_SITE", Path(__file__).parents[2] / "_build" / "html")).resolve()
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


# Until fonts are there, what slides has come to rest, and two frames have been drawn.
AT_REST = """async () => {
    await document.fonts.ready;
    await Promise.allSettled(document.getAnimations().map(one => one.finished));
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""

"""What the book's build adds to Jupyter Book: static explorers, and pages that ask nothing of another host."""

import os
import re
import shutil
from importlib.resources import as_file, files
from pathlib import Path

from PIL import Image

COLOURS = 64  # of a drawn figure's palette,
MOST_COLOURS = 5000  # if it has no more than these, its letters' soft edges among them

# The theme makes what scrolls reachable by keyboard, but it does so before there are formulas.
REACHABLE_FORMULAS = """
addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  const observer = new ResizeObserver(entries => entries.forEach(({target: formula}) =>
    formula.scrollWidth > formula.clientWidth ? formula.tabIndex = 0 : formula.removeAttribute("tabindex")));
  document.querySelectorAll("mjx-container[display]").forEach(formula => observer.observe(formula));
});
"""


def copy_mathjax(outdir: Path) -> None:
    """Put the part of MathJax that the pages load under ``_static/mathjax``."""
    with as_file(files("sphinx-mathjax-offline") / "static" / "mathjax") as source:
        # MathJax fetches an extension when a formula first uses a macro from it.
        for pattern in ["tex-chtml.js", "output/chtml/fonts/woff-v2/*.woff", "input/tex/extensions/*.js"]:
            for path in source.glob(pattern):
                copy = outdir / "_static" / "mathjax" / path.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)


def mend_page(html: str) -> str:
    """Leave out the theme's 1.5 MB script of icons, and give the bibliography's entries the role their list expects.

    The theme's stylesheet already draws every icon from a web font; the script would only draw it again as SVG.
    In code, names and punctuation have the colour of what is around them: without a span for each, pages are a fifth
    smaller.
    """
    html = re.sub(r'<span class="[np]">([^<]*)</span>', r"\1", html)
    html = re.sub(r"<script [^>]*/fontawesome\.js[^>]*></script>", "", html)
    return html.replace('role="doc-biblioentry"', 'role="listitem"')


def drop_unused_assets(outdir: Path) -> None:
    for path in [*outdir.glob("_static/scripts/fontawesome.js*"), *outdir.glob("_static/**/*.map")]:
        path.unlink(missing_ok=True)


def shrink_pictures(outdir: Path) -> None:
    """Store drawn figures in a palette, without dither: a quarter of the size. One that is shaded keeps its colours."""
    for path in outdir.glob("_images/*.png"):
        with Image.open(path) as picture:
            flat = picture.convert("RGB")
        if flat.getcolors(MOST_COLOURS):
            flat.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)


def finish(app, exception) -> None:
    if exception is None and app.builder.format == "html":
        outdir = Path(app.outdir)
        for page in outdir.rglob("*.html"):
            page.write_text(mend_page(page.read_text(encoding="utf-8")), encoding="utf-8")
        copy_mathjax(outdir)
        drop_unused_assets(outdir)
        shrink_pictures(outdir)


def setup(app):
    # Kernels inherit it: kernelbook.explore then draws its frames beforehand instead of showing live widgets.
    os.environ["KERNELBOOK_STATIC"] = "1"
    os.environ["KERNELBOOK_QUIET"] = "1"  # that a kernel compiles the solver is nothing for a page
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    # The menu offers speech and help pages that live on other hosts.
    app.config.mathjax3_config = {"options": {"enableMenu": False}}
    app.add_js_file(None, body=REACHABLE_FORMULAS)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

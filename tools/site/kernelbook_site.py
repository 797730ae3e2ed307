"""Adapt Jupyter Book's pages: static explorers, accessibility, small files, and nothing loaded from other hosts."""

import os
import re
from functools import cache
from html import unescape
from itertools import product
from pathlib import Path

import joblib
import pybtex.plugin
from sphinx_proof.domain import ProofDomain

from tools.bookbuild import executed
from tools.site.assets import ask_for_one_style_sheet, defer_scripts, write_style_sheet
from tools.site.figures import drawn_pictures, place_pictures

THEME = '(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")'
PHONE_COLUMNS = 44  # characters of printed output that a phone shows in one line

# The theme makes scrollable elements reachable by keyboard, except formulas and what grows when its letters arrive.
REACHABLE_FRAMES = """
addEventListener("load", () => {
  const reach = frame =>
    frame.scrollWidth > frame.clientWidth ? frame.tabIndex = 0 : frame.removeAttribute("tabindex");
  for (const frame of document.querySelectorAll("div.math, .printed-table")) {
    const observer = new ResizeObserver(() => reach(frame));
    for (const part of [frame, ...frame.children]) observer.observe(part);
  }
});
"""

# The list of contents marks the section being read: that of the last heading above a line, which lies a third down the
# window and sinks to its foot over the last stretch of the page, so that each entry has its turn. A heading that the
# reader has jumped to stays marked where the browser puts it, even if more headings follow closely.
PLACE_IN_CONTENTS = """
addEventListener("load", () => {
  const root = document.documentElement, landing = parseFloat(getComputedStyle(root).scrollPaddingTop);
  const entries = [...document.querySelectorAll("#pst-page-toc-nav a")].map(link =>
    ({link, hash: link.hash, section: document.getElementById(decodeURIComponent(link.hash.slice(1)))}));
  const top = ({section}) => section.getBoundingClientRect().top;
  const set = (entry, on) => {
    entry.link.classList.toggle("active", on);
    on ? entry.link.setAttribute("aria-current", "location") : entry.link.removeAttribute("aria-current");
    for (let item = entry.link.closest("li"); item; item = item.parentElement.closest("li"))
      item.classList.toggle("active", on);
  };
  const show = link => {
    const list = link.closest(".bd-toc"), above = link.getBoundingClientRect().top - list.getBoundingClientRect().top;
    if (above < 0 || above + link.offsetHeight > list.clientHeight) list.scrollTop += above - list.clientHeight / 2;
  };
  let current;
  const mark = () => {
    const whole = root.scrollHeight - innerHeight, left = whole - scrollY, last = Math.min(innerHeight * 2 / 3, whole);
    const line = innerHeight / 3 * (1 + 2 * Math.max(0, 1 - left / last || 0));
    const asked = entries.find(entry => entry.hash === location.hash);
    const there = asked && (left < 1 ? top(asked) > 0 : Math.abs(top(asked) - landing) < 2);
    const next = there ? asked : entries.findLast(entry => top(entry) <= line);
    if (next === current) return;
    if (current) set(current, false);
    if (next) set(next, true), show(next.link);
    current = next;
  };
  for (const event of ["scroll", "resize", "hashchange"]) addEventListener(event, mark, {passive: true});
  new ResizeObserver(mark).observe(document.body);
});
"""

# The faces are in the style sheet. A browser would unpack them when it meets the first text, too late for that text.
FACES_FIRST = """<script>
for (const face of document.fonts) if (/Source|Formulas/.test(face.family)) face.load();
</script>"""

# The buttons that open the drawers need scripts. Without scripts, the contents of the book stand under the page, and
# sliders give way to their values.
WITHOUT_SCRIPT = """<noscript><style>
  .explorer :is(input, .explorer-ask label, .explorer-reply) { display: none; }
  .explorer-names label:not(:has(:checked)) { display: none; }
  .explorer-controls { display: block; }
  .explorer-control { display: flex; gap: 0.5rem; }
@media (width < 60rem) {
  .bd-container__inner { flex-wrap: wrap; }
  .bd-sidebar-primary { display: flex; position: static; order: 2; flex: 0 0 100%; max-height: none; margin: 0;
    border: 0; visibility: visible; }
  .primary-toggle, .secondary-toggle, .btn-fullscreen-button, .dropdown-download-buttons { display: none !important; }
}</style></noscript>
"""

# Figures with images load when the reader comes near them; before printing, all of them must load.
FIGURES_ON_PAPER = """
addEventListener("beforeprint", () =>
  document.querySelectorAll("img[loading]").forEach(image => image.loading = "eager"));
"""


def mend_page(html: str) -> str:
    """Mend what the theme writes: size, roles and names for accessibility, light and dark, printed outputs.

    The theme's 1.5 MB script of icons is removed, because its style sheet already draws every icon from a web font. In
    code, names and punctuation lose their spans, because they have the colour of the text around them; this makes pages
    a fifth smaller. A page takes its theme before its first paint, and is light without scripts. Bootstrap's scroll spy
    is removed: it finds no list to mark, and then marks arbitrary links of the page.
    """
    html = re.sub(r'<span class="[np]">([^<]*)</span>', r"\1", html)
    html = re.sub(r"<script [^>]*/fontawesome\.js[^>]*></script>", "", html)
    html = html.replace('data-theme="auto"', 'data-theme="light"').replace(
        '("theme") || "auto"', f'("theme") || {THEME}'
    )
    html = re.sub(r' data-(?:bs-spy|bs-target|offset|bs-root-margin)="[^"]*"(?=[^<>]* data-default-mode=)', "", html)
    html = html.replace("</head>", f"{FACES_FIRST}{WITHOUT_SCRIPT}</head>", 1)
    html = html.replace('role="doc-biblioentry"', 'role="listitem"')
    html = re.sub(r' id="proof(-content)?"', "", html)  # every proof and every theorem of a page would have it
    toggle = '<span class="toctree-toggle"'
    html = html.replace(f"<summary>{toggle}", f'<summary aria-label="Pages of this chapter">{toggle}')
    return re.sub(
        r'(<div class="output[^>]*><div class="highlight"><pre)>(.*?)(?=</pre>)', fit_output, html, flags=re.S
    )


def fit_output(output) -> str:
    """Store the width of a printed output, so that the style sheet can fit it.

    Of the outputs wider than a phone's line, tables keep their lines and scroll. The lines of other outputs are marked,
    so that the phone can break them.
    """
    start, text = output.groups()
    lines = text.split("\n")
    plain = [unescape(re.sub("<[^>]*>", "", line)) for line in lines]
    columns = max(map(len, plain))
    if columns > PHONE_COLUMNS and is_table(plain):
        start += ' class="table-output"'
    elif columns > PHONE_COLUMNS and all(line.count("<span") == line.count("</span") for line in lines):
        text = "".join(f'<span class="line">{line}\n</span>' for line in lines[: len(lines) - (not lines[-1])])
    return f'{start} style="--columns: {columns}">{text}'


def is_table(lines) -> bool:
    """Whether there are at least three lines, two of which have columns set apart by spaces."""
    return len(list(filter(None, lines))) >= 3 and sum(bool(re.search(r"\S {2,}\S", line)) for line in lines) >= 2


def link_repository(app, config) -> None:
    """Give every page a button to the repository if its address is known."""
    options = config.html_theme_options
    options["use_repository_button"] = bool(options.get("repository_url"))


def offer_whole_book(app, page, template, context, doctree) -> None:
    """Add the whole book, as a PDF or an EPUB, to the menu of downloads, if make is going to make it of these pages."""
    menus = [menu for menu in context.get("header_buttons", ()) if menu.get("label") == "download-buttons"]
    for kind, menu in product(app.config.offer_whole_book, menus):
        button = {"type": "link", "url": context["pathto"](f"kernelbook.{kind}", 1), "icon": "fas fa-book"}
        button |= {"text": f"the whole book (.{kind})", "tooltip": f"Download the whole book as {kind.upper()}"}
        menu["buttons"].append(button)


def forget_pages(app) -> None:
    """Delete all pages so that they are written again, because the shared style sheet must fit all of them."""
    for page in Path(app.outdir).rglob("*.html"):
        page.unlink()


def share_pages(app, env, docnames) -> None:
    """Let Sphinx read (and so execute) and write pages in one process more than there are cores.

    Sphinx cuts the list of pages into runs of equal length. Pages of one chapter take about equally long, so each run
    gets some pages of every chapter.
    """
    app.extensions["sphinx_multitoc_numbering"].parallel_read_safe = True  # it only acts after all pages are read
    ProofDomain.merge_domaindata = lambda *_: None  # its only data is a list that sphinx-proof merges itself
    app.parallel = joblib.cpu_count() + 1
    docnames[:] = [page for first in range(app.parallel) for page in docnames[first :: app.parallel]]


def drop_unused_assets(outdir: Path) -> None:
    patterns = ["scripts/fontawesome.js*", "**/*.map", "**/fa-*.ttf", "vendor/fontawesome/webfonts/fa-solid*"]
    for pattern in patterns:
        for path in outdir.glob(f"_static/{pattern}"):
            path.unlink(missing_ok=True)


def finish(app, exception) -> None:
    if exception is None and app.builder.format == "html":
        outdir = Path(app.outdir)
        drawn = drawn_pictures(outdir / "_images")
        texts = {path: path.read_text(encoding="utf-8") for path in outdir.rglob("*.html")}
        pages = {path: mend_page(html) for path, html in texts.items() if "<head>" in html}
        version = write_style_sheet(outdir / "_static", list(pages.values()))
        for path, html in pages.items():
            html = place_pictures(defer_scripts(ask_for_one_style_sheet(html, version)), drawn)
            path.write_text(html, encoding="utf-8")
        drop_unused_assets(outdir)


def setup(app):
    executed.set_environment()
    pybtex.plugin.find_plugin = cache(pybtex.plugin.find_plugin)  # it reads the list of packages for each citation
    for script in (REACHABLE_FRAMES, PLACE_IN_CONTENTS, FIGURES_ON_PAPER):
        app.add_js_file(None, body=script)
    app.add_config_value("offer_whole_book", os.environ.get("KERNELBOOK_WHOLE", "").split(), "html")
    app.connect("config-inited", link_repository)
    app.connect("html-page-context", offer_whole_book, priority=900)
    app.connect("builder-inited", forget_pages)
    app.connect("env-before-read-docs", share_pages)
    app.connect("build-finished", finish, priority=900)  # the theme writes its colours of code at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Print the whole book as one PDF from the built site: `make pdf`.

All pages follow one another in one document, so that links between them work in the PDF too. Scripts do not run:
explorers show their first picture with its result. Folded code and folded solutions are not printed. The document is
printed twice, because the first time shows on which page each chapter begins.
"""

import posixpath
import re
import sys
from pathlib import Path
from urllib.parse import unquote

from pypdf import PdfReader

from tools.bookbuild.printing import PAGE_OPTIONS, printing_browser

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
PDF = "kernelbook.pdf"
TIMEOUT_MINUTES = 10
REFERENCE = re.compile(r'(\s(?:id|for|href|src|aria-labelledby|aria-describedby)=")([^"]*)(")|(url\()([^)]*)(\))')
ENTRY = re.compile(r'<li class="toctree-l(\d).*?<a class="[^"]*" href="([^"]*)">(.*?)</a>', flags=re.DOTALL)
STYLE = """
.explorer noscript { display: none; }
.paper-page { break-before: page; }
.paper-title { margin: 30vh 0 0; text-align: center; font-size: 3rem; }
.paper-contents { break-before: page; }
.paper-contents p { display: flex; margin: 0.15rem 0; gap: 0.5rem; }
.paper-contents p.chapter { margin-top: 0.7rem; font-weight: 600; }
.paper-contents p.part { padding-left: 1.5rem; }
.paper-contents a { flex: 1; color: inherit; text-decoration: none; }
"""


def pages_of(site):
    """The pages in the order of the contents, as triples: path in the site, title, whether inside a chapter."""
    start = re.search(r'url=([^"]*)', (site / "index.html").read_text("utf-8"))[1]
    html = (site / start).read_text("utf-8")
    contents = re.search(r'<nav class="bd-links.*?</nav>', html, re.S)[0]
    found = [(start, "About this book", False)]
    for level, href, title in ENTRY.findall(contents):
        if not href.startswith("#"):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(start), href))
            if path != start:
                found.append((path, " ".join(title.split()), level != "1"))
    return found


def anchor_of(path):
    return re.sub(r"\W+", "-", path.removesuffix(".html"))


def article(html, path, paths):
    """The article of a page, with the letters of its drawings; ids and links are rewritten for the single document."""
    letters = re.search(r'<svg class="letters".*?</svg>', html, re.S)
    html = re.search(r"<article\b.*?>(.*)</article>", html, re.S)[1] + (letters[0] if letters else "")

    def unique_id(value):
        return f"{anchor_of(path)}--{value}"

    def changed(match):
        before, value, after = match[1] or match[4], match[2] or match[5] or "", match[3] or match[6]
        attribute = before.strip().partition("=")[0]
        if attribute in ("id", "for"):
            value = unique_id(value)
        elif attribute.startswith("aria-"):
            value = " ".join(map(unique_id, value.split()))
        elif value.startswith("#"):
            value = f"#{unique_id(value[1:])}" if value[1:] else f"#{anchor_of(path)}"
        elif not re.match(r"[a-z]+:", value.strip("'\"")):
            file, _, anchor = value.partition("#")
            file = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(file)))
            if file in paths:
                value = f"#{anchor_of(file)}--{anchor}" if anchor else f"#{anchor_of(file)}"
            else:
                value = file + (anchor and f"#{anchor}")
        return f"{before}{value}{after}"

    html = re.sub(r'\sloading="lazy"', "", REFERENCE.sub(changed, html))
    return f'<article class="bd-article paper-page" id="{anchor_of(path)}">{html}</article>'


def contents(pages, numbers):
    lines = []
    for path, title, in_chapter in pages:
        kind = "part" if in_chapter else "chapter"
        number = numbers.get(anchor_of(path), "000")
        lines.append(f'<p class="{kind}"><a href="#{anchor_of(path)}">{title}</a><span>{number}</span></p>')
    return f'<nav class="paper-contents"><h1>Contents</h1>{"".join(lines)}</nav>'


def document(site, numbers):
    pages = pages_of(site)
    paths = {path for path, _, _ in pages}
    first = (site / pages[0][0]).read_text("utf-8")
    folder = posixpath.dirname(pages[0][0])
    head = re.search(r"<head>(.*?)</head>", first, re.S)[1]
    head = re.sub(r"<script\b.*?</script>", "", head, flags=re.S)
    head = re.sub(
        r'(href=")(?![a-z]+:|#)([^"]*)',
        lambda link: link[1] + posixpath.normpath(posixpath.join(folder, link[2])),
        head,
    )
    articles = [article((site / path).read_text("utf-8"), path, paths) for path, _, _ in pages]
    body = f'<h1 class="paper-title">Kernelbook</h1>{contents(pages, numbers)}{"".join(articles)}'
    around = '<div class="bd-main"><div class="bd-content"><div class="bd-article-container">', "</div>" * 3
    return (
        f'<!DOCTYPE html><html lang="en" data-theme="light"><head>{head}<style>{STYLE}</style></head>'
        f"<body>{body.join(around)}</body></html>"
    )


def print_document(browser, path, pdf):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MINUTES * 60e3)
    page.goto(path.as_uri(), wait_until="load")
    page.pdf(path=pdf, outline=True, tagged=True, **PAGE_OPTIONS)
    context.close()


def first_pages(pdf):
    """The number of the sheet on which each page of the book begins, by anchor."""
    reader = PdfReader(pdf)
    places = {name.lstrip("/"): place for name, place in reader.named_destinations.items()}
    return {name: reader.get_destination_page_number(place) + 1 for name, place in places.items()}


def print_book(site, pdf):
    """Print the pages of the site as one PDF with contents, page numbers, links and bookmarks."""
    combined, numbers = site / "_on-paper.html", {}
    try:
        with printing_browser() as browser:
            for _ in range(2):
                combined.write_text(document(site, numbers), encoding="utf-8")
                print_document(browser, combined, pdf)
                numbers = first_pages(pdf)
    finally:
        combined.unlink(missing_ok=True)
    return pdf


def main():
    if not (SITE / "index.html").is_file():
        raise SystemExit("There is no built book yet: run 'make book' first.")
    print(f"The book on paper: {print_book(SITE, SITE / PDF)}")


if __name__ == "__main__":
    sys.exit(main())

"""The whole book as one PDF, printed from the built site: `make pdf`.

All pages stand one after another in one document, so that links between them work on paper too. What a script adds is
left out: explorers show their first picture with its result. Folded code and folded solutions stay folded, which is to
say that they are not printed. The document is printed twice: the first time tells where each page begins.
"""

import posixpath
import re
import sys
from pathlib import Path
from urllib.parse import unquote

from pypdf import PdfReader

from tools.bookbuild.printing import SHEETS, printing

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
PDF = "kernelbook.pdf"
MINUTES = 10
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
    """The pages in the order of the contents, with their titles: (path in the site, title, whether in a chapter)."""
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


def key(path):
    return re.sub(r"\W+", "-", path.removesuffix(".html"))


def article(html, path, paths):
    """A page's text, its names and addresses made those of the one document."""
    html = re.search(r"<article\b.*?>(.*)</article>", html, re.S)[1]

    def name(value):
        return f"{key(path)}--{value}"

    def changed(match):
        before, value, after = match[1] or match[4], match[2] or match[5] or "", match[3] or match[6]
        attribute = before.strip().partition("=")[0]
        if attribute in ("id", "for"):
            value = name(value)
        elif attribute.startswith("aria-"):
            value = " ".join(map(name, value.split()))
        elif value.startswith("#"):
            value = f"#{name(value[1:])}" if value[1:] else f"#{key(path)}"
        elif not re.match(r"[a-z]+:", value.strip("'\"")):
            file, _, anchor = value.partition("#")
            file = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(file)))
            if file in paths:
                value = f"#{key(file)}--{anchor}" if anchor else f"#{key(file)}"
            else:
                value = file + (anchor and f"#{anchor}")
        return f"{before}{value}{after}"

    html = re.sub(r'\sloading="lazy"', "", REFERENCE.sub(changed, html))
    return f'<article class="bd-article paper-page" id="{key(path)}">{html}</article>'


def contents(pages, numbers):
    lines = []
    for path, title, inner in pages:
        kind = "part" if inner else "chapter"
        number = numbers.get(key(path), "000")
        lines.append(f'<p class="{kind}"><a href="#{key(path)}">{title}</a><span>{number}</span></p>')
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
    page.set_default_timeout(MINUTES * 60e3)
    page.goto(path.as_uri(), wait_until="load")
    page.pdf(path=pdf, outline=True, tagged=True, **SHEETS)
    context.close()


def begins(pdf):
    """The number of the page on which each of the book's pages begins."""
    reader = PdfReader(pdf)
    places = {name.lstrip("/"): place for name, place in reader.named_destinations.items()}
    return {name: reader.get_destination_page_number(place) + 1 for name, place in places.items()}


def print_book(site, pdf):
    """Print the site's pages as one PDF with contents, page numbers, links and bookmarks."""
    combined, numbers = site / "_on-paper.html", {}
    try:
        with printing() as browser:
            for _ in range(2):
                combined.write_text(document(site, numbers), encoding="utf-8")
                print_document(browser, combined, pdf)
                numbers = begins(pdf)
    finally:
        combined.unlink(missing_ok=True)
    return pdf


def main():
    if not (SITE / "index.html").is_file():
        raise SystemExit("There is no built book yet: run 'make book' first.")
    print(f"The book on paper: {print_book(SITE, SITE / PDF)}")


if __name__ == "__main__":
    sys.exit(main())

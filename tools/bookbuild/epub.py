"""Make an EPUB of the whole book from the built site: `make epub`.

It is made from the pages of the site, as the PDF is, and not by Sphinx's own builder of EPUBs: on the site, formulas
are MathML and drawings part of the page, and the theme's pages have been mended.
"""

import io
import posixpath
import re
import sys
import uuid
import zipfile
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from urllib.parse import unquote

import tinycss2
import yaml
from bs4 import BeautifulSoup
from matplotlib import pyplot as plt

from kernelbook import plotting
from kernelbook.plotting import palette
from tools.bookbuild.pdf import SITE, pages_of
from tools.bookbuild.xhtml import PAGE, as_xhtml, file_of
from tools.site.assets import THEME, used_rules
from tools.site.covers import COVERS
from tools.site.fonts import font_of_formulas

ROOT = Path(__file__).resolve().parents[2]
EPUB = "kernelbook.epub"
STYLE, COVER, TITLE_PAGE, CONTENTS, PACKAGE = "epub.css", "cover.png", "title.xhtml", "contents.xhtml", "book.opf"
TYPES = {".xhtml": "application/xhtml+xml", ".css": "text/css", ".svg": "image/svg+xml"}
TYPES |= {".png": "image/png", ".webp": "image/webp", ".jpg": "image/jpeg"}
CONTAINER = f"""<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="{PACKAGE}" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
OPF = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{identifier}</dc:identifier>
<dc:title>{title}</dc:title><dc:creator>{author}</dc:creator><dc:language>en</dc:language><dc:date>{year}</dc:date>
<dc:rights>{licence}</dc:rights>
<meta property="dcterms:modified">{modified}</meta>
{accessibility}
</metadata>
<manifest>
{manifest}
</manifest>
<spine>
{spine}
</spine>
</package>
"""
ACCESSIBILITY = {
    "accessMode": ["textual", "visual"],
    "accessModeSufficient": ["textual"],
    "accessibilityFeature": ["alternativeText", "MathML", "readingOrder", "structuralNavigation", "tableOfContents"],
    "accessibilityHazard": ["none"],
    "accessibilitySummary": ["Figures have descriptions, and formulas are MathML."],
}


def themed(css, scheme):
    """The rules of one theme: those that need no theme and the light ones, or the dark ones alone. None for paper."""
    rules = []
    for rule in tinycss2.parse_rule_list(css, skip_comments=True, skip_whitespace=True):
        selector = tinycss2.serialize(rule.prelude)
        theme = (THEME.findall(selector) or ["light"])[0]
        if rule.type == "at-rule" and selector.strip() == "print":
            continue
        if theme == scheme:
            rules.append(THEME.sub("", rule.serialize()))
    return "\n".join(rules)


def style_sheet(site, pages):
    """The rules of the site that its pages need in a reading system, and those of the file beside this module."""
    static = site / "_static"
    css = "\n".join((static / name).read_text("utf-8") for name in ("pygments.css", "kernelbook.css"))
    words = {word for page in pages for word in re.findall(r"[\w-]+", re.sub('"data:[^"]*"', "", page))}
    css = used_rules(css, words)
    own = Path(__file__).with_suffix(".css").read_text("utf-8")
    dark = f"@media (prefers-color-scheme: dark) {{\n{themed(css, 'dark')}\n}}\n"
    return f"{themed(css, 'light')}\n{dark}{own}{font_of_formulas(pages)}"


def pictures_of(xhtml, path):
    """The paths in the site of the pictures that a page shows from files."""
    addresses = re.findall(r'(?: (?:src|srcset)|<image[^>]* href)="(?!data:)([^"]*)"', xhtml)
    return {posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(address))) for address in addresses}


def contents(pages):
    """The navigation document: the pages of a chapter in a list of their own below the chapter."""
    entries = []
    for path, title, in_chapter in pages:
        link = f'<a href="{file_of(path)}">{escape(BeautifulSoup(title, "html.parser").get_text())}</a>'
        if in_chapter:
            entries[-1][1].append(link)
        else:
            entries.append((link, []))
    items = ""
    for link, below in entries:
        inner = f"<ol>{''.join(f'<li>{each}</li>' for each in below)}</ol>" if below else ""
        items += f"<li>{link}{inner}</li>\n"
    body = f'<nav epub:type="toc" id="toc"><h1>Contents</h1><ol>\n{items}</ol></nav>'
    return PAGE.format(title="Contents", style=STYLE, body=body)


def title_page(config, logo):
    words = f"<h1>{escape(config['title'])}</h1><p>{escape(config['author'])}, {escape(config['copyright'])}</p>"
    words += "<p>Made from the pages of the book's site, where figures move and the code runs.</p>"
    words += f"<p>{escape(config['html']['extra_footer'])}</p>"
    picture = logo.replace("<svg ", '<svg aria-hidden="true" ', 1)
    return PAGE.format(title="Title", style=STYLE, body=f'<div class="title-page">{picture}{words}</div>')


def cover(title):
    """The picture on the reader's shelf: the title above the cover of chapter 2."""
    with plt.rc_context():
        plotting.use_style()
        figure = plt.figure(figsize=(6, 9), layout="none", facecolor=palette.PANEL)
        figure.text(0.5, 0.78, title, size=48, ha="center", color=palette.INK)
        ax = figure.add_axes((0, 0.15, 1, 0.45))
        ax.set_axis_off()
        COVERS[2](ax)
        figure.savefig(file := io.BytesIO(), format="png", dpi=150)
        plt.close(figure)
    return file.getvalue()


def package(config, files, spine):
    """The list of all files of the book and the order of its pages, with what is known about the book."""
    items = {path: f"f{i}" for i, path in enumerate(files)}
    manifest = []
    for path, name in items.items():
        kinds = {"svg": b"<svg", "mathml": b"<math", "nav": b'epub:type="toc"'} if path.endswith(".xhtml") else {}
        properties = [kind for kind, mark in kinds.items() if mark in files[path]]
        properties += ["cover-image"] if path == COVER else []
        noted = f' properties="{" ".join(properties)}"' if properties else ""
        kind = TYPES[posixpath.splitext(path)[1]]
        manifest.append(f'<item id="{name}" href="{escape(path)}" media-type="{kind}"{noted}/>')
    known = [
        f'<meta property="schema:{name}">{value}</meta>' for name, values in ACCESSIBILITY.items() for value in values
    ]
    return OPF.format(
        identifier=uuid.uuid5(uuid.NAMESPACE_DNS, config["title"]),
        title=escape(config["title"]),
        author=escape(config["author"]),
        year=config["copyright"],
        licence=escape(config["html"]["extra_footer"]),
        modified=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        accessibility="\n".join(known),
        manifest="\n".join(manifest),
        spine="\n".join(f'<itemref idref="{items[path]}"/>' for path in spine),
    )


def make_book(site, epub):
    """Make the EPUB of the site's pages."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    logo = (ROOT / config["logo"]).read_text("utf-8")
    pages = pages_of(site)
    paths = {path for path, _, _ in pages}
    texts = {path: as_xhtml((site / path).read_text("utf-8"), path, paths, STYLE) for path in paths}
    pictures = sorted(set().union(*(pictures_of(text, path) for path, text in texts.items())))
    written = {TITLE_PAGE: title_page(config, logo), CONTENTS: contents(pages)}
    written |= {file_of(path): texts[path] for path, _, _ in pages}
    spine = list(written)
    written |= {STYLE: style_sheet(site, texts.values())}
    files = {path: text.encode() for path, text in written.items()} | {COVER: cover(config["title"])}
    files |= {path: (site / path).read_bytes() for path in pictures}
    opf = package(config, files, spine)
    with zipfile.ZipFile(epub, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)  # first, and as it is
        for path, data in {"META-INF/container.xml": CONTAINER, PACKAGE: opf, **files}.items():
            archive.writestr(path, data)
    return epub


def main():
    if not (SITE / "index.html").is_file():
        raise SystemExit("There is no built book yet: run 'make book' first.")
    epub = make_book(SITE, SITE / EPUB)
    print(f"The book for a reading system: {epub} ({epub.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    sys.exit(main())

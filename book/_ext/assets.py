"""What all pages share, made light: one style sheet with its fonts in it, and no script that a page waits for."""

import hashlib
import posixpath
import re

from fonts import font_of_formulas, with_icons_in_use

STYLE_SHEET = re.compile(r'\s*<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="[^"?]*_static/([^"?]*)[^>]*>')
ICONS = "vendor/fontawesome/webfonts/fa-solid-900.woff2"


def style_sheet(static, name):
    """The text of a style sheet, those that it imports in their place, and its addresses as seen from `static`."""
    folder = posixpath.dirname(name)

    def address(relative):
        return posixpath.normpath(posixpath.join(folder, relative))

    css = (static / name).read_text(encoding="utf-8").replace('@charset "UTF-8";', "")
    css = re.sub(r"url\(([\w./-]+)\)", lambda found: f"url({address(found[1])})", css)
    return re.sub(r'@import "([^"]+)";', lambda found: style_sheet(static, address(found[1])), css)


def write_style_sheet(static, pages):
    """Join the style sheets that the pages ask for; return the version, which changes with what is in it."""
    names = dict.fromkeys(name for html in pages for name in STYLE_SHEET.findall(html))
    css = "\n".join(style_sheet(static, name) for name in names)
    css = with_icons_in_use(css, pages, static / ICONS) + font_of_formulas(pages)
    (static / "book.css").write_text(css, encoding="utf-8")
    return hashlib.sha256(css.encode()).hexdigest()[:8]


def ask_for_one_style_sheet(html, version):
    first = STYLE_SHEET.search(html)
    root = re.search(r'data-content_root="([^"]*)"', html)[1]
    link = f'\n  <link rel="stylesheet" href="{root}_static/book.css?v={version}" />'
    return html[: first.start()] + link + STYLE_SHEET.sub("", html[first.start() :])


def defer_scripts(html):
    """Let scripts run when the page is there, in their order; those written into it too, if they need one of these."""
    html = re.sub(r'\s*<link rel="preload" as="script"[^>]*>', "", html)
    html = re.sub(r"<script (?!defer)(?=[^>]*\bsrc=)", "<script defer ", html)
    return re.sub(r"<script>(?=\s*DOCUMENTATION_OPTIONS)", '<script type="module">', html)

"""What all pages share, made light: one style sheet with its fonts in it, and no script that a page waits for."""

import hashlib
import posixpath
import re

import tinycss2

from tools.site.fonts import font_of_formulas, with_font_of_icons

STYLE_SHEET = re.compile(r'\s*<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="[^"?]*_static/([^"?]*)[^>]*>')
THEME = re.compile(r'\[data-theme="?(light|dark)"?\]')
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
    css = light_on_paper(in_use(css, words_of(static, pages)))
    css = with_font_of_icons(css, static / ICONS) + font_of_formulas(pages)
    (static / "book.css").write_text(css, encoding="utf-8")
    return hashlib.sha256(css.encode()).hexdigest()[:8]


def words_of(static, pages):
    """Every word of the pages and the scripts: what could be the name of a class."""
    scripts = (path.read_text(encoding="utf-8", errors="replace") for path in static.rglob("*.js"))
    return {word for text in (*pages, *scripts) for word in re.findall(r"[\w-]+", re.sub('"data:[^"]*"', "", text))}


def in_use(css, words):
    """The style sheet without what is for a class that no page has and no script gives: three quarters of it."""
    rules = []
    for rule in tinycss2.parse_rule_list(css, skip_comments=True, skip_whitespace=True):
        if rule.type == "qualified-rule":
            selectors = re.split(r",(?![^(]*\))", tinycss2.serialize(rule.prelude))
            wanted = [selector for selector in selectors if words.issuperset(names_in(selector))]
            rules += [f"{','.join(wanted)}{{{tinycss2.serialize(rule.content)}}}"] if wanted else []
        elif rule.type == "at-rule" and rule.content and rule.lower_at_keyword in ("media", "supports", "container"):
            inner = in_use(tinycss2.serialize(rule.content), words)
            rules += [f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}"] if inner else []
        else:
            rules.append(rule.serialize())
    return "\n".join(rules)


def light_on_paper(css):
    """The style sheet with its dark theme on screens alone: paper has the light one, whatever the reader reads in."""
    rules = []
    for rule in tinycss2.parse_rule_list(css, skip_comments=True, skip_whitespace=True):
        text = rule.serialize()
        themes = THEME.findall(tinycss2.serialize(rule.prelude)) if rule.type == "qualified-rule" else []
        rules.append(f"@media screen{{{text}}}" if set(themes) == {"dark"} else text)
        if set(themes) == {"light"}:
            selectors = THEME.sub('[data-theme="dark"]', tinycss2.serialize(rule.prelude))
            rules.append(f"@media print{{{selectors}{{{tinycss2.serialize(rule.content)}}}}}")
    return "\n".join(rules)


def names_in(selector):
    return re.findall(r"[.#]([\w-]+)", re.sub(r":not\((?:[^()]|\([^()]*\))*\)", "", selector))


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

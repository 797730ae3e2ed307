"""Make what all pages share small: one style sheet with its fonts embedded, and scripts that block no page."""

import hashlib
import posixpath
import re

import tinycss2

from tools.site.fonts import font_of_formulas, fonts_of_text, with_font_of_icons

STYLE_SHEET = re.compile(r'\s*<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="[^"?]*_static/([^"?]*)[^>]*>')
THEME = re.compile(r'\[data-theme="?(light|dark)"?\]')
ICONS = "vendor/fontawesome/webfonts/fa-solid-900.woff2"


def style_sheet(static, name):
    """The text of a style sheet, with imported style sheets inserted and addresses relative to `static`."""
    folder = posixpath.dirname(name)

    def address(relative):
        return posixpath.normpath(posixpath.join(folder, relative))

    css = (static / name).read_text(encoding="utf-8").replace('@charset "UTF-8";', "")
    css = re.sub(r"url\(([\w./-]+)\)", lambda found: f"url({address(found[1])})", css)
    return re.sub(r'@import "([^"]+)";', lambda found: style_sheet(static, address(found[1])), css)


def write_style_sheet(static, pages):
    """Join the style sheets that the pages use; return the version, a hash of the result."""
    names = dict.fromkeys(name for html in pages for name in STYLE_SHEET.findall(html))
    css = "\n".join(style_sheet(static, name) for name in names)
    css = light_on_paper(used_rules(css, possible_classes(static, pages)))
    css = with_font_of_icons(css, static / ICONS) + fonts_of_text(pages) + font_of_formulas(pages)
    (static / "book.css").write_text(css, encoding="utf-8")
    return hashlib.sha256(css.encode()).hexdigest()[:8]


def possible_classes(static, pages):
    """Every word of the pages and the scripts, since it could be the name of a class."""
    scripts = (path.read_text(encoding="utf-8", errors="replace") for path in static.rglob("*.js"))
    return {word for text in (*pages, *scripts) for word in re.findall(r"[\w-]+", re.sub('"data:[^"]*"', "", text))}


def used_rules(css, words):
    """The style sheet without rules for classes that no page or script uses, which are three quarters of it."""
    rules = []
    for rule in tinycss2.parse_rule_list(css, skip_comments=True, skip_whitespace=True):
        if rule.type == "qualified-rule":
            wanted = [selector for selector in selectors_of(rule) if words.issuperset(names_in(selector))]
            rules += [f"{','.join(wanted)}{{{tinycss2.serialize(rule.content)}}}"] if wanted else []
        elif rule.type == "at-rule" and rule.content and rule.lower_at_keyword in ("media", "supports", "container"):
            inner = used_rules(tinycss2.serialize(rule.content), words)
            rules += [f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}"] if inner else []
        else:
            rules.append(rule.serialize())
    return "\n".join(rules)


def selectors_of(rule):
    """The selectors of a rule, which commas set apart; those in brackets are part of one selector."""
    found = [[]]
    for token in rule.prelude:
        if token == ",":
            found.append([])
        else:
            found[-1].append(token)
    return [tinycss2.serialize(tokens) for tokens in found]


def light_on_paper(css):
    """The style sheet with its dark theme for screens only; printed pages always have the light theme."""
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
    """Let scripts run in order after the page is parsed, including inline scripts that need one of them."""
    html = re.sub(r'\s*<link rel="preload" as="script"[^>]*>', "", html)
    html = re.sub(r"<script (?!defer)(?=[^>]*\bsrc=)", "<script defer ", html)
    return re.sub(r"<script>(?=\s*DOCUMENTATION_OPTIONS)", '<script type="module">', html)

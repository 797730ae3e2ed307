"""What a link leads to, shown beside it: the equations, theorems, terms and sources that a page refers to elsewhere.

A term in bold, as it is where a page introduces it, is a link to the glossary.

What stands on the page itself the page's script finds there. The rest is in a script of its own for each page, loaded
when a reader first comes to such a link; a script and not data, so that it is there in a folder too (file://).
"""

import json
import posixpath
import re
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from tools.site.npm import node_modules

LINK = re.compile(r'<a class="reference internal" href="([^"#]+)\.html#([^"]+)"')
SHOWN = re.compile(r'<(?:div class="(?:math|proof|citation)\b[^"]*"|dt)[^>]* id="([^"]+)"')
TAG = re.compile(r"<(/?)(\w+)\b[^>]*>")
PARTS = ("core/dist/floating-ui.core.umd.min.js", "dom/dist/floating-ui.dom.umd.min.js")


class TermLinks(SphinxPostTransform):
    """Let terms of the glossary, where they are in bold, lead there."""

    default_priority = 5
    formats = ("html",)

    def run(self, **_):
        terms = {term.lower(): place for term, place in self.env.domaindata["std"]["terms"].items()}
        for strong in [*self.document.findall(nodes.strong)]:
            name = strong.astext().lower().rstrip(".")
            page, anchor = terms.get(name) or terms.get(name.removesuffix("s")) or (None, None)
            linked = any(isinstance(around, nodes.reference | nodes.title) for around in ancestors(strong))
            if page and page != self.env.docname and not linked:
                link = make_refnode(self.app.builder, self.env.docname, page, anchor, strong.deepcopy())
                strong.replace_self(link)


def ancestors(node):
    while (node := node.parent) is not None:
        yield node


def element(html, start):
    """The element that begins there, with what is in it."""
    name, depth = TAG.match(html, start)[2], 0
    for tag in TAG.finditer(html, start):
        if tag[2] == name:
            depth += -1 if tag[1] else 1
            if not depth:
                return html[start : tag.end()]
    raise ValueError(f"the element has no end: {html[start : start + 80]}")


def shown(html):
    """The elements of a page that a link elsewhere shows, by their ids; a term with what is said of it."""
    found = {}
    for match in SHOWN.finditer(html):
        found[match[1]] = element(html, match.start())
        if found[match[1]].startswith("<dt"):
            found[match[1]] += element(html, html.index("<dd", match.start()))
    return found


def moved(html, source, page):
    """The element as it must be written on another page, where no id may stand twice."""
    html = re.sub(r' id="[^"]*"', "", re.sub(r'<a class="headerlink".*?</a>', "", html, flags=re.DOTALL))
    here, there = posixpath.dirname(page), posixpath.dirname(source)

    def address(match):
        attribute, url = match.groups()
        if ":" in url:
            return match[0]
        url = f"{source}.html{url}" if url.startswith("#") else posixpath.join(there, url)
        return f'{attribute}="{posixpath.relpath(url, here)}"'

    return re.sub(r'\b(href|src)="([^"]*)"', address, html)


def write(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    pages = {page: out / f"{page}.html" for page in sorted(app.env.found_docs)}
    texts = {page: path.read_text(encoding="utf-8") for page, path in pages.items() if path.is_file()}
    elements = {page: shown(html) for page, html in texts.items()}
    folder = out / "_static" / "previews"
    for page, html in texts.items():
        found = {}
        for path, anchor in LINK.findall(html):
            source = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
            if anchor in elements.get(source, {}):
                found[f"{path}.html#{anchor}"] = moved(elements[source][anchor], source, page)
        path = folder / f"{page}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        listed = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
        path.write_text(f"const PREVIEWS = {listed};\n", encoding="utf-8")
    placing = [(node_modules() / "@floating-ui" / part).read_text(encoding="utf-8") for part in PARTS]
    (folder / "placing.js").write_text("\n".join(placing), encoding="utf-8")


def setup(app):
    app.add_post_transform(TermLinks)
    app.add_js_file("previews.js", loading_method="defer")
    app.connect("build-finished", write, priority=940)  # when the pages are as they stay
    return {"parallel_read_safe": True, "parallel_write_safe": True}

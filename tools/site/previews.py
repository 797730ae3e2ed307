"""Show previews of link targets: the equations, theorems, terms and sources of other pages that a page refers to.

A term in bold, as where a page introduces it, becomes a link to the glossary.

The page's script finds targets on the page itself. Targets on other pages are in one script for each page, loaded when
a reader first comes to such a link. It is a script and not data, so that it also works from a folder (file://).
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
    """Link terms in bold to the glossary."""

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
    """The element that begins at `start`, with its content."""
    name, depth = TAG.match(html, start)[2], 0
    for tag in TAG.finditer(html, start):
        if tag[2] == name:
            depth += -1 if tag[1] else 1
            if not depth:
                return html[start : tag.end()]
    raise ValueError(f"the element has no end: {html[start : start + 80]}")


def shown(html):
    """The elements of a page that links on other pages show, by id; a term comes with its description."""
    found = {}
    for match in SHOWN.finditer(html):
        found[match[1]] = element(html, match.start())
        if found[match[1]].startswith("<dt"):
            found[match[1]] += element(html, html.index("<dd", match.start()))
    return found


def moved(html, source, page):
    """The element as another page shows it: without ids, and with adjusted addresses."""
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
    app.connect("build-finished", write, priority=940)  # after all other changes of the pages
    return {"parallel_read_safe": True, "parallel_write_safe": True}

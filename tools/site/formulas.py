"""Render formulas as MathML while the site is built."""

import copy
import re
from xml.etree import ElementTree

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from tools.site.mathml import mathml

logger = logging.getLogger(__name__)
TOUCHING = {"before": (-1, r"[^\s–—-]+$"), "after": (1, r"^(?:[^\s–—-]+[–—-]?|[–—-])")}


class KeepTogether(SphinxPostTransform):
    """Attach to a formula what touches it, such as a comma, so that no line ends between the two."""

    default_priority = 900
    formats = ("html",)

    def run(self, **_):
        for formula in list(self.document.findall(nodes.math)):
            siblings, place = formula.parent, formula.parent.index(formula)
            for side, (step, pattern) in TOUCHING.items():
                text = siblings[place + step] if 0 <= place + step < len(siblings) else None
                if isinstance(text, nodes.Text) and (found := re.search(pattern, text)):
                    formula[side] = found.group()
                    siblings[place + step] = nodes.Text(text[: found.start()] + text[found.end() :])


def element(node, display):
    try:
        return copy.deepcopy(mathml(node.astext(), display))
    except ValueError as error:
        logger.warning("%s in the formula %s", error, node.astext(), location=node)
        return ElementTree.Element("math")


def markup(math):
    return ElementTree.tostring(math, encoding="unicode", short_empty_elements=False)


def visit_math(self, node):
    math, after = element(node, display=False), node.get("after", "")
    if math.get("class") and after:  # a line may end after a formula in pieces, so the last piece takes in what follows
        ElementTree.SubElement(math[-1], "mtext").text, after = after, ""
    inside = self.encode(node.get("before", "")) + markup(math) + self.encode(after)
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate") + inside + "</span>")
    raise nodes.SkipNode


def visit_math_block(self, node):
    self.body.append(self.starttag(node, "div", "", CLASS="math notranslate") + markup(element(node, display=True)))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.add_post_transform(KeepTogether)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

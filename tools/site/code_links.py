"""Link names in code to the reference: in each cell the first occurrence of every public name.

Links are added token by token while the page is written, so that neither the code's text nor a copy of it changes.
"""

import ast
import re
from html import escape, unescape

from docutils import nodes

LANGUAGES = ("ipython3", "python", "pycon")
PROMPT = re.compile(r"(>>>|\.\.\.) ?")
TOKEN = re.compile(r"<span[^>]*>[^<]*</span>|<[^>]*>|[^<]+")  # spans of Pygments are not nested


def parsed(block):
    """The syntax tree of a block, with positions as in the block, or None if it is not Python."""
    source = block.astext()
    if block["language"] == "pycon":
        lines = [PROMPT.match(line) and line[4:] for line in source.split("\n")]
        source = "\n".join(line or "" for line in lines)
    try:
        return ast.parse(source)
    except SyntaxError:
        return None


def imported(trees):
    """The full name of each name that is imported from the library."""
    found = {"kernelbook": "kernelbook"}
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "kernelbook":
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def bound(tree):
    """The names that the code binds by anything other than an import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg


def full_name(node, known):
    """The full name of an expression that is a name or an attribute of one; else None."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute) and (base := full_name(node.value, known)):
        return f"{base}.{node.attr}"
    return None


def find_names(tree, known):
    """Pairs of a position (line, first byte, end byte) and the full name there, in the order of the text."""
    own = set(bound(tree))
    known = {name: full for name, full in known.items() if name not in own}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            places = [(alias, f"{node.module}.{alias.name}", len(alias.name)) for alias in node.names]
        elif full := full_name(node, known):
            places = [(node, full, node.end_col_offset - node.col_offset)] * (node.lineno == node.end_lineno)
        else:
            continue
        found += [((at.lineno, at.col_offset, at.col_offset + length), full) for at, full, length in places]
    return sorted(found)


def link_positions(block, tree, known, addresses):
    """The links of a block: a map from the first character of each to its end and its address."""
    lines, found, linked = block.astext().split("\n"), {}, set()
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    indent = 4 if block["language"] == "pycon" else 0
    for (number, *ends), full in find_names(tree, known):
        if full in addresses and full not in linked:
            linked.add(full)
            line = lines[number - 1][indent:].encode()
            first, last = (starts[number - 1] + indent + len(line[:end].decode()) for end in ends)
            found[first] = last, addresses[full]
    return found


def with_links(html, positions):
    """The block's HTML with its links; unchanged if a link would begin or end inside a token."""
    found, at, end = [], 0, None
    for token in TOKEN.findall(html):
        text = unescape(re.sub("<[^>]*>", "", token))
        if at in positions and text:
            end, address = positions.pop(at)
            found.append(f'<a href="{escape(address)}">')
        found.append(token)
        at += len(text)
        if at == end and text:
            found.append("</a>")
            end = None
    return "".join(found) if not positions and end is None else html


def find_links(app, doctree, page):
    """Store in each block of code the links that it gets."""
    if app.builder.format != "html":
        return
    addresses = {
        name: (app.builder.get_relative_uri(page, entry.docname) if entry.docname != page else "") + f"#{entry.node_id}"
        for name, entry in app.env.get_domain("py").objects.items()
    }
    blocks = [block for block in doctree.findall(nodes.literal_block) if block.get("language") in LANGUAGES]
    trees = [(block, tree) for block in blocks if (tree := parsed(block))]
    known = imported(tree for _, tree in trees)
    for block, tree in trees:
        block["links"] = link_positions(block, tree, known, addresses)


def visit_literal_block(self, node):
    try:
        type(self).visit_literal_block(self, node)
    except nodes.SkipNode:
        if node.get("links"):
            start, pre, rest = self.body[-1].partition("<pre>")
            self.body[-1] = start + pre + with_links(rest, dict(node["links"]))
        raise


def depart_literal_block(self, node):
    type(self).depart_literal_block(self, node)


def setup(app):
    app.connect("doctree-resolved", find_links)
    app.add_node(nodes.literal_block, override=True, html=(visit_literal_block, depart_literal_block))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

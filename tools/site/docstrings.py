"""Turn docstrings into parts of a page: signatures, prose, definition lists and examples."""

import inspect
import re
import sys
import textwrap
from doctest import DocTestParser, Example
from symtable import symtable

from docutils import nodes
from numpydoc.docscrape import NumpyDocString

from tools.site.public_names import names_of

LISTED_SECTIONS = ("Parameters", "Returns", "Attributes", "Raises")
DOCSTRING_WIDTH = 120  # characters of a line, including its indentation
GAP, WIDE_GAP = re.compile(" {4,}"), " \u2003"
CODE_WIDTH = 80  # characters of code that a page shows in one line
MARKUP = re.compile(r"`{1,2}([^`]+)`{1,2}|(?<![\w*])\*(\w[^*]*\w\.?)\*(?![\w*])")  # code, or emphasised words
PRIME = re.compile(r"(?<![^\W_])(\w)'")
# Indices and exponents, but not the index of n_samples; they follow a single letter or symbol, not a name.
SCRIPT = r"(?:_(?![^\W\d_]{4})|\^)(?:\{[^}]+\}|\([^()]*\)|−?[^\W_¹²³⁴]+′?)"
SCRIPTS = re.compile(rf"(?:(?<![^\W\d_])[^\W\d_]′?|[Σ∏‖)⟩])((?:{SCRIPT})+)")


def parsed(thing):
    """The sections of a docstring by name; "Examples" holds the input lines with prompts and their output."""
    prose, examples = without_examples(inspect.getdoc(thing))
    return {**NumpyDocString(prose), "Examples": "\n".join([*imports(thing, examples), *examples.splitlines()])}


def without_examples(text):
    """The docstring without its examples, and the examples."""
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
    """The import lines that make an example run by itself, for the names that it takes from its module."""
    if not examples:
        return []
    code = "".join(example.source for example in DocTestParser().get_examples(examples))
    whole = symtable(code, "", "exec")
    bound = {symbol.get_name() for symbol in whole.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    module_names = vars(sys.modules[thing.__module__]) if thing.__module__.startswith("kernelbook") else {}
    modules, names = [], {}
    for name in sorted((free_names(whole) - bound) & module_names.keys()):
        if inspect.ismodule(value := module_names[name]):
            package, _, last = value.__name__.rpartition(".")
            imported = last if last == name else f"{last} as {name}"
            modules.append(f">>> from {package} import {imported}" if package else f">>> import {imported}")
        else:
            names.setdefault(names_of(value)[0].rpartition(".")[0], []).append(name)
    return [*modules, *(f">>> from {module} import {', '.join(found)}" for module, found in sorted(names.items()))]


def free_names(table):
    """The global names that code uses, including its functions."""
    is_whole = table.get_type() == "module"
    here = {one.get_name() for one in table.get_symbols() if one.is_referenced() and (is_whole or one.is_global())}
    return here.union(*map(free_names, table.get_children()))


def inline(text):
    """Inline text with ``code`` as literals, and indices and exponents set as such; wide gaps stay wide."""
    text, found, start = WIDE_GAP.join(" ".join(part.split()) for part in GAP.split(text)), [], 0
    for match in MARKUP.finditer(text):
        found += formula(text[start : match.start()])
        found.append(nodes.literal("", match[1]) if match[1] else nodes.emphasis("", match[2]))
        start = match.end()
    return found + formula(text[start:])


def formula(text):
    """The text with x_j and x^a set as index and exponent."""
    text, found, start = PRIME.sub(r"\1′", text), [], 0
    for match in SCRIPTS.finditer(text):
        found.append(nodes.Text(text[start : match.start(1)]))
        for script in re.findall(SCRIPT, match[1]):
            written = script[2:-1] if script[1] in "{(" else script[1:]
            found.append((nodes.subscript if script[0] == "_" else nodes.superscript)("", written))
        start = match.end()
    return [*found, nodes.Text(text[start:])]


def paragraphs(lines):
    """The paragraphs of a docstring; a paragraph whose lines are all indented keeps its line breaks."""
    found = []
    for block in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        if all(line.startswith(" ") for line in block.split("\n")):
            found.append(nodes.literal_block("", inspect.cleandoc(block), language="none"))
        elif block.strip():
            found.append(nodes.paragraph("", "", *inline(block.replace("::", ":"))))
    return found


def join_first_line(entry):
    """The entry with its description joined to the kind, if the first line was full and continues in the next."""
    name, kind, description = entry
    if description and len(f"    {name} : {kind} {description[0].split(' ')[0]}") >= DOCSTRING_WIDTH:
        return name, " ".join([kind, *description]), []
    return entry


def definitions(entries):
    """A definition list of parameters, attributes or errors: name, kind and description."""
    listed = nodes.definition_list()
    for name, kind, description in map(join_first_line, entries):
        name, kind = (name, kind) if name else (kind, "")  # of an error, whose cause follows in the next lines
        term = names(name) + [nodes.Text(" : ")] * bool(kind) + inline(kind)
        listed += nodes.definition_list_item(
            "", nodes.term("", "", *term), nodes.definition("", *paragraphs(description))
        )
    return listed


def names(text):
    """Names set as code, followed by any further words, such as when an error is raised."""
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
    """The signature as code: in one line if it fits, or else with the arguments in lines of their own."""
    called = inspect.signature(thing)
    bare = [one.replace(annotation=one.empty) for one in called.parameters.values()][bound:]
    arguments = str(called.replace(parameters=bare, return_annotation=called.empty))[1:-1].replace("'", '"')
    name = name or thing.__name__
    text = f"{name}({arguments})"
    if len(text) > CODE_WIDTH:
        lines = textwrap.wrap(f"{arguments},", CODE_WIDTH - 4, break_long_words=False, break_on_hyphens=False)
        text = "\n".join([f"{name}(", *(f"    {line}" for line in lines), ")"])
    return nodes.literal_block(text, text, language="python", classes=["signature"])


def facts(sections, before=(), after=()):
    """A definition list of the docstring's sections, with further entries `before` and `after` them."""
    listed = {name: [definitions(sections[name])] for name in LISTED_SECTIONS if sections[name]}
    found = {**dict(before), **listed, **dict(after)}
    if sections["Examples"]:
        found["Example"] = [example(sections["Examples"])]
    if sections["References"]:
        found["Source"] = paragraphs("\n".join(sections["References"]).replace(".\n", ".\n\n").split("\n"))
    items = [
        nodes.definition_list_item("", nodes.term("", name), nodes.definition("", *parts))
        for name, parts in found.items()
    ]
    return nodes.definition_list("", *items, classes=["kernel-facts", "simple"])  # else the theme rearranges it

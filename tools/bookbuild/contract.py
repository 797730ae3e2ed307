"""The contract that every notebook of the book keeps; tests/notebooks/test_notebooks.py enforces it.

A check takes a notebook and returns a list of violations, each a sentence that names the cell.
"""

import ast
import re

from IPython.core.inputtransformer2 import TransformerManager
from markdown_it import MarkdownIt

from tools.bookbuild.cell_names import conflicts
from tools.bookbuild.markdown import pictures_without_alt, unknown_citations
from tools.bookbuild.notebooks import setup
from tools.bookbuild.typed_numbers import untraced

MAX_PAGE_WORDS, MAX_PAGE_CELLS = 6000, 90  # what a reader manages in one sitting
SELF_CHECK = re.compile(
    r"^::::\{admonition\} (Check yourself|Predict)\n:class: self-check\n(.*?)^::::$", re.DOTALL | re.MULTILINE
)
MAX_CELL_LINES, MAX_LINE_LENGTH = 20, 80  # a page shows 80 characters of a line without scrolling
MIN_ALT_LENGTH, MIN_CAPTION_LENGTH = 40, 10
SEEDED = {"default_rng", "Generator"}
PAGE_BY_PLACE = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|last|previous|earlier|later) page\b|\bpages? before\b", re.IGNORECASE
)
FIGURE = re.compile(r"<(Figure size|IPython\.core\.display\.(Image|SVG)|PIL\.)")
UNSTABLE = {
    "a path of one machine": re.compile(r"file://|site-packages|\b[A-Z]:\\|(?<![\w./:<])/(?:[\w.+-]+/)+"),
    "a memory address": re.compile(r"\b0x[0-9a-fA-F]{6,}"),
    "a time of day": re.compile(r"\b\d{1,2}:\d{2}:\d{2}\b|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}|\b\d{1,2}:\d{2} ?[AP]M\b"),
}


def labelled(cells):
    """Pairs of a cell and its label: its number, counted from 1, and its first line."""
    for number, cell in enumerate(cells, 1):
        yield cell, f"cell {number} ({(cell.source.strip().splitlines() or [''])[0][:50]!r})"


def code_cells(notebook):
    return [(cell, name) for cell, name in labelled(notebook.cells) if cell.cell_type == "code"]


def outputs(notebook):
    return [(output, name) for cell, name in code_cells(notebook) for output in cell.outputs]


def markdown(notebook):
    return [(cell.source, name) for cell, name in labelled(notebook.cells) if cell.cell_type == "markdown"]


def parse(source):
    """The syntax tree of a cell, IPython's line magics included."""
    return ast.parse(TransformerManager().transform_cell(source))


def is_python(notebook):
    violations = []
    for cell, name in code_cells(notebook):
        if cell.source.startswith("%%"):
            violations.append(f"{name} is a cell magic, whose code no check can read; write plain Python")
        try:
            parse(cell.source)
        except SyntaxError as error:
            violations.append(f"{name} is not Python: {error.msg}")
    return violations


def trees(notebook):
    return [(parse(cell.source), name) for cell, name in code_cells(notebook)]


def calls(tree, function):
    """The calls of `function`, written alone or as an attribute."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in found if getattr(call.func, "id", getattr(call.func, "attr", None)) == function]


def is_given(argument):
    """Whether an argument is more than a literal None or an empty text."""
    return not (isinstance(argument, ast.Constant) and argument.value in (None, ""))


def opens_with_title_and_aim(notebook):
    first = notebook.cells[0]
    if first.cell_type != "markdown":
        return ["cell 1 is not the title: a notebook opens with a markdown cell"]
    tokens = MarkdownIt().parse(first.source)
    has_list = any(token.type in ("bullet_list_open", "ordered_list_open") for token in tokens)
    violations = [] if any(token.tag == "h1" for token in tokens) else ["cell 1 has no title ('# …')"]
    if not has_list and "able to" not in first.source.lower():
        violations.append("cell 1 does not say what the reader will be able to do")
    return violations


def says_what_it_needs(notebook):
    says = re.match(r"# [^\n]+\n\n(.*\n\n)?\*\*You need\*\* \S", notebook.cells[0].source, re.DOTALL)
    return [] if says else ["cell 1 does not say, after the title, what the reader must know ('**You need** …')"]


def opens_with_a_figure(notebook):
    """One cell has the tag "opening": the page shows its figure or explorer under the title. Exercises have none."""
    if any("nbgrader" in cell.metadata for cell in notebook.cells):
        return []
    opening = [(cell, name) for cell, name in code_cells(notebook) if "opening" in cell.metadata.get("tags", [])]
    if len(opening) != 1:
        return [f"{len(opening)} cells have the tag 'opening'; one must, whose figure is shown under the title"]
    ((cell, name),) = opening
    caption = cell.metadata.get("mystnb", {}).get("figure", {}).get("caption")
    shown = caption or re.search(r"\b(explore|drag)\(", cell.source)
    return [] if shown else [f"{name} has the tag 'opening' and shows neither an explorer nor a figure with a caption"]


def installs_the_library(notebook):
    first = next((cell.source for cell, _ in code_cells(notebook)), "")
    missing = "the first code cell does not begin with the lines of setup() in tools/bookbuild/notebooks.py"
    return [] if first.startswith(setup()) else [missing]


def names_other_pages(notebook):
    return [
        f"{name} says '{found[0]}'; name the page, with a link"
        for source, name in markdown(notebook)
        if (found := PAGE_BY_PLACE.search(source))
    ]


def has_one_title(notebook):
    headings = [(token, name) for source, name in markdown(notebook) for token in MarkdownIt().parse(source)]
    titles = [name for token, name in headings if (token.type, token.tag) == ("heading_open", "h1")]
    return [f"{name} has another '# …' title; sections start with '##'" for name in titles[1:]]


def draws_without_seed(node):
    match node:
        case ast.Import(names=names):
            return any(alias.name in ("random", "numpy.random") for alias in names)
        case ast.ImportFrom(module="numpy", names=names):
            return any(alias.name == "random" for alias in names)
        case ast.ImportFrom(module="numpy.random", names=names):
            return any(alias.name not in SEEDED for alias in names)
        case ast.ImportFrom(module=module):
            return module == "random"
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="random"), attr=attribute):
            return attribute not in SEEDED
        case ast.Call(func=ast.Name(id="default_rng") | ast.Attribute(attr="default_rng")):
            return not any(is_given(seed) for seed in [*node.args, *(keyword.value for keyword in node.keywords)])
    return False


def seeds_every_draw(notebook):
    return [
        f"{name} draws random numbers otherwise than by np.random.default_rng(seed)"
        for tree, name in trees(notebook)
        if any(draws_without_seed(node) for node in ast.walk(tree))
    ]


def means_one_thing_by_a_name(notebook):
    return conflicts(trees(notebook))


def stores(output, prefix):
    return any(mime.startswith(prefix) for mime in output.get("data", {}))


def stores_no_image(notebook):
    stored = [
        name
        for output, name in outputs(notebook)
        if stores(output, "image/") or "data:image" in str(output.get("data", ""))
    ]
    embedded = [
        name for cell, name in labelled(notebook.cells) if cell.get("attachments") or "data:image" in cell.source
    ]
    return [f"{name} stores an image; run `make notebooks`" for name in stored] + [
        f"{name} embeds an image; put a file under book/ and refer to it" for name in embedded
    ]


def stores_no_widget(notebook):
    violations = [
        f"{name} stores a widget's view; run `make notebooks`"
        for output, name in outputs(notebook)
        if stores(output, "application/vnd.jupyter.widget")
    ]
    state = ["the notebook stores widget state; run `make notebooks`"] if "widgets" in notebook.metadata else []
    return violations + state


def stores_no_error(notebook):
    return [
        f"{name} stores the error {output.ename}" for output, name in outputs(notebook) if output.output_type == "error"
    ]


def stores_nothing_of_one_machine(notebook):
    violations = []
    for output, name in outputs(notebook):
        text = "\n".join([output.get("text", ""), *map(str, output.get("data", {}).values())])
        violations += [f"{name} stores {kind}" for kind, pattern in UNSTABLE.items() if pattern.search(text)]
    return violations


def is_executed_in_order(notebook):
    return [
        f"{name} has execution count {cell.execution_count}, not {count}; run `make notebooks`"
        for count, (cell, name) in enumerate(filter(lambda pair: pair[0].source.strip(), code_cells(notebook)), 1)
        if cell.execution_count != count
    ]


def names_its_kernel(notebook):
    name = notebook.metadata.get("kernelspec", {}).get("name")
    return [] if name == "python3" else [f"the notebook's kernel is {name}, not python3; run `make notebooks`"]


def skips_nothing(notebook):
    cells = code_cells(notebook)
    tagged = [name for cell, name in cells if {"nbval-skip", "skip-execution"} & set(cell.metadata.get("tags", []))]
    marked = [name for cell, name in cells if re.search(r"#\s*(NBVAL|PYTEST_VALIDATE)_", cell.source)]
    return [f"{name} is skipped by its tag; every cell runs and is compared" for name in tagged] + [
        f"{name} steers nbval by a comment; use the tag nbval-ignore-output" for name in marked
    ]


def fits_one_sitting(notebook):
    words, cells = sum(len(source.split()) for source, _ in markdown(notebook)), len(notebook.cells)
    long = [f"the page has {words} words, more than {MAX_PAGE_WORDS}"] if words > MAX_PAGE_WORDS else []
    return long + ([f"the page has {cells} cells, more than {MAX_PAGE_CELLS}"] if cells > MAX_PAGE_CELLS else [])


def checks_its_reader(notebook):
    """Each self-check has numbered answers, of which one is right, and a fold that speaks of every one of them."""
    violations, predictions = [], 0
    for source, name in markdown(notebook):
        if source.count(":class: self-check") != len(found := SELF_CHECK.findall(source)):
            violations.append(f"{name}: a self-check is '::::{{admonition}} Check yourself' or 'Predict'")
        for title, text in found:
            predictions += title == "Predict"
            asked, _, shown = text.partition(":::{dropdown} What each answer shows\n")
            answers = re.findall(r"^(\d)\. ", asked, re.MULTILINE)
            discussed = [digit for bold in re.findall(r"\*\*([^*]+)\*\*", shown) for digit in re.findall(r"\d", bold)]
            if len(answers) < 2 or not set(answers) <= set(discussed):
                violations.append(f"{name}: a self-check's fold must speak of each of its {len(answers)} answers")
            if len(re.findall(r"\*\*\d is right\.\*\*", shown)) != 1:
                violations.append(f"{name}: a self-check's fold must say which answer is right: '**2 is right.**'")
    number = sum(len(SELF_CHECK.findall(source)) for source, _ in markdown(notebook))
    if number and not violations and not (3 <= number <= 5 and predictions):
        violations.append(
            f"the page has {number} self-checks, {predictions} of them predictions; 3 to 5, and 1 at least"
        )
    return violations


def keeps_cells_short(notebook):
    violations = []
    for cell, name in code_cells(notebook):
        lines = [line for line in cell.source.splitlines() if line.strip()]
        if len(lines) > MAX_CELL_LINES:
            violations.append(f"{name} has {len(lines)} lines, more than {MAX_CELL_LINES}")
        printed = [line for output in cell.outputs for line in output.get("text", "").splitlines()]
        violations += [
            f"{name}: longer than {MAX_LINE_LENGTH}: {x!r}" for x in lines + printed if len(x) > MAX_LINE_LENGTH
        ]
    return violations


def figures(cell):
    """The number of figures that the cell showed; the text of each is still stored, although its image is not."""
    return sum(bool(FIGURE.match(output.get("data", {}).get("text/plain", ""))) for output in cell.outputs)


def figure_cells(notebook):
    """Cells that showed a figure or, if outputs are not stored, call `plt.show`."""
    return [(cell, name) for cell, name in code_cells(notebook) if figures(cell) or calls(parse(cell.source), "show")]


def shows_one_figure_a_cell(notebook):
    return [
        f"{name} shows a figure and something more; the caption would stand under each"
        for cell, name in figure_cells(notebook)
        if sum("data" in output for output in cell.outputs) > 1 or len(calls(parse(cell.source), "show")) > 1
    ]


def only_draws(cell):
    """Whether every statement calls Matplotlib or `kernelbook.plotting`."""
    called = [getattr(statement, "value", None) for statement in parse(cell.source).body]
    drawing = re.compile(r"(plt|plotting|figure|ax|axes)\b")
    return all(isinstance(call, ast.Call) and drawing.match(ast.unparse(call.func)) for call in called)


def folds_what_only_draws(notebook):
    return [
        f"{name} does nothing but draw; fold it with the tag hide-input"
        for cell, name in figure_cells(notebook)
        if only_draws(cell) and not {"hide-input", "remove-input"} & set(cell.metadata.get("tags", []))
    ]


def describe_figure(cell):
    """The alt text and the caption of a cell's figure, from the metadata that myst-nb reads."""
    options = cell.metadata.get("mystnb", {})
    return options.get("image", {}).get("alt", "").strip(), options.get("figure", {}).get("caption", "").strip()


def describes_figures(notebook):
    violations = []
    for cell, name in figure_cells(notebook):
        alt, caption = describe_figure(cell)
        if len(alt) < MIN_ALT_LENGTH or " " not in alt:
            violations.append(f"{name} shows a figure whose alt text (mystnb.image.alt) does not say what it shows")
        if len(caption) < MIN_CAPTION_LENGTH:
            violations.append(f"{name} shows a figure without a caption (mystnb.figure.caption)")
        if alt and alt == caption:
            violations.append(f"{name} repeats its caption as alt text")
    return violations


def describes_explorers(notebook):
    texts = ("alt", "caption", "name", "ask")
    return [
        f"{name} calls {function} without {argument}="
        for tree, name in trees(notebook)
        for function, arguments in {"explore": ("describe", *texts), "drag": texts}.items()
        for call in calls(tree, function)
        for argument in arguments
        if not any(keyword.arg == argument and is_given(keyword.value) for keyword in call.keywords)
    ]


def describes_pictures(notebook):
    return [
        f"{name}: no alt text for {found!r}"
        for source, name in markdown(notebook)
        for found in pictures_without_alt(source)
    ]


def cites_known_sources(notebook):
    texts = markdown(notebook) + [(describe_figure(cell)[1], name) for cell, name in code_cells(notebook)]
    return [f"{name} cites {key}, unknown to references.bib" for text, name in texts for key in unknown_citations(text)]


def types_only_numbers_that_cells_give(notebook):
    names = {id(cell): name for cell, name in labelled(notebook.cells)}
    return [f"{names[id(cell)]} says {typed}, which no cell gives" for cell, typed in untraced(notebook)]


CONTRACT = [
    is_python,
    opens_with_title_and_aim,
    says_what_it_needs,
    opens_with_a_figure,
    names_other_pages,
    installs_the_library,
    has_one_title,
    seeds_every_draw,
    means_one_thing_by_a_name,
    stores_no_image,
    stores_no_widget,
    stores_no_error,
    stores_nothing_of_one_machine,
    is_executed_in_order,
    names_its_kernel,
    skips_nothing,
    fits_one_sitting,
    checks_its_reader,
    keeps_cells_short,
    shows_one_figure_a_cell,
    folds_what_only_draws,
    describes_figures,
    describes_explorers,
    describes_pictures,
    cites_known_sources,
    types_only_numbers_that_cells_give,
]

"""Chapters: the number that their figures, equations and theorems carry, and how long a page takes."""

import re

from docutils import nodes
from folds import PART
from sphinx.environment.collectors.toctree import TocTreeCollector
from sphinx.transforms import SphinxTransform

PREFIX = re.compile(r"book/(\d\d)-")

# How long a reader takes, in minutes; an answer is an exercise's, with pen and paper.
WORD, LINE_OF_CODE, FORMULA, DISPLAY, FIGURE, ANSWER = 1 / 180, 1 / 12, 1 / 20, 1 / 2, 1 / 3, 10


def chapters(env):
    """The chapter of each page: the prefix of its file, which all pages under it in the table of contents share."""
    found = {}

    def walk(page, number):
        prefix = PREFIX.match(page)
        if number is None and prefix:
            number = int(prefix[1])
        if number is not None:
            found[page] = number
        for below in env.toctree_includes.get(page, []):
            walk(below, number)

    walk(env.config.root_doc, None)
    return found


def number(app, env):
    """Number figures, equations and theorems by chapter, not by place, and the title of a chapter's first page."""
    numbers = chapters(env)
    env.toc_secnumbers = {page: {"": (chapter,)} for page, chapter in numbers.items()}
    changed = TocTreeCollector().assign_figure_numbers(env)
    for page, chapter in numbers.items():
        first, *others = env.tocs[page].findall(nodes.reference)
        shown = (chapter,) if PREFIX.match(page) and page not in below_a_chapter(env, numbers) else None
        env.toc_secnumbers[page] = {"": shown, **{heading["anchorname"]: None for heading in others}}
        if shown:
            first["secnumber"] = shown
            number_title(env, page, chapter)
    for page in env.toc_fignumbers.keys() - numbers:
        for found in env.toc_fignumbers[page].values():  # a page by itself counts from 1
            found.update({identity: (place,) for place, identity in enumerate(sorted(found, key=found.get), 1)})
    return changed


def number_title(env, page, chapter):
    """Let the window's title, the links to the page before and after, and the search say the number too."""
    for titles in (env.titles, env.longtitles):
        if not titles[page].astext().startswith(f"{chapter}. "):
            titles[page].insert(0, nodes.Text(f"{chapter}. "))


def below_a_chapter(env, numbers):
    return {below for page in numbers for below in env.toctree_includes.get(page, [])}


def minutes(document):
    """How long it takes to read the page, and to answer what it asks, in steps of five minutes."""
    count = dict.fromkeys((WORD, LINE_OF_CODE, FORMULA, DISPLAY, FIGURE, ANSWER), 0)
    for node in document.findall():
        if isinstance(node, nodes.literal_block):
            if is_shown(node):
                count[LINE_OF_CODE] += len(node.astext().splitlines())
                count[ANSWER] += "YOUR CODE HERE" in node.astext()
        elif isinstance(node, nodes.Text) and not isinstance(
            node.parent, nodes.literal_block | nodes.math | nodes.math_block | nodes.raw
        ):
            count[WORD] += len(node.astext().split())
        for kind, price in ((nodes.math, FORMULA), (nodes.math_block, DISPLAY), (nodes.figure, FIGURE)):
            count[price] += isinstance(node, kind)
    return max(5, 5 * round(sum(price * number for price, number in count.items()) / 5))


def is_shown(block):
    """Whether it is code that no fold hides; outputs are read with the text around them."""
    cell = block.parent
    while cell is not None and cell.get("nb_element") != "cell_code":
        if cell.get("nb_element") == "cell_code_output":
            return False
        cell = cell.parent
    return cell is None or not (cell.get("hide_mode") or PART in cell["classes"])


class Duration(SphinxTransform):
    """Say how long the page takes, behind what the reader must know."""

    default_priority = 300  # figures are there

    def apply(self, **_):
        for paragraph in self.document.findall(nodes.paragraph):
            if paragraph.astext().startswith("You need"):
                paragraph["classes"].append("you-need")
                paragraph += nodes.Text(f" This page takes about {in_words(minutes(self.document))}.")
                return


def in_words(duration):
    hours, rest = divmod(duration, 60)
    parts = [f"{hours} hour{'s' * (hours > 1)}"] * (hours > 0) + [f"{rest} minutes"] * (rest > 0)
    return " and ".join(parts)


def setup(app):
    app.connect("env-get-updated", number, priority=900)  # the theme's contents have been collected by then
    app.add_transform(Duration)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Number figures, equations and theorems by chapter, and estimate how long a page takes to read."""

import posixpath
import re

from docutils import nodes
from sphinx.environment.collectors.toctree import TocTreeCollector
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

from tools.site.folds import PART_TAG

PREFIX = re.compile(r"book/(\d\d)-")

# Minutes that a reader takes for each.
WORD, LINE_OF_CODE, FORMULA, DISPLAY, FIGURE = 1 / 180, 1 / 12, 1 / 20, 1 / 2, 1 / 3


def chapters(env):
    """For each page its chapter, numbered as in the file name of the chapter's first page, and whether it is that."""
    found = {}

    def walk(page, chapter):
        prefix = PREFIX.match(page)
        first = chapter is None and prefix is not None
        chapter = int(prefix[1]) if first else chapter
        if chapter is not None:
            found[page] = chapter, first
        for below in env.toctree_includes.get(page, []):
            walk(below, chapter)

    walk(env.config.root_doc, None)
    return found


def assign_numbers(app, env):
    """Number figures, equations and theorems by chapter, and the title of each chapter's first page."""
    pages = chapters(env)
    env.toc_secnumbers = {page: {"": (chapter,)} for page, (chapter, _) in pages.items()}
    changed = TocTreeCollector().assign_figure_numbers(env)
    for page, (chapter, is_first) in pages.items():
        title, *headings = env.tocs[page].findall(nodes.reference)
        shown = (chapter,) if is_first else None
        env.toc_secnumbers[page] = {"": shown, **{heading["anchorname"]: None for heading in headings}}
        if is_first:
            title["secnumber"] = shown
            number_title(env, page, chapter)
    for page in env.toc_fignumbers.keys() - pages:
        for found in env.toc_fignumbers[page].values():  # a page outside the chapters counts from 1
            found.update({identity: (place,) for place, identity in enumerate(sorted(found, key=found.get), 1)})
    return changed


def number_title(env, page, chapter):
    """Put the number into the window title, the links to the page before and after, and the search."""
    for titles in (env.titles, env.longtitles):
        if not titles[page].astext().startswith(f"{chapter}. "):
            titles[page].insert(0, nodes.Text(f"{chapter}. "))


def minutes(document):
    """The minutes that it takes to read the page, in steps of five."""
    durations = {nodes.math: FORMULA, nodes.math_block: DISPLAY, nodes.figure: FIGURE}
    total = 0
    for node in document.findall():
        total += durations.get(type(node), 0)
        if isinstance(node, nodes.literal_block) and is_shown(node):
            code = node.astext()
            total += LINE_OF_CODE * len(code.splitlines())
        if isinstance(node, nodes.Text) and not isinstance(node.parent, (nodes.literal_block, nodes.raw, *durations)):
            total += WORD * len(node.astext().split())
    return max(5, 5 * round(total / 5))


def is_shown(block):
    """Whether a block is code that no fold hides; outputs count as part of the text."""
    cell = block.parent
    while cell is not None and cell.get("nb_element") != "cell_code":
        if cell.get("nb_element") == "cell_code_output":
            return False
        cell = cell.parent
    return cell is None or not (cell.get("hide_mode") or PART_TAG in cell["classes"])


class Duration(SphinxTransform):
    """Say how long the page takes to read, after what the reader must know.

    Exercises state their own time, and reference pages state none.
    """

    default_priority = 300  # after figures have been created

    def apply(self, **_):
        for paragraph in self.document.findall(nodes.paragraph):
            if paragraph.astext().startswith("You need"):
                paragraph["classes"].append("you-need")
                read = "for looking things up" not in paragraph.astext()
                if read and self.env.docname != self.config.root_doc and "/exercises/" not in self.env.docname:
                    paragraph += nodes.Text(f" This page takes about {in_words(minutes(self.document))}.")
                return


class Cards(SphinxPostTransform):
    """Turn a list of chapters, of class "chapter-cards", into cards with picture, prerequisites and minutes."""

    default_priority = 50  # after links are resolved and before images are collected
    formats = ("html",)

    def run(self, **_):
        for cards in self.document.findall(is_list_of_chapters):
            for card in cards:
                page = next(card.findall(nodes.reference))["refuri"]
                self.complete(card, posixpath.normpath(posixpath.join(posixpath.dirname(self.env.docname), page)))

    def complete(self, card, address):
        chapter = self.env.get_doctree(address.removesuffix(".html"))
        for paragraph in chapter.findall(nodes.paragraph):
            if "you-need" in paragraph["classes"]:
                card += nodes.paragraph("", paragraph.astext(), classes=["you-need"])
        for explorer in chapter.findall(nodes.figure):
            if "explorer" in explorer["classes"]:
                root = "../" * self.env.docname.count("/")
                picture = f'<img class="chapter-picture" src="{root}_images/{explorer["ids"][0]}.svg" alt="">'
                card.insert(0, nodes.raw("", picture, format="html"))
                return


def is_list_of_chapters(node):
    return isinstance(node, nodes.bullet_list) and "chapter-cards" in node["classes"]


def in_words(duration):
    hours, rest = divmod(duration, 60)
    parts = [f"{hours} hour{'s' * (hours > 1)}"] * (hours > 0) + [f"{rest} minutes"] * (rest > 0)
    return " and ".join(parts)


def setup(app):
    app.connect("env-get-updated", assign_numbers, priority=900)  # the theme's contents have been collected by then
    app.add_transform(Duration)
    app.add_post_transform(Cards)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Number pages, and figures, equations and theorems by chapter; estimate how long a page takes to read."""

import posixpath
import re

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.environment.collectors.toctree import TocTreeCollector
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

from tools.site.covers import cover
from tools.site.folds import PART_TAG

PREFIX = re.compile(r"book/(\d\d)-")
NUMBER = re.compile(r"[\d.]+ ")

# Minutes that a reader takes for each.
WORD, LINE_OF_CODE, FORMULA, DISPLAY, FIGURE = 1 / 180, 1 / 12, 1 / 20, 1 / 2, 1 / 3


def page_numbers(env):
    """The numbers of the chapters' pages: (2,) for the first page of chapter 2, then (2, 1), (2, 2) and so on.

    The chapter is that of the first page's file name; the rest is the order of the contents.
    """
    found = {}
    for first in env.toctree_includes[env.config.root_doc]:
        if prefix := PREFIX.match(first):
            chapter = int(prefix[1])
            further = env.toctree_includes.get(first, [])
            found |= {first: (chapter,), **{page: (chapter, place) for place, page in enumerate(further, 1)}}
    return found


def written(number):
    return ".".join(map(str, number))


def assign_numbers(app, env):
    """Number pages, and by chapter their figures, equations and theorems."""
    numbers = page_numbers(env)
    env.toc_secnumbers = {page: {"": number[:1]} for page, number in numbers.items()}
    changed = TocTreeCollector().assign_figure_numbers(env)
    for page, number in numbers.items():
        title, *headings = env.tocs[page].findall(nodes.reference)
        env.toc_secnumbers[page] = {"": number, **{heading["anchorname"]: None for heading in headings}}
        title["secnumber"] = number
        number_title(env, page, number)
    for page in env.toc_fignumbers.keys() - numbers:
        for found in env.toc_fignumbers[page].values():  # a page outside the chapters counts from 1
            found.update({identity: (place,) for place, identity in enumerate(sorted(found, key=found.get), 1)})
    return changed


def number_title(env, page, number):
    """Put the number into the window title and the links to the page before and after."""
    for title in (env.titles[page], env.longtitles[page]):
        if NUMBER.fullmatch(title[0].astext()):  # from an earlier build, when the page may have had another
            del title[0]
        title.insert(0, nodes.Text(f"{written(number)} "))


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
    """Say how long the page takes to read, after what the reader must know; keep it for the map, with the links.

    Exercises state their own time, and reference pages state none.
    """

    default_priority = 300  # after figures have been created

    def apply(self, **_):
        for paragraph in self.document.findall(nodes.paragraph):
            if paragraph.astext().startswith("You need"):
                paragraph["classes"].append("you-need")
                read = "for looking things up" not in paragraph.astext()
                facts = self.env.metadata[self.env.docname]
                facts["needs"] = pages_needed(paragraph)
                if read and self.env.docname != self.config.root_doc and "/exercises/" not in self.env.docname:
                    facts["minutes"] = minutes(self.document)
                    paragraph += nodes.Text(f" This page takes about {in_words(facts['minutes'])}.")
                return


def pages_needed(paragraph):
    """The pages to which the first sentence links; what only helps stands in a later one."""
    found = []
    for node in paragraph.findall(lambda node: isinstance(node, nodes.Text | pending_xref)):
        if isinstance(node, pending_xref) and node.get("refdomain") == "doc":
            found.append(node["reftarget"])
        elif isinstance(node, nodes.Text) and re.search(r"\.(\s|$)", node):
            break
    return list(dict.fromkeys(found))


class Cards(SphinxPostTransform):
    """Turn a list of chapters, of class "chapter-cards", into cards with a cover, prerequisites and minutes."""

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
        chapter_number = int(PREFIX.match(address)[1])
        card.insert(0, nodes.raw("", cover(chapter_number), format="html"))


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
    # What pages need is kept in Sphinx's environment; one of an earlier version is not used.
    return {"env_version": 2, "parallel_read_safe": True, "parallel_write_safe": True}

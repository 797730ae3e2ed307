"""Draw the map of the book: its pages, and which of them needs which, as their paragraphs "You need" say.

On a wide window it is a picture, each chapter a column, and whatever a page needs stands higher than the page. On a
narrow one it is a list. Routes through the book, lists of class "route", get the minutes of their pages.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from html import escape
from textwrap import wrap

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from tools.site.chapters import in_words, page_numbers, written
from tools.site.places import is_read, place_of, target_of, title_of

WIDTH, HEIGHT = 108, 62  # of a page in the picture, in pixels
ACROSS, DOWN = 22, 28  # between two columns, and between two rows
MARGIN, LINE, LETTERS = 22, 14, 16  # a line's height, and its letters
LANE = 2.4  # between two arrows side by side; each column has a lane for its arrows
BESIDE = 0  # the column under whose pages those outside the chapters stand


@dataclass
class Page:
    name: str
    address: str
    title: str
    place: str | None  # chapter 2, page 2.1
    number: tuple
    needs: list
    column: int = BESIDE
    row: int = 0

    @property
    def label(self):
        return f"{written(self.number)} {self.title}".strip()

    @property
    def left(self):
        return MARGIN + self.column * (WIDTH + ACROSS)

    @property
    def top(self):
        return MARGIN + self.row * (HEIGHT + DOWN)


def pages_of(env, address_of):
    """The pages of the map, by name, in the order of the contents."""
    numbers = page_numbers(env)
    order = [page for first in env.toctree_includes[env.config.root_doc] for page in with_pages_below(env, first)]
    shown = [page for page in order if is_read(env, page, numbers)]
    return {
        page: Page(
            page,
            address_of(page),
            title_of(env, page, numbers),
            place_of(page, numbers),
            numbers.get(page, ()),
            [other for other in env.metadata[page].get("needs", []) if other in shown],
        )
        for page in shown
    }


def with_pages_below(env, page):
    return [page, *env.toctree_includes.get(page, [])]


class Layout:
    """Columns and rows of the pages, and the arrows that are drawn between them."""

    def __init__(self, pages):
        self.pages = pages
        chapters = sorted({page.number[0] for page in pages.values() if page.number})
        lowest = {}
        outside = [page for page in pages.values() if not page.number]
        needed = {other for page in pages.values() for other in page.needs}
        for page in [*filter(lambda page: page.name in needed, outside), *in_chapters(pages)]:
            page.column = chapters.index(page.number[0]) if page.number else BESIDE
            above = [pages[other].row for other in page.needs]
            page.row = lowest[page.column] = max([lowest.get(page.column, -1), *above]) + 1
        for page in outside:
            if page.name not in needed:
                page.row = lowest[BESIDE] = lowest[BESIDE] + 1
        self.width = 2 * MARGIN + len(chapters) * (WIDTH + ACROSS) - ACROSS
        self.height = 2 * MARGIN + (max(lowest.values()) + 1) * (HEIGHT + DOWN) - DOWN

    @cached_property
    def arrows(self):
        """Pairs of pages: what is needed, and by which. What follows from other arrows is left out."""
        found = {(other, name) for name, page in self.pages.items() for other in page.needs}
        return sorted(
            (other, name)
            for other, name in found
            if not any(self.reaches(between, other) for between in self.pages[name].needs if between != other)
        )

    def reaches(self, name, other):
        """Whether a page needs another, perhaps because it needs a third."""
        needs = self.pages[name].needs
        return other in needs or any(self.reaches(between, other) for between in needs)


def in_chapters(pages):
    """The pages of the chapters, each after those that it needs and after those before it in its chapter."""
    waiting, done = [page for page in pages.values() if page.number], []
    while waiting:
        open_pages = {page.name for page in waiting}
        first = {page.number[0]: page for page in reversed(waiting)}
        ready = [page for page in first.values() if open_pages.isdisjoint(page.needs)]
        if not ready:
            raise ValueError(f"These pages need each other: {', '.join(sorted(open_pages))}.")
        done += ready
        waiting = [page for page in waiting if page not in ready]
    return done


def picture(layout):
    arrows = "".join(arrow(layout.pages[other], layout.pages[name]) for other, name in layout.arrows)
    boxes = "".join(map(box, layout.pages.values()))
    return (
        f'<svg class="map-picture" viewBox="0 0 {layout.width} {layout.height}" role="group" '
        f'aria-label="Map of the pages">{arrows}{boxes}</svg>'
    )


def arrow(source, target):
    """An arrow from a page to one that needs it, between the rows and the columns, so that it crosses no page."""
    x, y, over = source.left + WIDTH / 2, source.top + HEIGHT, target.left + WIDTH / 2
    lane, aside = y + 5 + LANE * source.column, target.left - ACROSS + 3 + LANE * source.column
    middle = target.top + HEIGHT / 2
    if target.row == source.row + 1:
        path, head = f"M{x:g} {y}V{lane:g}H{over:g}V{target.top - 5}", f"M{over:g} {target.top}l-3.5 -6h7z"
    else:
        start = (
            f"M{x:g} {y}V{lane:g}" if source.column != target.column else f"M{source.left} {source.top + HEIGHT / 2:g}"
        )
        path, head = f"{start}H{aside:g}V{middle:g}H{target.left - 5}", f"M{target.left} {middle:g}l-6 -3.5v7z"
    ends = f'data-from="{source.name}" data-to="{target.name}"'
    return f'<g class="map-arrow" {ends}><path d="{path}"/><path class="map-head" d="{head}"/></g>'


def box(page):
    words = f"{written(page.number)} {re.split(', and|:', page.title)[0]}".strip()
    lines = wrap(words, LETTERS)
    first = page.top + (HEIGHT - LINE * (len(lines) - 1)) / 2 + 4
    text = "".join(
        f'<tspan x="{page.left + 7}" y="{first + LINE * place:g}">{escape(line)}</tspan>'
        for place, line in enumerate(lines)
    )
    kind = " map-chapter" if len(page.number) == 1 else "" if page.number else " map-beside"
    return (
        f'<a class="map-page{kind}" href="{page.address}" data-page="{page.name}" aria-label="{escape(page.label)}">'
        f'<rect x="{page.left}" y="{page.top}" width="{WIDTH}" height="{HEIGHT}" rx="5"/><text>{text}</text>'
        f'<text class="map-tick" x="{page.left + WIDTH - 13}" y="{page.top + 14}">✓</text></a>'
    )


def outline(layout):
    """The map as a list: chapter by chapter, each page with those from which an arrow leads to it."""
    items, pages = [], layout.pages
    for page in pages.values():
        needs = [pages[other] for other in page.needs if (other, page.name) in layout.arrows]
        links = [f'<a href="{other.address}">{other.place or "basics"}</a>' for other in needs]
        needs = f"<small>needs {', '.join(links)}</small>" if links else ""
        kind = "" if len(page.number) == 2 else ' class="map-chapter"'
        items.append(f'<li{kind}><a href="{page.address}">{escape(page.label)}</a>{needs}</li>')
    return f'<ul class="map-list">{"".join(items)}</ul>'


class MapDirective(SphinxDirective):
    """The place of the map; it is drawn when all pages are known."""

    def run(self):
        return [nodes.container(classes=["page-map"])]


class Maps(SphinxPostTransform):
    """Draw the map, and add minutes to the pages of each route and their sum after it."""

    default_priority = 50  # after links are resolved
    formats = ("html",)

    def run(self, **_):
        for place in [node for node in self.document.findall(nodes.container) if "page-map" in node["classes"]]:
            pages = pages_of(self.env, lambda page: self.app.builder.get_relative_uri(self.env.docname, page))
            layout = Layout(pages)
            drawn = picture(layout) + outline(layout)
            note = '<p class="map-read" hidden><span></span> <button type="button">Forget it</button></p>'
            html = f'<nav class="page-map" aria-label="Map of the pages">{drawn}{note}</nav>'
            place.replace_self(nodes.raw("", html, format="html"))
        for route in self.document.findall(nodes.bullet_list):
            if "route" in route["classes"]:
                self.add_minutes(route)

    def add_minutes(self, route):
        numbers, total = page_numbers(self.env), 0
        for reference in list(route.findall(nodes.reference)):
            page = target_of(reference, self.env.docname)
            duration = self.env.metadata[page]["minutes"]
            reference.insert(0, nodes.Text(f"{written(numbers.get(page, ()))} ".lstrip()))
            after = reference.parent.index(reference) + 1
            reference.parent.insert(after, nodes.Text(f", {in_words(duration)}"))
            total += duration
        at = route.parent.index(route) + 1
        route.parent.insert(at, nodes.paragraph("", f"Together {in_words(total)}.", classes=["route-sum"]))


def setup(app):
    app.add_directive("page-map", MapDirective)
    app.add_post_transform(Maps)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

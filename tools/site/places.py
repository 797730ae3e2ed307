"""Say where a page stands: the path above its title, and the numbers of the pages that it needs."""

import posixpath
from html import escape

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from tools.site.chapters import page_numbers, written


def title_of(env, page, numbers):
    """The title of a page without its number."""
    return env.titles[page].astext().removeprefix(f"{written(numbers.get(page, ()))} ")


def place_of(page, numbers):
    """What a page is called in a sentence: chapter 2, page 2.1; nothing outside the chapters."""
    number = numbers.get(page)
    return number and f"{'chapter' if len(number) == 1 else 'page'} {written(number)}"


def target_of(reference, here):
    """The page that a resolved reference leads to."""
    address = reference.get("refuri", "").partition("#")[0]
    return posixpath.normpath(posixpath.join(posixpath.dirname(here), address)).removesuffix(".html")


def pages_above(env, page):
    """The pages under which a page stands in the contents, the outermost first."""
    above = {below: parent for parent, pages in env.toctree_includes.items() for below in pages}
    found = []
    while page := above.get(page):
        found.insert(0, page)
    return found


def is_read(env, page, numbers):
    """Whether a page is one that readers read to its end, and not one for looking things up."""
    return page in numbers or "minutes" in env.metadata[page]


def add_path(app, page, template, context, doctree):
    """Put the path to a page above its title; the last part is the page itself."""
    env = app.env
    if doctree is None or page == env.config.root_doc:
        return
    numbers = page_numbers(env)
    above = [
        f'<li><a href="{context["pathto"](parent)}">{escape(env.titles[parent].astext())}</a></li>'
        for parent in pages_above(env, page)
    ]
    number = f"<b>{written(numbers[page])}</b> " if page in numbers else ""
    itself = f'<li aria-current="page">{number}<span>{escape(title_of(env, page, numbers))}</span></li>'
    read = " data-counts" if is_read(env, page, numbers) else ""
    path = f"<ol>{''.join(above)}{itself}</ol>"
    context["body"] = f'<nav class="page-path" aria-label="Path to this page"{read}>{path}</nav>\n{context["body"]}'


class PlacesOfNeeds(SphinxPostTransform):
    """Add to each page that a paragraph "You need" names where it stands, unless the paragraph says so."""

    default_priority = 50  # after links are resolved
    formats = ("html",)

    def run(self, **_):
        numbers = page_numbers(self.env)
        for paragraph in self.document.findall(nodes.paragraph):
            if "you-need" not in paragraph["classes"]:
                continue
            for reference in list(paragraph.findall(nodes.reference)):
                place = place_of(target_of(reference, self.env.docname), numbers)
                if place and place not in paragraph.astext():
                    after = reference.parent.index(reference) + 1
                    reference.parent.insert(after, nodes.Text(f" ({place})"))


def setup(app):
    app.add_js_file("reading.js", loading_method="defer")
    app.connect("html-page-context", add_path)
    app.add_post_transform(PlacesOfNeeds)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

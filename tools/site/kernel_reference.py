"""Build the page that lists every kernel of the library, with its docstring and a picture."""

import inspect
import re
from html import escape
from importlib import import_module

from docutils import nodes
from matplotlib import pyplot as plt
from sphinx.util.docutils import SphinxDirective

import kernelbook
from kernelbook import kernels, plotting
from kernelbook.plotting.pictures import as_svg
from tools.site.docstrings import facts, paragraphs, parsed, signature
from tools.site.figures import drawing
from tools.site.kernel_pictures import picture
from tools.site.public_names import note_object

# The modules of the kernels in the order of the page, with the headings of the page.
MODULE_TITLES = {
    "kernels.stationary": "Vectors, by their difference",
    "kernels.dot_products": "Vectors, by their inner product",
    "kernels.vectors": "Vectors, column by column",
    "kernels.nonstationary": "Vectors, by where they are",
    "kernels.sets": "Sets and rows of 0 and 1",
    "kernels.categories": "Categories",
    "kernels.strings": "Strings",
    "kernels.series": "Series",
    "kernels.graphs": "Nodes of a graph",
    "kernels.whole_graphs": "Whole graphs",
    "kernels.probability": "What a model makes probable",
    "kernels.missing": "Tables with gaps",
    "kernels.pairs": "Pairs",
    "kernels.tables": "Tables of mixed columns",
    "kernels.user_defined": "Kernels given by their values",
    "kernels.algebra": "Kernels made of kernels",
    "learning.conformal": "A kernel that is learned",
}
ALWAYS = {True: "always", False: "not promised"}
OBJECTS = re.compile(r"The objects are (\w)([^.]*\.)\s*")


def kernels_by_module():
    """The kernel classes that the library exports, by module, in the order of the modules' source."""
    exported = {thing for package in (kernelbook, kernels) for thing in map(vars(package).get, package.__all__)}
    exported = {thing for thing in exported if inspect.isclass(thing) and issubclass(thing, kernels.Kernel)}
    exported = {thing for thing in exported if not inspect.isabstract(thing)}
    found = {}
    for module in MODULE_TITLES:
        there = vars(import_module(f"kernelbook.{module}")).values()
        classes = [thing for thing in there if inspect.isclass(thing) and thing.__module__ == f"kernelbook.{module}"]
        found[module] = [kernel for kernel in classes if kernel in exported]
    if lost := exported - {kernel for listed in found.values() for kernel in listed}:
        raise ValueError(f"the page of kernels has no module for {lost}")
    return found


def psd_promise(kernel):
    """When the class promises to be PSD: from its constant, or from the docstring of its property."""
    psd = inspect.getattr_static(kernel, "psd")
    return ALWAYS[psd] if isinstance(psd, bool) else psd.__doc__


def objects_taken(kernel):
    """The objects that the class takes: from its docstring, or else from the docstring of its nearest `check`."""
    if found := OBJECTS.search(" ".join(inspect.getdoc(kernel).split())):
        return found[1].upper() + found[2]
    return next(made.__dict__["check"].__doc__ for made in kernel.__mro__ if "check" in made.__dict__)


def picture_html(name):
    """The HTML of the kernel's picture, or an empty string."""
    with plt.rc_context():
        plotting.use_style()
        if (drawn := picture(name)) is None:
            return ""
        figure, alt, formula = drawn
        svg = drawing([as_svg(figure)], f"kernel-{name}", alt)
        plt.close(figure)
    caption = f"<p><code>{escape(formula)}</code></p>" if formula else ""
    return f'<div class="kernel-picture">{svg}{caption}</div>'


def overview():
    """For each module, links to its kernels."""
    listed = nodes.definition_list(classes=["kernel-overview"])
    for module, classes in kernels_by_module().items():
        links = nodes.paragraph()
        for kernel in classes:
            name = kernel.__name__
            links += [nodes.Text(", ")] * (kernel is not classes[0])
            links += nodes.reference("", name, refid=f"kernel-{name.lower()}", internal=True)
        listed += nodes.definition_list_item("", nodes.term("", MODULE_TITLES[module]), nodes.definition("", links))
    return listed


class KernelReference(SphinxDirective):
    """A section for each module with kernels, with a section for each kernel in it."""

    def run(self):
        return [
            overview(),
            *(
                self.section(f"kernels-{module}", MODULE_TITLES[module], [self.entry(kernel) for kernel in classes])
                for module, classes in kernels_by_module().items()
            ),
        ]

    def section(self, name, title, parts):
        section = nodes.section("", nodes.title(title, title), *parts, ids=[name.lower()], names=[name.lower()])
        self.state.document.note_explicit_target(section)
        return section

    def entry(self, kernel):
        name, docstring = kernel.__name__, parsed(kernel)
        parts = [signature(kernel), *paragraphs(docstring["Summary"])]
        parts[1]["classes"].append("kernel-formula")
        if html := picture_html(name):
            parts.append(nodes.raw("", html, format="html"))
        parts += paragraphs(OBJECTS.sub("", "\n".join(docstring["Extended Summary"])).split("\n"))
        before = {"Objects": paragraphs([objects_taken(kernel)]), "PSD": paragraphs([psd_promise(kernel)])}
        parts.append(facts(docstring, before))
        section = self.section(f"kernel-{name}", name, parts)
        note_object(self.env, kernel, section["ids"][0])
        return section


def setup(app):
    app.add_directive("kernel-reference", KernelReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

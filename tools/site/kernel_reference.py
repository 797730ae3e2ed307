"""The page that lists every kernel of the library: what its class says of itself, and a picture."""

import inspect
import re
from html import escape
from importlib import import_module
from pathlib import Path

from docutils import nodes
from matplotlib import pyplot as plt
from sphinx.util.docutils import SphinxDirective

import kernelbook
from kernelbook import kernels
from kernelbook.figures import pictures, plotting
from tools.site.docstrings import facts, paragraphs, parsed, signature
from tools.site.kernel_pictures import picture
from tools.site.public_names import note_object

# The modules of the kernels in the order of the page, with what the page calls their objects.
ROOMS = {
    "kernels.stationary": "Vectors, by their difference",
    "kernels.dot_products": "Vectors, by their inner product",
    "kernels.vectors": "Vectors, column by column",
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


def by_room():
    """The kernel classes that the library exports, by module, in the order in which they stand there."""
    exported = {thing for package in (kernelbook, kernels) for thing in map(vars(package).get, package.__all__)}
    exported = {thing for thing in exported if inspect.isclass(thing) and issubclass(thing, kernels.Kernel)}
    exported = {thing for thing in exported if not inspect.isabstract(thing)}
    found = {}
    for room in ROOMS:
        there = vars(import_module(f"kernelbook.{room}")).values()
        classes = [thing for thing in there if inspect.isclass(thing) and thing.__module__ == f"kernelbook.{room}"]
        found[room] = [kernel for kernel in classes if kernel in exported]
    if lost := exported - {kernel for listed in found.values() for kernel in listed}:
        raise ValueError(f"no room of the page of kernels is for {lost}")
    return found


def promise(kernel):
    """When the class promises to be PSD: its constant, or what its property says."""
    psd = inspect.getattr_static(kernel, "psd")
    return ALWAYS[psd] if isinstance(psd, bool) else psd.__doc__


def taken(kernel):
    """The objects that the class takes: as it says itself, or its check, or that of a class that it is made from."""
    if said := OBJECTS.search(" ".join(inspect.getdoc(kernel).split())):
        return said[1].upper() + said[2]
    return next(made.__dict__["check"].__doc__ for made in kernel.__mro__ if "check" in made.__dict__)


def drawn(name, outdir):
    """The HTML of the kernel's picture, which stands in a file beside the page; and what is drawn."""
    with plt.rc_context():
        plotting.use_style()
        if (made := picture(name)) is None:
            return ""
        figure, seen, formula = made
        (outdir / "_images").mkdir(parents=True, exist_ok=True)
        (outdir / "_images" / f"kernel-{name}.svg").write_text(pictures.as_svg(figure), encoding="utf-8")
        width, height = pictures.size_on_page(figure)
        plt.close(figure)
    shown = f"<p><code>{escape(formula)}</code></p>" if formula else ""
    return (
        f'<div class="kernel-picture"><img src="../_images/kernel-{name}.svg" width="{width}" height="{height}" '
        f'loading="lazy" alt="{escape(seen)}">{shown}</div>'
    )


def overview():
    """For each kind of objects the kernels that take them, as links."""
    listed = nodes.definition_list(classes=["kernel-overview"])
    for room, classes in by_room().items():
        links = nodes.paragraph()
        for kernel in classes:
            name = kernel.__name__
            links += [nodes.Text(", ")] * (kernel is not classes[0])
            links += nodes.reference("", name, refid=f"kernel-{name.lower()}", internal=True)
        listed += nodes.definition_list_item("", nodes.term("", ROOMS[room]), nodes.definition("", links))
    return listed


class KernelReference(SphinxDirective):
    """A section for each module with kernels, and one in it for each kernel."""

    def run(self):
        return [
            overview(),
            *(
                self.section(f"kernels-{room}", ROOMS[room], [self.entry(kernel) for kernel in classes])
                for room, classes in by_room().items()
            ),
        ]

    def section(self, name, title, parts):
        made = nodes.section("", nodes.title(title, title), *parts, ids=[name.lower()], names=[name.lower()])
        self.state.document.note_explicit_target(made)
        return made

    def entry(self, kernel):
        name, said = kernel.__name__, parsed(kernel)
        parts = [signature(kernel), *paragraphs(said["Summary"])]
        parts[1]["classes"].append("kernel-formula")
        if html := drawn(name, Path(self.env.app.outdir)):
            parts.append(nodes.raw("", html, format="html"))
        parts += paragraphs(OBJECTS.sub("", "\n".join(said["Extended Summary"])).split("\n"))
        when = {"Objects": paragraphs([taken(kernel)]), "PSD": paragraphs([promise(kernel)])}
        parts.append(facts(said, when))
        section = self.section(f"kernel-{name}", name, parts)
        note_object(self.env, kernel, section["ids"][0])
        return section


def setup(app):
    app.add_directive("kernel-reference", KernelReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

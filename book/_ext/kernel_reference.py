"""The page that lists every kernel of the library: what its class says of itself, and a picture."""

import inspect
import sys
from html import escape
from importlib import import_module
from pathlib import Path

from docstrings import definitions, example, inline, paragraphs, parsed
from docutils import nodes
from matplotlib import pyplot as plt
from sphinx.util.docutils import SphinxDirective

sys.path.append(str(Path(__file__).resolve().parents[2]))
from kernel_pictures import picture

from kernelbook import kernels, pictures, plotting

# The modules of the kernels in the order of the page, with what the page calls their objects.
ROOMS = {
    "stationary": "Vectors, by their difference",
    "vectors": "Vectors, by their products and coordinates",
    "sets": "Sets and rows of 0 and 1",
    "categories": "Categories",
    "strings": "Strings",
    "series": "Series",
    "graphs": "Nodes of a graph",
    "whole_graphs": "Whole graphs",
    "probability": "What a model makes probable",
    "missing": "Tables with gaps",
    "pairs": "Pairs",
    "tables": "Tables with columns of several kinds",
    "user_defined": "Kernels given by their values",
    "algebra": "Kernels made of kernels",
}
ALWAYS = {True: "for every choice of the parameters", False: "nothing is promised"}


def by_room():
    """The kernel classes that the library exports, by module, in the order in which they stand there."""
    exported = [thing for name in kernels.__all__ if inspect.isclass(thing := getattr(kernels, name))]
    found = {
        room: [
            thing
            for thing in vars(import_module(f"kernelbook.kernels.{room}")).values()
            if thing in exported and thing.__module__.endswith(f".{room}")
        ]
        for room in ROOMS
    }
    if lost := {*exported} - {kernels.Kernel} - {thing for things in found.values() for thing in things}:
        raise ValueError(f"no room of the page of kernels is for {lost}")
    return found


def promise(kernel):
    """When the class promises to be PSD: its constant, or what its property says."""
    psd = inspect.getattr_static(kernel, "psd")
    return ALWAYS[psd] if isinstance(psd, bool) else psd.__doc__


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
        signature = str(inspect.signature(kernel)).replace("'", '"')
        parts = [nodes.literal_block("", f"{name}{signature}", language="python"), *paragraphs(said["Summary"])]
        parts[1]["classes"].append("kernel-formula")
        if html := drawn(name, Path(self.env.app.outdir)):
            parts.append(nodes.raw("", html, format="html"))
        parts += paragraphs(said["Extended Summary"])
        parts.append(nodes.paragraph("", "", nodes.strong("", "PSD "), *inline(promise(kernel))))
        for heading in "Parameters", "Attributes", "Raises":
            if said[heading]:
                parts += [nodes.rubric("", heading), definitions(said[heading])]
        if said["Examples"]:
            parts += [nodes.rubric("", "Example"), example(said["Examples"])]
        if said["References"]:
            parts += [nodes.rubric("", "Source"), *paragraphs(said["References"])]
        return self.section(f"kernel-{name}", name, parts)


def setup(app):
    app.add_directive("kernel-reference", KernelReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

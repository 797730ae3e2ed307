"""The reference: what the public names are for, as their docstrings say, in groups by what one wants to do."""

import inspect

from docutils import nodes
from sphinx import addnodes
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

from kernelbook.figures import plotting
from kernelbook.kernels import Kernel
from tools.site.docstrings import facts, inline, paragraphs, parsed, signature
from tools.site.kernel_reference import ROOMS, by_room
from tools.site.public_names import names_of, note_object, note_source, public_names

# The pages, with the groups of names on each.
PAGES = {
    "estimators": {
        "Tell classes apart": "SVC NuSVC SVCCV KernelRidgeClassifier MKLSVC ConformalSVC",
        "Predict numbers": "KernelRidge KernelRidgeCV SVR NuSVR QuantileSVR SVRCV",
        "Tell what is unusual": "OneClassSVM",
        "Find directions": "KernelPCA",
        "Take a few objects for all": "Nystroem",
    },
    "matrices": {
        "Make a kernel, or one of your own": "as_kernel Kernel VectorKernel BinaryKernel CategoryKernel StringKernel "
        "MatrixKernel ObjectKernel",
        "Compute with functions of the space": "RKHSFunction interpolant mercer",
        "Read a Gram matrix": "spectrum rounding is_psd psd_witness principal_minors effective_rank mean_norm",
        "Change a Gram matrix": "centre normalise distances distances_to_mean square_root orient",
        "Compare kernels for a task": "alignment target_gram class_separability",
        "Learn a kernel": "ard_by_alignment AlignedRBF ard_by_marginal_likelihood LikeliestRBF separating_kernel",
    },
    "solvers": {
        "State a dual problem": "DualQP Rows",
        "Solve it": "smo interior_point textbook_smo Solution",
        "Follow a classifier over C": "svc_path",
        "Estimate its error on new objects": "leave_one_out support_vector_bound xi_alpha_bound",
    },
    "figures": {
        "Get data": "load_terrain load_twenty_points load_words make_sinc_mixture sinc_mixture",
        "Draw as the book does": "use_style points decision sides line strip gram eigenvalues curves relief "
        "map_and_profile",
        "Let readers choose values": "explore Explorer",
        "Let readers move points": "drag Bells Classifier Draggable",
        "Do less where much takes minutes": "affordable",
    },
}
HEADINGS = {
    "estimators": "Estimators",
    "kernels": "Kernels",
    "matrices": "Gram matrices, functions and learned kernels",
    "solvers": "The dual problem and its solvers",
    "figures": "Data, figures and explorers",
}
PROBLEM = ("minimise", "maximise")


def groups():
    """For each page its groups: the public things in them, each in the order of the page."""
    known = {thing.__name__: thing for thing in public_names() if not is_listed_kernel(thing)}
    named = [name for page in PAGES.values() for names in page.values() for name in names.split()]
    if sorted(named) != sorted(known):
        raise ValueError(f"the reference must name once what is public; it differs in {set(named) ^ set(known)}")
    return {
        page: {title: [known[name] for name in names.split()] for title, names in found.items()}
        for page, found in PAGES.items()
    }


def is_listed_kernel(thing):
    """Whether it stands on the page of kernels."""
    return inspect.isclass(thing) and issubclass(thing, Kernel) and not inspect.isabstract(thing)


def sentence(thing):
    """What it is, in its docstring's first sentence."""
    return " ".join(parsed(thing)["Summary"]).split(". ")[0].rstrip(".") + "."


def methods(thing):
    """The methods and properties of a class that say what they do, by name; the class of the library that has each."""
    for name in dict.fromkeys(name for made in thing.__mro__ for name in vars(made)):
        owner = next(made for made in thing.__mro__ if name in vars(made))
        code = inspect.getattr_static(owner, name)
        module = getattr(getattr(code, "fget", code), "__module__", None) or ""
        is_own = module.startswith("kernelbook") and not inspect.isclass(code)
        if is_own and code.__doc__ and (not name.startswith("_") or name == "__call__"):
            yield name, code, owner


class Page(SphinxDirective):
    """A page, or a part of one, made of sections."""

    def section(self, anchor, title, parts):
        made = nodes.section("", nodes.title(title, title), *parts, ids=[anchor], names=[anchor])
        self.state.document.note_explicit_target(made)
        return made


class Overview(Page):
    """All public names, in tables: each with what it is, in a sentence, and a link to the rest."""

    def run(self):
        pages = {**groups(), "kernels": {ROOMS[room]: kernels for room, kernels in by_room().items()}}
        return [
            self.section(f"names-{page}", title, self.tables(page, pages[page])) for page, title in HEADINGS.items()
        ]

    def tables(self, page, found):
        """A section with a table for each group of the page."""
        for number, (title, things) in enumerate(found.items(), 1):
            yield self.section(f"names-{page}-{number}", title, [self.table(things)])

    def table(self, things):
        head, body = nodes.thead("", row(nodes.Text("name"), nodes.Text("what it is"))), nodes.tbody()
        for thing in things:
            note_source(self.env, thing)
            body += row(link(names_of(thing)[0], thing.__name__), *inline(sentence(thing)))
        columns = [nodes.colspec(colwidth=1), nodes.colspec(colwidth=2)]
        return nodes.table("", nodes.tgroup("", *columns, head, body, cols=2), classes=["reference-names"])


class Reference(Page):
    """The groups of this page, and their names with all that is said of them."""

    def run(self):
        page = self.env.docname.rpartition("reference-")[2]
        self.told = {}  # the names of methods that the page has told, by the class that defines them
        return [
            self.section(f"{page}-{number}", title, map(self.entry, things))
            for number, (title, things) in enumerate(groups()[page].items(), 1)
        ]

    def entry(self, thing):
        name, said = names_of(thing)[0], parsed(thing)
        text = paragraphs(said["Extended Summary"])
        for paragraph in text[:1]:
            paragraph["classes"] += ["kernel-formula"] * paragraph.astext().startswith(PROBLEM)
        told = {"Methods": [self.methods(thing, name)]} if inspect.isclass(thing) and [*methods(thing)] else {}
        parts = [signature(thing, name), *paragraphs(said["Summary"]), *text, facts(said, after=told)]
        link_names(parts, thing)
        note_object(self.env, thing, name)
        return self.section(name, thing.__name__, parts)

    def methods(self, thing, name):
        """The methods of a class; for those that the page has told, a link to the class where it did."""
        listed, before = nodes.definition_list(), {}
        for method, code, owner in methods(thing):
            if first := self.told.get((owner, method)):
                before.setdefault(first, []).append(method)
                continue
            self.told[owner, method] = name
            listed += self.method(f"{name}.{method}", code)
        for first, names in before.items():
            said = [nodes.literal("", method) for method in names]
            said = [part for node in said for part in (nodes.Text(", "), node)][1:]
            told = nodes.paragraph("", "", nodes.Text("as in "), link(first, first.rpartition(".")[2]))
            listed += nodes.definition_list_item("", nodes.term("", "", *said), nodes.definition("", told))
        return listed

    def method(self, name, code):
        said = parsed(code)
        bare = name.rpartition(".")[2]
        is_property = isinstance(code, property)
        called = bare if is_property else signature(code, bare, bound=True).astext()
        self.env.get_domain("py").note_object(name, "property" if is_property else "method", name)
        term = nodes.term("", "", nodes.literal("", called), ids=[name])
        listed = facts(said)
        parts = paragraphs([*said["Summary"], "", *said["Extended Summary"]]) + [listed] * bool(len(listed))
        return nodes.definition_list_item("", term, nodes.definition("", *parts))


class Marks(Page):
    """The constants of the book's figures, with what each is for, as the comment beside it says."""

    def run(self):
        listed = nodes.definition_list(classes=["simple"])
        for name, said in marks().items():
            full = f"{plotting.__name__}.{name}"
            self.env.get_domain("py").note_object(full, "data", full)
            term = nodes.term("", "", nodes.literal("", name), ids=[full])
            listed += nodes.definition_list_item("", term, nodes.definition("", *paragraphs([f"{said}."])))
        self.env.note_dependency(plotting.__file__)
        return [self.section("reference-marks", "Use its colours and marks", [listed])]


def marks():
    found = ModuleAnalyzer.for_module(plotting.__name__).find_attr_docs()
    return {name: " ".join(said).strip() for (_, name), said in found.items()}


def row(first, *rest):
    cells = [nodes.paragraph("", "", first), nodes.paragraph("", "", *rest)]
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def link(name, shown):
    """A link to a public name, which must be there."""
    wanted = {"refdomain": "py", "reftype": "obj", "reftarget": name, "refexplicit": True, "refwarn": True}
    return addnodes.pending_xref("", nodes.literal("", shown), **wanted)


def link_names(parts, thing):
    """Make links of the public names that stand as code in what is said of a thing.

    A small name such as ``points`` may be that of a parameter, and is linked beside its neighbours alone.
    """
    found = {other.__name__: other for other in public_names() if other is not thing}
    for part in parts:
        for literal in [*part.findall(nodes.literal)]:
            other = found.get(name := literal.astext())
            if other and not isinstance(literal.parent, addnodes.pending_xref):
                plain = name.islower() and "_" not in name
                if not plain or (other.__module__ == thing.__module__ and not isinstance(literal.parent, nodes.term)):
                    literal.replace_self(link(names_of(other)[0], name))


def setup(app):
    app.add_directive("reference-overview", Overview)
    app.add_directive("reference", Reference)
    app.add_directive("reference-marks", Marks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Build the reference of the public names from their docstrings, grouped by what one wants to do."""

import inspect

from docutils import nodes
from sphinx import addnodes
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

from kernelbook.kernels import Kernel
from kernelbook.plotting import style
from tools.site.docstrings import facts, inline, paragraphs, parsed, signature
from tools.site.kernel_reference import MODULE_TITLES, kernels_by_module
from tools.site.public_names import names_of, note_object, note_source, public_names

# The pages of the reference, with the groups of names on each.
PAGES = {
    "estimators": {
        "Tell classes apart": "SVC NuSVC SVCCV KernelRidgeClassifier MKLSVC ConformalSVC",
        "Predict numbers": "KernelRidge KernelRidgeCV SVR NuSVR QuantileSVR SVRCV",
        "Tell what is unusual": "OneClassSVM",
        "Find directions": "KernelPCA",
        "Write features out": "Nystroem RandomFeatures ExactFeatures",
        "Fit to any number of objects": "FeatureRidgeCV Moments",
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
        "Get data": "load_alkanes load_terrain load_twenty_points load_words make_sinc_mixture sinc_mixture",
        "Draw as the book does": "use_style points decision sides line strip gram eigenvalues curves relief "
        "map_and_profile differences",
        "Repeat an experiment": "replicate",
        "Let readers choose values": "explore Explorer",
        "Let readers move points": "drag Bells Classifier Curve Band Tube SMO Components Clusters OneClass "
        "Draggable",
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
PROBLEM_WORDS = ("minimise", "maximise")


def groups():
    """For each page its groups, with the public objects in the order of the page."""
    public = {thing.__name__: thing for thing in public_names() if not is_listed_kernel(thing)}
    listed = [name for page in PAGES.values() for names in page.values() for name in names.split()]
    if sorted(listed) != sorted(public):
        raise ValueError(f"the reference must list each public name once; it differs in {set(listed) ^ set(public)}")
    return {
        page: {title: [public[name] for name in names.split()] for title, names in found.items()}
        for page, found in PAGES.items()
    }


def is_listed_kernel(thing):
    """Whether an object is listed on the page of kernels."""
    return inspect.isclass(thing) and issubclass(thing, Kernel) and not inspect.isabstract(thing)


def sentence(thing):
    """The first sentence of an object's docstring."""
    return " ".join(parsed(thing)["Summary"]).split(". ")[0].rstrip(".") + "."


def methods(thing):
    """The documented methods and properties of a class, as triples: name, code, and the class that defines it."""
    for name in dict.fromkeys(name for ancestor in thing.__mro__ for name in vars(ancestor)):
        owner = next(ancestor for ancestor in thing.__mro__ if name in vars(ancestor))
        code = inspect.getattr_static(owner, name)
        code = code.__func__ if isinstance(code, classmethod) else code
        module = getattr(getattr(code, "fget", code), "__module__", None) or ""
        is_own = module.startswith("kernelbook") and not inspect.isclass(code)
        if is_own and code.__doc__ and (not name.startswith("_") or name == "__call__"):
            yield name, code, owner


class Page(SphinxDirective):
    """A directive whose content is made of sections."""

    def section(self, anchor, title, parts):
        section = nodes.section("", nodes.title(title, title), *parts, ids=[anchor], names=[anchor])
        self.state.document.note_explicit_target(section)
        return section


class Overview(Page):
    """Tables of all public names, each with a sentence and a link to its entry."""

    def run(self):
        pages = groups()
        pages["kernels"] = {MODULE_TITLES[module]: kernels for module, kernels in kernels_by_module().items()}
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
    """The groups of this page, with an entry for each name."""

    def run(self):
        page = self.env.docname.rpartition("reference-")[2]
        self.described = {}  # where the page has described a method, by the defining class and the method's name
        return [
            self.section(f"{page}-{number}", title, map(self.entry, things))
            for number, (title, things) in enumerate(groups()[page].items(), 1)
        ]

    def entry(self, thing):
        name, docstring = names_of(thing)[0], parsed(thing)
        text = paragraphs(docstring["Extended Summary"])
        for paragraph in text[:1]:
            paragraph["classes"] += ["kernel-formula"] * paragraph.astext().startswith(PROBLEM_WORDS)
        has_methods = inspect.isclass(thing) and any(methods(thing))
        after = {"Methods": [self.methods(thing, name)]} if has_methods else {}
        parts = [signature(thing, name), *paragraphs(docstring["Summary"]), *text, facts(docstring, after=after)]
        link_names(parts, thing)
        note_object(self.env, thing, name)
        return self.section(name, thing.__name__, parts)

    def methods(self, thing, name):
        """The methods of a class; for those that the page has already described, a link to that class."""
        listed, before = nodes.definition_list(), {}
        for method, code, owner in methods(thing):
            if first := self.described.get((owner, method)):
                before.setdefault(first, []).append(method)
                continue
            self.described[owner, method] = name
            listed += self.method(f"{name}.{method}", code)
        for first, names in before.items():
            term = [part for method in names for part in (nodes.Text(", "), nodes.literal("", method))][1:]
            text = nodes.paragraph("", "", nodes.Text("as in "), link(first, first.rpartition(".")[2]))
            listed += nodes.definition_list_item("", nodes.term("", "", *term), nodes.definition("", text))
        return listed

    def method(self, name, code):
        docstring = parsed(code)
        bare = name.rpartition(".")[2]
        is_property = isinstance(code, property)
        called = bare if is_property else signature(code, bare, bound=True).astext()
        self.env.get_domain("py").note_object(name, "property" if is_property else "method", name)
        term = nodes.term("", "", nodes.literal("", called), ids=[name])
        listed = facts(docstring)
        parts = paragraphs([*docstring["Summary"], "", *docstring["Extended Summary"]]) + [listed] * bool(len(listed))
        return nodes.definition_list_item("", term, nodes.definition("", *parts))


class Marks(Page):
    """The constants of the book's figures, each described by the comment beside it."""

    def run(self):
        listed = nodes.definition_list(classes=["simple"])
        for name, comment in marks().items():
            full = f"{style.__name__}.{name}"
            self.env.get_domain("py").note_object(full, "data", full)
            term = nodes.term("", "", nodes.literal("", name), ids=[full])
            listed += nodes.definition_list_item("", term, nodes.definition("", *paragraphs([f"{comment}."])))
        self.env.note_dependency(style.__file__)
        return [self.section("reference-marks", "Use its colours and marks", [listed])]


def marks():
    found = ModuleAnalyzer.for_module(style.__name__).find_attr_docs()
    return {name: " ".join(comment).strip() for (_, name), comment in found.items()}


def row(first, *rest):
    cells = [nodes.paragraph("", "", first), nodes.paragraph("", "", *rest)]
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def link(name, shown):
    """A link to a public name; Sphinx warns if it does not exist."""
    wanted = {"refdomain": "py", "reftype": "obj", "reftarget": name, "refexplicit": True, "refwarn": True}
    return addnodes.pending_xref("", nodes.literal("", shown), **wanted)


def link_names(parts, thing):
    """Link the public names that stand as code in the entry of an object.

    A lower-case name such as ``points`` may be a parameter, and is linked only in entries of the same module.
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

"""The page that lists all kernels: what it says comes from the classes, and none is forgotten."""

import inspect

import pytest
from bs4 import BeautifulSoup
from docutils import nodes

import kernelbook
from kernelbook import kernels
from tools.site import docstrings
from tools.site.kernel_pictures import CURVES, MATRICES
from tools.site.kernel_reference import kernels_by_module, objects_taken, psd_promise

EXPORTED = {thing for package in (kernelbook, kernels) for thing in map(vars(package).get, package.__all__)}
CLASSES = [thing for thing in EXPORTED if inspect.isclass(thing) and issubclass(thing, kernels.Kernel)]
CLASSES = sorted({kernel for kernel in CLASSES if not inspect.isabstract(kernel)}, key=lambda kernel: kernel.__name__)
every_kernel = pytest.mark.parametrize("kernel", CLASSES, ids=lambda kernel: kernel.__name__)


@pytest.fixture(scope="module")
def soup(site):
    return BeautifulSoup((site / "book" / "kernels.html").read_text(encoding="utf-8"), "html.parser")


def text(element):
    return " ".join(element.get_text().replace("’", "'").split())


@every_kernel
def test_a_kernel_has_its_formula_its_parameters_and_a_picture(soup, kernel):
    entry = soup.find(id=f"kernel-{kernel.__name__.lower()}")
    parameters = inspect.signature(kernel).parameters
    assert text(entry.find("pre")).startswith(f"{kernel.__name__}(")
    listed = {term.find("code").get_text() for term in entry.select("dl dt") if term.find("code")}
    assert "Parameters" not in inspect.getdoc(kernel) or listed >= set(parameters)
    assert "PSD" in text(entry)
    assert entry.find("svg")["aria-label"]
    assert soup.select(f".kernel-overview a[href='#{entry['id']}']")


@every_kernel
def test_a_formula_keeps_its_brackets(kernel):
    first = inspect.getdoc(kernel).split("\n\n")[0]
    shown = "".join(part.astext() for part in docstrings.inline(first))
    assert "{" not in shown.replace("{0, 1}", "")
    assert all(shown.count(pair[0]) == shown.count(pair[1]) for pair in ("()", "[]", "{}", "⟨⟩"))


@every_kernel
def test_a_picture_is_of_the_kernel_that_it_stands_with(kernel):
    name = kernel.__name__
    (drawn,) = [table[name][0] for table in (CURVES, MATRICES) if name in table]
    assert type(drawn) is kernel


def test_every_kernel_is_listed_under_one_module():
    listed = [kernel for classes in kernels_by_module().values() for kernel in classes]
    assert sorted(listed, key=lambda kernel: kernel.__name__) == CLASSES


@every_kernel
def test_every_kernel_says_when_it_is_psd_and_what_it_takes(kernel):
    assert psd_promise(kernel)
    assert objects_taken(kernel)
    assert objects_taken(kernel) != kernels.Kernel.check.__doc__


def sample(gamma):
    """k(x, x') = Σ_j x_j x'_j^a, of ``gamma``.

    It goes on.

        a = 1    one
        b = 2    two

    Parameters
    ----------
    gamma : float ≥ 0
        γ, in units.

    References
    ----------
    Somebody (2000), A title.

    >>> sample(1)
    2
    """


def test_a_docstring_is_taken_apart():
    said = docstrings.parsed(sample)
    assert said["Examples"] == ">>> sample(1)\n2"
    assert [entry.name for entry in said["Parameters"]] == ["gamma"]
    assert said["References"] == ["Somebody (2000), A title."]
    (first,) = docstrings.paragraphs(said["Summary"])
    assert [part.astext() for part in first if isinstance(part, nodes.subscript)] == ["j", "j", "j"]
    assert [part.astext() for part in first if isinstance(part, nodes.superscript)] == ["a"]
    assert [part.astext() for part in first if isinstance(part, nodes.literal)] == ["gamma"]
    assert first.astext() == "k(x, x′) = Σj xj x′ja, of gamma."
    _, table = docstrings.paragraphs(said["Extended Summary"])
    assert isinstance(table, nodes.literal_block)
    assert table.astext() == "a = 1    one\nb = 2    two"


@pytest.mark.parametrize(
    ("text", "below", "above"),
    [
        ("(1 + γ d² / α)^−α", [], ["−α"]),
        ("‖x − x'‖^(−2α)", [], ["−2α"]),
        ("Σ_j γ_j² x_{ij}", ["j", "j", "ij"], []),
        ("(γ ⟨x, x'⟩ + c)^degree", [], ["degree"]),
        ("Σ_h Σ_h' p(h')", ["h", "h′"], []),
    ],
)
def test_indices_and_exponents_are_set_as_such(text, below, above):
    parts = docstrings.formula(text)
    assert [part.astext() for part in parts if isinstance(part, nodes.subscript)] == below
    assert [part.astext() for part in parts if isinstance(part, nodes.superscript)] == above


@pytest.mark.parametrize(
    ("entry", "term", "said"),
    [
        (("n", "int ≥ 1", ["It counts."]), "n : int ≥ 1", "It counts."),
        (("", "ValueError, when used", ["a is bad"]), "ValueError, when used", "a is bad"),
        (("ValueError, when used", "a is bad", []), "ValueError, when used : a is bad", ""),
        (("base", "Kernel " + 98 * "x", ["that goes on"]), f"base : Kernel {98 * 'x'} that goes on", ""),
    ],
)
def test_an_entry_is_a_term_with_what_is_said_of_it(entry, term, said):
    (item,) = docstrings.definitions([entry])
    assert [part.astext() for part in item] == [term, said]
    assert item[0][0].astext() in ("n", "ValueError", "base")


@pytest.mark.parametrize("name", ["length_scale", "gamma_", "kernel__gamma", "2_3", "n_samples", "n_iter_"])
def test_names_have_no_index(name):
    assert [part for part in docstrings.formula(name) if not isinstance(part, nodes.Text)] == []

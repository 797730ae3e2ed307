"""What `import kernelbook` promises."""

import inspect
import re
import subprocess
import sys
from doctest import DocTestParser
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import kernelbook
import kernelbook.linalg.gram


def test_import_loads_no_plotting_no_widgets_and_no_cluster():
    code = "import sys, kernelbook; print({'matplotlib', 'ipywidgets', 'dask', 'distributed'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def public():
    """What the library's packages and modules export, by the name that it has there."""
    modules = ["kernelbook", *(one.name for one in walk_packages(kernelbook.__path__, "kernelbook."))]
    for module in map(import_module, modules):
        yield from ((f"{module.__name__}.{name}", getattr(module, name)) for name in getattr(module, "__all__", ()))


def without_example(names):
    """The names whose own docstring shows nothing that can be run."""
    return [name for name, thing in names if not DocTestParser().get_examples(thing.__doc__ or "")]


def test_every_public_name_has_an_example():
    assert without_example(public()) == []


def test_a_missing_example_is_noticed():
    class Silent(kernelbook.SVC):
        """It says what it is, and nothing else."""

    names = {"silent": Silent, "loud": kernelbook.SVC, "function": kernelbook.linalg.centre, "mute": without_example}
    assert without_example(names.items()) == ["silent", "mute"]


# An entry of a docstring's parameters, for one name or several; the default in it: "rbf", True, 3/2, 10⁻⁶, 100 000
ENTRY = r"^(?:\w+, )*{}(?:, \w+)* : (.*(?:\n    .*)*)"
DEFAULT = re.compile(
    r'default (?:"(?P<text>[^"]*)"|(?P<truth>True|False)|(?P<number>\d[\d.e/⁰¹²³⁴⁵⁶⁷⁸⁹⁻-]*(?: \d{3})*))'
)
POWER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def promised(thing, name):
    """The default that a docstring promises, or None: its own words, or those of what it refers to."""
    doc = inspect.getdoc(thing)
    entry = re.search(ENTRY.format(name), doc, re.M) or re.search(r"^(Parameters and errors as in \w+)", doc, re.M)
    if entry is None:
        return None
    if found := DEFAULT.search(entry[1]):
        if found["number"]:
            base, exponent = re.fullmatch(r"([^⁰-⁹⁻¹²³]*)(.*)", found["number"].rstrip(".").replace(" ", "")).groups()
            return float(Fraction(base) ** int(exponent.translate(POWER) or 1))
        return found["truth"] == "True" if found["truth"] else found["text"]
    if other := re.search(r"as in (\w+)", entry[1]):
        for place in kernelbook, import_module(thing.__module__):
            if hasattr(place, other[1]):
                return inspect.signature(getattr(place, other[1])).parameters[name].default
    return None  # as in another library, perhaps


def broken_promises(names):
    """Defaults that are numbers, truth values, names or None, and that the docstring lacks, or gives otherwise."""
    for name, thing in names:
        if not callable(thing) or (inspect.isclass(thing) and issubclass(thing, Exception)):
            continue
        for parameter in inspect.signature(thing).parameters.values():
            value = parameter.default
            if (isinstance(value, bool | int | float | str) and value != "") or value is None:
                said = promised(thing, parameter.name)  # nothing, where None is the default
                if said != value or isinstance(said, bool) != isinstance(value, bool):
                    yield f"{name}({parameter.name}={value!r}), said to be {said!r}"


def test_a_default_is_what_the_docstring_says():
    assert sorted(set(broken_promises(public()))) == []


def test_another_default_is_noticed():
    def function(a=2, b=1e-6, c="x", d=True, e=100_000, f=1.5, g=3, h=None, i=0, j=None, tol=1e-3):
        """Nothing.

        Parameters
        ----------
        a, b : float, default 10⁻⁶
        c : str, default "y"; not "x"
        d : bool, default False
        e : int, default 100 000, the most steps
        f : float, default 3/2.
        h : float, default 1
        i : bool, default False
        j : array, or None, the default
        tol : as in SVC
        """

    said = [promise.partition(",")[0] for promise in broken_promises([("f", function)])]
    assert said == ["f(a=2)", "f(c='x')", "f(d=True)", "f(g=3)", "f(h=None)", "f(i=0)"]


PACKAGE = Path(kernelbook.__file__).parent
PACKAGES = sorted({path.parent for path in PACKAGE.rglob("__init__.py")})


def test_imports_run_downwards():
    """As ``[tool.importlinter]`` in pyproject.toml has it."""
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_no_module_is_hidden_by_what_its_package_exports():
    for path in PACKAGES:
        package = import_module(".".join(path.relative_to(PACKAGE.parent).parts))
        assert {file.stem for file in path.glob("*.py")}.isdisjoint(getattr(package, "__all__", ()))

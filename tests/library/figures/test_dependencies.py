"""The extra `figures`: what draws needs its packages and says so, and nothing else in the library needs them."""

import ast
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import kernelbook
from kernelbook import RBF
from tests.library.estimators import ESTIMATORS, data_for, make
from tests.marks import thorough

PACKAGES = ("matplotlib", "PIL", "IPython", "ipywidgets")
DRAWING = ("plotting", "figures", "explore")
LIBRARY = Path(kernelbook.__file__).parent
WITHOUT = f"import sys\nsys.modules |= dict.fromkeys({PACKAGES})\n"  # so that importing them fails


def run(code, **given):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=LIBRARY.parent, **given)


def imported(source):
    """The packages that a module imports anywhere in its code."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]


def test_only_what_draws_imports_them():
    found = {
        path.relative_to(LIBRARY).parts[0].removesuffix(".py")
        for path in LIBRARY.rglob("*.py")
        if not set(PACKAGES).isdisjoint(imported(path.read_text(encoding="utf-8")))
    }
    assert found - {*DRAWING} == {"datasets"}  # load_terrain reads a file that comes with Matplotlib


def test_every_estimator_fits_without_them():
    own = [cls for cls in ESTIMATORS if cls.__module__.startswith("kernelbook.")]
    assert len(own) > 10
    models = [(make(cls, RBF(1.0)), *data_for(cls)[:2]) for cls in own]
    code = f"""{WITHOUT}
import pickle, pkgutil
from importlib import import_module
import kernelbook
for module in pkgutil.walk_packages(kernelbook.__path__, "kernelbook."):
    if module.name.split(".")[1] not in {DRAWING}:
        import_module(module.name)
for model, X, y in pickle.load(sys.stdin.buffer):
    print(type(model.fit(X, y)).__name__)
"""
    done = run(code, input=pickle.dumps(models))
    assert done.stdout.decode().split() == [cls.__name__ for cls in own], done.stderr.decode()


@pytest.mark.parametrize("missing", [PACKAGES, pytest.param(("IPython", "ipywidgets"), marks=thorough)])
@pytest.mark.parametrize("module", DRAWING)
def test_what_draws_says_which_packages_are_missing(module, missing):
    done = run(f"import sys\nsys.modules |= dict.fromkeys({missing})\nfrom kernelbook import {module}")
    said = f'ImportError: The figures of kernelbook need {", ".join(missing)}: pip install "kernelbook[figures]"'
    assert done.stderr.decode().splitlines()[-1] == said


def test_drawing_loads_no_widgets_and_ipython_only_for_a_page():
    code = "import sys, kernelbook.plotting as p; p.use_style(); print({'IPython', 'ipywidgets'} & {*sys.modules})"
    assert run(code).stdout.decode().strip() == "set()"


def test_the_terrain_says_that_it_comes_with_matplotlib():
    done = run(f"{WITHOUT}\nfrom kernelbook.datasets import load_terrain\nload_terrain()")
    said = 'ImportError: load_terrain needs matplotlib: pip install "kernelbook[figures]"'
    assert done.stderr.decode().splitlines()[-1] == said

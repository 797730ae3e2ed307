"""Speed beside scikit-learn's, in one run, as a table: `make bench`.

Every pair is timed in turn, ours, theirs, ours, …, and the best of three counts, after one run that is not counted.
"""

import ast
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import numpy as np
from IPython.core.inputtransformer2 import TransformerManager
from sklearn.datasets import make_classification
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from kernelbook import RBF, KernelRidge, KernelRidgeCV

ROOT = Path(__file__).resolve().parents[2]
GAMMA = 1 / 20
ALPHAS = np.logspace(-4, 2, 50)


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def best_of_three(*functions, warm_up=True):
    """The least time of each function, the functions taken in turn."""
    if warm_up:
        for function in functions:
            function()
    return np.min([[seconds(function) for function in functions] for _ in range(3)], axis=0)


def data(n):
    X, _ = make_classification(n, 20, n_informative=10, n_clusters_per_class=4, flip_y=0.05, random_state=0)
    X = StandardScaler().fit_transform(X)
    return X, np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=n)


def ridge_fit(n):
    X, y = data(n)
    ours, theirs = best_of_three(
        lambda: KernelRidge(RBF(GAMMA), alpha=1.0).fit(X, y).predict(X),
        lambda: SklearnKernelRidge(alpha=1.0, kernel="rbf", gamma=GAMMA).fit(X, y).predict(X),
    )
    return ours, theirs


def ridge_path():
    X, y = data(2000)
    theirs = GridSearchCV(SklearnKernelRidge(kernel="rbf", gamma=GAMMA), {"alpha": ALPHAS}, cv=5)
    ours_best = min(seconds(lambda: KernelRidgeCV(RBF(GAMMA), ALPHAS).fit(X, y)) for _ in range(3))
    return ours_best, seconds(lambda: theirs.fit(X, y))


def landing_explorer():
    """The explorer of the landing page, from the cells that make it."""
    notebook = nbformat.read(ROOT / "book" / "index.ipynb", as_version=4)
    names = {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            tree = ast.parse(TransformerManager().transform_cell(cell.source))
            last = tree.body[-1]
            if isinstance(last, ast.Expr) and ast.unparse(last).startswith("explore("):
                tree.body[-1] = ast.Assign([ast.Name("shown", ast.Store())], last.value)
                exec(compile(ast.fix_missing_locations(tree), "landing page", "exec"), names)
                return names["shown"]
            exec(compile(tree, "landing page", "exec"), names)
    raise LookupError("the landing page calls no explore(...)")


def slider_latency():
    """Median time from a slider's event to its new image."""
    shown = landing_explorer()
    times = []
    for _ in range(3):
        for slider in shown.widget.children[: len(shown.sliders)]:
            for _, value in slider.options:
                if value != slider.value:
                    times.append(seconds(lambda: setattr(slider, "value", value)))  # noqa: B023, called at once
    return np.median(times)


def build_time():
    with tempfile.TemporaryDirectory() as folder:
        builder = shutil.which("jupyter-book", path=Path(sys.executable).parent)
        command = [builder, "build", str(ROOT), "--path-output", folder, "-W", "-n"]
        return seconds(lambda: subprocess.run(command, check=True, capture_output=True))


def row(what, ours, theirs, bar):
    ratio = f"{theirs / ours:.2f}×" if theirs else ""
    print(f"| {what} | {ours:.3f} | {f'{theirs:.3f}' if theirs else ''} | {ratio} | {bar} |", flush=True)


def main():
    print("| what | ours, s | scikit-learn, s | ratio | bar |\n|---|---|---|---|---|")
    for n in (1000, 2000, 5000):
        row(f"KernelRidge fit and predict, n = {n}", *ridge_fit(n), "≥ 0.9×")
    row("50 alphas with leave-one-out, n = 2000; theirs: 5 folds", *ridge_path(), "≥ 40×")
    row("slider event to new image", slider_latency(), None, "< 0.1 s")
    row("whole book, cold build", build_time(), None, "≤ 240 s")


if __name__ == "__main__":
    main()

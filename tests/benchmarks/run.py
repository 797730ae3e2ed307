"""Speed beside scikit-learn's, in one run, as a table: `make bench`.

Every pair is timed in turn, ours, theirs, ours, …, and the best of three counts, after one run that is not counted.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import numpy as np
from IPython.core.inputtransformer2 import TransformerManager
from scipy.linalg import eigh
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_moons
from sklearn.decomposition import KernelPCA as SklearnKernelPCA
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as SklearnSVC
from sklearn.svm import SVR as SklearnSVR

from kernelbook import RBF, SVC, SVCCV, SVR, KernelPCA, KernelRidge, KernelRidgeCV

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


def classes(n):
    X, y = make_classification(n, 20, n_informative=10, n_clusters_per_class=4, flip_y=0.05, random_state=0)
    return StandardScaler().fit_transform(X), y


def data(n):
    X, _ = classes(n)
    return X, np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=n)


def ridge_fit(n):
    X, y = data(n)
    ours, theirs = best_of_three(
        lambda: KernelRidge(RBF(GAMMA), alpha=1.0).fit(X, y).predict(X),
        lambda: SklearnKernelRidge(alpha=1.0, kernel="rbf", gamma=GAMMA).fit(X, y).predict(X),
    )
    return ours, theirs


def ridge_path():
    """The path beside one eigendecomposition of the same Gram matrix."""
    X, y = data(2000)
    K = RBF(GAMMA)(X)
    return best_of_three(
        lambda: KernelRidgeCV(RBF(GAMMA), ALPHAS).fit(X, y), lambda: eigh(K, check_finite=False, driver="evr")
    )


def svc_fit(X, y, gamma, C, cache_size=1000):
    """Both times, and by what share of its size our dual objective is lower; nan for several classes."""
    ours, theirs = SVC(RBF(gamma), C, cache_size=cache_size), SklearnSVC(C=C, gamma=gamma, cache_size=cache_size)
    times = best_of_three(lambda: ours.fit(X, y), lambda: theirs.fit(X, y))
    if len(ours.classes_) > 2:
        return *times, np.nan
    here, there = (svc_objective(machine, X, gamma, 2 * y - 1) for machine in (ours, theirs))
    return *times, (there - here) / abs(there)


def svc_objective(machine, X, gamma, sign):
    beta, support = machine.dual_coef_[0], machine.support_
    return beta @ RBF(gamma)(X[support]) @ beta / 2 - sign[support] @ beta


def svc_problems():
    """(name, X, y, γ, prices) of the problems: hard ones, where classes overlap, and easy ones."""
    for n in (1000, 2000, 5000, 10_000):
        yield f"hard, n = {n}", *classes(n), GAMMA, (1, 100)
    for n in (1000, 3000, 10_000):
        yield f"moons, n = {n}", *moons(n, 0), 1.0, (1, 30)
        yield f"moons and ten columns of noise, n = {n}", *moons(n, 10), 0.5, (1, 30)
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer", StandardScaler().fit_transform(X), y, 1 / 30, (1, 100)
    yield "digits, one against one", *load_digits(return_X_y=True), 0.001, (10,)


def moons(n, columns):
    """Two moons, and so many columns of noise."""
    X, y = make_moons(n, noise=0.2, random_state=0)
    return np.column_stack([X, np.random.default_rng(0).normal(0, 0.3, (n, columns))]), y


def svr_fit(n, C):
    X, y = data(n)
    ours, theirs = SVR(RBF(GAMMA), C), SklearnSVR(C=C, gamma=GAMMA, cache_size=1000)
    times = best_of_three(lambda: ours.fit(X, y), lambda: theirs.fit(X, y))
    K = RBF(GAMMA)(X)
    here, there = (dual_objective(machine, K, y, machine.epsilon) for machine in (ours, theirs))
    return *times, (there - here) / abs(there)


def dual_objective(machine, K, y, epsilon=0.0):
    """½βᵀKβ − yᵀβ + ε Σ|β_i|, the smaller the better."""
    beta, support = machine.dual_coef_[0], machine.support_
    return beta @ K[np.ix_(support, support)] @ beta / 2 - y[support] @ beta + epsilon * np.abs(beta).sum()


def svc_search():
    X, y = classes(1000)
    Cs, gammas = np.logspace(-1, 3, 10), np.logspace(-3, 0, 10)
    ours = SVCCV([RBF(gamma) for gamma in gammas], Cs, tol=1e-6)
    theirs = GridSearchCV(SklearnSVC(tol=1e-6, cache_size=1000), {"gamma": gammas, "C": Cs}, cv=5)
    ours_best = min(seconds(lambda: ours.fit(X, y)) for _ in range(3))
    theirs_once = seconds(lambda: theirs.fit(X, y))
    scores = theirs.cv_results_["mean_test_score"].reshape(len(Cs), len(gammas)).T
    return ours_best, theirs_once, np.abs(ours.scores_.mean(axis=2) - scores).max()


def pca_fit(n, eigen_solver):
    X, _ = classes(n)
    ours = KernelPCA(16, RBF(GAMMA))
    theirs = SklearnKernelPCA(16, kernel="rbf", gamma=GAMMA, eigen_solver=eigen_solver, random_state=0)
    times = best_of_three(lambda: ours.fit(X), lambda: theirs.fit(X))
    return *times, np.abs(ours.eigenvalues_ / theirs.eigenvalues_ - 1).max()


MEMORY = """
import resource, sys, time
sys.path.insert(0, "tests/benchmarks")
from run import GAMMA, RBF, SVC, KernelPCA, classes
import psutil
X, y = classes(100)
start = time.perf_counter()
{small}
print(time.perf_counter() - start)
X, y = classes({n})
before = psutil.Process().memory_info().rss
start = time.perf_counter()
{large}
print(time.perf_counter() - start)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print((peak - before) / (8 * {n}**2))
"""


def alone(small, large, n):
    """In a process of its own: the times of a first fit, which compiles, and of a large one; its peak memory.

    The memory is in Gram matrices of n objects.
    """
    code = MEMORY.format(small=small, large=large, n=n)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, capture_output=True)
    return map(float, done.stdout.split())


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
        for slider in shown.sliders.values():
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
    # while this process is small: a child inherits its peak
    first, _, memory = alone("SVC(RBF(GAMMA)).fit(X, y)", "SVC(RBF(GAMMA), 100).fit(X, y)", 5000)
    _, _, pca_memory = alone("KernelPCA(16, RBF(GAMMA)).fit(X)", "KernelPCA(16, RBF(GAMMA)).fit(X)", 5000)
    print("| what | ours, s | scikit-learn, s | ratio | bar |\n|---|---|---|---|---|")
    for n in (1000, 2000, 5000):
        row(f"KernelRidge fit and predict, n = {n}", *ridge_fit(n), "≥ 0.9×")
    ratios = []
    for name, X, y, gamma, prices in svc_problems():
        for C in prices:
            ours, theirs, better = svc_fit(X, y, gamma, C)
            ratios.append(theirs / ours)
            bar = "≥ 1×" if theirs > 0.02 else ""
            row(f"SVC fit, {name}, C = {C}; objective lower by {better:.0e}", ours, theirs, bar)
    print(f"| SVC fit, geometric mean | | | {np.exp(np.log(ratios).mean()):.2f}× | ≥ 2× |")
    ours, theirs, better = svc_fit(*moons(50_000, 6), 0.5, 3, cache_size=2000)
    row(f"SVC fit, moons and six columns of noise, n = 50 000, C = 3; lower by {better:.0e}", ours, theirs, "≥ 1×")
    for n in (1000, 2000, 5000, 10000):
        for C in (1, 100):
            *times, better = svr_fit(n, C)
            row(f"SVR fit, n = {n}, C = {C}; objective lower by {better:.0e}", *times, "≥ 1×")
    ours, theirs, apart = svc_search()
    row(f"SVC, 10 C × 10 γ, 5 folds, n = 1000; scores apart by {apart:.3f}", ours, theirs, "≥ 5×")
    row("SVC, the first fit, which compiles", first, None, "")
    print(f"| SVC, peak memory, n = 5000, in Gram matrices | {memory:.2f} | | | ≤ 1.3 |")
    for eigen_solver, bar in (("auto", "≥ 5×"), ("arpack", "≥ 1×")):
        *times, apart = pca_fit(5000, eigen_solver)
        what = f"KernelPCA, 16 components, n = 5000; theirs: {eigen_solver}; eigenvalues apart by {apart:.0e}"
        row(what, *times, bar)
    print(f"| KernelPCA, peak memory, n = 5000, in Gram matrices | {pca_memory:.2f} | | | ≤ 1.3 |")
    row("50 alphas with leave-one-out, n = 2000; beside one eigendecomposition", *ridge_path(), "≥ 0.8×")
    row("slider event to new image", slider_latency(), None, "< 0.1 s")
    row("whole book, cold build", build_time(), None, "≤ 240 s")


if __name__ == "__main__":
    main()

"""Fits to many objects beside scikit-learn's: ratios of processor time and memory, errors; each in its own process."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.kernel_approximation import Nystroem as SklearnNystroem
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from kernelbook import RBF, FeatureRidgeCV, Nystroem, RandomFeatures, Spectrum
from kernelbook.linalg.pivots import randomly_pivoted_cholesky

ROOT = Path(__file__).resolve().parents[2]
N, M, GAMMA, ALPHAS = 100_000, 1000, 0.06, np.logspace(-7, 3, 21)
MODELS = {  # ours choose among 21 alphas, theirs are given one
    "uniform": lambda: FeatureRidgeCV(Nystroem(RBF(GAMMA), M, random_state=0), ALPHAS),
    "pivoted": lambda: FeatureRidgeCV(Nystroem(RBF(GAMMA), M, landmarks="pivoted", random_state=0), ALPHAS),
    "waves": lambda: FeatureRidgeCV(RandomFeatures(RBF(GAMMA), M, random_state=0), ALPHAS),
    "their landmarks": lambda: make_pipeline(SklearnNystroem(gamma=GAMMA, n_components=M, random_state=0), Ridge(1e-2)),
    "their waves": lambda: make_pipeline(RBFSampler(gamma=GAMMA, n_components=M, random_state=0), Ridge(1e-2)),
    "boosting": lambda: HistGradientBoostingRegressor(random_state=0),
}
ROWS = [  # ours, theirs, the least ratio of times, and of memory
    ("uniform", "their landmarks", "≥ 1.3×, ≥ 4×"),
    ("pivoted", "their landmarks", "≥ 1.3×, ≥ 4×"),
    ("waves", "their waves", ""),
    ("pivoted", "boosting", "a rival that may win"),
]


def data(n):
    """Eight columns, a smooth function of them with noise 0.5, and 5000 new objects with the function itself."""
    rng = np.random.default_rng(0)
    W = rng.normal(size=(3, 8))

    def function(X):
        return np.sin(X @ W[0] / 2) + np.cos(X @ W[1] / 3) * X[:, 0]

    X, new = rng.normal(size=(n, 8)), rng.normal(size=(5000, 8))
    return X, function(X) + 0.5 * rng.normal(size=n), new, function(new)


def measured(fit):
    """Processor seconds of a call, and by how many MB the memory of this process rose to its peak in it."""
    before, start = psutil.Process().memory_info().rss, time.process_time()
    result = fit()
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return result, seconds, max(peak - before, 0) / 1e6


def one_fit(name):
    X, y, new, truth = data(N)
    MODELS[name]().fit(X[:1100], y[:1100])  # what is compiled is compiled before
    model, seconds, memory = measured(lambda: MODELS[name]().fit(X, y))
    return seconds, memory, float(np.sqrt(np.mean((model.predict(new) - truth) ** 2)))


def from_disk(n):
    """A fit to n rows in a file, of which one block is in memory at a time."""
    X, y, new, truth = data(int(n))
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "X.npy", X)
        del X
        rows = np.load(Path(folder) / "X.npy", mmap_mode="r")

        def fit():
            features = Nystroem(RBF(GAMMA), M, landmarks="pivoted", random_state=0).fit(rows[:: len(rows) // 10_000])
            parts = (slice(start, start + 50_000) for start in range(0, len(rows), 50_000))
            total = sum(features.moments(np.array(rows[part]), y[part]) for part in parts)
            return FeatureRidgeCV(features, ALPHAS).fit_moments(total)

        model, seconds, memory = measured(fit)
    return seconds, memory, float(np.sqrt(np.mean((model.predict(new) - truth) ** 2)))


def pivots_of_strings(n):
    """Pivots of n strings, and the columns of the Gram matrix at these, in one block: the time of both."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefgh"), size=size)) for size in rng.integers(5, 15, int(n))]
    kernel = Spectrum(2).normalized()

    def taken(places):
        return words if isinstance(places, slice) else [words[i] for i in places]

    def block(rows, columns):
        return kernel(taken(rows), taken(columns))

    diagonal, rng = kernel.diag(words), np.random.RandomState(0)
    (pivots, _, _), ours, _ = measured(lambda: randomly_pivoted_cholesky(diagonal, block, 200, rng))
    return ours, measured(lambda: kernel(words, taken(pivots)))[1]


def alone(function, argument):
    """function(argument) of this file, in a process of its own."""
    code = "import json, sys; sys.path.insert(0, 'tests/benchmarks'); import large; "
    code += f"print(json.dumps(large.{function}({argument!r})))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "KERNELBOOK_QUIET": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def main():
    print(f"n = {N}, m = {M}; processor time, and memory beyond the data: theirs / ours; errors\n")
    print("| ours | theirs | s | s | ratio | MB | MB | ratio | error | error | bar |\n|" + "---|" * 11)
    found = {name: alone("one_fit", name) for name in MODELS}
    for ours, theirs, bar in ROWS:
        (s, MB, error), (their_s, their_MB, their_error) = found[ours], found[theirs]
        times, memory = (f"{a:.1f} | {b:.1f} | {b / a:.2f}×" for a, b in ((s, their_s), (MB, their_MB)))
        print(f"| {ours} | {theirs} | {times} | {memory} | {error:.3f} | {their_error:.3f} | {bar} |", flush=True)
    ours, columns = alone("pivots_of_strings", 20_000)
    print(f"\nPivots of 20 000 strings take {ours / columns:.2f}× the time of their columns of K alone (bar: ≤ 3×).")
    seconds, memory, error = alone("from_disk", 1_000_000)
    print(f"10⁶ rows from a file: {seconds:.0f} s, {memory:.0f} MB, error {error:.3f} (bar: ≤ 90 s, ≤ 600 MB).")


if __name__ == "__main__":
    main()

"""How time and memory of SVC grow with the number of objects, beside scikit-learn's: a table, and a picture of it.

Each fit has a process of its own, the two machines in turn, and the least of its times counts.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
SIZES = (1000, 2000, 5000, 10_000, 20_000, 50_000)
FIT = """
import json, resource, sys, time
sys.path.insert(0, "tests/benchmarks")
from run import RBF, SVC, SklearnSVC, moons
import psutil
n, ours = {n}, {ours}
machine = SVC(RBF(0.5), 3, cache_size=2000) if ours else SklearnSVC(C=3, gamma=0.5, cache_size=2000)
machine.fit(*moons(1100, 6))  # by rows already
X, y = moons(n, 6)
before, start = psutil.Process().memory_info().rss, time.perf_counter()
machine.fit(X, y)
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(json.dumps([seconds, max(peak - before, 0) / 1e6]))
"""


def measured(n, ours, runs):
    """Seconds and megabytes beyond the data, the least of some runs."""
    found = []
    for _ in range(runs):
        code = FIT.format(n=n, ours=ours)
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env={**os.environ}, check=True, capture_output=True
        )
        found.append(json.loads(done.stdout))
    return np.min(found, axis=0)


def slope(values):
    """Of the logarithm, by least squares, over the sizes from 5000 on."""
    large = np.array(SIZES) >= 5000
    return np.polyfit(np.log(np.array(SIZES)[large]), np.log(np.maximum(values, 1e-3)[large]), 1)[0]


def main():
    table = {name: [] for name in ("ours", "theirs")}
    print("| n | ours, s | theirs, s | ratio | ours, MB | theirs, MB |\n|---|---|---|---|---|---|")
    for n in SIZES:
        for name in table:
            table[name].append(measured(n, name == "ours", 1 if n > 20_000 else 3))
        (time, memory), (their_time, their_memory) = (table[name][-1] for name in table)
        print(
            f"| {n} | {time:.3f} | {their_time:.3f} | {their_time / time:.2f}× | {memory:.0f} | {their_memory:.0f} |",
            flush=True,
        )
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
    for kind, (ax, what) in enumerate(zip(axes, ("seconds", "megabytes beyond the data"), strict=True)):
        for name, style in (("ours", "o-"), ("theirs", "s--")):
            values = np.array(table[name])[:, kind]
            ax.loglog(SIZES, values, style, label=f"{name}, slope {slope(values):.2f} from 5000 on")
            print(f"{name}, {what}: slope {slope(values):.2f} from n = 5000 on")
        ax.set(xlabel="n", ylabel=what)
        ax.legend()
    path = ROOT / "_build" / "growth.svg"
    path.parent.mkdir(exist_ok=True)
    figure.tight_layout()
    figure.savefig(path)
    print(f"The picture is at {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

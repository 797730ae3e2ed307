"""The library without numba, CVXOPT, psutil and threads, as in a browser."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernelbook.runtime import available
from tests.marks import thorough

ROOT = Path(__file__).resolve().parents[3]
EVERY = "numba cvxopt psutil threads"
TESTS = {  # of the code that does without them; WITHOUT="numba" pytest tests runs all tests
    "numba": ["qp/test_sequential_minimal.py", "kernels/test_strings.py"],
    "cvxopt": ["qp/test_interior.py"],
    "psutil": ["svm/test_cache_size.py"],
    "threads": ["kernels/test_gram_blocks.py"],
    EVERY: ["base/test_estimator.py", "components/test_pca.py"],
}


def outcome(code, missing=EVERY):
    """The stdout and the stderr of a script that runs where these are missing."""
    begin = "import sys, threading\n" + "".join(
        f"sys.modules[{name!r}] = None\n" for name in missing.split() if name != "threads"
    )
    if "threads" in missing:
        begin += "def refuse(self): raise RuntimeError('no thread can be started')\n"
        begin += "from kernelbook.runtime import available\navailable.THREADS, threading.Thread.start = False, refuse\n"
    done = subprocess.run([sys.executable, "-c", begin + code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.skipif("WITHOUT" in os.environ, reason="this is the test that sets it")
@pytest.mark.parametrize("missing", [pytest.param(name, marks=() if name == EVERY else thorough) for name in TESTS])
def test_the_library_passes_its_tests_without(missing):
    command = [sys.executable, "-m", "pytest", "-q", "-W", "ignore", "-p", "no:cacheprovider", *TESTS[missing]]
    done = subprocess.run(
        command, cwd=ROOT / "tests" / "library", env={**os.environ, "WITHOUT": missing}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_everything_is_imported_and_fits_without():
    code = """
import numpy as np, kernelbook
from kernelbook import RBF, SVC, SVR, KernelPCA, KernelRidgeCV, OneClassSVM, Subsequence, SVCCV
X = np.random.default_rng(0).normal(size=(300, 2))
y = (X[:, 0] * X[:, 1] > 0) * 1
for model in SVC(RBF(1.0), C=10), SVCCV([RBF(0.1), RBF(1.0)], [1, 10]):
    print(model.fit(X, y).score(X, y) > 0.9)
for model in SVR(RBF(1.0)), KernelPCA(2, RBF(1.0)), KernelRidgeCV(RBF(1.0)), OneClassSVM(RBF(1.0)):
    model.fit(X, X[:, 0])
print(Subsequence(2, 0.5)(["cat", "cart"]).round(3).tolist())
"""
    missing, _ = outcome(code)
    assert missing == outcome(code, "")[0]
    assert missing.startswith("True\nTrue\n")


def test_the_reference_says_in_one_sentence_what_takes_its_place():
    code = """
import numpy as np
from kernelbook import RBF, SVC
X = np.random.default_rng(0).normal(size=(60, 2))
y = (X[:, 0] > 0) * 1
machines = [SVC(RBF(1.0), solver=solver, tol=1e-9).fit(X, y) for solver in ("smo", "interior_point", "interior_point")]
print(np.ptp([machine.dual_coef_ @ machine.dual_coef_.T for machine in machines]) < 1e-6)
"""
    found, said = outcome(code, "cvxopt")
    assert found == "True\n"
    assert said.count("CVXOPT is not installed here: SMO takes the place of its interior-point method.") == 1


def test_memory_is_told_by_psutil_or_by_what_can_be_addressed(monkeypatch):
    assert 0 < available.free_memory() <= sys.maxsize
    monkeypatch.setattr(available, "psutil", None)
    assert available.free_memory() == sys.maxsize


@pytest.mark.parametrize(
    ("compiled", "quick", "found"), [(True, "", 30), (True, "0", 30), (True, "1", 5), (False, "", 5)]
)
def test_less_is_done_and_said_where_loops_are_slow_or_somebody_is_in_a_hurry(
    monkeypatch, capsys, compiled, quick, found
):
    monkeypatch.setattr(available, "COMPILED", compiled)
    monkeypatch.setenv("KERNELBOOK_QUICK", quick)
    assert available.affordable(30, 5) == found
    assert ("5 in place of 30" in capsys.readouterr().out) == (found == 5)

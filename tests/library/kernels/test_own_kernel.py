"""The kernel that the page "A kernel of your own" writes in ten lines takes part in everything."""

import pickle
import re
from importlib import import_module
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from kernelbook import RBF, SVC, Columns, Kernel, KernelPCA, KernelRidge, SetKernel, Spectrum, kernels

PAGE = nbformat.read(Path(__file__).parents[3] / "book" / "own-kernel.ipynb", as_version=4)
FIRST, SECOND, *CODE = [cell.source for cell in PAGE.cells if cell.cell_type == "code"]
IMPORTS = f"{FIRST}\n{SECOND}"
CLASS = next(source for source in CODE if "class Prefix(" in source)
USE = next(source for source in CODE if "GridSearchCV(SVC(kernel)" in source)
WORDS = ["", "a", "ab", "abc", "abd", "b", "bab", "abc"]


@pytest.fixture(scope="module")
def Prefix(tmp_path_factory):
    """The class, from a module that Python can find again."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "prefix_kernel.py").write_text(f"{IMPORTS}\n{CLASS}", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield import_module("prefix_kernel").Prefix


def test_it_takes_ten_lines():
    _, head, docstring, body = re.split(r"(class .*\n) +('''.*'''\n)", CLASS)
    assert docstring
    needed = [line for line in (head + body).split("\n") if line.strip() and "_parameter_constraints" not in line]
    assert len(needed) <= 10


def test_its_values_are_those_of_its_formula(Prefix):
    def k(x, y, b):
        """A feature for each prefix of x and y."""
        shared = {x[:length] for length in range(1, len(x) + 1)} & {y[:length] for length in range(1, len(y) + 1)}
        return 1 + sum(b ** len(prefix) - b ** (len(prefix) - 1) for prefix in shared)

    for b in 1, 2, 2.5:
        expected = [[k(x, y, b) for y in WORDS[:5]] for x in WORDS]
        assert_allclose(Prefix(b)(WORDS, WORDS[:5]), expected, rtol=1e-15)


def test_it_obeys_the_laws(Prefix):
    kernel = Prefix(3)
    K = kernel(WORDS)
    assert kernel.psd
    assert kernel.conditionally_psd
    assert K.dtype == float
    assert_array_equal(K, K.T)
    assert_array_equal(kernel(WORDS, WORDS), K)
    assert_array_equal(kernel.diag(WORDS), K.diagonal())
    assert np.linalg.eigvalsh(K)[0] > -1e-12 * K.max()
    distance = kernel.distance(WORDS)
    assert_allclose(distance**2, np.add.outer(K.diagonal(), K.diagonal()) - 2 * K, rtol=1e-12)
    assert distance[3, 7] == 0


def test_it_joins_the_algebra(Prefix):
    K, S = Prefix(2)(WORDS), Spectrum(1)(WORDS)
    made = 0.5 * (Prefix(2) + Spectrum(1)) ** 2 * Prefix(2).normalized() + 1
    root = np.sqrt(K.diagonal())
    assert_allclose(made(WORDS), 0.5 * (K + S) ** 2 * (K / np.outer(root, root)) + 1, rtol=1e-12)
    assert made.psd
    assert repr(made) == "0.5 * (Prefix(b=2) + Spectrum(n=1)) ** 2 * Prefix(b=2).normalized() + 1"
    assert_array_equal(eval(repr(made), {"Prefix": Prefix, "Spectrum": Spectrum})(WORDS), made(WORDS))
    assert not (-1 * Prefix()).psd
    assert_allclose(Prefix().radial(0.1).exp()(WORDS).diagonal(), np.e)
    assert SetKernel(Prefix(2))([WORDS[:3], WORDS[3:]])[0, 1] == K[:3, 3:].sum()
    frame = pd.DataFrame({"name": WORDS, "size": np.arange(8.0)})
    table = Columns([("name", Prefix(2)), (["size"], RBF(1.0))])
    assert_allclose(table(frame), K + RBF(1.0)(frame[["size"]]), rtol=1e-15)


def test_it_is_copied_with_its_parameters(Prefix):
    kernel = Prefix(3)
    assert repr(Prefix()) == "Prefix()"
    for copy in clone(kernel), pickle.loads(pickle.dumps(kernel)), clone(2 * kernel).kernel:
        assert copy is not kernel
        assert isinstance(copy, Kernel)
        assert repr(copy) == "Prefix(b=3)"
        assert_array_equal(copy(WORDS), kernel(WORDS))
    assert (kernel + kernel).set_params(right__b=2).get_params()["right__b"] == 2


def test_every_estimator_takes_it(Prefix):
    y = [word[:1] == "a" for word in WORDS]
    assert SVC(Prefix(), C=100).fit(WORDS, y).score(WORDS, y) == 1
    target = np.array([len(word) for word in WORDS], dtype=float)
    model = KernelRidge(Prefix(), 0.1).fit(WORDS, target)
    A = Prefix()(WORDS) + 0.1 * np.eye(8)
    assert_allclose(model.predict(["abcd"]), Prefix()(["abcd"], WORDS) @ np.linalg.solve(A, target), rtol=1e-9)
    Z = KernelPCA(3, Prefix()).fit_transform(WORDS)
    assert Z.shape == (8, 3)
    fitted = SVC(Prefix()).fit(WORDS, y)
    assert_array_equal(pickle.loads(pickle.dumps(fitted)).decision_function(WORDS), fitted.decision_function(WORDS))


def test_its_use_runs_as_it_stands(Prefix, capsys):
    names = {}
    exec(IMPORTS, names)
    exec(USE, names | {"Prefix": Prefix})
    assert capsys.readouterr().out == "['mathematics' 'literature'] Prefix(b=2).normalized() + 0.1 * Spectrum(n=2)\n"


@pytest.mark.parametrize(
    ("b", "objects", "message"),
    [
        (0.5, WORDS, r"'b' parameter of Prefix must be a float in the range \[1.0, inf\). Got 0.5"),
        (np.nan, WORDS, "'b' parameter of Prefix"),
        (2, "abc", "X must be a list of strings|X must be an array or a list"),
        (2, ["a", 1], r"X must be a list of strings, but X\[1\] is 1"),
    ],
)
def test_it_refuses_what_it_cannot_take(Prefix, b, objects, message):
    for compute in Prefix(b), Prefix(b).fit, (Prefix(b) + 1).distance:
        with pytest.raises(ValueError, match=message):
            compute(objects)


def test_the_classes_that_it_names_are_there():
    table = next(cell.source for cell in PAGE.cells if "| your objects |" in cell.source)
    rows = re.findall(r"^\| (?!your objects|---).*", table, re.MULTILINE)
    assert len(rows) == 5
    for row in rows:
        _, _, bases, _ = row.split("|")
        for base in re.findall(r"`(\w+Kernel)`", bases):
            assert base in kernels.__all__
            assert issubclass(vars(kernels)[base], Kernel)


@pytest.mark.parametrize(
    "compose",
    [
        lambda k: k + RBF(0.1),
        lambda k: RBF(0.1) + k,
        lambda k: k * RBF(0.1),
        lambda k: 0.5 * k,
        lambda k: k**2,
        lambda k: k.normalized(),
        lambda k: k.radial(0.01),
    ],
)
def test_whole_numbers_are_as_good_as_floats(compose):
    class Whole(kernels.VectorKernel):
        psd = True

        def _block(self, X, Y):
            return (X @ (X if Y is None else Y).T).astype(int)

        def _diag(self, X):
            return (X**2).sum(axis=1).astype(int)

    X = np.random.default_rng(0).integers(1, 9, size=(6, 3))
    assert_allclose(compose(Whole())(X), compose(kernels.Linear())(X), rtol=1e-14)

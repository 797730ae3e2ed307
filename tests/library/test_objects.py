"""Every estimator takes strings, sets, pairs, nodes of a graph, whole graphs, series and rows of a mixed table.

Their Gram matrix is the oracle: "precomputed" knows nothing of strings, and has to say the same.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_outlier_detector, is_regressor
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from kernelbook import SVC, KernelRidge
from kernelbook.kernels import (
    RBF,
    Columns,
    Diffusion,
    GlobalAlignment,
    Jaccard,
    Mismatch,
    MissingValue,
    Overlap,
    Pairwise,
    Precomputed,
    SetKernel,
    Spectrum,
    Subsequence,
    WeisfeilerLehman,
)
from tests.library.estimators import UNCHOOSY, assert_same, every_unchoosy, make, outputs, parameters
from tests.library.kernels.kinds import KINDS, SOME
from tests.marks import THOROUGH

N = 40
rng = np.random.default_rng(0)
LENGTHS = rng.integers(4, 9, N + 5)
WORDS = ["".join(rng.choice(list("ab" if i % 2 else "bc"), size=size)) for i, size in enumerate(LENGTHS)]
S = np.triu(rng.random((N + 5, N + 5)) < 0.15, 1)
S = (S | S.T).astype(float)
NODES = np.arange(N + 5)
TABLE = pd.DataFrame(
    {
        "age": rng.normal(size=N + 5),
        "colour": rng.choice(["red", "green"], size=N + 5),
        "name": WORDS,
        "seen": rng.choice(np.array(["yes", "no", None], dtype=object), size=N + 5),
    }
)
MIXED = Columns(
    [
        (["age"], RBF("scale")),
        (["colour"], Overlap()),
        ("name", Spectrum(2).normalized()),
        (["seen"], MissingValue(Overlap())),
    ]
)
SETS = [{word[i : i + 2] for i in range(len(word) - 1)} for word in WORDS]
SERIES = [np.column_stack([np.array(list(word)) == "b", np.arange(len(word)) / 4]).cumsum(axis=0) for word in WORDS]
GRAPHS = [(np.eye(len(word), k=1, dtype=int) + np.eye(len(word), k=-1, dtype=int), list(word)) for word in WORDS]
OBJECTS = {
    "strings": (WORDS, Spectrum(2).normalized() + 0.1 * Spectrum(1)),
    "strings that forgive": (WORDS, Subsequence(2).normalized() + Mismatch("abc", 3).normalized()),
    "graphs": (GRAPHS, WeisfeilerLehman(2).normalized() + 0.1 * WeisfeilerLehman(0)),
    "series": (SERIES, GlobalAlignment("median").normalized()),
    "nodes": (NODES, Diffusion(S, 0.5)),
    "mixed table": (TABLE, MIXED),
    "sets": (SETS, Jaccard() * SetKernel(Spectrum(1))),
    "pairs": ([(int(i), int(j)) for i, j in zip(NODES, rng.permutation(NODES), strict=True)], Pairwise(Diffusion(S))),
}
every_object = pytest.mark.parametrize("kind", OBJECTS)
some_objects = pytest.mark.parametrize("kind", OBJECTS if THOROUGH else list(OBJECTS)[::3])


def split(objects):
    if isinstance(objects, pd.DataFrame):
        return objects.iloc[:N], objects.iloc[N:]
    return objects[:N], objects[N:]


def targets(cls):
    """What is to be learned of the objects: how often a word has the letter b."""
    count = np.array([word.count("b") for word in WORDS[:N]], dtype=float)
    if is_classifier(cls()):
        return (np.argsort(np.argsort(count)) >= N // 2).astype(int)
    return count if is_regressor(cls()) else None


def of_objects(cls, kernel):
    """The estimator with this kernel, and with no other that is for vectors."""
    model = make(cls, kernel)
    return model.set_params(local=kernel) if "local" in parameters(cls) else model


@every_unchoosy
@every_object
def test_objects_say_what_their_gram_matrix_says(cls, kind):
    objects, kernel = OBJECTS[kind]
    (X, new), y = split(objects), targets(cls)
    model = of_objects(cls, kernel).fit(X, y)
    fitted = clone(kernel).fit(X)
    if "local" in parameters(cls):  # what is learned from the kernel's values needs those of new objects too
        rows, oracle = np.arange(N + 5), of_objects(cls, Precomputed(fitted(objects)))
        expected = outputs(oracle.fit(rows[:N], y), rows[N:])
    else:
        expected = outputs(make(cls, "precomputed").fit(fitted(X), y), fitted(new, X))
    assert_same(outputs(model, new), expected)


@every_unchoosy
@some_objects
def test_copies_of_a_fitted_estimator(cls, kind):
    objects, kernel = OBJECTS[kind]
    (X, new), y = split(objects), targets(cls)
    model = of_objects(cls, kernel).fit(X, y)
    for copy in pickle.loads(pickle.dumps(model)), clone(model).fit(X, y):
        assert_same(outputs(copy, new), outputs(model, new))


@every_unchoosy
@some_objects
def test_what_is_changed_in_the_objects_later_changes_nothing(cls, kind):
    objects, kernel = OBJECTS[kind]
    (X, new), y = split(pickle.loads(pickle.dumps(objects))), targets(cls)
    model = of_objects(cls, kernel).fit(X, y)
    said = outputs(model, new)
    if isinstance(X, pd.DataFrame):
        X.loc[0, "age"] = 1e6
    elif isinstance(X[0], set):
        X[0].add("something else")
    elif kind == "series":
        X[0][:] += 1
    elif kind == "graphs":
        X[0][0][:] = 0
        X[1][1][0] = "z"
    else:
        X[0] = X[1]
    assert_same(outputs(model, new), said)


@every_unchoosy
@some_objects
def test_cross_validation(cls, kind):
    objects, kernel = OBJECTS[kind]
    X, _ = split(objects)
    y = targets(cls)
    if y is None:
        pytest.skip("it has no score")
    folds = KFold(4, shuffle=True, random_state=0)
    assert np.isfinite(cross_val_score(of_objects(cls, kernel), X, y, cv=folds)).all()


GRIDS = [
    ("strings", "kernel__left__kernel__n", [1, 2, 3]),
    ("strings that forgive", "kernel__left__kernel__decay", [0.1, 0.9]),
    ("strings that forgive", "kernel__right__kernel__m", [0, 1, 2]),
    ("graphs", "kernel__left__kernel__depth", [0, 3]),
    ("series", "kernel__kernel__gamma", [0.1, "scale"]),
    ("nodes", "kernel__beta", [0.1, 1.0]),
    ("mixed table", "kernel__0__gamma", [0.1, 1.0]),
    ("mixed table", "kernel__2__kernel__n", [1, 2]),
    ("mixed table", "kernel__2", [Spectrum(1), 2 * Spectrum(2)]),
    ("mixed table", "kernel__3__base", [Overlap(), 3 * Overlap()]),
    ("strings", "kernel__right__factor", [0.1, 1.0]),
    ("sets", "kernel__right__base__n", [1, 2]),
    ("pairs", "kernel__base__beta", [0.1, 1.0]),
]


# Every grid with two estimators, and every estimator with some grids: what is searched, and what with, do not know of
# each other.
TRIED = [(cls, *grid) for cls in UNCHOOSY for grid in (GRIDS if THOROUGH and cls in (SVC, KernelRidge) else GRIDS[::4])]


@pytest.mark.parametrize(("cls", "kind", "name", "values"), TRIED)
def test_grids_over_nested_names(cls, kind, name, values):
    if "kernel" not in parameters(cls) or not (is_classifier(cls()) or is_regressor(cls())):
        pytest.skip("it searches itself, or has no score")
    objects, kernel = OBJECTS[kind]
    (X, _), y, folds = split(objects), targets(cls), KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(of_objects(cls, kernel), {name: values}, cv=folds, error_score="raise").fit(X, y)
    for value, score in zip(values, search.cv_results_["mean_test_score"], strict=True):
        other = clone(kernel).set_params(**{name.removeprefix("kernel__"): value})
        model = of_objects(cls, kernel).set_params(kernel=other)
        assert cross_val_score(model, X, y, cv=folds).mean() == pytest.approx(score, rel=1e-6)
    assert repr(search.best_estimator_.get_params()[name]) == repr(search.best_params_[name])


@every_unchoosy
@pytest.mark.parametrize("kind", KINDS)
def test_every_kernel_says_what_its_gram_matrix_says(cls, kind):
    objects = SOME[kind]
    rows = [i for i in range(len(objects)) if i != 1] * 5  # number 1 is new when the rest is learned
    X, compared = [objects[i] for i in rows], 0
    for kernel in (clone(kernel).fit(X) for kernel in KINDS[kind][1] if kernel.psd):
        K = kernel(objects)
        if len(np.unique((K / np.abs(K).max()).round(9), axis=0)) < 3:
            continue  # each of two classes would be one point, without scatter
        if is_outlier_detector(cls()) and not (K >= 0).all():
            continue  # the origin may lie among the objects, and none be an outlier
        value = K[rows, np.ptp(K[rows], axis=0).argmax()]
        y = value if is_regressor(cls()) else (value > value.mean()).astype(int)
        models = of_objects(cls, kernel), of_objects(cls, Precomputed(K))
        if "nu" in parameters(cls):  # feasible where one of five objects is a class
            models = [model.set_params(nu=0.3) for model in models]
        model, oracle = models
        assert_same(outputs(model.fit(X, y), objects), outputs(oracle.fit(rows, y), np.arange(len(objects))))
        compared += 1
    assert compared

"""Exact features: their products with those of training objects are the kernel."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import (
    RBF,
    SVC,
    Columns,
    Constant,
    ExactFeatures,
    FeatureRidgeCV,
    KernelRidge,
    Linear,
    Overlap,
    Spectrum,
)
from kernelbook.features import exact
from tests.library.samples import random_words

RNG = np.random.default_rng(0)
WORDS = [*random_words("abcd", RNG.integers(2, 9, 40)), "a", "xyz"]
TABLE = pd.DataFrame(
    {"name": WORDS, "size": [float(len(word)) for word in WORDS], "first": [word[0] for word in WORDS]}
)
CASES = {
    "linear": (Linear(), RNG.normal(size=(42, 3))),
    "linear and more": (2 * Linear() + 1, RNG.normal(size=(42, 3))),
    "n-grams": (Spectrum(2), WORDS),
    "n-grams and letters": ((Spectrum(2) + 0.5 * Spectrum(1) + 1).normalized(), WORDS),
    "categories": (Overlap(), TABLE[["first", "size"]]),
    "table": (Columns([("name", Spectrum(2)), (["first"], 3 * Overlap()), (["size"], Linear())]), TABLE),
}
every_case = pytest.mark.parametrize(("kernel", "objects"), CASES.values(), ids=CASES)


@parametrize_with_checks([ExactFeatures(), ExactFeatures(2 * Linear())])
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


def dense(F):
    return F.toarray() if sp.issparse(F) else F


@every_case
def test_products_are_the_kernel(kernel, objects, monkeypatch):
    seen = objects[:25]
    model = pickle.loads(pickle.dumps(ExactFeatures(kernel).fit(seen)))
    F = dense(model.transform(objects))
    assert_allclose(F @ F[:25].T, kernel(objects, seen), rtol=1e-12, atol=1e-12)
    whole = dense(ExactFeatures(kernel).fit_transform(objects))
    assert_allclose(whole @ whole.T, kernel(objects), rtol=1e-12, atol=1e-12)
    assert F.shape[1] == len(model.get_feature_names_out())
    monkeypatch.setattr(exact, "NUMBERS", 7 * exact.SPARSE_WIDTH)
    assert_array_equal(dense(model.transform(objects)), F)


def test_they_are_sparse_and_count_as_scikit_learn_does():
    counts = CountVectorizer(analyzer="char", ngram_range=(2, 2), lowercase=False).fit_transform(WORDS).toarray()
    F = ExactFeatures(Spectrum(2)).fit_transform(WORDS)
    assert sp.issparse(F)
    assert F.nnz == np.count_nonzero(counts)
    assert_array_equal(np.sort(F.sum(axis=0)), np.sort(counts.sum(axis=0)))


def test_categories_agree_where_python_calls_them_equal():
    rows = [[1, "1"], [1.0, "a"], [True, "1"]]
    F = ExactFeatures(Overlap()).fit_transform(rows).toarray()
    assert_allclose(F @ F.T, Overlap()(rows))


def test_a_linear_model_is_the_machine_with_the_kernel():
    y = np.array([word.count("b") for word in WORDS], dtype=float)
    ours = FeatureRidgeCV(ExactFeatures(Spectrum(2)), [0.3]).fit(WORDS, y)
    exact_fit = KernelRidge(Spectrum(2), 0.3, fit_intercept=True).fit(WORDS, y)
    assert_allclose(ours.predict(WORDS), exact_fit.predict(WORDS), atol=1e-9)
    labels = y > 0
    F = ExactFeatures(Spectrum(2)).fit_transform(WORDS)
    by_features = SVC(Linear(), C=1.0, tol=1e-9).fit(F.toarray(), labels).decision_function(F.toarray())
    assert_allclose(
        by_features, SVC(Spectrum(2), C=1.0, tol=1e-9).fit(WORDS, labels).decision_function(WORDS), atol=1e-6
    )


@pytest.mark.parametrize(
    ("model", "objects", "message"),
    [
        (ExactFeatures(RBF(1.0)), [[1.0]], r"got RBF\(gamma=1\.0\): Nystroem takes any kernel\."),
        (ExactFeatures(Linear() * Linear()), [[1.0]], "kernel must have features that can be listed"),
        (ExactFeatures(-1 * Linear()), [[1.0]], "has a negative factor"),
        (ExactFeatures("precomputed"), [[1.0]], "got 'precomputed'"),
        (ExactFeatures(Spectrum()), [[1.0]], "X must be a list of strings"),
        (ExactFeatures(Overlap()), [["a", None]], "must have a category in every place"),
        (ExactFeatures(Spectrum(3).normalized()), ["ab"], r"k\(x, x\) = 0"),
    ],
)
def test_bad_input(model, objects, message):
    with pytest.raises(ValueError, match=message):
        model.fit(objects)


def test_a_constant_has_one_feature_for_objects_of_any_kind():
    assert_array_equal(ExactFeatures(Constant(4.0)).fit_transform(["a", "b"]), [[2.0], [2.0]])

"""Kernel PCA: agreement with PCA and scikit-learn, brute force in a finite feature space, laws, bad input."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.decomposition import KernelPCA as SklearnKernelPCA
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelbook import RBF, KernelPCA, Linear, Polynomial, Precomputed, Sigmoid
from kernelbook.base import prediction
from kernelbook.kernels import VectorKernel
from kernelbook.linalg.gram import centre
from tests.library.samples import reference_sample, stretched_normal


def assert_same_up_to_sign(found, expected, rtol):
    signs = np.sign(np.sum(found * expected, axis=0))
    assert_allclose(found * signs, expected, atol=rtol * np.abs(expected).max())


@parametrize_with_checks([KernelPCA(), KernelPCA(2), KernelPCA(0.9)])
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_reference_numbers():
    X = reference_sample()[0]
    assert_allclose(KernelPCA(3, RBF(0.2)).fit(X).eigenvalues_, [14.93454545, 13.85678572, 12.25586773], rtol=1e-9)


@pytest.mark.parametrize("n", [60, 600])
def test_the_linear_kernel_gives_pca(n):
    (X, new), oracle = stretched_normal(n), PCA(3)
    scores, model = oracle.fit_transform(X + 5), KernelPCA(3, Linear(), preimage="ridge").fit(X + 5)
    assert_same_up_to_sign(model.transform(X + 5), scores, 1e-10)
    assert_same_up_to_sign(model.transform(new), oracle.transform(new), 1e-10)
    assert_same_up_to_sign(model.coef_.T, oracle.components_.T, 1e-10)
    assert_allclose(model.eigenvalues_, (n - 1) * oracle.explained_variance_, rtol=1e-10)
    assert_allclose(model.explained_variance_ratio_, oracle.explained_variance_ratio_, rtol=1e-10)
    assert_allclose(model.inverse_transform(model.transform(new)), new, atol=1e-9)
    two, back = KernelPCA(2, Linear()).fit(X + 5), PCA(2).fit(X + 5)
    assert_allclose(two.inverse_transform(two.transform(new)), back.inverse_transform(back.transform(new)), atol=1e-9)
    assert_allclose(two.reconstruction_error(new), np.square(oracle.transform(new)[:, 2]), atol=1e-9)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (RBF(0.1), {"kernel": "rbf", "gamma": 0.1}),
        (Polynomial(2, 0.5, 2), {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 2}),
        (Linear().normalized(), {"kernel": "cosine"}),
        (Sigmoid(0.05, -0.3), {"kernel": "sigmoid", "gamma": 0.05, "coef0": -0.3}),
    ],
    ids=["rbf", "poly", "cosine", "sigmoid"],
)
@pytest.mark.parametrize(("n", "q"), [(60, 1), (60, 3), (600, 2)])
@pytest.mark.filterwarnings("ignore:the centred Gram matrix")
def test_agrees_with_scikit_learn(ours, theirs, n, q):
    X, new = stretched_normal(n)
    oracle = SklearnKernelPCA(q, eigen_solver="dense", **theirs).fit(X)
    model = KernelPCA(q, ours).fit(X)
    assert_allclose(model.eigenvalues_, oracle.eigenvalues_, rtol=1e-9)
    assert_same_up_to_sign(model.transform(new), oracle.transform(new), 1e-9)
    assert_same_up_to_sign(model.fit_transform(X), oracle.transform(X), 1e-9)
    assert_same_up_to_sign(model.dual_coef_ * np.sqrt(model.eigenvalues_), oracle.eigenvectors_, 1e-9)
    K, K_new = ours(X), ours(new, X)
    assert_allclose(KernelPCA(q, "precomputed").fit(K).transform(K_new), model.transform(new), atol=1e-9)


@pytest.mark.parametrize("kernel", [RBF("scale"), Polynomial(2), Linear() + 0.1 * RBF(1.0)], ids=repr)
@pytest.mark.parametrize(("n", "q"), [(60, None), (60, 4), (60, 0.8), (600, 4)])
def test_training_objects_are_projected_where_they_were(kernel, n, q):
    X, _ = stretched_normal(n)
    model = KernelPCA(q, kernel)
    scores = model.fit_transform(X)
    assert_allclose(model.transform(X), scores, atol=1e-9 * scores.max())
    assert_allclose(scores.sum(axis=0), 0, atol=1e-9 * np.abs(scores).sum(axis=0).max())
    assert_allclose(scores.T @ scores, np.diag(model.eigenvalues_), atol=1e-9 * model.eigenvalues_[0])
    assert_array_equal(clone(model).fit(X).transform(X), model.transform(X))


def test_axes_are_orthonormal_functions():
    X, new = stretched_normal(60)
    model = KernelPCA(4, RBF(0.2)).fit(X)
    axes = model.rkhs_function()
    assert_allclose([[v.inner(w) for w in axes] for v in axes], np.eye(4), atol=1e-10)
    found = np.column_stack([v(new) - v(X).mean() for v in axes])
    assert_allclose(found, model.transform(new), atol=1e-12)


@pytest.mark.parametrize("n", [40, 900])
def test_brute_force_in_a_finite_feature_space(n):
    """Eigenvectors of the covariance matrix C of the features, which are written out."""
    (X, new), kernel = stretched_normal(n, 2), Polynomial(2, 0.5, 2.0)
    model = KernelPCA(3, kernel).fit(X)
    mean = kernel.features(X).mean(axis=0)
    phi, phi_new = kernel.features(X) - mean, kernel.features(new) - mean
    C, v = phi.T @ phi / n, phi.T @ model.dual_coef_
    assert_allclose(C @ v, v * model.eigenvalues_ / n, atol=1e-10 * np.abs(C).max())
    assert_allclose(v.T @ v, np.eye(3), atol=1e-10)
    assert_allclose(np.linalg.eigvalsh(C)[::-1][:3], model.eigenvalues_ / n, rtol=1e-9)
    assert_allclose(model.explained_variance_ratio_, model.eigenvalues_ / n / np.trace(C), rtol=1e-9)
    assert_allclose(model.transform(new), phi_new @ v, atol=1e-10 * np.abs(phi_new).max())
    assert_allclose(model.transform(X).var(axis=0), model.eigenvalues_ / n, rtol=1e-9)
    assert (KernelPCA(None, kernel).fit(X).reconstruction_error(X) >= 0).all()  # all of them rounding
    left = phi_new - phi_new @ v @ v.T
    assert_allclose(model.reconstruction_error(new), np.square(left).sum(axis=1), atol=1e-9 * np.square(phi_new).max())
    assert_allclose(model.reconstruction_error(X).mean(), np.trace(C) - model.eigenvalues_.sum() / n, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:the centred Gram matrix")
def test_what_is_left_by_a_kernel_that_is_not_psd():
    X, new = stretched_normal(60)
    K, across = Sigmoid(0.5, -1)(X), Sigmoid(0.5, -1)(new, X)
    model = KernelPCA(3, Sigmoid(0.5, -1)).fit(X)
    length = Sigmoid(0.5, -1)(new).diagonal() - 2 * across.mean(axis=1) + K.mean()
    left = length - np.square(model.transform(new)).sum(axis=1)
    assert left.min() < -0.1
    assert_allclose(model.reconstruction_error(new), left, atol=1e-12)


def test_rank_bounds_the_number_of_components():
    X, _ = stretched_normal(50, 2)
    assert len(KernelPCA(None, Linear()).fit(X).eigenvalues_) == 2
    assert len(KernelPCA(16, Polynomial(2)).fit(X).eigenvalues_) == 5
    assert len(KernelPCA(None, RBF(1.0)).fit(X[:12]).eigenvalues_) == 11
    assert len(KernelPCA(None, RBF(1.0)).fit(np.repeat(X[:7], 5, axis=0)).eigenvalues_) == 6
    assert KernelPCA(9, Polynomial(2)).fit_transform(np.vstack([X] * 20)).shape == (1000, 5)


@pytest.mark.parametrize("q", [None, 0.5, 0.95, 0.999])
def test_a_share_takes_as_few_components_as_explain_it(q):
    X, _ = stretched_normal(60)
    ratio = KernelPCA(None, RBF(0.1)).fit(X).explained_variance_ratio_
    assert_allclose(ratio.sum(), 1)
    found = KernelPCA(q, RBF(0.1)).fit(X).explained_variance_ratio_
    assert_allclose(found, ratio[: len(found)])
    assert found.sum() >= (q or 1 - 1e-9)
    assert q is None or found[:-1].sum() < q


@pytest.mark.parametrize("share", range(1, 10))
def test_a_share_of_equal_parts_takes_as_many(share):
    """Their sums in doubles fall short: eight tenths by 10⁻¹⁶."""
    assert len(KernelPCA(share / 10, "precomputed").fit(np.eye(11)).eigenvalues_) == share


def test_a_constant_added_to_the_kernel_changes_nothing():
    X, new = stretched_normal(60)
    plain = KernelPCA(4, "precomputed").fit(RBF(0.2)(X))
    moved = KernelPCA(4, "precomputed").fit(RBF(0.2)(X) + 1e3)
    assert_allclose(moved.transform(RBF(0.2)(new, X) + 1e3), plain.transform(RBF(0.2)(new, X)), atol=1e-10)
    assert_allclose(moved.explained_variance_ratio_, plain.explained_variance_ratio_, rtol=1e-10)


@pytest.mark.parametrize("far", [0, 1e8])
def test_what_centring_leaves_of_a_constant_is_rounding(far):
    """Components of a K far from zero are noise where they are smaller than its rounding."""
    X, _ = stretched_normal(50, 2)
    found = KernelPCA(None, "precomputed").fit(Linear()(X) + far).eigenvalues_
    assert_allclose(found, KernelPCA(None, Linear()).fit(X).eigenvalues_, rtol=1e-6)


@pytest.mark.parametrize("n", [20, 700])
@pytest.mark.parametrize(("kernel", "far", "dimension"), [(Linear(), 1e6, 2), (Polynomial(2), 100, 5)], ids=repr)
def test_data_far_from_zero_have_as_many_components_as_near(n, kernel, far, dimension):
    X, _ = stretched_normal(n, 2)
    for count in (None, 8):
        assert len(KernelPCA(count, kernel).fit(X + far).eigenvalues_) == dimension
    near, moved = KernelPCA(2, Linear()).fit(X), KernelPCA(2, Linear()).fit(X + 1e6)
    assert_allclose(moved.eigenvalues_, near.eigenvalues_, rtol=1e-3)


@pytest.mark.parametrize("n", [20, 700])
def test_a_gram_matrix_in_single_precision_has_no_components_of_rounding(n):
    X, _ = stretched_normal(n, 2)
    K = (Linear()(X) + 1).astype(np.float32)
    for count in (None, 8):
        for form in (K, list(K), pd.DataFrame(K), K.astype(">f4")):
            model = KernelPCA(count, "precomputed").fit(form)
            assert len(model.eigenvalues_) == 2
            assert model.negative_eigenvalue_ == 0


class Single(VectorKernel):
    """1 + ⟨x, x'⟩ in single precision."""

    def _block(self, X, Y):
        return (1 + X @ (X if Y is None else Y).T).astype(np.float32)

    def _diag(self, X):
        return (1 + (X**2).sum(axis=1)).astype(np.float32)


@pytest.mark.filterwarnings("error")
def test_a_kernel_in_single_precision_gives_what_one_in_double_precision_gives():
    X, new = stretched_normal(600, 2)
    expected = KernelPCA(4, Linear() + 1).fit(X).transform(new)[:, :2]
    for kernel in (Single(), 0.5 * Single() + 0.5 * Single(), lambda A, B: Single()._block(A, B)):
        for count in (None, 4):
            found = KernelPCA(count, kernel).fit(X).transform(new)[:, :2]
            assert_same_up_to_sign(found, expected, rtol=1e-5)
    assert len(KernelPCA(None, Single()).fit(X).eigenvalues_) == 2  # no component is rounding


@pytest.mark.parametrize("count", [None, 3])
def test_a_component_needs_more_than_the_rounding_of_the_largest_number(count):
    """That is 2.7·10⁻¹⁴ here, for eigenvalues beside 1 or −1."""
    Q = np.linalg.qr(np.column_stack([np.ones(12), np.random.default_rng(0).normal(size=(12, 11))]))[0][:, 1:]

    def with_eigenvalues(first, others):
        K = (Q * np.r_[first, np.full(10, others)]) @ Q.T
        return KernelPCA(count, "precomputed").fit((K + K.T) / 2)

    assert len(with_eigenvalues(1.0, 1.5e-14).eigenvalues_) == 1
    assert len(with_eigenvalues(1.0, 4e-14).eigenvalues_) == (count or 11)
    with pytest.raises(ValueError, match="no positive eigenvalue"), pytest.warns(ConvergenceWarning):
        with_eigenvalues(-1.0, 1.5e-14)
    assert with_eigenvalues(1.0, -1e-11).negative_eigenvalue_ == 0  # as rounding elsewhere
    assert with_eigenvalues(1.0, -1e-9).negative_eigenvalue_ < 0  # it may be a rounded kernel's
    with pytest.warns(ConvergenceWarning):
        assert with_eigenvalues(1.0, -1e-5).negative_eigenvalue_ < 0


@pytest.mark.parametrize("n", [60, 600])
def test_negative_eigenvalues_are_reported_and_kept_out(n):
    X, _ = stretched_normal(n)
    K = Sigmoid(0.5, -1)(X)
    mu = np.linalg.eigvalsh(centre(K))[::-1]
    with pytest.warns(ConvergenceWarning, match=f"has the negative eigenvalue {mu[-1]:.3g}, the largest being"):
        model = KernelPCA(5, Sigmoid(0.5, -1)).fit(X)
    assert_allclose(model.negative_eigenvalue_, mu[-1], rtol=1e-3)
    assert_allclose(model.eigenvalues_, mu[:5], rtol=1e-9)
    assert_allclose(model.explained_variance_ratio_, mu[:5] / mu.sum(), rtol=1e-8)
    assert_allclose(model.transform(X), model.dual_coef_ * model.eigenvalues_, atol=1e-8)
    assert KernelPCA(5, "precomputed").fit(RBF(1.0)(X)).negative_eigenvalue_ == 0
    assert KernelPCA(5, RBF(1.0)).fit(X).negative_eigenvalue_ == 0


@pytest.mark.filterwarnings("ignore:the centred Gram matrix")
def test_a_trace_that_is_not_positive_has_no_shares():
    K = np.diag([1.0, 1.0, -5.0, -5.0])
    model = KernelPCA(None, "precomputed").fit(K)
    assert np.isnan(model.explained_variance_ratio_).all()
    assert_allclose(model.eigenvalues_[0], 1)
    with pytest.raises(ValueError, match=r"n_components=0.5 is a share of the variance, but .* is not positive"):
        KernelPCA(0.5, "precomputed").fit(K)


def shared_letters(X, Y):
    return [[len(set(x) & set(y)) for y in Y] for x in X]


def test_strings_go_in_as_a_list():
    words = ["kernel", "kernels", "colonel", "ridge", "bridge", "fridge"]
    model = KernelPCA(2, shared_letters).fit(words)
    first = model.transform(words)[:, 0]
    assert (first[:3] > 0).all()
    assert (first[3:] < 0).all()
    assert_allclose(model.transform(words), model.fit_transform(words), atol=1e-12)
    left = centre(shared_letters(words, words)).diagonal() - np.square(model.transform(words)).sum(axis=1)
    assert_allclose(model.reconstruction_error(words), left, atol=1e-12)
    with pytest.raises(ValueError, match=r"inverse_transform needs training objects that are vectors"):
        model.inverse_transform([[0.0, 0.0]])


def test_every_form_of_a_kernel_gives_the_same_components(monkeypatch):
    X, new = stretched_normal(60)
    everything = RBF(0.1)(np.vstack([X, new]))
    expected = KernelPCA(3, RBF(0.1)).fit(X)
    for kernel, train, test in [
        (lambda A, B: RBF(0.1)(A, B), X, new),
        (Precomputed(everything), np.arange(60), np.arange(60, 80)),
        ("precomputed", everything[:60, :60], everything[60:, :60]),
    ]:
        model = KernelPCA(3, kernel).fit(train)
        for chunk in (1, 10**6):
            monkeypatch.setattr(prediction, "BLOCK_NUMBERS", chunk)
            assert_allclose(model.transform(test), expected.transform(new), atol=1e-9)
    assert_allclose(KernelPCA(3).fit(X).transform(new), KernelPCA(3, RBF(1 / (3 * X.var()))).fit(X).transform(new))


@pytest.mark.parametrize("n", [60, 600])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_input_is_left_alone(n, order, dtype):
    X, _ = stretched_normal(n)
    K = np.array(RBF(0.1)(X), dtype=dtype, order=order)
    kept = X.copy(), K.copy()
    model = KernelPCA(3, "precomputed").fit(K)
    assert_allclose(model.transform(K), model.fit_transform(K), atol=1e-9)
    KernelPCA(3).fit(X).transform(X)
    assert_array_equal(X, kept[0])
    assert_array_equal(K, kept[1])


def test_pipelines_grids_pickles_frames():
    X, new = stretched_normal(90)
    y = (np.square(X).sum(axis=1) > 10).astype(int)
    grid = {"kernelpca__kernel__gamma": [1e-6, 0.05], "kernelpca__n_components": [2, 20]}
    search = GridSearchCV(make_pipeline(KernelPCA(), LogisticRegression()), grid, cv=3).fit(X, y)
    assert search.best_params_ == {"kernelpca__kernel__gamma": 0.05, "kernelpca__n_components": 20}
    model = KernelPCA(2).fit(X)
    assert_array_equal(pickle.loads(pickle.dumps(model)).transform(new), model.transform(new))
    assert model.get_feature_names_out().tolist() == ["kernelpca0", "kernelpca1"]
    frame = KernelPCA(2).set_output(transform="pandas").fit_transform(X)
    assert frame.columns.tolist() == ["kernelpca0", "kernelpca1"]
    assert_array_equal(frame.to_numpy(), model.fit_transform(X))


SAME = np.ones((5, 2))
BAD_FITS = {
    "no components": (KernelPCA(0), SAME, r"'n_components' parameter of KernelPCA must be .*Got 0"),
    "all of it": (KernelPCA(1.0), SAME, r"'n_components' parameter of KernelPCA must be .*Got 1\.0"),
    "kernel first": (
        KernelPCA(RBF(gamma=1)),
        SAME,
        r"n_components comes first .*write KernelPCA\(2, kernel\), for instance. It is RBF\(ga",
    ),
    "name first": (KernelPCA("rbf"), SAME, "n_components comes first .* It is 'rbf'"),
    "a word": (KernelPCA("mle"), SAME, "and is a number or None; .* It is 'mle'"),
    "two numbers": (KernelPCA(2, 3), SAME, "kernel must be a Kernel.*got 3"),
    "unknown kernel": (KernelPCA(2, "gauss"), SAME, "kernel must be a Kernel.*got 'gauss'"),
    "preimage": (KernelPCA(preimage="exact"), SAME, "'preimage' parameter.*Got 'exact'"),
    "no RBF": (KernelPCA(kernel="linear", preimage="fixed-point"), SAME, "'fixed-point' needs an RBF.*write 'ridge'"),
    "alpha": (KernelPCA(alpha=-1), SAME, "'alpha' parameter.*Got -1"),
    "one object": (
        KernelPCA(),
        SAME[:1],
        "matrix of n_samples=1 has no positive eigenvalue above rounding: to rounding, all objects",
    ),
    "no variance": (
        KernelPCA(2),
        SAME,
        "matrix of n_samples=5 has no positive eigenvalue above rounding: to rounding, all objects",
    ),
    "many the same": (
        KernelPCA(2),
        np.ones((600, 2)),
        "n_samples=600 has no positive eigenvalue above rounding: to round",
    ),
    "zero": (
        KernelPCA(2, "precomputed"),
        np.zeros((600, 600)),
        "n_samples=600 has no positive eigenvalue above rounding: to round",
    ),
    "negative": (
        KernelPCA(2, "precomputed"),
        -np.eye(5),
        "no positive eigenvalue above rounding: the kernel is not PSD",
    ),
    "NaN": (KernelPCA(), [[np.nan], [1.0]], "X contains NaN"),
    "too large": (KernelPCA(2, "precomputed"), np.diag([1e308] * 5), "values too large to be summed; scale it"),
    "not square": (KernelPCA(2, "precomputed"), [[1.0, 0.0]], r"square Gram matrix, but has shape \(1, 2\)"),
    "not symmetric": (KernelPCA(2, "precomputed"), [[1.0, 2.0], [0.0, 1.0]], "must be symmetric"),
}


@pytest.mark.parametrize(("model", "X", "message"), BAD_FITS.values(), ids=BAD_FITS)
@pytest.mark.filterwarnings("ignore:the centred Gram matrix")
def test_bad_fits_say_what_is_wrong(model, X, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X)


def test_parameters_of_the_kernel_belong_to_it():
    with pytest.raises(TypeError, match=r"KernelPCA has no gamma, .* write KernelPCA\(kernel=RBF\(gamma=0.5\)\)"):
        KernelPCA(2, gamma=0.5)
    assert KernelPCA(2).set_params(kernel__gamma=0.5).kernel.gamma == 0.5


def test_bad_calls_say_what_is_wrong():
    X, new = stretched_normal(60)
    model, other = KernelPCA(2).fit(X), KernelPCA(2, "precomputed").fit(RBF(1.0)(X))
    for method in (KernelPCA().transform, KernelPCA().inverse_transform, KernelPCA().reconstruction_error):
        with pytest.raises(NotFittedError, match="not fitted"):
            method(new)
    with pytest.raises(ValueError, match="X has 2 features, but KernelPCA is expecting 3"):
        model.transform(new[:, :2])
    with pytest.raises(ValueError, match=r"X must have a column for each of the 2 components, but has shape \(20, 3\)"):
        model.inverse_transform(new)
    with pytest.raises(ValueError, match=r"k\(x, x\) to be known, got 'precomputed'"):
        other.reconstruction_error(RBF(1.0)(new, X))
    with pytest.raises(ValueError, match="inverse_transform needs training objects that are vectors"):
        other.inverse_transform([[0.0, 0.0]])
    with pytest.raises(ValueError, match="X contains NaN"):
        model.inverse_transform([[0.0, np.nan]])


@pytest.mark.parametrize(("n_components", "matrices"), [(2, 2), (None, 5), (0.9, 5)])
def test_memory_for_the_eigenvectors_is_asked_for(monkeypatch, n_components, matrices):
    X = np.random.default_rng(0).normal(size=(30, 3))
    needed = 8 * 30**2 * matrices
    monkeypatch.setattr("kernelbook.base.training.free_memory", lambda: needed)
    KernelPCA(n_components, RBF(0.5)).fit(X)
    monkeypatch.setattr("kernelbook.base.training.free_memory", lambda: needed - 1)
    with pytest.raises(MemoryError, match=f"of 30 objects takes .*, the fit {matrices} times as much"):
        KernelPCA(n_components, RBF(0.5)).fit(X)

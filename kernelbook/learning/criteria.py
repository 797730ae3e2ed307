"""Criteria of a kernel, before anything is fitted: alignment with a target, and separability of classes."""

import numpy as np
from sklearn.utils.validation import column_or_1d

from kernelbook.base.targets import check_labels, encode_labels
from kernelbook.inputs.missing_values import unmasked
from kernelbook.inputs.times import refuse_times
from kernelbook.inputs.validation import finite_array, quoted
from kernelbook.linalg.gram import centre, gram_matrix

EQUAL_ENTRIES = 16 * np.finfo(float).eps  # share of the largest entry that centring may leave of equal entries


def target_gram(y):
    """The Gram matrix that a kernel would have if it knew y, (n, n).

    For real targets, a y of floats, L_ij = (y_i − ȳ)(y_j − ȳ). For classes, which are anything else (integers,
    booleans, strings), L_ij = 1 where y_i = y_j and 0 elsewhere: the inner products of one-hot rows. With two classes,
    centring leaves the same matrix of both forms, up to a factor. Pass integers that measure something as floats.

    Raises ValueError if y is empty, not finite, or constant.

    >>> target_gram(["a", "b", "a"])
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """
    y = unmasked(y, "y")
    refuse_times(y, "y")
    y = column_or_1d(y if np.asarray(y).dtype.kind == "f" else check_labels(y))
    if y.dtype.kind == "f":
        y = finite_array(y, "y", ensure_2d=False)
        check_varies(y)
        y = y / np.abs(y).max()
        return np.multiply.outer(y - y.mean(), y - y.mean())
    _, codes = encode_labels(y, y)
    return (codes[:, None] == codes).astype(float)


def check_varies(y):
    """ValueError if all targets are equal up to rounding."""
    largest = np.abs(y).max()
    if largest == 0 or np.ptp(y / largest) <= EQUAL_ENTRIES:
        raise ValueError(f"y must vary, but all its {len(y)} values are {y[0]:.6g}.")


def alignment(K, L):
    """⟨HKH, HLH⟩_F / (‖HKH‖_F ‖HLH‖_F), H = I − 11ᵀ/n: the correlation of two Gram matrices, centred in feature space.

    It is 1 where HKH = c HLH with c > 0, and from 0 to 1 where both matrices are PSD. Neither a factor nor a constant
    changes it: K, 2K and K + 3 are aligned alike.

    The alignment of Cristianini et al. (2001), without H, is not offered. With classes of unequal sizes it is large for
    a kernel that says nothing: for K = 11ᵀ and y_i = ±1 it is (Σ_i y_i)² / n², .64 for classes of 90 and 10 %.

    Parameters
    ----------
    K : (n, n) Gram matrix
    L : (n, n) Gram matrix; or (n,) targets, floats, or labels of classes, which mean ``target_gram(L)``

    Returns
    -------
    float in [−1, 1]

    Raises
    ------
    ValueError : a matrix is not symmetric; sizes that differ; targets that do not vary; a constant matrix, of which
        centring leaves nothing

    References
    ----------
    Cortes, Mohri & Rostamizadeh (2012), Algorithms for learning kernels based on centered alignment, JMLR 13.
    Cristianini, Shawe-Taylor, Elisseeff & Kandola (2001), On kernel-target alignment, NIPS 14.

    >>> from kernelbook import RBF
    >>> x, y = [[0.0], [1.0], [4.0], [5.0]], [-1, -1, 1, 1]
    >>> round(alignment(RBF(gamma=0.1)(x), y), 3), round(alignment(RBF(gamma=10)(x), y), 3)
    (0.983, 0.577)
    """
    K, L = _centred(gram_matrix(K, "K"), "K"), _centred(_target(L), "L")
    if len(K) != len(L):
        raise ValueError(f"K and L must be of the same objects, but K has {len(K)} and L has {len(L)}.")
    return float(np.clip(np.vdot(K, L), -1, 1))


def _target(L):
    if np.ndim(L) == 0:
        raise ValueError(f"L must be a Gram matrix, or a list of targets or labels, got {quoted(L, 40)}.")
    return target_gram(L) if np.ndim(L) == 1 else gram_matrix(L, "L")


def _centred(K, name):
    """HKH / ‖HKH‖_F; ValueError if centring leaves nothing but rounding."""
    largest = np.abs(K).max()
    centred = centre(K / largest) if largest else K
    norm = np.linalg.norm(centred)
    if norm <= EQUAL_ENTRIES * len(K):
        raise ValueError(f"{name} must vary, but all its entries are {K[0, 0]:.6g} up to what centring removes.")
    return centred / norm


def class_separability(K, y):
    """J = tr S_b / tr S_w, the scatter between the classes' means in feature space over the scatter within classes.

    With μ_c the mean of the features of class c, which has n_c objects, and μ the mean of all objects,

        tr S_b = Σ_c n_c ‖μ_c − μ‖²,    tr S_w = Σ_c Σ_{i in c} ‖φ(x_i) − μ_c‖².

    A factor of K does not change it.

    Parameters
    ----------
    K : (n, n) Gram matrix
    y : (n,) labels of two classes or more

    Returns
    -------
    float ≥ 0 if K is PSD

    Raises
    ------
    ValueError : K not symmetric; other lengths; one class only; classes without any scatter within

    References
    ----------
    Xiong, Swamy & Ahmad (2005), Optimizing the kernel in the empirical feature space, IEEE Transactions on Neural
    Networks 16.

    >>> from kernelbook import Linear
    >>> round(class_separability(Linear()([[0.0], [2.0], [4.0], [6.0]]), [0, 0, 1, 1]), 6)
    4.0
    """
    K = gram_matrix(K, "K")
    largest = np.abs(K).max()
    between, within = scatters(K / (largest or 1.0), y)
    b, w = between.sum(), within.sum()
    if not w > EQUAL_ENTRIES * len(K):
        raise ValueError("K must scatter within the classes, but the objects of each class have the same features.")
    return float(b / w)


def scatters(K, y):
    """The matrices B and W for which qᵀBq = tr S_b and qᵀWq = tr S_w of the kernel q(x) q(x') k(x, x'), q_i = q(x_i).

    B = D − K/n and W = diag(K) − D, where D_ij = K_ij / n_c within class c and 0 between classes.
    """
    _, codes = encode_labels(K, y)
    D = np.where(codes[:, None] == codes, K, 0) / np.bincount(codes)[codes]
    return D - K / len(K), np.diag(K.diagonal()) - D

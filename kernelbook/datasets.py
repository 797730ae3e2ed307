"""Data of the chapters: generators, and tables that come with a dependency. Nothing here needs a network."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state, check_scalar


def load_terrain():
    """Heights around the Jacksboro fault in Tennessee, the sample terrain that comes with Matplotlib, as points.

    Returns
    -------
    X : (138632, 2) array, kilometres east and north of the south-western corner: a grid of 344 rows from south to
        north, each of 403 points from west to east, some 75 by 93 metres apart
    y : (138632,) array, metres above sea level

    References
    ----------
    Hunter (2007), Matplotlib: a 2D graphics environment; the file is ``jacksboro_fault_dem.npz`` of its sample data.

    >>> X, y = load_terrain()
    >>> print(X.max(axis=0).round(1), y.min(), y.max())
    [29.9 31.8] 236.0 1076.0
    """
    from matplotlib import cbook

    with cbook.get_sample_data("jacksboro_fault_dem.npz") as file:
        height = file["elevation"][::-1].astype(float)  # stored from north to south
        latitude = np.radians((file["ymin"] + file["ymax"]) / 2)
        degrees_east, degrees_north = file["dx"] * np.cos(latitude), file["dy"]
    km_per_degree = 111.195
    rows, columns = np.indices(height.shape)
    X = km_per_degree * np.column_stack([degrees_east * columns.ravel(), degrees_north * rows.ravel()])
    return X, height.ravel()


def sinc_mixture(x):
    """f(x) = 0.5 sinc(x − 10) + 0.8 sinc(x − 50) + 0.3 sinc(x − 80) with sinc(u) = sin(u)/u.

    >>> float(sinc_mixture(50.0).round(3))
    0.799
    """
    x = np.asarray(x, dtype=float)
    return sum(weight * np.sinc((x - centre) / np.pi) for weight, centre in ((0.5, 10), (0.8, 50), (0.3, 80)))


def make_sinc_mixture(n_samples=1052, *, noise=0.05, random_state=None):
    """Noisy observations of ``sinc_mixture`` at even distances on [0.1, 100].

    Parameters
    ----------
    n_samples : int ≥ 1, default 1052
    noise : float ≥ 0, standard deviation of the normal noise, default 0.05
    random_state : None, int or RandomState, as in scikit-learn

    Returns
    -------
    X : (n, 1) array of the places, increasing
    y : (n,) array of the observations

    >>> X, y = make_sinc_mixture(5, noise=0, random_state=0)
    >>> bool((y == sinc_mixture(X[:, 0])).all())
    True
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=1)
    check_scalar(noise, "noise", Real, min_val=0)
    X = np.linspace(0.1, 100, n_samples)[:, None]
    return X, sinc_mixture(X[:, 0]) + noise * check_random_state(random_state).standard_normal(n_samples)


def load_twenty_points():
    """Two classes of ten points in the plane that a line separates, from NumPy's legacy generator with the seed 11.

    We draw two matrices A and B with uniform entries, then two blocks P and Q of ten normal pairs, cut off at ±2. The
    positive points are (1, 1) + PA, the negative ones (3, 1) + QB.

    Returns
    -------
    X : (20, 2) array
    y : (20,) array of +1, ten times, and −1

    References
    ----------
    Krishnan (2022), Kernel methods, SVM regression: an overview; the data of its first experiment.

    >>> X, y = load_twenty_points()
    >>> print(X[0].round(3), y.sum())
    [1.049 1.218] 0
    """
    rng = check_random_state(11)
    A, B = rng.uniform(size=(2, 2, 2))
    P, Q = np.clip(rng.standard_normal((2, 10, 2)), -2, 2)
    return np.vstack([[1, 1] + P @ A, [3, 1] + Q @ B]), np.repeat([1, -1], 10)

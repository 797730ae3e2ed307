"""Random Fourier features: waves whose products are the kernel on average."""

import numpy as np
from sklearn.utils import check_random_state

from kernelbook.base.fitting import all_or_nothing
from kernelbook.base.prediction import row_slices
from kernelbook.base.training import fitted_kernel, is_precomputed
from kernelbook.features.frequencies import Draws, waves
from kernelbook.features.mapping import NUMBERS, FeatureMap
from kernelbook.inputs.intervals import POSITIVE_INTEGER
from kernelbook.inputs.validation import finite_array


class RandomFeatures(FeatureMap):
    """Random Fourier features: cosines and sines of random frequencies, whose products are the kernel on average.

    F(x) = √(2 k(0, 0) / D) (cos⟨ω_1, x⟩, …, cos⟨ω_{D/2}, x⟩, sin⟨ω_1, x⟩, …)    so that    E F(x) F(x')ᵀ = k(x, x')

    A kernel of x − x' is a mixture of waves, k(x, x') = k(0, 0) E cos⟨ω, x − x'⟩ (Bochner), and the ω_j are drawn from
    it. F(x) F(x)ᵀ is k(x, x) exactly, and the variance of F(x) F(x')ᵀ is (1 − k²)² / D for an RBF of value k.

    The features need of the data only the number of its columns, and its widths if the kernel takes these from data. So
    they suit streams, whose first rows need not be like the rest. Landmarks (Nystroem) learn from the data where to be
    exact, and often need fewer features for the same error.

    The kernels with waves, and the law of their ω, are RBF (normal), Laplacian (Cauchy), Matern (Student's t),
    RationalQuadratic (a mixture of normal laws), Periodic (multiples of 2π/period) and Constant (ω = 0). Sums mix their
    waves, products add the frequencies, multiples and powers of kernels go through, and so does ``normalized()``.

    Parameters
    ----------
    kernel : Kernel or a short name; default "rbf", which is RBF("scale")
    n_components : int ≥ 1, default 100; the number D of features. If it is odd, the last wave has no sine, and a
        random phase instead; F(x) F(x)ᵀ then is k(x, x) on average only.
    orthogonal : bool, default False; whether normal vectors are drawn in groups of d orthogonal ones, which are spread
        more evenly. It changes the waves of RBF, Laplacian(norm=2), Matern and RationalQuadratic.
    random_state : int, RandomState or None, default None; draws the frequencies

    Attributes
    ----------
    frequencies_ : (⌈D/2⌉, d) array, the ω, in 1 / units of x
    mass_ : float, k(0, 0)
    kernel_ : the fitted Kernel

    Raises
    ------
    ValueError : a parameter out of range; a kernel that is no mixture of waves; X that the kernel cannot take

    References
    ----------
    Rahimi & Recht (2007), Random features for large-scale kernel machines, NIPS 20.
    Sutherland & Schneider (2015), On the error of random Fourier features, UAI, for the variance.
    Yu, Suresh, Choromanski, Holtmann-Rice & Kumar (2016), Orthogonal random features, NIPS 29.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelbook import Periodic, RandomFeatures, RBF
    >>> x = np.linspace(0, 1, 5)[:, None]
    >>> kernel = RBF(1.0) * Periodic(0.5)
    >>> F = RandomFeatures(kernel, 10_000, random_state=0).fit_transform(x)
    >>> bool(np.abs(F @ F.T - kernel(x)).max() < 0.05)
    True
    """

    _parameter_constraints = {
        "n_components": [POSITIVE_INTEGER],
        "orthogonal": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(self, kernel="rbf", n_components=100, *, orthogonal=False, random_state=None):
        self.kernel = kernel
        self.n_components = n_components
        self.orthogonal = orthogonal
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X, y=None):
        """Fit the kernel and draw the frequencies.

        Parameters
        ----------
        X : (n, d) array
        y : ignored
        """
        self._validate_params()
        if is_precomputed(self.kernel):
            raise ValueError("kernel must be a Kernel or a short name for its waves to be known, got 'precomputed'.")
        self.kernel_, objects = fitted_kernel(self.kernel, X)
        self._check_features(X, objects, reset=True)
        rng = check_random_state(self.random_state)
        draws = Draws(-(-self.n_components // 2), finite_array(objects, "X").shape[1], rng, self.orthogonal)
        self.mass_, self.frequencies_ = waves(self.kernel_, draws)
        self._phase = rng.uniform(0, 2 * np.pi)
        self._n_features_out = self.n_components
        self._sign()
        return self

    def _identity(self):
        return self.mass_, self.frequencies_, self._phase, self._n_features_out

    def _blocks(self, objects):
        objects = finite_array(objects, "X")
        D = self._n_features_out
        for rows in row_slices(len(objects), D, NUMBERS):
            angles = objects[rows] @ self.frequencies_.T
            angles[:, D // 2 :] += self._phase  # of the wave without a sine, if D is odd
            yield rows, np.sqrt(2 * self.mass_ / D) * np.hstack([np.cos(angles), np.sin(angles[:, : D // 2])])

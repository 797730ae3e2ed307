"""Draw a picture of each kernel: the functions k(x, ·) of two points, or the Gram matrix of a few objects."""

import numpy as np
from matplotlib import pyplot as plt

from kernelbook import ConformalKernel, plotting
from kernelbook import kernels as k

RING = [[0, 1, 0, 0, 0, 1], [1, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0], [0, 0, 1, 0, 1, 0], [0, 0, 0, 1, 0, 1]]
RING = np.array([*RING, [1, 0, 0, 0, 1, 0]])  # of six nodes
NODES = list(range(6))
WORDS = ["stone", "tone", "note", "sand", "dune"]
STRINGS = ["abab", "baba", "abba", "aabb", "bbaa"]
BITS = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 0]])
FRUIT = [["red", "round"], ["red", "long"], ["green", "round"], ["green", "long"], ["red", "round"]]
GAPS = [["red", "round"], ["red", None], [None, "long"], [None, None], ["green", "long"]]
BAGS = [np.array([[0.0]]), np.array([[0.0], [1.0]]), np.array([[1.0], [2.0]]), np.array([[3.0]])]
PAIRS = [([0.0], "ab"), ([0.5], "ab"), ([0.5], "bb"), ([2.0], "ab"), ([2.0], "bb")]
TABLE = [[0.0, "red"], [0.5, "red"], [0.5, "green"], [2.0, "red"], [2.0, "green"]]
FAIR_OR_NOT = ([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[0.5, 0.5], [0.9, 0.1]], "ht")
EDGES = {"chain": "01 12 23", "star": "01 02 03", "ring": "01 12 23 03", "tail": "01 12 02 23"}
GRAPHS = []
for edges in EDGES.values():
    adjacency = np.zeros((4, 4))
    for i, j in edges.split():
        adjacency[int(i), int(j)] = adjacency[int(j), int(i)] = 1
    GRAPHS.append((adjacency, [0, 0, 0, 0]))
SERIES = [[0, 1, 2], [0, 0, 1, 2], [0, 1, 2, 2, 2], [2, 1, 0], [1, 1, 1]]
TOSSES = ["hhhh", "hhht", "htht", "tthh", "tttt"]
COINS = np.array([0.5, 0.9])


def tossed(X):
    """The probability of each toss with either coin."""
    return np.where(np.array(X)[:, None] == "h", COINS, 1 - COINS)


def common_letters(X, Y):
    return [[len({*x} & {*y}) for y in Y] for x in X]


# Kernels of numbers, with the interval in which their functions are drawn.
CURVES = {
    "Linear": (k.Linear(), -3, 3),
    "Polynomial": (k.Polynomial(degree=2, gamma=0.5), -3, 3),
    "AllSubsets": (k.AllSubsets(), -3, 3),
    "GeneralLinear": (k.GeneralLinear([[2.0]]), -3, 3),
    "Sigmoid": (k.Sigmoid(gamma=0.5, coef0=-0.5), -3, 3),
    "ChiSquared": (k.ChiSquared(gamma=1), 0, 6),
    "RBF": (k.RBF(gamma=0.5), -3, 3),
    "Laplacian": (k.Laplacian(gamma=1), -3, 3),
    "Matern": (k.Matern(nu=1.5, gamma=1), -3, 3),
    "RationalQuadratic": (k.RationalQuadratic(alpha=0.5, gamma=2), -3, 3),
    "Periodic": (k.Periodic(period=2, gamma=0.5), -3, 3),
    "Gibbs": (k.Gibbs(lambda X: 0.2 + np.abs(X[:, 0]) / 2), -3, 3),
    "ArcCosine": (k.ArcCosine(degree=1, bias=1), -3, 3),
    "Brownian": (k.Brownian(), 0, 6),
    "Constant": (k.Constant(value=1), -3, 3),
    "ConformalKernel": (ConformalKernel(k.RBF(gamma=0.5), k.RBF(gamma=2), [[0.0]], [0.5, 1]), -3, 3),
    "Sum": (k.RBF(gamma=2) + 0.2 * k.Linear(), -3, 3),
    "Product": (k.RBF(gamma=0.5) * k.Linear(), -3, 3),
    "Scaled": (2 * k.RBF(gamma=0.5), -3, 3),
    "Power": (k.RBF(gamma=0.5) ** 4, -3, 3),
    "Exponential": ((0.5 * k.Linear()).exp(), -3, 3),
    "Normalized": (k.Polynomial(degree=2).normalized(), -3, 3),
    "Radial": (k.Laplacian(gamma=1).radial(gamma=1), -3, 3),
}
# Kernels of other objects, with objects and their labels.
MATRICES = {
    "RussellRao": (k.RussellRao(), BITS, ["".join(map(str, row)) for row in BITS]),
    "SimpleMatching": (k.SimpleMatching(), BITS, ["".join(map(str, row)) for row in BITS]),
    "Jaccard": (k.Jaccard(), BITS, ["".join(map(str, row)) for row in BITS]),
    "SetKernel": (k.SetKernel(k.RBF(gamma=1)), BAGS, ["{0}", "{0, 1}", "{1, 2}", "{3}"]),
    "Overlap": (k.Overlap(), FRUIT, [" ".join(row) for row in FRUIT]),
    "Categorical": (k.Categorical(), FRUIT, [" ".join(row) for row in FRUIT]),
    "Spectrum": (k.Spectrum(n=2), STRINGS, STRINGS),
    "Mismatch": (k.Mismatch("abc", n=2, m=1), STRINGS, STRINGS),
    "Subsequence": (k.Subsequence(n=2, decay=0.5), STRINGS, STRINGS),
    "WeisfeilerLehman": (k.WeisfeilerLehman(depth=1), GRAPHS, list(EDGES)),
    "ShortestPath": (k.ShortestPath(), GRAPHS, list(EDGES)),
    "RandomWalk": (k.RandomWalk(), GRAPHS, list(EDGES)),
    "GlobalAlignment": (k.GlobalAlignment(gamma=0.5), SERIES, [" ".join(map(str, x)) for x in SERIES]),
    "Diffusion": (k.Diffusion(RING, beta=0.5), NODES, NODES),
    "WalkPower": (k.WalkPower(RING, power=2), NODES, NODES),
    "Marginalized": (k.Marginalized(*FAIR_OR_NOT), TOSSES, TOSSES),
    "ProductProbability": (k.ProductProbability(tossed, [0.5, 0.5]), ["h", "t"], ["h", "t"]),
    "MissingValue": (k.MissingValue(k.Overlap()), GAPS, [" ".join(v or "?" for v in row) for row in GAPS]),
    "Completion": (k.Completion(k.Overlap()), GAPS, [" ".join(v or "?" for v in row) for row in GAPS]),
    "DirectSum": (k.DirectSum(k.RBF(1), 0.5 * k.Spectrum(1)), PAIRS, [f"{x[0]:g}, {s}" for x, s in PAIRS]),
    "TensorProduct": (k.TensorProduct(k.RBF(1), k.Spectrum(1)), PAIRS, [f"{x[0]:g}, {s}" for x, s in PAIRS]),
    "Pairwise": (k.Pairwise(k.Diffusion(RING, beta=0.5)), [(0, 1), (1, 0), (2, 3), (0, 3)], ["01", "10", "23", "03"]),
    "Columns": (k.Columns([([0], k.RBF(1)), ([1], k.Overlap())]), TABLE, [f"{x:g} {c}" for x, c in TABLE]),
    "FunctionKernel": (k.FunctionKernel(common_letters), WORDS, WORDS),
    "Precomputed": (k.Precomputed([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]]), [0, 1, 2], [0, 1, 2]),
}


def shown(value):
    """A number with two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def picture(name):
    """A figure of the kernel, its alt text, and the kernel's formula; None if there is no picture of the kernel."""
    if name in CURVES:
        return curves(*CURVES[name])
    return matrix(*MATRICES[name]) if name in MATRICES else None


def curves(kernel, low, high):
    figure, ax = plt.subplots(figsize=(4.6, 2.3))
    x = np.linspace(low, high, 241)[:, None]
    points = np.array([[0.0], [high / 2]]) if low < 0 else np.array([[high / 6], [high / 2]])
    seen = []
    for (point,), values, style in zip(points, kernel(points, x), ("-", "--"), strict=True):
        ax.plot(x[:, 0], values, color=plotting.INK, linestyle=style, linewidth=2, label=f"$k$({point:g}, ·)")
        top = f"is largest, {values.max():.2g}, at {x[values.argmax(), 0]:.2g}" if np.ptp(values) else "is level"
        seen.append(f"k({point:g}, ·) goes from {values[0]:.2g} to {values[-1]:.2g} and {top}")
    ax.set(xlabel="$x$")
    ax.update_datalim([(low, 0)])  # the axis includes 0, so that heights can be compared
    ax.autoscale_view()
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)  # above the axes, which the curves fill
    return figure, f"Two curves over x from {low} to {high}: {'; '.join(seen)}.", kernel.formula


def matrix(kernel, objects, labels):
    K = kernel.fit(objects)(objects)
    figure, ax = plt.subplots(figsize=(4.6, 0.25 + 0.37 * len(K)))
    pale = {"vmin": min(0, K.min()), "vmax": 2 * K.max()}  # so that the numbers can be read in both themes
    ax.imshow(K, cmap=plotting.SIMILARITY, interpolation="none", aspect="auto", **pale)
    ax.set(xticks=[], yticks=range(len(labels)), yticklabels=labels)
    for i, j in np.ndindex(*K.shape):
        ax.text(j, i, shown(K[i, j]), ha="center", va="center", color=plotting.INK)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return (
        figure,
        f"Gram matrix of {', '.join(map(str, labels))}; its rows: "
        f"{'; '.join(', '.join(map(shown, row)) for row in K)}.",
        kernel.formula,
    )

"""Data of the chapters: generators, and tables that come with the package or a dependency. None needs a network."""

import re
from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state, check_scalar

__all__ = ["load_alkanes", "load_terrain", "load_twenty_points", "load_words", "make_sinc_mixture", "sinc_mixture"]


def load_terrain():
    """Heights of points around the Jacksboro fault in Tennessee, from the sample terrain that comes with Matplotlib.

    Returns
    -------
    X : (138632, 2) array, kilometres east and north of the south-western corner: a grid of 344 rows from south to
        north, each of 403 points from west to east, some 75 by 93 metres apart
    y : (138632,) array, metres above sea level

    Raises
    ------
    ImportError : Matplotlib is not installed

    References
    ----------
    Hunter (2007), Matplotlib: a 2D graphics environment; the file is ``jacksboro_fault_dem.npz`` of its sample data.

    >>> X, y = load_terrain()
    >>> print(X.max(axis=0).round(1), y.min(), y.max())
    [29.9 31.8] 236.0 1076.0
    """
    try:
        from matplotlib import cbook
    except ImportError:
        raise ImportError('load_terrain needs matplotlib: pip install "kernelbook[figures]"') from None
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
    """Noisy observations of ``sinc_mixture`` at evenly spaced points of [0.1, 100].

    Parameters
    ----------
    n_samples : int ≥ 1, default 1052
    noise : float ≥ 0, default 0.05; standard deviation of the normal noise
    random_state : int, RandomState or None, default None, as in scikit-learn

    Returns
    -------
    X : (n, 1) array of the points, increasing
    y : (n,) array of the observations

    Raises
    ------
    ValueError : n_samples is below 1; noise is negative or not finite

    >>> X, y = make_sinc_mixture(5, noise=0, random_state=0)
    >>> bool((y == sinc_mixture(X[:, 0])).all())
    True
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=1)
    if not (isinstance(noise, Real) and 0 <= noise < np.inf):
        raise ValueError(f"noise must be a finite number >= 0, got {noise!r}.")
    X = np.linspace(0.1, 100, n_samples)[:, None]
    return X, sinc_mixture(X[:, 0]) + noise * check_random_state(random_state).standard_normal(n_samples)


def load_twenty_points():
    """Two classes of ten points each in the plane, separable by a line.

    NumPy's legacy generator with the seed 11 draws two (2, 2) matrices A and B with uniform entries, then two (10, 2)
    matrices P and Q with normal entries, clipped to ±2. The positive points are the rows of (1, 1) + PA, the negative
    points those of (3, 1) + QB.

    Returns
    -------
    X : (20, 2) array
    y : (20,) array of ten 1, then ten −1

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


def load_words():
    """Two hundred everyday words of English and two hundred of Dutch, about the same things.

    The list was made for this book. It leaves out words that we know to exist in both languages, even with different
    meanings. Nouns are in the singular, and verbs in the infinitive, which ends in -n in Dutch. All letters are
    lower-case, without accents.

    Returns
    -------
    words : (400,) array of strings of three to ten letters, English first
    language : (400,) array of strings, "English" or "Dutch"

    References
    ----------
    The spelling follows the Oxford English Dictionary (British) and the Woordenlijst Nederlandse Taal.

    >>> words, language = load_words()
    >>> print(words[0], language[0], words[-1], language[-1])
    head English leren Dutch
    """
    return np.array([*_ENGLISH.split(), *_DUTCH.split()]), np.repeat(["English", "Dutch"], 200)


def load_alkanes():
    """The 72 alkanes of four to nine carbon atoms without rings, as graphs, with the temperatures at which they boil.

    A graph has a node for each carbon atom and an edge for each bond between two of them. Hydrogen atoms are left out;
    a carbon atom with d neighbours has 4 − d of them. The graphs are read off the names: "2,2-dimethylbutane" is a
    chain of four atoms with two more at its second atom. Of four to nine atoms there are 2, 3, 5, 9, 18 and 35 alkanes,
    which is all that graph theory allows: trees without a node of more than four neighbours. Mirror images, which have
    the same graph and boil at the same temperature, count once.

    Returns
    -------
    names : (72,) array of strings, by the number of atoms
    graphs : list of 72 pairs (adjacency, labels), as ``WeisfeilerLehman`` takes them; all labels are "C"
    boiling_points : (72,) array, kelvin at normal pressure, rounded to 0.1 K; other tables differ from these by up to
        2 K for some alkanes of at most eight atoms, and by up to 3 K for some of nine

    References
    ----------
    Linstrom & Mallard (2001), The NIST Chemistry WebBook: a chemical data resource on the internet, Journal of Chemical
    & Engineering Data 46; its boiling points as the package ``chemicals`` 1.5.2 hands them on.

    >>> names, graphs, boiling_points = load_alkanes()
    >>> print(names[1], boiling_points[1])
    2-methylpropane 262.0
    >>> graphs[1][0].sum(axis=1)  # three atoms around a fourth
    array([1., 3., 1., 1.])
    """
    rows = [row.rsplit(" ", 1) for row in _ALKANES.replace("\n", " ").strip().split(", ")]
    names, boiling_points = zip(*rows, strict=True)
    return np.array(names), [_alkane(name) for name in names], np.array(boiling_points, dtype=float)


def _alkane(name):
    """The graph of an alkane whose branches are methyl and ethyl groups, by its name."""
    branches, chain = re.fullmatch(r"(.*?)(prop|but|pent|hex|hept|oct|non)ane", name).groups()
    length = 3 + ["prop", "but", "pent", "hex", "hept", "oct", "non"].index(chain)
    edges = [(i, i + 1) for i in range(length - 1)]
    for places, group in re.findall(r"([\d,]+)-(?:di|tri|tetra)?(methyl|ethyl)", branches):
        for place in places.split(","):
            atom = len(edges) + 1  # a tree has one edge less than nodes
            edges.append((int(place) - 1, atom))
            if group == "ethyl":
                edges.append((atom, atom + 1))
    adjacency = np.zeros((len(edges) + 1, len(edges) + 1))
    for i, j in edges:
        adjacency[i, j] = adjacency[j, i] = 1
    return adjacency, ["C"] * len(adjacency)


_ENGLISH = """
head face eye ear nose mouth tooth tongue neck shoulder breast belly knee foot finger thumb bone blood heart cellar
wall window floor kitchen table chair knife spoon bottle mirror blanket bread butter cheese milk meat egg apple pear
plum grape cherry wine soup salt pepper sugar honey coffee tea bean rice onion garlic flour sun moon sky rain snow ice
fire smoke earth sea river lake mountain hill wood forest leaf flower grass root branch seed stone field road bridge
town village church market street garden ship shoe coat sleeve skirt king father mother brother sister son daughter
uncle aunt child woman friend neighbour teacher baker farmer soldier thief book money question answer language voice
dream death world island thunder day night morning evening year month hour summer autumn yesterday today tomorrow cat
cow horse sheep goat pig bird fish frog white black blue yellow brown grey great small old young new good beautiful
ugly dirty cold dry deep sharp strong weak rich poor empty sweet sour true false one three four five six seven eight
nine eleven twelve hundred thousand eat walk swim sing laugh write read speak think know see hear give bring buy find
lose learn
"""

_DUTCH = """
hoofd gezicht oog oor neus mond tand nek schouder borst buik knie voet vinger duim huid bloed maag hals kelder huis
muur raam vloer keuken tafel stoel bord vork lepel fles sleutel klok spiegel deken kussen krant boter kaas melk vlees
groente appel pruim druif kers wijn soep zout peper suiker koffie rijst knoflook meel taart citroen zon maan hemel
wolk regen sneeuw ijs vuur aarde rivier heuvel hout bloem gras wortel zaad steen weg brug stad kerk markt straat tuin
schip schoen jas broek jurk koning koningin vader moeder broer zus zoon dochter meisje jongen vriend buurman leraar
bakker soldaat dief boek geld ziekenhuis vraag antwoord woord droom dood wereld eiland donder bliksem nacht ochtend
avond jaar maand uur zomer herfst eeuw gisteren vandaag poes hond koe paard schaap geit varken vogel haring kikker
zwart groen blauw geel grijs groot klein kort hoog laag jong nieuw goed slecht mooi lelijk schoon vuil koud droog diep
scherp zwaar licht sterk zwak rijk leeg zoet zuur waar vals drie vijf zes zeven acht negen tien twaalf honderd duizend
eten drinken slapen lopen zwemmen zingen lachen schrijven lezen spreken denken weten zien horen voelen geven nemen
brengen kopen verkopen vinden verliezen leren
"""

_ALKANES = """
butane 273.0, 2-methylpropane 262.0, pentane 309.2, 2-methylbutane 301.1, 2,2-dimethylpropane 282.6, hexane 341.9,
2-methylpentane 334.0, 3-methylpentane 336.4, 2,2-dimethylbutane 322.9, 2,3-dimethylbutane 331.2, heptane 371.5,
2-methylhexane 363.2, 3-methylhexane 365.0, 3-ethylpentane 366.6, 2,2-dimethylpentane 352.3, 2,3-dimethylpentane 362.9,
2,4-dimethylpentane 353.7, 3,3-dimethylpentane 359.2, 2,2,3-trimethylbutane 354.1, octane 398.7, 2-methylheptane 390.7,
3-methylheptane 392.0, 4-methylheptane 390.9, 3-ethylhexane 391.7, 2,2-dimethylhexane 380.0, 2,3-dimethylhexane 389.0,
2,4-dimethylhexane 382.0, 2,5-dimethylhexane 382.1, 3,3-dimethylhexane 385.1, 3,4-dimethylhexane 391.0,
3-ethyl-2-methylpentane 388.8, 3-ethyl-3-methylpentane 391.5, 2,2,3-trimethylpentane 383.1,
2,2,4-trimethylpentane 372.4, 2,3,3-trimethylpentane 387.8, 2,3,4-trimethylpentane 386.8,
2,2,3,3-tetramethylbutane 379.6, nonane 423.8, 2-methyloctane 416.1, 3-methyloctane 417.0, 4-methyloctane 415.0,
3-ethylheptane 416.6, 4-ethylheptane 414.3, 2,2-dimethylheptane 405.0, 2,3-dimethylheptane 413.0,
2,4-dimethylheptane 406.0, 2,5-dimethylheptane 408.0, 2,6-dimethylheptane 408.0, 3,3-dimethylheptane 410.0,
3,4-dimethylheptane 413.8, 3,5-dimethylheptane 409.1, 4,4-dimethylheptane 408.4, 3-ethyl-2-methylhexane 411.1,
3-ethyl-3-methylhexane 413.8, 4-ethyl-2-methylhexane 406.9, 3-ethyl-4-methylhexane 413.6, 2,2,3-trimethylhexane 407.2,
2,2,4-trimethylhexane 399.6, 2,2,5-trimethylhexane 397.0, 2,3,3-trimethylhexane 410.9, 2,3,4-trimethylhexane 412.0,
2,3,5-trimethylhexane 404.0, 2,4,4-trimethylhexane 404.0, 3,3,4-trimethylhexane 413.3, 3,3-diethylpentane 419.3,
3-ethyl-2,2-dimethylpentane 406.9, 3-ethyl-2,3-dimethylpentane 414.8, 3-ethyl-2,4-dimethylpentane 409.7,
2,2,3,3-tetramethylpentane 413.4, 2,2,3,4-tetramethylpentane 406.2, 2,2,4,4-tetramethylpentane 395.4,
2,3,3,4-tetramethylpentane 413.0
"""

"""The book's visual language: what each colour, shape and line stands for, in every figure."""

import os

from matplotlib import pyplot as plt
from matplotlib.colors import ListedColormap

from kernelbook.plotting import palette
from kernelbook.plotting.palette import GREY
from kernelbook.plotting.pictures import PIXELS_PER_INCH, show_as_svg

PANEL = palette.PANEL  #: the background of a figure
INK = palette.INK  #: the colour of text and axes

# The constants below are keyword arguments of plot and scatter. Their colours are safe for colour-blind readers, and no
# two kinds of mark differ by colour alone.
#: a point of each class, for up to six classes; the first two are NEGATIVE and POSITIVE
CLASSES = tuple({"color": colour, "marker": marker} for colour, marker in zip(palette.CLASSES, "so^vPX", strict=True))
NEGATIVE = CLASSES[0]  #: a point of the class −1
POSITIVE = CLASSES[1]  #: a point of the class +1
#: an observation: a point with a light edge
OBSERVED = {
    "color": INK,
    "marker": "o",
    "linestyle": "none",
    "markersize": 6,
    "markeredgecolor": PANEL,
    "markeredgewidth": 0.8,
}
TRUTH = {"color": GREY, "linewidth": 3.5, "solid_capstyle": "round"}  #: the true function: a wide grey line
FIT = {"color": INK, "linewidth": 1.8}  #: the fitted function: a dark line
#: a line that accompanies a fit, such as a margin or the edge of a tube: dashed
GUIDE = {"color": palette.CLASSES[0], "linewidth": 1.4, "linestyle": (0, (5, 3))}
_HOLLOW = {"linestyle": "none", "markerfacecolor": "none", "markeredgecolor": INK, "markeredgewidth": 1.1}
SUPPORT = {**_HOLLOW, "marker": "o", "markersize": 10}  #: a ring around a free support vector
#: a diamond around a support vector at its upper bound
BOUND = {**_HOLLOW, "marker": "D", "markersize": 8.5, "markeredgewidth": 0.8}
REGIONS = palette.REGIONS  #: colours of regions, one for each of CLASSES
SIDES = ListedColormap(REGIONS[:2])  #: a map of two colours, for the two sides of a line
LAND = {"color": palette.LAND, "linewidth": 0}  #: the area below a profile
HEIGHTS = plt.get_cmap("YlGnBu_r")  #: a map of colours for heights and other values of one function
SIMILARITY = plt.get_cmap("Blues")  #: a map of colours for the values of a kernel


def use_style():
    """Draw every later figure in the book's style: an opaque light panel, two open sides, letters legible on a phone.

    >>> with plt.rc_context():  # for this block only
    ...     use_style()
    ...     print(plt.rcParams["axes.facecolor"])
    #fdfcf9
    """
    plt.rcParams.update(
        {
            "figure.figsize": (7, 4),
            "figure.dpi": PIXELS_PER_INCH,
            "figure.facecolor": PANEL,
            "savefig.facecolor": PANEL,
            "axes.facecolor": PANEL,
            "figure.constrained_layout.use": True,
            "font.size": 12,
            "axes.titlesize": 12,
            "axes.titlelocation": "left",
            "axes.titley": 1.02,  # with a fixed height Matplotlib does not search for one
            "axes.labelcolor": INK,
            "axes.edgecolor": INK,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "legend.frameon": False,
            "svg.hashsalt": "kernelbook",  # the same figure gives the same file
        }
    )
    if os.environ.get("KERNELBOOK_STATIC"):
        show_as_svg()

"""The colours of the book's figures, and the names by which a page changes them, in its dark theme for instance."""

import re

PANEL = "#fdfcf9"  #: the background of a figure
INK = "#22252b"  #: the colour of text and axes
GREY = "#8c8f94"  #: the truth, and what accompanies a line
DIM = "#63666b"  #: letters that stand back
LAND = "#d9dadb"  #: the area below a profile
SHADE = "#eceae4"  #: a part of the ground that is set apart
BAND = "#bcd4e6"  #: the area around a curve in which something lies
#: a point of each class, for up to six classes; the first two are −1 and +1
CLASSES = ("#d55e00", "#0072b2", "#009e73", "#4b0082", "#661100", "#00868b")
#: the region of each class
REGIONS = ("#f6dcc8", "#cfe3f0", "#c2f2b6", "#e0cef2", "#e0d999", "#b6f2e0")

#: the name of each colour's variable in a style sheet
VARIABLES = {
    PANEL: "panel",
    INK: "ink",
    GREY: "grey",
    DIM: "dim",
    LAND: "land",
    SHADE: "shade",
    BAND: "band",
    **{colour: f"class-{i}" for i, colour in enumerate(CLASSES)},
    **{colour: f"region-{i}" for i, colour in enumerate(REGIONS)},
}
_KNOWN = re.compile("|".join(VARIABLES))


def themed(svg):
    """The SVG with each colour of the book as a variable, which is that colour where no style sheet says otherwise."""
    return _KNOWN.sub(lambda found: f"var(--{VARIABLES[found[0]]},{found[0]})", svg)

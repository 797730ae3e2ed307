"""What a figure becomes in the built book: sharp on every screen, and small."""

from IPython import get_ipython
from IPython.core.pylabtools import print_figure
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

DENSITY = 2  # dots of a raster for one of the page
LONGEST = 100_000  # signs of an SVG; thousands of points are smaller as a raster


def is_shaded(figure):
    """Whether it holds an image or a mesh of colours; without, it is lines, points, areas and letters."""
    return any(isinstance(artist, AxesImage | QuadMesh) for artist in figure.findobj())


def as_svg(figure):
    """The text of an SVG, or None for a figure that is shaded or would be too long."""
    svg = "" if is_shaded(figure) else print_figure(figure, "svg", metadata={"Date": None})
    return svg if 0 < len(svg) <= LONGEST else None


def as_png(figure):
    """The bytes of a PNG with more dots than the page has, or None for a figure that is an SVG."""
    return None if as_svg(figure) else print_figure(figure, "png", dpi=DENSITY * figure.dpi)


def show_sharp():
    """Let every figure that a cell shows be one of the two; outside a notebook, do nothing."""
    if get_ipython() is None:
        return
    from matplotlib_inline import backend_inline  # noqa: F401  it sets formatters of its own when it is first imported

    formatters = get_ipython().display_formatter.formatters
    formatters["image/svg+xml"].for_type(Figure, as_svg)
    formatters["image/png"].for_type(Figure, as_png)

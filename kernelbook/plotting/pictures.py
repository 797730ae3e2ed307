"""The files in which the built book shows a figure: sharp on every screen, and small."""

import re

from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

PIXELS_PER_INCH = 100  # pixels of the page for an inch of a figure
DOTS_PER_PIXEL = 2  # in each direction, in a raster image
MAX_SVG_LENGTH = 100_000  # characters; a longer SVG, of thousands of points, is larger than the raster image


def as_svg(figure):
    """The text of an SVG, or None for a figure that is shaded or whose SVG would be too long."""
    if is_shaded(figure):
        return None
    svg = rounded(_printed(figure, "svg", metadata={"Date": None}))
    return svg if len(svg) <= MAX_SVG_LENGTH else None


def as_png(figure):
    """The bytes of a PNG with more dots than the page has pixels, or None for a figure that is shown as an SVG."""
    return None if as_svg(figure) else _printed(figure, "png", dpi=DOTS_PER_PIXEL * figure.dpi)


def _printed(figure, file_format, **options):
    """The figure as IPython prints it, cropped to its content."""
    # Here, since IPython loads slowly and only the book's build needs it.
    from IPython.core.pylabtools import print_figure

    engine = figure.get_layout_engine()
    try:
        return print_figure(figure, file_format, **options)
    finally:  # cropping makes Matplotlib forget that a figure has layout="none"
        figure.set_layout_engine(engine or "none")


def is_shaded(figure):
    """Whether the figure has a mesh of colours, or an image that is not drawn dot by dot."""
    return any(
        isinstance(artist, QuadMesh) or (isinstance(artist, AxesImage) and artist.get_interpolation() != "none")
        for artist in figure.findobj()
    )


def rounded(svg):
    """The SVG with coordinates cut to a hundredth of a point, where Matplotlib writes a millionth."""
    return re.sub(r' (?:d|x|y)="[^"]*"', lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), svg)


def size_on_page(figure):
    """Width and height in pixels."""
    return tuple(round(side * PIXELS_PER_INCH) for side in figure.get_size_inches())


def show_sharp():
    """Show the figures of a notebook's cells as SVG or sharp PNG; outside a notebook, do nothing."""
    from IPython import get_ipython

    if get_ipython() is None:
        return
    from matplotlib_inline import backend_inline  # noqa: F401  its first import sets formatters of its own

    formatters = get_ipython().display_formatter.formatters
    formatters["image/svg+xml"].for_type(Figure, as_svg)
    formatters["image/png"].for_type(Figure, as_png)

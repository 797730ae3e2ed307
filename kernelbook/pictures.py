"""What a figure becomes in the built book: sharp on every screen, and small."""

import io
import re
from contextlib import contextmanager

import numpy as np
from IPython import get_ipython
from IPython.core.pylabtools import print_figure
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from PIL import Image

INCH = 100  # pixels of the page
DENSITY = 2  # dots of a raster for one of the page
LONGEST = 100_000  # signs of an SVG; thousands of points are smaller as a raster


def is_shaded(figure):
    """Whether it holds a mesh of colours, or an image that is drawn with other dots than its own."""
    return any(
        isinstance(artist, QuadMesh) or (isinstance(artist, AxesImage) and artist.get_interpolation() != "none")
        for artist in figure.findobj()
    )


def as_svg(figure):
    """The text of an SVG, or None for a figure that is shaded or would be too long."""
    svg = "" if is_shaded(figure) else rounded(print_figure(figure, "svg", metadata={"Date": None}))
    return svg if 0 < len(svg) <= LONGEST else None


def as_png(figure):
    """The bytes of a PNG with more dots than the page has, or None for a figure that is an SVG."""
    return None if as_svg(figure) else print_figure(figure, "png", dpi=DENSITY * figure.dpi)


def size_on_page(figure):
    """Width and height in pixels."""
    return tuple(round(side * INCH) for side in figure.get_size_inches())


@contextmanager
def sharper(figure):
    """More dots for a while; a figure that is drawn again starts from its own."""
    dpi = figure.dpi
    figure.dpi = DENSITY * dpi
    try:
        yield
    finally:
        figure.dpi = dpi


def as_frame(figure):
    """The elements of an SVG as large as the figure, in their order; what is shaded is drawn with more dots."""
    text = io.StringIO()
    with sharper(figure), rc_context({"svg.hashsalt": "the same in all frames"}):
        FigureCanvasSVG(figure).print_svg(text, metadata={"Date": None})  # savefig would draw the figure twice
    return [line.strip() for line in re.split(r"\n(?=\s*<)", rounded(text.getvalue()))]


def as_live_frame(figure):
    """The bytes of a PNG with more dots than the page has, made as fast as possible."""
    png, canvas = io.BytesIO(), FigureCanvasAgg(figure)
    with sharper(figure):
        canvas.draw()
    Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB").save(png, "png", compress_level=1)
    return png.getvalue()


def rounded(svg):
    """The SVG with places to a hundredth of a point, where Matplotlib writes a millionth."""
    return re.sub(r' (?:d|x|y)="[^"]*"', lambda places: re.sub(r"(\.\d\d)\d+", r"\1", places[0]), svg)


def share_parts(frames):
    """Parts that frames have in common: the list of parts, and for each frame the places of its own in that list.

    Elements that follow each other in every frame that has them are one part.
    """
    before, after = {}, {}
    for frame in frames:
        for element, following in zip([None, *frame], [*frame, None], strict=True):
            after.setdefault(element, set()).add(following)
            before.setdefault(following, set()).add(element)
    places, shared = {}, []
    for frame in frames:
        parts = []
        for element, following in zip([None, *frame], frame, strict=False):
            if parts and len(after[element]) == len(before[following]) == 1:
                parts[-1].append(following)
            else:
                parts.append([following])
        shared.append([places.setdefault("\n".join(part), len(places)) for part in parts])
    return list(places), shared


def show_sharp():
    """Let every figure that a cell shows be one of the two; outside a notebook, do nothing."""
    if get_ipython() is None:
        return
    from matplotlib_inline import backend_inline  # noqa: F401  it sets formatters of its own when it is first imported

    formatters = get_ipython().display_formatter.formatters
    formatters["image/svg+xml"].for_type(Figure, as_svg)
    formatters["image/png"].for_type(Figure, as_png)

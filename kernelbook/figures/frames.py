"""The frames of an explorer: SVG in the built book, where frames share what they have in common; PNG in a notebook."""

import io
import re
from contextlib import contextmanager

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from PIL import Image

from kernelbook.figures.layouts import LayoutCache
from kernelbook.plotting.pictures import DOTS_PER_PIXEL, cleaned, with_places


@contextmanager
def sharper(figure):
    """Give the figure more dots for a while; it has its own dpi again afterwards, so that it can be drawn twice."""
    dpi = figure.dpi
    figure.dpi = DOTS_PER_PIXEL * dpi
    try:
        yield
    finally:
        figure.dpi = dpi


def as_frame(figure, layout=None):
    """The elements of an SVG of the figure's full size, in their order; shaded parts are drawn with more dots."""

    def draw():
        text = io.StringIO()
        FigureCanvasSVG(figure).print_svg(text, metadata={"Date": None})  # savefig would draw the figure twice
        FigureCanvasAgg(figure)  # this canvas can measure text
        return text.getvalue()

    with sharper(figure), with_places(figure), rc_context({"svg.hashsalt": "the same in all frames"}):
        text = (layout or LayoutCache()).draw(figure, draw)
    return [line.strip() for line in re.split(r"\n(?=\s*<)", cleaned(text))]


def as_live_frame(figure, layout=None):
    """The bytes of a PNG with more dots than the page has pixels, made as fast as possible."""
    png, canvas, layout = io.BytesIO(), FigureCanvasAgg(figure), layout or LayoutCache()
    with sharper(figure):
        canvas.get_renderer().mathtext_parser = layout.mathtext_parser
        layout.draw(figure, canvas.draw)
    Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB").save(png, "png", compress_level=1)
    return png.getvalue()


def share_parts(frames):
    """The parts that frames have in common: the list of parts, and for each frame the indices of its own parts.

    Elements that follow each other in every frame that has them form one part.
    """
    before, after = {}, {}
    for frame in frames:
        for element, following in zip([None, *frame], [*frame, None], strict=True):
            after.setdefault(element, set()).add(following)
            before.setdefault(following, set()).add(element)
    indices, shared = {}, []
    for frame in frames:
        parts = []
        for element, following in zip([None, *frame], frame, strict=False):
            if parts and len(after[element]) == len(before[following]) == 1:
                parts[-1].append(following)
            else:
                parts.append([following])
        shared.append([indices.setdefault("\n".join(part), len(indices)) for part in parts])
    return list(indices), shared

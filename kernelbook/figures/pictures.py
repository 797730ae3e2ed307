"""What a figure becomes in the built book: sharp on every screen, and small."""

import io
import re
from contextlib import contextmanager

import numpy as np
from IPython import get_ipython
from IPython.core.pylabtools import print_figure
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

INCH = 100  # pixels of the page
DENSITY = 2  # dots of a raster for one of the page
LONGEST = 100_000  # signs of an SVG; thousands of points are smaller as a raster
SLACK = 0.01  # inches by which writing may reach further than where its place was found: fonts are not scaled evenly


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


class Places:
    """Where the axes of figures that follow each other stand.

    Matplotlib's layout engine is asked for the first figure, and again for one that is made of other parts, or whose
    writing reaches further beyond its axes. To ask takes as long as to draw, and lets axes jump.
    """

    def __init__(self):
        self._parts = self._places = self._room = None
        self.formulas = RendererAgg(1, 1, INCH).mathtext_parser  # remembers those of the frames before

    def draw(self, figure, draw):
        """What ``draw()`` returns, which draws the figure."""
        engine = figure.get_layout_engine()
        if engine is None or not is_plain(figure):
            return draw()
        before, enough = places_in(figure), False
        parts = engine.get(), tuple(figure.get_size_inches()), [ax.get_visible() for ax in figure.axes], before
        if parts == self._parts:
            figure.set_layout_engine("none")
            put(figure, self._places)
            try:
                drawn = draw()
                enough = (overhangs(figure) <= self._room + SLACK).all()
            finally:
                figure.set_layout_engine(engine)
                if not enough:
                    put(figure, before)
            if enough:
                return drawn
        drawn = draw()
        self._parts = parts if is_whole(figure) else None
        self._places, self._room = places_in(figure), overhangs(figure)
        return drawn


def is_plain(figure):
    """Whether a layout engine places nothing in it but axes on a plane, and titles."""
    return not figure.subfigs and not figure.legends and all(map(_is_placed_by_the_engine, figure.axes))


def _is_placed_by_the_engine(ax):
    """Whether they lie on a plane, and neither a colour bar's axes nor put into their place by hand."""
    return ax.name in ("rectilinear", "polar") and ax.get_axes_locator() is None and ax.get_in_layout()


def places_in(figure):
    """Those of its axes, and those of its own texts, such as a title; before a layout they say what it starts from."""
    axes = [tuple(ax.get_position(original=True).extents) for ax in figure.axes]
    return axes, [text.get_position() for text in figure.texts]


def put(figure, places):
    """What ``places_in`` has found, in this figure or another of the same parts."""
    axes, texts = places
    for ax, extents in zip(figure.axes, axes, strict=True):
        ax.set_position(Bbox.from_extents(extents))
        ax.set_in_layout(True)  # which a place that is set takes away
    for text, place in zip(figure.texts, texts, strict=True):
        text.set_position(place)


def is_whole(figure):
    """Whether its axes have room in it, with all that stands beside them."""
    boxes = [ax.get_tightbbox() for ax in figure.axes if ax.get_visible()]
    room = figure.bbox.padded(SLACK * figure.dpi)
    return all(box is None or (room.contains(*box.min) and room.contains(*box.max)) for box in boxes)


def overhangs(figure):
    """How far writing reaches beyond the place of each axes to the four sides, and how thick a title is, in inches."""
    found = []
    for ax in figure.axes:
        place = figure.transFigure.transform_bbox(ax.get_position(original=True))
        shown = [one for one in writings(ax) if one.get_visible() and one.get_in_layout()] if ax.get_visible() else []
        boxes = [writing.get_tightbbox() for writing in shown]
        whole = Bbox.union([place, *(box for box in boxes if box is not None and box.width > 0)])
        found += [place.x0 - whole.x0, place.y0 - whole.y0, whole.x1 - place.x1, whole.y1 - place.y1]
    upright = [text.get_rotation() == 90 for text in figure.texts]
    found += [text.get_window_extent().size[0 if up else 1] for text, up in zip(figure.texts, upright, strict=True)]
    return np.array(found) / figure.dpi


def writings(ax):
    """What may stand beside axes that have been drawn: titles, labels, numbers, legends, texts, tables, insets."""
    yield from ax.get_default_bbox_extra_artists()
    yield from (child for child in ax.get_children() if isinstance(child, Text))
    for axis in (ax.xaxis, ax.yaxis) if ax.axison else ():
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.majorTicks, *axis.minorTicks):
            if low <= tick.get_loc() <= high:
                yield from (tick.label1, tick.label2)
        yield from (axis.label, axis.offsetText)


def as_frame(figure, places=None):
    """The elements of an SVG as large as the figure, in their order; what is shaded is drawn with more dots."""

    def draw():
        text = io.StringIO()
        FigureCanvasSVG(figure).print_svg(text, metadata={"Date": None})  # savefig would draw the figure twice
        FigureCanvasAgg(figure)  # which can tell how long a word is
        return text.getvalue()

    with sharper(figure), rc_context({"svg.hashsalt": "the same in all frames"}):
        text = (places or Places()).draw(figure, draw)
    return [line.strip() for line in re.split(r"\n(?=\s*<)", rounded(text))]


def as_live_frame(figure, places=None):
    """The bytes of a PNG with more dots than the page has, made as fast as possible."""
    png, canvas, places = io.BytesIO(), FigureCanvasAgg(figure), places or Places()
    with sharper(figure):
        canvas.get_renderer().mathtext_parser = places.formulas
        places.draw(figure, canvas.draw)
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

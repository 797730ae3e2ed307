"""A layout that is kept from frame to frame, so that axes stand still while a slider moves."""

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from kernelbook.plotting.pictures import PIXELS_PER_INCH

TOLERANCE = 0.01  # inches by which text may reach beyond its kept place, since fonts do not scale evenly


class LayoutCache:
    """The layout of a figure, kept for the figures that follow it.

    Matplotlib's layout engine runs for the first figure, and again for a figure that has other parts or whose text
    reaches further beyond its axes. A run takes as long as the drawing itself, and would let axes jump.
    """

    def __init__(self):
        self._parts = self._positions = self._overhangs = None
        self.mathtext_parser = RendererAgg(1, 1, PIXELS_PER_INCH).mathtext_parser  # remembers the formulas it has read

    def draw(self, figure, draw):
        """The result of ``draw()``, a function that draws the figure, in the kept layout if that fits."""
        engine = figure.get_layout_engine()
        if engine is None or not is_plain(figure):
            return draw()
        before, fits = positions(figure), False
        parts = engine.get(), tuple(figure.get_size_inches()), [ax.get_visible() for ax in figure.axes], before
        if parts == self._parts:
            figure.set_layout_engine("none")
            set_positions(figure, self._positions)
            try:
                drawn = draw()
                fits = (overhangs(figure) <= self._overhangs + TOLERANCE).all()
            finally:
                figure.set_layout_engine(engine)
                if not fits:
                    set_positions(figure, before)
            if fits:
                return drawn
        drawn = draw()
        self._parts = parts if is_whole(figure) else None
        self._positions, self._overhangs = positions(figure), overhangs(figure)
        return drawn


def is_plain(figure):
    """Whether the layout engine places nothing in the figure but axes on a plane, and titles."""
    return not figure.subfigs and not figure.legends and all(map(_is_placed_by_the_engine, figure.axes))


def _is_placed_by_the_engine(ax):
    """Whether the axes lie on a plane, do not belong to a colour bar, and were not placed by hand."""
    return ax.name in ("rectilinear", "polar") and ax.get_axes_locator() is None and ax.get_in_layout()


def positions(figure):
    """The positions of the figure's axes, and of its own texts, such as a title.

    Before the layout engine has run, these are the positions from which it starts.
    """
    axes = [tuple(ax.get_position(original=True).extents) for ax in figure.axes]
    return axes, [text.get_position() for text in figure.texts]


def set_positions(figure, found):
    """Set the result of ``positions`` in this figure, or in another of the same parts."""
    axes, texts = found
    for ax, extents in zip(figure.axes, axes, strict=True):
        ax.set_position(Bbox.from_extents(extents))
        ax.set_in_layout(True)  # set_position has set it to False
    for text, position in zip(figure.texts, texts, strict=True):
        text.set_position(position)


def is_whole(figure):
    """Whether the figure has room for its axes and everything beside them."""
    boxes = [ax.get_tightbbox() for ax in figure.axes if ax.get_visible()]
    room = figure.bbox.padded(TOLERANCE * figure.dpi)
    return all(box is None or (room.contains(*box.min) and room.contains(*box.max)) for box in boxes)


def overhangs(figure):
    """How far text reaches beyond each axes on its four sides, and how thick each title is, in inches."""
    found = []
    for ax in figure.axes:
        place = figure.transFigure.transform_bbox(ax.get_position(original=True))
        shown = (
            [one for one in decorations(ax) if one.get_visible() and one.get_in_layout()] if ax.get_visible() else []
        )
        boxes = [artist.get_tightbbox() for artist in shown]
        whole = Bbox.union([place, *(box for box in boxes if box is not None and box.width > 0)])
        found += [place.x0 - whole.x0, place.y0 - whole.y0, whole.x1 - place.x1, whole.y1 - place.y1]
    for text in figure.texts:
        width, height = text.get_window_extent().size
        found.append(width if text.get_rotation() == 90 else height)
    return np.array(found) / figure.dpi


def decorations(ax):
    """What may stand beside axes that have been drawn: titles, labels, numbers, legends, texts, tables, insets."""
    yield from ax.get_default_bbox_extra_artists()
    yield from (child for child in ax.get_children() if isinstance(child, Text))
    for axis in (ax.xaxis, ax.yaxis) if ax.axison else ():
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.majorTicks, *axis.minorTicks):
            if low <= tick.get_loc() <= high:
                yield from (tick.label1, tick.label2)
        yield from (axis.label, axis.offsetText)

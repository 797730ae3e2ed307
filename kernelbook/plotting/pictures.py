"""Figures as the built book shows them: SVG in the page's own colours, and for phones with their panels stacked."""

import re
from contextlib import contextmanager
from functools import partial
from html import escape

from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from kernelbook.plotting.palette import themed

PIXELS_PER_INCH = 100  # pixels of the page for an inch of a figure
DOTS_PER_PIXEL = 2  # in each direction, of what is drawn dot by dot
MAX_SVG_LENGTH = 100_000  # characters; the points and lines of a longer SVG are drawn dot by dot
DATA = 2.4  # the highest z-order of data
AXES = 2.5  # that of the lines around a panel
SIZE = r' width="([\d.]+)pt" height="([\d.]+)pt"'  # at the start of an SVG, as Matplotlib writes it
PHONE_WIDTH = 3.7  # inches, of a figure on a phone whose panels stand below each other
WHOLE = 4.6  # inches, of another one whose letters would become too small

# A page shows the SVG for a phone in place of the other one. In a file, it is data that no program draws.
FOR_PHONES = '<metadata class="for-phones">{}</metadata>'


def as_svg(figure):
    """The text of an SVG, in which the figure for a phone is kept as metadata if it is another one.

    Meshes of colours, and the points and lines of a figure with thousands of them, are images inside the SVG.
    """
    wide = _svg(figure)
    with stacked(figure) as is_stacked, narrowed(figure) as is_narrowed:
        narrow = FOR_PHONES.format(_svg(figure)) if is_stacked or is_narrowed else ""
    return wide.replace("</svg>", f"{narrow}</svg>")


def _svg(figure):
    with rasterized([artist for artist in figure.findobj(QuadMesh) if not artist.get_rasterized()]):
        svg = cleaned(_printed(figure))
    if len(re.sub("data:[^\"]*", "", svg)) > MAX_SVG_LENGTH:
        with data_rasterized(figure):
            svg = cleaned(_printed(figure))
    return svg


@contextmanager
def rasterized(artists):
    """Let the artists be drawn dot by dot for a while."""
    for artist in artists:
        artist.set_rasterized(True)
    try:
        yield
    finally:
        for artist in artists:
            artist.set_rasterized(False)


@contextmanager
def data_rasterized(figure):
    """Let the points and lines of all panels be drawn dot by dot for a while, but not the numbers on their axes."""
    axes = [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)]
    before = [ax.get_rasterization_zorder() for ax in figure.axes], [axis.get_zorder() for axis in axes]
    for ax in figure.axes:
        ax.set_rasterization_zorder(DATA)
    for axis in axes:
        axis.set_zorder(AXES)
    try:
        yield
    finally:
        for ax, order in zip(figure.axes, before[0], strict=True):
            ax.set_rasterization_zorder(order)
        for axis, order in zip(axes, before[1], strict=True):
            axis.set_zorder(order)


def _printed(figure):
    """The figure as IPython prints it, cropped to its content."""
    # Here, since IPython loads slowly and only the book's build needs it.
    from IPython.core.pylabtools import print_figure

    engine = figure.get_layout_engine()
    try:
        with with_places(figure):
            return print_figure(figure, "svg", dpi=DOTS_PER_PIXEL * figure.dpi, metadata={"Date": None})
    finally:  # cropping makes Matplotlib forget that a figure has layout="none"
        figure.set_layout_engine(engine or "none")


@contextmanager
def with_places(figure):
    """Name the panels of a figure for a while, and what stands around their data: an image leaves that its colours."""
    panels = figure.axes
    around = [figure.patch, *figure.texts, *figure.legends]
    for ax in panels:
        around += [ax.xaxis, ax.yaxis, ax.title, ax._left_title, ax._right_title]
        around += [text for text in ax.texts if _is_beside(text, ax)]
    names = dict.fromkeys(around, "around") | dict.fromkeys(panels, "panel")
    before = {artist: artist.get_gid() for artist in names}
    try:
        for artist, name in names.items():
            artist.set_gid(name)
        yield
    finally:
        for artist, name in before.items():
            artist.set_gid(name)


def _is_beside(text, ax):
    """Whether a text is placed outside of its panel."""
    return text.get_transform() == ax.transAxes and not all(0 <= place <= 1 for place in text.get_position())


def cleaned(svg):
    """The SVG as a page can contain it: in the page's colours, without what acts on the whole page, and shorter.

    An image keeps its colours in every theme. So panels, and what stands around their data, get classes where there
    is one, and a page can give data the colours that suit the image.

    Matplotlib writes coordinates to a millionth of a point, a style for every element of the document, and names that
    nothing refers to.
    """
    svg = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' (?:d|x|y)="[^"]*"', lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), svg)
    svg = svg.replace("xlink:href", "href")
    if "<image" in svg:
        svg = re.sub(r' id="(around|panel)"', r' class="\1"', svg)
    used = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', svg))
    used = {name for pair in used for name in pair}
    svg = re.sub(r' id="([^"]*)"', lambda found: found[0] if found[1] in used else "", svg)
    svg = re.sub(r"(<g[^>]*)>\s*((?:<use [^>]*/>\s*)+)</g>", _share_style, svg)
    svg = re.sub(r' xmlns:xlink="[^"]*"| version="[^"]*"', "", svg, count=2)
    svg = svg.replace("<svg ", '<svg stroke-linejoin="round" ', 1)
    return themed(re.sub(r"\n\s*", "\n", svg).strip())


def _share_style(found):
    """A group of marks with the style that all of them have, where each has brought its own."""
    start, marks = found.groups()
    styles = set(re.findall(r' style="([^"]*)"', marks))
    if len(styles) != 1 or "style=" in start:
        return found[0]
    return f'{start} style="{styles.pop()}">\n{re.sub(r" style=.[^>]*?.(?=/>)", "", marks)}</g>'


def named_apart(svg, prefix, kept=None):
    """The SVG with `prefix` before each of its ids, so that two of them can stand on one page.

    Ids that begin like the regular expression `kept` stay as they are.
    """
    others = f"(?!{kept})" if kept else ""
    return re.sub(rf'( id="|href="#|url\(#){others}', rf"\g<1>{prefix}-", svg)


def in_page(svg, alt, classes="drawn"):
    """The SVG as an image of a page, with its description, its size in pixels and its classes."""
    width, height = size_of(svg)
    start = f'<svg class="{classes}" role="img" aria-label="{escape(alt)}" width="{width}" height="{height}"'
    return re.sub(f"<svg(.*?){SIZE}", lambda found: start + found[1], svg, count=1)


def size_of(svg):
    """Width and height on the page, in pixels."""
    return tuple(round(float(side) / 72 * PIXELS_PER_INCH) for side in re.search(SIZE, svg).groups())


@contextmanager
def stacked(figure):
    """Put panels that stand beside each other below each other, as wide as a phone; yield whether there are any.

    A long row of panels with a title each breaks into shorter ones. Any other grid of more rows or columns is a table,
    and keeps its form. Afterwards the figure is as it was.
    """
    places = _places_on_a_phone(figure)
    if not places:
        yield False
        return
    size = figure.get_size_inches().copy()
    rows, columns = (1 + max(place[i] for place in places.values()) for i in (0, 1))
    before = {ax: ax.get_subplotspec() for ax in places}
    old = next(iter(before.values())).get_gridspec()
    shrunk = (PHONE_WIDTH / columns) / (size[0] / old.ncols)
    grid = GridSpec(rows, columns, figure=figure)
    undo = [back for ax in places for back in _show_own_labels(ax)]
    for ax, place in places.items():
        ax.set_subplotspec(grid[place])
    # Panels keep their shape, but lose a fifth of their height at most: labels do not shrink with them.
    figure.set_size_inches(PHONE_WIDTH, rows * size[1] / old.nrows * max(shrunk, 0.8))
    try:
        yield True
    finally:
        for ax, spec in before.items():
            ax.set_subplotspec(spec)
        for back in undo:
            back()
        figure.set_size_inches(size)


@contextmanager
def narrowed(figure):
    """Make a figure whose panels stay where they are as wide as its letters need; yield whether it was wider."""
    size = figure.get_size_inches().copy()
    grids = {ax.get_subplotspec().get_gridspec() for ax in figure.axes if ax.get_subplotspec() is not None}
    wide = size[0] > WHOLE and len(grids) == 1 and not figure.subfigs
    if wide:
        alone = next(iter(grids)).ncols == 1  # a panel of a table keeps its shape, as far as labels let it
        figure.set_size_inches(WHOLE, size[1] * (1 if alone else max(WHOLE / size[0], 0.8)))
    try:
        yield wide
    finally:
        figure.set_size_inches(size)


def _places_on_a_phone(figure):
    """For each panel its row and column on a phone; empty if the panels stay where they are."""
    panels = [ax for ax in figure.axes if ax.get_subplotspec() is not None]
    grids = {ax.get_subplotspec().get_gridspec() for ax in panels}
    if len(grids) != 1 or figure.subfigs:
        return {}
    (grid,) = grids
    specs = {ax: ax.get_subplotspec() for ax in panels}
    single = all(len(spec.rowspan) == len(spec.colspan) == 1 for spec in specs.values())
    is_list = grid.ncols > 4 and all(ax.get_title() or ax.get_title("left") for ax in panels)
    if not single or not (is_list or (grid.nrows, grid.ncols) in [(1, 2), (1, 3), (1, 4), (2, 2)]):
        return {}
    columns = max(1, int(grid.ncols * PHONE_WIDTH / figure.get_size_inches()[0]))
    below = -(-grid.ncols // columns)  # rows on a phone for each row
    columns = -(-grid.ncols // below)
    if below == 1:
        return {}
    places = {}
    for ax, spec in specs.items():
        row, column = divmod(spec.colspan.start, columns)
        places[ax] = below * spec.rowspan.start + row, column
    return places


def _show_own_labels(ax):
    """Show the labels that a panel leaves to a neighbour with which it shares an axis; return what undoes it."""
    undo = []
    for axis, group, side in ((ax.yaxis, ax.get_shared_y_axes(), "left"), (ax.xaxis, ax.get_shared_x_axes(), "bottom")):
        others = [getattr(other, f"{axis.axis_name}axis") for other in group.get_siblings(ax) if other is not ax]
        shows, text = f"label{side}", axis.get_label_text()
        if others and not axis.get_tick_params(which="major").get(shows, True):
            axis.set_tick_params(which="both", **{shows: True})
            undo.append(partial(axis.set_tick_params, which="both", **{shows: False}))
        if not text and (found := next(filter(None, (other.get_label_text() for other in others)), "")):
            axis.set_label_text(found)
            undo.append(partial(axis.set_label_text, ""))
    return undo


def size_on_page(figure):
    """Width and height in pixels."""
    return tuple(round(side * PIXELS_PER_INCH) for side in figure.get_size_inches())


def show_as_svg():
    """Show the figures of a notebook's cells as SVG; outside a notebook, do nothing."""
    from IPython import get_ipython

    if get_ipython() is None:
        return
    from matplotlib_inline import backend_inline  # noqa: F401  its first import sets formatters of its own

    formatters = get_ipython().display_formatter.formatters
    formatters["image/svg+xml"].for_type(Figure, as_svg)
    formatters["image/png"].for_type(Figure, lambda figure: None)

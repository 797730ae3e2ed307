"""What the built book makes of a figure: an SVG of lines and points, a raster of twice the dots of what has shades."""

import base64
import io
import re

import nbformat
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.layout_engine import ConstrainedLayoutEngine
from nbclient import NotebookClient
from PIL import Image

from kernelbook.figures.frames import as_frame, as_live_frame, share_parts
from kernelbook.figures.layouts import LayoutCache
from kernelbook.plotting.pictures import DOTS_PER_PIXEL, MAX_SVG_LENGTH, PIXELS_PER_INCH, as_png, as_svg, rounded
from tools.site import figures
from tools.site.figures import drawn_pictures, place_pictures


def lines(ax):
    ax.plot([0, 1], [1, 0])


def areas(ax):
    ax.contourf(np.outer(np.arange(4), np.arange(4)))


def image(ax):
    ax.imshow([[0, 1]])


def mesh(ax):
    ax.pcolormesh([[0, 1], [1, 0]])


def image_in_its_own_dots(ax):
    ax.imshow([[0, 1]], interpolation="none")


def many_points(ax):
    ax.plot(np.random.default_rng(0).normal(size=(5000, 2)), ".")


@pytest.mark.usefixtures("own_style")
@pytest.mark.parametrize(
    ("draw", "is_vector"),
    [(lines, 1), (areas, 1), (image_in_its_own_dots, 1), (image, 0), (mesh, 0), (many_points, 0)],
)
def test_a_figure_is_one_of_the_two(draw, is_vector):
    figure, ax = plt.subplots()
    draw(ax)
    svg, png = as_svg(figure), as_png(figure)
    assert (svg is not None, png is not None) == (bool(is_vector), not is_vector)
    if is_vector:
        assert svg.startswith("<?xml")
        assert len(svg) <= MAX_SVG_LENGTH
    else:
        once = io.BytesIO()
        figure.savefig(once, format="png", bbox_inches="tight")
        with Image.open(io.BytesIO(png)) as sharp, Image.open(once) as plain:
            assert abs(sharp.width - DOTS_PER_PIXEL * plain.width) <= DOTS_PER_PIXEL


@pytest.mark.usefixtures("own_style")
def test_the_same_figure_is_the_same_file():
    def drawn():
        figure, ax = plt.subplots()
        lines(ax)
        return as_svg(figure)

    assert drawn() == drawn()


@pytest.mark.usefixtures("own_style")
def test_a_frame_has_places_to_a_hundredth_and_images_of_twice_the_dots():
    figure = plt.figure(figsize=(2, 1), dpi=100, layout="none")
    figure.add_axes((0, 0, 1, 1)).imshow([[0, 1]], aspect="auto")
    svg = "\n".join(as_frame(figure))
    assert figure.dpi == 100
    with Image.open(io.BytesIO(base64.b64decode(re.search(r"base64,([^\"]*)", svg)[1]))) as drawn:
        assert abs(drawn.width - 400) <= 2
    assert (
        rounded('<path d="M 1.234567 8L 0.5 3.999999" id="m1.234567"/>')
        == '<path d="M 1.23 8L 0.5 3.99" id="m1.234567"/>'
    )


def test_frames_share_elements_whatever_comes_before_or_after_them():
    frames = [["head", "title", "a", "end"], ["head", "title", "b", "end"], ["head", "title", "a", "end"]]
    assert share_parts(frames) == (["head\ntitle", "a", "end", "b"], [[0, 1, 2], [0, 3, 2], [0, 1, 2]])
    assert share_parts([["a", "end"], ["b", "end"]]) == (["a", "end", "b"], [[0, 1], [2, 1]])
    assert share_parts([["head", "a"], ["head", "b"]]) == (["head", "a", "b"], [[0, 1], [0, 2]])


@pytest.mark.parametrize(
    ("static", "expected"), [("1", {"image/svg+xml", "text/plain"}), ("", {"image/png", "text/plain"})]
)
def test_cells_show_figures_so_in_a_build_alone(monkeypatch, static, expected):
    monkeypatch.setenv("KERNELBOOK_STATIC", static)
    setup = "from matplotlib import pyplot as plt\nfrom kernelbook import plotting\nplotting.use_style()"
    cells = [nbformat.v4.new_code_cell(source) for source in (setup, "plt.plot([0, 1])\nplt.show()")]
    notebook = NotebookClient(nbformat.v4.new_notebook(cells=cells), kernel_name="python3").execute()
    assert [set(output["data"]) for output in notebook.cells[1].outputs] == [expected]


def test_page_and_figures_have_the_same_pixels():
    assert figures.PIXELS_PER_INCH == PIXELS_PER_INCH


def test_a_page_keeps_a_place_for_what_cells_drew_and_leaves_files_alone(tmp_path):
    svg, flat, shaded, shown = "a" * 64 + ".svg", "b" * 64 + ".png", "c" * 64 + ".png", "d" * 64 + ".png"
    (tmp_path / svg).write_text('<svg width="72pt" height="36pt"></svg>', encoding="utf-8")
    shades = np.random.default_rng(0).integers(0, 256, size=(80, 120, 3), dtype=np.uint8)
    twice = {"dpi": (200, 200)}
    for name, pixels, options in [
        (flat, shades // 128 * 255, twice),
        (shaded, shades, twice),
        (shown, shades // 128 * 255, {}),
        ("photo.png", shades, twice),
    ]:
        Image.fromarray(pixels).save(tmp_path / name, **options)
    drawn = drawn_pictures(tmp_path)
    sources = [svg, flat, shaded, shown, "photo.png", "drawing.svg"]
    html = "".join(f'<img alt="width=1" src="../_images/{name}" />' for name in sources)
    placed = place_pictures(html, drawn).split("<")[1:]
    assert placed[0] == f'img width="100" height="50" loading="lazy" alt="width=1" src="../_images/{svg}" />'
    assert placed[1].startswith('img width="60" height="40"')
    assert placed[2] == f'img width="60" height="40" loading="lazy" alt="width=1" src="../_images/{"c" * 64}.webp" />'
    assert placed[3].startswith('img width="120" height="80"')  # it says nothing of its density
    assert placed[4:] == [f'img alt="width=1" src="../_images/{name}" />' for name in sources[4:]]
    sized = f'<img alt="a" width="7" src="../_images/{svg}" />'
    assert place_pictures(sized, drawn) == sized
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".png", ".png", ".png", ".svg", ".webp"]
    assert drawn_pictures(tmp_path)[flat] == drawn[flat]  # a second build finds it made small


class Counting(ConstrainedLayoutEngine):
    asked = 0

    def execute(self, figure):
        Counting.asked += 1
        super().execute(figure)


def frame(height, label="height", count=2, legend=(), title=None):
    figure, axes = plt.subplots(1, count, figsize=(4, 2), layout=Counting(), squeeze=False)
    for ax in axes[0]:
        ax.plot([0, height])
        ax.set(xlabel="time", ylabel=label, title="rising")
    if legend:
        axes[0, 0].legend(legend, loc="upper left", bbox_to_anchor=(1, 1))
    if title:
        figure.suptitle(title)
    return figure


def same(one, other):
    one, other = (np.asarray(Image.open(io.BytesIO(png)), dtype=int) for png in (one, other))
    return one.shape == other.shape and np.abs(one - other).max() < 2


@pytest.mark.usefixtures("own_style")
@pytest.mark.parametrize("draw", [as_frame, as_live_frame])
@pytest.mark.parametrize(
    ("first", "second", "anew"),
    [
        ({"height": 3}, {"height": 2.5}, False),
        ({"height": 3, "title": "One"}, {"height": 2.5, "title": "Two"}, False),
        ({"height": 3}, {"height": 3000}, True),  # longer numbers
        ({"height": 3}, {"height": 3, "label": "height\nin feet"}, True),
        ({"height": 3}, {"height": 3, "legend": ["a long name"]}, True),
        ({"height": 3}, {"height": 3, "count": 3}, True),
        ({"height": 3}, {"height": 3, "title": "Two"}, True),
    ],
)
def test_axes_stand_where_they_stood_unless_more_is_written(draw, first, second, anew):
    layout = LayoutCache()
    draw(frame(**first), layout)
    Counting.asked = 0
    found = draw(frame(**second), layout)
    assert Counting.asked == anew
    expected = draw(frame(**second))
    assert found == expected if draw is as_frame else same(found, expected)


@pytest.mark.usefixtures("own_style")
def test_a_kept_layout_has_room_for_the_most_that_was_written():
    layout, asked = LayoutCache(), []
    for height in (3, 3000, 3, 2000):
        Counting.asked = 0
        as_live_frame(frame(height), layout)
        asked.append(Counting.asked)
    assert asked == [1, 1, 0, 0]


@pytest.mark.usefixtures("own_style")
def test_a_colour_bar_needs_the_engine_each_time():
    layout = LayoutCache()
    for _ in range(2):
        figure, ax = plt.subplots(figsize=(4, 2), layout=Counting())
        figure.colorbar(ax.imshow([[0, 1]]))
        Counting.asked = 0
        as_live_frame(figure, layout)
        assert Counting.asked == 1


def moving_text(size):
    figure, _ = plt.subplots(figsize=(4, 2))
    figure.text(size / 10, 0.5, "here")
    return figure


def moving_axes(size):
    figure, _ = plt.subplots(figsize=(4, 2))
    figure.add_axes((size / 10, 0.5, 0.2, 0.2))
    return figure


def rows_or_columns(size):
    return plt.subplots(*((2, 1) if size > 5 else (1, 2)), figsize=(4, 2))[0]


def unequal(size):
    return plt.subplots(1, 2, figsize=(4, 2), width_ratios=(1, size))[0]


def lines_of_a_title(size):
    figure, _ = plt.subplots(figsize=(4, 2))
    figure.suptitle("\n".join(["up"] * (size // 3)))
    return figure


def legend_of_the_figure(size):
    figure, ax = plt.subplots(figsize=(4, 2))
    ax.plot([1, 2], label="w" * size)
    figure.legend(loc="outside right")
    return figure


def second_scale(size):
    figure, ax = plt.subplots(figsize=(4, 2))
    ax.secondary_yaxis("right", functions=(lambda y: y * 10**size, lambda y: y / 10**size))
    return figure


def table_below(size):
    figure, ax = plt.subplots(figsize=(4, 2))
    ax.table([["1"]] * (size // 2), loc="bottom")
    return figure


def in_space(size):
    figure, _ = plt.subplots(figsize=(4, 2), subplot_kw={"projection": "3d"})
    figure.axes[0].set_zlabel("\n".join(["height"] * (size // 3)))
    return figure


def parts_of_figures(size):
    figure = plt.figure(figsize=(8, 2))
    figure.subfigures(1, 2, width_ratios=(1, size))[0].subplots()
    return figure


def placed_by_hand(size):
    figure, ax = plt.subplots(figsize=(4, 2))
    ax.set_position((size / 20, 0.3, 0.4, 0.4))
    return figure


def smaller(size):
    figure, ax = plt.subplots(figsize=(4, 6 / size))
    ax.set_ylabel("height")
    return figure


def unseen_at_first(size):
    figure, axes = plt.subplots(2, figsize=(4, 3))
    axes[1].set_title("down\\nthere")
    axes[1].set_visible(size > 5)
    return figure


def too_much_at_first(size):
    figure, ax = plt.subplots(figsize=(4, 2))
    ax.set_ylabel("height", fontsize=10 if size > 5 else 200)
    return figure


@pytest.mark.filterwarnings("ignore:constrained_layout not applied")
@pytest.mark.usefixtures("own_style")
@pytest.mark.parametrize(
    "draw",
    [
        *(
            placed_by_hand,
            smaller,
            unseen_at_first,
            too_much_at_first,
            moving_text,
            moving_axes,
            rows_or_columns,
            unequal,
            lines_of_a_title,
            legend_of_the_figure,
        ),
        *(second_scale, table_below, in_space, parts_of_figures),
    ],
)
def test_a_figure_of_other_parts_is_what_it_is_alone(draw):
    layout = LayoutCache()
    pictures = [as_live_frame(draw(size), layout) for size in (3, 9)]
    assert same(pictures[1], as_live_frame(draw(9)))
    assert not same(*pictures)


@pytest.mark.usefixtures("own_style")
def test_a_figure_that_is_drawn_again_keeps_its_engine():
    layout, figure = LayoutCache(), frame(3)
    for height in (3, 3000):
        figure.axes[0].clear()
        figure.axes[0].plot([0, height])
        figure.axes[0].set_ylabel("height")
        picture = as_live_frame(figure, layout)
    assert figure.get_layout_engine() is not None
    assert same(picture, as_live_frame(figure))

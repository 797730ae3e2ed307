"""What the built book makes of a figure: an SVG of lines and points, a raster of twice the dots of what has shades."""

import io

import nbformat
import numpy as np
import pytest
from matplotlib import pyplot as plt
from nbclient import NotebookClient
from PIL import Image

from kernelbook.plotting.pictures import DOTS_PER_PIXEL, MAX_SVG_LENGTH, PIXELS_PER_INCH, as_png, as_svg
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
@pytest.mark.filterwarnings("error")
def test_a_figure_without_a_layout_is_printed_twice():
    figure = plt.figure(layout="none")
    lines(figure.add_axes((0.1, 0.1, 0.8, 0.8)))
    assert as_svg(figure) == as_svg(figure)


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

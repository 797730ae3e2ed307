"""What the built book makes of a figure: a drawing in the page's colours, images inside it, and one for phones."""

import base64
import io
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from bs4 import BeautifulSoup
from matplotlib import pyplot as plt
from nbclient import NotebookClient
from PIL import Image

from kernelbook import plotting
from kernelbook.plotting.palette import VARIABLES
from kernelbook.plotting.pictures import (
    DOTS_PER_PIXEL,
    FOR_PHONES,
    MAX_SVG_LENGTH,
    PHONE_WIDTH,
    as_svg,
    narrowed,
    size_of,
    stacked,
)
from tools.site.figures import drawn_pictures, place_pictures, smaller

ROOT = Path(__file__).parents[3]
PHONE = "(width < 31.25rem)"  # where panels stand below each other


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
    ("draw", "has_image"),
    [(lines, 0), (areas, 0), (image_in_its_own_dots, 1), (image, 1), (mesh, 1), (many_points, 1)],
)
def test_what_would_be_long_is_an_image_inside_the_drawing(draw, has_image):
    figure, ax = plt.subplots(figsize=(4, 3))
    draw(ax)
    ax.set_xlabel("width")
    svg = as_svg(figure)
    images = re.findall('"data:image/png;base64,([^"]*)"', svg)
    assert bool(images) == bool(has_image)
    assert len(re.sub('"data:[^"]*"', "", svg)) <= MAX_SVG_LENGTH
    assert bool(BeautifulSoup(svg, "html.parser").select(".around use")) == bool(has_image)  # letters are no image
    for found in images if draw is not image_in_its_own_dots else []:  # sharp on a screen of two dots for a pixel
        with Image.open(io.BytesIO(base64.b64decode(found))) as sharp:
            assert sharp.width > 0.75 * DOTS_PER_PIXEL * size_of(svg)[0]


@pytest.mark.usefixtures("own_style")
def test_a_drawing_acts_on_nothing_else_of_its_page():
    """It has no style sheet of its own, whose rules would hold for the whole page, and no id that nothing names."""
    figure, ax = plt.subplots(figsize=(4, 3))
    lines(ax)
    soup = BeautifulSoup(as_svg(figure), "html.parser")
    assert soup.find(["style", "metadata"]) is None
    named = {tag["href"].removeprefix("#") for tag in soup.find_all("use")}
    named |= set(re.findall(r"url\(#([^)]*)\)", str(soup)))
    assert {tag["id"] for tag in soup.find_all(id=True)} == named


@pytest.mark.usefixtures("own_style")
def test_a_drawing_takes_the_colours_of_its_page():
    figure, ax = plt.subplots()
    ax.plot([0, 1], color=plotting.POSITIVE["color"])
    ax.plot([1, 0], color="#123456")
    svg = as_svg(figure)
    assert "stroke: var(--class-1,#0072b2)" in svg
    assert "stroke: #123456" in svg
    assert not re.search(f"(?<!,)({'|'.join(VARIABLES)})", svg)


def test_every_colour_of_the_book_is_a_variable():
    names = "POSITIVE NEGATIVE CLASSES REGIONS OBSERVED TRUTH FIT GUIDE SUPPORT BOUND LAND INK PANEL"
    colours = set(re.findall("#[0-9a-f]{6}", repr([getattr(plotting, name) for name in names.split()])))
    assert colours
    assert colours <= set(VARIABLES)


def panels(rows, columns, **options):
    figure, axes = plt.subplots(rows, columns, squeeze=False, **options)
    for i, ax in enumerate(axes.flat):
        ax.plot([0, i + 1])
    axes.flat[0].set_ylabel("height")
    return figure, axes


@pytest.mark.usefixtures("own_style")
@pytest.mark.parametrize(
    ("rows", "columns", "width", "expected"),
    [
        *[(1, 2, 7, (2, 1)), (1, 3, 7, (3, 1)), (1, 4, 7, (2, 2)), (2, 2, 7, (4, 1)), (1, 2, 3.6, None)],
        *[(2, 3, 7, None), (2, 10, 7, (4, 5)), (1, 15, 7, (3, 5))],
    ],
)
def test_on_a_phone_panels_stand_below_each_other(rows, columns, width, expected):
    figure, axes = panels(rows, columns, figsize=(width, 3 * rows))
    if columns > 4:
        with stacked(figure) as is_stacked:
            assert not is_stacked
        for ax in axes.flat:
            ax.set_title("one of many", loc="left")
    with stacked(figure) as is_stacked:
        assert is_stacked == (expected is not None)
        if is_stacked:
            grid = axes.flat[0].get_subplotspec().get_gridspec()
            assert (grid.nrows, grid.ncols) == expected
            places = [(ax.get_subplotspec().rowspan.start, ax.get_subplotspec().colspan.start) for ax in axes.flat]
            assert places == sorted(set(places))  # in the order in which they are read
            assert figure.get_size_inches()[0] == PHONE_WIDTH
    assert tuple(figure.get_size_inches()) == (width, 3 * rows)


@pytest.mark.usefixtures("own_style")
def test_a_figure_is_the_same_after_it_has_been_stacked():
    figure, _ = panels(1, 2, figsize=(7, 3), sharey=True)
    first = as_svg(figure)
    assert FOR_PHONES.split("{}")[0] in first
    assert as_svg(figure) == first


@pytest.mark.usefixtures("own_style")
@pytest.mark.parametrize(
    ("rows", "columns", "size", "expected"),
    [(1, 1, (7, 3), (4.6, 3)), (2, 1, (7, 3), (4.6, 3)), (1, 1, (4, 3), (4, 3)), (2, 5, (7, 3), (4.6, 2.4))],
)
def test_on_a_phone_a_figure_whose_panels_stay_is_narrower(rows, columns, size, expected):
    figure, _ = panels(rows, columns, figsize=size)
    with narrowed(figure) as is_narrowed:
        assert is_narrowed == (size != expected)
        assert figure.get_size_inches() == pytest.approx(expected)
    assert tuple(figure.get_size_inches()) == size


@pytest.mark.usefixtures("own_style")
def test_marks_of_one_kind_say_their_style_once():
    figure, ax = plt.subplots()
    ax.plot(range(40), "|", color="#123456")
    svg = as_svg(figure)
    assert svg.count("#123456") < 10


@pytest.mark.usefixtures("own_style")
def test_a_stacked_panel_has_the_labels_that_it_left_to_its_neighbour():
    figure, ((_, right),) = panels(1, 2, figsize=(7, 3), sharey=True)
    with stacked(figure):
        assert right.get_ylabel() == "height"
        assert right.yaxis.get_tick_params()["labelleft"]
    assert right.get_ylabel() == ""
    assert not right.yaxis.get_tick_params()["labelleft"]
    figure, ((_, right),) = panels(1, 2, figsize=(7, 3))
    with stacked(figure):
        assert right.get_ylabel() == ""  # it has an axis of its own


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


def saved(images, letter, draw, **options):
    """The file of a figure, as the build writes it."""
    figure, ax = plt.subplots(**options)
    draw(ax if not isinstance(ax, np.ndarray) else ax[0])
    (images / f"{letter * 64}.svg").write_text(as_svg(figure), encoding="utf-8")
    return f'<p><img alt="&lt;{letter}&gt;" src="../_images/{letter * 64}.svg" /></p>'


@pytest.mark.usefixtures("own_style")
def test_a_drawing_becomes_part_of_the_page_and_its_image_a_file(tmp_path):
    html = saved(tmp_path, "a", lines, figsize=(4, 3)) + saved(tmp_path, "b", image, figsize=(4, 3))
    html += '<img alt="c" src="drawing.svg" />'
    html += saved(tmp_path, "c", mesh, ncols=2, figsize=(7, 3))
    page = BeautifulSoup(place_pictures(f"<body>{html}</body>", drawn_pictures(tmp_path)), "html.parser")
    assert [other.attrs for other in page("img")] == [{"alt": "c", "src": "drawing.svg"}]
    drawing, plain, panels, narrow = page("svg", class_="drawn")
    assert [(svg["role"], svg["aria-label"]) for svg in (drawing, plain, panels)] == [("img", f"<{x}>") for x in "abc"]
    assert ["for-desks" in panels["class"], "for-phones" in narrow["class"]] == [True, True]
    assert int(narrow["width"]) < 400 < int(panels["width"])
    images = {image["href"] for svg in (plain, panels, narrow) for image in svg("image")}
    assert {address.rpartition("/")[0] for address in images} == {"../_images"}
    assert {path.name for path in tmp_path.iterdir()} == {address.rpartition("/")[2] for address in images}


@pytest.mark.usefixtures("own_style")
def test_an_image_leaves_their_colours_to_what_stands_around_it():
    figure, ax = plt.subplots()
    image(ax)
    ax.set(title="above", xlabel="below")
    ax.text(0.5, 0.5, "inside", transform=ax.transAxes)
    ax.text(0.5, 1.2, "beside", transform=ax.transAxes)
    panel = BeautifulSoup(as_svg(figure), "html.parser").select_one(".panel")
    around = [part for part in panel.find_all("g", recursive=False) if part.get("class") == ["around"]]
    assert len(around) == 4  # two axes, the title, and the text beside the panel
    assert panel.find("image").find_parent(class_="around") is None
    assert (ax.get_gid(), ax.xaxis.get_gid(), figure.patch.get_gid()) == (None, None, None)
    figure, ax = plt.subplots()
    lines(ax)
    assert "around" not in as_svg(figure)


@pytest.mark.usefixtures("own_style")
def test_two_drawings_share_letters_and_no_other_id(tmp_path):
    html = saved(tmp_path, "a", lines) + saved(tmp_path, "b", lines, figsize=(3, 2))
    page = BeautifulSoup(place_pictures(f"<body>{html}</body>", drawn_pictures(tmp_path)), "html.parser")
    ids = [tag["id"] for tag in page.find_all(id=True)]
    assert len(ids) == len(set(ids))
    assert {tag["href"].removeprefix("#") for tag in page("use")} <= set(ids)
    assert all(identity.startswith(("aaaaaaaa-", "bbbbbbbb-", "DejaVuSans-")) for identity in ids)


def test_an_image_in_a_drawing_becomes_smaller():
    shades = np.random.default_rng(0).integers(0, 256, size=(80, 120, 3), dtype=np.uint8)
    for pixels, expected in ((shades // 128 * 255, "png"), (shades, "webp")):
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, "png", compress_level=0)
        kind, data = smaller(file.getvalue())
        assert kind == expected
        assert len(data) < file.tell()


def test_style_sheet_and_script_know_the_colours_and_the_width_of_a_phone():
    css = (ROOT / "book" / "_static" / "kernelbook.css").read_text(encoding="utf-8")
    rules = (r'data-theme="dark"\]', r"\n\.panel:has\(image\) > :not\(\.around\)")
    dark, paper = (re.search(rule + r" {(.*?)}", css, re.DOTALL)[1] for rule in rules)
    assert set(re.findall(r"--([\w-]+): initial", paper)) == set(VARIABLES.values())
    assert set(VARIABLES.values()) <= set(re.findall(r"--([\w-]+): #", dark))
    script = (ROOT / "kernelbook" / "figures" / "browser" / "frames.js").read_text(encoding="utf-8")
    assert PHONE in css
    assert PHONE in script

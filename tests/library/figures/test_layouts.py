"""A layout that is kept from frame to frame: fewer runs of its engine, and the same pictures."""

import io

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.layout_engine import ConstrainedLayoutEngine
from PIL import Image

from kernelbook.figures.frames import as_frame, as_live_frame
from kernelbook.figures.layouts import LayoutCache


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
        second_scale,
        table_below,
        in_space,
        parts_of_figures,
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

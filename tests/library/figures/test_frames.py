"""Frames of an explorer: numbers are rounded, images are sharp, and what frames have in common is stored once."""

import base64
import io
import re

import pytest
from matplotlib import pyplot as plt
from PIL import Image

from kernelbook.figures.frames import as_frame, share_parts
from kernelbook.plotting.pictures import cleaned


@pytest.mark.usefixtures("own_style")
def test_a_frame_has_places_to_a_hundredth_and_images_of_twice_the_dots():
    figure = plt.figure(figsize=(2, 1), dpi=100, layout="none")
    figure.add_axes((0, 0, 1, 1)).imshow([[0, 1]], aspect="auto")
    svg = "\n".join(as_frame(figure))
    assert figure.dpi == 100
    with Image.open(io.BytesIO(base64.b64decode(re.search(r"base64,([^\"]*)", svg)[1]))) as drawn:
        assert abs(drawn.width - 400) <= 2
    assert cleaned('<path d="M 1.234567 8L 0.5 3.999999" id="never named"/>') == '<path d="M 1.23 8L 0.5 3.99"/>'


def test_frames_share_elements_whatever_comes_before_or_after_them():
    frames = [["head", "title", "a", "end"], ["head", "title", "b", "end"], ["head", "title", "a", "end"]]
    assert share_parts(frames) == (["head\ntitle", "a", "end", "b"], [[0, 1, 2], [0, 3, 2], [0, 1, 2]])
    assert share_parts([["a", "end"], ["b", "end"]]) == (["a", "end", "b"], [[0, 1], [2, 1]])
    assert share_parts([["head", "a"], ["head", "b"]]) == (["head", "a", "b"], [[0, 1], [0, 2]])

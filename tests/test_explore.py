"""Explorers: live widgets that redraw, static figures within their limits; the browser's side is tested on the site."""

import base64
import io
import json
import re

import numpy as np
import pytest
from bs4 import BeautifulSoup
from IPython.core.formatters import DisplayFormatter
from matplotlib import pyplot as plt
from PIL import Image

from kernelbook import explore as module
from kernelbook.explore import explore

WIDGET = "application/vnd.jupyter.widget-view+json"


def draw(gamma, C):
    figure, ax = plt.subplots(figsize=(2, 1))
    ax.bar([0, 1], [gamma, C])
    return figure


def describe(gamma, C):
    return f"bars of {gamma} & {C}"


def explorer(gamma=(1, 2, 4), C=(0.5, 1.0), draw=draw, describe=describe, caption="Try <both> sliders."):
    return explore(draw, gamma=gamma, C=C, describe=describe, caption=caption)


@pytest.fixture
def static(monkeypatch):
    monkeypatch.setenv("KERNELBOOK_STATIC", "1")


@pytest.fixture(autouse=True)
def live_unless_static(monkeypatch):
    monkeypatch.delenv("KERNELBOOK_STATIC", raising=False)
    yield
    assert not plt.get_fignums(), "a figure was left open, which a notebook would show again"


def parsed(html):
    return BeautifulSoup(html, "html.parser").figure


def frames(figure):
    return json.loads(re.search(r"= (\{.*\});", figure.script.string)[1])


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def test_live_sliders_redraw_the_image_and_its_description():
    shown = explorer()
    seen = {}
    for gamma in (1, 2, 4):
        for C in (0.5, 1.0):
            shown.sliders["gamma"].value, shown.sliders["C"].value = gamma, C
            seen[gamma, C] = shown.image.value
            assert f"bars of {gamma} &amp; {C}" in shown.widget.children[-1].value
    assert len(set(seen.values())) == 6
    shown.sliders["gamma"].value, shown.sliders["C"].value = 1, 1.0
    assert shown.image.value == seen[1, 1.0]


def test_live_image_is_what_draw_draws():
    shown = explorer()
    shown.sliders["gamma"].value = 1
    figure = draw(1, 1.0)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=figure.dpi)
    plt.close(figure)
    assert (pixels(shown.image.value) == pixels(buffer.getvalue())).all()


def test_live_display_is_a_widget_with_a_stable_text():
    data, _ = DisplayFormatter().format(explorer())
    assert data.keys() == {WIDGET, "text/plain"}
    assert data["text/plain"] == "Explorer(gamma: 1 … 4 in 3 steps, C: 0.5 … 1 in 2 steps)"


def test_live_error_is_shown_where_the_reader_looks():
    def fails_at_4(gamma, C):
        if gamma == 4:
            raise ValueError("4 is <too> much")
        return draw(gamma, C)

    shown = explorer(draw=fails_at_4)
    with pytest.raises(ValueError, match="too"):
        shown.sliders["gamma"].value = 4
    assert shown.image.value == b""
    assert "<b>ValueError</b>: 4 is &lt;too&gt; much" in shown.widget.children[-1].value
    shown.sliders["gamma"].value = 1
    assert shown.image.value


def test_sliders_start_in_the_middle_and_read_as_words():
    shown = explore(lambda size_in_km: draw(size_in_km, 1), size_in_km=[1, 2, 3, 4], describe=str, caption="c")
    with pytest.raises(TypeError):  # str takes no size_in_km: describe gets the same names as draw
        _ = shown.widget
    shown = explore(
        lambda size_in_km: draw(size_in_km, 1), size_in_km=[1, 2, 3, 4], describe=lambda **_: "s", caption="c"
    )
    assert shown.sliders["size_in_km"].value == 3
    assert shown.sliders["size_in_km"].description == "size in km"
    plt.close("all")


def test_static_display_is_html_and_no_widget(static):
    data, _ = DisplayFormatter().format(explorer())
    assert data.keys() == {"text/html", "text/plain"}


def test_static_figure_has_labelled_sliders_and_starts_in_the_middle(static):
    figure = parsed(explorer().to_html())
    assert figure["class"] == ["explorer"]
    controls = [
        (c.label.text, c.input["min"], c.input["max"], c.input["value"], c.output.text)
        for c in figure("div", class_="explorer-control")
    ]
    assert controls == [("gamma", "0", "2", "1", "2"), ("C", "0", "1", "1", "1")]
    for control in figure("div", class_="explorer-control"):
        assert [control.label["for"]] == control.output["for"] == [control.input["id"]]
        assert control.input["aria-valuetext"] == control.output.text
    assert figure.img["alt"] == "bars of 2 & 1.0"
    assert figure.figcaption.text == "Try <both> sliders."


def test_static_frames_are_the_drawings_in_order(static):
    figure = parsed(explorer().to_html())
    data = frames(figure)
    assert [alt for _, alt in data["frames"]] == [describe(gamma, C) for gamma in (1, 2, 4) for C in (0.5, 1.0)]
    sources = [source for source, _ in data["frames"]]
    start = sources.index("")  # kept once, in the image
    sources[start] = figure.img["src"]
    assert data["frames"][start][1] == figure.img["alt"]
    assert f"frames[{start}][0] = image.src" in figure.script.string
    assert len(set(sources)) == 6
    assert all(source.startswith("data:image/webp;base64,") for source in sources)


def test_static_frames_keep_the_colours_of_thin_lines(static):
    def thin(gamma, C):
        figure, ax = plt.subplots(figsize=(3, 2))
        ax.imshow(np.linspace(0, gamma * C, 400).reshape(20, 20), cmap="viridis")
        ax.axhline(10, color="#d55e00", linewidth=1.5)
        return figure

    figure = parsed(explorer(draw=thin).to_html())
    colours = pixels(base64.b64decode(figure.img["src"].split(",")[1])).reshape(-1, 3)
    assert np.abs(colours - [0xD5, 0x5E, 0x00]).sum(axis=1).min() < 24


def test_two_explorers_on_a_page_do_not_share_names(static):
    first, second = parsed(explorer().to_html()), parsed(explorer().to_html())
    assert not {tag["id"] for tag in first(id=True)} & {tag["id"] for tag in second(id=True)}


def test_nothing_in_the_page_can_end_the_script(static):
    html = explorer(describe=lambda **_: "</script><b>'\"").to_html()
    assert html.count("</script>") == 1
    assert parsed(html).img["alt"] == "</script><b>'\""


def test_too_many_frames_are_refused_before_any_is_drawn(static):
    def never(**_):
        raise AssertionError

    with pytest.raises(ValueError, match="has 62 frames; a static explorer may have 60"):
        explorer(gamma=range(31), draw=never).to_html()


def test_too_many_bytes_are_refused(static, monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 2_000)
    with pytest.raises(ValueError, match=r"takes \d+ kB; a static explorer may take 2 kB"):
        explorer().to_html()


def test_frames_of_different_sizes_are_refused(static):
    def grows(gamma, C):
        return plt.figure(figsize=(gamma, 1))

    with pytest.raises(ValueError, match="same size"):
        explorer(draw=grows).to_html()


def test_no_parameter_is_refused():
    with pytest.raises(ValueError, match="at least one parameter"):
        explore(draw, describe=describe, caption="c")


LISTS = {
    "an array": (lambda: np.linspace(0, 1, 3), ["0", "0.5", "1"]),
    "integers of NumPy": (lambda: [np.int64(1), np.int64(2)], ["1", "2"]),
    "single precision": (lambda: np.float32([0.1, 1 / 3]), ["0.1", "0.333333"]),
    "booleans": (lambda: [False, True], ["False", "True"]),
    "booleans of NumPy": (lambda: np.array([True, False]), ["True", "False"]),
    "names": (lambda: ("one", "two"), ["one", "two"]),
    "pairs": (lambda: [(0, 1), (1, 2)], ["(0, 1)", "(1, 2)"]),
    "names and numbers": (lambda: ["none", 1, 2.5], ["none", "1", "2.5"]),
    "keys": (lambda: {"a": [1], "b": [2]}.keys(), ["a", "b"]),
    "a generator": (lambda: (2**i for i in range(3)), ["1", "2", "4"]),
}


@pytest.mark.parametrize(("made", "texts"), LISTS.values(), ids=LISTS)
def test_values_of_many_kinds_reach_draw_as_they_are(made, texts):
    drawn = []

    def canvas(w):
        drawn.append(repr(w))
        return plt.figure(figsize=(0.5, 0.5))

    shown = explore(canvas, w=made(), describe=lambda w: repr(w), caption="c")
    live = []
    for index, text in enumerate(texts):
        shown.sliders["w"].index = index
        assert shown.sliders["w"].label == text
        live.append(BeautifulSoup(shown.widget.children[-1].value.split("<br>")[0], "html.parser").text)
    drawn.clear()
    data = frames(parsed(shown.to_html()))
    assert data["texts"] == [texts]
    assert live == [alt for _, alt in data["frames"]] == drawn == [repr(value) for value in made()]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "w must hold at least one value, got an empty list"),
        (np.array([]), "w must hold at least one value, got an empty list"),
        (3, "w must be a list of values in the slider's order, got 3"),
        (None, "w must be a list of values in the slider's order, got None"),
        (np.array(3.0), r"w must be a list of values in the slider's order, got array\(3\.\)"),
        ("abc", "w must be a list of values in the slider's order, got 'abc'"),
        ({"a": 1}, "w must be a list of values in the slider's order, got {'a': 1}"),
        ({1, 2}, "w must be a list of values in the slider's order, got {1, 2}"),
        ([np.array([1, 2]), np.array([3])], r"w must hold numbers or names, got an array of shape \(2,\): give it"),
        (np.eye(3), r"w must hold numbers or names, got an array of shape \(3,\): give it a name"),
        ([np.array(3)], r"w must hold numbers or names, got array\(3\): give it a name"),
        ([1, [2, 3]], r"w must hold numbers or names, got \[2, 3\]: give it a name, and look it up in draw"),
        ([(1, np.array([2, 3]))], r"w must hold numbers or names, got \(1, array"),
        (["balanced", None], "w must hold numbers or names, got None: give it a name"),
        ([1.0, np.nan], "w must hold numbers or names, got nan"),
        ([1, 2, 1], "w must hold different values, but 1 equals one before it"),
        ([1, True], "w must hold different values, but True equals one before it"),
    ],
)
def test_what_no_slider_can_hold_is_refused_in_a_sentence(options, said):
    with pytest.raises(ValueError, match=said) as refused:
        explore(draw, gamma=[1], w=options, describe=describe, caption="c")
    assert "\n" not in str(refused.value)


def test_draw_must_return_a_figure():
    with pytest.raises(ValueError, match="draw must return a Matplotlib figure, got Axes"):
        _ = explore(lambda gamma: plt.gca(), gamma=[1], describe=lambda gamma: "", caption="c").widget
    plt.close("all")


def test_describe_must_return_a_text():
    with pytest.raises(ValueError, match="describe must return a text, got NoneType"):
        _ = explorer(describe=lambda **_: None).widget

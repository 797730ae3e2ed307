"""Explorers: live widgets that redraw, static figures within their limits; the browser's side is tested on the site."""

import io
import json
import re
from urllib.parse import unquote

import numpy as np
import pytest
from bs4 import BeautifulSoup
from IPython.core.formatters import DisplayFormatter
from matplotlib import pyplot as plt
from PIL import Image

from kernelbook import explore as module
from kernelbook.controls import label_of, text_of
from kernelbook.explore import explore
from kernelbook.explorer_page import as_script
from kernelbook.pictures import as_frame

WIDGET = "application/vnd.jupyter.widget-view+json"


def draw(gamma, C):
    figure, ax = plt.subplots(figsize=(2, 1))
    ax.bar([0, 1], [gamma, C])
    return figure


def describe(gamma, C):
    return f"bars of {gamma} & {C}"


def explorer(gamma=(1, 2, 4), C=(0.5, 1.0), draw=draw, describe=describe, **texts):
    texts = {"alt": "Two bars.", "caption": "Try <both> sliders.", **texts}
    return explore(draw, gamma=gamma, C=C, describe=describe, **texts)


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
    """The pictures in the order of the sliders' positions, put together from their parts, and their results."""
    data = json.loads(re.search(r"take\((.*)\)", figure.select_one("script.explorer-frames").string)[1])
    return ["\n".join(data["parts"][part] for part in frame) for frame in data["frames"]], data["results"]


def first_picture(figure):
    return unquote(figure.img["src"].removeprefix("data:image/svg+xml,"))


def closed(figure):
    plt.close(figure)
    return figure


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def test_live_sliders_redraw_the_image_and_its_result():
    shown = explorer()
    result = shown.widget.children[1]
    seen = {}
    for gamma in (1, 2, 4):
        for C in (0.5, 1.0):
            shown.sliders["gamma"].value, shown.sliders["C"].value = gamma, C
            seen[gamma, C] = shown.image.value
            assert result.value == f"bars of {gamma} &amp; {C}"
    assert len(set(seen.values())) == 6
    shown.sliders["gamma"].value, shown.sliders["C"].value = 1, 1.0
    assert shown.image.value == seen[1, 1.0]


def test_live_image_is_what_draw_draws_with_twice_the_dots():
    shown = explorer()
    shown.sliders["gamma"].value = 1
    figure = draw(1, 1.0)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=2 * figure.dpi)
    plt.close(figure)
    assert (pixels(shown.image.value) == pixels(buffer.getvalue())).all()
    assert pixels(shown.image.value).shape == (200, 400, 3)
    assert shown.image.width == "200px"


def test_live_question_keeps_the_guess():
    question, guess, kept, *_ = explorer(ask=("Which is <higher>?", ["left", "right & wrong"])).widget.children
    assert question.value == "<b>Which is &lt;higher&gt;?</b>"
    assert (guess.value, kept.value) == (None, "")
    guess.value = "right & wrong"
    assert kept.value == "You guess: right &amp; wrong. Now move the sliders."


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
    assert shown.widget.children[1].value == "<b>ValueError</b>: 4 is &lt;too&gt; much"
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
        (c.label.text, c.input["name"], c.input["min"], c.input["max"], c.input["value"], c.output.text)
        for c in figure("div", class_="explorer-control")
    ]
    assert controls == [("γ", "gamma", "0", "2", "1", "2"), ("C", "C", "0", "1", "1", "1")]
    for control in figure("div", class_="explorer-control"):
        assert [control.label["for"]] == control.output["for"] == [control.input["id"]]
        assert control.input["aria-valuetext"] == control.output.text
    assert figure.select_one(".explorer-result[role=status]").text == "bars of 2 & 1.0"
    assert figure.img["alt"] == "Two bars. γ 2, C 1: bars of 2 & 1.0"
    assert (figure.img["width"], figure.img["height"]) == ("200", "100")
    assert figure.figcaption.text == "Try <both> sliders."
    assert "JavaScript" in figure.noscript.text


def test_static_frames_are_the_drawings_in_order(static):
    figure = parsed(explorer().to_html())
    pictures, results = frames(figure)
    assert results == [describe(gamma, C) for gamma in (1, 2, 4) for C in (0.5, 1.0)]
    drawn = ["\n".join(as_frame(closed(draw(gamma, C)))) for gamma in (1, 2, 4) for C in (0.5, 1.0)]
    assert pictures == drawn
    assert len(set(pictures)) == 6
    assert first_picture(figure) == pictures[results.index("bars of 2 & 1.0")]


def test_static_frames_share_what_they_have_in_common(static):
    many, few = (len(explorer(gamma=range(1, n)).to_html()) for n in (40, 3))
    pictures, _ = frames(parsed(explorer().to_html()))
    assert (many - few) / 74 < len(pictures[0]) / 4


def test_static_question_has_its_answers_and_a_place_for_the_guess(static):
    figure = parsed(explorer(name="fig-bars", ask=("Which is <higher>?", ["left", "right & wrong"])).to_html())
    fieldset = figure.fieldset
    assert fieldset.legend.text == "Which is <higher>?"
    answers = [(i["name"], i["value"], i.parent.text.strip()) for i in fieldset("input")]
    assert answers == [("fig-bars-guess", a, a) for a in ("left", "right & wrong")]
    assert fieldset.output.text == ""
    assert parsed(explorer().to_html()).fieldset is None


@pytest.mark.parametrize(
    ("name", "label"),
    [("gamma", "γ"), ("nu", "ν"), ("ridge_lambda", "ridge λ"), ("width_in_km", "width in km"), ("C", "C")],
)
def test_a_parameter_is_called_as_in_the_text(name, label):
    assert label_of(name) == label


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((1e-7, "10⁻⁷"), (1e-3, "10⁻³"), (3e5, "3·10⁵"), (-2e-4, "−2·10⁻⁴"), (-1e6, "−10⁶"), (10**7, "10⁷")),
        *(
            (0.01, "0.01"),
            (-0.5, "−0.5"),
            (0.0, "0"),
            (10000.0, "10⁴"),
            (3000.0, "3000"),
            (1000, "1000"),
            (float("inf"), "inf"),
        ),
        *((np.float32(0.25), "0.25"), (np.int64(-3), "−3"), ("one-class", "one-class"), (True, "True")),
    ],
)
def test_a_value_is_written_as_in_the_text(value, text):
    assert text_of(value) == text


def test_a_result_has_minus_signs(static):
    said = explorer(describe=lambda **_: "From -0.5 to 2, one-class, x-1, a 3-4 split.").to_html()
    assert frames(parsed(said))[1][0] == "From −0.5 to 2, one-class, x-1, a 3-4 split."


def test_two_explorers_on_a_page_do_not_share_names(static):
    first, second = parsed(explorer().to_html()), parsed(explorer().to_html())
    assert not {tag["id"] for tag in first(id=True)} & {tag["id"] for tag in second(id=True)}


def test_nothing_in_the_page_can_end_a_script(static):
    said = "</script><b>'\""
    html = explorer(["<", "</script>"], draw=lambda gamma, C: draw(1, C), describe=lambda **_: said).to_html()
    assert html.count("</script>") == 2
    assert parsed(html).img["alt"].endswith(f": {said}")
    assert frames(parsed(html))[1] == [said] * 4


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
        live.append(BeautifulSoup(shown.widget.children[1].value, "html.parser").text)
    drawn.clear()
    page = shown.to_html()
    assert f'"texts":[{as_script(texts)}]' in page
    assert live == frames(parsed(page))[1] == drawn == [repr(value) for value in made()]


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


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (
            {"name": "Two bars"},
            "name must be lower-case letters, digits and hyphens, such as 'fig-heights', got 'Two bars'",
        ),
        ({"name": 3}, "name must be lower-case"),
        ({"ask": "Which?"}, "ask must be a pair of a question and a list of two answers or more, got 'Which"),
        ({"ask": ("Which?", ["this"])}, "two answers or more"),
        ({"ask": ("Which?", "this")}, "two answers or more"),
        ({"ask": (["Which?"], ["this", "that"])}, "two answers or more"),
    ],
)
def test_a_name_that_is_none_and_a_question_without_answers_are_refused(texts, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        explorer(**texts)


def test_draw_must_return_a_figure():
    with pytest.raises(ValueError, match="draw must return a Matplotlib figure, got Axes"):
        _ = explore(lambda gamma: plt.gca(), gamma=[1], describe=lambda gamma: "", caption="c").widget
    plt.close("all")


def test_describe_must_return_a_text():
    with pytest.raises(ValueError, match="describe must return a text, got NoneType"):
        _ = explorer(describe=lambda **_: None).widget

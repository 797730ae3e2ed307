"""Explorers: live widgets that redraw, static figures within their limits; the browser's side is tested on the site."""

import io
import json
import re

import numpy as np
import pytest
from bs4 import BeautifulSoup
from IPython.core.formatters import DisplayFormatter
from matplotlib import pyplot as plt
from PIL import Image

from kernelbook.figures.explorer import explore
from kernelbook.figures.frames import as_frame
from kernelbook.plotting.pictures import named_apart
from tests.library.figures.bars import bars, describe

WIDGET = "application/vnd.jupyter.widget-view+json"


def explorer(gamma=(1, 2, 4), C=(0.5, 1.0), draw=bars, describe=describe, **texts):
    texts = {"alt": "Two bars.", "caption": "Try <both> sliders.", "name": "fig-bars", **texts}
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
    data = json.loads(re.search(r"take\(0,(.*)\)", figure.select_one("script.explorer-frames").string)[1])
    return ["\n".join(data["parts"][part] for part in frame) for frame in data["frames"]], data["results"]


def first_picture(figure):
    return figure.svg.decode_contents().strip()


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
    figure = bars(1, 1.0)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=2 * figure.dpi)
    plt.close(figure)
    assert (pixels(shown.image.value) == pixels(buffer.getvalue())).all()
    assert pixels(shown.image.value).shape == (200, 400, 3)
    assert shown.image.width == "200px"
    assert shown.widget.children[-1].value == "<i>Try &lt;both&gt; sliders.</i>"


def test_a_figure_that_is_drawn_once_and_returned_again_stays_as_it_is(static):
    figure = closed(bars(1, 1.0))
    shown = explorer(draw=lambda **_: figure)
    first = shown.image.value
    for gamma in (1, 4, 2):
        shown.sliders["gamma"].value = gamma
        assert shown.image.value == first
    assert len(set(frames(parsed(shown.to_html()))[0])) == 1
    assert figure.dpi == plt.rcParams["figure.dpi"]


def test_live_question_keeps_the_guess():
    question, guess, kept, *_ = explorer(ask=("Which is <higher>?", ["left", "right & wrong"])).widget.children
    assert question.value == "<b>Which is &lt;higher&gt;?</b>"
    assert (guess.value, kept.value) == (None, "Guess first, then move the sliders.")
    guess.value = "right & wrong"
    assert kept.value == "Now move the sliders."


def test_live_question_is_answered_where_the_sliders_show_it():
    shown = explorer(ask=("Which is higher?", ["left", "right"]), answer=("right", {"gamma": 4}))
    _, guess, reply, *_ = shown.widget.children
    shown.sliders["gamma"].value = 4
    assert reply.value == "Guess first, then move the sliders."
    guess.value = "left"
    assert reply.value == "The answer is: right."
    guess.value = "right"
    assert reply.value == "You guessed it: right."
    shown.sliders["gamma"].value = 2
    assert reply.value == "You guessed it: right."  # it has been seen


def test_live_goal_keeps_the_least_that_was_found():
    shown = explorer(goal=(lambda gamma, C: gamma + 10 * C, "{:g} m"))
    (line,) = [child for child in shown.widget.children if "least" in getattr(child, "value", b"").__str__()]
    assert line.value == "Your least so far: 12 m."
    shown.sliders["gamma"].value = 1
    shown.sliders["gamma"].value = 4
    assert line.value == "Your least so far: 11 m."
    shown.sliders["C"].value = 0.5
    shown.sliders["gamma"].value = 1
    assert line.value == "6 m: the least of all 6. Found!"


def test_live_display_is_a_widget_with_a_stable_text():
    data, _ = DisplayFormatter().format(explorer())
    assert data.keys() == {WIDGET, "text/plain"}
    assert data["text/plain"] == "Explorer(gamma: 1 … 4 in 3 steps, C: 0.5 … 1 in 2 steps)"


def test_sliders_start_in_the_middle_and_read_as_words():
    shown = explore(lambda size_in_km: bars(size_in_km, 1), size_in_km=[1, 2, 3, 4], describe=str, caption="c")
    with pytest.raises(TypeError):  # str takes no size_in_km: describe gets the same names as draw
        _ = shown.widget
    shown = explore(
        lambda size_in_km: bars(size_in_km, 1), size_in_km=[1, 2, 3, 4], describe=lambda **_: "s", caption="c"
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
        assert control.output["aria-live"] == "off"  # or the value would be spoken twice
    assert figure.select_one(".explorer-result[role=status]").text == "bars of 2 & 1.0"
    assert (figure.svg["role"], figure.svg["aria-label"]) == ("img", "Two bars. γ 2, C 1: bars of 2 & 1.0")
    assert (figure.svg["width"], figure.svg["height"]) == ("200", "100")
    assert figure.figcaption.text == "Try <both> sliders."
    assert "JavaScript" in figure.noscript.text


def draw_shape(shape):
    return bars(3 if shape == "tall" else 1, 1.0)


SHAPES = {"shape": ["tall", "flat <b>", "wide"], "describe": "{shape} bars".format, "name": "fig-shapes"}


def test_names_get_a_button_each_and_numbers_a_slider(static):
    figure = parsed(explore(draw_shape, **SHAPES, ask=("Which?", ["one", "two"])).to_html())
    group = figure.select_one(".explorer-control[role=radiogroup]")
    assert group["data-parameter"] == "shape"
    assert figure.find(id=group["aria-labelledby"]).text == "shape"
    assert [label.text.strip() for label in group("label")] == SHAPES["shape"]
    assert [button.has_attr("checked") for button in group("input", type="radio")] == [False, True, False]
    assert not figure("input", type="range")
    assert figure.fieldset.output.text == "Guess first, then press the buttons."
    both = parsed(explore(lambda shape, C: draw_shape(shape), **SHAPES, C=[1, 2]).to_html())
    assert [control.input["type"] for control in both("div", class_="explorer-control")] == ["radio", "range"]


def test_live_names_are_buttons_too():
    shown = explore(draw_shape, **SHAPES)
    assert type(shown.sliders["shape"]).__name__ == "ToggleButtons"
    shown.sliders["shape"].value = "wide"
    assert "wide bars" in [getattr(child, "value", None) for child in shown.widget.children]


def test_static_frames_are_the_drawings_in_order(static):
    figure = parsed(explorer().to_html())
    pictures, results = frames(figure)
    assert results == [describe(gamma, C) for gamma in (1, 2, 4) for C in (0.5, 1.0)]
    drawn = ["\n".join(as_frame(closed(bars(gamma, C)))) for gamma in (1, 2, 4) for C in (0.5, 1.0)]
    assert pictures == [named_apart(picture, "fig-bars-0") for picture in drawn]
    assert len(set(pictures)) == 6
    (shown,) = BeautifulSoup(pictures[results.index("bars of 2 & 1.0")], "html.parser")("svg")
    assert first_picture(figure) == shown.decode_contents().strip()


def test_static_frames_share_what_they_have_in_common(static):
    many, few = (len(explorer(gamma=range(1, n)).to_html()) for n in (40, 3))
    pictures, _ = frames(parsed(explorer().to_html()))
    assert (many - few) / 74 < len(pictures[0]) / 4


ODD = '<b>right</b> & "wrong"'


def test_static_question_has_its_answers_and_a_place_for_the_guess(static):
    figure = parsed(explorer(ask=("Which is <higher>?", ["left", ODD])).to_html())
    fieldset = figure.fieldset
    assert fieldset.legend.text == "Which is <higher>?"
    answers = [(i["name"], i["value"], i.parent.text.strip()) for i in fieldset("input")]
    assert answers == [("fig-bars-guess", a, a) for a in ("left", ODD)]
    assert fieldset.output.text == "Guess first, then move the sliders."
    assert parsed(explorer().to_html()).fieldset is None


def test_static_goal_has_its_line_for_each_frame(static):
    figure = parsed(explorer(goal=(lambda gamma, C: gamma * C, "{:g} m")).to_html())
    assert figure.select_one(".explorer-goal").text == "Your least so far: 2 m."
    goal = json.loads(re.search(r'"goal":(\[\[.*?\]\])', figure.select_one("script.explorer-frames").string)[1])
    assert goal[0] == [0, "0.5 m: the least of all 6. Found!"]
    assert [place for place, _ in goal] == [0, 1, 1, 2, 2, 3]
    assert parsed(explorer().to_html()).select_one(".explorer-goal") is None


def test_panels_beside_each_other_have_a_second_picture_for_phones(static):
    def two_panels(gamma, C):
        figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), sharey=True)
        left.plot([0, gamma])
        right.plot([0, C])
        return figure

    figure = parsed(explorer(draw=two_panels).to_html())
    desk, phone = figure("svg")
    assert (desk["class"], phone["class"]) == (["drawn", "for-desks"], ["drawn", "for-phones"])
    assert desk["aria-label"] == phone["aria-label"]
    assert (int(desk["width"]), int(phone["width"])) == (700, 370)
    assert len(figure("script", class_="explorer-frames")) == 2
    ids = [tag["id"] for tag in figure.find_all(id=True)]
    assert len(ids) == len(set(ids))


def test_a_result_has_powers_of_ten(static):
    said = explorer(describe=lambda **_: "4e-07 of it, -1.5e+06, 3e-02, 1e-06; mile-05, 0x1e-3.").to_html()
    assert "4·10⁻⁷ of it, −1.5·10⁶, 0.03, 10⁻⁶; mile-05, 0x1e-3." in said


def test_a_result_has_minus_signs(static):
    said = explorer(describe=lambda **_: "From -0.5 to 2, one-class, x-1, a 3-4 split.").to_html()
    assert frames(parsed(said))[1][0] == "From −0.5 to 2, one-class, x-1, a 3-4 split."


def test_nothing_in_the_page_can_end_a_script(static):
    said = "</script><b>'\""
    html = explorer(["<", "</script>"], draw=lambda gamma, C: bars(1, C), describe=lambda **_: said).to_html()
    assert html.count("</script>") == 2
    assert parsed(html).svg["aria-label"].endswith(f": {said}")
    assert frames(parsed(html))[1] == [said] * 4
